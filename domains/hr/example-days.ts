/** Days for examples, relative to today. */
import type { z } from 'zod';
import type { Company } from '../../src/declare/company.ts';
import * as fiscal from '../../src/declare/fiscal.ts';
import type { timeOffType } from './schemas.ts';

const shifted = (day: string, days: number): string => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
const weekday = (day: string): number => new Date(day).getUTCDay();

export const yearOf = (today: string): number => Number(today.slice(0, 4));
export const inDecember = (today: string, day: number): string => `${yearOf(today)}-12-${String(day).padStart(2, '0')}`;
/** Today; on a weekend the Friday before. */
export const lastWorkday = (today: string): string => shifted(today, -Math.max(0, ((weekday(today) + 6) % 7) - 4));
/** Friday of next week, or the last workday if that Friday is in the next fiscal year: its balances may not exist yet. */
export function nextFriday(today: string, company: Company): string {
  const friday = shifted(today, 12 - ((weekday(today) + 6) % 7) - 1);
  return fiscal.fiscalYearOf(friday, company) === fiscal.fiscalYearOf(today, company) ? friday : lastWorkday(today);
}
/** From four days before the next fiscal year to its fourth day. */
export function overNewYear(today: string, company: Company): [start: string, end: string] {
  const { to } = fiscal.yearOf(fiscal.fiscalYearOf(today, company), company);
  return [shifted(to, -3), shifted(to, 4)];
}
/** The half year of a performance review that today is in: 2026-H2. */
export const halfYearOf = (today: string): string => `${yearOf(today)}-H${today.slice(5) < '07-01' ? 1 : 2}`;
/** H1 is due at the end of July, H2 at the end of January. */
export const reviewDueOn = (period: string): string =>
  period.endsWith('H1') ? `${period.slice(0, 4)}-07-31` : `${Number(period.slice(0, 4)) + 1}-01-31`;
export const reviewOf = (today: string, given: { rating: number; strengths?: string; submit?: boolean }) => ({
  employee_id: '0e000000-0000-4000-8000-000000000007',
  period: halfYearOf(today),
  ...given,
});
export const nextSaturday = (today: string): string => shifted(today, 6 - weekday(today));

export const off = (type_code: z.output<typeof timeOffType>, start_date: string, end_date = start_date) => ({
  type_code,
  start_date,
  end_date,
});
