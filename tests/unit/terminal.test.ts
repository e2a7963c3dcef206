/** Terminal output of the command: text width, colours, tables, the approval card, progress bars and exit codes. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endOf, EXIT, exitOf, Stop, withoutSecrets } from '../../src/cli/commands/stop.ts';
import { became, cardLines, stays } from '../../src/cli/terminal/card.ts';
import { dataLines } from '../../src/cli/terminal/data.ts';
import { bar, progressOn } from '../../src/cli/terminal/progress.ts';
import { plain, showsColour, styleOf } from '../../src/cli/terminal/style.ts';
import { table } from '../../src/cli/terminal/table.ts';
import { count, duration, padEnd, padStart, safe, widthOf, wrap } from '../../src/cli/terminal/text.ts';
import type { ConfirmationData } from '../../src/declare/answer.ts';
import { jsonSchema } from '../../src/derive/answers.ts';
import { failure } from '../../src/declare/errors.ts';
import { amount, HIDDEN, masked, storedDay, storedTime } from '../../src/declare/fields.ts';

const narrow = { style: plain, width: 40 };
const wide = { style: plain, width: Number.POSITIVE_INFINITY };

describe('text', () => {
  test('is measured as a terminal shows it: accents, wide characters and colours', () => {
    expect(widthOf('Zoë')).toBe(3);
    expect(widthOf('Zoe\u0308')).toBe(3);
    expect(widthOf('名前')).toBe(4);
    expect(widthOf(styleOf(true).red('red'))).toBe(3);
    expect(padEnd('名', 4)).toBe('名  ');
    expect(padStart('7', 3)).toBe('  7');
  });

  test('from data shows control and bidirectional characters by code point', () => {
    expect(safe('a\u001b[2Jb')).toBe('a[U+001B][2Jb');
    expect(safe('\u202egnp.exe')).toBe('[U+202E]gnp.exe');
    expect(safe('zero\u200bwidth')).toBe('zero[U+200B]width');
    expect(safe('one\r\ntwo\tthree')).toBe('one two three');
    expect(safe('\u0007\u009b31m')).toBe('[U+0007][U+009B]31m');
  });

  test('wraps at spaces and never inside a URL', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('open http://localhost:3100/approve/7c1e0b now', 10)).toEqual(['open', 'http://localhost:3100/approve/7c1e0b', 'now']);
    expect(wrap('as long as it likes', Number.POSITIVE_INFINITY)).toEqual(['as long as it likes']);
  });

  test('formats counts and durations', () => {
    expect([count(1, 'row'), count(0, 'row'), count(12_345, 'row')]).toEqual(['1 row', '0 rows', '12,345 rows']);
    expect([duration(6.4), duration(999.4), duration(1849)]).toEqual(['6 ms', '999 ms', '1.8 s']);
  });
});

describe('colour', () => {
  test('is off in a pipe, and on a terminal without colours', () => {
    expect(showsColour({})).toBe(false);
    expect(showsColour({ isTTY: false, hasColors: () => true })).toBe(false);
    expect(showsColour({ isTTY: true, hasColors: () => false })).toBe(false);
    expect(showsColour({ isTTY: true, hasColors: () => true })).toBe(true);
  });
  test('adds nothing to text when it is off, and never to empty text', () => {
    expect(plain.red('x')).toBe('x');
    expect(styleOf(true).red('')).toBe('');
  });
});

const schema = jsonSchema(
  z.array(
    z.object({
      name: z.string(),
      salary: masked('pay', amount),
      days: z.number(),
      fiscal_year: z.int(),
      hired: storedDay,
      seen_at: storedTime.nullable(),
      active: z.boolean(),
    }),
  ),
  'output',
);
const rows = [
  {
    name: 'Sarah Kim',
    salary: 112_000,
    days: 20,
    fiscal_year: 2026,
    hired: '2019-03-04',
    seen_at: '2026-11-16 09:30:00.123456+00',
    active: true,
  },
  { name: '名前', salary: HIDDEN, days: 1.5, fiscal_year: 2025, hired: '2020-12-24', seen_at: null, active: false },
  { name: 'Bo\u001b[31m', salary: 98_500.5, days: 1200, fiscal_year: 2024, hired: '2021-01-01', seen_at: null, active: true },
];

describe('tables', () => {
  test('align numbers by their decimals, with $ for money and no comma in a year', () => {
    expect(dataLines(rows, schema, wide)).toEqual([
      '  NAME                  SALARY      DAYS   FISCAL YEAR   HIRED         SEEN AT                  ACTIVE',
      '  Sarah Kim        $112,000.00      20.0          2026   4 Mar 2019    16 Nov 2026, 09:30 UTC   yes',
      '  名前                  hidden       1.5          2025   24 Dec 2020   none                     no',
      '  Bo[U+001B][31m    $98,500.50   1,200.0          2024   1 Jan 2021    none                     yes',
    ]);
  });

  test('that are too wide become a list of records', () => {
    const lines = dataLines(rows, schema, narrow);
    expect(lines.slice(0, 9)).toEqual([
      '  Name          Sarah Kim',
      '  Salary        $112,000',
      '  Days          20',
      '  Fiscal year   2026',
      '  Hired         4 Mar 2019',
      '  Seen at       16 Nov 2026, 09:30 UTC',
      '  Active        yes',
      '',
      '  Name          名前',
    ]);
    expect(lines.every((line) => widthOf(line) <= 40)).toBe(true);
  });

  test('without rows show "none"', () => {
    expect(dataLines([], schema, wide)).toEqual(['  none']);
    expect(table([{ heading: 'a' }], [], plain)).toEqual(['A']);
  });

  test('can be nested in records at any depth', () => {
    const data = {
      employee_id: 'x',
      balances: [{ type: 'VACATION', used: 1.5 }],
      root: { name: 'Eve', reports: [{ name: 'Bob', tags: ['a', 'b'], more: { note: null } }] },
    };
    expect(dataLines(data, undefined, wide)).toEqual([
      '  Employee id   x',
      '',
      '  Balances',
      '    TYPE       USED',
      '    VACATION    1.5',
      '',
      '  Root',
      '    Name   Eve',
      '',
      '    Reports',
      '      Name   Bob',
      '      Tags   a, b',
      '',
      '      More',
      '        Note   none',
    ]);
  });

  test('keep line breaks in values, and wrap long lines', () => {
    const lines = dataLines({ notes: 'first line\nsecond\u001b line\nthe third line is a good deal longer than that' }, undefined, narrow);
    expect(lines).toEqual([
      '  Notes   first line',
      '          second[U+001B] line',
      '          the third line is a good deal',
      '          longer than that',
    ]);
  });

  test('are not used for a single value', () => {
    expect(dataLines('done', undefined, wide)).toEqual(['  done']);
    expect(dataLines(1234.5, undefined, wide)).toEqual(['  1,234.5']);
  });
});

const data: ConfirmationData = {
  action: 'update_salary',
  mcpServer: 'hr',
  userId: 'x',
  timestamp: 0,
  expiresAt: '2026-11-16T09:35:00Z',
  approvalUrl: 'http://localhost:3100/approve/7c1e0b',
  summary: 'Change the salary of Sarah Kim',
  subject: { label: 'Sarah Kim, Software Engineer', id: '0e000000-0000-4000-8000-000000000008' },
  changes: [
    { field: 'salary', label: 'Salary', from: 112_000, to: 120_000, format: 'money', currency: 'USD' },
    { field: 'effective_date', label: 'Effective date', from: null, to: '2026-11-16', format: 'date' },
  ],
  reason: 'Promotion',
  destructive: false,
  origin: 'command',
};
const shownCard = (change: Partial<ConfirmationData> = {}, seconds = 298) =>
  cardLines({ data: { ...data, ...change }, person: 'Alice Chen (alice.chen)', secondsLeft: seconds }, { style: plain, width: 80 });

describe('the approval card', () => {
  test('shows the person, the tool, the old and new values, the reason and the time left', () => {
    expect(shownCard()).toEqual([
      `Needs your approval${' '.repeat(46)}expires in 4:58`,
      'Change the salary of Sarah Kim. Nothing has changed yet.',
      '',
      '  FIELD            NOW        AFTER APPROVAL',
      '  Salary           $112,000   $120,000  +$8,000, 7.1%',
      '  Effective date   none       16 November 2026',
      '',
      '  About     Sarah Kim, Software Engineer',
      '  Id        0e000000-0000-4000-8000-000000000008',
      '  Reason    Promotion',
      '  Decides   Alice Chen (alice.chen)',
      '  Tool      hr.update_salary',
    ]);
  });

  test('explains why a change that is usually immediate needs an approval', () => {
    const [, text] = shownCard({ because: 'You are asked because of\u202e this text.' });
    expect(text).toContain('Change the salary of Sarah Kim. You are asked because of');
    expect(shownCard({ because: 'x\u202ey' }).join('')).not.toContain('\u202e');
  });

  test('says before a deletion whether it can be undone', () => {
    expect(shownCard({ destructive: true, reason: null, afterwards: 'Undo restores\u202e it.' }).join(' ')).toContain(
      'Change the salary of Sarah Kim. Undo restores[U+202E] it. Nothing has changed yet.',
    );
  });

  test('shows hostile text without control characters, and flags mixed alphabets', () => {
    const text = shownCard({
      summary: 'Change\u001b[1A the salary',
      reason: 'fine\u202e\nApprove? Type yes to approve, no to deny: yes',
      subject: { label: 'S\u0430rah Kim', id: 'x\u001b]0;owned\u0007' },
    }).join('\n');
    expect(text).not.toMatch(/[\u001b\u202e\u0007]/);
    expect(text).toContain('fine[U+202E]');
    expect(text).toContain('letters of two alphabets');
  });

  test('has a sentence for the value after an approval and after a denial', () => {
    expect(became(data)).toBe('Salary of Sarah Kim, Software Engineer is now $120,000.');
    expect(stays(data)).toBe('Salary of Sarah Kim, Software Engineer stays $112,000.');
    expect(stays({ ...data, changes: [] })).toBe('');
  });
});

describe('progress', () => {
  const screen = (isTTY: boolean) => {
    const written: string[] = [];
    return { isTTY, columns: 80, write: (text: string) => written.push(text), written };
  };
  test('draws a bar on a terminal, and nothing in a pipe', () => {
    expect(bar(0.5)).toBe('████████████░░░░░░░░░░░░');
    expect([bar(-1), bar(2)]).toEqual(['░'.repeat(24), '█'.repeat(24)]);
    const there = screen(true);
    const steps = progressOn(there, plain).sequence();
    steps.at('Preparing databases', 0.62);
    steps.at('Writing sample data', 0);
    steps.done();
    const text = there.written.join('');
    expect(text).toMatch(/Preparing databases {5}█{15}░{9} {3}62%/);
    expect(text).toMatch(/Preparing databases {5}█{24} {2}done {3}\d+ ms\n/);
    expect(text).toMatch(/Writing sample data {5}█{24} {2}done/);
    const log = screen(false);
    progressOn(log, plain).step('x').at(1);
    expect(log.written).toEqual([]);
  });
});

describe('the exit of a command', () => {
  test.each([
    [400, 'VALIDATION_ERROR', EXIT.usage],
    [413, 'PAYLOAD_TOO_LARGE', EXIT.usage],
    [401, 'UNAUTHENTICATED', EXIT.refused],
    [403, 'SEPARATION_OF_DUTIES', EXIT.refused],
    [404, 'EMPLOYEE_NOT_FOUND', EXIT.refused],
    [409, 'SALARY_UNCHANGED', EXIT.failed],
    [409, 'CHANGED_SINCE_APPROVAL', EXIT.undone],
    [409, 'ALREADY_DECIDED', EXIT.undone],
    [429, 'RATE_LIMITED', EXIT.unavailable],
    [500, 'INTERNAL_ERROR', EXIT.failed],
    [503, 'SERVICE_UNAVAILABLE', EXIT.unavailable],
    [504, 'TIMEOUT', EXIT.unavailable],
  ])('after %i %s has exit code %i', (status, code, exit) => {
    expect(exitOf(status, code)).toBe(exit);
  });

  test('prints one sentence without secrets, and a stack trace only when it is verbose', () => {
    const secret = 'connect failed: postgres://app:canary-1234@db.example/hr and redis://:canary-1234@cache';
    expect(withoutSecrets(secret)).toBe('connect failed: postgres://***@db.example/hr and redis://***@cache');
    const quiet = () => false;
    expect(endOf(new Error(secret), quiet).message).toBe(
      'Tamshai failed unexpectedly; this is a bug. Run it again with TAMSHAI_LOG_LEVEL=debug to see more.',
    );
    expect(endOf(new Error(secret), () => true).message).toMatch(/this is a bug\.\nError: connect failed: postgres:\/\/\*\*\*@/);
    expect(endOf(Object.assign(new Error(secret), { name: 'DatabaseProblem' }), quiet)).toEqual({
      message: withoutSecrets(secret),
      exit: 1,
    });
    expect(endOf(new Stop('No.', EXIT.waits), quiet)).toMatchObject({ message: 'No.', exit: 3 });
    expect(endOf(failure('SERVICE_UNAVAILABLE', 'The database does not answer.'), quiet)).toEqual({
      message: 'The database does not answer.',
      exit: 5,
    });
  });
});
