/** Stretches of time as people write them. The fiscal year is the calendar year. */
import { z } from 'zod';
import { line } from '../../core/fields.ts';

export interface Period {
  /** As it is shown: 2026 or 2026-Q4. */
  readonly label: string;
  readonly year: number;
  /** Undefined for a whole year. */
  readonly quarter: number | undefined;
}
export interface Days {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const YEAR = /^(?:FY ?)?(20\d\d)$/i;
const QUARTER = /^(?:FY ?)?(20\d\d)[- /]?Q([1-4])$/i;
const QUARTER_FIRST = /^Q([1-4])[- /]?(?:FY ?)?(20\d\d)$/i;
const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

export const yearOf = (today: string): number => Number(today.slice(0, 4));
export const quarterOf = (today: string): number => Math.ceil(Number(today.slice(5, 7)) / 3);

const periodOf = (year: number, quarter?: number): Period => ({
  label: quarter === undefined ? String(year) : `${year}-Q${quarter}`,
  year,
  quarter,
});
export const thisYear = (today: string): Period => periodOf(yearOf(today));

function readPeriod(given: string): Period | undefined {
  const text = given.trim();
  const [, year] = text.match(YEAR) ?? [];
  if (year !== undefined) return periodOf(Number(year));
  const [, before, quarter] = text.match(QUARTER) ?? [];
  if (before !== undefined) return periodOf(Number(before), Number(quarter));
  const [, first, after] = text.match(QUARTER_FIRST) ?? [];
  return after === undefined ? undefined : periodOf(Number(after), Number(first));
}

export const period = line(20).transform((given, context) => {
  const read = readPeriod(given);
  if (read === undefined) context.addIssue('Give a period as a year (2026) or as a quarter from Q1 to Q4 (2026-Q4 or Q4 2026).');
  return read ?? z.NEVER;
});

const isDay = (text: string): boolean => z.iso.date().safeParse(text).success;
const lastOf = (year: number, month: number): string => new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
const monthsOf = (year: number, first: number, last: number): Days => ({
  from: `${year}-${String(first).padStart(2, '0')}-01`,
  to: lastOf(year, last),
});

/** Two days with dots, "to" or a slash between them, one of which may be missing; or one day, month, quarter or year. */
export function readDays(given: string): Days | undefined {
  const text = given.trim();
  const [, year, month] = text.match(MONTH) ?? [];
  if (year !== undefined) return monthsOf(Number(year), Number(month), Number(month));
  const whole = readPeriod(text);
  if (whole)
    return whole.quarter === undefined ? monthsOf(whole.year, 1, 12) : monthsOf(whole.year, whole.quarter * 3 - 2, whole.quarter * 3);
  if (isDay(text)) return { from: text, to: text };
  const [, from = '', to = ''] = text.match(/^([\d-]*)(?: ?\.{2,3} ?|\/| to )([\d-]*)$/i) ?? [];
  if (from + to === '' || ![from, to].every((each) => each === '' || isDay(each))) return undefined;
  return { from: from || undefined, to: to || undefined };
}
