/** Parses a month, a quarter or a year. Payroll uses calendar years, as taxes on pay do. */
import { CALENDAR_YEAR, monthPeriod, type Period, quarterAt, quarterOf, yearOf } from '../../src/declare/fiscal.ts';
import { periodField, readMonth, readQuarter, readYear } from '../../src/declare/periods.ts';

export const period = periodField(
  (text) =>
    readMonth(text) ??
    readQuarter(text, (year, quarter) => quarterOf(year, quarter, CALENDAR_YEAR)) ??
    readYear(text, (year) => yearOf(year, CALENDAR_YEAR)),
  'Give a period as a month (2026-10), a quarter (2026-Q4 or Q4 2026) or a year (2026).',
);

export const monthOf = (day: string): Period => monthPeriod(Number(day.slice(0, 4)), Number(day.slice(5, 7)));

/** The month `count` months before the month of a day, for examples. */
export const monthsBefore = (day: string, count: number): string => {
  const months = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 - count;
  return `${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`;
};
export const lastQuarter = (day: string): string => quarterAt(day, CALENDAR_YEAR, -1).label;
