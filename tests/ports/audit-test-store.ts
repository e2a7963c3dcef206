/** Fixtures of the audit log tests: keys, an example record, and a folder with its key-value store and checkpoints. */
import { join } from 'node:path';
import type { AuditKeys } from '../../src/engine/audit/chain.ts';
import type { AuditRecord } from '../../src/engine/ports.ts';
import { openCheckpoints } from '../../src/storage/audit/checkpoints.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';

export const clock = { now: () => new Date() };
export const keys: AuditKeys = { chain: [Buffer.alloc(32, 'chain')], checkpoint: [Buffer.alloc(32, 'checkpoint')] };

export const example = (i: number): AuditRecord => ({
  at: new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString(),
  principal: `staff|${i % 3}`,
  username: `person.${i % 3}`,
  surface: 'rest',
  origin: 'web',
  server: 'hr',
  tool: 'get_employee',
  decision: 'allowed',
  code: null,
  ms: 1.5,
  rows: 1,
  requestId: `r-${i}`,
  input: `{"n":${i}}`,
});

/** Opens the stores of a folder as the started product does. */
export async function openPlace(folder: string, everyMs?: number) {
  const kv = openSqliteKeyValue(join(folder, 'gateway.db'));
  const marks = join(folder, 'checkpoints.jsonl');
  const checkpoints = await openCheckpoints({ file: marks, kv, keys, clock, ...(everyMs !== undefined && { everyMs }) });
  return { folder, file: join(folder, 'audit.db'), marks, kv, checkpoints, key: keys.chain[0] ?? Buffer.alloc(0) };
}
