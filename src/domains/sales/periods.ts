/** Quarters and years as people write them. The fiscal year is the calendar year. */
import { z } from 'zod';
import { line } from '../../core/fields.ts';

export interface Period {
  /** As it is shown: 2026-Q4 or 2026. */
  readonly label: string;
  readonly from: string;
  readonly to: string;
  /** The quarters in it, as quotas name them. */
  readonly quarters: readonly string[];
}

const QUARTER = /^(?:FY ?)?(20\d\d)[- /]?Q(\d)$/i;
const QUARTER_FIRST = /^Q(\d)[- /]?(?:FY ?)?(20\d\d)$/i;
const YEAR = /^(?:FY ?)?(20\d\d)$/i;

const two = (n: number) => String(n).padStart(2, '0');
const lastDay = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
const quartersOf = (label: string, year: number, first: number, last: number): Period => ({
  label,
  from: `${year}-${two(first * 3 - 2)}-01`,
  to: lastDay(year, last * 3),
  quarters: Array.from({ length: last - first + 1 }, (_, which) => `${year}-Q${first + which}`),
});

/** The quarter, undefined where none is meant, or what is wrong with it. */
function readQuarter(text: string): Period | string | undefined {
  const [, before, last] = QUARTER.exec(text) ?? [];
  const [, first, after] = QUARTER_FIRST.exec(text) ?? [];
  const year = before ?? after;
  if (year === undefined) return undefined;
  const which = Number(last ?? first);
  if (which < 1 || which > 4) return `There is no quarter Q${which}: quarters are Q1 to Q4, as in 2026-Q4.`;
  return quartersOf(`${year}-Q${which}`, Number(year), which, which);
}
function readPeriod(text: string): Period | string | undefined {
  const [, year] = YEAR.exec(text) ?? [];
  return year === undefined ? readQuarter(text) : quartersOf(year, Number(year), 1, 4);
}

const readBy = (read: (text: string) => Period | string | undefined, otherwise: string) =>
  line(20).transform((given, context): Period => {
    const found = read(given.trim()) ?? otherwise;
    if (typeof found !== 'string') return found;
    context.addIssue(found);
    return z.NEVER;
  });
export const quarter = readBy(readQuarter, 'Give a quarter as 2026-Q4 or Q4 2026.');
export const period = readBy(readPeriod, 'Give a period as a quarter (2026-Q4 or Q4 2026) or a year (2026).');

export function quarterOf(day: string): Period {
  const [year = 0, month = 0] = day.split('-').map(Number);
  const which = Math.ceil(month / 3);
  return quartersOf(`${year}-Q${which}`, year, which, which);
}

/** For examples that never grow old. */
export const monthFrom = (today: string): string => `${today.slice(0, 7)}-01`;
export const monthTo = (today: string): string => lastDay(Number(today.slice(0, 4)), Number(today.slice(5, 7)));
export const nextQuarter = (today: string): string =>
  quarterOf(new Date(Date.parse(quarterOf(today).to) + 86_400_000).toISOString().slice(0, 10)).label;
export const lastQuarter = (today: string): string =>
  quarterOf(new Date(Date.parse(quarterOf(today).from) - 86_400_000).toISOString().slice(0, 10)).label;
