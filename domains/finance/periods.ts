/** Parses the periods of budgets and spending: a fiscal year, one of its quarters, or a month. */
import type { Company } from '../../src/declare/company.ts';
import {
  type FiscalCalendar,
  fiscalYearOf,
  monthPeriod,
  monthsFrom,
  type Period,
  quarterAt,
  quarterOf,
  yearOf,
} from '../../src/declare/fiscal.ts';
import { fiscal, periodField, readMonth, readQuarter, readYear } from '../../src/declare/periods.ts';

interface Named {
  readonly label: string;
}
const monthNamed = (found: Period | string | undefined): Named | string | undefined =>
  typeof found === 'object' ? { label: found.label } : found;

/** A fiscal year, one of its quarters, or a month of a calendar year, as 2026, 2026-Q4 or 2026-11. */
export const period = fiscal(
  periodField<Named>(
    (text) =>
      monthNamed(readMonth(text)) ??
      readQuarter<Named>(text, (year, quarter) => ({ label: `${year}-Q${quarter}` })) ??
      readYear<Named>(text, (year) => ({ label: String(year) })),
    'Give a period as a month (2026-11), a quarter (2026-Q4 or Q4 2026) or a year (2026).',
  ).transform(({ label }) => label),
);

/** The days of a period; undefined if none was asked for. */
export function daysOf(asked: string | undefined, calendar: FiscalCalendar): Period | undefined {
  if (asked === undefined) return undefined;
  const [year = 0, part = 0] = asked.split(/-Q?/).map(Number);
  if (asked.includes('Q')) return quarterOf(year, part, calendar);
  return part === 0 ? yearOf(year, calendar) : monthPeriod(year, part);
}

/** The number of a month in its fiscal year, from 1 to 12. */
export const fiscalMonthOf = (month: string, { fiscalYearStart }: FiscalCalendar): number =>
  ((Number(month.slice(5, 7)) - fiscalYearStart + 12) % 12) + 1;

/** The twelve months of a fiscal year, as YYYY-MM. */
export function monthsOf(year: number, calendar: FiscalCalendar): string[] {
  const first = yearOf(year, calendar).from;
  const from = { year: Number(first.slice(0, 4)), month: Number(first.slice(5, 7)) };
  return Array.from({ length: 12 }, (_, n) => monthsFrom('', { ...from, month: from.month + n }, 1).from.slice(0, 7));
}

/** For examples. */
export const thisYear = (today: string, company: Company): string => String(fiscalYearOf(today, company));
export const lastYear = (today: string, company: Company): string => String(fiscalYearOf(today, company) - 1);
export const fourthQuarter = (today: string, company: Company): string => `${fiscalYearOf(today, company)}-Q4`;
export const lastQuarter = (today: string, company: Company): string => quarterAt(today, company, -1).label;
