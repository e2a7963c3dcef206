/** Divides an amount of money without losing a cent. */
import { fromCents, toCents } from '../../src/declare/money.ts';

/** Divides `total` in proportion to `parts`; the results add up exactly. If all parts are zero, the shares are equal, to the cent. */
export function shared(total: number, parts: readonly number[]): number[] {
  const whole = BigInt(toCents(total));
  const given = parts.map((part) => BigInt(toCents(part)));
  const sum = given.reduce((all, part) => all + part, 0n);
  const weights = sum === 0n ? given.map(() => 1n) : given;
  const of = sum === 0n ? BigInt(parts.length) : sum;
  const floors = weights.map((weight) => (whole * weight) / of);
  const left = Number(whole - floors.reduce((all, part) => all + part, 0n));
  // The remaining cents go to the parts with the largest remainders.
  const byLoss = weights
    .map((weight, which) => ({ which, loss: (whole * weight) % of }))
    .toSorted((a, b) => (a.loss === b.loss ? a.which - b.which : a.loss > b.loss ? -1 : 1));
  const extra = new Set(byLoss.slice(0, left).map(({ which }) => which));
  return floors.map((part, which) => fromCents(Number(part) + (extra.has(which) ? 1 : 0)));
}
