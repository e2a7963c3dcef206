/** Printing of analyses on a terminal: bars, totals, changes, currencies, narrow terminals and pipes. */
import { describe, expect, test } from 'vitest';
import { type Analysis, analysisLines, bar, type KindOf } from '../../src/cli/terminal/analysis.ts';
import { plain } from '../../src/cli/terminal/style.ts';

const inEuros: KindOf = ({ type }) => (type === 'money' ? 'money EUR' : type === 'day' ? 'date' : 'number');
const printed = (analysis: Analysis, width: number) => analysisLines(analysis, inEuros, { style: plain, width });

const BY_TEAM: Analysis = {
  of: 'list_people',
  title: 'Average pay, number of people by team',
  columns: [
    { name: 'team', role: 'group', label: 'Team', type: 'text' },
    { name: 'avg_pay', role: 'measure', label: 'Average pay', type: 'money', of: 'pay' },
    { name: 'count', role: 'measure', label: 'Number of people', type: 'whole' },
  ],
  rows: [
    { team: 'Legal', avg_pay: 8000, count: 2 },
    { team: 'Support', avg_pay: 4000.5, count: 1200 },
    { team: null, avg_pay: null, count: 1 },
  ],
  totals: { avg_pay: 4007.15, count: 1203 },
  group_count: 3,
};

describe('a table of figures', () => {
  test('has bars in a terminal, aligned amounts in the currency of the field, and totals', () => {
    expect(printed(BY_TEAM, 100)).toEqual([
      'Average pay, number of people by team',
      '  TEAM                                 AVERAGE PAY   NUMBER OF PEOPLE',
      '  Legal     ████████████████████████     €8,000.00                  2',
      '  Support   ████████████                 €4,000.50              1,200',
      '  none                                        none                  1',
      '  All                                    €4,007.15              1,203',
    ]);
  });
  test('has no bars in a pipe, where programs read it', () => {
    const lines = printed(BY_TEAM, Number.POSITIVE_INFINITY);
    expect(lines.join('')).not.toContain('█');
    expect(lines[2]).toBe('  Legal       €8,000.00                  2');
  });
  test('leaves out the bars, and then becomes records, as the terminal gets narrower', () => {
    expect(printed(BY_TEAM, 48).join('')).not.toContain('█');
    const narrow = printed(BY_TEAM, 40);
    expect(narrow.slice(1, 4)).toEqual(['  Team               Legal', '  Average pay        €8,000.00', '  Number of people   2']);
    expect(Math.max(...narrow.map(({ length }) => length))).toBeLessThanOrEqual(40);
  });
  test('has no bars for amounts below zero, and says how many groups are left out', () => {
    const rows = [{ team: 'A', avg_pay: -5, count: 1 }];
    const lines = printed({ ...BY_TEAM, rows, group_count: 70 }, 100);
    expect(lines.join('')).not.toContain('█');
    expect(lines.at(-1)).toBe('The first 1 of 70 groups.');
  });
  test('cannot control the terminal by the name of a group', () => {
    expect(printed({ ...BY_TEAM, rows: [{ team: '\u001b[2Jx', avg_pay: 1, count: 1 }] }, 100).join('')).not.toContain('\u001b');
  });
});

test('a single figure has its change', () => {
  const analysis: Analysis = {
    of: 'list_people',
    title: 'Number of people',
    columns: [
      { name: 'count', role: 'measure', label: 'Number of people', type: 'whole' },
      { name: 'previous_count', role: 'change', label: 'Previous number of people', type: 'whole', measure: 'count' },
      { name: 'change_count', role: 'change', label: 'Change of number of people', type: 'share', measure: 'count' },
    ],
    rows: [{ count: 109, previous_count: 100, change_count: 0.09 }],
    group_count: 1,
    compared: { previous_from: '2025-01-01', previous_to: '2025-06-30' },
  };
  expect(printed(analysis, 80)).toEqual([
    'Number of people',
    '  Number of people   109   +9.0% from 100',
    'Compared with 1 January 2025 to 30 June 2025.',
  ]);
});

test('a previous share has no sign, and a total without a previous value is empty', () => {
  const analysis: Analysis = {
    of: 'list_people',
    title: 'Share of people by team',
    columns: [
      { name: 'team', role: 'group', label: 'Team', type: 'text' },
      { name: 'share_count', role: 'measure', label: 'Share of people', type: 'share' },
      { name: 'previous_share_count', role: 'change', label: 'Previous share of people', type: 'share', measure: 'share_count' },
    ],
    rows: [{ team: 'Legal', share_count: 0.068, previous_share_count: 0.18 }],
    totals: { share_count: 1, previous_share_count: null },
    group_count: 1,
  };
  const [, , first, total] = printed(analysis, Number.POSITIVE_INFINITY);
  expect([first, total]).toEqual([expect.stringMatching(/6\.8% +18\.0%$/), expect.stringMatching(/All +100\.0%$/)]);
});

test('a bar grows in eighths of a character', () => {
  expect([bar(0, 4), bar(1 / 32, 4), bar(0.5, 4), bar(1, 4), bar(2, 4)]).toEqual(['', '▏', '██', '████', '████']);
});
