/** Connected programs survive an emptied key-value store and a restart, and every gateway knows them. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { decodeJwt } from 'jose';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { start, type Tamshai } from '../../src/server/compose.ts';
import { freshDatabase, redisDatabase, SHARED_KEY } from '../fresh-database.ts';
import { readConfig } from '../registry.ts';
import { onServers } from '../stores.ts';
import { fillTables } from '../template.ts';
import { settingsFor } from '../test-server.ts';
import { ask, register, renew, signIn, walk } from '../unit/embedded-support.ts';

const REDIRECT = 'http://localhost:4000/callback';
const closing: (() => Promise<unknown>)[] = [];
let environment: Record<string, string>;
let folder = '';

/** The issuer contains the port, so a restarted process must have the same one. */
const freePort = () =>
  new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tamshai-connected-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  environment = { ...settingsFor(folder), TAMSHAI_MASTER_KEY: SHARED_KEY, GATEWAY_PORT: String(await freePort()) };
  if (!onServers) return fillTables(folder, ['tasks']);
  const database = await freshDatabase(process.env['TAMSHAI_TEST_DATABASE_URL'] ?? '', ['tasks'], SHARED_KEY, folder);
  closing.push(database.drop);
  Object.assign(environment, { DATABASE_URL: database.url, REDIS_URL: await redisDatabase(process.env['TAMSHAI_TEST_REDIS_URL'] ?? '') });
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const log = { info: () => {}, warn: () => {}, error: () => {} };
async function open(settings: Record<string, string> = {}, servers = ['gateway', 'tasks']): Promise<Tamshai> {
  const tamshai = await start(readConfig({ ...environment, ...settings }), { servers, log });
  closing.push(() => tamshai.close());
  return tamshai;
}

async function emptyKeyValue(): Promise<void> {
  if (environment['REDIS_URL'] === undefined) {
    for (const end of ['', '-wal', '-shm']) await rm(join(folder, `gateway.db${end}`), { force: true });
    return;
  }
  const redis = new Redis(environment['REDIS_URL']);
  await redis.flushdb();
  redis.disconnect();
}

/** Registers a program and signs in through it. */
async function connect(base: string) {
  const { json } = await register(base, { client_name: 'Claude Desktop', redirect_uris: [REDIRECT] });
  const flow = { client: String(json['client_id']), redirect: REDIRECT };
  return { flow, ...(await signIn(base, flow)) };
}

test('after a restart with an emptied key-value store, a program refreshes its token and signs in again', async () => {
  const before = await open();
  const { flow, refresh } = await connect(before.base);
  await closing.pop()?.();
  await emptyKeyValue();
  const after = await open();
  const renewed = await renew(after.base, refresh, flow);
  expect([renewed.status, typeof renewed.json['access_token']]).toEqual([200, 'string']);
  expect(decodeJwt(String(renewed.json['access_token']))).toMatchObject({
    client_name: 'Claude Desktop',
    preferred_username: 'alice.chen',
  });
  expect((await walk(after.base, flow)).end.searchParams.get('code')).toBeTruthy();
  // The first refresh token was used, so its second use ends the sign-in, as before the restart.
  expect((await renew(after.base, refresh, flow)).status).toBe(400);
  expect((await renew(after.base, String(renewed.json['refresh_token']), flow)).status).toBe(400);
});

test('a revoked sign-in stays revoked after the key-value store was emptied', async () => {
  const tamshai = await open();
  const { flow, refresh, claims } = await connect(tamshai.base);
  await tamshai.modules.identity.embedded?.revokeSignIn('staff', String(claims['sid']));
  await closing.pop()?.();
  await emptyKeyValue();
  expect((await renew((await open()).base, refresh, flow)).status).toBe(400);
});

if (!onServers)
  test('a process without a gateway has no store of the engine', async () => {
    const tamshai = await open({}, ['tasks']);
    expect(tamshai.modules.identity.embedded).toBeUndefined();
  });

if (!onServers)
  test('a configuration without a SQL domain has the store of the engine', async () => {
    const { base } = await open({}, ['gateway', 'support']);
    const { flow, refresh } = await connect(base);
    expect((await renew(base, refresh, flow)).status).toBe(200);
  });

async function otherFolder(): Promise<string> {
  const other = await mkdtemp(join(tmpdir(), 'tamshai-connected-'));
  closing.push(() => rm(other, { recursive: true, force: true }));
  // The keys of the sign-in are in the data folder.
  await cp(join(folder, 'keys.json'), join(other, 'keys.json'));
  return other;
}

if (onServers)
  test('a second gateway on the same PostgreSQL knows the program', async () => {
    const first = await open();
    const { flow, refresh } = await connect(first.base);
    const own = { TAMSHAI_DATA: await otherFolder(), TAMSHAI_INSTANCE: 'second', GATEWAY_PORT: '0' };
    const second = await open({ ...own, TAMSHAI_PUBLIC_URL: first.base });
    const answer = await ask(`http://localhost:${second.ports['gateway']}/oidc/staff/token`, {
      headers: { host: new URL(first.base).host },
      form: { grant_type: 'refresh_token', client_id: flow.client, refresh_token: refresh },
    });
    expect(answer.status).toBe(200);
    // The first gateway sees that the token was used at the second one.
    expect((await renew(first.base, refresh, flow)).status).toBe(400);
  });

if (onServers)
  test('a second gateway that would keep programs in its own data folder is refused', async () => {
    const { DATABASE_URL: _, ...rest } = environment;
    environment = rest;
    await open({}, ['gateway', 'journey']);
    const own = { TAMSHAI_DATA: await otherFolder(), TAMSHAI_INSTANCE: 'second', GATEWAY_PORT: '0' };
    await expect(open(own, ['gateway', 'journey'])).rejects.toThrow('set TAMSHAI_DATABASE_URL or DATABASE_URL for both');
  });
