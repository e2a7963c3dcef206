import { z } from 'zod';
import { amount, day } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import type { SqlTag } from '../../../src/declare/sql.ts';
import { finance } from '../domain.ts';
import { newYear } from '../example-days.ts';
import { employeeId, expenseReport, reportFilter } from '../schemas.ts';

const filters = z
  .object({
    status: reportFilter.optional().describe('SUBMITTED waits for approval, APPROVED for reimbursement'),
    employee_id: employeeId.optional().describe('Only the reports of this employee'),
    start_date: day.optional().describe('Only reports with an expense on this day or later'),
    end_date: day.optional().describe('Only reports with an expense on this day or earlier'),
  })
  .refine(({ start_date, end_date }) => !start_date || !end_date || start_date <= end_date, 'end_date must not be before start_date');

function matching(sql: SqlTag, { status, employee_id, start_date, end_date }: z.output<typeof filters>) {
  return sql`
    finance.report_list r where true ${sql.given({ status, employee_id })}
    ${sql.when(
      start_date ?? end_date,
      () => sql`
        exists (select from finance.report_items i where i.report_id = r.report_id
          ${sql.when(start_date, () => sql`i.date >= ${start_date}::date`)} ${sql.when(end_date, () => sql`i.date <= ${end_date}::date`)})`,
    )}`;
}

export const listExpenseReports = finance.list({
  name: 'list_expense_reports',
  title: 'Expense reports',
  description:
    'Expense reports, by default the latest month first. metadata.summary has the number and the total of all matching reports. Everyone ' +
    'sees their own reports, a manager also the reports of the people who report to them, finance and executives all.',
  plural: 'expense reports',
  roles: ['employee', 'manager', 'finance-read', 'executive'],
  input: filters,
  item: expenseReport,
  order: { month: desc('month', 'report_id'), largest: desc('total', 'report_id') },
  totals: z.object({ count: z.int(), total: amount }),
  examples: [
    { question: 'What expense reports are waiting for approval?', as: 'nina.patel', input: { status: 'SUBMITTED' } },
    { question: 'Show my expense reports', as: 'marcus.johnson', input: {} },
    { question: 'Which approved expenses still have to be reimbursed?', as: 'bob.martinez', input: { status: 'APPROVED' } },
    {
      question: 'How much did Carol Johnson claim in expenses this year?',
      as: 'eve.thompson',
      input: (today) => ({ employee_id: '0e000000-0000-4000-8000-000000000004', start_date: newYear(today) }),
    },
    { question: 'Which are the 3 largest expense reports?', as: 'eve.thompson', input: { sort: 'largest', limit: 3 } },
    { question: 'Was any of my expenses rejected?', as: 'frank.davis', input: { status: 'REJECTED' } },
  ],

  find: (input, { sql }) => sql`select * from ${matching(sql, input)}`,
  computeTotals: (input, { sql }) =>
    sql.one(
      z.object({ count: z.int(), total: amount }),
      sql`
        select (select count(*) from ${matching(sql, input)}) as count,
          coalesce((select sum(amount) from finance.report_items where report_id in (select report_id from ${matching(sql, input)})),
          0) as total`,
    ),
});
