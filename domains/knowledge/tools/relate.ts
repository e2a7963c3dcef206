import { z } from 'zod';
import { companyText } from '../../../src/declare/fields.ts';
import { conflictDetails, conflictsWith, known, removedLines } from '../conflicts.ts';
import { knowledge } from '../domain.ts';
import { currentEntry, isEntryId, sentence, currentTriple } from '../items.ts';
import { begin, close, openTriple } from '../record.ts';
import { ENTRY_NOT_FOUND, entity, given, IN_ORDER, inOrder, predicate, reason, triple } from '../schemas.ts';

export const relate = knowledge.write({
  name: 'relate',
  title: 'Relate two things',
  description:
    'Records a relation between two things: subject, predicate, object. If the triple contradicts a known one, the answer is a ' +
    'conflict with the choices that resolve it.',
  roles: ['employee'],
  effect: 'adds',
  atOnceWhen: 'it replaces no triple',
  input: z
    .object({
      subject: entity.describe('A name, or the id of an entry'),
      predicate: predicate.describe('Such as depends_on, owned_by, part_of'),
      object: entity.describe('A name, or the id of an entry'),
      resolution: z.enum(['replace', 'keep_both', 'reject']).optional().describe('After a conflict: how to resolve it'),
      ...given,
      reason,
    })
    .refine(inOrder, IN_ORDER),
  output: z.object({
    outcome: z.enum(['recorded', 'already_known', 'replaced', 'kept_both', 'rejected']),
    triple: triple.nullable(),
    replaced: z.array(companyText).describe('Ids of the triples that were replaced'),
    tx_id: z.int().nullable().describe('The number of this change: the input of undo. Null if nothing was recorded'),
  }),
  errors: {
    ENTRY_NOT_FOUND,
    TRIPLE_CONFLICT: {
      message: 'This contradicts a known triple. Nothing was recorded.',
      hint: 'Show details.conflicts to the person, and call again with the resolution that they choose: replace, keep_both or reject.',
    },
  },
  examples: [
    {
      question: 'The search-service is now owned by the Platform team, replace what we had',
      as: 'nina.patel',
      input: { subject: 'search-service', predicate: 'owned_by', object: 'Platform team', resolution: 'replace' },
    },
    {
      question: 'note that the billing-service depends on payments-db',
      as: 'marcus.johnson',
      input: { subject: 'billing-service', predicate: 'depends_on', object: 'payments-db' },
      expects: 'success',
    },
    {
      question: 'Record that the search-service is owned by the Platform team',
      as: 'sarah.kim',
      input: { subject: 'search-service', predicate: 'owned_by', object: 'Platform team' },
      expects: 'TRIPLE_CONFLICT',
    },
    {
      question: 'Relate e-999999 to onboarding',
      as: 'frank.davis',
      input: { subject: 'e-999999', predicate: 'part_of', object: 'onboarding' },
      expects: 'ENTRY_NOT_FOUND',
    },
  ],

  summary({ outcome, triple: now, replaced }) {
    if (now === null) return 'Nothing was recorded.';
    const label = `“${sentence(now)}” (${now.id})`;
    if (outcome === 'already_known') return `${label} was known already.`;
    return `Recorded ${label}${replaced.length === 0 ? '' : ` in place of ${replaced.join(', ')}`}.`;
  },
  async prepare({ resolution, reason: why, ...said }, { sql, fail }) {
    for (const id of [said.subject, said.object]) {
      if (isEntryId(id) && !(await currentEntry(sql, id.toLowerCase()))) throw fail('ENTRY_NOT_FOUND', { id });
    }
    const label = sentence(said);
    const card = {
      subject: { label, id: said.subject },
      changes: [{ field: 'triple', from: null as string | null, to: label as string | null }],
      reason: why,
    };
    const same = await known(sql, said);
    if (same)
      return { ...card, summary: `Record that ${label}`, own: true, outcome: 'already_known' as const, same: same.id, replaced: [] };
    const rivals = await conflictsWith(sql, said);
    if (rivals.length === 0)
      return { ...card, summary: `Record that ${label}`, own: true, outcome: 'recorded' as const, same: null, replaced: [] };
    if (resolution === undefined) throw fail('TRIPLE_CONFLICT', conflictDetails(rivals));
    if (resolution === 'keep_both')
      return { ...card, summary: `Record that ${label} too`, own: true, outcome: 'kept_both' as const, same: null, replaced: [] };
    if (resolution === 'reject')
      return { ...card, summary: `Do not record that ${label}`, own: true, outcome: 'rejected' as const, same: null, replaced: [] };
    const changes = [...removedLines(rivals), ...card.changes];
    const summary = `Replace ${rivals.map((each) => `“${sentence(each)}”`).join(' and ')} by “${label}”`;
    return { ...card, summary, changes, own: false, outcome: 'replaced' as const, same: null, replaced: rivals.map(({ id }) => id) };
  },

  async execute({ resolution: _, reason: why, ...said }, { sql, me, plan }) {
    const { outcome, same, replaced } = plan;
    if (outcome === 'already_known' && same !== null) return { outcome, triple: await currentTriple(sql, same), replaced: [], tx_id: null };
    if (outcome === 'rejected') return { outcome, triple: null, replaced: [], tx_id: null };
    const tx = await begin(sql, me, { action: 'relate', reason: why });
    for (const id of replaced) await close(sql, tx, id);
    const id = await openTriple(sql, me, { tx, said });
    return { outcome, triple: await currentTriple(sql, id), replaced, tx_id: tx };
  },
});
