/** Sample orders with every type of value, and the groups of rows as plain code computes them. */
import { type FieldFilter, Filter, type Test } from '../../src/declare/filter.ts';
import type { Person } from '../../src/declare/people.ts';
import type { Group, GroupKey, GroupMeasure, GroupsQuery, StoreSession } from '../../src/engine/store.ts';

export interface Order {
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly team: string | null;
  readonly stage: string;
  readonly open: boolean | null;
  readonly size: number | null;
  readonly amount: number | null;
  readonly rating: number | null;
  readonly day: string | null;
  readonly at: string | null;
  /** Masked. */
  readonly pay: number | null;
  readonly note: string;
}

export const STAGES = ['NEW', 'WON', 'LOST'];
export const TEAMS = ['Berlin', 'Austin', 'berlin', 'Zürich', '$field', 'a.b', '100%', ''];
const WORDS = ['invoice', 'address', 'wrong', 'export', 'times', 'out', 'password', 'reset', 'webhook', 'delayed'];
const HOUR = 3_600_000;

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function orders(count = 300): Order[] {
  const next = numbers(18);
  const some = <T>(value: T, missing = 8): T | null => (next(missing) === 0 ? null : value);
  const pick = <T>(from: readonly T[]): T => from[next(from.length)] as T;
  return Array.from({ length: count }, (_, n) => ({
    id: `o${String(n).padStart(4, '0')}`,
    tenant: n % 4 === 3 ? 'globex' : 'acme',
    owner: n % 3 === 0 ? 'carol' : 'dan',
    team: some(pick(TEAMS)),
    stage: pick(STAGES),
    open: some(next(2) === 0),
    size: some(next(7) - 1),
    amount: some(next(500_000) / 100),
    rating: some(next(50_000) / 10_000),
    day: some(new Date(Date.UTC(2025, next(30), 1 + next(28))).toISOString().slice(0, 10)),
    at: some(new Date(Date.UTC(2026, 0, 1) + (next(24 * 60) - 300) * HOUR + pick([0, 1, 999])).toISOString()),
    pay: 1_000 + next(100),
    note: Array.from({ length: 1 + next(6) }, () => pick(WORDS)).join(' '),
  }));
}

export function someone(username: string, audience = 'everyone', shows: readonly string[] = ['pay'], tenant = 'acme'): StoreSession {
  const person: Person = {
    principal: `${tenant}:${username}`,
    sub: username,
    realm: 'staff',
    username,
    name: username,
    email: '',
    employeeId: undefined,
    organizationId: tenant,
    roles: new Set(),
  };
  return { domain: 'ledger', audience, person, shows };
}
export const carol = someone('carol');
/** Sees her own orders only, without their pay. */
export const own = someone('carol', 'own', []);
export const globex = someone('gina', 'everyone', ['pay'], 'globex');
export const outside = someone('carol', 'outside');

/** Edges between groups are moments, and PostgreSQL writes fewer digits than the others. */
const comparable = (value: unknown): unknown => (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : value);
const compare = (a: unknown, b: unknown): number => {
  const [one, two] = [comparable(a) as string, comparable(b) as string];
  return one === two ? 0 : one < two ? -1 : 1;
};
const lower = (value: unknown): string => String(value).toLowerCase();

function passes(value: unknown, test: Test): boolean {
  switch (test.op) {
    case 'is':
      return compare(value, test.value) === 0;
    case 'not':
      return compare(value, test.value) !== 0;
    case 'there':
      return value !== null;
    case 'oneOf':
      return test.value.some((each) => compare(value, each) === 0);
    case 'above':
      return value !== null && compare(value, test.value) > 0;
    case 'atLeast':
      return value !== null && compare(value, test.value) >= 0;
    case 'below':
      return value !== null && compare(value, test.value) < 0;
    case 'atMost':
      return value !== null && compare(value, test.value) <= 0;
    case 'text':
      return value !== null && lower(value) === lower(test.value);
    case 'prefix':
      return value !== null && lower(value).startsWith(lower(test.value));
    case 'part':
      return value !== null && lower(value).includes(lower(test.value));
  }
}

export function matches(row: Order, filter: Filter | FieldFilter): boolean {
  if (!(filter instanceof Filter)) return filter.tests.every((test) => passes(row[filter.field as keyof Order], test));
  return filter.how === 'all' ? filter.parts.every((part) => matches(row, part)) : filter.parts.some((part) => matches(row, part));
}

function keyOf(row: Order, { field, edges }: GroupKey): Group['keys'][number] {
  const value = row[field as keyof Order];
  if (edges === undefined || value === null) return value;
  return Math.min(
    Math.max(
      edges.findLastIndex((edge) => compare(edge, value) <= 0),
      0,
    ),
    Math.max(edges.length - 2, 0),
  );
}

function measureOf(rows: readonly Order[], measure: GroupMeasure): Group['values'][number] {
  if (measure.of === 'count' && measure.field === undefined) return rows.length;
  const values = rows.map((row) => row[measure.field as keyof Order]).filter((value) => value !== null) as (string | number)[];
  if (measure.of === 'count') return values.length;
  if (values.length === 0) return null;
  if (measure.of === 'sum') {
    const places = 10 ** measure.decimals;
    return Number(values.reduce((sum, value) => sum + BigInt(Math.round(Number(value) * places)), 0n)) / places;
  }
  const sorted = values.toSorted(compare);
  return (measure.of === 'min' ? sorted[0] : sorted.at(-1)) ?? null;
}

export function groupsOf(rows: readonly Order[], { where, by, measures }: GroupsQuery): Group[] {
  const groups = new Map<string, { keys: Group['keys']; rows: Order[] }>();
  if (by.length === 0) groups.set('[]', { keys: [], rows: [] });
  for (const row of rows.filter((each) => where === undefined || matches(each, where))) {
    const keys = by.map((key) => keyOf(row, key));
    const group = groups.get(JSON.stringify(keys)) ?? { keys, rows: [] };
    group.rows.push(row);
    groups.set(JSON.stringify(keys), group);
  }
  return [...groups.values()].map((group) => ({ keys: group.keys, values: measures.map((measure) => measureOf(group.rows, measure)) }));
}

export const inOrder = (groups: readonly Group[]): Group[] => {
  const text = ({ keys }: Group) => JSON.stringify(keys);
  return groups.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
};
