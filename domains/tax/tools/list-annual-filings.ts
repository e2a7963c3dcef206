import { z } from 'zod';
import { asc, desc } from '../../../src/declare/order.ts';
import { tax } from '../domain.ts';
import { yearOf } from '../periods.ts';
import { filing, overdue, readers, taxYear } from '../schemas.ts';

const counts = z.object({ filed: z.int(), open: z.int().describe('Not filed yet'), overdue: z.int() });

export const listAnnualFilings = tax.list({
  name: 'list_annual_filings',
  title: 'Annual filings',
  description:
    'Annual tax returns, federal and by state, by default the latest tax year first: form, due date, when they were filed, tax, ' +
    'prepayments and the remaining balance. metadata.summary has the numbers of filed, open and overdue returns.',
  plural: 'annual filings',
  roles: readers,
  input: z.object({
    year: taxYear.optional().describe('Tax year of the return, usually the year before the filing; by default all'),
  }),
  item: filing,
  order: {
    tax_year: desc('tax_year', 'due_date', 'filing_id'),
    due_date: asc('due_date', 'filing_id'),
    highest_tax: desc('total_tax', 'filing_id'),
  },
  totals: counts,
  examples: [
    {
      question: 'Which annual tax returns did we file for last year?',
      as: 'bob.martinez',
      input: (today) => ({ year: yearOf(today) - 1 }),
    },
    { question: 'Show our annual filings', as: 'tom.becker', input: {} },
    { question: "Have we filed this year's federal return yet?", as: 'eve.thompson', input: (today) => ({ year: yearOf(today) }) },
    { question: 'What did we pay with the returns two years ago?', as: 'tom.becker', input: (today) => ({ year: yearOf(today) - 2 }) },
    { question: 'Show me the company tax return', as: 'marcus.johnson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: ({ year }, { sql, today }) =>
    sql`select *, ${overdue(sql, today)} as overdue from tax.filings where true ${sql.given({ tax_year: year })}`,
  computeTotals: ({ year }, { sql, today }) =>
    sql.one(
      counts,
      sql`
        select count(filed_on) as filed, count(*) - count(filed_on) as open, count(*) filter (where ${overdue(sql, today)}) as overdue
        from tax.filings where true ${sql.given({ tax_year: year })}`,
    ),
});
