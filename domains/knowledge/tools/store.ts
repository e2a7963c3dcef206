import { z } from 'zod';
import { knowledge } from '../domain.ts';
import { begin, openEntry } from '../record.ts';
import { content, given, IN_ORDER, inOrder, storedEntry, tags, topic } from '../schemas.ts';

export const store = knowledge.act({
  name: 'store',
  title: 'Remember something',
  description: 'Records an entry of knowledge that all staff can read. It is yours: you can change it without an approval, and undo it.',
  roles: ['employee'],
  effect: 'adds',
  input: z.object({ topic, content, tags: tags.default([]).describe('Words to find it by'), ...given }).refine(inOrder, IN_ORDER),
  output: storedEntry,
  examples: [
    {
      question: 'Remember this: the staging database is refreshed every Sunday night. Topic staging, tag database.',
      as: 'nina.patel',
      input: { topic: 'staging', content: 'The staging database is refreshed every Sunday night.', tags: ['database'] },
    },
    {
      question: 'Note for everyone: the coffee machine on the second floor is being repaired until Friday',
      as: 'frank.davis',
      input: { topic: 'coffee machine', content: 'The coffee machine on the second floor is being repaired until Friday.' },
    },
    {
      question:
        'Save to the knowledge base under "travel policy": trains before planes for trips under five hours, source: travel handbook',
      as: 'alice.chen',
      input: { topic: 'travel policy', content: 'Trains before planes for trips under five hours.', source: 'travel handbook' },
    },
  ],

  summary: ({ id, topic: about }) => `Recorded “${about}” as ${id}.`,
  async execute(said, { sql, me }) {
    const tx = await begin(sql, me, { action: 'store' });
    await openEntry(sql, me, { tx, said });
    return sql.one(storedEntry, sql`select * from knowledge.entry_versions where entry_no = ${tx} and tx_to is null`);
  },
});
