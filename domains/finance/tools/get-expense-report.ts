import { z } from 'zod';
import { storedId } from '../../../src/declare/fields.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { finance } from '../domain.ts';
import { lastMonth } from '../example-days.ts';
import { withItems } from '../rules.ts';
import { employeeId, expenseReport, fullReport, month, reportId, reportNotFound } from '../schemas.ts';

export const getExpenseReport = finance.read({
  name: 'get_expense_report',
  title: 'Expense report',
  description:
    'One expense report with its items: by report_id, or by month and employee_id (by default your own). If a month has several ' +
    'reports, this returns the latest submitted one; other_report_ids lists the others.',
  roles: ['employee', 'manager', 'finance-read', 'executive'],
  input: z
    .object({
      report_id: reportId.optional(),
      employee_id: employeeId.optional().describe('Whose report; by default your own'),
      month: month.optional().describe('Month of the expenses, as YYYY-MM'),
    })
    .refine(
      (given) => given.report_id !== undefined || given.month !== undefined,
      'Give report_id, or month (and employee_id, unless it is your own)',
    ),
  output: fullReport.extend({ other_report_ids: z.array(storedId).describe('Other reports of the same person and month') }),
  errors: { EXPENSE_REPORT_NOT_FOUND: reportNotFound },
  examples: [
    { question: 'Show my expense report for last month', as: 'marcus.johnson', input: (today) => ({ month: lastMonth(today) }) },
    {
      question: "What is in Sarah Kim's expense report of last month?",
      as: 'nina.patel',
      input: (today) => ({ employee_id: '0e000000-0000-4000-8000-000000000008', month: lastMonth(today) }),
    },
    { question: 'Show me this expense report', as: 'bob.martinez', input: { report_id: '0fe00000-0000-4000-8000-000000000004' } },
    {
      question: "Which receipts are in Carol Johnson's expenses?",
      as: 'eve.thompson',
      input: (today) => ({ employee_id: '0e000000-0000-4000-8000-000000000004', month: lastMonth(today) }),
    },
    {
      question: "Let me see Sarah Kim's expenses of last month",
      as: 'marcus.johnson',
      input: (today) => ({ employee_id: '0e000000-0000-4000-8000-000000000008', month: lastMonth(today) }),
      expects: 'EXPENSE_REPORT_NOT_FOUND',
    },
  ],
  summary: ({ employee_name, month: of, total, status }, company) => `${employee_name}, ${of}: ${formatMoney(total, company)}, ${status}`,

  async run({ report_id, employee_id, month: of }, { sql, me, fail }) {
    // Without an id, only the caller's own reports count.
    const whose = employee_id ?? (report_id === undefined ? me.employeeId : undefined);
    const [found, ...others] = await sql.many(
      expenseReport,
      sql`
        select * from finance.report_list where true ${sql.given({ report_id, employee_id: whose, month: of })}
        order by status in ('DRAFT', 'REJECTED'), submitted_at desc nulls last, report_id`,
    );
    if (!found) throw fail('EXPENSE_REPORT_NOT_FOUND', { report_id, employee_id: whose, month: of });
    return { ...(await withItems(sql, found)), other_report_ids: others.map((other) => other.report_id) };
  },
});
