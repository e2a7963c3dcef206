/** An approval survives a crash of the process at any moment, and any number of processes. The tests kill real processes with SIGKILL. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnyDomain, Tool } from '../../src/declare/tool.ts';
import { openSqlite } from '../../src/storage/sqlite-file.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { freshDatabase, redisDatabase, SHARED_KEY } from '../fresh-database.ts';
import {
  build,
  type TestServer as Started,
  folder,
  freePorts,
  DEADLINE_MS,
  prepared,
  removeFolders,
  type Settings,
  testServer as startCommand,
  testClientOf,
} from '../command/command-support.ts';
import { freshMongo } from '../fresh-mongo.ts';
import { freshSearch } from '../fresh-search.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { SQL_DOMAINS } from '../template.ts';
import { settingsFor } from '../test-server.ts';
import { readConfig } from '../registry.ts';
import { onServers } from '../stores.ts';
import type { TestClient } from '../../src/testing/test-client.ts';
import { codeOf } from '../../src/testing/tool-caller.ts';
import { registry } from '../contract/calls.ts';
import { type Asked, askFor, effectsOf, writes } from '../contract/writes.ts';

beforeAll(() => build(), DEADLINE_MS);
afterAll(() => removeFolders());

const running = new Set<Started>();
afterAll(async () => {
  await Promise.all([...running].map((each) => each.stop('SIGKILL')));
});

async function start(settings: Settings): Promise<{ testServer: TestClient; process: Started }> {
  const process = await startCommand(settings);
  running.add(process);
  void process.ended.then(() => running.delete(process));
  return { process, testServer: testClientOf(process) };
}
const busy = () => {
  const { TAMSHAI_RATE_PER_MINUTE, TAMSHAI_CONCURRENT_CALLS, TAMSHAI_SCRIPTED_APPROVALS } = settingsFor('');
  return { TAMSHAI_RATE_PER_MINUTE, TAMSHAI_CONCURRENT_CALLS, TAMSHAI_SCRIPTED_APPROVALS } as Settings;
};

const verdict = async (testServer: TestClient) =>
  (await testServer.send<{ data: { ok: boolean } }>('GET', '/api/audit/verify', { token: await testServer.token('eve.thompson') })).body
    .data;
const stateOf = async (testServer: TestClient, { as, ticket }: Asked) =>
  (
    await testServer.send<{ data: { state: string; result?: unknown } }>('GET', `/api/confirmations/${ticket.confirmationId}`, {
      token: await testServer.token(as),
    })
  ).body.data;

/** The last write of each domain in the registry. */
const oneOfEach = [...new Map(writes.map(([name, tool]) => [tool.domain.name, [name, tool] as const])).values()];
/** The moments of the crash. The tests cover each moment on each kind of store, and each domain once. */
const MOMENTS = ['after-claim', 'after-commit', 'before-answer'] as const;
const stores = [...new Set(oneOfEach.map(([, { domain }]) => domain.store))].map((kind) =>
  oneOfEach.filter(([, { domain }]) => domain.store === kind),
);
const cases = stores.flatMap((those) =>
  Array.from(
    { length: Math.max(MOMENTS.length, those.length) },
    (_, n) => [MOMENTS[n % MOMENTS.length] ?? 'after-claim', ...(those[n % those.length] ?? expect.fail('no domain'))] as const,
  ),
);

/** Kills the process at that moment, restarts it and approves again. `counted` returns what the store then holds. */
async function survives(failpoint: string, tool: Tool, settings: Settings, counted: (asked: Asked) => Promise<unknown>): Promise<void> {
  const doomed = await start({ ...settings, TAMSHAI_FAILPOINT: failpoint });
  const asked = await askFor(doomed.testServer, tool);
  const lost = await Promise.allSettled(
    Array.from({ length: 3 }, () => doomed.testServer.decide(asked.as, asked.ticket.confirmationId, true)),
  );
  expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await doomed.process.ended;
  expect(doomed.process.child.signalCode).toBe('SIGKILL');

  const { testServer, process } = await start(settings);
  // If the change was committed, a status request reports its result too.
  const seen = await stateOf(testServer, asked);
  expect(seen.state).toBe(failpoint === 'after-claim' ? 'executing' : 'done');
  const late = await testServer.decide(asked.as, asked.ticket.confirmationId, false);
  expect([late.status, codeOf(late.body)]).toEqual([409, 'ALREADY_DECIDED']);
  const replies = await Promise.all(Array.from({ length: 5 }, () => testServer.decide(asked.as, asked.ticket.confirmationId, true)));
  for (const { status, text } of replies) expect([status, text]).toEqual([200, replies[0]?.text]);
  expect(replies[0]?.body.status).toBe('success');
  expect(await stateOf(testServer, asked)).toMatchObject({ state: 'done', result: replies[0]?.body });
  if (failpoint !== 'after-claim') expect(seen.result).toEqual(replies[0]?.body);
  expect(await verdict(testServer)).toMatchObject({ ok: true });
  await process.stop();
  expect(await counted(asked)).toEqual({ effects: 1, records: 1 });
}

// Only in the run on embedded stores.
it.each(onServers ? [] : cases)(
  'the process is killed %s in %s: approving again succeeds, with one effect',
  async (failpoint, _name, tool) => {
    const settings = await prepared({ ...busy(), TAMSHAI_LOG_LEVEL: 'silent' });
    await survives(failpoint, tool, settings, (asked) => (tool.domain.store === 'sql' ? kept : keptInFile)(settings, tool.domain, asked));
  },
  DEADLINE_MS,
);

/** Counts effects and audit records of the ticket in the file of a document or search store. */
async function keptInFile(settings: Settings, { name, store }: AnyDomain, { ticket }: Asked) {
  const [file, effects, audit] =
    store === 'search' ? ['search.db', `${name}__effects`, `${name}__audit`] : ['documents.db', 'effects', 'records'];
  const db = openSqlite(join(settings['TAMSHAI_DATA'] ?? '', file));
  try {
    const count = (text: string) => Number((db.prepare(text).get(ticket.confirmationId) as { count: number }).count);
    return {
      effects: count(`select count(*) as count from ${effects} where id = ?`),
      records: count(`select count(*) as count from ${audit} where body like '%' || ? || '%'`),
    };
  } finally {
    db.close();
  }
}

/** Counts effects and audit records of the ticket in the embedded database, when no process has it open. */
async function kept(settings: Settings, { name: domain }: AnyDomain, { ticket }: Asked) {
  const database = await openPglite(join(settings['TAMSHAI_DATA'] ?? '', 'pg'));
  try {
    const count = async (text: string) =>
      Number((await database.owner.query<{ count: number }>(text, [ticket.confirmationId])).rows[0]?.count);
    return {
      effects: await count(`select count(*)::int as count from ${domain}.effects where confirmation_id = $1 and result is not null`),
      records: await count(`select count(*)::int as count from ${domain}.audit where body like '%' || $1 || '%'`),
    };
  } finally {
    await database.close();
  }
}

const {
  TAMSHAI_TEST_DATABASE_URL: database,
  TAMSHAI_TEST_REDIS_URL: redis,
  TAMSHAI_TEST_MONGODB_URL: mongo,
  TAMSHAI_TEST_OPENSEARCH_URL: opensearch,
} = process.env;
if (database !== undefined && redis !== undefined) {
  const [, undo] = oneOfEach.find(([, { domain }]) => domain.name === 'knowledge') ?? expect.fail('knowledge writes nothing');
  // All domains in PostgreSQL use the same store, so one domain is enough.
  it.each(MOMENTS)(
    'on PostgreSQL and Redis, the process is killed %s in a change of knowledge: approving again succeeds, with one effect',
    async (failpoint) => {
      const data = folder('postgres');
      const own = await freshDatabase(database, SQL_DOMAINS, SHARED_KEY, data);
      const settings = {
        ...busy(),
        ...(await freePorts()),
        DATABASE_URL: own.url,
        REDIS_URL: await redisDatabase(redis),
        TAMSHAI_MASTER_KEY: SHARED_KEY,
        TAMSHAI_DATA: data,
        TAMSHAI_LOG_LEVEL: 'silent',
      };
      const behind = {
        owner: async (text: string, values?: unknown[]) => (await own.owner.query(text, values)).rows,
      } as unknown as TestServer;
      try {
        await survives(failpoint, undo, settings, ({ ticket }) => effectsOf(behind, undo, ticket.confirmationId));
      } finally {
        await own.drop();
      }
    },
    DEADLINE_MS,
  );
}

if (database !== undefined && redis !== undefined && mongo !== undefined && opensearch !== undefined) {
  describe('two processes on the same servers', () => {
    let testServers: TestClient[];
    /** The URLs of the stores of a test server. */
    let behind: TestServer;
    const closing: (() => Promise<unknown>)[] = [];
    let shared: Awaited<ReturnType<typeof freshDatabase>>;
    beforeAll(async () => {
      const [first, second] = [folder('one'), folder('two')];
      shared = await freshDatabase(database, SQL_DOMAINS, SHARED_KEY, first);
      // Both processes need the same keys of the embedded identity provider, which are in the data folder.
      cpSync(join(first, 'keys.json'), join(second, 'keys.json'));
      const on = (kind: string) => registry.domains.filter(({ store }) => store === kind);
      const [documents, search] = [await freshMongo(mongo, on('documents')), await freshSearch(opensearch, on('search'))];
      closing.push(documents.drop, search.drop);
      const common = {
        ...busy(),
        DATABASE_URL: shared.url,
        MONGODB_URL: documents.url,
        ...search.settings,
        REDIS_URL: await redisDatabase(redis),
        TAMSHAI_MASTER_KEY: SHARED_KEY,
      };
      const environment = { ...common, TAMSHAI_DATA: first };
      behind = {
        environment,
        config: readConfig(environment),
        folder: first,
        owner: async (text: string, values?: readonly unknown[]) =>
          (await shared.owner.query<Record<string, unknown>>(text, values as unknown[])).rows,
        later: (each: () => Promise<unknown>) => void closing.push(each),
      } as unknown as TestServer;
      const ports = await freePorts();
      const one = await start({ ...common, ...ports, TAMSHAI_DATA: first, TAMSHAI_INSTANCE: 'one' });
      const two = await start({
        ...common,
        ...(await freePorts()),
        TAMSHAI_DATA: second,
        TAMSHAI_INSTANCE: 'two',
        TAMSHAI_PUBLIC_URL: one.process.base,
      });
      testServers = [one.testServer, two.testServer];
    }, DEADLINE_MS);
    afterAll(async () => {
      await Promise.all([...running].map((each) => each.stop()));
      for (const close of closing.reverse()) await close();
      await shared.drop();
    }, DEADLINE_MS);
    const at = (n: number) => testServers[n % 2] as TestClient;

    it.each(oneOfEach)('%s: twenty concurrent approvals, ten at each process, have one effect', async (_name, tool) => {
      const asked = await askFor(at(0), tool);
      const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => at(n).decide(asked.as, asked.ticket.confirmationId, true)));
      for (const { status, text } of replies) expect([status, text]).toEqual([200, replies[0]?.text]);
      expect(replies[0]?.body.status).toBe('success');
      expect(await effectsOf(behind, tool, asked.ticket.confirmationId)).toEqual({ effects: 1, records: 1 });
      for (const n of [0, 1]) expect(await stateOf(at(n), asked)).toMatchObject({ state: 'done', result: replies[0]?.body });
    });
    it('both processes know the same ticket, and one decision counts', async () => {
      const tool = writes[0]?.[1] ?? expect.fail('there is no write');
      const asked = await askFor(at(0), tool);
      expect(await at(1).ask(asked.as, tool.domain.name, tool.name, asked.input)).toEqual(asked.ticket);
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, n) => at(n % 3).decide(asked.as, asked.ticket.confirmationId, n % 2 === 0)),
      );
      const codes = (approved: boolean) => new Set(replies.filter((_, n) => (n % 2 === 0) === approved).map(({ body }) => codeOf(body)));
      const won = codes(true).has('success');
      expect([[...codes(true)], [...codes(false)]]).toEqual(
        won ? [['success'], ['ALREADY_DECIDED']] : [['ALREADY_DECIDED'], ['cancelled']],
      );
      expect((await effectsOf(behind, tool, asked.ticket.confirmationId)).effects).toBe(won ? 1 : 0);
    });
    it('the audit log of both processes verifies', async () => {
      for (const n of [0, 1]) expect(await verdict(at(n))).toMatchObject({ ok: true });
    });
  });
}
