import { z } from 'zod';
import { amount, companyText, storedDay } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';
import type { SqlTag } from '../../../src/declare/sql.ts';
import type { Company } from '../../../src/declare/company.ts';
import { fiscalYearOf, yearOf as fiscalYear } from '../../../src/declare/fiscal.ts';
import { finance } from '../domain.ts';
import { fiscalYear as yearField } from '../schemas.ts';

const moved = {
  starting_arr: amount,
  new_arr: amount.describe('From new customers'),
  expansion_arr: amount.describe('Increase from existing customers'),
  contraction_arr: amount.describe('Decrease from customers who stayed'),
  churn_arr: amount.describe('From customers who left'),
  net_new_arr: amount.describe('new + expansion − contraction − churn'),
  ending_arr: amount.describe('starting + net new'),
};
const asked = z.object({
  year: yearField.optional().describe('Only months of this year; together with months: the last months up to the end of this year'),
  months: z.int().min(1).max(24).optional().describe('Number of months; by default 12, or the months of the year'),
});

/** The last `months` (by default 12) up to the end of `year`, or up to now. With `year` alone: the months of that year. */
function window(sql: SqlTag, { year, months }: z.output<typeof asked>, company: Company) {
  const whole = year === undefined ? undefined : fiscalYear(year, company);
  return sql`
  (select * from finance.arr_movement where true
    ${sql.when(whole, () => sql`period <= ${whole?.to.slice(0, 7)}`)}
    ${sql.when(months === undefined ? whole : undefined, () => sql`period >= ${whole?.from.slice(0, 7)}`)}
    order by period desc limit ${months ?? 12}) movement`;
}

export const getArrMovement = finance.list({
  name: 'get_arr_movement',
  title: 'ARR movement',
  description:
    'How annual recurring revenue moved month by month (waterfall): the ending of each month is the starting of the next month. ' +
    'metadata.summary has the same figures for the whole time. The current month counts up to today.',
  plural: 'months',
  roles: ['finance-read', 'executive'],
  input: asked,
  item: z.object({ period: companyText.describe('YYYY-MM'), ...moved, as_of_date: storedDay.describe('Last day that is counted') }),
  order: asc('period'),
  totals: z.object({ ...moved, starting_arr: amount.nullable(), ending_arr: amount.nullable() }),
  examples: [
    { question: 'ARR waterfall for the last 6 months', as: 'bob.martinez', input: { months: 6 } },
    {
      question: 'How did our recurring revenue develop this year?',
      as: 'eve.thompson',
      input: (today, company) => ({ year: fiscalYearOf(today, company) }),
    },
    {
      question: 'Show me churn and expansion month by month for last year',
      as: 'bob.martinez',
      input: (today, company) => ({ year: fiscalYearOf(today, company) - 1 }),
    },
    { question: 'ARR movement over two years', as: 'eve.thompson', input: { months: 24 } },
    {
      question: 'How much ARR did we lose to churn lately?',
      as: 'dan.williams',
      input: { months: 3 },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],
  chart: {
    kind: 'waterfall',
    title: 'ARR movement',
    start: { field: 'starting_arr', label: 'Start' },
    steps: [
      { field: 'new_arr', label: 'New', adds: true },
      { field: 'expansion_arr', label: 'Expansion', adds: true },
      { field: 'contraction_arr', label: 'Contraction', adds: false },
      { field: 'churn_arr', label: 'Churn', adds: false },
    ],
    end: { field: 'ending_arr', label: 'End' },
  },

  find: (input, { sql, company }) => sql`select * from ${window(sql, input, company)}`,
  computeTotals: (input, { sql, company }) =>
    sql.one(
      z.object({ ...moved, starting_arr: amount.nullable(), ending_arr: amount.nullable() }),
      sql`
        select (array_agg(starting_arr order by period))[1] as starting_arr, coalesce(sum(new_arr), 0) as new_arr,
          coalesce(sum(expansion_arr), 0) as expansion_arr, coalesce(sum(contraction_arr), 0) as contraction_arr,
          coalesce(sum(churn_arr), 0) as churn_arr,
          coalesce(sum(net_new_arr), 0) as net_new_arr, (array_agg(ending_arr order by period desc))[1] as ending_arr
        from ${window(sql, input, company)}`,
    ),
});
