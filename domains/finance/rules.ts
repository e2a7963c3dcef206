/** Rules and queries shared by the finance tools. */
import { z } from 'zod';
import type { Company } from '../../src/declare/company.ts';
import { storedId } from '../../src/declare/fields.ts';
import type { SqlReader, SqlTag, SqlText, SqlWriter } from '../../src/declare/sql.ts';
import { formatMoney, sumOf } from '../../src/declare/money.ts';
import { shared } from './cents.ts';
import { type budget, budgetCategory, type category, expenseItem, expenseReport, type fullReport, invoice } from './schemas.ts';

export type Budget = z.output<typeof budget>;
export type Invoice = z.output<typeof invoice>;
export type Report = z.output<typeof expenseReport>;
export type FullReport = z.output<typeof fullReport>;
type Category = z.output<typeof category>;

export const daysAfter = (day: string, count: number): string => new Date(Date.parse(day) + count * 86_400_000).toISOString().slice(0, 10);

export function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

/** Ignores case: "engineering" finds Engineering. */
export const inDepartment = (sql: SqlTag, department: string): SqlText => sql`lower(department) = lower(${department})`;

/** All invoices, with `overdue` as of a day. */
export const invoicesOn = (sql: SqlTag, today: string): SqlText => sql`
  (select i.*, i.status in ('PENDING', 'APPROVED') and i.due_date < ${today}::date as overdue from finance.invoice_list i) invoices`;

export const invoiceById = (sql: SqlReader, invoice_id: string, today: string): Promise<Invoice | null> =>
  sql.maybeOne(invoice, sql`select * from ${invoicesOn(sql, today)} where invoice_id = ${invoice_id}`);

export const reportById = (sql: SqlReader, report_id: string): Promise<Report | null> =>
  sql.maybeOne(expenseReport, sql`select * from finance.report_list where report_id = ${report_id}`);

export async function withItems(sql: SqlReader, report: Report): Promise<FullReport> {
  const items = await sql.many(expenseItem, sql`select * from finance.report_items where report_id = ${report.report_id} order by n`);
  return { ...report, items };
}

export const personOf = (sql: SqlReader, employee_id: string) =>
  sql.maybeOne(
    z.object({ name: z.string(), department: z.string() }),
    sql`select name, department, row_version from finance.people where employee_id = ${employee_id}`,
  );

/** The submitted, approved and reimbursed reports of an employee in a month. */
export const reportsOf = (sql: SqlReader, employee_id: string, month: string): Promise<Report[]> =>
  sql.many(
    expenseReport,
    sql`
      select * from finance.report_list where employee_id = ${employee_id} and month = ${month}
      and status in ('SUBMITTED', 'APPROVED', 'REIMBURSED')
      order by report_id`,
  );

interface NewReport extends Pick<FullReport, 'month' | 'items'> {
  readonly name: string;
  readonly department: string;
}
export async function insertReport(sql: SqlWriter, { name, department, month, items }: NewReport): Promise<string> {
  const id = z.object({ report_id: storedId });
  const { report_id } = await sql.change(
    id,
    sql`
      insert into finance.expense_reports (employee_name, department, month, submitted_at)
      values (${name}, ${department}, ${month}, clock_timestamp()) returning report_id`,
  );
  const rows = items.map((each, which) => ({ ...each, n: which + 1 }));
  await sql.changeMany(
    id,
    sql`
      insert into finance.expense_items (report_id, n, item_date, category, description, amount, receipt)
      select ${report_id}::uuid, n, date, category, description, amount, receipt
      from json_to_recordset(${JSON.stringify(rows)}::json) as item(n int, date date, category text, description text, amount numeric,
      receipt text)
      returning report_id`,
  );
  return report_id;
}

/**
 * The budget lines that change if the budget is approved at `amount`. The lines share `amount` in proportion to their allocated amounts.
 */
export async function changedLines(sql: SqlReader, budget_id: string, amount: number) {
  const lines = await sql.many(
    budgetCategory.pick({ category: true, allocated_amount: true }),
    sql`select category, allocated_amount from finance.budget_lines where budget_id = ${budget_id} order by category`,
  );
  const shares = shared(
    amount,
    lines.map((each) => each.allocated_amount),
  );
  return lines.flatMap((each, which) => {
    const to = shares[which] ?? 0;
    return to === each.allocated_amount ? [] : [{ category: each.category, from: each.allocated_amount, to }];
  });
}

export const describe = {
  budget: ({ department, fiscal_year }: Pick<Budget, 'department' | 'fiscal_year'>) => `the ${department} budget for ${fiscal_year}`,
  invoice: ({ vendor_name, amount }: Invoice, company: Company) => `the invoice of ${vendor_name} for ${formatMoney(amount, company)}`,
  report: ({ employee_name, month, total }: Report, company: Company) =>
    `the expense report of ${employee_name} for ${month}, ${formatMoney(total, company)} in total`,
};
/** The subject line of an approval card. */
export const labels = {
  budget: ({ department, fiscal_year, allocated_amount }: Budget, company: Company) =>
    `${department}, ${fiscal_year}: ${formatMoney(allocated_amount, company)}`,
  invoice: ({ vendor_name, description, amount, department, due_date }: Invoice, company: Company) =>
    `${vendor_name}: ${description}, ${formatMoney(amount, company)}, for ${department}, due ${due_date}`,
  report: ({ employee_name, department, month, total, item_count }: Report, company: Company) =>
    `${employee_name}, ${department}: ${item_count} ${item_count === 1 ? 'item' : 'items'} of ${month}, ${formatMoney(total, company)}`,
};

/** One line of the approval card per item. */
export const itemLines = (items: FullReport['items'], { isNew, company }: { readonly isNew: boolean; readonly company: Company }) =>
  items.map(({ date, category, description, amount, receipt }, which) => {
    const what = `${description}: ${formatMoney(amount, company)}${receipt === null ? ', no receipt' : ''}`;
    return { field: `item_${which + 1}`, label: `${date} ${category.toLowerCase()}`, from: isNew ? null : what, to: what };
  });

/** The budget category of each expense category. */
const countsAs: Readonly<Record<FullReport['items'][number]['category'], Category>> = {
  TRAVEL: 'TRAVEL',
  LODGING: 'TRAVEL',
  MEALS: 'TRAVEL',
  TRANSPORT: 'TRAVEL',
  SUPPLIES: 'EQUIPMENT',
  SOFTWARE: 'SOFTWARE',
  TRAINING: 'TRAINING',
  OTHER: 'OTHER',
};
export function byBudgetCategory(items: FullReport['items']): { category: Category; amount: number }[] {
  const groups = new Map<Category, number[]>();
  for (const item of items) groups.set(countsAs[item.category], [...(groups.get(countsAs[item.category]) ?? []), item.amount]);
  return [...groups].map(([category, amounts]) => ({ category, amount: sumOf(amounts) }));
}

export const spent = (
  sql: SqlTag,
  { department, year }: { readonly department: string; readonly year: number },
  payments: readonly { category: Category; amount: number }[],
): SqlText => sql`
  insert into finance.spending (department, fiscal_year, category, amount)
  select ${department}, ${year}::int, category, amount from json_to_recordset(${JSON.stringify(payments)}::json) as paid(category text,
  amount numeric)
  on conflict (department, fiscal_year, category) do update set amount = spending.amount + excluded.amount
  returning category`;
