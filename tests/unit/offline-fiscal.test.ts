/** Quarters and years in questions to the offline model, for a company whose fiscal year begins in April. */
import { expect, test } from 'vitest';
import { findDates } from '../../src/assistant/offline/dates.ts';
import { namedFor } from '../../src/assistant/offline/fiscal-dates.ts';

const TODAY = '2026-11-16';
const found = (text: string, fiscalYearStart = 4) => {
  const [when] = findDates(text, TODAY, { fiscalYearStart });
  if (!when) throw new Error(`no date in ${text}`);
  const { year, quarter } = namedFor(when, { fiscalYearStart });
  const calendar = namedFor(when, {});
  return { from: when.from, to: when.to, fiscal: `${year}-Q${quarter}`, calendar: `${calendar.year}-Q${calendar.quarter}` };
};

test.each([
  ['deals of this quarter', '2026-10-01', '2026-12-31', '2027-Q3', '2026-Q4'],
  ['deals of last quarter', '2026-07-01', '2026-09-30', '2027-Q2', '2026-Q3'],
  ['the next quarter', '2027-01-01', '2027-03-31', '2027-Q4', '2027-Q1'],
  ['forecast for Q4', '2027-01-01', '2027-03-31', '2027-Q4', '2026-Q4'],
  ['forecast for Q4 2026', '2026-01-01', '2026-03-31', '2026-Q4', '2026-Q4'],
  ['the first quarter of 2027', '2026-04-01', '2026-06-30', '2027-Q1', '2027-Q1'],
  ['Q4 of last year', '2026-01-01', '2026-03-31', '2026-Q4', '2025-Q4'],
])('"%s" is %s to %s: %s of the fiscal year, %s of the calendar year', (text, from, to, fiscal, calendar) => {
  expect(found(text)).toEqual({ from, to, fiscal, calendar });
});

test.each([
  ['budgets of this fiscal year', '2026-04-01', '2027-03-31', 2027, 2026],
  ['budgets of last fiscal year', '2025-04-01', '2026-03-31', 2026, 2025],
  ['fiscal year 2026', '2025-04-01', '2026-03-31', 2026, 2026],
  ['FY27', '2026-04-01', '2027-03-31', 2027, 2027],
  // Days of "this year" are those of the calendar year, but its budget is that of the fiscal year.
  ['everything of this year', '2026-01-01', '2026-12-31', 2027, 2026],
  ['everything of 2026', '2026-01-01', '2026-12-31', 2026, 2026],
])('"%s" is %s to %s: fiscal year %d, calendar year %d', (text, from, to, fiscal, calendar) => {
  const [when] = findDates(text, TODAY, { fiscalYearStart: 4 });
  expect(when).toMatchObject({ from, to });
  expect(when && namedFor(when, { fiscalYearStart: 4 }).year).toBe(fiscal);
  expect(when && namedFor(when, {}).year).toBe(calendar);
});

test('the end of a quarter is that of the fiscal quarter', () => {
  expect(findDates('by the end of the quarter', TODAY, { fiscalYearStart: 2 })[0]).toMatchObject({ to: '2027-01-31' });
  expect(findDates('by the end of the fiscal year', TODAY, { fiscalYearStart: 4 })[0]).toMatchObject({ to: '2027-03-31' });
  expect(findDates('by the end of the year', TODAY, { fiscalYearStart: 4 })[0]).toMatchObject({ to: '2026-12-31' });
});

test('with a fiscal year from January, names and days are those of the calendar', () => {
  expect(found('last quarter', 1)).toEqual({ from: '2026-07-01', to: '2026-09-30', fiscal: '2026-Q3', calendar: '2026-Q3' });
});
