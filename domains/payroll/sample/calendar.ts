/** Sample pay dates: the 15th and the last day of each month, or the Friday before, and some off-cycle runs. */
import { at } from '../../sample-company/random.ts';
import { dayOf, shifted } from '../../sample-company/days.ts';

export interface PayDay {
  readonly date: string;
  readonly start: string;
  readonly end: string;
}
export type RunType = 'REGULAR' | 'BONUS' | 'OFF_CYCLE';
export interface SampleRun extends PayDay {
  /** Counts from 0 in the order of the dates. */
  readonly index: number;
  readonly id: string;
  readonly type: RunType;
}

const two = (n: number) => String(n).padStart(2, '0');
/** For each weekday, Sunday first: the days to go back to the last working day. */
const BACK = [2, 0, 0, 0, 0, 0, 1];
const workday = (day: string): string => shifted(day, -at(BACK, new Date(day).getUTCDay()));
const lastOf = (year: number, month: number): string => dayOf(Date.UTC(year, month, 0));

/** The two pay dates of every month of a year. */
export function payDays(year: number): PayDay[] {
  return Array.from({ length: 12 }, (_, which) => which + 1).flatMap((month) => {
    const of = (day: number) => `${year}-${two(month)}-${two(day)}`;
    const last = lastOf(year, month);
    return [
      { date: workday(of(15)), start: of(1), end: of(15) },
      { date: workday(last), start: of(16), end: last },
    ];
  });
}

/** Off-cycle runs for two people and for one person. Tools leave out their totals, which would reveal the pay of single people. */
export const corrections: readonly { readonly day: string; readonly names: readonly string[] }[] = [
  { day: '08-07', names: ["Liam O'Brien", 'José García'] },
  { day: '11-06', names: ['Priya Nair'] },
];
const BONUS_DAY = '03-22';

/** All runs of last year and of this year up to today. */
export function runsOf(today: string): SampleRun[] {
  const thisYear = Number(today.slice(0, 4));
  const runs: (PayDay & { type: RunType })[] = [];
  for (const year of [thisYear - 1, thisYear]) {
    runs.push(...payDays(year).map((each) => ({ ...each, type: 'REGULAR' as const })));
    runs.push({ date: workday(`${year}-${BONUS_DAY}`), start: `${year - 1}-01-01`, end: `${year - 1}-12-31`, type: 'BONUS' });
  }
  for (const { day } of corrections) {
    const date = workday(`${thisYear - 1}-${day}`);
    runs.push({ date, start: date, end: date, type: 'OFF_CYCLE' });
  }
  return runs
    .filter(({ date }) => date <= today)
    .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    .map((run, index) => ({ ...run, index, id: `06000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}` }));
}
