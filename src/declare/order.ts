/** The order of a list. */
import type { Hidden } from './fields.ts';

/** All keys have one direction, because pagination compares them as one row. The last key must be unique. */
export class Order<K extends string> {
  readonly keys: readonly K[];
  readonly direction: 'asc' | 'desc';
  /** The keys that can be null. Rows without a value come before all others, and last in descending order. */
  readonly nullable: readonly K[];
  constructor(direction: 'asc' | 'desc', keys: readonly K[], nullable: readonly K[] = []) {
    this.direction = direction;
    this.keys = keys;
    this.nullable = nullable;
  }
}
export const asc = <const K extends string>(...keys: readonly [K, ...K[]]) => new Order<K>('asc', keys);
export const desc = <const K extends string>(...keys: readonly [K, ...K[]]) => new Order<K>('desc', keys);

/** Keys that a caller can choose to sort by. They may be null or masked: a caller who may not see a field cannot sort by it. */
export type Choosable<T> = {
  [K in keyof T]-?: Exclude<T[K], Hidden | null | undefined> extends number | string ? K : never;
}[keyof T] &
  string;

/** Keys of a list's only order: always present, never null, never masked. */
export type Sortable<T> = {
  [K in keyof T]-?: T[K] extends number | string ? (Hidden extends T[K] ? (string extends T[K] ? K : never) : K) : never;
}[keyof T] &
  string;
