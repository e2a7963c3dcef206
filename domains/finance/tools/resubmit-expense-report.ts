import { z } from 'zod';
import { formatMoney } from '../../../src/declare/money.ts';
import { finance } from '../domain.ts';
import { datedItems, describe, insertItems, itemLines, labels, reportById, withItems } from '../rules.ts';
import { expenseReport, fullReport, itemErrors, newExpenseItem, reportId, reportNotFound, sum } from '../schemas.ts';

export const resubmitExpenseReport = finance.write({
  name: 'resubmit_expense_report',
  title: 'Submit an expense report again',
  description:
    'Hand in your own rejected or draft expense report again, with corrected items, which replace the old ones: REJECTED or DRAFT ' +
    'becomes SUBMITTED.',
  roles: ['employee'],
  effect: 'changes',
  input: z.object({
    report_id: reportId,
    items: z
      .array(newExpenseItem)
      .min(1, 'A report needs at least one item')
      .max(100, 'A report has at most 100 items')
      .describe('All items of the corrected report'),
    total: sum.optional().describe('If given, it must equal the sum of the items'),
  }),
  output: fullReport,
  errors: {
    EXPENSE_REPORT_NOT_FOUND: reportNotFound,
    EXPENSE_REPORT_NOT_REJECTED: {
      message: 'The expense report is not rejected.',
      hint: 'Only your REJECTED and DRAFT reports can be handed in again. Submit other expenses with submit_expense_report.',
    },
    ...itemErrors,
  },
  examples: [
    {
      question: 'Resubmit my rejected expense report with 15 for a taxi only',
      as: 'frank.davis',
      input: {
        report_id: '0fe00000-0000-4000-8000-000000000005',
        items: [{ category: 'TRANSPORT', description: 'Taxi', amount: 15 }],
      },
    },
    {
      question: 'Hand in my corrected expenses again: train 38.40 and lunch 12',
      as: 'frank.davis',
      input: {
        report_id: '0fe00000-0000-4000-8000-000000000005',
        items: [
          { category: 'TRAVEL', description: 'Train', amount: 38.4 },
          { category: 'MEALS', description: 'Lunch', amount: 12 },
        ],
      },
    },
    {
      question: 'Resubmit the expense report that waits for approval with 10 for parking',
      as: 'marcus.johnson',
      input: {
        report_id: '0fe00000-0000-4000-8000-000000000001',
        items: [{ category: 'TRANSPORT', description: 'Parking', amount: 10 }],
      },
      expects: 'EXPENSE_REPORT_NOT_REJECTED',
    },
    {
      question: "Resubmit Frank Davis's rejected expense report with 5 for stamps",
      as: 'sarah.kim',
      input: { report_id: '0fe00000-0000-4000-8000-000000000005', items: [{ description: 'Stamps', amount: 5 }] },
      expects: 'EXPENSE_REPORT_NOT_FOUND',
    },
  ],

  async prepare({ report_id, items: given, total }, { sql, me, today, fail, company }) {
    const found = await reportById(sql, report_id);
    if (found?.employee_id !== me.employeeId) throw fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
    if (found.status !== 'REJECTED' && found.status !== 'DRAFT') throw fail('EXPENSE_REPORT_NOT_REJECTED', { status: found.status });
    const { items, stray, sum: sumOfItems } = datedItems(given, found.month, today);
    if (stray) throw fail('ITEM_DATE_OUT_OF_RANGE', { ...stray, month: found.month });
    if (total !== undefined && total !== sumOfItems) throw fail('ITEMS_DO_NOT_ADD_UP', { total, sum_of_items: sumOfItems });
    const { items: before } = await withItems(sql, found);
    return {
      summary: `Submit ${describe.report(found, company)}, again, now with ${formatMoney(sumOfItems, company)}`,
      subject: { label: labels.report(found, company), id: report_id },
      changes: [
        { field: 'status', from: found.status, to: 'SUBMITTED' },
        { field: 'total', from: found.total, to: sumOfItems, format: 'money' },
        ...itemLines(before, { isNew: false, company }).map((each) => ({ ...each, field: `old_${each.field}`, to: null })),
        ...itemLines(items, { isNew: true, company }),
        ...(found.rejection_reason === null ? [] : [{ field: 'rejection_reason', from: found.rejection_reason, to: null }]),
      ],
      items,
    };
  },

  async execute({ report_id }, { sql, plan, output, fail }) {
    const id = expenseReport.pick({ report_id: true });
    await sql.changeMany(id, sql`delete from finance.expense_items where report_id = ${report_id} returning report_id`);
    await sql.change(
      id,
      sql`
        update finance.expense_reports
        set status = 'SUBMITTED', submitted_at = clock_timestamp(), rejected_by = null, rejected_by_name = null, rejected_at = null,
          rejection_reason = null
        where report_id = ${report_id} and status in ('REJECTED', 'DRAFT') returning report_id`,
    );
    await insertItems(sql, report_id, plan.items);
    const made = (await reportById(sql, report_id)) ?? fail('EXPENSE_REPORT_NOT_FOUND', { report_id });
    return output.parse(await withItems(sql, made));
  },
});
