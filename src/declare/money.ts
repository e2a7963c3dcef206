/** Adds amounts of money in whole cents, because floating point is not exact. */
export const toCents = (amount: number): number => Math.round(amount * 100);
export const fromCents = (cents: number): number => cents / 100;

export const sumOf = (amounts: readonly number[]): number => fromCents(amounts.reduce((cents, amount) => cents + toCents(amount), 0));

const plain = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
/** For cards: "12,340.00 USD". */
export const usd = (amount: number): string => `${plain.format(amount)} USD`;
