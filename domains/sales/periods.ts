/** Parses quarters and years. */
import * as periods from '../../src/declare/periods.ts';

export interface Period extends periods.Period {
  /** Its quarters, in the format of the quotas. */
  readonly quarters: readonly string[];
}

const wholeQuarter = (year: number, which: number): Period => {
  const quarter = periods.quarterOf(year, which);
  return { ...quarter, quarters: [quarter.label] };
};
const wholeYear = (year: number): Period => ({
  ...periods.yearOf(year),
  quarters: [1, 2, 3, 4].map((which) => periods.quarterOf(year, which).label),
});

export const quarter = periods.periodField((text) => periods.readQuarter(text, wholeQuarter), 'Give a quarter as 2026-Q4 or Q4 2026.');
export const period = periods.periodField(
  (text) => periods.readYear(text, wholeYear) ?? periods.readQuarter(text, wholeQuarter),
  'Give a period as a quarter (2026-Q4 or Q4 2026) or a year (2026).',
);

export function quarterOf(day: string): Period {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return wholeQuarter(year, Math.ceil(month / 3));
}

/** For examples, which are relative to today. */
export const monthFrom = (today: string): string => `${today.slice(0, 7)}-01`;
export const monthTo = (today: string): string => periods.lastDay(Number(today.slice(0, 4)), Number(today.slice(5, 7)));
export const nextQuarter = (today: string): string =>
  quarterOf(new Date(Date.parse(quarterOf(today).to) + 86_400_000).toISOString().slice(0, 10)).label;
export const lastQuarter = (today: string): string =>
  quarterOf(new Date(Date.parse(quarterOf(today).from) - 86_400_000).toISOString().slice(0, 10)).label;
