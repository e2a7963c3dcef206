/** Annotation of questions by the offline assistant: dates, periods, amounts, names, spelling and stems. */
import { describe, expect, test } from 'vitest';
import { findAmounts, findTopCount } from '../../src/assistant/offline/amounts.ts';
import { findDates } from '../../src/assistant/offline/dates.ts';
import { annotate } from '../../src/assistant/offline/annotate.ts';
import { correctSpelling } from '../../src/assistant/offline/spelling.ts';
import { stem } from '../../src/assistant/offline/tokenise.ts';

const TODAY = '2026-11-16';

describe('days and periods, on a Monday', () => {
  test.each([
    ['today', '2026-11-16', '2026-11-16'],
    ['tomorrow', '2026-11-17', '2026-11-17'],
    ['next friday', '2026-11-27', '2026-11-27'],
    ['on friday', '2026-11-20', '2026-11-20'],
    ['this month', '2026-11-01', '2026-11-30'],
    ['last month', '2026-10-01', '2026-10-31'],
    ['next quarter', '2027-01-01', '2027-03-31'],
    ['Q2 of last year', '2025-04-01', '2025-06-30'],
    ['Q3 2025', '2025-07-01', '2025-09-30'],
    ['fiscal year 2025', '2025-01-01', '2025-12-31'],
    ['21 to 23 December', '2026-12-21', '2026-12-23'],
    ['from the 7th to the 9th of December', '2026-12-07', '2026-12-09'],
    ['28 December to 4 January', '2026-12-28', '2027-01-04'],
    ['June 30, 2025', '2025-06-30', '2025-06-30'],
    ['the end of last year', '2025-12-31', '2025-12-31'],
    ['two years ago', '2024-01-01', '2024-12-31'],
    ['Monday to Wednesday next week', '2026-11-23', '2026-11-25'],
    ['from 14 to 16 December', '2026-12-14', '2026-12-16'],
    ['the last 6 months', '2026-05-16', '2026-11-16'],
  ])('"%s" is the period from %s to %s', (text, from, to) => {
    expect(findDates(text, TODAY)[0]).toMatchObject({ from, to });
  });
  test('"since" and "until" give open periods', () => {
    expect(findDates('since the beginning of the year', TODAY)[0]).toMatchObject({ from: '2026-01-01', openEnd: 'since' });
    expect(findDates('from 14 to 16 December', TODAY)[0]?.openEnd).toBeUndefined();
    expect(findDates('before the end of the year', TODAY)[0]).toMatchObject({ to: '2026-12-31', openEnd: 'until' });
    expect(findDates('until 30 November', TODAY)[0]).toMatchObject({ to: '2026-11-30', openEnd: 'until' });
  });
  test('"the month before" is relative to the previous period', () => {
    expect(findDates('and the month before?', TODAY, { base: { from: '2026-10-01', to: '2026-10-31', grain: 'month' } })[0]).toMatchObject({
      from: '2026-09-01',
      to: '2026-09-30',
    });
  });
  test.each(['31 February', 'may I ask', 'version 2.5', '$2026', 'ticket 2026-99'])('"%s" is not a date', (text) => {
    expect(findDates(text, TODAY).filter(({ grain }) => grain === 'day' || text === 'may I ask')).toEqual([]);
  });
});

describe('amounts', () => {
  test.each([
    ['over $50k', 50_000, 'min'],
    ['at most 1,250.50 dollars', 1250.5, 'max'],
    ['more than 50 million', 50_000_000, 'min'],
    ['below 3 thousand', 3000, 'max'],
    ['at 450,000', 450_000, undefined],
  ])('"%s" is the amount %d with the bound %s', (text, value, bound) => {
    expect(findAmounts(text, [])[0]).toMatchObject({ value, bound });
  });
  test('"between" gives a minimum and a maximum', () => {
    expect(findAmounts('between 10k and 20k', []).map(({ value, bound }) => [value, bound])).toEqual([
      [10_000, 'min'],
      [20_000, 'max'],
    ]);
  });
  test('"top five" and "last three" give the number of rows', () => {
    expect(findTopCount('the top five deals')?.number).toBe(5);
    expect(findTopCount('last three pay runs')?.number).toBe(3);
    expect(findTopCount('the last 3 months')).toBeUndefined();
  });
});

describe('names', () => {
  const lexicon = {
    vocabulary: new Map([
      ['show', 1],
      ['invoice', 2],
      ['record', 1],
      ['contractors', 1],
    ]),
    names: new Set<string>(),
  };
  const named = (text: string) => annotate(text, TODAY, lexicon).names.map((name) => name.text);
  test.each([
    ["Show Liam O'Brien's record", ["Liam O'Brien"]],
    ['Approve the CloudNine Hosting invoice', ['CloudNine Hosting']],
    ["what is jose garcia's record", ['jose garcia']],
    ['what depends on payments-db', ['payments-db']],
    ['show me the weather', []],
  ])('"%s" contains the names %j', (text, names) => {
    expect(named(text)).toEqual(names);
  });
});

test('a typo is corrected, and a different word is kept', () => {
  const vocabulary = new Map([
    ['contractors', 1],
    ['prospect', 1],
    ['changed', 1],
  ]);
  expect(correctSpelling('contracters', vocabulary)).toBe('contractors');
  expect(correctSpelling('chnaged', vocabulary)).toBe('changed');
  expect(correctSpelling('project', vocabulary)).toBeUndefined();
  expect(correctSpelling('remote', new Map([['remove', 1]]))).toBeUndefined();
  expect(correctSpelling('pager', new Map([['page', 1]]))).toBeUndefined();
});
test('words are reduced to their stems', () => {
  expect(['approved', 'approving', 'approves', 'approve'].map(stem)).toEqual(['approv', 'approv', 'approv', 'approv']);
  expect(['paid', 'entries', 'taxes'].map(stem)).toEqual(['pay', 'entry', 'tax']);
});
