/** The engine's own store for tests of sign-in: one embedded database for each test file, and empty tables for each test. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../src/declare/rows.ts';
import type { EngineStore } from '../src/engine/engine-store.ts';
import { createSeal } from '../src/storage/seal.ts';
import { createSqlEngineStore } from '../src/storage/sql/engine-store.ts';
import { ENGINE_LOGIN } from '../src/storage/sql/migrate.ts';
import { type EmbeddedDatabase, openPglite } from '../src/storage/sql/pglite.ts';
import { copyFolder } from './template.ts';

let opened: Promise<EmbeddedDatabase> | undefined;

async function openDatabase(): Promise<EmbeddedDatabase> {
  const made = await mkdtemp(join(tmpdir(), 'tamshai-engine-'));
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  const folder = join(made, 'pg');
  await copyFolder(folder, { domains: [], today: new Date(0) });
  const database = await openPglite(folder);
  await database.surrender();
  return database;
}

/** Reads a table of the engine's own store. */
export async function engineRows(text: string): Promise<Row[]> {
  return (await (opened ??= openDatabase())).read(ENGINE_LOGIN, { text, values: [] });
}

export async function emptyEngineStore(): Promise<EngineStore> {
  const database = await (opened ??= openDatabase());
  await database.transaction(ENGINE_LOGIN, { text: 'delete from tamshai.clients', values: [] }, (session) =>
    session.query('delete from tamshai.sign_ins'),
  );
  return createSqlEngineStore(database, { clock: { now: () => new Date() }, seal: createSeal(randomBytes(32)) });
}
