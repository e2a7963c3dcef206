import { z } from 'zod';
import { companyText, prose, storedId, storedTime } from '../../../src/declare/fields.ts';
import { finance } from '../domain.ts';
import { describe, labels, reportById } from '../rules.ts';
import { reportId, reportNotFound } from '../schemas.ts';

export const deleteExpenseReport = finance.write({
  name: 'delete_expense_report',
  title: 'Delete an expense report',
  description:
    "Delete another person's draft or rejected expense report. No tool shows it any more, and the database keeps it for the audit. " +
    'Submitted, approved and reimbursed reports cannot be deleted.',
  roles: ['finance-write', 'executive'],
  effect: 'removes',
  input: z.object({ report_id: reportId, reason: prose(500).optional().describe('Shown on the approval card and stored with the record') }),
  output: z.object({ report_id: storedId, employee_name: companyText, month: companyText, deleted_at: storedTime }),
  errors: {
    EXPENSE_REPORT_NOT_FOUND: reportNotFound,
    EXPENSE_REPORT_NOT_DELETABLE: {
      message: 'The expense report is submitted, approved or reimbursed.',
      hint: 'Only DRAFT and REJECTED reports can be deleted. Reject a SUBMITTED report with reject_expense_report.',
    },
  },
  examples: [
    {
      question: "Could you please delete Frank Davis's rejected expense report?",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000005' },
    },
    {
      question: 'Remove the draft expenses of Dan Williams, he used the company card',
      as: 'eve.thompson',
      input: { report_id: '0fe00000-0000-4000-8000-000000000006', reason: 'He used the company card' },
    },
    {
      question: "Throw away Dan's unfinished expense report",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000006' },
    },
    {
      question: "Delete Marcus Johnson's submitted expense report",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000001' },
      expects: 'EXPENSE_REPORT_NOT_DELETABLE',
    },
    {
      question: 'Delete my rejected expense report',
      as: 'frank.davis',
      input: { report_id: '0fe00000-0000-4000-8000-000000000005' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ report_id }, { sql, me, fail, company }) {
    const found = (await reportById(sql, report_id)) ?? fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
    if (found.employee_id === me.employeeId) throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot delete your own expense report.' });
    if (found.status !== 'DRAFT' && found.status !== 'REJECTED') throw fail('EXPENSE_REPORT_NOT_DELETABLE', { status: found.status });
    return {
      summary: `Delete ${describe.report(found, company)}`,
      subject: { label: labels.report(found, company), id: report_id },
      changes: [{ field: 'status', from: found.status, to: 'Deleted' }],
    };
  },

  execute: ({ report_id, reason }, { sql, me, output }) =>
    sql.change(
      output,
      sql`
        update finance.expense_reports set deleted_by = ${me.employeeId}, deleted_at = clock_timestamp(), deletion_reason = ${reason}
        where report_id = ${report_id} and status in ('DRAFT', 'REJECTED') and deleted_at is null
        returning report_id, employee_name, month, deleted_at`,
    ),
});
