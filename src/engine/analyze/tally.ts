/** The exact figures of one group, which can be merged with those of other groups. Sums are whole numbers, such as cents. */
import { type Company, dayIn } from '../../declare/company.ts';
import type { FieldType, ListField } from '../../declare/list-fields.ts';
import type { Measure } from './question.ts';

export type Value = string | number | boolean | null;

export interface FieldTally {
  /** The rows in which the field has a value. */
  readonly count: number;
  readonly sum: number | null;
  readonly min: string | number | null;
  readonly max: string | number | null;
  /** Each value with the number of its rows, for distinct and median. */
  readonly values: ReadonlyMap<string | number | boolean, number>;
}
export interface Tally {
  readonly rows: number;
  readonly fields: ReadonlyMap<string, FieldTally>;
}
export const NO_ROWS: Tally = { rows: 0, fields: new Map() };
export const NO_VALUES: FieldTally = { count: 0, sum: null, min: null, max: null, values: new Map() };

/** The decimal places of a field's values. */
export const placesOf = (type: FieldType): number => (type === 'money' ? 2 : type === 'whole' ? 0 : 4);
/** The decimal places of an average or a median. */
const RESULT_PLACES: Readonly<Partial<Record<FieldType, number>>> = { money: 2 };
const resultPlaces = (type: FieldType): number => RESULT_PLACES[type] ?? 4;
/** Adds 0, so that -0 becomes 0. */
const rounded = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places + 0;

const least = <T extends string | number>(a: T | null, b: T | null): T | null => (a === null || (b !== null && b < a) ? b : a);
const greatest = <T extends string | number>(a: T | null, b: T | null): T | null => (a === null || (b !== null && b > a) ? b : a);

function mergedField(a: FieldTally, b: FieldTally): FieldTally {
  const values = new Map(a.values);
  for (const [value, count] of b.values) values.set(value, (values.get(value) ?? 0) + count);
  return {
    count: a.count + b.count,
    sum: a.sum === null ? b.sum : a.sum + (b.sum ?? 0),
    min: least(a.min, b.min),
    max: greatest(a.max, b.max),
    values,
  };
}

export function merged(tallies: readonly Tally[]): Tally {
  const fields = new Map<string, FieldTally>();
  for (const each of tallies) for (const [name, tally] of each.fields) fields.set(name, mergedField(fields.get(name) ?? NO_VALUES, tally));
  return { rows: tallies.reduce((sum, { rows }) => sum + rows, 0), fields };
}

/** Rounds a value in units of the field's last place, such as cents, half up. */
function scaled(units: number, type: FieldType): number {
  const places = resultPlaces(type);
  return Math.round(units * 10 ** (places - placesOf(type))) / 10 ** places + 0;
}

function medianOf({ type }: ListField, { count, values }: FieldTally): number | null {
  if (count === 0) return null;
  const sorted = ([...values] as [number, number][]).toSorted(([a], [b]) => a - b);
  const at = (place: number): number => {
    let before = 0;
    return sorted.find(([, times]) => (before += times) > place)?.[0] ?? 0;
  };
  const scale = 10 ** placesOf(type);
  const both = Math.round(at((count - 1) >> 1) * scale) + Math.round(at(count >> 1) * scale);
  return scaled(both / 2, type);
}

function averageOf({ type }: ListField, { count, sum }: FieldTally): number | null {
  if (count === 0 || sum === null) return null;
  return scaled(sum / count, type);
}

const sumOf = ({ type }: ListField, { sum }: FieldTally): number | null => (sum === null ? null : sum / 10 ** placesOf(type));
const limitOf = ({ type }: ListField, value: string | number | null, { timeZone }: Company): Value =>
  type === 'time' && value !== null ? dayIn(timeZone, new Date(value)) : value;

/** Part and whole of a share. */
const portionOf = (field: ListField | undefined, tally: Tally): number | null =>
  field === undefined ? tally.rows : (tally.fields.get(field.name)?.sum ?? null);

const SHARE_PLACES = 4;
/** `whole` has the figures of all groups together. */
export function valueOf({ fn, field }: Measure, tally: Tally, { whole, company }: { whole: Tally; company: Company }): Value {
  if (fn === 'share') {
    const [part, all] = [portionOf(field, tally), portionOf(field, whole)];
    return part === null || all === null || all === 0 ? null : rounded(part / all, SHARE_PLACES);
  }
  if (field === undefined) return tally.rows;
  const own = tally.fields.get(field.name) ?? NO_VALUES;
  if (fn === 'distinct') return own.values.size;
  if (fn === 'sum') return sumOf(field, own);
  if (fn === 'avg') return averageOf(field, own);
  if (fn === 'median') return medianOf(field, own);
  return limitOf(field, fn === 'min' ? own.min : own.max, company);
}

/** By how much a figure has changed, as a part of its previous value. */
export function changeOf(now: Value, before: Value): number | null {
  if (typeof now !== 'number' || typeof before !== 'number' || before === 0) return null;
  return rounded((now - before) / Math.abs(before), SHARE_PLACES);
}
