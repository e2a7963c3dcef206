/** Deterministic random numbers: the same arguments always give the same result, without state. */
const SEED = 0x7a35_11ed;

/** 0 ≤ x < 1, for the nth item of a kind. */
export function chance(n: number, kind: number): number {
  let x = (Math.imul(n + 1, 0x9e37_79b1) ^ Math.imul(kind + 1, 0x85eb_ca6b) ^ SEED) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x21f0_aaad);
  x = Math.imul(x ^ (x >>> 15), 0x735a_2d97);
  return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
}

/** A whole number from `low` to `high`, both included. */
export const between = (low: number, high: number, n: number, kind: number): number => low + Math.floor(chance(n, kind) * (high - low + 1));

export function pick<T>(from: readonly T[], n: number, kind: number): T {
  return at(from, Math.floor(chance(n, kind) * from.length));
}

/** An element that must exist. */
export function at<T>(from: readonly T[], index: number): T {
  const found = from[index];
  if (found === undefined) throw new RangeError(`There is no element ${index} of ${from.length}.`);
  return found;
}
