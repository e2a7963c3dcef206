/** The company that an installation serves: its name, time zone, currency and fiscal year. */

export interface Company {
  readonly name: string;
  /** IANA name. A day is a calendar day in this zone. */
  readonly timeZone: string;
  /** ISO 4217 code of all amounts. */
  readonly currency: string;
  /** The month in which a fiscal year begins, 1 to 12. */
  readonly fiscalYearStart: number;
}

export const DEFAULT_COMPANY: Company = { name: 'Tamshai', timeZone: 'UTC', currency: 'USD', fiscalYearStart: 1 };

const decimals = new Map<string, number>();
export function decimalsOf(currency: string): number {
  let known = decimals.get(currency);
  if (known === undefined) {
    known = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
    decimals.set(currency, known);
  }
  return known;
}

/** In every time zone a day begins at a quarter hour, so a cached day is correct until the next quarter hour. */
const QUARTER_HOUR_MS = 900_000;
const days = new Map<string, { readonly format: Intl.DateTimeFormat; quarter: number; day: string }>();

/** The calendar day of a time in a time zone, as YYYY-MM-DD. */
export function dayIn(timeZone: string, at: Date): string {
  if (timeZone === 'UTC') return at.toISOString().slice(0, 10);
  let known = days.get(timeZone);
  if (known === undefined) {
    const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
    known = { format, quarter: Number.NaN, day: '' };
    days.set(timeZone, known);
  }
  const quarter = Math.floor(at.getTime() / QUARTER_HOUR_MS);
  if (known.quarter !== quarter) {
    const parts = Object.fromEntries(known.format.formatToParts(at).map(({ type, value }) => [type, value]));
    known.day = `${parts['year']?.padStart(4, '0')}-${parts['month']}-${parts['day']}`;
    known.quarter = quarter;
  }
  return known.day;
}

/** The first moment of a day in a time zone. */
export function startOfDay(timeZone: string, day: string): Date {
  const noon = Date.parse(`${day}T12:00:00Z`);
  // The search bounds, in quarter hours from noon UTC. They cover every zone, from 12 hours behind UTC to 14 hours ahead.
  let [before, after] = [-112, 64];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayIn(timeZone, new Date(noon + middle * QUARTER_HOUR_MS)) < day) before = middle;
    else after = middle;
  }
  return new Date(noon + after * QUARTER_HOUR_MS);
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** The values of the placeholders in declared texts: descriptions, messages, hints and units. */
const PLACEHOLDERS = {
  currency: ({ currency }) => currency,
  fiscalYear: ({ fiscalYearStart: first }) =>
    first === 1 ? 'the calendar year' : `the twelve months from ${MONTHS[first - 1]} of the year before`,
  yearBegins: ({ fiscalYearStart: first }) => `1 ${MONTHS[first - 1]}`,
  yearEnds: ({ fiscalYearStart: first }) => {
    const last = (first + 10) % 12;
    return `${last === 1 ? 'the last day of' : new Date(Date.UTC(2001, last + 1, 0)).getUTCDate()} ${MONTHS[last]}`;
  },
} satisfies Readonly<Record<string, (company: Company) => string>>;
const PLACEHOLDER = new RegExp(`\\{(${Object.keys(PLACEHOLDERS).join('|')})\\}`, 'g');

/** Replaces `{currency}`, `{fiscalYear}`, `{yearBegins}` and `{yearEnds}` in a declared text. */
export const textFor = (text: string, company: Company): string =>
  text.includes('{') ? text.replace(PLACEHOLDER, (_, name: string) => PLACEHOLDERS[name as keyof typeof PLACEHOLDERS](company)) : text;
