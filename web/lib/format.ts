/** Formats names, numbers, dates and codes for people. */
import { dayIn } from '../../src/declare/company.ts';
import { labelFor } from '../../src/declare/display.ts';
import { formatValue } from '../../src/gateway/pages/format.ts';
import { company } from './company.ts';

export { clock, timeLeft } from '../../src/gateway/pages/format.ts';

export { labelFor };
/** `PENDING_APPROVAL` and `in_progress` become words; other text stays as it is. */
export const labelForCode = (code: string): string =>
  /^[A-Z0-9]+(_[A-Z0-9]+)+$|^[A-Z]{4,}$|^[a-z0-9]+(_[a-z0-9]+)*$/.test(code) ? labelFor(code.toLowerCase()) : code;

export const money = (amount: number): string => formatValue(amount, { format: 'money', currency: company().currency }) ?? '';
export const number = (count: number): string => formatValue(count, { format: 'number' }) ?? '';
export const formatText = (value: unknown): string | undefined => formatValue(value, { format: 'text' });

const rounded = (amount: number, decimals: number): string =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: company().currency,
    useGrouping: false,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(amount);
/** The short form for charts: $14.31M. */
export function shortMoney(amount: number): string {
  const size = Math.abs(amount);
  const sign = amount < 0 ? '−' : '';
  if (size >= 1_000_000) return `${sign}${rounded(size / 1_000_000, 2)}M`;
  return size >= 10_000 ? `${sign}${rounded(size / 1000, 0)}k` : money(amount);
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const LOCAL_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const LOCAL_DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

/** 20 Nov, or with the year if it is not the current one. */
export function day(text: string, now = new Date()): string {
  const date = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return text;
  const thisYear = dayIn(company().timeZone, now).slice(0, 4);
  return (text.startsWith(thisYear) ? DAY : DAY_AND_YEAR).format(date);
}

export function moment(text: string, now = new Date()): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  if (date.toDateString() === now.toDateString()) return CLOCK.format(date);
  return `${(date.getFullYear() === now.getFullYear() ? LOCAL_DAY : LOCAL_DAY_AND_YEAR).format(date)}, ${CLOCK.format(date)}`;
}

const MINUTE = 60_000;
const sameDay = (a: Date, b: Date) => a.toDateString() === b.toDateString();
const dayBefore = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1);
/** For example 12 min ago, 3 h ago, Yesterday, 13 Nov. */
export function ago(text: string, now = new Date()): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const minutes = Math.floor((now.getTime() - date.getTime()) / MINUTE);
  if (minutes < 0) return moment(text, now);
  if (minutes < 1) return 'Just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (sameDay(date, now)) return `${Math.floor(minutes / 60)} h ago`;
  if (sameDay(date, dayBefore(now))) return 'Yesterday';
  return (date.getFullYear() === now.getFullYear() ? LOCAL_DAY : LOCAL_DAY_AND_YEAR).format(date);
}
/** For example today at 08:55, yesterday at 21:10, 13 Nov at 07:02. */
export function whenAt(text: string, now = new Date()): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const on = sameDay(date, now) ? 'today' : sameDay(date, dayBefore(now)) ? 'yesterday' : ago(text, now);
  return `${on} at ${CLOCK.format(date)}`;
}
export const toTheSecond = (text: string): string => {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  return date.toDateString() === new Date().toDateString() ? SECONDS.format(date) : `${LOCAL_DAY.format(date)}, ${SECONDS.format(date)}`;
};

export const initials = (name: string): string => {
  const words = name.split(/[\s.@]+/).filter((word) => /^\p{L}/u.test(word));
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => word?.charAt(0).toUpperCase() ?? '').join('');
};
export const count = (n: number, one: string, many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`;
/** For example "a, b and c". */
export const joined = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1) ?? ''}`;
