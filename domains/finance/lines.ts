/** The lines of a budget: amounts by category and month of the fiscal year, as people give them and as they are stored. */
import { z } from 'zod';
import type { Company } from '../../src/declare/company.ts';
import { sumOf } from '../../src/declare/money.ts';
import type { SqlReader, SqlText, SqlTag } from '../../src/declare/sql.ts';
import { shared } from './cents.ts';
import { fiscalMonthOf, monthsOf } from './periods.ts';
import { month, spendingCategory, spendingFilter, sum } from './schemas.ts';

const line = z.object({ category: spendingCategory, fiscal_month: z.int(), allocated_amount: z.number() });
export type Line = z.output<typeof line>;

/** A line of an input. Without a month, the amount is divided among the twelve months. */
export const newLine = z.strictObject({
  category: spendingFilter.describe('Budget category'),
  month: month.optional().describe('Month, as YYYY-MM; without it, the amount is for the whole year and divided equally'),
  amount: sum.describe('In {currency}'),
});
type NewLine = z.output<typeof newLine>;

export const newLines = z
  .array(newLine)
  .min(1, 'A budget needs at least one line')
  .max(100, 'A budget has at most 100 lines')
  .refine(
    (lines) => new Set(lines.map((each) => `${each.category} ${each.month ?? ''}`)).size === lines.length,
    'Give each category and month once',
  )
  .refine(
    (lines) => lines.every((each) => each.month === undefined || !lines.some((other) => other.category === each.category && !other.month)),
    'Give a category either for the whole year or by month, not both',
  );

export const linesOf = (sql: SqlReader, budget_id: string): Promise<Line[]> =>
  sql.many(
    line,
    sql`select category, fiscal_month, allocated_amount from finance.budget_lines where budget_id = ${budget_id}
      order by category, fiscal_month`,
  );

/** The stored lines of an input, in the order of `linesOf`; the first month outside the year, if there is one. */
export function linesFrom(
  given: readonly NewLine[],
  year: number,
  company: Company,
): { readonly lines: Line[]; readonly outside: string | undefined } {
  const months = monthsOf(year, company);
  const outside = given.find((each) => each.month !== undefined && !months.includes(each.month))?.month;
  const lines = given.flatMap(({ category, month: of, amount }): Line[] => {
    if (of !== undefined) return [{ category, fiscal_month: fiscalMonthOf(of, company), allocated_amount: amount }];
    const parts = shared(
      amount,
      months.map(() => 1),
    );
    return parts.map((allocated_amount, n) => ({ category, fiscal_month: n + 1, allocated_amount }));
  });
  const order = (a: Line, b: Line) => (a.category < b.category ? -1 : a.category > b.category ? 1 : a.fiscal_month - b.fiscal_month);
  return { lines: lines.toSorted(order), outside };
}

/** The amounts of the categories, in the order of the lines. */
export function byCategory(lines: readonly Line[]): { readonly category: Line['category']; readonly amount: number }[] {
  const amounts = new Map<Line['category'], number[]>();
  for (const { category, allocated_amount } of lines) amounts.set(category, [...(amounts.get(category) ?? []), allocated_amount]);
  return [...amounts].map(([category, each]) => ({ category, amount: sumOf(each) }));
}
export const totalOf = (lines: readonly Line[]): number => sumOf(lines.map(({ allocated_amount }) => allocated_amount));

/** The lines of a budget that is approved at `amount`: the categories share it in proportion, and then their months. */
export function sharedLines(lines: readonly Line[], amount: number): Line[] {
  const groups = byCategory(lines);
  const shares = shared(
    amount,
    groups.map((each) => each.amount),
  );
  return groups.flatMap(({ category }, which) => {
    const own = lines.filter((each) => each.category === category);
    const parts = shared(
      shares[which] ?? 0,
      own.map(({ allocated_amount }) => allocated_amount),
    );
    return own.map((each, n) => ({ ...each, allocated_amount: parts[n] ?? 0 }));
  });
}

interface FiscalYear {
  readonly year: number;
  readonly company: Company;
}
/** The changes of an approval card, by category; by month if only some months of a category change. */
export function lineChanges(before: readonly Line[], after: readonly Line[], { year, company }: FiscalYear) {
  const amountIn = (lines: readonly Line[], category: string) =>
    byCategory(lines).find((each) => each.category === category)?.amount ?? null;
  const months = monthsOf(year, company);
  const categories = [...new Set([...before, ...after].map(({ category }) => category))].toSorted();
  return categories.flatMap((category) => {
    const [from, to] = [amountIn(before, category), amountIn(after, category)];
    const name = category.toLowerCase();
    const ofMonth = (lines: readonly Line[], n: number) =>
      lines.find((each) => each.category === category && each.fiscal_month === n)?.allocated_amount ?? null;
    const moved = months.flatMap((of, n) => {
      const [old, now] = [ofMonth(before, n + 1), ofMonth(after, n + 1)];
      return old === now ? [] : [{ field: `${name}_${of}`, label: `For ${name} in ${of}`, from: old, to: now, format: 'money' as const }];
    });
    if (moved.length === 0) return [];
    return from === to || (moved.length < 12 && from !== null)
      ? moved
      : [{ field: name, label: `For ${name}`, from, to, format: 'money' as const }];
  });
}

export const insertedLines = (sql: SqlTag, budget_id: string, lines: readonly Line[]): SqlText => sql`
  insert into finance.budget_lines (budget_id, category, fiscal_month, allocated_amount)
  select ${budget_id}::uuid, category, fiscal_month, allocated_amount
  from json_to_recordset(${JSON.stringify(lines)}::json) as line(category text, fiscal_month int, allocated_amount numeric)
  returning budget_id`;
