import { asc, day, z } from 'tamshai';
import { domain } from '../domain.ts';
import { item } from '../schemas.ts';

export const listItems = domain.list({
  name: 'list_items',
  title: '{{title}}',
  description: 'Items of {{name}} with owner and due day, in the order of the days: every item, or your own.',
  plural: 'items',
  roles: ['employee', '{{name}}-read', 'executive'],
  input: z.object({
    from: day.optional().describe('First due day'),
    to: day.optional().describe('Last due day'),
  }),
  item,
  order: asc('due', 'item_id'),
  examples: [
    { question: 'Which items of {{name}} are mine?', as: '{{employee}}', input: {} },
    { question: 'List all items of {{name}}', as: '{{executive}}', input: {} },
  ],

  find: ({ from, to }, { sql }) => sql`
    select * from {{name}}.items where true
    ${sql.when(from, () => sql`due >= ${from}::date`)}
    ${sql.when(to, () => sql`due <= ${to}::date`)}`,
});
