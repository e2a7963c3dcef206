import { z } from 'tamshai';
import { domain } from '../domain.ts';
import { item, itemId, itemNotFound } from '../schemas.ts';

export const getItem = domain.read({
  name: 'get_item',
  title: 'One item of {{name}}',
  description: 'One item of {{name}} by id.',
  roles: ['employee', '{{name}}-read', 'executive'],
  input: z.object({ item_id: itemId }),
  output: item,
  errors: { ITEM_NOT_FOUND: itemNotFound },
  examples: [
    { question: 'Show me the first item of {{name}}', as: '{{executive}}', input: { item_id: '0a100000-0000-4000-8000-000000000001' } },
    {
      question: 'Open the item of somebody else',
      as: '{{employee}}',
      input: { item_id: '0a100000-0000-4000-8000-000000000001' },
      expects: 'ITEM_NOT_FOUND',
    },
  ],
  summary: ({ title, due }) => `${title}, due on ${due}`,

  run: async ({ item_id }, { sql, output, fail }) =>
    (await sql.maybeOne(output, sql`select * from {{name}}.items where item_id = ${item_id}`)) ?? fail('ITEM_NOT_FOUND', { item_id }),
});
