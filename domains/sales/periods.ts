/** Parses fiscal quarters and years. */
import type { Company } from '../../src/declare/company.ts';
import { monthPeriod, type Period, quarterAt, quarterOf, yearOf } from '../../src/declare/fiscal.ts';
import { fiscal, periodField, readQuarter, readYear } from '../../src/declare/periods.ts';

/** A fiscal year, or one of its quarters. */
export interface Named {
  readonly year: number;
  /** Undefined for a whole year. */
  readonly quarter: number | undefined;
}
const named = (year: number, quarter?: number): Named => ({ year, quarter });

export const quarter = fiscal(periodField((text) => readQuarter(text, named), 'Give a quarter as 2026-Q4 or Q4 2026.'));
export const period = fiscal(
  periodField(
    (text) => readYear(text, (year) => named(year)) ?? readQuarter(text, named),
    'Give a period as a quarter (2026-Q4 or Q4 2026) or a year (2026).',
  ),
);

/** The days of a period, and its quarters in the format of the quotas. */
export function daysOf({ year, quarter: which }: Named, company: Company): Period & { readonly quarters: readonly string[] } {
  const quarters = (which === undefined ? [1, 2, 3, 4] : [which]).map((each) => `${year}-Q${each}`);
  return { ...(which === undefined ? yearOf(year, company) : quarterOf(year, which, company)), quarters };
}
export function thisQuarter(today: string, company: Company): Period & { readonly quarters: readonly string[] } {
  const whole = quarterAt(today, company);
  return { ...whole, quarters: [whole.label] };
}

/** For examples. */
const monthOf = (today: string) => monthPeriod(Number(today.slice(0, 4)), Number(today.slice(5, 7)));
export const monthFrom = (today: string): string => monthOf(today).from;
export const monthTo = (today: string): string => monthOf(today).to;
