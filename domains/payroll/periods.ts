/** Parses a month, a quarter or a year. */
import { monthsOf, type Period, periodField, quarterOf, readMonth, readQuarter, readYear, yearOf } from '../../src/declare/periods.ts';

export const period = periodField(
  (text) => readMonth(text) ?? readQuarter(text, quarterOf) ?? readYear(text, yearOf),
  'Give a period as a month (2026-10), a quarter (2026-Q4 or Q4 2026) or a year (2026).',
);

export const monthOf = (day: string): Period =>
  monthsOf(day.slice(0, 7), Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(5, 7)));

/** The month that is `count` months before the month of a day, for examples relative to today. */
export const monthsBefore = (day: string, count: number): string =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 - count, 1)).toISOString().slice(0, 7);
export const lastQuarter = (day: string): string => {
  const month = monthsBefore(day, 3);
  return `${month.slice(0, 4)}-Q${Math.ceil(Number(month.slice(5)) / 3)}`;
};
