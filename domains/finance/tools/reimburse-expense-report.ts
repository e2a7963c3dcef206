import { z } from 'zod';
import { line, prose } from '../../../src/declare/fields.ts';
import { finance } from '../domain.ts';
import { byBudgetCategory, entered, describe, itemLines, labels, reportById, withItems } from '../rules.ts';
import { expenseReport, ledgerEntry, reportId, reportNotFound } from '../schemas.ts';

export const reimburseExpenseReport = finance.write({
  name: 'reimburse_expense_report',
  title: 'Reimburse an expense report',
  description:
    'Record that an approved expense report of another person was paid out: APPROVED becomes REIMBURSED, and the amount is ' +
    'entered in the ledger of spending. The person who approved it cannot reimburse it.',
  roles: ['finance-write', 'executive'],
  effect: 'changes',
  input: z.object({
    report_id: reportId,
    payment_reference: line(100).min(1).optional().describe('For example the number of the transfer'),
    payment_notes: prose(1000).optional().describe('Stored with the report'),
  }),
  output: expenseReport,
  errors: {
    EXPENSE_REPORT_NOT_FOUND: reportNotFound,
    EXPENSE_REPORT_ALREADY_REIMBURSED: {
      message: 'The expense report is already reimbursed.',
      hint: 'Do nothing. details has the payment date and the reference.',
    },
    EXPENSE_REPORT_NOT_APPROVED: {
      message: 'The expense report is not approved.',
      hint:
        'Only APPROVED reports can be reimbursed. Another person than the payer must approve a SUBMITTED report first, ' +
        'with approve_expense_report.',
    },
  },
  examples: [
    {
      question: "Reimburse Sarah's approved expense report",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000003' },
    },
    {
      question: "Pay Carol Johnson's expenses back, reference EXP-2210",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000004', payment_reference: 'EXP-2210' },
    },
    {
      question: 'Pay out what Sarah Kim spent on the course',
      as: 'eve.thompson',
      input: { report_id: '0fe00000-0000-4000-8000-000000000003', payment_notes: 'With the next transfer' },
    },
    {
      question: "Reimburse Marcus Johnson's new expenses",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000001' },
      expects: 'EXPENSE_REPORT_NOT_APPROVED',
    },
    {
      question: "Pay Marcus Johnson's old expense report again",
      as: 'bob.martinez',
      input: { report_id: '0fe00000-0000-4000-8000-000000000008' },
      expects: 'EXPENSE_REPORT_ALREADY_REIMBURSED',
    },
  ],

  async prepare({ report_id, payment_reference, payment_notes }, { sql, me, fail, company }) {
    const found = (await reportById(sql, report_id)) ?? fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
    if (found.employee_id === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot reimburse your own expense report.' });
    if (found.status === 'REIMBURSED')
      throw fail('EXPENSE_REPORT_ALREADY_REIMBURSED', { reimbursed_at: found.reimbursed_at, payment_reference: found.payment_reference });
    if (found.status !== 'APPROVED') throw fail('EXPENSE_REPORT_NOT_APPROVED', { status: found.status });
    if (found.approved_by === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot reimburse an expense report that you approved.' });
    const { items } = await withItems(sql, found);
    return {
      summary: `Reimburse ${describe.report(found, company)}`,
      subject: { label: labels.report(found, company), id: report_id },
      changes: [
        { field: 'status', from: found.status, to: 'REIMBURSED' },
        { field: 'total', from: found.total, to: found.total, format: 'money' },
        { field: 'payment_reference', from: null, to: payment_reference ?? null },
        { field: 'approved_by_name', label: 'Approved by', from: found.approved_by_name, to: found.approved_by_name },
        ...itemLines(items, { isNew: false, company }),
      ],
      reason: payment_notes,
      department: found.department,
      month: found.month,
      items,
    };
  },

  async execute({ report_id, payment_reference, payment_notes }, { sql, me, plan, today, output, fail }) {
    await sql.change(
      output.pick({ report_id: true }),
      sql`
        update finance.expense_reports
        set status = 'REIMBURSED', reimbursed_by = ${me.employeeId}, reimbursed_by_name = ${me.name}, reimbursed_at = clock_timestamp(),
          payment_reference = ${payment_reference}, payment_notes = ${payment_notes}
        where report_id = ${report_id} and status = 'APPROVED' returning report_id`,
    );
    await sql.changeMany(
      ledgerEntry.pick({ entry_id: true }),
      entered(sql, {
        date: today,
        department: plan.department,
        source: 'EXPENSE_REPORT',
        source_id: report_id,
        // Without the name: everyone who reads the ledger of the department reads this.
        description: `Expenses of ${plan.month}`,
        amounts: byBudgetCategory(plan.items),
      }),
    );
    return (await reportById(sql, report_id)) ?? fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
  },
});
