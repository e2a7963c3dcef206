/** Days, fiscal periods, amounts and texts of a company, at the edges of days, years and currencies. */
import { describe, expect, test } from 'vitest';
import { type Company, DEFAULT_COMPANY, dayIn, startOfDay, textFor } from '../../src/declare/company.ts';
import { CALENDAR_YEAR, fiscalQuarterOf, fiscalYearOf, quarterAt, quarterOf, yearOf } from '../../src/declare/fiscal.ts';
import { alignedAmount, formatAmount, formatMoney } from '../../src/declare/money.ts';

const berlin: Company = { name: 'Northwind GmbH', timeZone: 'Europe/Berlin', currency: 'EUR', fiscalYearStart: 4 };

describe('days', () => {
  test.each([
    ['UTC', '2026-11-16T23:59:59.999Z', '2026-11-16'],
    ['Europe/Berlin', '2026-11-16T22:59:59Z', '2026-11-16'],
    ['Europe/Berlin', '2026-11-16T23:30:00Z', '2026-11-17'],
    // Summer time begins at 01:00 UTC on 29 March 2026 and ends on 25 October.
    ['Europe/Berlin', '2026-03-28T22:59:00Z', '2026-03-28'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    ['Europe/Berlin', '2026-10-25T22:59:59Z', '2026-10-25'],
    ['Europe/Berlin', '2026-12-31T23:00:00Z', '2027-01-01'],
    ['Pacific/Kiritimati', '2026-11-16T10:00:00Z', '2026-11-17'],
    ['Pacific/Kiritimati', '2026-11-16T09:59:59Z', '2026-11-16'],
    ['America/St_Johns', '2026-03-29T02:29:59Z', '2026-03-28'],
    ['America/St_Johns', '2026-03-29T02:30:00Z', '2026-03-29'],
    ['America/St_Johns', '2026-12-01T03:29:59Z', '2026-11-30'],
    ['America/St_Johns', '2026-12-01T03:30:00Z', '2026-12-01'],
    ['Asia/Kathmandu', '2026-11-16T18:15:00Z', '2026-11-17'],
  ])('in %s, %s is on %s', (zone, at, day) => {
    expect(dayIn(zone, new Date(at))).toBe(day);
  });

  test.each([
    ['UTC', '2026-11-16', '2026-11-16T00:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-17', '2026-11-16T10:00:00.000Z'],
    ['Etc/GMT+12', '2026-11-16', '2026-11-16T12:00:00.000Z'],
    ['America/St_Johns', '2026-12-01', '2026-12-01T03:30:00.000Z'],
    // On this day the clocks go from 24:00 to 01:00: the day begins an hour late.
    ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
  ])('in %s, %s begins at %s', (zone, day, at) => {
    expect(startOfDay(zone, day).toISOString()).toBe(at);
  });
});

describe('fiscal periods', () => {
  test('a fiscal year has the name of the calendar year in which it ends', () => {
    expect(yearOf(2027, berlin)).toEqual({ label: '2027', from: '2026-04-01', to: '2027-03-31' });
    expect(yearOf(2026, DEFAULT_COMPANY)).toEqual({ label: '2026', from: '2026-01-01', to: '2026-12-31' });
    expect(yearOf(2028, { fiscalYearStart: 3 }).to).toBe('2028-02-29');
    expect(['2026-03-31', '2026-04-01', '2027-03-31', '2027-04-01'].map((day) => fiscalYearOf(day, berlin))).toEqual([
      2026, 2027, 2027, 2028,
    ]);
    expect(fiscalYearOf('2026-04-01', CALENDAR_YEAR)).toBe(2026);
  });

  test('quarters count from the beginning of the fiscal year', () => {
    expect([1, 2, 3, 4].map((quarter) => quarterOf(2027, quarter, berlin).from)).toEqual([
      '2026-04-01',
      '2026-07-01',
      '2026-10-01',
      '2027-01-01',
    ]);
    expect(quarterOf(2027, 4, berlin)).toEqual({ label: '2027-Q4', from: '2027-01-01', to: '2027-03-31' });
    expect(quarterOf(2027, 4, { fiscalYearStart: 12 })).toEqual({ label: '2027-Q4', from: '2027-09-01', to: '2027-11-30' });
    expect(['2026-11-16', '2027-02-01'].map((day) => quarterAt(day, berlin).label)).toEqual(['2027-Q3', '2027-Q4']);
    expect([-3, -1, 0, 1, 2].map((shift) => quarterAt('2026-11-16', berlin, shift).label)).toEqual([
      '2026-Q4',
      '2027-Q2',
      '2027-Q3',
      '2027-Q4',
      '2028-Q1',
    ]);
  });

  test('for every start and every month, the day lies within its fiscal quarter and year', () => {
    for (let fiscalYearStart = 1; fiscalYearStart <= 12; fiscalYearStart++)
      for (let month = 1; month <= 12; month++) {
        const [day, calendar] = [`2026-${String(month).padStart(2, '0')}-15`, { fiscalYearStart }];
        const [year, quarter] = [
          yearOf(fiscalYearOf(day, calendar), calendar),
          quarterOf(fiscalYearOf(day, calendar), fiscalQuarterOf(day, calendar), calendar),
        ];
        for (const { from, to } of [year, quarter]) expect(from <= day && day <= to, `${day} from month ${fiscalYearStart}`).toBe(true);
      }
  });
});

describe('amounts', () => {
  test.each([
    [1234.5, 'EUR', '1,234.50 EUR', '€1,234.50'],
    [1234, 'EUR', '1,234.00 EUR', '€1,234'],
    [-0.5, 'USD', '-0.50 USD', '-$0.50'],
    [1234, 'JPY', '1,234 JPY', '¥1,234'],
    [0.1, 'JPY', '0.1 JPY', '¥0.1'],
    [1234.5, 'CHF', '1,234.50 CHF', 'CHF\u00a01,234.50'],
  ])('%d %s is "%s" in a sentence and "%s" in a table', (amount, currency, sentence, table) => {
    expect(formatMoney(amount, { currency })).toBe(sentence);
    expect(formatAmount(amount, currency)).toBe(table);
  });

  test('a column of amounts has the same number of decimals', () => {
    expect([1200, 0.5, -0].map((amount) => alignedAmount(amount, 'EUR', 2))).toEqual(['€1,200.00', '€0.50', '€0.00']);
  });
});

describe('texts', () => {
  const text = 'In {currency}; a year is {fiscalYear}, until {yearEnds}, from {yearBegins}; {other} stays';
  test.each([
    [DEFAULT_COMPANY, 'In USD; a year is the calendar year, until 31 December, from 1 January; {other} stays'],
    [berlin, 'In EUR; a year is the twelve months from April of the year before, until 31 March, from 1 April; {other} stays'],
    [
      { ...berlin, fiscalYearStart: 3 },
      'In EUR; a year is the twelve months from March of the year before, until the last day of February, from 1 March; {other} stays',
    ],
  ])('%j', (company, expected) => {
    expect(textFor(text, company)).toBe(expected);
  });
});
