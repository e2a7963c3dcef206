/** Knowledge export and import: every table is restored exactly, including its search index. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importInto } from '../../src/server/transfer.ts';
import type { SqlReader } from '../../src/declare/sql.ts';
import type { Store } from '../../src/engine/store.ts';
import { archive } from '../../domains/knowledge/archive.ts';
import { knowledgeTransfer } from '../../domains/knowledge/transfer.ts';
import * as knowledge from '../../domains/knowledge/index.ts';
import { lastTx } from '../../domains/knowledge/snapshot.ts';
import { databases, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const TABLES = ['head', 'transactions', 'entries', 'triples', 'words', 'pairs', 'terms', 'names', 'ends'];

describe.each(databases)('an archive on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(knowledge) });
    await eventful();
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  const done = async (by: string, tool: string, input: object) => {
    const asked = await testRuntime.call(by, 'knowledge', tool, input);
    const answer = asked.status === 'pending_confirmation' ? await testRuntime.approve(by, asked.confirmationId) : asked;
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
    return answer.data as Record<string, unknown>;
  };
  /** Makes changes of every kind, more than one page of them. */
  async function eventful(): Promise<void> {
    const stored = await done('frank.davis', 'store', {
      topic: 'Größe "quoted" \\ 日本',
      content: "Line one\nline two\ttab % _ ' 🌊",
      tags: ['Ebb', 'a,b', '{x}', 'null', '"q"'],
      source: 'a page',
      actor: 'an agent',
      confidence: 0.125,
      valid_from: '2026-01-01',
      valid_to: '2026-12-31',
    });
    // Two spellings of one letter, joined emoji, a byte order mark, a line separator, and letters outside the Unicode BMP.
    await done('frank.davis', 'store', { topic: 'cafe\u0301 caf\u00e9 مرحبا 𝒳', content: '\ufeff👩‍👩‍👧\u2028नमस्ते \u00a0 \u{1f3f4}' });
    await done('frank.davis', 'relate', { subject: String(stored['id']), predicate: 'part of', object: 'the sea', confidence: 0 });
    await done('frank.davis', 'update', { id: stored['id'], content: 'Another content.', clear: ['actor'], reason: 'It was "wrong"' });
    const gone = await done('frank.davis', 'delete', { id: stored['id'] });
    const back = await done('frank.davis', 'undo', { tx_id: gone['tx_id'] });
    await done('frank.davis', 'undo', { tx_id: back['tx_id'] });
    await done('nina.patel', 'relate', {
      subject: 'search-service',
      predicate: 'owned_by',
      object: 'Platform team',
      resolution: 'replace',
    });
    await done('sarah.kim', 'update', { id: 'e-2', content: 'Rollback within 10 min if error rate exceeds 1%.' });
    for (let n = 0; n < 160; n++) await done('marcus.johnson', 'store', { topic: `Wave ${n}`, content: `The wave number ${n}.`, tags: [] });
    const first = await done('marcus.johnson', 'update', { id: 'e-1', confidence: 0.5 });
    for (let n = 1; n < 4; n++) await done('marcus.johnson', 'update', { id: 'e-1', content: `Version ${n}.` });
    expect(Number(first['tx_id'])).toBeGreaterThan(250);
  }

  const reading = <T>(body: (sql: SqlReader) => Promise<T>) => {
    const store = testRuntime.runtime.stores['knowledge'] as Store<'sql'>;
    return store.read({ domain: 'knowledge', audience: 'staff', person: person('frank.davis'), shows: [] }, ({ sql }) => body(sql));
  };
  const exported = () =>
    reading(async (sql) => {
      const lines: string[] = [];
      const progress: number[] = [];
      const asOf = await lastTx(sql);
      for await (const line of archive(sql, asOf, (tx) => progress.push(tx))) lines.push(line);
      expect([progress.at(-1), progress.length]).toEqual([asOf, Math.ceil(asOf / 200)]);
      return lines;
    });
  const tables = async () => {
    const rows: Record<string, unknown> = {};
    for (const table of TABLES) {
      // row_version is left out: it is a counter of the store for approvals, and not part of the knowledge.
      rows[table] = await testRuntime.owner(`select to_jsonb(t) - 'row_version' as row from knowledge.${table} t order by 1`);
    }
    return rows;
  };
  const empty = () => testRuntime.owner(`truncate ${TABLES.map((table) => `knowledge.${table}`).join(', ')}`);
  const forced = async () =>
    (
      await testRuntime.owner(
        "select relname, relforcerowsecurity from pg_class where relnamespace = 'knowledge'::regnamespace and relkind = 'r' order by 1",
      )
    ).map((row) => Object.values(row));

  async function imported(lines: readonly string[]): Promise<void> {
    const importing = knowledgeTransfer.import();
    const [first = '', ...rest] = lines;
    importing.begin(Buffer.from(first.slice(0, -1)));
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for (const line of rest) yield Buffer.from(line.slice(0, -1));
    }
    const owner = { query: async (text: string, values?: unknown[]) => ({ rows: await testRuntime.owner(text, values) }) };
    await importInto(
      owner as unknown as Parameters<typeof importInto>[0],
      { domain: 'knowledge', transfer: knowledgeTransfer, importing },
      {
        lines: bytes(),
        onProgress: () => {},
        occupied: (content) => {
          throw new Error(`occupied by ${content}`);
        },
      },
    );
  }

  test('restores rows, history, versions and search terms exactly', async () => {
    const [lines, before, rules] = [await exported(), await tables(), await forced()];
    await empty();
    await imported(lines);
    expect(await tables()).toEqual(before);
    expect(await exported()).toEqual(lines);
    expect(await forced()).toEqual(rules);
    expect(rules.every(([, on]) => on === true)).toBe(true);
  }, 120_000);

  test('can be continued after the import: transaction numbers, ownership, undo and search work', async () => {
    const last = await reading(lastTx);
    const stored = await done('frank.davis', 'store', { topic: 'after', content: 'After the import.' });
    expect(stored['tx_id']).toBe(last + 1);
    expect(await testRuntime.call('marcus.johnson', 'knowledge', 'undo', { tx_id: last - 5 })).toMatchObject({ status: 'success' });
    expect(await testRuntime.call('sarah.kim', 'knowledge', 'delete', { id: stored['id'] })).toMatchObject({
      status: 'pending_confirmation',
    });
    const found = await testRuntime.call('tom.becker', 'knowledge', 'query', { query: 'wave number 42' });
    expect(found).toMatchObject({ status: 'success', data: [{ topic: 'Wave 42' }, ...Array<unknown>(49).fill(expect.anything())] });
  });

  test('is not imported over existing knowledge, and a damaged archive writes nothing', async () => {
    const [lines, before] = [await exported(), await tables()];
    await expect(imported(lines)).rejects.toThrow(/occupied by \d+/);
    expect(await tables()).toEqual(before);
    await empty();
    const nothing = await tables();
    await expect(imported(lines.slice(0, -1))).rejects.toThrow('cut off');
    await expect(imported(lines.with(250, (lines[250] ?? '').replace('wave', 'Wave')))).rejects.toThrow(
      'does not match the lines before it',
    );
    expect(await tables()).toEqual(nothing);
    expect((await forced()).every(([, on]) => on === true)).toBe(true);
    await imported(lines);
    expect(await tables()).toEqual(before);
  }, 120_000);
});
