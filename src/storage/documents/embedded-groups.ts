/** Groups documents and computes their measures in memory. The aggregation of mingo takes ten times as long. */
import { fieldName } from '../../declare/filter.ts';
import type { Row } from '../../declare/rows.ts';
import type { Group, GroupKey, GroupMeasure, GroupsQuery } from '../../engine/store.ts';

type Value = string | number | boolean | null;
type Read = (row: Row) => Value;

function readerOf(field: string): Read {
  const [first = '', ...inside] = fieldName(field).split('.');
  if (inside.length === 0) return (row) => (row[first] ?? null) as Value;
  return (row) => (inside.reduce<unknown>((at, name) => (at as Row | null | undefined)?.[name], row[first]) as Value | undefined) ?? null;
}

/** The number of edges that are not above the value, by binary search. */
function edgesUpTo(edges: readonly string[], value: Value): number {
  let [from, to] = [0, edges.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((value as string) < (edges[middle] as string)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function keyOf({ field, type, edges }: GroupKey): Read {
  const read = readerOf(field);
  if (edges === undefined) return read;
  if (type === 'plain') throw new Error(`edges need days or times: ${field}`);
  // The outer edges are left out. A value beyond them then belongs to the first or the last group.
  const inner = edges.slice(1, -1);
  return (row) => {
    const value = read(row);
    return value === null ? null : edgesUpTo(inner, value);
  };
}

interface Tally {
  add(row: Row): void;
  value(): string | number | null;
}

function tallyOf(measure: GroupMeasure): () => Tally {
  if (measure.of === 'count') {
    const counts: Read = measure.field === undefined ? () => true : readerOf(measure.field);
    return () => {
      let rows = 0;
      return { add: (row) => void (counts(row) !== null && rows++), value: () => rows };
    };
  }
  const read = readerOf(measure.field);
  if (measure.of === 'sum') {
    // Sums add whole numbers, because sums of fractions are inexact.
    const places = 10 ** measure.decimals;
    return () => {
      let sum: number | null = null;
      return {
        add(row) {
          const value = read(row);
          if (value !== null) sum = (sum ?? 0) + Math.round(Number(value) * places);
        },
        value: () => (sum === null ? null : sum / places),
      };
    };
  }
  const isBetter =
    measure.of === 'min' ? (a: Value, b: Value) => (a as string) < (b as string) : (a: Value, b: Value) => (a as string) > (b as string);
  return () => {
    let best: Value = null;
    return {
      add(row) {
        const value = read(row);
        if (value !== null && (best === null || isBetter(value, best))) best = value;
      },
      value: () => best as string | number | null,
    };
  };
}

export function groupsIn(rows: readonly Row[], { by, measures, most }: Omit<GroupsQuery, 'where'>): Group[] {
  const keys = by.map(keyOf);
  const tallies = measures.map(tallyOf);
  const groups = new Map<string, { readonly keys: Value[]; readonly tallies: readonly Tally[] }>();
  const begin = (values: Value[]) => ({ keys: values, tallies: tallies.map((tally) => tally()) });
  if (by.length === 0) groups.set('[]', begin([]));
  for (const row of rows) {
    const values = keys.map((key) => key(row));
    const name = JSON.stringify(values);
    let group = groups.get(name);
    if (group === undefined) {
      if (groups.size > most) continue;
      groups.set(name, (group = begin(values)));
    }
    for (const tally of group.tallies) tally.add(row);
  }
  return [...groups.values()].map((group) => ({ keys: group.keys, values: group.tallies.map((tally) => tally.value()) }));
}
