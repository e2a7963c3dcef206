/** The tax sample has the rows that sample questions need, on any date. */
import { describe, expect, test } from 'vitest';
import type { SampleRow } from '../../src/declare/sample.ts';
import { taxSample } from '../../domains/tax/sample/index.ts';
import { estimatesFor, filingsFor, ratesFor, registrationsFor } from '../../domains/tax/sample/records.ts';

const days = Array.from({ length: 370 }, (_, n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10));
const rowsOf = (table: string, today: Date, employees = 500): SampleRow[] => [
  ...(taxSample({ today, employees })
    .find(({ name }) => name === `tax.${table}`)
    ?.rows() ?? []),
];

describe.each([
  '2026-01-01',
  '2026-01-15',
  '2026-01-16',
  '2026-04-15',
  '2026-04-16',
  '2026-10-15',
  '2026-11-16',
  '2026-12-31',
  '2028-02-29',
])('on %s', (today) => {
  test('the audit log has entries of today, this month and last year, and none in the future', () => {
    for (const time of ['T00:00:00.000Z', 'T09:00:00.000Z', 'T23:59:59.999Z']) {
      const now = `${today}${time}`;
      const times = rowsOf('audit_logs', new Date(now)).map((row) => row[1] as string);
      expect(times.length).toBe(400);
      expect(times.every((at) => at <= now)).toBe(true);
      expect(times.filter((at) => at.startsWith(today)).length).toBeGreaterThan(0);
      expect(times.filter((at) => at.startsWith(today.slice(0, 7))).length).toBeGreaterThan(3);
      expect(times.filter((at) => at.startsWith(String(Number(today.slice(0, 4)) - 1))).length).toBeGreaterThan(20);
    }
  });
});

test('on every day of a year there are overdue and future obligations, and no payment exceeds its amount', () => {
  for (const today of days) {
    const year = Number(today.slice(0, 4));
    const estimates = estimatesFor(today);
    const filings = filingsFor(today, estimates);
    const late = estimates.filter(({ paid, amount, due, extended }) => paid < amount && (extended ?? due) < today);
    expect([today, late.map(({ state }) => state)]).toEqual([today, ['NY']]);
    expect([
      today,
      filings.filter(({ filedOn, due, extended }) => filedOn === null && (extended ?? due) < today).map(({ of }) => of.state),
    ]).toEqual([today, ['IL']]);
    expect([today, estimates.some(({ paid, amount, due }) => paid < amount && due >= today)]).toEqual([today, true]);
    expect([today, new Set(estimates.map((each) => each.year))]).toEqual([today, new Set([year - 1, year])]);
    const wrong = [
      ...estimates.filter(({ paid, amount }) => ![paid, amount].every(Number.isInteger) || paid < 0 || paid > amount || amount <= 0),
      ...estimates.filter(({ paid, paidOn }) => paid > 0 !== (paidOn !== null) || (paidOn ?? '') > today),
      ...filings.filter(({ filedOn, due, extended }) => filedOn !== null && (filedOn >= today || filedOn >= (extended ?? due))),
      ...filings.filter(({ filedOn, total }) => (filedOn === null) !== (total === null) || (total ?? 0) < 0),
    ];
    expect([today, wrong]).toEqual([today, []]);
    // The sample question "Which returns did we file last year?" needs such a return.
    expect(filings.some(({ filedOn }) => filedOn?.startsWith(String(year - 1)))).toBe(true);
    expect(ratesFor(today).every(({ localRate }) => localRate >= 0)).toBe(true);
    expect(registrationsFor(today).every(({ since, account }) => since < today && account.length === 9)).toBe(true);
  }
});

test('the sample is the same every time, and a larger company only has a longer audit log', () => {
  const today = new Date('2026-11-16T09:00:00Z');
  const all = (employees: number) => taxSample({ today, employees }).map(({ name, rows }) => [name, [...rows()]] as const);
  expect(all(500)).toEqual(all(500));
  expect(all(20_000).map(([name, rows]) => [name, rows.length])).toEqual(
    all(500).map(([name, rows]) => [name, name === 'tax.audit_logs' ? 2000 : rows.length]),
  );
  for (const { columns, rows, estimate } of taxSample({ today, employees: 500 })) {
    const made = [...rows()];
    expect(made.every((row) => row.length === columns.length)).toBe(true);
    expect(made.length).toBe(estimate);
    expect(new Set(made.map((row) => row[0])).size).toBe(made.length);
  }
});
