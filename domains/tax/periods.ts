/** Parses tax years, quarters and ranges of days. Tax years are always calendar years. */
import { z } from 'zod';
import * as fiscal from '../../src/declare/fiscal.ts';
import { CALENDAR_YEAR } from '../../src/declare/fiscal.ts';
import * as periods from '../../src/declare/periods.ts';

export interface Period {
  /** For display: 2026 or 2026-Q4. */
  readonly label: string;
  readonly year: number;
  /** Undefined for a whole year. */
  readonly quarter: number | undefined;
}
export interface Days {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export const yearOf = (today: string): number => Number(today.slice(0, 4));
export const quarterOf = (today: string): number => Math.ceil(Number(today.slice(5, 7)) / 3);

const periodOf = (year: number, quarter?: number): Period => ({
  label: quarter === undefined ? String(year) : `${year}-Q${quarter}`,
  year,
  quarter,
});
export const thisYear = (today: string): Period => periodOf(yearOf(today));

export const period = periods.periodField(
  (text) => periods.readYear(text, (year) => periodOf(year)) ?? periods.readQuarter(text, periodOf),
  'Give a period as a year (2026) or as a quarter from Q1 to Q4 (2026-Q4 or Q4 2026).',
);

const isDay = (text: string): boolean => z.iso.date().safeParse(text).success;

/** Reads one day, month, quarter or year, or a range: two days, each optional, with dots, "to" or a slash between them. */
export function readDays(given: string): Days | undefined {
  const text = given.trim();
  const whole =
    periods.readMonth(text) ??
    periods.readYear(text, (year) => fiscal.yearOf(year, CALENDAR_YEAR)) ??
    periods.readQuarter(text, (year, quarter) => fiscal.quarterOf(year, quarter, CALENDAR_YEAR));
  if (typeof whole === 'string') return undefined;
  if (whole !== undefined) return { from: whole.from, to: whole.to };
  if (isDay(text)) return { from: text, to: text };
  const [, from = '', to = ''] = text.match(/^([\d-]*)(?: ?\.{2,3} ?|\/| to )([\d-]*)$/i) ?? [];
  if (from + to === '' || ![from, to].every((each) => each === '' || isDay(each))) return undefined;
  return { from: from || undefined, to: to || undefined };
}
