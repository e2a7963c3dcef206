/** Sample time-off requests and balances. */
import { type Company, DEFAULT_COMPANY, dayIn } from '../../../src/declare/company.ts';
import * as fiscal from '../../../src/declare/fiscal.ts';
import type { SampleEmployee } from '../../../src/declare/sample.ts';
import { mondayFrom, shifted } from '../../sample-company/days.ts';
import { persona } from '../../sample-company/people.ts';
import { at, between, chance } from '../../sample-company/random.ts';

export const typeCodes = ['VACATION', 'SICK', 'PERSONAL', 'BEREAVEMENT', 'JURY_DUTY', 'PARENTAL', 'UNPAID'] as const;
export type TypeCode = (typeof typeCodes)[number];

export interface SampleRequest {
  readonly type: TypeCode;
  readonly start: string;
  readonly end: string;
  readonly days: number;
  readonly status: 'pending' | 'approved' | 'rejected' | 'cancelled';
  readonly notes: string | null;
  readonly asked: string;
  readonly decided: string | null;
}
export interface SampleBalance {
  readonly year: number;
  readonly type: TypeCode;
  readonly entitlement: number;
  readonly used: number;
  readonly pending: number;
  readonly carryover: number;
}

const yearOf = (day: string): number => Number(day.slice(0, 4));
const later = (a: string, b: string) => (a > b ? a : b);

/** The age of the oldest pending request, in days. */
const WAITING_WITHIN = 30;
/** People of the examples have no generated time off from this many days before today on, so users can request it. */
const FREE_BEFORE = 40;

/** Generated requests leave at least this many days of a balance. */
const KEPT = 5;

/** Weeks of the year, far enough apart that two requests never overlap. */
const seasons = [3, 11, 22, 29, 38, 50];
const entitled: Record<TypeCode, number> = { VACATION: 20, SICK: 12, PERSONAL: 8, BEREAVEMENT: 5, JURY_DUTY: 10, PARENTAL: 60, UNPAID: 30 };
const reasons: Partial<Record<TypeCode, readonly (string | null)[]>> = {
  VACATION: ['Family visit', null, 'Summer trip', 'Long weekend', null, 'Hiking holiday'],
  SICK: ['Flu', null, 'Migraine'],
  PERSONAL: ['Moving house', null, 'School event', 'Appointment'],
};

/** The two fixed pending requests. They are not in December and not in the next 30 days. */
const waiting: Record<string, { weeks: number; days: number; notes: string }> = {
  [persona('marcus.johnson').sub]: { weeks: 0, days: 3, notes: 'Visiting my parents' },
  [persona('sarah.kim').sub]: { weeks: 1, days: 5, notes: 'Climbing trip' },
};

export const waits = (id: string): boolean => id in waiting;

export interface Calendar {
  readonly today: string;
  readonly settings: Company;
  /** Last fiscal year and this one; in the last quarter also the next one. */
  readonly years: readonly number[];
}
export function calendarOf(today: Date, settings: Company = DEFAULT_COMPANY): Calendar {
  const day = dayIn(settings.timeZone, today);
  const year = fiscal.fiscalYearOf(day, settings);
  const years = fiscal.fiscalQuarterOf(day, settings) === 4 ? [year - 1, year, year + 1] : [year - 1, year];
  return { today: day, years, settings };
}

function waitingRequest(id: string, today: string): SampleRequest | undefined {
  const one = waiting[id];
  if (!one) return undefined;
  let start = mondayFrom(shifted(today, 35));
  // Both weeks end before December.
  if (shifted(start, 12).slice(5) >= '12-01' || start.slice(5) >= '12-01') start = mondayFrom(later(`${yearOf(start) + 1}-01-04`, start));
  start = shifted(start, one.weeks * 7);
  return {
    type: 'VACATION',
    start,
    end: shifted(start, one.days - 1),
    days: one.days,
    status: 'pending',
    notes: one.notes,
    asked: shifted(today, -2),
    decided: null,
  };
}

function statusOf(start: string, today: string, seed: number): SampleRequest['status'] {
  const lot = chance(seed, 21);
  if (lot > 0.93) return 'rejected';
  if (lot > 0.89) return 'cancelled';
  return start > today && start <= shifted(today, 120) && lot < 0.4 ? 'pending' : 'approved';
}

export function requestsOf(person: SampleEmployee, { today, years, settings }: Calendar): SampleRequest[] {
  if (person.manager === undefined) return [];
  const requests: SampleRequest[] = [];
  const trial = shifted(person.hired, 30);
  for (const year of years.slice(0, 2)) {
    const left = { ...entitled };
    for (const [which, week] of seasons.entries()) {
      const seed = person.n * 64 + (year % 4) * 8 + which;
      const monday = mondayFrom(shifted(fiscal.yearOf(year, settings).from, 1 + (week + between(0, 3, seed, 22)) * 7));
      const past = shifted(monday, 6) < today;
      if (monday < trial || (person.known && shifted(monday, FREE_BEFORE) > today)) continue;
      if (chance(seed, 23) > 0.4 || (!past && monday > shifted(today, 150))) continue;
      const lot = chance(seed, 24);
      const type: TypeCode = past && lot < 0.25 ? 'SICK' : lot > 0.85 ? 'PERSONAL' : 'VACATION';
      const days = type === 'VACATION' ? between(1, 5, seed, 25) : type === 'SICK' ? between(1, 3, seed, 25) : 1;
      const start = shifted(monday, between(0, 5 - days, seed, 29));
      const end = shifted(start, days - 1);
      if (fiscal.fiscalYearOf(end, settings) !== year || left[type] - days < KEPT) continue;
      left[type] -= days;
      const status = type === 'SICK' ? 'approved' : statusOf(start, today, seed);
      const ahead = between(5, 40, seed, 26);
      // Sick leave is requested on its first day. Future time off was requested recently.
      const asked = type === 'SICK' ? start : past ? shifted(start, -ahead) : shifted(today, -between(7, WAITING_WITHIN, seed, 26));
      const decided = status === 'approved' || status === 'rejected' ? shifted(asked, 1) : null;
      const notes = reasons[type] ?? [null];
      requests.push({ type, start, end, days, status, notes: at(notes, between(0, notes.length - 1, seed, 27)), asked, decided });
    }
  }
  const own = waitingRequest(person.id, today);
  return own ? [...requests.filter(({ status }) => status !== 'pending'), own] : requests;
}

export function balancesOf(person: SampleEmployee, { years, settings }: Calendar, requests: readonly SampleRequest[]): SampleBalance[] {
  const taken = (year: number, type: TypeCode, status: SampleRequest['status']) =>
    requests.reduce(
      (sum, each) =>
        each.type === type && each.status === status && fiscal.fiscalYearOf(each.start, settings) === year ? sum + each.days : sum,
      0,
    );
  const balances: SampleBalance[] = [];
  for (const type of typeCodes) {
    const entitlement = entitled[type] + (type === 'VACATION' ? Math.min(5, Math.floor(person.tenure / 730)) : 0);
    let carryover = type === 'VACATION' ? between(0, 5, person.n, 28) : 0;
    for (const [which, year] of years.entries()) {
      const used = taken(year, type, 'approved');
      const pending = taken(year, type, 'pending');
      balances.push({ year, type, entitlement, used, pending, carryover });
      // Up to five vacation days carry over at the end of a year.
      carryover = type === 'VACATION' && which === 0 ? Math.min(5, entitlement + carryover - used - pending) : 0;
    }
  }
  return balances;
}
