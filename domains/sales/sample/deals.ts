/** Sample deals: fixed ones for examples, and two years of generated ones relative to today. */
import type { Company } from '../../../src/declare/company.ts';
import { CALENDAR_YEAR, quarterAt } from '../../../src/declare/fiscal.ts';
import type { SampleDocument } from '../../../src/declare/sample.ts';
import { spelledPlainly } from '../../../src/declare/spelling.ts';
import { at, between, chance, pick } from '../../sample-company/random.ts';
import { type Customer, customerCount, customerOf, plantedCustomers } from './customers.ts';
import { numbered, ownedBy, type Rep, type SalesTeam, timeOn } from './team.ts';
import { dayOf, shifted } from '../../sample-company/days.ts';

const openStages = ['PROSPECTING', 'QUALIFICATION', 'DISCOVERY', 'PROPOSAL', 'NEGOTIATION'] as const;
type OpenStage = (typeof openStages)[number];
type Stage = OpenStage | 'CLOSED_WON' | 'CLOSED_LOST';
const likely: Readonly<Record<Stage, number>> = {
  PROSPECTING: 10,
  QUALIFICATION: 20,
  DISCOVERY: 35,
  PROPOSAL: 55,
  NEGOTIATION: 75,
  CLOSED_WON: 100,
  CLOSED_LOST: 0,
};

interface Planted {
  readonly customer: string;
  readonly name: string;
  readonly stage: Stage;
  readonly cents: number;
  /** Days from today; for a closed deal, its closing date. */
  readonly closes: number;
  /** Days before today. */
  readonly age: number;
  readonly notes?: string;
  readonly reason?: string;
}
const planted: readonly Planted[] = [
  {
    customer: 'Acme',
    name: 'Acme Cloud Migration',
    stage: 'NEGOTIATION',
    cents: 18_000_000,
    closes: 9,
    age: 96,
    notes: 'Legal has the contract; Jane expects an answer this week.',
  },
  { customer: 'Globex', name: 'Globex Analytics Rollout', stage: 'PROPOSAL', cents: 24_500_000, closes: 24, age: 81 },
  { customer: 'Initech', name: 'Initech Security Upgrade', stage: 'DISCOVERY', cents: 6_240_050, closes: 52, age: 33 },
  {
    customer: 'Umbrella',
    name: 'Umbrella Data Platform',
    stage: 'NEGOTIATION',
    cents: 31_275_000,
    closes: 13,
    age: 128,
    notes: 'Waiting for the security questionnaire.',
  },
  { customer: 'Stark', name: 'Stark Factory Automation', stage: 'QUALIFICATION', cents: 14_800_000, closes: 75, age: 21 },
  { customer: 'Hooli', name: 'Hooli Enterprise Renewal', stage: 'PROPOSAL', cents: 42_000_000, closes: 30, age: 60 },
  { customer: 'Wayne', name: 'Wayne Fleet Tracking', stage: 'PROSPECTING', cents: 3_850_000, closes: 110, age: 12 },
  {
    customer: 'Vandelay',
    name: 'Vandelay Import Portal',
    stage: 'CLOSED_WON',
    cents: 5_499_999,
    closes: -26,
    age: 140,
    reason: 'The only offer with a customs interface',
  },
  { customer: 'Soylent', name: 'Soylent Recipe Archive', stage: 'CLOSED_LOST', cents: 2_700_000, closes: -58, age: 150, reason: 'Price' },
  { customer: 'Wonka', name: 'Wonka Line Monitoring', stage: 'CLOSED_WON', cents: 7_125_000, closes: -203, age: 320 },
  { customer: 'Acme', name: 'Acme Support Plan', stage: 'CLOSED_WON', cents: 4_800_000, closes: -310, age: 372 },
  { customer: 'Globex', name: 'Globex Pilot Project', stage: 'CLOSED_WON', cents: 2_250_075, closes: -171, age: 260 },
];

const GENERATED = 600;
/** The largest age of closed deals, in days. They always cover last year. */
const PAST = 730;
const products = (
  'Data Platform,Support Contract,Cloud Migration,Analytics Suite,Mobile Rollout,Security Review,Renewal,Training ' +
  'Program,Integration Project,Reporting Portal,Warehouse Pilot,Service Desk,Inventory Module,Payment Gateway,Field Service ' +
  'App,Archive,Additional Seats,Onboarding Package,Compliance Module,Upgrade'
).split(',');
const remarks = ['Met at the spring fair.', 'Budget is approved for this year.', 'Wants a reference customer.', 'Decision by committee.'];
const wins = ['Best value', 'Fast delivery', 'Existing relationship', null, 'Features'];
const losses = ['Price', 'Went with a competitor', 'No decision', 'Budget was cut', 'Missing feature'];

interface Deal {
  readonly id: string;
  readonly customer: Customer;
  readonly name: string;
  readonly owner: Rep;
  readonly stage: Stage;
  readonly probability: number;
  readonly cents: number;
  readonly created: string;
  readonly expected: string;
  readonly closed: string | null;
  readonly notes: string | null;
  readonly reason: string | null;
}

/** The first and the last day of the quarter that is `count` quarters after the quarter of a day. */
function quarterAfter(day: string, count: number): readonly [string, string] {
  const { from, to } = quarterAt(day, CALENDAR_YEAR, count);
  return [from, to];
}
const monthOf = (day: string): readonly [string, string] => {
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
  return [dayOf(Date.UTC(year, month - 1, 1)), dayOf(Date.UTC(year, month, 0))];
};
const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
const dayWithin = ([from, to]: readonly [string, string], n: number, kind: number) =>
  shifted(from, between(0, Math.max(0, daysBetween(from, to)), n, kind));
const earlier = (a: string, b: string) => (a < b ? a : b);
const later = (a: string, b: string) => (a > b ? a : b);

/** A due day in this month, often one of its last three days, rarely before today. */
function dueThisMonth(today: string, n: number): string {
  const [first, last] = monthOf(today);
  const place = chance(n, 72);
  if (place < 0.35) return shifted(last, -between(0, 2, n, 73));
  return dayWithin(place < 0.9 ? [today, last] : [first, last], n, 74);
}
function dueDay(today: string, n: number): string | undefined {
  const roll = chance(n, 71);
  if (roll < 0.06) return dueThisMonth(today, n);
  const quarter = roll < 0.16 ? 0 : roll < 0.28 ? 1 : roll < 0.34 ? 2 : undefined;
  if (quarter === undefined) return undefined;
  const [first, last] = quarterAfter(today, quarter);
  return dayWithin([quarter === 0 ? later(first, today) : first, last], n, 75);
}
/** Deals with a nearer closing date are in a later stage. */
function stageBefore(days: number, n: number): OpenStage {
  const lows = days <= 20 ? [0, 0.03, 0.18, 0.5] : days <= 75 ? [0.1, 0.25, 0.5, 0.8] : [0.3, 0.6, 0.85, 0.97];
  const roll = chance(n, 76);
  return at(openStages, lows.filter((low) => roll >= low).length);
}

function generated(team: SalesTeam, n: number, customersInAll: number, stride: number): Deal {
  const { today, reps } = team;
  const which = (n * stride) % customersInAll;
  const customer = customerOf(team, which);
  const due = customer.status === 'CHURNED' ? undefined : dueDay(today, n);
  const closed = due === undefined ? shifted(today, -between(0, PAST, n, 77)) : null;
  const won = customer.status !== 'PROSPECT' && chance(n, 78) < 0.57;
  const stage = due === undefined ? (won ? 'CLOSED_WON' : 'CLOSED_LOST') : stageBefore(daysBetween(today, due), n);
  const cents = Math.round(32 * 50 ** chance(n, 79)) * 25_000 + (n % 5 === 2 ? between(1, 24_999, n, 80) : 0);
  return {
    id: numbered('0d100000', n + 1),
    customer,
    name: `${customer.name} ${at(products, (Math.floor(n / customersInAll) * 7 + which) % products.length)}`,
    owner: n % 6 === 4 ? at(reps, n % reps.length) : customer.owner,
    stage,
    probability: due === undefined ? likely[stage] : likely[stage] + 5 * between(-1, 1, n, 81),
    cents,
    created: shifted(earlier(today, closed ?? due ?? today), -between(closed === null ? 3 : 25, 150, n, 82)),
    expected: due ?? shifted(closed ?? today, between(-20, 25, n, 83)),
    closed,
    notes: n % 4 === 1 ? pick(remarks, n, 84) : null,
    reason: closed === null ? null : pick(won ? wins : losses, n, 85),
  };
}

function* known(team: SalesTeam): Iterable<Deal> {
  const customers = plantedCustomers(team);
  for (const [n, { customer: short, name, stage, cents, closes, age, notes, reason }] of planted.entries()) {
    const customer = at(
      customers.filter((each) => each.name.startsWith(short)),
      0,
    );
    const closed = closes < 0 ? shifted(team.today, closes) : null;
    yield {
      id: numbered('0d000000', n + 1),
      customer,
      name,
      owner: customer.owner,
      stage,
      probability: likely[stage],
      cents,
      created: shifted(team.today, -age),
      expected: shifted(team.today, closes),
      closed,
      notes: notes ?? null,
      reason: reason ?? null,
    };
  }
}

const dollars = (cents: number): number => Math.round(cents) / 100;
function documentOf(deal: Deal, n: number, { currency }: Company): SampleDocument {
  const { id, customer, name, owner, stage, probability, cents, created, expected, closed, notes, reason } = deal;
  const created_at = timeOn(created, n);
  return {
    _id: id,
    customer_id: customer.id,
    customer_name: customer.name,
    deal_name: name,
    search: spelledPlainly(`${name} ${customer.name}`),
    value: dollars(cents),
    currency,
    stage,
    probability,
    weighted_value: dollars((cents * probability) / 100),
    expected_close_date: expected,
    close_date: closed ?? expected,
    ...ownedBy(owner),
    notes,
    actual_value: stage === 'CLOSED_WON' ? dollars(cents) : null,
    close_reason: reason,
    closed_at: closed === null ? null : timeOn(closed, n),
    closed_by_name: closed === null ? null : owner.name,
    created_at,
    updated_at: closed === null ? created_at : timeOn(closed, n),
  };
}

export const dealCount = ({ scale }: SalesTeam): number => Math.max(300, Math.round(GENERATED * scale));

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
export function* deals(team: SalesTeam): Iterable<SampleDocument> {
  let n = 0;
  for (const deal of known(team)) yield documentOf(deal, n++, team.settings);
  const customersInAll = customerCount(team);
  // Consecutive deals have different customers.
  let stride = Math.floor(customersInAll * 0.618);
  while (gcd(stride, customersInAll) !== 1) stride++;
  for (let i = 0; i < dealCount(team); i++) yield documentOf(generated(team, i, customersInAll, stride), n++, team.settings);
}
