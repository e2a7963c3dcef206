import { changed, line, prose, z } from 'tamshai';
import { domain } from '../domain.ts';
import { item, itemId, itemNotFound } from '../schemas.ts';

export const renameItem = domain.write({
  name: 'rename_item',
  title: 'Rename an item of {{name}}',
  description: 'Give an item of {{name}} another title.',
  roles: ['{{name}}-write', 'executive'],
  effect: 'changes',
  input: z.object({
    item_id: itemId,
    title: line(100).min(1).describe('The new title'),
    reason: prose(500).optional().describe('Shown on the approval card'),
  }),
  output: item,
  errors: {
    ITEM_NOT_FOUND: itemNotFound,
    TITLE_UNCHANGED: { message: 'The item already has this title.', hint: 'Do nothing, or give another title.' },
  },
  examples: [
    {
      question: 'Rename the first item of {{name}} to Review',
      as: '{{executive}}',
      input: { item_id: '0a100000-0000-4000-8000-000000000001', title: 'Review' },
    },
    {
      question: 'Rename that item of {{name}} to Mine',
      as: '{{employee}}',
      input: { item_id: '0a100000-0000-4000-8000-000000000001', title: 'Mine' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],
  summary: ({ title }) => `The item is now called ${title}`,

  async prepare({ item_id, title, reason }, { sql, fail }) {
    const found =
      (await sql.maybeOne(item, sql`select * from {{name}}.items where item_id = ${item_id}`)) ?? fail('ITEM_NOT_FOUND', { item_id });
    const changes = changed(found, { title });
    if (changes.length === 0) throw fail('TITLE_UNCHANGED');
    return { summary: `Rename ${found.title}`, subject: { label: `${found.title}, ${found.owner_name}`, id: item_id }, changes, reason };
  },

  execute: ({ item_id, title }, { sql, output }) =>
    sql.change(output, sql`update {{name}}.items set title = ${title} where item_id = ${item_id} returning *`),
});
