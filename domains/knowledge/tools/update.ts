import { z } from 'zod';
import { knowledge } from '../domain.ts';
import { differences, currentEntry } from '../items.ts';
import { begin, changeEntry } from '../record.ts';
import { changeable, content, ENTRY_NOT_FOUND, entry, entryState, IN_ORDER, inOrder, itemId, reason, tags, topic } from '../schemas.ts';

const fields = entryState.pick({
  topic: true,
  content: true,
  tags: true,
  source: true,
  actor: true,
  confidence: true,
  valid_from: true,
  valid_to: true,
});

export const update = knowledge.write({
  name: 'update',
  title: 'Correct an entry',
  description: 'Changes fields of an entry of knowledge; all other fields stay. The history keeps the earlier entry.',
  roles: ['employee'],
  effect: 'changes',
  atOnceWhen: 'you recorded the entry yourself',
  input: z.object({
    id: itemId.describe('id of an entry, from query'),
    topic: topic.optional(),
    content: content.optional(),
    tags: tags.optional().describe('The new list of all tags'),
    ...changeable,
    reason,
  }),
  inputAliases: { entry_id: 'id' },
  output: entry,
  errors: {
    ENTRY_NOT_FOUND,
    NOTHING_TO_CHANGE: { message: 'The entry already has these values.', hint: 'Name at least one field with a new value.' },
  },
  examples: [
    {
      question: 'Update the deployment rollback entry: roll back within 10 minutes instead of 5',
      as: 'sarah.kim',
      input: { id: 'e-2', content: 'Rollback within 10 min if error rate exceeds 1%.' },
    },
    {
      question: 'The badge printing note is no longer valid after this year',
      as: 'frank.davis',
      input: (today) => ({ id: 'e-7', valid_to: `${today.slice(0, 4)}-12-31` }),
    },
    {
      question: 'Correct entry e-999999: it is on Tuesdays',
      as: 'marcus.johnson',
      input: { id: 'e-999999', content: 'It is on Tuesdays.' },
      expects: 'ENTRY_NOT_FOUND',
    },
  ],

  summary: ({ id, topic: about }) => `Changed “${about}” (${id}).`,
  async prepare({ id, reason: why, clear = [], ...said }, { sql, fail }) {
    const before = (await currentEntry(sql, id)) ?? fail('ENTRY_NOT_FOUND', { id });
    const now = fields.parse(before);
    const named = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
    if (clear.some((field) => field in named))
      throw fail('VALIDATION_ERROR', { message: 'Give a new value for a field or clear it, not both.' });
    const next = fields.parse({ ...now, ...named, ...Object.fromEntries(clear.map((field) => [field, null])) });
    if (!inOrder(next)) throw fail('VALIDATION_ERROR', { message: `${IN_ORDER}.` });
    const changes = differences(now, next);
    if (changes.length === 0) throw fail('NOTHING_TO_CHANGE', { id });
    const summary = `Change “${before.topic}”, which ${before.recorded_by} recorded`;
    return { summary, subject: { label: before.topic, id }, changes, reason: why, own: before.mine, next };
  },

  async execute({ id, reason: why }, { sql, me, plan, output }) {
    const tx = await begin(sql, me, { action: 'update', reason: why });
    await changeEntry(sql, tx, { id, said: plan.next });
    return await sql.one(output, sql`select * from knowledge.entry_versions where tx_from = ${tx}`);
  },
});
