/** The file of the embedded search store while another program holds its write lock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbeddedSearch } from '../../src/storage/search/embedded.ts';
import { openSqlite, type Sqlite } from '../../src/storage/sqlite-file.ts';
import { harness, ticketRows } from './search-rows.ts';

let folder = '';
let file = '';
let other: Sqlite;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tamshai-held-'));
  file = join(folder, 'search.db');
  other = openSqlite(file);
});
afterEach(() => {
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

const HELD = /^Another program is writing to .*search\.db and does not stop\. Close it, and start again\.$/;

test('a start reports the lock instead of waiting for ever', async () => {
  const backend = openEmbeddedSearch(file, harness, { heldMs: 50 });
  const fill = () => backend.loader.fill('tickets', ticketRows(2), () => {});
  other.exec('BEGIN IMMEDIATE');
  const error = await fill().catch((reason: unknown) => reason as Error);
  expect(error).toMatchObject({ name: 'DatabaseProblem', message: expect.stringMatching(HELD) as string });
  other.exec('ROLLBACK');
  await fill();
  expect(await backend.loader.isEmpty('tickets')).toBe(false);
  await backend.close();
}, 20_000);

test('a start that has to create its tables reports the lock too', () => {
  other.exec('BEGIN IMMEDIATE');
  expect(() => openEmbeddedSearch(file, harness, { heldMs: 50 })).toThrow(expect.objectContaining({ name: 'DatabaseProblem' }) as Error);
  other.exec('ROLLBACK');
});
