/** Sample tax rates, estimates, returns and registrations, relative to a day. Amounts are in cents. */
import { chance, between } from '../../sample-company/random.ts';
import { registered, salesTaxPlaces, type TaxReturn, taxReturns } from './places.ts';
import { dayOf, shifted } from '../../sample-company/days.ts';

export const numbered = (block: string, n: number) => `${block}-0000-4000-8000-${String(n).padStart(12, '0')}`;

export interface SampleRate {
  readonly id: string;
  readonly state: string;
  readonly place: string;
  readonly type: string;
  readonly stateRate: number;
  readonly localRate: number;
  readonly from: string;
  readonly to: string | null;
}
export interface SampleEstimate {
  readonly id: string;
  readonly year: number;
  readonly quarter: number;
  readonly state: string;
  readonly name: string;
  readonly due: string;
  readonly extended: string | null;
  readonly amount: number;
  readonly paid: number;
  readonly paidOn: string | null;
}
export interface SampleFiling {
  readonly id: string;
  readonly year: number;
  readonly of: TaxReturn;
  readonly due: string;
  readonly extended: string | null;
  readonly status: 'not_started' | 'in_preparation' | 'filed' | 'accepted';
  readonly filedOn: string | null;
  readonly total: number | null;
  readonly prepaid: number;
  readonly confirmation: string | null;
}
export interface SampleRegistration {
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly agency: string;
  readonly account: string;
  readonly status: 'pending' | 'active' | 'closed';
  readonly frequency: string;
  readonly since: string;
  readonly closed: string | null;
}

/** The due date of a quarter. The fourth quarter is due in January of the next year. */
const dueOf = (year: number, quarter: number): string =>
  quarter === 4 ? `${year + 1}-01-15` : `${year}-${['04', '06', '09'][quarter - 1]}-15`;
const days = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
const yearOf = (day: string) => Number(day.slice(0, 4));
const earlier = (a: string, b: string) => (a < b ? a : b);

/** Current rates, some that have ended, and one that is not in force yet. */
export function ratesFor(today: string): SampleRate[] {
  const year = yearOf(today);
  const rates: SampleRate[] = [];
  const add = (state: string, place: string, type: string, stateRate: number, localRate: number, from: string, to: string | null = null) =>
    rates.push({ id: numbered('1a100000', rates.length + 1), state, place, type, stateRate, localRate, from, to });
  for (const { state, name, rate, places } of salesTaxPlaces) {
    add(state, name, 'state', rate, 0, `${year - 6}-01-01`);
    for (const [place, type, adds] of places) {
      const changed = chance(rates.length, 301) < 0.3;
      if (changed) add(state, place, type, rate, adds - 125, `${year - 5}-07-01`, `${year - 2}-12-31`);
      const ends = place === 'Denver' ? `${year}-12-31` : null;
      add(state, place, type, rate, adds, changed ? `${year - 1}-01-01` : `${year - 4}-04-01`, ends);
      if (ends !== null) add(state, place, type, rate, adds + 100, `${year + 1}-01-01`);
    }
  }
  return rates;
}

/**
 * Past estimates are paid. One part of New York's last one is not, so one estimate is always overdue. Florida has an extension, and 40 % of
 * California's next one is paid.
 */
export function estimatesFor(today: string): SampleEstimate[] {
  const year = yearOf(today);
  const quarters = [year - 1, year].flatMap((each) => [1, 2, 3, 4].map((quarter) => [each, quarter, dueOf(each, quarter)] as const));
  const last = quarters.findLast(([, , due]) => due < today)?.[2];
  const next = quarters.find(([, , due]) => due >= today)?.[2];
  const authorities = taxReturns.filter(({ quarterly }) => quarterly !== undefined);
  return quarters.flatMap(([of, quarter, due], which) =>
    authorities.map(({ state, name, quarterly = 0 }, place): SampleEstimate => {
      const n = which * authorities.length + place;
      const amount = Math.round(quarterly * (of === year ? 1.06 : 1) * (0.94 + 0.12 * chance(n, 302)));
      const extended = state === 'FL' && due === last ? shifted(due, 75) : null;
      const open = (extended ?? due) >= today;
      const part = state === 'NY' && due === last ? 0.6 : state === 'CA' && due === next ? 0.4 : open ? 0 : 1;
      const paid = part === 1 ? amount : Math.round(amount * part);
      const paidOn = paid === 0 ? null : earlier(shifted(due, -between(0, 6, n, 303)), today);
      return { id: numbered('1a200000', n + 1), year: of, quarter, state, name, due, extended, amount, paid, paidOn };
    }),
  );
}

/**
 * Returns of this tax year and the two before it. One return of Illinois is not filed, so one is always overdue. The federal return has an
 * extension; Massachusetts owes a refund.
 */
export function filingsFor(today: string, estimates: readonly SampleEstimate[]): SampleFiling[] {
  const thisYear = yearOf(today);
  return [thisYear - 2, thisYear - 1, thisYear].flatMap((year, which) =>
    taxReturns.map((of, place): SampleFiling => {
      const n = which * taxReturns.length + place;
      const due = `${year + 1}-${of.due}`;
      const own = estimates.filter((each) => each.year === year && each.state === of.state);
      const prepaid = of.quarterly === undefined ? 0 : own.length > 0 ? own.reduce((sum, { paid }) => sum + paid, 0) : of.quarterly * 4;
      const extended = of.form === 'Form 1120' && due < today ? `${year + 1}-10-15` : null;
      const planned = shifted(extended ?? due, -between(1, 20, n, 304));
      const id = numbered('1a300000', n + 1);
      const late = of.state === 'IL' && due < today && `${year + 2}-${of.due}` >= today;
      if (planned >= today || late) {
        const status = late || days(today, due) < 120 ? 'in_preparation' : 'not_started';
        return { id, year, of, due, extended, status, filedOn: null, total: null, prepaid, confirmation: null };
      }
      const base = of.once ?? prepaid;
      const total = of.state === 'MA' ? base - between(90_000, 400_000, n, 305) : base + between(40_000, 900_000, n, 305);
      const status = days(planned, today) > 30 ? 'accepted' : 'filed';
      const confirmation = `${of.state}-${year + 1}-${String(between(1, 9_999, n, 306)).padStart(4, '0')}`;
      return { id, year, of, due, extended, status, filedOn: planned, total, prepaid, confirmation };
    }),
  );
}

export function registrationsFor(today: string): SampleRegistration[] {
  const year = yearOf(today);
  const all = registered.flatMap(([state, agency, kinds]) => kinds.map((kind) => ({ state, agency, kind })));
  return all.map(({ state, agency, kind: [type, frequency, status] }, n) => ({
    id: numbered('1a400000', n + 1),
    state,
    type,
    agency,
    // Only the rows for the audit log contain the full number, and the audit log masks it.
    account: String(100_000_000 + (((n + 1) * 61_803_399) % 900_000_000)),
    status: status ?? 'active',
    frequency,
    since: status === 'pending' ? shifted(today, -20) : `${year - between(2, 9, n, 307)}-${['01-15', '04-01', '09-10'][n % 3]}`,
    closed: status === 'closed' ? `${year - 1}-06-30` : null,
  }));
}

export const todayOf = (now: Date): string => dayOf(now.getTime());
