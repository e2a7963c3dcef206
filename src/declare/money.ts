/** Adds amounts of money in whole cents, because floating point is not exact, and formats them in the company's currency. */
import { type Company, decimalsOf } from './company.ts';

export const toCents = (amount: number): number => Math.round(amount * 100);
export const fromCents = (cents: number): number => cents / 100;

export const sumOf = (amounts: readonly number[]): number => fromCents(amounts.reduce((cents, amount) => cents + toCents(amount), 0));

const formats = new Map<string, Intl.NumberFormat>();
function formatOf(
  currency: string,
  style: 'code' | 'symbol',
  { least, most }: { readonly least: number; readonly most: number },
): Intl.NumberFormat {
  const key = `${currency} ${style} ${least} ${most}`;
  const digits = { minimumFractionDigits: least, maximumFractionDigits: most };
  const known = formats.get(key) ?? new Intl.NumberFormat('en-US', style === 'code' ? digits : { style: 'currency', currency, ...digits });
  formats.set(key, known);
  return known;
}

/** For sentences: "12,340.00 EUR". */
export const formatMoney = (amount: number, { currency }: Pick<Company, 'currency'>): string =>
  `${formatOf(currency, 'code', { least: decimalsOf(currency), most: 2 }).format(amount)} ${currency}`;

/** For tables and cards: "€12,340" or "€12,340.50", with at most `most` decimals. Shows `-0` as 0. */
export const formatAmount = (amount: number, currency: string, most = 20): string => {
  const least = Number.isInteger(amount) ? 0 : decimalsOf(currency);
  return formatOf(currency, 'symbol', { least, most }).format(amount === 0 ? 0 : amount);
};
/** Like `formatAmount`, with at least `decimals` decimals, so that the amounts of a column align. */
export const alignedAmount = (amount: number, currency: string, decimals: number): string =>
  formatOf(currency, 'symbol', { least: decimals, most: 20 }).format(amount === 0 ? 0 : amount);

/** The unit of a schema, if it is a currency. */
export const currencyOf = (unit: unknown): string | undefined => (typeof unit === 'string' && /^[A-Z]{3}$/.test(unit) ? unit : undefined);
