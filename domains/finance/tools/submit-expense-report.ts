import { z } from 'zod';
import { anyCase, day, line, money, storedId } from '../../../src/declare/fields.ts';
import { sumOf, usd } from '../../../src/declare/money.ts';
import { finance } from '../domain.ts';
import { lastMonth, monthOf } from '../example-days.ts';
import { itemLines, lastDayOf, reportById, withItems } from '../rules.ts';
import { expenseCategories, expenseReport, fullReport, month, sum } from '../schemas.ts';

const item = z.strictObject({
  date: day.optional().describe('Day of the expense, in the month of the report; by default today, or the last day of an earlier month'),
  category: anyCase(expenseCategories).default('OTHER').describe('Kind of expense'),
  description: line(200).min(1).describe('What it was for'),
  amount: money.min(0.01, 'An item has to cost something').max(1_000_000).describe('In USD'),
  receipt: line(200).min(1).optional().describe("The receipt's file or number"),
});

export const submitExpenseReport = finance.write({
  name: 'submit_expense_report',
  title: 'Submit an expense report',
  description:
    "Hand in one's own expenses of a month, item by item. The report is SUBMITTED and waits for the manager or finance to approve it; then it is reimbursed.",
  roles: ['employee'],
  effect: 'adds',
  input: z.object({
    month: month.describe('Month of the expenses, as YYYY-MM'),
    items: z.array(item).min(1, 'A report needs at least one item').max(100, 'A report has at most 100 items').describe('What was spent'),
    total: sum.optional().describe('If given, the items have to add up to it'),
  }),
  output: fullReport,
  errors: {
    MONTH_IN_FUTURE: {
      message: 'That month has not begun.',
      hint: 'Expenses are reported once they were made: give this month or an earlier one.',
    },
    ITEM_DATE_OUT_OF_RANGE: {
      message: "An item's date is outside the month of the report, or in the future.",
      hint: 'Give each item a day of that month, and report other months by themselves.',
    },
    ITEMS_DO_NOT_ADD_UP: {
      message: 'The items do not add up to the total.',
      hint: 'Correct the items or the total; details says what they come to.',
    },
    EMPLOYEE_NOT_FOUND: {
      message: 'Finance does not know your employee record yet.',
      hint: 'Try again in a few minutes; if it stays so, ask HR whether your record is complete.',
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

  async prepare({ month: of, items: given, total }, { sql, me, today, fail }) {
    if (of > monthOf(today)) throw fail('MONTH_IN_FUTURE', { month: of });
    const usual = of === monthOf(today) ? today : lastDayOf(of);
    const items = given.map(({ date, receipt, ...rest }) => ({ ...rest, date: date ?? usual, receipt: receipt ?? null }));
    const stray = items.findIndex(({ date }) => monthOf(date) !== of || date > today);
    if (stray >= 0) throw fail('ITEM_DATE_OUT_OF_RANGE', { item: stray + 1, date: items[stray]?.date, month: of });
    const sumOfItems = sumOf(items.map(({ amount }) => amount));
    if (total !== undefined && total !== sumOfItems) throw fail('ITEMS_DO_NOT_ADD_UP', { total, sum_of_items: sumOfItems });
    const self =
      (await sql.maybeOne(
        z.object({ name: z.string(), department: z.string() }),
        sql`select name, department, row_version from finance.people where employee_id = ${me.employeeId}`,
      )) ?? fail('EMPLOYEE_NOT_FOUND', { employee_id: me.employeeId });
    // The card shows earlier reports of the month, so that the approver notices duplicates.
    const before = await sql.many(
      expenseReport,
      sql`
        select * from finance.report_list where employee_id = ${me.employeeId} and month = ${of} and status in ('SUBMITTED', 'APPROVED', 'REIMBURSED')
        order by report_id`,
    );
    const reported = sumOf(before.map((each) => each.total));
    return {
      summary: `Submit expenses of ${of} over ${usd(sumOfItems)}`,
      subject: { label: `${self.name}, ${self.department}: ${items.length} ${items.length === 1 ? 'item' : 'items'}`, id: me.employeeId },
      changes: [
        ...itemLines(items, true),
        { field: 'reported', label: `Reported for ${of} in all`, from: reported, to: sumOf([reported, sumOfItems]), format: 'money' },
      ],
      self,
      items,
    };
  },

  async execute({ month: of }, { sql, plan, output, fail }) {
    const id = z.object({ report_id: storedId });
    const { report_id } = await sql.change(
      id,
      sql`
        insert into finance.expense_reports (employee_name, department, month, submitted_at)
        values (${plan.self.name}, ${plan.self.department}, ${of}, clock_timestamp()) returning report_id`,
    );
    const rows = plan.items.map((each, which) => ({ ...each, n: which + 1 }));
    await sql.changeMany(
      id,
      sql`
        insert into finance.expense_items (report_id, n, item_date, category, description, amount, receipt)
        select ${report_id}::uuid, n, date, category, description, amount, receipt
        from json_to_recordset(${JSON.stringify(rows)}::json) as item(n int, date date, category text, description text, amount numeric, receipt text)
        returning report_id`,
    );
    const made = (await reportById(sql, report_id)) ?? fail('EMPLOYEE_NOT_FOUND');
    return output.parse(await withItems(sql, made));
  },
});
