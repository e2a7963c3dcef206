import { dayIn } from '../../src/declare/company.ts';
import { fiscalYearOf, monthPeriod, quarterAt, yearOf } from '../../src/declare/fiscal.ts';
import { company } from './company.ts';

/** The elapsed part of the current fiscal year, quarter or month (2026, 2026-Q4, 2026-11) in percent; undefined for another period. */
export function elapsedOf(period: unknown, now = new Date()): number | undefined {
  const today = dayIn(company().timeZone, now);
  const current = [
    yearOf(fiscalYearOf(today, company()), company()),
    quarterAt(today, company()),
    monthPeriod(Number(today.slice(0, 4)), Number(today.slice(5, 7))),
  ].find(({ label }) => label === String(period));
  if (current === undefined) return undefined;
  const [from, next] = [Date.parse(current.from), Date.parse(current.to) + 86_400_000];
  return Math.round(((now.getTime() - from) / (next - from)) * 1000) / 10;
}
