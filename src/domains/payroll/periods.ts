/** A month, a quarter or a year, as people write them. The fiscal year is the calendar year. */
import { z } from 'zod';
import { line } from '../../core/fields.ts';

export interface Period {
  /** As it is shown: 2026-10, 2026-Q4 or 2026. */
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

const MONTH = /^(20\d\d)-(\d\d)$/;
const QUARTER = /^(20\d\d)[- ]?Q(\d)$/i;
const QUARTER_FIRST = /^Q(\d)[- ]?(20\d\d)$/i;
const YEAR = /^20\d\d$/;

const two = (n: number) => String(n).padStart(2, '0');
const lastOf = (year: number, month: number): string => new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
const months = (label: string, year: number, first: number, last: number): Period => ({
  label,
  from: `${year}-${two(first)}-01`,
  to: lastOf(year, last),
});

/** The period, or what is wrong with it. */
function readPeriod(given: string): Period | string {
  const text = given.trim();
  const [, ofMonth, month] = MONTH.exec(text) ?? [];
  if (ofMonth !== undefined) {
    const which = Number(month);
    if (which < 1 || which > 12) return `There is no month ${month}: months are 01 to 12, as in 2026-10.`;
    return months(text, Number(ofMonth), which, which);
  }
  const [, before, last] = QUARTER.exec(text) ?? [];
  const [, first, after] = QUARTER_FIRST.exec(text) ?? [];
  const ofQuarter = before ?? after;
  if (ofQuarter !== undefined) {
    const which = Number(last ?? first);
    if (which < 1 || which > 4) return `There is no quarter Q${which}: quarters are Q1 to Q4, as in 2026-Q4.`;
    return months(`${ofQuarter}-Q${which}`, Number(ofQuarter), which * 3 - 2, which * 3);
  }
  if (YEAR.test(text)) return months(text, Number(text), 1, 12);
  return 'Give a period as a month (2026-10), a quarter (2026-Q4 or Q4 2026) or a year (2026).';
}

export const period = line(20).transform((given, context): Period => {
  const read = readPeriod(given);
  if (typeof read !== 'string') return read;
  context.addIssue(read);
  return z.NEVER;
});

export const monthOf = (day: string): Period =>
  months(day.slice(0, 7), Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(5, 7)));

/** So many months before the one that a day is in, for examples that never grow old. */
export const monthsBefore = (day: string, count: number): string =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 - count, 1)).toISOString().slice(0, 7);
export const lastQuarter = (day: string): string => {
  const month = monthsBefore(day, 3);
  return `${month.slice(0, 4)}-Q${Math.ceil(Number(month.slice(5)) / 3)}`;
};
