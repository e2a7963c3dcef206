/** Formats values for approval cards, without rounding and without exponents. */
import type { CardChange } from '../../declare/answer.ts';
import { formatAmount } from '../../declare/money.ts';

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20 });
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Shows `-0` as 0. */
const unsigned = (amount: number) => (amount === 0 ? 0 : amount);
const days = (count: number) => `${plain.format(unsigned(count))} ${Math.abs(count) === 1 ? 'day' : 'days'}`;

function date(text: string): string {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/.exec(text);
  const month = MONTHS[Number(match?.[2]) - 1];
  if (!match || month === undefined) return text;
  const [, year, , day, time, zone] = match;
  const at = time === undefined ? '' : `, ${time}${zone === undefined ? '' : zone === 'Z' || /^[+-]00/.test(zone) ? ' UTC' : ` ${zone}`}`;
  return `${Number(day)} ${month} ${year}${at}`;
}

/** Money without a currency is a plain number. */
export type ValueFormat = Pick<CardChange, 'format' | 'currency'>;
export const PLAIN: ValueFormat = { format: 'text' };

/** Returns undefined for a missing value. */
export function formatValue(value: unknown, { format, currency }: ValueFormat): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (format === 'money' && currency !== undefined) return formatAmount(value, currency);
    return format === 'days' ? days(value) : plain.format(unsigned(value));
  }
  if (typeof value === 'string') return format === 'date' ? date(value) : value;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value))
    return value.map((each) => formatValue(each, { format, ...(currency !== undefined && { currency }) }) ?? 'none').join(', ');
  return JSON.stringify(value);
}

/** The difference in amount and percent: "+$8,000, 7.1%". */
export function difference(change: Pick<CardChange, 'from' | 'to'> & ValueFormat): string | undefined {
  const { from, to } = change;
  if (typeof from !== 'number' || typeof to !== 'number' || from === to || !Number.isFinite(to - from)) return undefined;
  // Rounds to cents, because binary fractions are not exact.
  const moved = Math.round((to - from) * 100) / 100;
  if (moved === 0) return undefined;
  const amount = formatValue(Math.abs(moved), change) ?? '';
  const percent = from === 0 ? '' : `, ${plain.format(Math.round((Math.abs(moved) / Math.abs(from)) * 1000) / 10)}%`;
  return `${moved > 0 ? '+' : '−'}${amount}${percent}`;
}

export const clock = (secondsLeft: number): string => `${Math.floor(secondsLeft / 60)}:${String(secondsLeft % 60).padStart(2, '0')}`;

export function timeLeft(secondsLeft: number): string {
  const [minutes, rest] = [Math.floor(secondsLeft / 60), secondsLeft % 60];
  const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;
  return [minutes > 0 && count(minutes, 'minute'), (rest > 0 || minutes === 0) && count(rest, 'second')].filter(Boolean).join(' ');
}
