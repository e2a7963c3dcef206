import { z } from 'zod';
import { companyText } from '../../../src/declare/fields.ts';
import { knowledge } from '../domain.ts';
import { currentEntry, sentence, currentTriple, triplesAbout } from '../items.ts';
import { begin, close } from '../record.ts';
import { itemId, reason } from '../schemas.ts';

const removed = z.object({
  id: companyText,
  deleted: z.literal(true),
  also_deleted: z.array(companyText).describe('The triples about the entry, which were deleted with it'),
  tx_id: z.int().describe('The number of this change: the input of undo, which restores everything'),
});

export const deleteItem = knowledge.write({
  name: 'delete',
  title: 'Forget something',
  description: 'Removes an entry of knowledge with the triples about it, or a single triple. The history keeps it, and undo restores it.',
  roles: ['employee'],
  effect: 'removes',
  atOnceWhen: 'you recorded it and all triples about it yourself',
  input: z.object({ id: itemId.describe('id of an entry, from query, or of a triple, from query_graph'), reason }),
  inputAliases: { entry_id: 'id', triple_id: 'id' },
  output: removed,
  errors: { ENTRY_NOT_FOUND: 'Find the id of an entry with query, or of a triple with query_graph.' },
  examples: [
    { question: 'delete the knowledge entry about badge printing', as: 'sarah.kim', input: { id: 'e-7' } },
    {
      question: 'Remove the triple t-62 from the graph, the team was renamed',
      as: 'marcus.johnson',
      input: { id: 't-62', reason: 'The team was renamed' },
    },
    { question: 'Forget entry e-999999', as: 'frank.davis', input: { id: 'e-999999' }, expects: 'ENTRY_NOT_FOUND' },
  ],

  summary: ({ id, also_deleted: also }) => `Deleted ${id}${also.length === 0 ? '' : ` and the triples about it: ${also.join(', ')}`}.`,
  async prepare({ id, reason: why }, { sql, fail }) {
    const afterwards = 'The history keeps it, and undo restores it.';
    const single = await currentTriple(sql, id);
    if (single) {
      const label = sentence(single);
      const changes = [{ field: 'triple', from: label, to: null }];
      return {
        summary: `Delete the triple “${label}”, which ${single.recorded_by} recorded`,
        subject: { label, id },
        changes,
        reason: why,
        own: single.mine,
        afterwards,
        ids: [id],
      };
    }
    const entry = (await currentEntry(sql, id)) ?? fail('ENTRY_NOT_FOUND', { id });
    const triples = await triplesAbout(sql, id);
    const changes = [
      { field: 'topic', from: entry.topic, to: null },
      { field: 'content', from: entry.content, to: null },
      ...triples.map((each) => ({ field: each.id, label: `Triple ${each.id}`, from: sentence(each), to: null })),
    ];
    const own = entry.mine && triples.every(({ mine }) => mine);
    const also = triples.length === 0 ? '' : ` and ${triples.length === 1 ? 'the triple' : `${triples.length} triples`} about it`;
    const summary = `Delete “${entry.topic}”, which ${entry.recorded_by} recorded${also}`;
    return {
      summary,
      subject: { label: entry.topic, id },
      changes,
      reason: why,
      own,
      afterwards,
      ids: [id, ...triples.map((each) => each.id)],
    };
  },

  async execute({ id, reason: why }, { sql, me, plan }) {
    const tx = await begin(sql, me, { action: 'delete', reason: why });
    for (const each of plan.ids) await close(sql, tx, each);
    return { id, deleted: true, also_deleted: plan.ids.slice(1), tx_id: tx };
  },
});
