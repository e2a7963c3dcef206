import { z } from 'zod';
import { amount, day, storedDay } from '../../../src/declare/fields.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { finance } from '../domain.ts';
import { yearOf } from '../example-days.ts';

export const getArr = finance.read({
  name: 'get_arr',
  title: 'Annual recurring revenue',
  description:
    'Annual recurring revenue (ARR) at the end of the latest month on or before a day, with MRR, the change in that month, ' +
    'retention over twelve months, and revenue per subscription.',
  roles: ['finance-read', 'executive'],
  input: z.object({ as_of_date: day.optional().describe('By default today') }),
  output: z.object({
    as_of_date: storedDay.describe('Day of the figures: the end of a month, or in the current month the last day that is counted'),
    arr: amount,
    mrr: amount.describe('arr / 12'),
    net_new_arr: amount.describe('Change in that month, as in get_arr_movement'),
    gross_revenue_retention: z
      .number()
      .nullable()
      .describe('Percent of the revenue twelve months earlier that was neither reduced nor lost'),
    net_revenue_retention: z.number().nullable().describe('The same, including increases from existing customers'),
    arpu: amount.nullable().describe('arr / active_subscriptions: the yearly revenue of one subscription'),
    active_subscriptions: z.int(),
  }),
  errors: {
    ARR_NOT_FOUND: {
      message: 'There are no figures on or before that day.',
      hint: 'Give a later as_of_date; details has the first day with figures.',
    },
  },
  examples: [
    { question: "What's our ARR?", as: 'bob.martinez', input: {} },
    { question: 'What was our ARR on June 30?', as: 'eve.thompson', input: (today) => ({ as_of_date: `${yearOf(today)}-06-30` }) },
    { question: 'How high is our net revenue retention?', as: 'eve.thompson', input: {} },
    {
      question: 'How many subscriptions did we have at the end of last year?',
      as: 'bob.martinez',
      input: (today) => ({ as_of_date: `${yearOf(today) - 1}-12-31` }),
    },
    {
      question: 'What was the annual recurring revenue in 1999?',
      as: 'bob.martinez',
      input: { as_of_date: '1999-12-31' },
      expects: 'ARR_NOT_FOUND',
    },
    { question: 'How much recurring revenue do we have?', as: 'carol.johnson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  summary: ({ as_of_date, arr }, company) => `${formatMoney(arr, company)} ARR as of ${as_of_date}`,

  async run({ as_of_date }, { sql, output, today, fail }) {
    const asked = as_of_date ?? today;
    const found = await sql.maybeOne(
      output,
      sql`select * from finance.arr_snapshots where as_of_date <= ${asked}::date order by as_of_date desc limit 1`,
    );
    if (found) return found;
    const { first } = await sql.one(
      z.object({ first: storedDay.nullable() }),
      sql`select min(as_of_date) as first from finance.arr_snapshots`,
    );
    throw fail('ARR_NOT_FOUND', { as_of_date: asked, first_date: first });
  },
});
