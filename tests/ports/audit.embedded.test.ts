/** The embedded audit log: hash chains in SQLite, verification, checkpoints, crashes, and records of unauthenticated calls. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditVerdict, verifyChains } from '../../src/engine/audit/verify.ts';
import { bodyOf, macOf, signCheckpoint, withoutNote } from '../../src/engine/audit/chain.ts';
import { Failure } from '../../src/declare/errors.ts';
import type { AuditRecord, ChainedRecord } from '../../src/engine/ports.ts';
import type { Person } from '../../src/declare/people.ts';
import { createAuditPart } from '../../src/gateway/audit-log.ts';
import { chainsIn, openCallChains } from '../../src/storage/audit/call-chains.ts';
import { openCheckpoints, readCheckpoints } from '../../src/storage/audit/checkpoints.ts';
import { countRefusals } from '../../src/storage/audit/refusals.ts';
import { openCallLog } from '../../src/storage/audit/sqlite.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { startChild } from '../services/child.ts';
import { clock, example, keys, openPlace } from './audit-test-store.ts';

const root = mkdtempSync(join(tmpdir(), 'tamshai audit '));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const fresh = () => mkdtempSync(join(root, 'f'));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const at = async (log: { records(chain: string): AsyncIterable<ChainedRecord> }): Promise<ChainedRecord[]> => {
  const records: ChainedRecord[] = [];
  for await (const record of log.records('calls')) records.push(record);
  return records;
};
/** The record without its reference to a checkpoint. */
const plain = (record: ChainedRecord) => {
  const { checkpoint: _, ...rest } = said(record) as AuditRecord & { checkpoint?: unknown };
  return rest;
};
const said = ({ body }: ChainedRecord) => JSON.parse(body) as AuditRecord;

async function started(folder = fresh(), chain = 'calls') {
  const place = await openPlace(folder);
  const log = await openCallLog({ file: place.file, chain, key: place.key, checkpoints: place.checkpoints });
  const stop = async () => {
    await log.close();
    await place.checkpoints.close();
    await place.kv.close();
  };
  return { ...place, log, stop };
}
const append = (log: { append(record: AuditRecord): Promise<void> }, from: number, to: number) =>
  Promise.all(Array.from({ length: to - from + 1 }, (_, i) => log.append(example(from + i))));

/** Verifies as `tamshai audit verify` does, from a process that has written nothing. */
async function verify(folder: string, with_ = keys): Promise<AuditVerdict> {
  const chains = openCallChains(join(folder, 'audit.db'));
  const kv = openSqliteKeyValue(join(folder, 'gateway.db'));
  const verdict = await verifyChains([chains], await readCheckpoints(join(folder, 'checkpoints.jsonl'), kv), { keys: with_ });
  await chains.close();
  await kv.close();
  return verdict;
}

describe('the log of calls', () => {
  test('numbers records in one chain, and returns them in order, one by one, newest first and by person', async () => {
    const { log, checkpoints, stop } = await started();
    await append(log, 1, 250);
    expect(await log.chains()).toEqual([{ chain: 'calls', count: 250 }]);
    const records = await at(log);
    expect(records.map(({ n }) => n)).toEqual(Array.from({ length: 250 }, (_, i) => i + 1));
    expect(records.map(plain)).toEqual(Array.from({ length: 250 }, (_, i) => example(i + 1)));
    expect(await log.record('calls', 7)).toEqual(records[6]);
    expect(await log.record('calls', 251)).toBeUndefined();
    expect(await log.record('none', 1)).toBeUndefined();

    const newest = await log.newest({ limit: 3 });
    expect(newest.map(({ n }) => n)).toEqual([250, 249, 248]);
    const own: number[] = [];
    let before: { at: string; chain: string; n: number } | undefined;
    for (;;) {
      const page = await log.newest({ limit: 10, principal: 'staff|2', before });
      own.push(...page.map(({ n }) => n));
      const last = page.at(-1);
      if (!last) break;
      before = { at: said(last).at, chain: last.chain, n: last.n };
    }
    expect(own).toEqual(Array.from({ length: 250 }, (_, i) => 250 - i).filter((n) => n % 3 === 2));
    expect(await log.newest({ limit: 10, principal: 'staff|9' })).toEqual([]);
    expect(await verifyChains([log], await checkpoints.all(), { keys })).toMatchObject({
      ok: true,
      chains: [{ chain: 'calls', count: 250 }],
    });
    await stop();
  });

  test("a person's records are indexed at once, in the order in which they were appended", async () => {
    const { log, stop } = await started();
    await log.append({ ...example(1), at: '2026-03-01T00:00:00.000Z', principal: 'me' });
    expect(await log.newest({ limit: 5, principal: 'me' })).toHaveLength(1);
    await log.append({ ...example(2), at: '2026-02-01T00:00:00.000Z', principal: 'me' });
    await log.append({ ...example(3), at: '2026-03-01T00:00:00.000Z', principal: 'me' });
    expect((await log.newest({ limit: 5, principal: 'me' })).map(({ n }) => n)).toEqual([3, 1, 2]);
    expect((await log.newest({ limit: 5 })).map(({ n }) => n)).toEqual([3, 1, 2]);
    await stop();
  });

  test('continues after a restart', async () => {
    const folder = fresh();
    for (const from of [1, 11, 21]) {
      const { log, stop } = await started(folder);
      await append(log, from, from + 9);
      await stop();
    }
    expect(await verify(folder)).toEqual({ ok: true, chains: [{ chain: 'calls', count: 30, checkpointed: 30 }] });
  });

  test('stores bytes unchanged: hostile text, odd numbers, many keys', async () => {
    const folder = fresh();
    const { log, stop } = await started(folder);
    const odd: AuditRecord[] = [
      { ...example(1), input: 'nul\0nul\0', username: '\ud800 alone', tool: '😀é e\u0301' },
      { ...example(2), ms: -0, rows: 1e21, changes: { a: 1e-7, b: Number.MAX_VALUE, c: [undefined, Number.NaN] } },
      { ...example(3), changes: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`__proto__${i}`, i])) },
      { ...example(4), principal: `quote ' " \\ \n \u2028 \u202e` },
    ];
    for (const record of odd) await log.append(record);
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(text, text, fc.anything({ maxDepth: 2 }), async (input, principal, changes) => {
        await log.append({ ...example(5), input, principal, changes: JSON.parse(JSON.stringify(changes ?? null) ?? 'null') });
      }),
      { numRuns: 200 },
    );
    const records = await at(log);
    expect(records.slice(0, 4).map(({ body }) => withoutNote(body))).toEqual(odd.map(bodyOf));
    expect((await log.newest({ limit: 5, principal: odd[3]?.principal })).map(({ n }) => n)).toEqual([4]);
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 204 }] });
  });

  test('has no fork and loses no record while two processes write concurrently', async () => {
    const folder = fresh();
    const { log, stop } = await started(folder);
    const child = startChild(new URL('./audit-child.ts', import.meta.url), folder, '400');
    expect(await child.line()).toBe('ready');
    await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        for (let j = 0; j < 5; j++) {
          await log.append(example(i));
          await pause(j);
        }
      }),
    );
    expect((await child.ended).code).toBe(0);
    expect(await log.chains()).toEqual([{ chain: 'calls', count: 1_400 }]);
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 1_400 }] });
  });

  test('a killed process loses no confirmed record', async () => {
    const folder = fresh();
    const child = startChild(new URL('./audit-child.ts', import.meta.url), folder, '1000000');
    expect(await child.line()).toBe('ready');
    let reported = 0;
    while (reported < 300) reported = Number(await child.line());
    child.process.kill('SIGKILL');
    const { out } = await child.ended;
    reported = Number(out.split('\n').at(-1));
    const { log, stop } = await started(folder);
    const [{ count } = { count: 0 }] = await log.chains();
    expect(count).toBeGreaterThanOrEqual(reported);
    await append(log, 1, 5);
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ chain: 'calls', count: count + 5 }] });
  });

  test('a full disk refuses the call, and earlier records still verify', async () => {
    const folder = fresh();
    const child = startChild(new URL('./audit-child.ts', import.meta.url), folder, '100000');
    expect(await child.line()).toBe('ready');
    limitFileSize(child.process.pid ?? 0, 1_000_000);
    const { out, code } = await child.ended;
    expect(code).toBe(0);
    expect(out.split('\n').at(-1)).toBe('SERVICE_UNAVAILABLE: The call could not be recorded, so it is not answered.');
    expect(await verify(folder)).toMatchObject({ ok: true });
  });

  test('a locked store refuses calls, and recovers afterwards', async () => {
    const folder = fresh();
    const { log, file, stop } = await started(folder);
    await append(log, 1, 3);
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    const failure = await log.append(example(4)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Failure);
    expect((failure as Failure).answer()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    expect(JSON.stringify((failure as Failure).answer())).not.toMatch(/lock|sqlite|database/i);
    other.exec('ROLLBACK');
    other.close();
    await append(log, 4, 6);
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 6 }] });
    await expect(log.append(example(7))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('records that are appended while the index is created are found at once', async () => {
    const { log, stop } = await started();
    await append(log, 1, 1200);
    const early = log.newest({ limit: 1 });
    await append(log, 1201, 1300);
    expect((await log.newest({ limit: 1 })).map(({ n }) => n)).toEqual([1300]);
    await early;
    await stop();
  });

  test('an audit log without an index is indexed and counted without blocking new records', async () => {
    const folder = fresh();
    const first = await started(folder);
    await append(first.log, 1, 12_000);
    await first.stop();
    const db = new Database(first.file);
    db.exec('DROP TABLE by_time; DROP TABLE by_person; DROP TABLE ordered_until');
    db.close();
    const { log, stop } = await started(folder);
    for (const [n, look] of [() => log.newest({ limit: 3, principal: 'staff|1' }), () => log.chains()].entries()) {
      let over = false;
      const looking = look().finally(() => (over = true));
      await log.append(example(12_001 + n));
      expect([n, over]).toEqual([n, false]);
      await looking;
    }
    expect((await log.newest({ limit: 3, principal: 'staff|1' })).map(({ n }) => n)).toEqual([12_001, 11_998, 11_995]);
    expect(await log.chains()).toEqual([{ chain: 'calls', count: 12_002 }]);
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: true });
  });

  test('a damaged record does not hide other records', async () => {
    const folder = fresh();
    const first = await started(folder);
    await append(first.log, 1, 3);
    expect(await first.log.newest({ limit: 1 })).toHaveLength(1);
    await append(first.log, 4, 6);
    await first.stop();
    const db = new Database(first.file);
    db.exec("UPDATE records SET body = 'no JSON' WHERE n IN (2, 5)");
    db.exec("UPDATE records SET body = json_remove(body, '$.principal') WHERE n = 3");
    db.exec("UPDATE records SET body = json_set(body, '$.at', 2026) WHERE n = 4");
    db.close();
    const { log, stop } = await started(folder);
    await append(log, 7, 8);
    const seen = await log.newest({ limit: 10 });
    expect(seen.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual([1, 6, 7, 8]);
    const all = { principal: 'staff|9', realm: 'staff', roles: new Set(['executive']) } as unknown as Person;
    const part = createAuditPart([log], () => expect.fail('nobody asked'));
    expect((await part(all, { what: 'page', limit: 2 })).records.map(({ n }) => n)).toEqual([8, 7]);
    expect(await part(all, { what: 'record', chain: 'calls', n: 2 })).toEqual({ records: [] });
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: false, n: 2 });
  });

  test('a forged record number does not block reads, and verification detects it', async () => {
    const folder = fresh();
    const { log, file, stop } = await started(folder);
    await append(log, 1, 3);
    const db = new Database(file);
    db.exec(`INSERT INTO records SELECT chain, ${Number.MAX_SAFE_INTEGER}, body, mac FROM records WHERE n = 3`);
    db.close();
    expect(await log.newest({ limit: 10, principal: 'staff|2' })).toHaveLength(1);
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: false, n: 4 });
  });

  test('a record that cannot be serialised is refused, and damages nothing', async () => {
    const folder = fresh();
    const { log, stop } = await started(folder);
    const both = await Promise.allSettled([log.append({ ...example(1), changes: 1n }), log.append(example(2))]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 1 }] });
  });
});

/** Limits the size of files that the process may write, as a full disk would. */
function limitFileSize(pid: number, bytes: number): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}`]);
}

describe('verification', () => {
  const good = fresh();
  const yesterday = fresh();
  beforeAll(async () => {
    const first = await started(good);
    await append(first.log, 1, 150);
    await first.stop();
    cpSync(good, yesterday, { recursive: true });
    const second = await started(good);
    await append(second.log, 151, 319);
    await second.log.append({ ...example(320), input: '"\ufffd"' });
    // A read completes the index, which otherwise follows a moment later.
    await second.log.newest({ limit: 1 });
    await second.stop();
  });

  /** A copy of the folder whose audit log was changed by someone with write access to the database but without the key. */
  const changed = (sql: string): string => {
    const folder = fresh();
    cpSync(good, folder, { recursive: true });
    const db = new Database(join(folder, 'audit.db'));
    const all = () =>
      JSON.stringify(
        ['hex(chain), n, hex(body), hex(mac) FROM records', '* FROM by_time', '* FROM by_person', '* FROM ordered_until'].map((each) =>
          db.prepare(`SELECT ${each}`).raw().all(),
        ),
      );
    const before = all();
    db.exec(sql);
    expect(all()).not.toBe(before);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    return folder;
  };

  test('accepts an intact audit log', async () => {
    expect(await verify(good)).toEqual({ ok: true, chains: [{ chain: 'calls', count: 320, checkpointed: 320 }] });
  });

  const swap = `UPDATE records SET n = -1 WHERE n = 40; UPDATE records SET n = 40 WHERE n = 41; UPDATE records SET n = 41 WHERE n = -1`;
  const insert = `CREATE TABLE later AS SELECT chain, n + 1 AS n, body, mac FROM records WHERE n > 60; DELETE FROM records WHERE n > 60;
    INSERT INTO records (chain, n, body, mac) SELECT chain, 61, body, mac FROM records
    WHERE n = 60; INSERT INTO records (chain, n, body, mac) SELECT * FROM later`;
  test.each([
    ['an edited record', `UPDATE records SET body = replace(body, 'r-100', 'r-101') WHERE n = 100`, 100, /not as it was written/],
    ['an edited person', `UPDATE records SET body = replace(body, 'person.1', 'person.2') WHERE n = 100`, 100, /not as it was written/],
    ['an edited MAC', `UPDATE records SET mac = 'x' || substr(mac, 2) WHERE n = 12`, 12, /not as it was written/],
    [
      'text that was added after a NUL',
      `UPDATE records SET body = CAST(CAST(body AS BLOB) || x'00' || 'more' AS TEXT) WHERE n = 9`,
      9,
      /not as it was written/,
    ],
    ['a deleted record', 'DELETE FROM records WHERE n = 77', 77, /missing/],
    ['a deleted first record', 'DELETE FROM records WHERE n = 1', 1, /missing/],
    ['two records swapped', swap, 40, /not as it was written/],
    ['an inserted record', insert, 61, /not as it was written/],
    [
      'a record before the first',
      `INSERT INTO records (chain, n, body, mac) SELECT chain, 0, body, mac FROM records WHERE n = 1`,
      1,
      /does not belong/,
    ],
    [
      'a record with the smallest possible number',
      `INSERT INTO records (chain, n, body, mac) SELECT chain, -9223372036854775808, body, mac FROM records WHERE n = 1`,
      1,
      /does not belong/,
    ],
    [
      'a copied record at the end',
      `INSERT INTO records (chain, n, body, mac) SELECT chain, 321, body, mac FROM records WHERE n = 320`,
      321,
      /not as/,
    ],
    ['a cut tail', 'DELETE FROM records WHERE n > 300', 301, /cut/],
    ['one record cut off', 'DELETE FROM records WHERE n = 320', 320, /cut/],
    ['an emptied table', 'DELETE FROM records', 1, /whole chain is missing/],
    ['a renamed chain', `UPDATE records SET chain = 'other'`, 1, /not as it was written/],
    [
      'a chain whose name continues after a NUL',
      `INSERT INTO records (chain, n, body, mac) SELECT CAST(CAST(chain AS BLOB) || x'00' || 'x' AS TEXT), n, body, mac FROM records`,
      1,
      /not as it was written/,
    ],
    ['a MAC that is not UTF-8', `UPDATE records SET mac = CAST(x'ff41' AS TEXT) WHERE n = 12`, 12, /not as it was written/],
    [
      'a chain whose name is not UTF-8',
      `INSERT INTO records (chain, n, body, mac) SELECT CAST(x'ff41' AS TEXT), n, body, mac FROM records WHERE n = 1`,
      1,
      /more rows than records of this chain/,
    ],
    [
      'an invalid byte in place of a replacement character',
      `UPDATE records SET body = CAST(replace(CAST(body AS BLOB), x'efbfbd', x'ff') AS TEXT) WHERE n = 320`,
      320,
      /not as it was written/,
    ],
    ['a record that is missing in the index by time', 'DELETE FROM by_time WHERE n = 100', 100, /its store files it/],
    [
      'a record under another time in the index',
      `UPDATE by_time SET at = '1970-01-01T00:00:00.000Z' WHERE n = 100`,
      100,
      /its store files it/,
    ],
    ['a record that is missing in the index by person', 'DELETE FROM by_person WHERE n = 7', 7, /its store files it/],
    ['a record under another person in the index', `UPDATE by_person SET principal = 'staff|9' WHERE n = 7`, 7, /its store files it/],
    ['emptied indexes', 'DELETE FROM by_person; DELETE FROM by_time', 1, /its store files it/],
  ])('detects %s', async (_what, sql, n, problem) => {
    const verdict = await verify(changed(sql));
    expect(verdict).toEqual({
      ok: false,
      chain: expect.stringMatching(/^(calls|other|calls\0x|\ufffdff41)$/),
      n,
      problem: expect.stringMatching(problem),
    });
  });

  test('detects MACs that were recomputed with another key', async () => {
    const folder = changed('DELETE FROM records');
    const db = new Database(join(folder, 'audit.db'));
    let mac = '';
    for (let n = 1; n <= 320; n++) {
      const body = bodyOf({ ...example(n), decision: 'refused' });
      mac = macOf(randomBytes(32), { chain: 'calls', n, previous: mac, body });
      db.prepare('INSERT INTO records (chain, n, body, mac) VALUES (?, ?, ?, ?)').run('calls', n, body, mac);
    }
    db.close();
    expect(await verify(folder)).toMatchObject({ ok: false, chain: 'calls', n: 1 });
  });

  test('detects an audit log that was replaced by an older copy, also after new records', async () => {
    const folder = fresh();
    cpSync(good, folder, { recursive: true });
    for (const file of ['audit.db', 'audit.db-wal', 'audit.db-shm']) rmSync(join(folder, file), { force: true });
    cpSync(join(yesterday, 'audit.db'), join(folder, 'audit.db'));
    expect(await verify(folder)).toMatchObject({ ok: false, chain: 'calls', n: 151 });
    const reported: unknown[] = [];
    const log = { info: () => undefined, warn: () => undefined, error: (_fields: unknown, message: string) => void reported.push(message) };
    const place = await openPlace(folder);
    const calls = await openCallLog({ file: place.file, chain: 'calls', key: place.key, checkpoints: place.checkpoints, log });
    await append(calls, 1, 400);
    expect(await calls.chains()).toEqual([
      { chain: 'calls', count: 150 },
      { chain: 'calls.2', count: 400 },
    ]);
    await calls.close();
    await place.checkpoints.close();
    await place.kv.close();
    expect(reported).toEqual([expect.stringContaining('an old copy')]);
    expect(await verify(folder)).toMatchObject({ ok: false, chain: 'calls', n: 151 });
  });

  test('detects a fork: another writer that continued an old copy under the same name', async () => {
    const chains = openCallChains(join(good, 'audit.db'));
    const marks = await readCheckpoints(join(good, 'checkpoints.jsonl'), openSqliteKeyValue(':memory:'));
    const [key = Buffer.alloc(0)] = keys.checkpoint;
    const rival = signCheckpoint(key, { chain: 'calls', count: 320, mac: 'other', at: 'x' });
    expect(await verifyChains([chains], [...marks, rival], { keys })).toMatchObject({
      ok: false,
      n: 320,
      problem: expect.stringContaining('forked'),
    });
    expect(await verifyChains([chains], [{ ...rival, ...signCheckpoint(key, { ...rival, count: 200 }) }], { keys })).toMatchObject({
      ok: false,
      n: 200,
    });
    expect(await verifyChains([chains, chains], marks, { keys })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('Two stores'),
    });
    await chains.close();
  });

  test('detects forged, damaged and missing checkpoints', async () => {
    const forged = fresh();
    cpSync(good, forged, { recursive: true });
    const file = join(forged, 'checkpoints.jsonl');
    const lines = readFileSync(file, 'utf8');
    writeFileSync(file, lines.replace('"count":320', '"count":300'));
    expect(await verify(forged)).toMatchObject({ ok: false, chain: 'calls', n: 300, problem: expect.stringContaining('signed') });
    writeFileSync(file, `${lines}what?\n`);
    expect(await verify(forged)).toMatchObject({ ok: false, problem: expect.stringContaining('signed') });
    // One of the two copies is enough to detect a truncation.
    const cut = changed('DELETE FROM records WHERE n > 310');
    rmSync(join(cut, 'checkpoints.jsonl'));
    expect(await verify(cut)).toMatchObject({ ok: false, n: 311 });
    const other = changed('DELETE FROM records WHERE n > 310');
    rmSync(join(other, 'gateway.db'));
    expect(await verify(other)).toMatchObject({ ok: false, n: 311 });
    rmSync(join(other, 'checkpoints.jsonl'));
    expect(await verify(other)).toMatchObject({ ok: false, problem: expect.stringMatching(/checkpoint.*Restore/i) });
  });

  test('detects an overdue checkpoint', async () => {
    const [[key = Buffer.alloc(0)], [signing = Buffer.alloc(0)]] = [keys.chain, keys.checkpoint];
    const db = new Database(':memory:');
    const chains = chainsIn(db);
    const insert = db.prepare('INSERT INTO records (chain, n, body, mac) VALUES (?, ?, ?, ?)');
    const macs: string[] = [''];
    for (let n = 1; n <= 1_200; n++) {
      const body = bodyOf(example(n));
      macs.push(macOf(key, { chain: 'calls', n, previous: macs[n - 1] ?? '', body }));
      insert.run('calls', n, body, macs[n]);
    }
    const upTo = (count: number) => [signCheckpoint(signing, { chain: 'calls', count, mac: macs[count] ?? '', at: 'x' })];
    expect(await verifyChains([chains], upTo(200), { keys })).toMatchObject({ ok: true });
    const old = { ok: false, chain: 'calls', problem: expect.stringContaining('A checkpoint is overdue') };
    expect(await verifyChains([chains], upTo(199), { keys })).toMatchObject(old);
    // A chain that grew during the verification has newer checkpoints by then.
    expect(await verifyChains([chains], upTo(199), { keys, again: async () => upTo(1_200) })).toMatchObject({ ok: true });
    db.close();
  });

  const withoutCheckpoints = async (folder: string) => {
    rmSync(join(folder, 'checkpoints.jsonl'), { force: true });
    const kv = openSqliteKeyValue(join(folder, 'gateway.db'));
    for (const key of ['audit:chains', 'audit:checkpoint:calls']) await kv.delete(key);
    await kv.close();
  };
  const cut = (folder: string, after: number) => {
    const db = new Database(join(folder, 'audit.db'));
    for (const table of ['records', 'by_time', 'by_person']) db.exec(`DELETE FROM ${table} WHERE n > ${after}`);
    db.exec(`UPDATE ordered_until SET n = min(n, ${after})`);
    db.close();
  };
  const young = async (records: number): Promise<string> => {
    const folder = fresh();
    const { log, stop } = await started(folder);
    for (let i = 1; i <= records; i++) await log.append(example(i));
    await stop();
    return folder;
  };

  test.each([1, 7, 20])('detects that both copies of the checkpoints are missing, in a log of %i records', async (records) => {
    const folder = await young(records);
    expect(await verify(folder)).toMatchObject({ ok: true });
    await withoutCheckpoints(folder);
    expect(await verify(folder)).toMatchObject({ ok: false, chain: 'calls', problem: expect.stringMatching(/checkpoint.*Restore/is) });
    cut(folder, Math.max(1, records - 5));
    expect(await verify(folder)).toMatchObject({ ok: false, chain: 'calls', problem: expect.stringMatching(/checkpoint.*Restore/is) });
  });

  test('detects missing checkpoints also after restarts, with and without new records', async () => {
    const folder = await young(20);
    await withoutCheckpoints(folder);
    cut(folder, 15);
    for (const more of [0, 0, 3, 0, 2]) {
      const { log, stop } = await started(folder);
      for (let i = 1; i <= more; i++) await log.append(example(20 + i));
      await stop();
      expect([more, await verify(folder)]).toMatchObject([
        more,
        { ok: false, chain: 'calls', problem: expect.stringMatching(/checkpoint/i) },
      ]);
    }
  });

  test('succeeds again once the removed checkpoints are restored, unless records were cut off in between', async () => {
    const restored = async (cutTo: number) => {
      const folder = await young(20);
      const copy = readFileSync(join(folder, 'checkpoints.jsonl'), 'utf8');
      await withoutCheckpoints(folder);
      cut(folder, cutTo);
      const { log, stop, marks } = await started(folder);
      await append(log, 21, 23);
      await stop();
      expect(await verify(folder)).toMatchObject({ ok: false, problem: expect.stringMatching(/removed.*Restore/) });
      writeFileSync(marks, copy + readFileSync(marks, 'utf8'));
      return verify(folder);
    };
    expect(await restored(20)).toMatchObject({ ok: true, chains: [{ count: 23 }] });
    expect(await restored(15)).toMatchObject({ ok: false, chain: 'calls' });
  });

  test('accepts the record of a process that was killed before its first checkpoint', async () => {
    const folder = fresh();
    const { log, stop, marks } = await started(folder);
    const before = readFileSync(marks, 'utf8');
    expect(before).toContain('"count":0');
    await log.append(example(1));
    await stop();
    // After a kill at that moment, the record exists and its checkpoint does not.
    writeFileSync(marks, before);
    for (const file of ['gateway.db', 'gateway.db-wal', 'gateway.db-shm']) rmSync(join(folder, file), { force: true });
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 1, checkpointed: 0 }] });
    const again = await started(folder);
    await again.log.append(example(2));
    await again.stop();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 2, checkpointed: 2 }] });
  });

  test('accepts a new log without records, and a log whose records do not yet refer to checkpoints', async () => {
    const folder = fresh();
    await (await started(folder)).stop();
    expect(await verify(folder)).toEqual({ ok: true, chains: [] });
    const place = await openPlace(folder);
    const db = new Database(place.file);
    let mac = '';
    for (let n = 1; n <= 9; n++) {
      mac = macOf(place.key, { chain: 'calls', n, previous: mac, body: bodyOf(example(n)) });
      db.prepare('INSERT INTO records (chain, n, body, mac) VALUES (?, ?, ?, ?)').run('calls', n, bodyOf(example(n)), mac);
    }
    db.close();
    writeFileSync(place.marks, '');
    await place.checkpoints.checkpoint('calls', 9, mac);
    await place.checkpoints.close();
    await place.kv.close();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 9, checkpointed: 9 }] });
    const { log, stop } = await started(folder);
    await append(log, 10, 12);
    await stop();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 12, checkpointed: 12 }] });
  });

  test('detects checkpoints that were restored from an old copy, before and after a start', async () => {
    const folder = fresh();
    const first = await started(folder);
    await append(first.log, 1, 20);
    await first.stop();
    const old = fresh();
    cpSync(folder, old, { recursive: true });
    const second = await started(folder);
    for (let i = 21; i <= 40; i++) {
      await second.log.append(example(i));
      await second.checkpoints.all();
    }
    await second.stop();
    expect(await verify(folder)).toMatchObject({ ok: true, chains: [{ count: 40, checkpointed: 40 }] });
    for (const file of ['checkpoints.jsonl', 'gateway.db', 'gateway.db-wal', 'gateway.db-shm']) {
      rmSync(join(folder, file), { force: true });
      if (existsSync(join(old, file))) cpSync(join(old, file), join(folder, file));
    }
    cut(folder, 35);
    expect(await verify(folder)).toMatchObject({ ok: false, chain: 'calls', problem: expect.stringMatching(/checkpoint/i) });
    const third = await started(folder);
    await append(third.log, 41, 45);
    await third.stop();
    expect(await verify(folder)).toMatchObject({ ok: false, chain: 'calls', problem: expect.stringMatching(/checkpoint/i) });
  });

  test('fails without the key or with another key, and succeeds with the old key beside a new one', async () => {
    const chains = openCallChains(join(good, 'audit.db'));
    expect(await verifyChains([chains], [], { keys: undefined })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('without its key'),
    });
    await chains.close();
    const other = { chain: [randomBytes(32)], checkpoint: [randomBytes(32)] };
    expect(await verify(good, other)).toMatchObject({ ok: false });
    const both = { chain: [...other.chain, ...keys.chain], checkpoint: [...other.checkpoint, ...keys.checkpoint] };
    expect(await verify(good, both)).toMatchObject({ ok: true });
  });

  test('accepts an audit log that grows during the verification', async () => {
    const { log, checkpoints, stop } = await started();
    await append(log, 1, 2_000);
    let done = false;
    const growing = (async () => {
      for (let i = 2_001; !done; i++) await log.append(example(i));
    })();
    const again = () => checkpoints.all();
    for (let i = 0; i < 5; i++) expect(await verifyChains([log], await again(), { keys, again })).toMatchObject({ ok: true });
    done = true;
    await growing;
    await stop();
  });
});

describe('checkpoints', () => {
  const mac = (n: number) => `mac-${n}`;

  test('are written at the first record, after every hundred records, at the configured interval and at close', async () => {
    const { checkpoints, marks, kv } = await openPlace(fresh(), 200);
    const counts = () =>
      readFileSync(marks, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => (JSON.parse(line) as { count: number }).count);
    await checkpoints.checkpoint('a', 1, mac(1));
    await expect.poll(counts).toEqual([1]);
    for (let n = 2; n <= 100; n++) await checkpoints.checkpoint('a', n, mac(n));
    await pause(20);
    expect(counts()).toEqual([1]);
    await expect.poll(counts).toEqual([1, 100]);
    for (let n = 101; n <= 205; n++) await checkpoints.checkpoint('a', n, mac(n));
    await expect.poll(() => (counts().at(-1) ?? 0) >= 200, { timeout: 150 }).toBe(true);
    await checkpoints.checkpoint('a', 206, mac(206));
    await checkpoints.close();
    expect(counts().at(-1)).toBe(206);
    expect((await readCheckpoints('/nowhere', kv)).map(({ chain, count }) => [chain, count])).toEqual([['a', 206]]);
  });

  test('are not written before their records are durable', async () => {
    const { checkpoints, marks } = await openPlace(fresh(), 50);
    let ready = false;
    await checkpoints.checkpoint('a', 1, mac(1), async () => {
      if (!ready) throw new Error('disk');
    });
    await pause(120);
    expect(readFileSync(marks, 'utf8')).toBe('');
    ready = true;
    await expect.poll(() => readFileSync(marks, 'utf8')).toContain('"count":1');
    await checkpoints.close();
  });

  test('are written to the file while the key-value store is unavailable, with one warning', async () => {
    const folder = fresh();
    const kv = openSqliteKeyValue(':memory:');
    await kv.close();
    const warned: string[] = [];
    const say = (_fields: unknown, message: string) => void warned.push(message);
    const file = join(folder, 'c.jsonl');
    const checkpoints = await openCheckpoints({ file, kv, keys, clock, log: { info: say, warn: say, error: say } });
    await checkpoints.checkpoint('a', 1, mac(1));
    await checkpoints.close();
    expect(readFileSync(file, 'utf8')).toContain('"count":1');
    expect(warned).toEqual(['A checkpoint of the audit log could not be written to every store.']);
    await expect(checkpoints.all()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('half a line, left by a crash, is ignored', async () => {
    const folder = fresh();
    const first = await openPlace(folder);
    await first.checkpoints.checkpoint('a', 5, mac(5));
    await first.checkpoints.close();
    writeFileSync(first.marks, `${readFileSync(first.marks, 'utf8')}{"chain":"a","cou`);
    const second = await openPlace(folder);
    await second.checkpoints.checkpoint('a', 6, mac(6));
    await second.checkpoints.close();
    const lines = readFileSync(first.marks, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { count: number }).count)).toEqual([5, 6]);
  });

  test('a chain that became shorter does not overwrite its longer checkpoint', async () => {
    const folder = fresh();
    const first = await openPlace(folder);
    await first.checkpoints.checkpoint('domain', 50, mac(50));
    await first.checkpoints.close();
    rmSync(first.marks);
    const second = await openPlace(folder);
    await second.checkpoints.checkpoint('domain', 20, 'other');
    await second.checkpoints.close();
    expect(await second.checkpoints.latest('domain')).toMatchObject({ count: 50, mac: mac(50) });
  });

  test('the list of chains is written again after it was deleted from the key-value store', async () => {
    const { checkpoints, kv } = await openPlace(fresh(), 10);
    await checkpoints.checkpoint('a', 1, mac(1));
    await expect.poll(() => checkpoints.chains()).toEqual(['a']);
    await kv.delete('audit:chains');
    await checkpoints.checkpoint('a', 2, mac(2));
    await expect.poll(() => checkpoints.chains()).toEqual(['a']);
    await checkpoints.close();
  });

  test('a file that is removed while the process runs is created again', async () => {
    const { checkpoints, marks } = await openPlace(fresh(), 10);
    await checkpoints.checkpoint('a', 1, mac(1));
    await expect.poll(() => existsSync(marks) && readFileSync(marks, 'utf8')).toContain('"count":1');
    rmSync(marks);
    await checkpoints.checkpoint('a', 2, mac(2));
    await expect.poll(() => existsSync(marks) && readFileSync(marks, 'utf8')).toContain('"count":2');
    await checkpoints.close();
  });

  test('the file is compacted when it is opened, and keeps the newest checkpoint of every chain', async () => {
    const folder = fresh();
    const { marks, checkpoints, kv } = await openPlace(folder);
    await checkpoints.close();
    const [key = Buffer.alloc(0)] = keys.checkpoint;
    const line = (count: number, chain = 'a') =>
      `${JSON.stringify(signCheckpoint(key, { chain, count, mac: 'm'.repeat(43), at: example(count).at }))}\n`;
    const lines = Array.from({ length: 50_000 }, (_, i) => line(i + 1));
    lines.splice(7, 0, line(1, 'seldom'), line(3, 'seldom'), line(2, 'seldom'));
    writeFileSync(marks, lines.join(''));
    const again = await openCheckpoints({ file: marks, kv, keys, clock });
    const all = await again.all();
    await again.close();
    // No process writes to this chain any more, so only this checkpoint can reveal a truncation.
    expect(all.filter(({ chain }) => chain === 'seldom').map(({ count }) => count)).toEqual([3]);
    const counts = all.filter(({ chain }) => chain === 'a').map(({ count }) => count);
    expect(counts.length).toBeLessThan(2_100);
    expect(counts.slice(-1_000)).toEqual(Array.from({ length: 1_000 }, (_, i) => 49_001 + i));
    expect(counts[0]).toBe(1);
  });
});

describe('unauthenticated calls', () => {
  test('are counted in one record per second', async () => {
    const { log, stop } = await started();
    const refusals = countRefusals(log, clock);
    for (let i = 0; i < 1_000; i++) refusals.count('rest', 'gateway');
    for (let i = 0; i < 500; i++) refusals.count('mcp', 'hr');
    expect(await log.chains()).toEqual([]);
    await expect.poll(() => log.chains(), { timeout: 3_000 }).toEqual([{ chain: 'calls', count: 1 }]);
    refusals.count('rest', 'gateway');
    await refusals.close();
    const [first, second] = (await at(log)).map(said);
    expect(first).toMatchObject({ decision: 'refused', code: 'UNAUTHENTICATED', principal: '', surface: 'several', server: 'several' });
    expect(JSON.parse(first?.input ?? '')).toEqual({
      calls: 1_500,
      by: [
        { surface: 'rest', server: 'gateway', times: 1_000 },
        { surface: 'mcp', server: 'hr', times: 500 },
      ],
    });
    expect(second).toMatchObject({ surface: 'rest', server: 'gateway', input: expect.stringContaining('"calls":1') });
    await stop();
  });

  test('stay counted while the audit log cannot be written, and are recorded afterwards', async () => {
    const kept: AuditRecord[] = [];
    let works = false;
    const log = {
      append: async (record: AuditRecord) => {
        if (!works) throw new Error('no');
        kept.push(record);
      },
    };
    const refusals = countRefusals(log, clock);
    refusals.count('rest', 'gateway');
    await refusals.close();
    refusals.count('rest', 'gateway');
    works = true;
    await refusals.close();
    expect(kept.map(({ input }) => (JSON.parse(input) as { calls: number }).calls)).toEqual([2]);
  });
});
