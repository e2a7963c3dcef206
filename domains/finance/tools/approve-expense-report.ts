import { z } from 'zod';
import { prose } from '../../../src/declare/fields.ts';
import { finance } from '../domain.ts';
import { describe, itemLines, labels, reportById, withItems } from '../rules.ts';
import { expenseReport, reportId, reportNotFound } from '../schemas.ts';

export const approveExpenseReport = finance.write({
  name: 'approve_expense_report',
  title: 'Approve an expense report',
  description:
    'Approve a submitted expense report of another person: SUBMITTED becomes APPROVED. A manager approves reports of the people ' +
    'who report to them. The person who approves it cannot reimburse it.',
  roles: ['manager', 'finance-write', 'executive'],
  effect: 'changes',
  input: z.object({ report_id: reportId, approver_notes: prose(1000).optional().describe('For the person who submitted it') }),
  inputAliases: { notes: 'approver_notes' },
  output: expenseReport,
  errors: {
    EXPENSE_REPORT_NOT_FOUND: reportNotFound,
    EXPENSE_REPORT_NOT_SUBMITTED: {
      message: 'The expense report does not wait for approval.',
      hint: 'Only SUBMITTED reports can be approved; find them with list_expense_reports.',
    },
  },
  examples: [
    { question: 'Approve the expense report from Marcus', as: 'nina.patel', input: { report_id: '0fe00000-0000-4000-8000-000000000001' } },
    {
      question: "Sarah Kim's expenses are fine, approve them",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000002', approver_notes: 'Fine' },
    },
    { question: "Approve Bob Martinez's expenses", as: 'eve.thompson', input: { report_id: '0fe00000-0000-4000-8000-000000000007' } },
    {
      question: 'Approve my own expense report',
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000007' },
      expects: 'SEPARATION_OF_DUTIES',
    },
    {
      question: "Approve Sarah Kim's expense report",
      as: 'carol.johnson',
      input: { report_id: '0fe00000-0000-4000-8000-000000000002' },
      expects: 'EXPENSE_REPORT_NOT_FOUND',
    },
    {
      question: "Approve Frank Davis's rejected expenses after all",
      as: 'nina.patel',
      input: { report_id: '0fe00000-0000-4000-8000-000000000005' },
      expects: 'EXPENSE_REPORT_NOT_SUBMITTED',
    },
  ],

  async prepare({ report_id, approver_notes }, { sql, me, fail, company }) {
    const found = (await reportById(sql, report_id)) ?? fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
    if (found.employee_id === me.employeeId) throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot approve your own expense report.' });
    if (found.status !== 'SUBMITTED') throw fail('EXPENSE_REPORT_NOT_SUBMITTED', { status: found.status });
    const { items } = await withItems(sql, found);
    return {
      summary: `Approve ${describe.report(found, company)}`,
      subject: { label: labels.report(found, company), id: report_id },
      changes: [
        { field: 'status', from: found.status, to: 'APPROVED' },
        { field: 'total', from: found.total, to: found.total, format: 'money' },
        ...itemLines(items, { isNew: false, company }),
      ],
      reason: approver_notes,
    };
  },

  async execute({ report_id, approver_notes }, { sql, me, output, fail }) {
    await sql.change(
      output.pick({ report_id: true }),
      sql`
        update finance.expense_reports
        set status = 'APPROVED', approved_by = ${me.employeeId}, approved_by_name = ${me.name}, approved_at = clock_timestamp(),
        approver_notes = ${approver_notes}
        where report_id = ${report_id} and status = 'SUBMITTED' returning report_id`,
    );
    return (await reportById(sql, report_id)) ?? fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
  },
});
