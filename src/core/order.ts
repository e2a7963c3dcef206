import type { Hidden } from './fields.ts';

/** One direction for all keys, so that one row comparison serves every store; the last key is unique. */
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

/** Keys a keyset can stand on: present, never null, never masked. */
export type Sortable<T> = {
  [K in keyof T]-?: T[K] extends number | string ? (Hidden extends T[K] ? (string extends T[K] ? K : never) : K) : never;
}[keyof T] &
  string;
