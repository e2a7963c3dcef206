/** Sample audit log of tax. Each entry is computed from its number. */
import { directory, KNOWN_PEOPLE, type SamplePerson } from '../../sample-company/directory.ts';
import { persona } from '../../sample-company/people.ts';
import { at, between, chance, pick } from '../../sample-company/random.ts';
import type { SampleRow } from '../../../src/declare/sample.ts';
import { numbered, type SampleEstimate, type SampleFiling, type SampleRate, type SampleRegistration } from './records.ts';
import { shifted } from '../../sample-company/days.ts';

export interface SampleRecords {
  readonly rates: readonly SampleRate[];
  readonly estimates: readonly SampleEstimate[];
  readonly filings: readonly SampleFiling[];
  readonly registrations: readonly SampleRegistration[];
}
type Facts = Readonly<Record<string, string | number>>;
interface Event {
  readonly action: 'create' | 'update' | 'delete' | 'submit' | 'approve' | 'reject';
  readonly entity: 'sales_tax_rate' | 'quarterly_estimate' | 'annual_filing' | 'state_registration';
  readonly id: string;
  readonly before: Facts | null;
  readonly after: Facts | null;
  readonly notes: string | null;
}

export const EIN = '98-7650123';
const HOUR = 3_600_000;
const SPAN = 700 * 24 * HOUR;
const money = (cents: number) => cents / 100;
/** No real social security number begins with 9. */
const ssnOf = (n: number) => `9${between(10, 99, n, 321)}-${between(10, 99, n, 322)}-${between(1000, 9999, n, 323)}`;

function estimateEvent({ id, year, quarter, name, amount }: SampleEstimate, n: number): Event {
  const entity = 'quarterly_estimate';
  const facts = { period: `${year}-Q${quarter}`, jurisdiction: name };
  const earlier = Math.round(amount * (0.9 + 0.05 * chance(n, 324)));
  const status = (from: string, to: string) => ({ before: { ...facts, status: from }, after: { ...facts, status: to } });
  const kind = chance(n, 325);
  if (kind < 0.3)
    return {
      action: 'create',
      entity,
      id,
      before: null,
      after: { ...facts, estimated_amount: money(earlier), status: 'draft' },
      notes: null,
    };
  if (kind < 0.6) {
    const notes = pick(['Revenue forecast changed', 'Prior-year rule applied', null], n, 326);
    return {
      action: 'update',
      entity,
      id,
      before: { ...facts, estimated_amount: money(earlier) },
      after: { ...facts, estimated_amount: money(amount) },
      notes,
    };
  }
  if (kind < 0.75) return { action: 'submit', entity, id, ...status('draft', 'submitted'), notes: null };
  if (kind < 0.9) return { action: 'approve', entity, id, ...status('submitted', 'approved'), notes: null };
  if (kind < 0.95)
    return {
      action: 'reject',
      entity,
      id,
      ...status('submitted', 'draft'),
      notes: 'The amount leaves out the last month; please correct it.',
    };
  // A duplicate that was created and deleted: its id matches no record.
  const gone = numbered('1a600000', n + 1);
  return {
    action: 'delete',
    entity,
    id: gone,
    before: { ...facts, estimated_amount: money(earlier), status: 'draft' },
    after: null,
    notes: 'Entered twice',
  };
}

function filingEvent({ id, year, of, prepaid }: SampleFiling, n: number): Event {
  const entity = 'annual_filing';
  const facts = { tax_year: year, jurisdiction: of.name, form: of.form };
  const signed = { responsible_party_ssn: ssnOf(n), ein: EIN };
  const kind = chance(n, 327);
  if (kind < 0.25)
    return {
      action: 'create',
      entity,
      id,
      before: null,
      after: { ...facts, ein: EIN, prepaid: money(prepaid), status: 'not_started' },
      notes: null,
    };
  if (kind < 0.5)
    return {
      action: 'update',
      entity,
      id,
      before: { ...facts, status: 'not_started' },
      after: { ...facts, status: 'in_preparation' },
      notes: null,
    };
  if (kind < 0.7)
    return {
      action: 'submit',
      entity,
      id,
      before: { ...facts, status: 'in_preparation' },
      after: { ...facts, ...signed, status: 'submitted' },
      notes: null,
    };
  if (kind < 0.9)
    return {
      action: 'approve',
      entity,
      id,
      before: { ...facts, status: 'submitted' },
      after: { ...facts, status: 'approved' },
      notes: null,
    };
  const notes = pick([`EIN ${EIN} is missing on page two`, 'The apportionment schedule does not add up'], n, 328);
  return { action: 'reject', entity, id, before: { ...facts, status: 'submitted' }, after: { ...facts, status: 'in_preparation' }, notes };
}

function registrationEvent({ id, state, type, account, frequency }: SampleRegistration, n: number): Event {
  const entity = 'state_registration';
  const facts = { state, tax_type: type, account_number: account };
  const kind = chance(n, 329);
  if (kind < 0.4)
    return { action: 'create', entity, id, before: null, after: { ...facts, filing_frequency: frequency, status: 'pending' }, notes: null };
  if (kind < 0.7) {
    const before = { ...facts, bank_account_number: String(between(100_000_000, 999_999_999, n, 330)) };
    const after = { ...facts, bank_account_number: String(between(100_000_000, 999_999_999, n, 331)) };
    return { action: 'update', entity, id, before, after, notes: 'New account for payments' };
  }
  return { action: 'approve', entity, id, before: { ...facts, status: 'pending' }, after: { ...facts, status: 'active' }, notes: null };
}

function rateEvent({ id, state, place, stateRate, localRate }: SampleRate, n: number): Event {
  const facts = { state, jurisdiction: place };
  const rate = (stateRate + localRate) / 1000;
  const entity = 'sales_tax_rate';
  if (chance(n, 332) < 0.3) return { action: 'create', entity, id, before: null, after: { ...facts, combined_rate: rate }, notes: null };
  const before = { ...facts, combined_rate: (stateRate + Math.max(0, localRate - 125)) / 1000 };
  return { action: 'update', entity, id, before, after: { ...facts, combined_rate: rate }, notes: 'Published by the state' };
}

/** A record whose due date is near the day of the entry, if there is one. */
function current<T extends { readonly due: string }>(all: readonly T[], day: string, n: number): T {
  const soon = all.filter(({ due }) => due > shifted(day, -30) && due < shifted(day, 150));
  return pick(soon.length > 0 ? soon : all, n, 334);
}

function eventOf({ rates, estimates, filings, registrations }: SampleRecords, day: string, n: number): Event {
  const kind = chance(n, 333);
  if (kind < 0.5) return estimateEvent(current(estimates, day, n), n);
  if (kind < 0.75) return filingEvent(current(filings, day, n), n);
  return kind < 0.9 ? registrationEvent(pick(registrations, n, 334), n) : rateEvent(pick(rates, n, 334), n);
}

/** The first four entries are from this month. The others reach back 700 days and become fewer. */
function timeOf(n: number, count: number, now: number): string {
  const month = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth());
  const back = n < 4 ? n * HOUR : SPAN * (n / count) ** 1.4;
  const day = now - back;
  if (n < 4) return new Date(Math.max(month, day)).toISOString();
  // Within working hours.
  const hour = Math.floor(day / (24 * HOUR)) * 24 * HOUR + 8 * HOUR + Math.floor(chance(n, 335) * 9 * HOUR);
  return new Date(Math.min(hour, now)).toISOString();
}

export function* logRows(records: SampleRecords, count: number, employees: number, today: Date): Iterable<SampleRow> {
  const people = directory(employees);
  const staff = Array.from({ length: KNOWN_PEOPLE }, (_, n) => people.person(n));
  const [tom, bob, eve] = ['tom.becker', 'bob.martinez', 'eve.thompson'].map((username) => persona(username).sub);
  const workers = staff.filter(({ id, department, title }) => id === tom || (department === 'Finance' && /Accountant|Analyst/.test(title)));
  const find = (id: string | undefined): SamplePerson =>
    at(
      staff.filter((each) => each.id === id),
      0,
    );
  for (let n = 0; n < count; n++) {
    const time = timeOf(n, count, today.getTime());
    const { action, entity, id, before, after, notes } = eventOf(records, time.slice(0, 10), n);
    const decides = action === 'approve' || action === 'reject';
    const by = decides ? find(chance(n, 336) < 0.9 ? bob : eve) : chance(n, 336) < 0.5 ? find(tom) : pick(workers, n, 337);
    yield [numbered('1a500000', n + 1), time, action, entity, id, by.id, `${by.first} ${by.last}`, before, after, notes];
  }
}
