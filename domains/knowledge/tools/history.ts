import { z } from 'zod';
import { line } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { anywhere } from '../../../src/declare/sql.ts';
import { knowledge } from '../domain.ts';
import { foundSome } from '../items.ts';
import { actions, itemId, transaction } from '../schemas.ts';
import { RESOURCES } from '../snapshot.ts';
import { numberOf } from '../as-of.ts';

export const history = knowledge.list({
  name: 'history',
  title: 'What changed in what we know',
  description: 'All changes of entries and triples, the newest first, each with the full state before and after.',
  plural: 'transactions',
  resource: RESOURCES.transactions,
  roles: ['employee'],
  input: z.object({
    id: itemId.optional().describe('Only changes of this entry or triple; the id comes from query or query_graph'),
    action: z.enum(actions).optional().describe('Only changes of this kind'),
    by: line(100).optional().describe('Part of the name of the person who made the change'),
    mine: z.boolean().optional().describe('true: only your own changes; false: only changes of others'),
  }),
  item: transaction,
  order: desc('tx_id'),
  examples: [
    { question: 'show me the change history of the knowledge base', as: 'sarah.kim', input: {} },
    { question: 'Who changed the deployment rollback entry?', as: 'marcus.johnson', input: { id: 'e-2' } },
    { question: 'What has Nina recorded?', as: 'eve.thompson', input: { by: 'Nina' } },
    { question: 'What did I change in the knowledge base?', as: 'nina.patel', input: { mine: true } },
  ],

  summary: (rows) => foundSome(rows.length, 'change', { several: 'changes' }),
  find({ id, action, by, mine }, { sql }) {
    return sql`select * from knowledge.history where true ${sql.given({ action, mine })}
      ${sql.when(by, () => sql`by ilike ${anywhere(by ?? '')}`)}
      ${sql.when(
        id,
        () => sql`tx_id in (
        select unnest(array[tx_from, tx_to]) from knowledge.entries where entry_no = ${numberOf(id ?? '', 'e')}
        union all select unnest(array[tx_from, tx_to]) from knowledge.triples where triple_no = ${numberOf(id ?? '', 't')})`,
      )}`;
  },
});
