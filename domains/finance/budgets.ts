/** Queries of budgets and of the ledger: what was allocated and spent in a period. */
import { z } from 'zod';
import type { Company } from '../../src/declare/company.ts';
import { fiscalYearOf, type Period } from '../../src/declare/fiscal.ts';
import type { SqlReader, SqlTag, SqlText } from '../../src/declare/sql.ts';
import { fiscalMonthOf, monthsOf } from './periods.ts';
import { budget, budgetCategory, budgetMonth } from './schemas.ts';

export type Budget = z.output<typeof budget>;

/** What the queries need of a call. */
export interface Reader<S extends SqlTag = SqlTag> {
  readonly sql: S;
  readonly audience: string;
  readonly today: string;
  readonly company: Company;
}
/** For answers to managers. */
export const PAYROLL_BY_QUARTER = 'Payroll is included by whole quarters that have ended, and not in single months.';

type Days = Pick<Period, 'from' | 'to'>;
interface Range {
  readonly from: SqlText;
  readonly to: SqlText;
}
const days = (sql: SqlTag, { from, to }: Days): Range => ({ from: sql`${from}::date`, to: sql`${to}::date` });

const columns = (sql: SqlTag) => sql`entry_id, entry_date, department, category, amount, source, source_id, description`;
const dated = (sql: SqlTag, { from, to }: Range): SqlText =>
  sql`(select ${columns(sql)} from finance.ledger where entry_date between ${from} and ${to})`;

/**
 * The entries of the ledger from one day to another. Managers do not read pay runs: they get the payroll of a quarter that has ended as
 * one sum, where the days include the whole quarter.
 */
function entries({ sql, audience, today, company }: Reader, range: Range): SqlText {
  const own = dated(sql, range);
  if (audience !== 'team') return own;
  return sql`(
    select * from ${own} own
    union all
    select ${columns(sql)} from finance.payroll_quarters(${company.fiscalYearStart}::int, ${today}::date)
    where first_date >= ${range.from} and entry_date <= ${range.to})`;
}

/** All entries of the ledger, or those of a period. */
export const entriesIn = (reader: Reader, period: Days | undefined): SqlText =>
  entries(reader, days(reader.sql, period ?? { from: '-infinity', to: 'infinity' }));

const figures = (sql: SqlTag): SqlText => sql`
  allocated as allocated_amount, spent as spent_amount, allocated - spent as remaining_amount,
  case when allocated > 0 then round(100 * spent / allocated, 2) end as utilization_percent`;

/** The first and the last fiscal month of a period. */
const monthsIn = ({ from, to }: Days, company: Company): readonly [number, number] => [
  fiscalMonthOf(from, company),
  fiscalMonthOf(to, company),
];

/** All budgets with their amounts: of their whole year, or of a period, which selects the budgets of its year. */
export function budgetsIn(reader: Reader, period?: Period): SqlText {
  const { sql, company, today } = reader;
  const start = company.fiscalYearStart;
  const first = sql`make_date(b.fiscal_year - ${start === 1 ? 0 : 1}::int, ${start}::int, 1)`;
  const [low, high] = period === undefined ? [1, 12] : monthsIn(period, company);
  const range = period === undefined ? { from: first, to: sql`(${first} + interval '1 year')::date - 1` } : days(sql, period);
  return sql`(
    select b.*, case when b.stored_status = 'APPROVED' and ${first} <= ${today}::date then 'ACTIVE' else b.stored_status end as status,
      coalesce(${period?.label}::text, b.fiscal_year::text) as period, ${figures(sql)}
    from finance.budget_list b
    cross join lateral (
      select coalesce(sum(allocated_amount), 0) as allocated from finance.budget_lines
      where budget_id = b.budget_id and fiscal_month between ${low}::int and ${high}::int) l
    cross join lateral (
      select coalesce(sum(amount), 0) as spent from ${entries(reader, range)} e where department = b.department) s
    where true ${sql.when(period, () => sql`fiscal_year = ${fiscalYearOf(period?.from ?? today, company)}::int`)}) budgets`;
}

export const budgetById = (reader: Reader<SqlReader>, budget_id: string): Promise<Budget | null> =>
  reader.sql.maybeOne(budget, reader.sql`select * from ${budgetsIn(reader)} where budget_id = ${budget_id}`);

interface Part {
  readonly budget_id: string;
  readonly department: string;
  readonly period: Period;
}
interface Grouping {
  /** The key of a budget line, and of an entry of the ledger. */
  readonly line: SqlText;
  readonly entry: SqlText;
  readonly ledger: SqlText;
}
/** The parts of a budget, including those with spending but without a budget line. */
function parts({ sql, company }: Reader, { budget_id, department, period }: Part, { line, entry, ledger }: Grouping): SqlText {
  const [low, high] = monthsIn(period, company);
  return sql`(
    select key, ${figures(sql)} from (
      select key, sum(allocated) as allocated, sum(spent) as spent from (
        select ${line} as key, allocated_amount as allocated, 0 as spent from finance.budget_lines
        where budget_id = ${budget_id} and fiscal_month between ${low}::int and ${high}::int
        union all
        select ${entry}, 0, amount from ${ledger} e where department = ${department}) each_one
      group by key) grouped) parts`;
}

export function categoriesOf(reader: Reader<SqlReader>, part: Part) {
  const { sql } = reader;
  const by = { line: sql`category`, entry: sql`category`, ledger: entriesIn(reader, part.period) };
  return sql.many(budgetCategory, sql`select *, key as category from ${parts(reader, part, by)} order by allocated_amount desc, category`);
}

/** Managers get no payroll by month, because a month would show single pay runs. */
export async function monthsOfBudget(reader: Reader<SqlReader>, part: Part) {
  const { sql, company } = reader;
  const by = {
    line: sql`fiscal_month`,
    entry: sql`(extract(month from entry_date)::int + 12 - ${company.fiscalYearStart}::int) % 12 + 1`,
    ledger: dated(sql, days(sql, part.period)),
  };
  const numbered = z.object({ key: z.int(), ...budgetMonth.omit({ month: true }).shape });
  const found = await sql.many(numbered, sql`select * from ${parts(reader, part, by)} order by key`);
  const months = monthsOf(fiscalYearOf(part.period.from, company), company);
  return found.map(({ key, ...amounts }) => ({ month: months[key - 1] ?? '', ...amounts }));
}
