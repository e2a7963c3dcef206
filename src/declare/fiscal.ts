/** Fiscal years and quarters. The calendar year in which a fiscal year ends is its name: April 2026 to March 2027 is 2027. */
import type { Company } from './company.ts';

export interface Period {
  /** 2026-10, 2026-Q4 or 2026. */
  readonly label: string;
  readonly from: string;
  readonly to: string;
}
export type FiscalCalendar = Pick<Company, 'fiscalYearStart'>;
/** For taxes and payroll, which always follow the calendar year. */
export const CALENDAR_YEAR: FiscalCalendar = { fiscalYearStart: 1 };

const dayOf = (year: number, month: number, date: number): string => new Date(Date.UTC(year, month - 1, date)).toISOString().slice(0, 10);
/** A period of `count` months. Month 1 is January; month 13 is January of the next year. */
export const monthsFrom = (label: string, { year, month }: { readonly year: number; readonly month: number }, count: number): Period => ({
  label,
  from: dayOf(year, month, 1),
  to: dayOf(year, month + count, 0),
});
export const monthPeriod = (year: number, month: number): Period =>
  monthsFrom(`${year}-${String(month).padStart(2, '0')}`, { year, month }, 1);

const calendarYear = (year: number, { fiscalYearStart }: FiscalCalendar) => (fiscalYearStart === 1 ? year : year - 1);

export const yearOf = (year: number, calendar: FiscalCalendar): Period =>
  monthsFrom(String(year), { year: calendarYear(year, calendar), month: calendar.fiscalYearStart }, 12);
export const quarterOf = (year: number, quarter: number, calendar: FiscalCalendar): Period =>
  monthsFrom(`${year}-Q${quarter}`, { year: calendarYear(year, calendar), month: calendar.fiscalYearStart + (quarter - 1) * 3 }, 3);

export function fiscalYearOf(day: string, { fiscalYearStart }: FiscalCalendar): number {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return fiscalYearStart > 1 && month >= fiscalYearStart ? year + 1 : year;
}
export function fiscalQuarterOf(day: string, { fiscalYearStart }: FiscalCalendar): number {
  const month = Number(day.slice(5, 7));
  return Math.floor(((month - fiscalYearStart + 12) % 12) / 3) + 1;
}
/** The fiscal quarter of a day, or one that is `shift` quarters later. */
export function quarterAt(day: string, calendar: FiscalCalendar, shift = 0): Period {
  const quarters = fiscalYearOf(day, calendar) * 4 + fiscalQuarterOf(day, calendar) - 1 + shift;
  return quarterOf(Math.floor(quarters / 4), (quarters % 4) + 1, calendar);
}
