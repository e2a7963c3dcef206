/** Sums of money, in whole cents: floating point would lose some. */
export const toCents = (amount: number): number => Math.round(amount * 100);
export const fromCents = (cents: number): number => cents / 100;

export const sumOf = (amounts: readonly number[]): number => fromCents(amounts.reduce((cents, amount) => cents + toCents(amount), 0));

/**
 * Shares a total among parts in their present proportion, to the cent: they add up to it exactly, and none is more than a cent
 * from its due. Where all are nothing, all get the same.
 */
export function shared(total: number, parts: readonly number[]): number[] {
  const whole = BigInt(toCents(total));
  const given = parts.map((part) => BigInt(toCents(part)));
  const sum = given.reduce((all, part) => all + part, 0n);
  const weights = sum === 0n ? given.map(() => 1n) : given;
  const of = sum === 0n ? BigInt(parts.length) : sum;
  const floors = weights.map((weight) => (whole * weight) / of);
  const left = Number(whole - floors.reduce((all, part) => all + part, 0n));
  // The cents that are left go where rounding down took the most.
  const byLoss = weights
    .map((weight, which) => ({ which, loss: (whole * weight) % of }))
    .toSorted((a, b) => (a.loss === b.loss ? a.which - b.which : a.loss > b.loss ? -1 : 1));
  const extra = new Set(byLoss.slice(0, left).map(({ which }) => which));
  return floors.map((part, which) => fromCents(Number(part) + (extra.has(which) ? 1 : 0)));
}

const plain = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** As a card says it: "12,340.00 USD". */
export const usd = (amount: number): string => `${plain.format(amount)} USD`;
