/** Checks which fields of a search collection may form groups and be measured, and converts edges to stored values. */
import type { Group, GroupKey, GroupMeasure, GroupsQuery } from '../../engine/store.ts';
import { type Hidden, plainField, type RowsQuery, type Shape, storedValue } from './shape.ts';

/** The rows that `find` would return without a limit, and what is asked about them. */
export interface GroupsAsked extends RowsQuery, Omit<GroupsQuery, 'where'> {}

function singleField(shape: Shape, name: string, hidden: Hidden) {
  const field = plainField(shape, name, hidden);
  if (field.many) throw new Error(`${name} is a list`);
  return field;
}

function checkedKey(shape: Shape, key: GroupKey, hidden: Hidden): GroupKey {
  const field = singleField(shape, key.field, hidden);
  if (key.edges === undefined) return key;
  if (key.type === 'plain' || (field.is !== 'time' && field.is !== 'word')) throw new Error(`edges need days or times: ${key.field}`);
  return { ...key, edges: key.edges.map((edge) => String(storedValue(field, edge))) };
}

function checkMeasure(shape: Shape, { of, field: name }: GroupMeasure, hidden: Hidden): void {
  if (name === undefined) return;
  const { is } = singleField(shape, name, hidden);
  if ((of === 'sum' && is !== 'number') || (of !== 'count' && is === 'flag')) throw new Error(`${name} has no ${of}`);
}

export function checkedGroups(rows: RowsQuery, { by, measures, most }: GroupsQuery, hidden: Hidden): GroupsAsked {
  for (const measure of measures) checkMeasure(rows.shape, measure, hidden);
  return { ...rows, by: by.map((key) => checkedKey(rows.shape, key, hidden)), measures, most };
}

/** The inner edges alone put a value outside the edges into the first or the last group. */
export const innerEdges = ({ edges = [] }: GroupKey): readonly string[] => edges.slice(1, -1);

export type KeyValue = Group['keys'][number];
export type MeasureValue = Group['values'][number];
