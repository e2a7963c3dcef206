/** Processes that share one Redis: only those with the same master key and gateway key may join, even after Redis was emptied. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { start, type Tamshai } from '../../src/server/compose.ts';
import { joinOthers, type Membership } from '../../src/server/sharing.ts';
import { newGatewayKey, openKeys } from '../../src/identity/keys.ts';
import { openRedisKeyValue } from '../../src/storage/kv/redis.ts';
import { freshDatabase } from '../fresh-database.ts';
import { startPostgres } from '../services/postgres.ts';
import { startRedis } from '../services/redis.ts';
import { SQL_DOMAINS } from '../template.ts';
import { DOMAINS, settingsFor } from '../test-server.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { connectTestClient } from '../../src/testing/test-client.ts';
import { readConfig } from '../registry.ts';

let server: Awaited<ReturnType<typeof startRedis>>;
let admin: Redis;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  server = await startRedis();
  admin = new Redis(server.url);
}, 120_000);
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await admin.flushall();
});
afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

const fresh = () => randomBytes(32).toString('base64url');
const folder = () => {
  const path = mkdtempSync(join(tmpdir(), 'tamshai-joining-'));
  closing.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
};
const gatewayKey = JSON.stringify(newGatewayKey());

interface Process {
  readonly data: string;
  readonly masterKey: string;
  readonly instance: string;
  readonly gateway?: string;
}

/** Joins as a starting gateway does, with its own connection. */
async function join1({ data, masterKey, instance, gateway = gatewayKey }: Process): Promise<Membership | undefined> {
  const settings = {
    TAMSHAI_DATA: data,
    REDIS_URL: server.url,
    TAMSHAI_MASTER_KEY: masterKey,
    TAMSHAI_INSTANCE: instance,
    TAMSHAI_GATEWAY_KEY: gateway,
    // Gateways on one Redis share the engine's store. Joining does not connect to it.
    TAMSHAI_DATABASE_URL: 'postgres://db.example/tamshai',
  };
  const config = readConfig(settings);
  const kv = await openRedisKeyValue(server.url);
  closing.push(() => kv.close());
  return joinOthers(kv, openKeys(data, config), { config, withGateway: true, local: [], remote: [] });
}

test('a process with another master key is refused while the first one holds the claim', async () => {
  await join1({ data: folder(), masterKey: fresh(), instance: 'one' });
  await expect(join1({ data: folder(), masterKey: fresh(), instance: 'two' })).rejects.toThrow(
    /have another master key; set TAMSHAI_MASTER_KEY/,
  );
});

test('after Redis was emptied, a running process renews its claim, and a process with another master key is refused', async () => {
  const master = fresh();
  const one = await join1({ data: folder(), masterKey: master, instance: 'one' });
  await admin.flushall();
  expect(await one?.renew()).toBe(true);
  await expect(join1({ data: folder(), masterKey: fresh(), instance: 'wrong' })).rejects.toThrow(/another master key/);
  await join1({ data: folder(), masterKey: master, instance: 'two' });
});

test('a process with another master key that claims an emptied Redis loses the claim to an earlier member', async () => {
  const master = fresh();
  const data = folder();
  const one = await join1({ data, masterKey: master, instance: 'one' });
  await admin.flushall();
  const wrong = await join1({ data: folder(), masterKey: fresh(), instance: 'wrong' });
  expect(await wrong?.renew()).toBe(true);
  expect(await one?.renew(), 'still running').toBe(true);
  expect(await wrong?.renew()).toBe(false);

  await admin.flushall();
  const again = await join1({ data: folder(), masterKey: fresh(), instance: 'wrong' });
  const back = await join1({ data, masterKey: master, instance: 'one' });
  expect(await back?.renew(), 'started again in its folder').toBe(true);
  expect(await again?.renew()).toBe(false);
  await join1({ data: folder(), masterKey: master, instance: 'three' });
});

test('a new process with another master key cannot take over the claim, even if its clock is behind', async () => {
  const master = fresh();
  const one = await join1({ data: folder(), masterKey: master, instance: 'one' });
  const behind = Date.now() - 3_600_000;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(behind);
  closing.push(() => clock.mockRestore());
  await expect(join1({ data: folder(), masterKey: fresh(), instance: 'wrong' })).rejects.toThrow(/another master key/);
  clock.mockRestore();
  expect(await one?.renew()).toBe(true);
});

test('a data folder that belongs to another Redis gives no claim to this one', async () => {
  const other = await startRedis();
  closing.push(() => other.stop());
  const [data, theirs] = [folder(), fresh()];
  const config = readConfig({ TAMSHAI_DATA: data, REDIS_URL: other.url, TAMSHAI_MASTER_KEY: theirs, TAMSHAI_GATEWAY_KEY: gatewayKey });
  const kv = await openRedisKeyValue(other.url);
  closing.push(() => kv.close());
  await joinOthers(kv, openKeys(data, config), { config, withGateway: true, local: [], remote: [] });
  await join1({ data: folder(), masterKey: fresh(), instance: 'one' });
  await expect(join1({ data, masterKey: theirs, instance: 'wrong' })).rejects.toThrow(/another master key/);
});

test('the master key can be rotated while both keys are set', async () => {
  const [old, next] = [fresh(), fresh()];
  const [first, second] = [folder(), folder()];
  const one = await join1({ data: first, masterKey: `${old},${next}`, instance: 'one' });
  await join1({ data: second, masterKey: `${old},${next}`, instance: 'two' });
  const two = await join1({ data: second, masterKey: `${next},${old}`, instance: 'two' });
  expect([await one?.renew(), await two?.renew()]).toEqual([true, true]);
});

test('a gateway with another gateway key is refused, and one with the new key beside the old one joins', async () => {
  const master = fresh();
  await join1({ data: folder(), masterKey: master, instance: 'one' });
  const next = newGatewayKey();
  await expect(join1({ data: folder(), masterKey: master, instance: 'two', gateway: JSON.stringify(next) })).rejects.toThrow(
    /sign with another key; set TAMSHAI_GATEWAY_KEY/,
  );
  const both = JSON.stringify({ keys: [next, JSON.parse(gatewayKey)] });
  await join1({ data: folder(), masterKey: master, instance: 'two', gateway: both });
  await join1({ data: folder(), masterKey: master, instance: 'three' });
});

test('a token of one gateway is valid at another gateway with a separate data folder', async () => {
  const master = fresh();
  const [one, two] = [folder(), folder()];
  const postgres = await startPostgres();
  closing.push(() => postgres.stop());
  const database = await freshDatabase(postgres.url, SQL_DOMAINS, master, one);
  closing.push(database.drop);
  const common = {
    REDIS_URL: server.url,
    DATABASE_URL: database.url,
    TAMSHAI_MASTER_KEY: master,
    TAMSHAI_GATEWAY_KEY: gatewayKey,
  };
  const log = { info() {}, warn() {}, error() {} };
  const run = async (settings: Record<string, string>, servers: readonly string[]): Promise<Tamshai> => {
    const running = await start(readConfig({ ...settings, ...common }), { servers, log });
    closing.push(() => running.close());
    return running;
  };
  const first = await run({ ...settingsFor(one), TAMSHAI_INSTANCE: 'one' }, ['gateway', ...DOMAINS]);
  const addresses = Object.fromEntries(DOMAINS.map((name) => [`${name.toUpperCase()}_URL`, `http://localhost:${first.ports[name]}`]));
  const second = await run({ ...settingsFor(two), ...addresses, TAMSHAI_INSTANCE: 'two', TAMSHAI_PUBLIC_URL: first.base }, ['gateway']);
  const client = connectTestClient({ base: first.base, ports: second.ports, keys: openKeys(one, { masterKey: master }), people: personas });
  const { status, body } = await client.rest('nina.patel', 'tasks', 'list_tasks');
  expect([status, body.status]).toEqual([200, 'success']);
  expect((await client.rpc(await client.token('nina.patel', { mcp: true }), 'tools/list')).status).toBe(200);
}, 180_000);
