/** Translates conditions on rows, and groups with their measures, to SQL over the query of a list. Values are parameters. */
import { FieldFilter, Filter, type Scalar, type Test } from '../../declare/filter.ts';
import type { Row } from '../../declare/rows.ts';
import { anywhere, sql, SqlText } from '../../declare/sql.ts';
import type { Group, GroupKey, GroupMeasure, GroupsQuery } from '../../engine/store.ts';

const EVERY_ROW = sql`true`;
const NO_ROW = sql`false`;

/** With a dot, the name could mean a column of another relation. */
function columnOf(name: string): SqlText {
  if (name.includes('.')) throw new Error(`not a column name: ${name}`);
  return sql.ref(name);
}

const joined = (by: ' and ' | ' or ', parts: readonly SqlText[]): SqlText =>
  new SqlText(['(', ...parts.slice(1).map(() => by), ')'], parts);

/** A text parameter gets the type of the column. An index on any integer type can serve an int8. */
const castOf = (value: Scalar): '' | '::int8' | '::numeric' =>
  typeof value !== 'number' ? '' : Number.isSafeInteger(value) ? '::int8' : '::numeric';
const operand = (value: Scalar): SqlText => new SqlText(['', castOf(value)], [value]);

/** PostgreSQL refuses NUL in a text, so no stored text contains it. */
const isStorable = (value: Scalar): boolean => typeof value !== 'string' || !value.includes('\0');

function oneOf(column: SqlText, values: readonly Scalar[]): SqlText {
  const given = values.filter((value) => value !== null && isStorable(value));
  const ways = [...new Set(given.map(castOf))].map((cast) => {
    const list = new SqlText(['', cast && `${cast}[]`], [given.filter((value) => castOf(value) === cast)]);
    return sql`${column} = any (${list})`;
  });
  if (values.includes(null)) ways.push(sql`${column} is null`);
  return ways.length === 0 ? NO_ROW : joined(' or ', ways);
}

const SIGNS = { above: sql`>`, atLeast: sql`>=`, below: sql`<`, atMost: sql`<=` } as const;
const PATTERNS = {
  text: (value: string) => anywhere(value).slice(1, -1),
  prefix: (value: string) => anywhere(value).slice(1),
  part: anywhere,
} as const;

function testOf(column: SqlText, test: Test): SqlText {
  switch (test.op) {
    case 'is':
      if (test.value === null) return sql`${column} is null`;
      return isStorable(test.value) ? sql`${column} = ${operand(test.value)}` : NO_ROW;
    case 'not':
      if (test.value === null) return sql`${column} is not null`;
      return isStorable(test.value) ? sql`${column} is distinct from ${operand(test.value)}` : EVERY_ROW;
    case 'there':
      return sql`${column} is not null`;
    case 'oneOf':
      return oneOf(column, test.value);
    case 'text':
    case 'prefix':
    case 'part':
      // The collation "C" of some columns ignores case for ASCII letters only.
      return isStorable(test.value) ? sql`${column}::text collate "default" ilike ${PATTERNS[test.op](test.value)}` : NO_ROW;
    case 'above':
    case 'atLeast':
    case 'below':
    case 'atMost':
      return isStorable(test.value) ? sql`${column} ${SIGNS[test.op]} ${operand(test.value)}` : NO_ROW;
  }
}

export function conditionOf(filter: Filter | FieldFilter): SqlText {
  if (filter instanceof FieldFilter) {
    const column = columnOf(filter.field);
    return joined(
      ' and ',
      filter.tests.map((test) => testOf(column, test)),
    );
  }
  if (!(filter instanceof Filter)) throw new Error('not a filter');
  if (filter.parts.length === 0) return filter.how === 'all' ? EVERY_ROW : NO_ROW;
  return joined(filter.how === 'all' ? ' and ' : ' or ', filter.parts.map(conditionOf));
}

const EDGE_TYPES = { day: sql`date[]`, time: sql`timestamptz[]` } as const;

/** The outer edges are left out. A value beyond them then belongs to the first or the last group. */
function keyOf({ field, type, edges }: GroupKey): SqlText {
  if (edges === undefined) return columnOf(field);
  if (type === 'plain') throw new Error(`edges need days or times: ${field}`);
  return sql`width_bucket(${columnOf(field)}, ${edges.slice(1, -1)}::${EDGE_TYPES[type]})`;
}

/** Sums of floating-point numbers are inexact, so they are added as decimals. */
function measureOf(measure: GroupMeasure): SqlText {
  if (measure.of === 'count') return measure.field === undefined ? sql`count(*)` : sql`count(${columnOf(measure.field)})`;
  const column = columnOf(measure.field);
  if (measure.of === 'sum') return sql`round(sum(${column}::numeric), ${measure.decimals}::int)`;
  return measure.of === 'min' ? sql`min(${column})` : sql`max(${column})`;
}

/** The limit is part of the text: for a parameter, the planner would plan for a tenth of the groups. */
function limited(most: number): SqlText {
  if (!Number.isSafeInteger(most) || most < 0) throw new Error(`not a number of groups: ${most}`);
  return new SqlText([` limit ${most + 1}`], []);
}

const named = (prefix: 'k' | 'm', parts: readonly SqlText[]): SqlText[] =>
  parts.map((part, i) => sql`${part} as ${sql.ref(`${prefix}${i}`)}`);

export function grouped(query: SqlText, { where, by, measures, most }: GroupsQuery): SqlText {
  const columns = [...named('k', by.map(keyOf)), ...named('m', measures.map(measureOf))];
  const rows = sql`select ${sql.list(columns)} from (${query}) page where ${where === undefined ? EVERY_ROW : conditionOf(where)}`;
  if (by.length === 0) return rows;
  // Groups by position, because a name would mean a column of the query.
  const positions = by.map((_, i) => new SqlText([String(i + 1)], []));
  return sql`${rows} group by ${sql.list(positions)}${limited(most)}`;
}

export const groupOf =
  ({ by, measures }: GroupsQuery) =>
  (row: Row): Group => ({
    keys: by.map((_, i) => row[`k${i}`] as Group['keys'][number]),
    values: measures.map((_, i) => row[`m${i}`] as Group['values'][number]),
  });
