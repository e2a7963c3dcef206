/** Quarters and fiscal years of a company whose fiscal year is not the calendar year. */
import { fiscalQuarterOf, fiscalYearOf, quarterAt, quarterOf as fiscalQuarter, yearOf as fiscalYear } from '../../declare/fiscal.ts';
import { type DateRange, type Grain, quarterOf, yearOf } from './calendar.ts';

export interface PeriodName {
  readonly year: number;
  readonly quarter: number;
}
/** The same quarter has a calendar name and a fiscal name. Each tool takes one of the two. */
export interface PeriodNames {
  readonly fiscal: PeriodName;
  readonly calendar: PeriodName;
}
export interface FiscalToday {
  readonly today: string;
  readonly fiscalYearStart: number;
}
type Found = DateRange & { readonly grain: Grain };

const NAMES_YEAR = /\b(?:19|20)\d\d\b|\bfy ?'?\d\d\b|20\d\d[- ]?q/;
const NAMES_QUARTER = /q[1-4]\b|\b(?:first|second|third|fourth) quarter\b|\blast quarter,? (?:of|in)\b/;
const FISCAL = /\bf(?:iscal|inancial|y)\b|\bfy\d/;
const EDGE = /\b(beginning|start|end|close|first|1st|last)(?: day)? of\b.*\b(quarter|year)\b/;

/** Converts a period that was found in calendar terms. `text` is the matched text in lower case. */
export function inFiscalYear<P extends Found>(found: P, text: string, at: FiscalToday): P & { readonly names?: PeriodNames } {
  const edge = found.grain === 'day' ? EDGE.exec(text) : null;
  if (edge !== null) {
    const span = inFiscalYear({ ...found, grain: edge[2] as Grain }, text, at);
    const day = /end|close|last/.test(edge[1] ?? '') ? span.to : span.from;
    return edge[2] === 'quarter' || FISCAL.test(text) ? { ...found, from: day, to: day } : found;
  }
  if (found.grain !== 'quarter' && found.grain !== 'year') return found;
  const calendar = { year: yearOf(found.from), quarter: quarterOf(found.from) };
  const fiscal = found.grain === 'quarter' ? quarterNamed(calendar, text, at) : yearNamed(calendar, text, at);
  const names = { calendar, fiscal };
  if (found.grain === 'quarter') return { ...found, ...rangeOf(fiscalQuarter(fiscal.year, fiscal.quarter, at)), names };
  return FISCAL.test(text) ? { ...found, ...rangeOf(fiscalYear(fiscal.year, at)), names } : { ...found, names };
}
const rangeOf = ({ from, to }: DateRange): DateRange => ({ from, to });

function quarterNamed({ year, quarter }: PeriodName, text: string, at: FiscalToday): PeriodName {
  const { today } = at;
  if (NAMES_QUARTER.test(text)) return { year: NAMES_YEAR.test(text) ? year : fiscalYearOf(today, at) + year - yearOf(today), quarter };
  const shift = (year - yearOf(today)) * 4 + quarter - quarterOf(today);
  return nameOf(quarterAt(today, at, shift).from, at.fiscalYearStart);
}
function yearNamed({ year }: PeriodName, text: string, at: FiscalToday): PeriodName {
  const { today } = at;
  return {
    year: NAMES_YEAR.test(text) ? year : fiscalYearOf(today, at) + year - yearOf(today),
    quarter: fiscalQuarterOf(today, at),
  };
}

export const nameOf = (day: string, fiscalYearStart = 1): PeriodName => ({
  year: fiscalYearOf(day, { fiscalYearStart }),
  quarter: fiscalQuarterOf(day, { fiscalYearStart }),
});
/** Returns the calendar or the fiscal name, as the schema of the field requires. */
export const namedFor = (
  { from, names }: DateRange & { readonly names: PeriodNames | undefined },
  { fiscalYearStart = 1 }: { readonly fiscalYearStart?: number },
): PeriodName => (names === undefined ? nameOf(from, fiscalYearStart) : fiscalYearStart === 1 ? names.calendar : names.fiscal);

export const yearsLater = (names: PeriodNames | undefined, years: number): PeriodNames | undefined =>
  names && {
    calendar: { ...names.calendar, year: names.calendar.year + years },
    fiscal: { ...names.fiscal, year: names.fiscal.year + years },
  };
