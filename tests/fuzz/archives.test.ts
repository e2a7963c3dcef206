/** Fuzz tests of backup archives and knowledge exports: a mutated file either gives the original content, or is refused as a whole. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { ArchiveProblem, pack, unpack } from '../../src/server/archive.ts';
import { unarchive } from '../../domains/knowledge/archive.ts';
import { Damaged } from '../../src/declare/transfer.ts';
import { byteChange, changed, fuzz, hostileJson, hostileText } from './fuzz.ts';

const root = mkdtempSync(join(tmpdir(), 'tamshai-fuzz-archive-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Every file with its bytes; folders end with a slash. */
const treeOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .toSorted()
      .map((name) => {
        const path = join(folder, name);
        return statSync(path).isDirectory() ? [`${name}/`, ''] : [name, readFileSync(path, 'latin1')];
      }),
  );

let good: Buffer;
let tar: Buffer;
let tree: Record<string, string>;
beforeAll(async () => {
  const source = join(root, 'source');
  mkdirSync(join(source, 'pg', 'base', 'deep'), { recursive: true });
  writeFileSync(join(source, 'keys.json'), '{"key":"0123456789"}');
  writeFileSync(join(source, 'pg', 'base', '1'), Buffer.alloc(1_500, 7));
  writeFileSync(join(source, 'pg', 'base', 'empty'), '');
  mkdirSync(join(source, 'pg', 'long-name-'.repeat(6)));
  writeFileSync(join(source, 'pg', 'long-name-'.repeat(6), `${'long-name-'.repeat(6)}.db`), 'long');
  const file = join(root, 'good.tar.gz');
  await pack(source, file, { version: '1', leaveOut: () => false });
  good = readFileSync(file);
  tar = gunzipSync(good);
  tree = treeOf(source);
});

let n = 0;
/** Unpacks into a folder and checks that nothing beside it changes. Returns undefined where the archive is refused. */
async function restored(bytes: Buffer): Promise<Record<string, string> | undefined> {
  const place = join(root, `place-${n++}`);
  mkdirSync(place);
  writeFileSync(join(place, 'neighbour'), 'untouched');
  const [file, into] = [join(root, 'mutated.tar.gz'), join(place, 'data')];
  writeFileSync(file, bytes);
  try {
    await unpack(file, into);
    return treeOf(into);
  } catch (error) {
    expect(error).toBeInstanceOf(ArchiveProblem);
    expect((error as Error).message).toMatch(/^[A-Z].*\.$/);
    expect(readdirSync(place)).toEqual(['neighbour']);
    return undefined;
  } finally {
    expect(readFileSync(join(place, 'neighbour'), 'utf8')).toBe('untouched');
    expect(readdirSync(place).filter((name) => name !== 'neighbour' && name !== 'data')).toEqual([]);
    rmSync(place, { recursive: true, force: true });
  }
}

fuzz('a backup with any byte changed is refused, or restores the original files', {
  input: byteChange,
  runs: 150,
  async holds(change) {
    const found = await restored(changed(good, change));
    if (found !== undefined) expect(found).toEqual(tree);
  },
});

/** Fields of a tar header that an attacker can set, by offset and length. */
const FIELDS = { name: [0, 100], size: [124, 12], kind: [156, 1], prefix: [345, 155] } as const;
const header = fc.record({
  at: fc.nat({ max: 12 }),
  field: fc.constantFrom<keyof typeof FIELDS>('name', 'size', 'kind', 'prefix'),
  text: fc.oneof(
    hostileText,
    fc.constantFrom(
      '../outside',
      '/tmp/outside',
      'pg/../../outside',
      'a/./b',
      '.',
      '..',
      '',
      '1',
      '2',
      '5',
      '77777777777',
      '-1',
      '0x10',
      '\\outside',
    ),
  ),
});
const placeOfBlock = (at: number) => (at % Math.floor(tar.length / 512)) * 512;

fuzz('a backup with hostile headers writes nothing outside its folder', {
  input: fc.array(header, { minLength: 1, maxLength: 3 }),
  runs: 150,
  async holds(headers) {
    const bytes = Buffer.from(tar);
    for (const { at, field, text } of headers) {
      const [from, length] = FIELDS[field];
      const block = placeOfBlock(at);
      bytes.fill(0, block + from, block + from + length).write(text.slice(0, length), block + from, length, 'utf8');
    }
    const found = await restored(gzipSync(bytes));
    // The archive's manifest lists no folders, so only files are compared.
    const files = (all: Record<string, string>) => Object.entries(all).filter(([name]) => !name.endsWith('/'));
    if (found !== undefined) expect(files(found)).toEqual(files(tree));
  },
});

type Json = Record<string, unknown>;
const AT = '2026-11-16T10:00:00.123456Z';
const version = {
  source: null,
  actor: null,
  confidence: 0.9,
  valid_from: null,
  valid_to: null,
  owner: 'p',
  recorded_by: 'Ann',
  recorded_at: AT,
};
const entry = { id: 'e-1', topic: 'tide', content: 'Ebb.', tags: ['sea'], ...version };
const change = (tx_id: number, more: Json): Json => ({
  tx_id,
  at: AT,
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
const changes = [
  change(1, { entries: [entry] }),
  change(2, { action: 'update', entries: [{ ...entry, topic: '日本' }], closed: ['e-1'] }),
  change(3, { action: 'relate', triples: [{ id: 't-3', subject: 'a', predicate: 'owned_by', object: 'b', ...version }] }),
  change(5, { action: 'undo', undoes: 3, closed: ['t-3'] }),
];
/** A complete export, whose last line has the right counts and digest. */
function exported(lines: readonly unknown[]): Buffer {
  const before = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const of = (kind: string) =>
    lines.flatMap((line) => {
      const value = (line as Json | null)?.[kind];
      return Array.isArray(value) ? value : [];
    }).length;
  const sha256 = createHash('sha256').update(before).digest('hex');
  const end = { end: true, transactions: lines.length - 1, entries: of('entries'), triples: of('triples'), sha256 };
  return Buffer.from(`${before}${JSON.stringify(end)}\n`);
}
const beginning = { tamshai: 'knowledge', format: 1, as_of_tx_id: 9 };

/** The changes that are read from a file; undefined where it is refused with a proper message. */
function taken(bytes: Buffer): unknown[] | undefined {
  const reading = unarchive();
  try {
    const lines = bytes.toString('latin1').split('\n');
    if (lines.at(-1) === '') lines.pop();
    const all = lines.flatMap((line) => reading.take(Buffer.from(line, 'latin1')) ?? []);
    reading.finish();
    return all;
  } catch (error) {
    expect(error).toBeInstanceOf(Damaged);
    expect((error as Error).message).toMatch(/^(?:line \d+|it is cut off|there is nothing)/);
    expect((error as Error).message.length).toBeLessThan(200);
    return undefined;
  }
}

fuzz('a knowledge export with any byte changed is refused, or gives the original changes', {
  input: byteChange,
  runs: 1_500,
  holds(mutation) {
    const found = taken(changed(exported([beginning, ...changes]), mutation));
    if (found !== undefined) expect(found).toEqual(changes);
  },
});

const KEYS = [...new Set([...Object.keys(entry), ...Object.keys(changes[0] ?? {}), '__proto__', 'extra'])];
fuzz('a knowledge export with hostile values and a valid digest is refused with a proper message, or read as it is', {
  input: fc.array(fc.tuple(fc.nat({ max: 4 }), fc.constantFrom('own', 'entry'), fc.constantFrom(...KEYS), hostileJson), {
    minLength: 1,
    maxLength: 3,
  }),
  runs: 1_500,
  holds(edits) {
    const lines = structuredClone([beginning, ...changes]) as Json[];
    for (const [at, level, key, value] of edits) {
      const line = lines[at] as Json;
      const target = level === 'entry' ? ((line['entries'] as Json[] | undefined)?.[0] ?? line) : line;
      if (target !== null && typeof target === 'object')
        Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
    }
    const found = taken(exported(lines));
    if (found !== undefined) expect(JSON.stringify(found)).toBe(JSON.stringify(JSON.parse(JSON.stringify(lines.slice(1)))));
  },
});
