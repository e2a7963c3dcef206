/** The order of a list. */
import type { Hidden } from './fields.ts';

/** All keys have one direction, because pagination compares them as one row. The last key must be unique. */
export class Order<K extends string> {
  readonly keys: readonly K[];
  readonly direction: 'asc' | 'desc';
  constructor(direction: 'asc' | 'desc', keys: readonly K[]) {
    this.direction = direction;
    this.keys = keys;
  }
}
export const asc = <const K extends string>(...keys: readonly [K, ...K[]]) => new Order<K>('asc', keys);
export const desc = <const K extends string>(...keys: readonly [K, ...K[]]) => new Order<K>('desc', keys);

/** Keys for keyset pagination: always present, never null, never masked. */
export type Sortable<T> = {
  [K in keyof T]-?: T[K] extends number | string ? (Hidden extends T[K] ? (string extends T[K] ? K : never) : K) : never;
}[keyof T] &
  string;
