/** Calendar arithmetic on days as text, such as 2026-11-16. */

export const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
export type Grain = 'day' | 'week' | 'month' | 'quarter' | 'year';

const DAY = 86_400_000;
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const parseDay = (day: string): Date => new Date(`${day}T00:00:00Z`);
export const makeDay = (year: number, month: number, date: number): string => dayOf(new Date(Date.UTC(year, month, date)));
export const dateParts = (day: string): { year: number; month: number; date: number; weekday: number } => {
  const at = parseDay(day);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth(), date: at.getUTCDate(), weekday: at.getUTCDay() };
};
export const addDays = (day: string, count: number): string => dayOf(new Date(parseDay(day).getTime() + count * DAY));

export interface DateRange {
  readonly from: string;
  readonly to: string;
}
/** Returns the week, month, quarter or year that contains a day. `shift` moves the result by that many periods. */
export function periodOf(day: string, grain: Grain, shift = 0): DateRange {
  const { year, month, weekday } = dateParts(day);
  if (grain === 'day') return { from: addDays(day, shift), to: addDays(day, shift) };
  if (grain === 'week') {
    const monday = addDays(day, -((weekday + 6) % 7) + 7 * shift);
    return { from: monday, to: addDays(monday, 6) };
  }
  if (grain === 'month') return { from: makeDay(year, month + shift, 1), to: makeDay(year, month + shift + 1, 0) };
  if (grain === 'quarter') {
    const first = Math.floor(month / 3) * 3 + 3 * shift;
    return { from: makeDay(year, first, 1), to: makeDay(year, first + 3, 0) };
  }
  return { from: makeDay(year + shift, 0, 1), to: makeDay(year + shift, 11, 31) };
}
/** Adds units to a day. If the target month is shorter, the result is its last day. */
export function addUnits(day: string, grain: Grain, count: number): string {
  const { year, month, date } = dateParts(day);
  if (grain === 'day') return addDays(day, count);
  if (grain === 'week') return addDays(day, 7 * count);
  const months = count * (grain === 'month' ? 1 : grain === 'quarter' ? 3 : 12);
  const lastDate = dateParts(makeDay(year, month + months + 1, 0)).date;
  return makeDay(year, month + months, Math.min(date, lastDate));
}
export const quarterOf = (day: string): number => Math.floor(dateParts(day).month / 3) + 1;
export const yearOf = (day: string): number => dateParts(day).year;
