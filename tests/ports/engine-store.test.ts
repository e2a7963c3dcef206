/** The engine's own store: limits of registrations, sign-ins and refresh tokens, on PGlite and from two processes on PostgreSQL. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineStore } from '../../src/engine/engine-store.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { createSeal } from '../../src/storage/seal.ts';
import type { SqlDatabase } from '../../src/storage/sql/database.ts';
import { createSqlEngineStore } from '../../src/storage/sql/engine-store.ts';
import { ENGINE_LOGIN, giveLogins, migrate } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { builtIn } from '../registry.ts';
import { copyFolder } from '../template.ts';
import { databases } from './sql-test-store.ts';

const HOUR = 3_600_000;
let ahead = 0;
const clock = { now: () => new Date(Date.now() + ahead) };
const inHours = (hours: number) => new Date(clock.now().getTime() + hours * HOUR);
const [key, otherKey] = [randomBytes(32), randomBytes(32)];
const storeOn = (database: SqlDatabase, sealKey = key): EngineStore => createSqlEngineStore(database, { clock, seal: createSeal(sealKey) });

interface Opened {
  /** Two processes on PostgreSQL; twice the same database on PGlite. */
  readonly processes: readonly [SqlDatabase, SqlDatabase];
  close(): Promise<void>;
}

async function embedded(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-engine-store-'));
  await copyFolder(join(folder, 'pg'), { domains: [], today: new Date(0) });
  const database = await openPglite(join(folder, 'pg'));
  await database.surrender();
  return {
    processes: [database, database],
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function server(): Promise<Opened> {
  const url = process.env['TAMSHAI_TEST_DATABASE_URL'] ?? '';
  const name = `tamshai_engine_${randomBytes(6).toString('hex')}`;
  const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const root = new pg.Client({ connectionString: url });
  await root.connect();
  await root.query('select pg_advisory_lock(42)');
  await root.query(`create database ${name}`);
  const owner = new pg.Client({ connectionString: own });
  await owner.connect();
  await migrate(owner, migrationsOf(builtIn, []));
  await giveLogins(owner, [], () => 'only-for-tests');
  await owner.end();
  const open = () => openPostgres({ url: own, password: () => 'only-for-tests', pingAs: ENGINE_LOGIN });
  const processes = [open(), open()] as const;
  return {
    processes,
    async close() {
      for (const each of processes) await each.close();
      await root.query(`drop database ${name} with (force)`);
      await root.query('select pg_advisory_unlock(42)');
      await root.end();
    },
  };
}

describe.each(databases)('the engine store on %s', (kind) => {
  let opened: Opened;
  let here: EngineStore;
  let there: EngineStore;
  beforeAll(async () => {
    opened = await (kind === 'PGlite' ? embedded() : server());
    [here, there] = [storeOn(opened.processes[0]), storeOn(opened.processes[1])];
  });
  afterAll(() => opened.close());

  const client = () => ({ realm: 'staff', clientId: randomUUID() }) as const;
  const signIn = async (hours = 1) => {
    const signInKey = { realm: 'staff', signInId: randomUUID() } as const;
    await here.signIns.save(signInKey, { clientId: 'c', accountId: 'a', consent: { openid: 1 }, expiresAt: inHours(hours) });
    return signInKey;
  };
  const token = async (signInId: string) => {
    const tokenKey = { realm: 'staff', hash: randomUUID() } as const;
    await here.refreshTokens.save(tokenKey, { signInId, text: 'secret text', expiresAt: inHours(1) });
    return tokenKey;
  };

  test('of concurrent registrations in two processes exactly the allowed number succeeds', async () => {
    const limit = { most: 5, expiresAt: inHours(24) };
    const asked = await Promise.all(Array.from({ length: 14 }, (_, n) => (n % 2 ? here : there).clients.reserve(client(), limit)));
    expect(asked.filter(Boolean)).toHaveLength(5);
    // Each realm has its own limit.
    expect(await here.clients.reserve({ realm: 'customer', clientId: randomUUID() }, limit)).toBe(true);
  });

  test('a used or removed client makes room, and an unused one expires', async () => {
    const limit = (most: number) => ({ most, expiresAt: inHours(24) });
    const [used, removed, unused] = [client(), client(), client()];
    for (const each of [used, removed, unused]) expect(await here.clients.reserve(each, limit(100))).toBe(true);
    expect(await there.clients.find(used)).toBeUndefined();
    for (const each of [used, unused]) await here.clients.save(each, { client_name: 'App' });
    expect(await there.clients.find(used)).toEqual({ client_name: 'App' });
    expect(await there.clients.find({ ...used, realm: 'customer' })).toBeUndefined();
    await here.clients.markUsed(used, inHours(48));
    await there.clients.remove(removed);
    // Five unused clients of the first test, and one of this test.
    expect(await here.clients.reserve(client(), limit(6))).toBe(false);
    ahead = 25 * HOUR;
    expect(await here.clients.find(unused)).toBeUndefined();
    expect(await there.clients.find(used)).toEqual({ client_name: 'App' });
    expect(await here.clients.reserve(client(), limit(1))).toBe(true);
    ahead = 0;
  });

  test('the end of a sign-in ends its refresh tokens, and no token is stored for it afterwards', async () => {
    const { signInId, ...realm } = await signIn();
    const tokenKey = await token(signInId);
    expect(await there.signIns.find({ ...realm, signInId })).toEqual({ openid: 1 });
    expect(await there.refreshTokens.find(tokenKey)).toEqual({ text: 'secret text', usedAt: undefined });
    await there.signIns.end({ ...realm, signInId });
    expect(await here.refreshTokens.find(tokenKey)).toBeUndefined();
    expect(await here.refreshTokens.find(await token(signInId))).toBeUndefined();
  });

  test('of concurrent uses of a token in two processes one succeeds, and the token is remembered as used', async () => {
    const tokenKey = await token((await signIn()).signInId);
    const uses = await Promise.all(Array.from({ length: 8 }, (_, n) => (n % 2 ? here : there).refreshTokens.use(tokenKey)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect((await there.refreshTokens.find(tokenKey))?.usedAt).toBeInstanceOf(Date);
  });

  test('an expired sign-in and its tokens count as missing', async () => {
    const signInKey = await signIn(0.5);
    const tokenKey = await token(signInKey.signInId);
    ahead = 0.75 * HOUR;
    expect(await here.signIns.find(signInKey)).toBeUndefined();
    expect(await here.refreshTokens.find(tokenKey)).toBeUndefined();
    ahead = 0;
  });

  test('the data of a token cannot be read with another key or in another row', async () => {
    const signInKey = await signIn();
    const [one, two] = [await token(signInKey.signInId), await token(signInKey.signInId)];
    expect(await storeOn(opened.processes[0], otherKey).refreshTokens.find(one)).toBeUndefined();
    await opened.processes[0].transaction(ENGINE_LOGIN, { text: 'select 1', values: [] }, (session) =>
      session.query(
        'update tamshai.refresh_tokens set sealed = (select sealed from tamshai.refresh_tokens where token_hash = $1) ' +
          'where token_hash = $2',
        [one.hash, two.hash],
      ),
    );
    expect(await here.refreshTokens.find(two)).toBeUndefined();
    expect(await here.refreshTokens.find(one)).toBeDefined();
  });

  test('the login of the engine has no right on the records of migrations, on schemas and on roles', async () => {
    for (const statement of [
      'select from tamshai.migrations',
      'create table tamshai.mine ()',
      'create table public.mine ()',
      'alter table tamshai.clients disable row level security',
      'truncate tamshai.clients',
      'create role mine',
    ])
      await expect(
        opened.processes[0].transaction(ENGINE_LOGIN, { text: 'select 1', values: [] }, (session) => session.query(statement)),
        statement,
      ).rejects.toMatchObject({ code: '42501' });
  });

  if (kind === 'PostgreSQL')
    test('a ping fails while the server does not answer, before the first read', async () => {
      const silent = openPostgres({ url: 'postgres://127.0.0.1:1/none', password: () => '', pingAs: ENGINE_LOGIN });
      await expect(silent.ping()).rejects.toThrow();
      await silent.close();
    });
});
