import { z } from 'zod';
import { finance } from '../domain.ts';
import { describe, itemLines, labels, reportById, withItems } from '../rules.ts';
import { expenseReport, rejectionReason, reportId, reportNotFound } from '../schemas.ts';

export const rejectExpenseReport = finance.write({
  name: 'reject_expense_report',
  title: 'Reject an expense report',
  description:
    'Reject a submitted expense report of another person, with a reason: SUBMITTED becomes REJECTED. A manager rejects reports of ' +
    'the people who report to them.',
  roles: ['manager', 'finance-write', 'executive'],
  effect: 'changes',
  input: z.object({ report_id: reportId, rejection_reason: rejectionReason }),
  inputAliases: { reason: 'rejection_reason' },
  output: expenseReport,
  errors: {
    EXPENSE_REPORT_NOT_FOUND: reportNotFound,
    EXPENSE_REPORT_NOT_SUBMITTED: {
      message: 'The expense report does not wait for approval.',
      hint: 'Only SUBMITTED reports can be rejected; find them with list_expense_reports.',
    },
  },
  examples: [
    {
      question: "Reject Sarah Kim's expense report because the hotel receipt is missing",
      as: 'nina.patel',
      input: { report_id: '0fe00000-0000-4000-8000-000000000002', rejection_reason: 'The hotel receipt is missing' },
    },
    {
      question: "Turn down Marcus Johnson's expenses: the dinner was not a work event",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000001', rejection_reason: 'The dinner was not a work event' },
    },
    {
      question: "Send Bob Martinez's expense report back, nobody knows these auditors",
      as: 'eve.thompson',
      input: { report_id: '0fe00000-0000-4000-8000-000000000007', rejection_reason: 'Nobody knows these auditors' },
    },
    {
      question: "Reject Carol Johnson's expenses, they are too high",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000004', rejection_reason: 'They are too high' },
      expects: 'EXPENSE_REPORT_NOT_SUBMITTED',
    },
  ],

  async prepare({ report_id, rejection_reason }, { sql, me, fail, company }) {
    const found = (await reportById(sql, report_id)) ?? fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
    if (found.employee_id === me.employeeId) throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot reject your own expense report.' });
    if (found.status !== 'SUBMITTED') throw fail('EXPENSE_REPORT_NOT_SUBMITTED', { status: found.status });
    const { items } = await withItems(sql, found);
    return {
      summary: `Reject ${describe.report(found, company)}`,
      subject: { label: labels.report(found, company), id: report_id },
      changes: [
        { field: 'status', from: found.status, to: 'REJECTED' },
        { field: 'total', from: found.total, to: found.total, format: 'money' },
        ...itemLines(items, { isNew: false, company }),
      ],
      reason: rejection_reason,
    };
  },

  async execute({ report_id, rejection_reason }, { sql, me, output, fail }) {
    await sql.change(
      output.pick({ report_id: true }),
      sql`
        update finance.expense_reports
        set status = 'REJECTED', rejected_by = ${me.employeeId}, rejected_by_name = ${me.name}, rejected_at = clock_timestamp(),
        rejection_reason = ${rejection_reason}
        where report_id = ${report_id} and status = 'SUBMITTED' returning report_id`,
    );
    return (await reportById(sql, report_id)) ?? fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
  },
});
