/** Translates groups and measures to stages of a MongoDB aggregation, for documents and search collections. */
import { type FieldFilter, Filter, fieldName } from '../../declare/filter.ts';
import type { Row } from '../../declare/rows.ts';
import type { Group, GroupKey, GroupMeasure, GroupsQuery } from '../../engine/store.ts';
import type { Query } from './database.ts';

type Expression = unknown;

const literal = (value: unknown): Expression => ({ $literal: value });
/** Null if the field is absent. */
const valueOf = (path: string): Expression => ({ $ifNull: [`$${path}`, null] });
const isThere = (path: string): Expression => ({ $cond: [{ $eq: [valueOf(path), null] }, 0, 1] });

/** A binary search among the edges: the number of edges that are not above the value. */
function edgesUpTo(path: string, edges: readonly string[], first = 0): Expression {
  if (edges.length === 0) return literal(first);
  const middle = edges.length >> 1;
  return {
    $cond: [
      { $lt: [`$${path}`, literal(edges[middle])] },
      edgesUpTo(path, edges.slice(0, middle), first),
      edgesUpTo(path, edges.slice(middle + 1), first + middle + 1),
    ],
  };
}

/** The outer edges are left out. A value beyond them then belongs to the first or the last group. */
function keyOf({ type, edges, field }: GroupKey, path: string): Expression {
  if (edges === undefined) return valueOf(path);
  if (type === 'plain') throw new Error(`edges need days or times: ${field}`);
  return { $cond: [{ $eq: [valueOf(path), null] }, null, edgesUpTo(path, edges.slice(1, -1))] };
}

/** Sums add whole numbers, because sums of fractions are inexact. */
function accumulators(measure: GroupMeasure, path: string, name: string): Query {
  if (measure.of === 'count') return { [name]: { $sum: measure.field === undefined ? 1 : isThere(path) } };
  if (measure.of !== 'sum') return { [name]: { [`$${measure.of}`]: `$${path}` } };
  return { [name]: { $sum: { $round: [{ $multiply: [`$${path}`, 10 ** measure.decimals] }, 0] } }, [`${name}n`]: { $sum: isThere(path) } };
}

function resultOf(measure: GroupMeasure, name: string, row: Row): Group['values'][number] {
  const value = (row[name] ?? null) as Group['values'][number];
  if (measure.of === 'count') return Number(value ?? 0);
  if (measure.of !== 'sum') return value;
  return Number(row[`${name}n`] ?? 0) === 0 ? null : Number(value) / 10 ** measure.decimals;
}

export interface GroupStages {
  readonly stages: readonly Query[];
  groupsOf(found: readonly Row[]): Group[];
}

/** These stages follow the stages that select the rows. `pathOf` returns where a field is stored. */
export function groupStages({ by, measures, most }: Omit<GroupsQuery, 'where'>, pathOf: (field: string) => string): GroupStages {
  const path = (field: string) => fieldName(pathOf(field));
  const id = Object.fromEntries(by.map((key, i) => [`k${i}`, keyOf(key, path(key.field))]));
  const sums = measures.map((measure, i) => accumulators(measure, measure.field === undefined ? '' : path(measure.field), `m${i}`));
  const groupOf = (row: Row): Group => ({
    keys: by.map((_, i) => ((row['_id'] as Row)[`k${i}`] ?? null) as Group['keys'][number]),
    values: measures.map((measure, i) => resultOf(measure, `m${i}`, row)),
  });
  return {
    stages: [{ $group: { _id: by.length === 0 ? null : id, ...Object.assign({}, ...sums) } }, { $limit: most + 1 }],
    groupsOf: (found) => (by.length === 0 && found.length === 0 ? [groupOf({})] : found.map(groupOf)),
  };
}

/** All fields that the filter names. */
export const fieldsOf = (filter: Filter | FieldFilter): string[] =>
  filter instanceof Filter ? filter.parts.flatMap(fieldsOf) : [filter.field];

export const namedFields = ({ where, by, measures }: GroupsQuery): string[] => [
  ...(where === undefined ? [] : fieldsOf(where)),
  ...by.map(({ field }) => field),
  ...measures.flatMap(({ field }) => field ?? []),
];
