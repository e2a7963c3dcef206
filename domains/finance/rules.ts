/** Rules and queries shared by the finance tools. */
import { z } from 'zod';
import type { Company } from '../../src/declare/company.ts';
import { storedId } from '../../src/declare/fields.ts';
import type { SqlReader, SqlTag, SqlText, SqlWriter } from '../../src/declare/sql.ts';
import { formatMoney, sumOf } from '../../src/declare/money.ts';
import type { Budget } from './budgets.ts';
import { type category, expenseItem, expenseReport, type fullReport, invoice, type NewItem } from './schemas.ts';

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

/** All invoices on a day. One that is not paid after its due date reads as OVERDUE; `waits_for` says what is missing. */
export const invoicesOn = (sql: SqlTag, today: string): SqlText => sql`(
  select i.*, w.waits_for, w.waits_for is not null and i.due_date < ${today}::date as overdue,
    case when w.waits_for is not null and i.due_date < ${today}::date then 'OVERDUE' else i.stored_status end as status
  from finance.invoice_list i
  cross join lateral (
    select case i.stored_status when 'PENDING' then 'APPROVAL' when 'APPROVED' then 'PAYMENT' end as waits_for
  ) w) invoices`;

export const invoiceById = (sql: SqlReader, invoice_id: string, today: string): Promise<Invoice | null> =>
  sql.maybeOne(invoice, sql`select * from ${invoicesOn(sql, today)} where invoice_id = ${invoice_id}`);

export const reportById = (sql: SqlReader, report_id: string): Promise<Report | null> =>
  sql.maybeOne(expenseReport, sql`select * from finance.report_list where report_id = ${report_id}`);

export async function withItems(sql: SqlReader, report: Report): Promise<FullReport> {
  const items = await sql.many(expenseItem, sql`select * from finance.report_items where report_id = ${report.report_id} order by n`);
  return { ...report, items };
}

/** The spelling of a department that has people; undefined if there is none. */
export async function departmentNamed(sql: SqlReader, name: string): Promise<string | undefined> {
  const found = await sql.many(
    z.object({ department: z.string() }),
    sql`select distinct department from finance.people where active and ${inDepartment(sql, name)} order by department limit 1`,
  );
  return found[0]?.department;
}

/** A vendor by name, ignoring spaces and punctuation, and the number of its invoices over an amount. A new one has no vendor_id. */
export async function vendorNamed(sql: SqlReader, name: string, amount: number) {
  const letters = name.toLowerCase().replace(/[^a-z0-9]+/g, '');
  const known = letters === '' ? sql`vendor_name = ${name}` : sql`search_vendor = ${letters}`;
  const found = await sql.one(
    z.object({ vendor_id: z.string().nullable(), vendor_name: z.string(), same_amount: z.int() }),
    sql`
      select max(vendor_id) as vendor_id, coalesce(max(vendor_name), ${name}) as vendor_name,
        count(*) filter (where amount = ${amount}::numeric and stored_status <> 'REJECTED')::int as same_amount
      from finance.invoice_list where ${known}`,
  );
  return found;
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
  await insertItems(sql, report_id, items);
  return report_id;
}

/** The items of an input with their days, their sum, and the first one outside the month or in the future, if there is one. */
export function datedItems(given: readonly NewItem[], month: string, today: string) {
  const usual = month === today.slice(0, 7) ? today : lastDayOf(month);
  const items = given.map(({ date, receipt, ...rest }) => ({ ...rest, date: date ?? usual, receipt: receipt ?? null }));
  const which = items.findIndex(({ date }) => date.slice(0, 7) !== month || date > today);
  const stray = which < 0 ? undefined : { item: which + 1, date: items[which]?.date };
  return { items, stray, sum: sumOf(items.map(({ amount }) => amount)) };
}

export async function insertItems(sql: SqlWriter, report_id: string, items: FullReport['items']): Promise<void> {
  const rows = items.map((each, which) => ({ ...each, n: which + 1 }));
  await sql.changeMany(
    z.object({ report_id: storedId }),
    sql`
      insert into finance.expense_items (report_id, n, item_date, category, description, amount, receipt)
      select ${report_id}::uuid, n, date, category, description, amount, receipt
      from json_to_recordset(${JSON.stringify(rows)}::json) as item(n int, date date, category text, description text, amount numeric,
      receipt text)
      returning report_id`,
  );
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

interface Payment {
  readonly date: string;
  readonly department: string;
  readonly source: 'INVOICE' | 'EXPENSE_REPORT';
  readonly source_id: string;
  readonly description: string;
  readonly amounts: readonly { readonly category: Category; readonly amount: number }[];
}
/** Enters a payment in the ledger. */
export const entered = (sql: SqlTag, { date, department, source, source_id, description, amounts }: Payment): SqlText => sql`
  insert into finance.ledger (entry_date, department, category, amount, source, source_id, description)
  select ${date}::date, ${department}, category, amount, ${source}, ${source_id}::uuid, ${description}
  from json_to_recordset(${JSON.stringify(amounts)}::json) as paid(category text, amount numeric)
  returning entry_id`;

/** The description of a pay run in the ledger. */
export const payRunTitle = (type: 'REGULAR' | 'BONUS' | 'OFF_CYCLE', payDate: string): string =>
  `${{ REGULAR: 'Pay run', BONUS: 'Bonuses', OFF_CYCLE: 'Off-cycle pay run' }[type]} of ${payDate}`;
