/** Sample ARR by month for three years, including the current month so far. */
import { dollars, earlier, lastDayOf, monthsFrom } from './company.ts';
import { between } from '../../sample-company/random.ts';
import type { SampleRow } from '../../../src/declare/sample.ts';

export const arrOpening: SampleRow = [true, 14_250_000, 486];

export function* arrRows(year: number, today: string): Iterable<SampleRow> {
  for (const [n, month] of monthsFrom(year - 2, today).entries()) {
    const end = lastDayOf(month);
    const asOf = earlier(end, today);
    const elapsed = Number(asOf.slice(8)) / Number(end.slice(8));
    // The amounts grow slowly from month to month.
    const moved = (low: number, high: number, kind: number) =>
      dollars(Math.round(between(low, high, n, kind) * 100 * (1 + n / 60) * elapsed));
    yield [
      month,
      asOf,
      moved(290_000, 410_000, 81),
      moved(105_000, 190_000, 82),
      moved(25_000, 60_000, 83),
      moved(60_000, 125_000, 84),
      Math.round(between(10, 16, n, 85) * elapsed),
      Math.round(between(3, 7, n, 86) * elapsed),
    ];
  }
}
