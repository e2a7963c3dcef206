import { z } from 'zod';
import { amount } from '../../../src/declare/fields.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { tax } from '../domain.ts';
import { quarterOf, yearOf } from '../periods.ts';
import { estimate, overdue, readers, taxYear } from '../schemas.ts';

export const listQuarterlyEstimates = tax.list({
  name: 'list_quarterly_estimates',
  title: 'Quarterly estimates',
  description:
    'Estimated tax payments, federal and by state, of one tax year by due date: estimated, paid, still to pay and whether they are ' +
    'overdue. By default this year. metadata.summary has the totals.',
  plural: 'quarterly estimates',
  roles: readers,
  input: z.object({
    year: taxYear.optional().describe('Tax year; by default this year'),
    quarter: z.int().min(1).max(4).optional().describe('1 to 4; by default all four'),
  }),
  item: estimate,
  order: { due_date: asc('due_date', 'state', 'estimate_id'), largest: desc('estimated_amount', 'estimate_id') },
  totals: z.object({ estimated: amount, paid: amount, remaining: amount, overdue: amount.describe('Unpaid after its date') }),
  examples: [
    { question: 'Show the Q2 estimated tax payments', as: 'tom.becker', input: (today) => ({ year: yearOf(today), quarter: 2 }) },
    {
      question: 'What are our tax estimates this quarter?',
      as: 'bob.martinez',
      input: (today) => ({ year: yearOf(today), quarter: quarterOf(today) }),
    },
    { question: 'List the quarterly estimates of last year', as: 'eve.thompson', input: (today) => ({ year: yearOf(today) - 1 }) },
    { question: 'Which estimated taxes have we paid so far?', as: 'tom.becker', input: {} },
    { question: 'How much estimated tax do we pay this quarter?', as: 'nina.patel', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: ({ year, quarter }, { sql, today }) => sql`
    select *, ${overdue(sql, today)} as overdue from tax.estimates where true ${sql.given({ year: year ?? yearOf(today), quarter })}`,
  computeTotals: ({ year, quarter }, { sql, today }) =>
    sql.one(
      z.object({ estimated: amount, paid: amount, remaining: amount, overdue: amount }),
      sql`
        select coalesce(sum(estimated_amount), 0) as estimated, coalesce(sum(paid_amount), 0) as paid, coalesce(sum(remaining_amount),
        0) as remaining,
          coalesce(sum(remaining_amount) filter (where ${overdue(sql, today)}), 0) as overdue
        from tax.estimates where true ${sql.given({ year: year ?? yearOf(today), quarter })}`,
    ),
});
