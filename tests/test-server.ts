/** Starts the whole product on real sockets, from its own composition root, with tokens of the sample people. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, type Tamshai } from '../src/server/compose.ts';
import type { ConnectionLimits } from '../src/server/listen.ts';
import { type OpenedDocuments, openDocuments } from '../src/server/documents.ts';
import type { Model } from '../src/assistant/model.ts';
import type { Clock } from '../src/engine/ports.ts';
import type { StoreKind } from '../src/declare/store-kinds.ts';
import { type Keys, openKeys } from '../src/identity/keys.ts';
import type { DocumentDatabase } from '../src/storage/documents/database.ts';
import { freshDatabase, redisDatabase, SHARED_KEY } from './fresh-database.ts';
import { freshMongo } from './fresh-mongo.ts';
import { freshSearch } from './fresh-search.ts';
import { asCluster, onServers } from './stores.ts';
import { startCluster } from './test-server-cluster.ts';
import { fillFolder, SQL_DOMAINS } from './template.ts';
import { type TestClient, visit } from './test-client.ts';
import { builtIn, readConfig } from './registry.ts';

export { SQL_DOMAINS } from './template.ts';
export type { CallResult, Reply, RpcReply, TokenOptions } from './test-client.ts';

/** Real time plus an offset that a test can set. */
export interface TestServerClock extends Clock {
  pass(seconds: number): void;
  /** Stops the clock while `work` runs, so answers that contain minutes can be compared. */
  stoppedFor<T>(work: () => Promise<T>): Promise<T>;
}

export interface TestServer extends TestClient {
  readonly tamshai: Tamshai;
  readonly folder: string;
  /** The data folders: one for each process of a cluster. */
  readonly folders: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly keys: Keys;
  readonly clock: TestServerClock;
  /** Every log line with all its fields. */
  readonly logged: string[];
  /** Runs SQL as the owner of all tables, without row policies. */
  owner(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Raw access to the database of a domain in a document store. */
  documents(domain: string): Promise<DocumentDatabase>;
  /** Registers something to close before the test server itself. */
  later(close: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export const DOMAINS: readonly string[] = builtIn.domains.map(({ name }) => name);
export const SERVERS: readonly string[] = ['gateway', ...DOMAINS];
const on = (kind: StoreKind) => builtIn.domains.filter(({ store }) => store === kind);

/** Settings of a test server in a folder: ports that the system chooses, and limits that no suite reaches. */
export const settingsFor = (folder: string): Record<string, string> => ({
  ...Object.fromEntries(SERVERS.map((name) => [`${name.toUpperCase()}_PORT`, '0'])),
  TAMSHAI_DATA: folder,
  TAMSHAI_SCRIPTED_APPROVALS: '1',
  TAMSHAI_RATE_PER_MINUTE: '1000000',
  TAMSHAI_FAILED_AUTH_PER_SECOND: '1000000',
  TAMSHAI_CONCURRENT_CALLS: '1000',
  TAMSHAI_LOG_LEVEL: 'silent',
});

export interface TestServerOptions {
  readonly model?: Model;
  /** The servers that this process serves; by default all. */
  readonly servers?: readonly string[];
  /** Limits for slow requests, instead of the defaults. */
  readonly connections?: ConnectionLimits;
}
export async function openTestServer(
  settings: Record<string, string> = {},
  { model, servers = SERVERS, connections }: TestServerOptions = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-test-server-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const {
    TAMSHAI_TEST_REDIS_URL: redis,
    TAMSHAI_TEST_DATABASE_URL: database,
    TAMSHAI_TEST_MONGODB_URL: mongo,
    TAMSHAI_TEST_OPENSEARCH_URL: opensearch,
  } = onServers ? process.env : {};
  const environment: Record<string, string> = {
    ...settingsFor(folder),
    ...(redis && { REDIS_URL: await redisDatabase(redis) }),
    ...settings,
  };
  const outside = database
    ? await freshDatabase(database, SQL_DOMAINS, (environment['TAMSHAI_MASTER_KEY'] ??= SHARED_KEY), folder)
    : undefined;
  if (outside) {
    environment['DATABASE_URL'] = outside.url;
    closing.push(outside.drop);
  }
  if (!environment['DATABASE_URL']) await fillFolder(folder, SQL_DOMAINS);
  // A test that passes an address for one of these domains has filled that store itself.
  if (mongo && on('documents').length > 0 && !settings['SALES_MONGODB_URL']) {
    const fresh = await freshMongo(mongo, on('documents'));
    environment['MONGODB_URL'] = fresh.url;
    closing.push(fresh.drop);
  }
  if (opensearch && on('search').length > 0 && !settings['SUPPORT_ELASTICSEARCH_URL']) {
    const fresh = await freshSearch(opensearch, on('search'));
    Object.assign(environment, fresh.settings);
    closing.push(fresh.drop);
  }
  let ahead = 0;
  let stoppedAt: number | undefined;
  const clock: TestServerClock = {
    now: () => new Date((stoppedAt ?? Date.now()) + ahead),
    pass: (seconds) => void (ahead += seconds * 1000),
    async stoppedFor(work) {
      stoppedAt = Date.now();
      return work().finally(() => (stoppedAt = undefined));
    },
  };
  const logged: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void logged.push(JSON.stringify({ level, ...fields, message }, errorsToo));
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  const config = readConfig(environment);
  const parts = { clock, log, ...(model && { model }), ...(connections && { connections }) };
  const { tamshai, folders } =
    asCluster && servers === SERVERS
      ? await startCluster(folder, environment, parts)
      : { tamshai: await start(config, { ...parts, servers }), folders: [folder] };
  closing.push(() => tamshai.close());
  let documents: Promise<OpenedDocuments> | undefined;
  closing.push(async () => (await documents)?.close());
  const keys = openKeys(folder, { masterKey: environment['TAMSHAI_MASTER_KEY'] });
  const testClient = visit({ base: tamshai.base, ports: tamshai.ports, keys, clock });
  return {
    ...testClient,
    tamshai,
    folder,
    folders,
    environment,
    keys,
    clock,
    logged,
    async owner(text, values) {
      if (outside) return (await outside.owner.query<Record<string, unknown>>(text, values as unknown[])).rows;
      const { embedded } = tamshai;
      if (!embedded) throw new Error('no embedded database');
      // In its own transaction: background work may use the only session of the embedded database at the same time.
      return embedded.transaction('tamshai_app', { text: 'select 1', values: [] }, async (session) => {
        await session.query('set local session authorization postgres');
        return session.query(text, values);
      });
    },
    async documents(domain) {
      documents ??= openDocuments(config, on('documents'));
      const found = [...(await documents).databases].find(([{ name }]) => name === domain)?.[1];
      if (!found) throw new Error(`${domain} has no document store`);
      return found;
    },
    later: (each) => void closing.push(each),
    async close() {
      await testClient.leave();
      for (const each of closing.reverse()) await each();
    },
  };
}

/** Serialises errors with message and stack, as some loggers do: tests check that these texts do not get into a log. */
const errorsToo = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value;
