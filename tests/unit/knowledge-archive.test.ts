/** Validation of a knowledge export before its import: truncation, changed bytes, order, counts and digest. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { unarchive } from '../../domains/knowledge/archive.ts';
import { Damaged } from '../../src/declare/transfer.ts';

type Json = Record<string, unknown>;
const at = '2026-11-16T10:00:00.123456Z';
const version = {
  source: null,
  actor: null,
  confidence: 0.9,
  valid_from: null,
  valid_to: null,
  owner: 'p',
  recorded_by: 'Ann',
  recorded_at: at,
};
const entry = (id: string, more: Json = {}): Json => ({ id, topic: 'tide', content: 'Ebb.', tags: ['sea'], ...version, ...more });
const triple = (id: string, more: Json = {}): Json => ({ id, subject: 'a', predicate: 'owned_by', object: 'b', ...version, ...more });
const change = (tx_id: number, more: Json = {}): Json => ({
  tx_id,
  at,
  action: 'store',
  principal: 'p',
  by_name: 'Ann',
  reason: null,
  undoes: null,
  entries: [],
  triples: [],
  closed: [],
  ...more,
});
const beginning = { tamshai: 'knowledge', format: 1, as_of_tx_id: 9 };

/** A complete export of these changes, with the right counts and digest. */
function file(changes: readonly Json[], first: Json = beginning, more: Json = {}): string[] {
  const lines = [first, ...changes].map((line) => JSON.stringify(line));
  const sha256 = createHash('sha256')
    .update(lines.map((line) => `${line}\n`).join(''))
    .digest('hex');
  const of = (kind: string) => changes.flatMap((each) => (each[kind] as unknown[] | undefined) ?? []).length;
  const end = { end: true, transactions: changes.length, entries: of('entries'), triples: of('triples'), sha256, ...more };
  return [...lines, JSON.stringify(end)];
}
function taken(lines: readonly (string | Buffer)[]) {
  const reading = unarchive();
  const changes = lines.flatMap((line) => reading.take(Buffer.from(line)) ?? []);
  return { changes, counts: reading.finish(), asOf: reading.asOf };
}
const good = [
  change(1, { entries: [entry('e-1')] }),
  change(2, { action: 'update', entries: [entry('e-1', { topic: '日本' })], closed: ['e-1'] }),
  change(3, { action: 'relate', triples: [triple('t-3')] }),
  change(5, { action: 'undo', undoes: 3, closed: ['t-3'] }),
];

test('a complete export is accepted', () => {
  const { changes, counts, asOf } = taken(file(good));
  expect(changes).toEqual(good);
  expect([counts, asOf]).toEqual([{ transactions: 4, entries: 2, triples: 1 }, 9]);
  expect(taken(file([], { ...beginning, as_of_tx_id: 0 })).changes).toEqual([]);
});

describe('an import refuses', () => {
  const refused = (lines: readonly (string | Buffer)[], why: string | RegExp) => {
    expect(() => taken(lines)).toThrow(Damaged);
    expect(() => taken(lines)).toThrow(why);
  };
  test('a file that is empty, truncated, longer than its end, or of another format', () => {
    refused([], 'it is empty');
    const whole = file(good);
    for (let n = 1; n < whole.length; n++) refused(whole.slice(0, n), `it is cut off after line ${n}`);
    refused([...whole, '{}'], 'line 7 comes after the end');
    refused([''], 'line 1 is not JSON');
    refused(['{"some":"json"}'], 'line 1 is not the beginning of exported knowledge');
    refused([JSON.stringify({ ...beginning, format: 2 })], 'line 1 is in format 2, which this version does not know');
    refused(['[1]'], 'line 1');
    refused(['null'], 'line 1');
    refused([whole[0] ?? '', Buffer.from([0x22, 0xff, 0x22])], 'line 2 is not JSON');
    refused([whole[0] ?? '', 'null'], 'line 2 is not a change');
  });

  test('a file with any single byte changed', () => {
    const text = Buffer.from(`${file(good).join('\n')}\n`);
    for (let i = 0; i < text.length; i++) {
      const other = Buffer.from(text);
      other[i] = (text[i] ?? 0) === 0x20 ? 0x21 : (text[i] ?? 0) ^ 1;
      const lines = other.toString('latin1').split('\n').slice(0, -1);
      expect([
        i,
        (() => {
          try {
            taken(lines.map((line) => Buffer.from(line, 'latin1')));
            return 'taken';
          } catch (error) {
            return (error as Error).name;
          }
        })(),
      ]).toEqual([i, 'Damaged']);
    }
  });

  test('a line that is missing, duplicated or moved', () => {
    const whole = file(good);
    for (let n = 1; n < whole.length - 1; n++) {
      refused(whole.toSpliced(n, 1), /line/);
      refused(whole.toSpliced(n, 0, whole[n] ?? ''), /line/);
    }
    refused(
      [whole[0], whole[3], whole[1], whole[2], whole[4], whole[5]].map((line) => line ?? ''),
      /line/,
    );
  });

  /** The counts and the digest of these files are valid, so only the tested check can refuse them. */
  test.each<[string, Json[], string]>([
    ['changes out of order', [change(2), change(1)], 'line 3 is out of order'],
    ['a change twice', [change(1), change(1)], 'line 3 is out of order'],
    ['a change after the last transaction of the export', [change(10)], 'line 2 is out of order'],
    ['the end of a version that is not open', [change(1, { closed: ['e-1'] })], 'line 2 closes e-1, which is not open'],
    [
      'a version that ends twice',
      [change(1, { entries: [entry('e-1')] }), change(2, { closed: ['e-1', 'e-1'] })],
      'line 3 closes e-1, which is not open',
    ],
    [
      'a version that begins twice',
      [change(1, { entries: [entry('e-1')] }), change(2, { entries: [entry('e-1')] })],
      'line 3 opens e-1, which is open already',
    ],
    ['the undo of a later change', [change(1, { action: 'undo', undoes: 2 }), change(2)], 'line 2 undoes change 2, which is not before it'],
    ['a change that undoes itself', [change(1, { action: 'undo', undoes: 1 })], 'line 2 undoes change 1, which is not before it'],
    [
      'a validity that ends before it begins',
      [change(1, { entries: [entry('e-1', { valid_from: '2026-02-02', valid_to: '2026-02-01' })] })],
      'line 2 has e-1 with valid_to before valid_from',
    ],
    ['a day that does not exist', [change(1, { entries: [entry('e-1', { valid_from: '2026-02-30' })] })], 'line 2 is not a change'],
    ['an invalid id', [change(1, { entries: [entry('e-0')] })], 'line 2 is not a change'],
    ['a triple among entries', [change(1, { entries: [triple('t-1')] })], 'line 2 is not a change'],
    ['a confidence above 1', [change(1, { triples: [triple('t-1', { confidence: 1.5 })] })], 'line 2 is not a change'],
    ['an empty topic', [change(1, { entries: [entry('e-1', { topic: '' })] })], 'line 2 is not a change'],
    ['a NUL in a text', [change(1, { entries: [entry('e-1', { content: 'a\u0000b' })] })], 'line 2 is not a change'],
    ['an unknown action', [change(1, { action: 'destroy' })], 'line 2 is not a change'],
    ['an unknown field', [change(1, { more: true })], 'line 2 is not a change'],
    ['a predicate of several words', [change(1, { triples: [triple('t-1', { predicate: 'owned by' })] })], 'line 2 is not a change'],
  ])('%s', (_what, changes, why) => refused(file(changes), why));

  test('an end with wrong counts or a wrong digest', () => {
    refused(file(good, beginning, { transactions: 3 }), 'line 6 has a wrong number of transactions');
    refused(file(good, beginning, { entries: 3 }), 'line 6 has a wrong number of entries');
    refused(file(good, beginning, { sha256: '' }), 'line 6 has a checksum that does not match the lines before it');
    refused(file(good, beginning, { more: 1 }), 'line 6 is not a valid last line');
  });
});
