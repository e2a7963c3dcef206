import { dayIn } from '../../src/declare/company.ts';
import { fiscalYearOf, yearOf } from '../../src/declare/fiscal.ts';
import { company } from './company.ts';

/** The elapsed part of the current fiscal year in percent; undefined for another year. */
export function elapsedOf(year: unknown, now = new Date()): number | undefined {
  const today = dayIn(company().timeZone, now);
  if (typeof year !== 'number' || year !== fiscalYearOf(today, company())) return undefined;
  const [from, next] = [yearOf(year, company()).from, yearOf(year + 1, company()).from].map(Date.parse) as [number, number];
  return Math.round(((now.getTime() - from) / (next - from)) * 1000) / 10;
}
