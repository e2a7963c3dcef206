import { z } from 'zod';
import { formatMoney, sumOf } from '../../../src/declare/money.ts';
import { finance } from '../domain.ts';
import { lastMonth, monthOf } from '../example-days.ts';
import { datedItems, insertReport, itemLines, personOf, reportById, reportsOf, withItems } from '../rules.ts';
import { fullReport, itemErrors, month, newExpenseItem, sum } from '../schemas.ts';

export const submitExpenseReport = finance.write({
  name: 'submit_expense_report',
  title: 'Submit an expense report',
  description:
    'Hand in your own expenses of a month, item by item. The report is then SUBMITTED: the manager or finance approves ' +
    'it, and finance reimburses it.',
  roles: ['employee'],
  effect: 'adds',
  input: z.object({
    month: month.describe('Month of the expenses, as YYYY-MM'),
    items: z
      .array(newExpenseItem)
      .min(1, 'A report needs at least one item')
      .max(100, 'A report has at most 100 items')
      .describe('What was spent'),
    total: sum.optional().describe('If given, it must equal the sum of the items'),
  }),
  output: fullReport,
  errors: {
    MONTH_IN_FUTURE: {
      message: 'That month has not begun.',
      hint: 'Give this month or an earlier one.',
    },
    ...itemErrors,
    EMPLOYEE_NOT_FOUND: {
      message: 'Finance does not know your employee record yet.',
      hint: 'Try again in a few minutes. If the error stays, ask HR whether your record is complete.',
    },
  },
  examples: [
    {
      question: 'Submit my expenses for this month: taxi 42.50 and client lunch 88',
      as: 'marcus.johnson',
      input: (today) => ({
        month: monthOf(today),
        items: [
          { category: 'TRANSPORT', description: 'Taxi', amount: 42.5 },
          { category: 'MEALS', description: 'Client lunch', amount: 88 },
        ],
      }),
    },
    {
      question: 'Hand in a hotel for 310 dollars, last month',
      as: 'frank.davis',
      input: (today) => ({ month: lastMonth(today), items: [{ category: 'LODGING', description: 'Hotel', amount: 310 }] }),
    },
    {
      question: 'I paid 25.80 for parking today, please report it',
      as: 'paula.reyes',
      input: (today) => ({
        month: monthOf(today),
        items: [{ date: today, category: 'TRANSPORT', description: 'Parking', amount: 25.8, receipt: 'parking.jpg' }],
      }),
    },
    {
      question: 'Report a 12 dollar lunch and a 30 dollar taxi, 45 in total',
      as: 'sarah.kim',
      input: (today) => ({
        month: monthOf(today),
        items: [
          { category: 'MEALS', description: 'Lunch', amount: 12 },
          { category: 'TRANSPORT', description: 'Taxi', amount: 30 },
        ],
        total: 45,
      }),
      expects: 'ITEMS_DO_NOT_ADD_UP',
    },
    {
      question: 'Submit a flight that I will take in 2099',
      as: 'carol.johnson',
      input: { month: '2099-01', items: [{ category: 'TRAVEL', description: 'Flight', amount: 420 }] },
      expects: 'MONTH_IN_FUTURE',
    },
  ],

  async prepare({ month: of, items: given, total }, { sql, me, today, fail, company }) {
    if (of > monthOf(today)) throw fail('MONTH_IN_FUTURE', { month: of });
    const { items, stray, sum: sumOfItems } = datedItems(given, of, today);
    if (stray) throw fail('ITEM_DATE_OUT_OF_RANGE', { ...stray, month: of });
    if (total !== undefined && total !== sumOfItems) throw fail('ITEMS_DO_NOT_ADD_UP', { total, sum_of_items: sumOfItems });
    const self = (await personOf(sql, me.employeeId)) ?? fail('EMPLOYEE_NOT_FOUND', { employee_id: me.employeeId });
    // The card shows earlier reports of the month, because the new one may be a duplicate.
    const before = await reportsOf(sql, me.employeeId, of);
    const reported = sumOf(before.map((each) => each.total));
    return {
      summary: `Submit expenses of ${of}, ${formatMoney(sumOfItems, company)} in total`,
      subject: { label: `${self.name}, ${self.department}: ${items.length} ${items.length === 1 ? 'item' : 'items'}`, id: me.employeeId },
      changes: [
        ...itemLines(items, { isNew: true, company }),
        { field: 'reported', label: `Reported for ${of} in all`, from: reported, to: sumOf([reported, sumOfItems]), format: 'money' },
      ],
      self,
      items,
    };
  },

  async execute({ month: of }, { sql, plan, output, fail }) {
    const report_id = await insertReport(sql, { ...plan.self, month: of, items: plan.items });
    const made = (await reportById(sql, report_id)) ?? fail('EMPLOYEE_NOT_FOUND');
    return output.parse(await withItems(sql, made));
  },
});
