/** Keyset pagination for orders whose keys can be null: the condition for the rows after a row, and the keys of a row. */
import { HIDDEN } from '../../declare/display.ts';
import { type Filter, filters, is, NONE } from '../../declare/filter.ts';
import type { Order } from '../../declare/order.ts';
import type { Row } from '../../declare/rows.ts';
import type { Window } from '../store.ts';
import type { KeyPart } from './cursor.ts';

const { where, all, any } = filters;

function beyond({ direction, nullable }: Order<string>, key: string, value: KeyPart): Filter {
  if (direction === 'asc') return where({ [key]: value === null ? is.there : is.above(value) });
  if (value === null) return NONE;
  const below = where({ [key]: is.below(value) });
  return nullable.includes(key) ? any(below, where({ [key]: null })) : below;
}

/** The rows after these keys. A row without a value counts as the lowest. */
export const rowsAfter = (order: Order<string>, after: readonly KeyPart[]): Filter =>
  any(
    ...order.keys.map((key, at) =>
      all(...order.keys.slice(0, at).map((same, n) => where({ [same]: after[n] ?? null })), beyond(order, key, after[at] ?? null)),
    ),
  );

/** Stores compare keys as one row, which null does not allow. Then the place in the list becomes a condition. */
export function withoutNulls({ order, after, take, where: given }: Window): Window {
  if (after === undefined || order.nullable.length === 0) return { order, after, take, where: given };
  const past = rowsAfter(order, after);
  return { order, after: undefined, take, where: given === undefined ? past : all(given, past) };
}

/** An answer shows a masked null as hidden, also to callers who may see the field. */
export const keysOf = ({ keys, nullable }: Order<string>, row: Row): KeyPart[] =>
  keys.map((key) => (nullable.includes(key) && (row[key] === HIDDEN || row[key] === undefined) ? null : (row[key] as KeyPart)));
