/** Parses months, quarters and years as people write them. */
import { z } from 'zod';
import { line } from './fields.ts';
import { monthPeriod, type Period } from './fiscal.ts';

/** Returns the period, or a message if the month or quarter does not exist; undefined if the text has another form. */
export type Reading<P> = (text: string) => P | string | undefined;

const MONTH = /^(20\d\d)-(\d\d)$/;
const QUARTER = /^(?:FY ?)?(20\d\d)[- /]?Q(\d)$/i;
const QUARTER_FIRST = /^Q(\d)[- /]?(?:FY ?)?(20\d\d)$/i;
const YEAR = /^(?:FY ?)?(20\d\d)$/i;

export const readMonth: Reading<Period> = (text) => {
  const [, year, month] = MONTH.exec(text) ?? [];
  if (year === undefined) return undefined;
  if (Number(month) < 1 || Number(month) > 12) return `There is no month ${month}: months are 01 to 12, as in 2026-10.`;
  return monthPeriod(Number(year), Number(month));
};
export const readQuarter = <P>(text: string, made: (year: number, quarter: number) => P): P | string | undefined => {
  const [, before, last] = QUARTER.exec(text) ?? [];
  const [, first, after] = QUARTER_FIRST.exec(text) ?? [];
  const year = before ?? after;
  if (year === undefined) return undefined;
  const which = Number(last ?? first);
  if (which < 1 || which > 4) return `There is no quarter Q${which}: quarters are Q1 to Q4, as in 2026-Q4.`;
  return made(Number(year), which);
};
export const readYear = <P>(text: string, made: (year: number) => P): P | undefined => {
  const [, year] = YEAR.exec(text) ?? [];
  return year === undefined ? undefined : made(Number(year));
};

/** An input field for a period. `otherwise` is the message if `read` does not know the text. */
export const periodField = <P extends object>(read: Reading<P>, otherwise: string) =>
  line(20).transform((given, context): P => {
    const found = read(given.trim()) ?? otherwise;
    if (typeof found !== 'string') return found;
    context.addIssue(found);
    return z.NEVER;
  });

/** Marks a field as a fiscal year or quarter. The published schema says when the fiscal year begins, unless it is the calendar year. */
export const fiscal = <T extends z.ZodType>(field: T): T => field.meta({ fiscalYearStart: 1 });
