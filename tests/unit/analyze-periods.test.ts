/** Periods of an analysis: fiscal years, ISO weeks, daylight saving time, and the periods with which others are compared. */
import { describe, expect, test } from 'vitest';
import { startOfDay } from '../../src/declare/company.ts';
import { addMonths, earlier, periodAt, periodsBetween, rangeBefore, UNITS } from '../../src/engine/analyze/periods.ts';

const april = { fiscalYearStart: 4 } as const;
const january = { fiscalYearStart: 1 } as const;

describe('a fiscal year from April', () => {
  test.each([
    ['2026-03-31', '2025-04-01', '2026-03-31'],
    ['2026-04-01', '2026-04-01', '2027-03-31'],
  ])('%s is in the year from %s to %s', (day, from, to) => expect(periodAt(day, 'year', april)).toMatchObject({ from, to }));
  test.each([
    ['2026-03-31', '2026-01-01', '2026-03-31'],
    ['2026-04-01', '2026-04-01', '2026-06-30'],
    ['2026-12-31', '2026-10-01', '2026-12-31'],
  ])('%s is in the quarter from %s to %s', (day, from, to) => expect(periodAt(day, 'quarter', april)).toMatchObject({ from, to }));
});

test.each([
  ['2026-01-01', '2026-W01', '2025-12-29'],
  ['2027-01-01', '2026-W53', '2026-12-28'],
  ['2024-12-30', '2025-W01', '2024-12-30'],
])('%s is in the week %s', (day, label, from) => expect(periodAt(day, 'week', january)).toMatchObject({ label, from }));

test.each(UNITS)('periods by %s follow each other without a gap', (unit) => {
  const found = periodsBetween({ from: '2024-02-28', to: '2026-03-30' }, unit, { calendar: april, most: 1_000 }) ?? [];
  expect(found[0]?.from.localeCompare('2024-02-28')).toBeLessThanOrEqual(0);
  expect(found.at(-1)?.to.localeCompare('2026-03-30')).toBeGreaterThanOrEqual(0);
  const next = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
  for (const [at, { from }] of found.entries()) if (at > 0) expect(from).toBe(next(found[at - 1]?.to ?? ''));
  expect(new Set(found.map(({ label }) => label)).size).toBe(found.length);
});

test('more periods than allowed, and days that stand for always or never, are no periods', () => {
  const options = { calendar: january, most: 10 };
  expect(periodsBetween({ from: '2026-01-01', to: '2026-01-10' }, 'day', options)).toHaveLength(10);
  expect(periodsBetween({ from: '2026-01-01', to: '2026-01-11' }, 'day', options)).toBeUndefined();
  expect(periodsBetween({ from: '0001-01-01', to: '2026-01-11' }, 'year', options)).toBeUndefined();
  expect(periodsBetween({ from: '2026-01-01', to: '9999-12-31' }, 'year', options)).toBeUndefined();
});

test('days of a company begin at its midnight, also when the clocks change', () => {
  const hours = (day: string, next: string) =>
    (startOfDay('Europe/Berlin', next).getTime() - startOfDay('Europe/Berlin', day).getTime()) / 3_600_000;
  expect(startOfDay('Europe/Berlin', '2026-07-01').toISOString()).toBe('2026-06-30T22:00:00.000Z');
  expect(startOfDay('Europe/Berlin', '2026-01-01').toISOString()).toBe('2025-12-31T23:00:00.000Z');
  expect([hours('2026-03-29', '2026-03-30'), hours('2026-10-25', '2026-10-26'), hours('2026-06-01', '2026-06-02')]).toEqual([23, 25, 24]);
});

test('a period is compared with the one before it, or with the same one a year before', () => {
  expect(earlier('2026-01-01', 'month', 'previous_period')).toBe('2025-12-01');
  expect(earlier('2026-01-01', 'quarter', 'previous_period')).toBe('2025-10-01');
  expect(earlier('2026-04-01', 'year', 'previous_year')).toBe('2025-04-01');
  expect(earlier('2026-01-05', 'week', 'previous_year')).toBe('2025-01-06');
  expect(earlier('2026-03-01', 'day', 'previous_period')).toBe('2026-02-28');
});

test('a range is compared with one of the same length, and whole months with whole months', () => {
  expect(rangeBefore({ from: '2026-03-01', to: '2026-03-31' }, 'previous_period')).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  expect(rangeBefore({ from: '2026-01-01', to: '2026-03-31' }, 'previous_period')).toEqual({ from: '2025-10-01', to: '2025-12-31' });
  expect(rangeBefore({ from: '2026-03-10', to: '2026-03-19' }, 'previous_period')).toEqual({ from: '2026-02-28', to: '2026-03-09' });
  expect(rangeBefore({ from: '2024-02-01', to: '2024-02-29' }, 'previous_year')).toEqual({ from: '2023-02-01', to: '2023-02-28' });
  expect(addMonths('2024-02-29', -12)).toBe('2023-02-28');
  expect(addMonths('2026-03-31', -1)).toBe('2026-02-28');
});
