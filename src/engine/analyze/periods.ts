/** Days, weeks, months, quarters and years of an analysis, in the company's time zone and fiscal year. */
import { fiscalYearOf, monthPeriod, type FiscalCalendar, type Period, quarterAt, yearOf } from '../../declare/fiscal.ts';

export const UNITS = ['day', 'week', 'month', 'quarter', 'year'] as const;
export type Unit = (typeof UNITS)[number];

const DAY_MS = 86_400_000;
const textOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const addDays = (day: string, days: number): string => textOf(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);

const partsOf = (day: string): [year: number, month: number, date: number] => day.split('-').map(Number) as [number, number, number];
const lastDateOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** The last day of a month stays the last day: 28 February plus one month is 31 March. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = partsOf(day);
  const [toYear, toMonth] = [year + Math.floor((month - 1 + months) / 12), ((((month - 1 + months) % 12) + 12) % 12) + 1];
  const last = lastDateOf(toYear, toMonth);
  return textOf(Date.UTC(toYear, toMonth - 1, date === lastDateOf(year, month) ? last : Math.min(date, last)));
}

/** The ISO week: from Monday to Sunday, in the year that has its Thursday. */
function weekOf(day: string): Period {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const from = addDays(day, -weekday);
  const year = addDays(from, 3).slice(0, 4);
  const number = 1 + Math.floor(daysBetween(`${year}-01-01`, addDays(from, 3)) / 7);
  return { label: `${year}-W${String(number).padStart(2, '0')}`, from, to: addDays(from, 6) };
}

export function periodAt(day: string, unit: Unit, calendar: FiscalCalendar): Period {
  const [year, month] = partsOf(day);
  if (unit === 'week') return weekOf(day);
  if (unit === 'month') return monthPeriod(year, month);
  if (unit === 'quarter') return quarterAt(day, calendar);
  return unit === 'year' ? yearOf(fiscalYearOf(day, calendar), calendar) : { label: day, from: day, to: day };
}

/** People write days outside of these years to mean "always" or "never", so such a day has no periods. */
const EARLIEST = '1000-01-01';
const LATEST = '9998-12-31';

/** All periods from one day to another; undefined if there are more than `most`, or if a day is outside of EARLIEST and LATEST. */
export function periodsBetween(
  { from, to }: { readonly from: string; readonly to: string },
  unit: Unit,
  { calendar, most }: { readonly calendar: FiscalCalendar; readonly most: number },
): Period[] | undefined {
  if (from < EARLIEST || to > LATEST) return undefined;
  const periods: Period[] = [];
  for (let next = from; next <= to; ) {
    if (periods.length === most) return undefined;
    const period = periodAt(next, unit, calendar);
    periods.push(period);
    next = addDays(period.to, 1);
  }
  return periods;
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;
/** The same day one period or one year earlier. For weeks, a year is 52 weeks, so the weekday stays the same. */
export function earlier(day: string, unit: Unit, how: 'previous_period' | 'previous_year'): string {
  if (how === 'previous_year') return unit === 'week' ? addDays(day, -364) : addMonths(day, -12);
  if (unit === 'day' || unit === 'week') return addDays(day, unit === 'day' ? -1 : -7);
  return addMonths(day, -MONTHS[unit]);
}

/** The range of the same length just before this one. Before whole months, it has as many whole months. */
export function rangeBefore({ from, to }: Range, how: 'previous_period' | 'previous_year'): Range {
  if (how === 'previous_year') return { from: addMonths(from, -12), to: addMonths(to, -12) };
  const [year, month, date] = partsOf(to);
  const isWhole = from.endsWith('-01') && date === lastDateOf(year, month);
  if (!isWhole) return { from: addDays(from, -daysBetween(from, to) - 1), to: addDays(from, -1) };
  const [fromYear, fromMonth] = partsOf(from);
  return { from: addMonths(from, -((year - fromYear) * 12 + month - fromMonth + 1)), to: addDays(from, -1) };
}
export interface Range {
  readonly from: string;
  readonly to: string;
}
