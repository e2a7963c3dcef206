/** Kills one of two replicas while clients write. Every subscriber gets every notification once, in order. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as dial, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKeys } from '../../src/identity/keys.ts';
import { freshDatabase, redisDatabase, SHARED_KEY } from '../fresh-database.ts';
import { type Child, startChild } from '../services/child.ts';
import { settingsFor } from '../test-server.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { connectTestClient, type TestClient } from '../../src/testing/test-client.ts';
import { type AnyClient, sdk1, sdk2, until } from './resource-clients.ts';

const WRITES = 1_000;
const KILLED_AFTER = 400;
const DEADLINE_MS = 1_800_000;
const { TAMSHAI_TEST_DATABASE_URL: database, TAMSHAI_TEST_REDIS_URL: redis } = process.env;

/** A load balancer that sends each new connection to the first replica in `targets`. */
async function balancer(): Promise<{ server: Server; port: number; targets: number[] }> {
  const targets: number[] = [];
  const server = createServer((inside) => {
    const outside = dial(targets[0] ?? 0, '127.0.0.1');
    inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
    outside.on('error', () => inside.destroy()).on('close', () => inside.destroy());
    inside.pipe(outside).pipe(inside);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return { server, port: (server.address() as AddressInfo).port, targets };
}

if (database !== undefined && redis !== undefined) {
  const folders = ['one', 'two'].map((name) => mkdtempSync(join(tmpdir(), `tamshai-${name}-`)));
  const closing: (() => Promise<unknown> | unknown)[] = [];
  let [first, second]: Child[] = [];
  let front: Awaited<ReturnType<typeof balancer>>;
  let ports: number[];
  let testClients: TestClient[];

  beforeAll(async () => {
    const [one = '', two = ''] = folders;
    const shared = await freshDatabase(database, ['hr', 'knowledge'], SHARED_KEY, one);
    closing.push(() => shared.drop());
    cpSync(join(one, 'keys.json'), join(two, 'keys.json'));
    front = await balancer();
    closing.push(() => front.server.close());
    const base = `http://localhost:${front.port}`;
    const REDIS_URL = await redisDatabase(redis);
    const settings = (folder: string, name: string) => ({
      ...settingsFor(folder),
      DATABASE_URL: shared.url,
      REDIS_URL,
      TAMSHAI_MASTER_KEY: SHARED_KEY,
      TAMSHAI_INSTANCE: name,
      TAMSHAI_PUBLIC_URL: base,
    });
    const children = [settings(one, 'one'), settings(two, 'two')].map((each) =>
      startChild(new URL('./resource-replica.ts', import.meta.url), JSON.stringify(each)),
    );
    [first, second] = children;
    ports = await Promise.all(children.map(async (child) => Number(await child.line())));
    const keys = openKeys(one, { masterKey: SHARED_KEY });
    testClients = ports.map((gateway) => connectTestClient({ base, ports: { gateway }, keys, people: personas }));
  }, DEADLINE_MS);
  afterAll(async () => {
    for (const child of [first, second]) {
      child?.process.kill('SIGKILL');
      await child?.ended;
    }
    for (const close of closing.reverse()) await close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }, DEADLINE_MS);

  test(
    `subscribers get each of ${WRITES} writes once and in order, though one replica is killed in between`,
    async () => {
      const [one = expect.fail('no replica'), two = expect.fail('no replica')] = testClients;
      const [portOne = 0, portTwo = 0] = ports;
      const uri = 'knowledge://entries';
      const token = (user: string) => () => two.token(user, { mcp: true });
      const through = (port: number) => `http://localhost:${port}/mcp`;
      front.targets.push(portOne);
      // A 2025 client reconnects by itself. A 2026 client subscribes again after its last transaction.
      const clients: Record<string, AnyClient> = {
        'old at two': await sdk1(through(portTwo), token('marcus.johnson')),
        'new at two': await sdk2('auto')(through(portTwo), token('sarah.kim')),
        'old at one': await sdk1(through(front.port), token('nina.patel')),
        'older at one': await sdk2('legacy')(through(front.port), token('eve.thompson')),
        'new at one': await sdk2('auto')(through(front.port), token('frank.davis')),
      };
      for (const client of Object.values(clients)) await client.stay(uri);

      const written: number[] = [];
      const write = async (n: number, testServer: TestClient) => {
        const { body } = await testServer.rest('alice.chen', 'knowledge', 'store', { topic: `write ${n}`, content: 'One of many.' });
        if (body.status === 'success') written.push((body.data as { tx_id: number }).tx_id);
      };
      const both = () => (front.targets[0] === portOne ? [one, two] : [two]);
      let next = 0;
      const writer = async () => {
        while (next < WRITES) {
          const n = next++;
          const testServers = both();
          // The transaction log shows which running writes the killed replica has committed.
          await write(n, testServers[n % testServers.length] ?? two).catch(() => undefined);
          if (n !== KILLED_AFTER) continue;
          first?.process.kill('SIGKILL');
          front.targets.splice(0, 1, portTwo);
          await first?.ended;
        }
      };
      await Promise.all([writer(), writer()]);

      // The expected notifications are all committed transactions in the database.
      const client = clients['new at two'] ?? expect.fail('no client');
      const page = JSON.parse((await client.read('knowledge://history/transactions?limit=1')).text) as { as_of_tx_id: number };
      const before = Math.min(...written) - 1;
      const all = Array.from({ length: page.as_of_tx_id - before }, (_, n) => before + 1 + n);
      expect(all).toEqual(expect.arrayContaining(written));
      expect(written.length).toBeGreaterThan(WRITES - 10);
      for (const [name, { notices }] of Object.entries(clients)) {
        await until(() => notices.length >= all.length);
        expect([name, notices.map(({ tx_id }) => tx_id)]).toEqual([name, all]);
      }
      for (const each of Object.values(clients)) await each.close();
    },
    DEADLINE_MS,
  );
} else {
  test('is not tested, because this run has no PostgreSQL or no Redis', () => {
    expect(database === undefined || redis === undefined).toBe(true);
  });
}
