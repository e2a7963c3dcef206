/** Fuzz tests of the audit chain: random records verify as written, and never after a stored row was changed. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import Database from 'libsql';
import { afterAll, beforeAll, expect } from 'vitest';
import { type AuditVerdict, verifyChains } from '../../src/engine/audit/verify.ts';
import type { AuditRecord } from '../../src/engine/ports.ts';
import { openCallChains } from '../../src/storage/audit/call-chains.ts';
import { readCheckpoints } from '../../src/storage/audit/checkpoints.ts';
import { openCallLog } from '../../src/storage/audit/sqlite.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { example, keys, openPlace } from '../ports/audit-test-store.ts';
import { byteChange, changed, fuzz, hostileJson, hostileText } from './fuzz.ts';

const root = mkdtempSync(join(tmpdir(), 'tamshai-fuzz-audit-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function written(folder: string, records: readonly AuditRecord[]): Promise<void> {
  const { file, key, checkpoints, kv } = await openPlace(folder);
  const log = await openCallLog({ file, chain: 'calls', key, checkpoints });
  for (const record of records) await log.append(record);
  await log.close();
  await checkpoints.close();
  await kv.close();
}

async function verified(folder: string): Promise<AuditVerdict> {
  const chains = openCallChains(join(folder, 'audit.db'));
  const kv = openSqliteKeyValue(join(folder, 'gateway.db'));
  try {
    return await verifyChains([chains], await readCheckpoints(join(folder, 'checkpoints.jsonl'), kv), { keys });
  } finally {
    await chains.close();
    await kv.close();
  }
}

const record: fc.Arbitrary<AuditRecord> = fc
  .record({
    username: hostileText,
    principal: hostileText,
    tool: hostileText,
    requestId: hostileText,
    input: hostileText,
    ms: fc.constantFrom(0, -0, 1.5, 1e21, 1e-7, Number.MAX_VALUE),
    rows: fc.constantFrom(0, -0, 1, 1e21, 2 ** 53, null),
    changes: hostileJson,
  })
  .map((fields) => ({ ...example(1), ...fields }) as AuditRecord);

fuzz('any records verify, whatever text they contain', {
  input: fc.array(record, { minLength: 1, maxLength: 20 }),
  runs: 40,
  async holds(records) {
    const folder = mkdtempSync(join(root, 'w'));
    await written(folder, records);
    expect(await verified(folder)).toMatchObject({ ok: true, chains: [{ chain: 'calls', count: records.length }] });
    rmSync(folder, { recursive: true });
  },
});

const LENGTH = 24;
const original = join(root, 'original');
beforeAll(async () => {
  cpSync(mkdtempSync(join(root, 'e')), original, { recursive: true });
  await written(
    original,
    Array.from({ length: LENGTH }, (_, n) => ({ ...example(n), username: n % 2 === 0 ? 'e\u0301' : '\u00e9', input: '{"a":"😀\\u0000"}' })),
  );
});

const row = fc.integer({ min: 1, max: LENGTH });
const change = fc.oneof(
  fc.record({ kind: fc.constantFrom('body', 'mac', 'chain'), row, bytes: byteChange }),
  fc.record({ kind: fc.constant('delete'), row, to: row }),
  fc.record({ kind: fc.constant('number'), row, to: fc.integer({ min: -2, max: 2 * LENGTH }) }),
  fc.record({ kind: fc.constant('swap'), row, to: row }),
  fc.record({ kind: fc.constant('copy'), row, to: row }),
  fc.record({ kind: fc.constant('duplicate'), row, to: fc.integer({ min: LENGTH + 1, max: LENGTH + 3 }) }),
  fc.record({ kind: fc.constant('type'), row, value: fc.constantFrom<string | number | null>(0, 1.5, '', null) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Changes the stored rows. Returns whether they differ from before. */
function tampered(db: InstanceType<typeof Database>, each: Change): boolean {
  const all = () =>
    JSON.stringify(
      db
        .prepare('SELECT hex(chain), n, hex(body), hex(mac), typeof(body) || typeof(mac) || typeof(chain) FROM records ORDER BY 1, 2')
        .raw()
        .all(),
    );
  const before = all();
  const run = (sql: string, ...values: unknown[]) => void db.prepare(sql).run(...values);
  if ('bytes' in each) {
    const [old] = db.prepare(`SELECT CAST(${each.kind} AS BLOB) FROM records WHERE n = ?`).raw().get(each.row) as [Buffer];
    const bytes = changed(old, each.bytes);
    run(`UPDATE records SET ${each.kind} = CAST(? AS TEXT) WHERE n = ?`, bytes, each.row);
  } else if ('value' in each) {
    // A NOT NULL constraint may refuse the change.
    try {
      run('UPDATE records SET body = ? WHERE n = ?', each.value, each.row);
    } catch {
      return false;
    }
  } else if (each.kind === 'delete') run('DELETE FROM records WHERE n = ?', each.row);
  else if (each.kind === 'number') run('UPDATE OR REPLACE records SET n = ? WHERE n = ?', each.to, each.row);
  else if (each.kind === 'copy')
    run('UPDATE records SET (body, mac) = (SELECT body, mac FROM records WHERE n = ?) WHERE n = ?', each.row, each.to);
  else if (each.kind === 'duplicate') run('INSERT INTO records SELECT chain, ?, body, mac FROM records WHERE n = ?', each.to, each.row);
  else {
    run('UPDATE records SET n = -1 WHERE n = ?', each.row);
    run('UPDATE records SET n = ? WHERE n = ?', each.row, each.to);
    run('UPDATE records SET n = ? WHERE n = -1', each.to);
  }
  return all() !== before;
}

fuzz('verification detects any change of a stored record', {
  input: change,
  runs: 150,
  async holds(each) {
    const folder = mkdtempSync(join(root, 't'));
    cpSync(original, folder, { recursive: true });
    const db = new Database(join(folder, 'audit.db'));
    let isChanged: boolean;
    try {
      isChanged = tampered(db, each);
    } finally {
      db.close();
    }
    const verdict = await verified(folder);
    expect({ each, ok: verdict.ok }).toEqual({ each, ok: !isChanged });
    rmSync(folder, { recursive: true });
  },
});
