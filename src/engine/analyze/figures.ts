/** Asks the store for the figures of each group. The number of groups and values has a bound. */
import { type Company, dayIn, startOfDay } from '../../declare/company.ts';
import { Failure, failure } from '../../declare/errors.ts';
import { type Filter, filters, is } from '../../declare/filter.ts';
import type { Period } from '../../declare/fiscal.ts';
import type { ListField } from '../../declare/list-fields.ts';
import type { Queries, StoreKind } from '../../declare/store-kinds.ts';
import type { CallSession, Group, GroupKey, GroupMeasure, Store } from '../store.ts';
import { addDays, type Range, periodsBetween, type Unit } from './periods.ts';
import { type Grouping, isPeriod, type Question } from './question.ts';
import { type FieldTally, merged, NO_ROWS, NO_VALUES, placesOf, type Tally, type Value } from './tally.ts';

export const MOST_GROUPS = 1_000;
/** For distinct and median, the store returns each value of each group. */
export const MOST_VALUES = 10_000;

export interface FigureGroup {
  /** One key for each grouping; a period has its label. */
  readonly keys: readonly Value[];
  readonly tally: Tally;
}
export interface Figures {
  readonly groups: readonly FigureGroup[];
  readonly whole: Tally;
  /** The periods of each grouping; undefined for the other groupings. */
  readonly periods: readonly (readonly Period[] | undefined)[];
}

export interface Asking {
  readonly store: Store<StoreKind>;
  readonly session: CallSession;
  readonly query: Queries[StoreKind];
  readonly where: Filter | undefined;
  readonly today: string;
  /** The range that the filters set for each date field. */
  readonly ranges: ReadonlyMap<string, Partial<Range>>;
  /** Filters that the question does not use yet. Error messages suggest them. */
  readonly helpful: readonly string[];
}

function tooMany(what: string, { helpful }: Asking): Failure {
  const narrower = helpful.length === 0 ? '' : `, or narrow where by ${helpful.join(', ')}`;
  return failure('TOO_MANY_GROUPS', `There are more than ${what}. Use fewer groups or longer periods${narrower}.`);
}

async function groupsOf(asking: Asking, asked: { by: readonly GroupKey[]; measures: readonly GroupMeasure[]; most: number }) {
  const { store, session, query, where, helpful } = asking;
  try {
    return await store.groups(session, query, { where, ...asked });
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'TIMEOUT' || helpful.length === 0) throw error;
    throw failure('TIMEOUT', `The figures took too long. Narrow where by ${helpful.join(', ')}.`);
  }
}

type Limits = ReadonlyMap<string, Range>;

/** The days around today that the first query covers. Values outside of them need a second query. */
const USUAL: Readonly<Record<Unit, { readonly before: number; readonly after: number }>> = {
  day: { before: 400, after: 100 },
  week: { before: 1_826, after: 366 },
  month: { before: 5_479, after: 1_096 },
  quarter: { before: 7_305, after: 1_826 },
  year: { before: 18_263, after: 7_305 },
};

const isEdged = ({ field, unit }: Grouping): boolean => unit !== undefined && !(field.type === 'day' && unit === 'day');

function usualPeriods({ field, unit = 'day' }: Grouping, { today, ranges, session: { company } }: Asking): Period[] {
  const { before, after } = USUAL[unit];
  const usual = { from: addDays(today, -before), to: addDays(today, after) };
  const { from, to } = ranges.get(field.name) ?? {};
  const options = { calendar: company, most: MOST_GROUPS };
  const asked = from === undefined || to === undefined ? undefined : periodsBetween({ from, to }, unit, options);
  return asked ?? periodsBetween(usual, unit, options) ?? [];
}

const edgeOf = ({ type }: ListField, day: string, { timeZone }: Company): string =>
  type === 'time' ? startOfDay(timeZone, day).toISOString() : day;

function keyOf({ field }: Grouping, periods: readonly Period[] | undefined, company: Company): GroupKey {
  if (periods === undefined) return { field: field.name, type: 'plain' };
  const days = [...periods.map(({ from }) => from), addDays(periods.at(-1)?.to ?? '', 1)];
  return { field: field.name, type: field.type === 'time' ? 'time' : 'day', edges: days.map((day) => edgeOf(field, day, company)) };
}

interface Wanted {
  readonly measures: readonly GroupMeasure[];
  /** The fields whose values the store returns. */
  readonly values: readonly ListField[];
}

function wantedBy({ measures, groupings }: Question): Wanted {
  const wanted = new Map<string, GroupMeasure>([['count', { of: 'count' }]]);
  const want = (measure: GroupMeasure & { field: string }) => void wanted.set(`${measure.of} ${measure.field}`, measure);
  for (const { fn, field } of measures) {
    if (field === undefined) continue;
    const { name, type } = field;
    if (fn === 'sum' || fn === 'avg' || fn === 'share') want({ of: 'sum', field: name, decimals: placesOf(type) });
    if (fn === 'avg') want({ of: 'count', field: name });
    if (fn === 'min' || fn === 'max') want({ of: fn, field: name });
  }
  // The least and greatest value show whether the periods cover all rows.
  for (const { field } of groupings.filter(isEdged)) for (const of of ['min', 'max'] as const) want({ of, field: field.name });
  const values = measures.flatMap(({ fn, field }) => (field !== undefined && (fn === 'distinct' || fn === 'median') ? [field] : []));
  return { measures: [...wanted.values()], values: [...new Set(values)] };
}

function tallyOf({ measures }: Wanted, { values }: Group): Tally {
  const fields = new Map<string, FieldTally>();
  let rows = 0;
  for (const [at, measure] of measures.entries()) {
    const value = values[at] ?? null;
    if (measure.field === undefined) {
      rows = Number(value ?? 0);
      continue;
    }
    const known = fields.get(measure.field) ?? NO_VALUES;
    const sum = measure.of === 'sum' && value !== null ? Math.round(Number(value) * 10 ** measure.decimals) : value;
    fields.set(measure.field, { ...known, [measure.of]: measure.of === 'count' ? Number(value ?? 0) : sum });
  }
  return { rows, fields };
}

/** The first and the last day of each field with edges. */
function limitsIn(tally: Tally, groupings: readonly Grouping[], company: Company): Limits {
  const day = ({ type }: ListField, value: string | number) => (type === 'time' ? dayIn(company.timeZone, new Date(value)) : String(value));
  return new Map(
    groupings.filter(isEdged).flatMap(({ field }) => {
      const { min = null, max = null } = tally.fields.get(field.name) ?? {};
      return min === null || max === null ? [] : [[field.name, { from: day(field, min), to: day(field, max) }] as const];
    }),
  );
}

const UNIT_NAMES: Readonly<Record<Unit, string>> = { day: 'days', week: 'weeks', month: 'months', quarter: 'quarters', year: 'years' };

/** Periods that cover all values; undefined if the used periods already do. */
function widerPeriods(
  asking: Asking,
  groupings: readonly Grouping[],
  { used, limits }: { readonly used: Figures['periods']; readonly limits: Limits },
) {
  const isWithin = (periods: readonly Period[], { from, to }: Range) =>
    from >= (periods[0]?.from ?? '') && to <= (periods.at(-1)?.to ?? '');
  const options = { calendar: asking.session.company, most: MOST_GROUPS };
  let isChanged = false;
  const periods = groupings.map(({ field, unit = 'day' }, at) => {
    const [own, limit] = [used[at], limits.get(field.name)];
    if (own === undefined || limit === undefined || isWithin(own, limit)) return own;
    isChanged = true;
    const wider = periodsBetween(limit, unit, options);
    if (wider !== undefined) return wider;
    const helpful = [field.name, ...asking.helpful.filter((name) => name !== field.name)];
    throw tooMany(`${MOST_GROUPS.toLocaleString('en')} ${UNIT_NAMES[unit]} of ${field.name}`, { ...asking, helpful });
  });
  return isChanged ? periods : undefined;
}

const isAllowed = (key: Value | undefined): key is Exclude<Value, null> => key !== null && key !== undefined;
const nameOf = (keys: readonly Value[]): string => JSON.stringify(keys);

async function addValues(
  asking: Asking,
  by: readonly GroupKey[],
  { field, into }: { readonly field: ListField; readonly into: Map<string, Map<string, FieldTally>> },
) {
  const key: GroupKey = { field: field.name, type: 'plain' };
  const found = await groupsOf(asking, { by: [...by, key], measures: [{ of: 'count' }], most: MOST_VALUES });
  if (found.length > MOST_VALUES) throw tooMany(`${MOST_VALUES.toLocaleString('en')} values of ${field.name}`, asking);
  const byGroup = new Map<string, Map<Exclude<Value, null>, number>>();
  for (const { keys, values } of found) {
    const value = keys.at(-1);
    if (!isAllowed(value)) continue;
    const name = nameOf(keys.slice(0, -1));
    const counts = byGroup.get(name) ?? new Map<Exclude<Value, null>, number>();
    byGroup.set(name, counts.set(value, Number(values[0])));
  }
  for (const [name, values] of byGroup) {
    const fields = into.get(name) ?? new Map<string, FieldTally>();
    const count = [...values.values()].reduce((sum, times) => sum + times, 0);
    into.set(name, fields.set(field.name, { ...NO_VALUES, count, values }));
  }
}

/** Computes the figures of all groups. The caller sorts them and applies the limit. */
export async function figuresOf(asking: Asking, question: Question): Promise<Figures> {
  const { groupings } = question;
  const { company } = asking.session;
  const wanted = wantedBy(question);
  let periods: Figures['periods'] = groupings.map((grouping) => (isEdged(grouping) ? usualPeriods(grouping, asking) : undefined));
  const keys = () => groupings.map((grouping, at) => keyOf(grouping, periods[at], company));
  const ask = async () => {
    const groups = await groupsOf(asking, { by: keys(), measures: wanted.measures, most: MOST_GROUPS });
    if (groups.length > MOST_GROUPS) throw tooMany(`${MOST_GROUPS.toLocaleString('en')} groups`, asking);
    return groups;
  };
  let found = await ask();
  const whole = (): Tally => merged(found.map((group) => tallyOf(wanted, group)));
  const wider = widerPeriods(asking, groupings, { used: periods, limits: limitsIn(whole(), groupings, company) });
  if (wider !== undefined) {
    periods = wider;
    found = await ask();
  }
  const values = new Map<string, Map<string, FieldTally>>();
  for (const field of wanted.values) await addValues(asking, keys(), { field, into: values });
  const groups = found.map((group): FigureGroup => {
    const tally = tallyOf(wanted, group);
    const fields = new Map(tally.fields);
    for (const [name, { count, values: each }] of values.get(nameOf(group.keys)) ?? [])
      fields.set(name, { ...(fields.get(name) ?? NO_VALUES), count, values: each });
    const labels = group.keys.map((key, at) => (key === null ? null : (periods[at]?.[Number(key)]?.label ?? key)));
    return { keys: labels, tally: { ...tally, fields } };
  });
  return { groups, whole: groups.length === 0 ? NO_ROWS : merged(groups.map(({ tally }) => tally)), periods };
}

/** Rows whose field is within these days. */
export function withinDays(field: ListField, { from, to }: Range, company: Company): Filter {
  if (!isPeriod(field)) throw new Error(`${field.name} has no days`);
  const edge = (day: string) => edgeOf(field, day, company);
  return filters.all(
    filters.where({ [field.name]: is.atLeast(edge(from)) }),
    filters.where({ [field.name]: is.below(edge(addDays(to, 1))) }),
  );
}
