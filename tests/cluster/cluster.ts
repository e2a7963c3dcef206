/** Starts the product as separate processes on real stores: three gateways, two hr servers and one process for all other domains. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openKeys } from '../../src/identity/keys.ts';
import { freshDatabase, redisDatabase, SHARED_KEY } from '../fresh-database.ts';
import { freshMongo } from '../fresh-mongo.ts';
import { freshSearch } from '../fresh-search.ts';
import {
  folder,
  DEADLINE_MS,
  type Settings,
  testServer as startCommand,
  type TestServer as Started,
  tamshai,
} from '../command/command-support.ts';
import { startBalancer } from '../services/balancer.ts';
import { freePort } from '../services/server-process.ts';
import { type Toxic, type ToxicLink, toxicLink } from '../services/toxiproxy.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { SQL_DOMAINS } from '../template.ts';
import { DOMAINS, settingsFor } from '../test-server.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { type TestClient, connectTestClient } from '../../src/testing/test-client.ts';
import { builtIn } from '../registry.ts';

/** The disturbances of a connection: undefined is a refused connection. */
export const FAULTS = {
  slow: { type: 'latency', attributes: { latency: 900 } },
  'in small pieces': { type: 'slicer', attributes: { average_size: 64, size_variation: 32, delay: 300 } },
  silent: { type: 'timeout', attributes: { timeout: 0 } },
  reset: { type: 'reset_peer', attributes: { timeout: 30 } },
  'cut in the middle': { type: 'limit_data', attributes: { bytes: 2_500 } },
  refused: undefined,
} as const satisfies Record<string, Toxic | undefined>;

export interface Node {
  readonly name: string;
  settings: Settings;
  process: Started;
  /** SIGKILL: without any cleanup. */
  kill(): Promise<void>;
  /** SIGTERM, and waits until the process has ended. */
  stop(): Promise<number | null>;
  /** Starts the process again; `more` overrides its settings. */
  start(more?: Settings): Promise<void>;
  /** Stops and starts the process, and waits until it is ready and the load balancer has had the time to notice. */
  restart(more?: Settings): Promise<void>;
}

export interface Cluster {
  /** Connects through the load balancer, like a real client. */
  readonly front: TestClient;
  /** One client for each gateway, which connects without the load balancer. */
  readonly gateways: readonly TestClient[];
  readonly nodes: readonly Node[];
  /** The connections to the stores, to hr and to tasks. */
  readonly ways: ReadonlyMap<string, ToxicLink>;
  /** Changes the trusted gateway keys of the running servers. */
  believe(publicKeys: object): void;
  /** The addresses of the stores, for tests that read them directly. */
  readonly behind: TestServer;
  node(name: string): Node;
  /** Runs `tamshai audit verify` with the settings of each process. */
  verify(): Promise<{ name: string; code: number | null; out: string; err: string }[]>;
  close(): Promise<void>;
}

export interface ClusterServers {
  readonly database: string;
  readonly redis: string;
  readonly mongo: string;
  readonly opensearch: string;
  readonly toxiproxy: string;
}

export const clusterServers = (): ClusterServers | undefined => {
  const {
    TAMSHAI_TEST_DATABASE_URL: database,
    TAMSHAI_TEST_REDIS_URL: redis,
    TAMSHAI_TEST_MONGODB_URL: mongo,
    TAMSHAI_TEST_OPENSEARCH_URL: opensearch,
    TAMSHAI_TEST_TOXIPROXY_URL: toxiproxy,
  } = process.env;
  return database && redis && mongo && opensearch && toxiproxy ? { database, redis, mongo, opensearch, toxiproxy } : undefined;
};

const on = (kind: string) => builtIn.domains.filter(({ store }) => store === kind);
const OTHERS = DOMAINS.filter((name) => name !== 'hr');

/** `at` is the public port, for tests that need the public address before the start. */
export async function openCluster(servers: ClusterServers, more: Settings = {}, at?: number): Promise<Cluster> {
  const closing: (() => Promise<unknown>)[] = [];
  const first = folder('cluster');
  const sql = await freshDatabase(servers.database, SQL_DOMAINS, SHARED_KEY, first);
  const documents = await freshMongo(servers.mongo, on('documents'));
  const search = await freshSearch(servers.opensearch, on('search'));
  closing.push(sql.drop, documents.drop, search.drop);
  const keys = openKeys(first, { masterKey: SHARED_KEY });

  const [front, hrFront] = [at ?? (await freePort()), await freePort()];
  const restPorts = Object.fromEntries(await Promise.all(OTHERS.map(async (name) => [name, await freePort()] as const)));
  const ways = new Map<string, ToxicLink>();
  const through = async (name: string, to: { readonly hostname: string; readonly port: string }): Promise<number> => {
    const way = await toxicLink(servers.toxiproxy, `cluster-${name}-${process.pid}`, to);
    ways.set(name, way);
    closing.push(way.close);
    return way.port;
  };
  const disturbed = async (name: string, url: string): Promise<string> =>
    Object.assign(new URL(url), { port: String(await through(name, new URL(url))) }).href;
  const here = (port: number | undefined) => ({ hostname: '127.0.0.1', port: String(port) });
  const hrName = await through('hr', here(hrFront));
  const rest = { ...restPorts, tasks: await through('tasks', here(restPorts['tasks'])) };
  const gatewayPorts = [await freePort(), await freePort(), await freePort()];
  const hrPorts = [await freePort(), await freePort()];
  const {
    TAMSHAI_RATE_PER_MINUTE = '',
    TAMSHAI_CONCURRENT_CALLS = '',
    TAMSHAI_SCRIPTED_APPROVALS = '',
    TAMSHAI_FAILED_AUTH_PER_SECOND = '',
  } = settingsFor('');
  const common: Settings = {
    TAMSHAI_RATE_PER_MINUTE,
    TAMSHAI_CONCURRENT_CALLS,
    TAMSHAI_SCRIPTED_APPROVALS,
    TAMSHAI_FAILED_AUTH_PER_SECOND,
    TAMSHAI_LOG_LEVEL: 'silent',
    TAMSHAI_DRAIN_SECONDS: '2',
    TAMSHAI_MASTER_KEY: SHARED_KEY,
    TAMSHAI_PUBLIC_URL: `http://localhost:${front}`,
    HR_URL: `http://localhost:${hrName}`,
    ...Object.fromEntries(Object.entries(rest).map(([name, port]) => [`${name.toUpperCase()}_URL`, `http://localhost:${port}`])),
    ...more,
  };
  const stores: Settings = {
    DATABASE_URL: sql.url,
    MONGODB_URL: documents.url,
    ...search.settings,
    REDIS_URL: await redisDatabase(servers.redis),
  };
  // A replica set announces its members; a direct connection stays on the proxy that can be disturbed.
  const mongo = new URL(await disturbed('mongo', documents.url));
  mongo.search = '?directConnection=true';
  const farStores: Settings = {
    ...stores,
    DATABASE_URL: await disturbed('postgres', sql.url),
    MONGODB_URL: mongo.href,
    ELASTICSEARCH_URL: await disturbed('opensearch', search.settings['ELASTICSEARCH_URL'] ?? ''),
    REDIS_URL: await disturbed('redis', stores['REDIS_URL'] ?? ''),
  };
  const believed = join(first, 'gateway-keys.json');
  const believe = (publicKeys: object) => writeFileSync(believed, JSON.stringify(publicKeys));
  believe({ keys: [keys.gateway.current.publicJwk] });
  const balancer = await startBalancer([
    { name: 'gateways', port: front, servers: gatewayPorts },
    { name: 'hr', port: hrFront, known: hrName, servers: hrPorts },
  ]);
  closing.push(balancer.stop);

  const node = async (name: string, args: readonly string[], own: Settings): Promise<Node> => {
    const data = folder(name);
    // All processes need the same keys of the embedded identity provider, which are in the data folder.
    cpSync(join(first, 'keys.json'), join(data, 'keys.json'));
    const settings: Settings = { ...common, ...farStores, ...own, TAMSHAI_DATA: data, TAMSHAI_INSTANCE: name };
    const start = (all: Settings) => startCommand(all, ['serve', ...args, '--json']);
    const made: Node = {
      name,
      settings,
      process: await start(settings),
      async kill() {
        await made.process.stop('SIGKILL');
      },
      stop: async () => (await made.process.stop('SIGTERM')).code,
      async start(more = {}) {
        made.settings = { ...made.settings, ...more };
        made.process = await start(made.settings);
      },
      async restart(more) {
        expect([name, await made.stop()]).toEqual([name, 0]);
        await made.start(more);
        const [port] = Object.values(made.process.ready['ports'] as Record<string, number>);
        const ready = () => fetch(`http://localhost:${port}/ready`).then(({ status }) => status);
        await expect.poll(ready, { timeout: DEADLINE_MS, interval: 100 }).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 1_200));
      },
    };
    closing.push(() => made.process.stop('SIGKILL'));
    return made;
  };
  const separate: Settings = { TAMSHAI_GATEWAY_PUBLIC_KEYS: believed };
  const restSettings = Object.fromEntries(Object.entries(restPorts).map(([name, port]) => [`${name.toUpperCase()}_PORT`, String(port)]));
  const nodes = await Promise.all([
    ...hrPorts.map((port, n) => node(`hr${n + 1}`, ['hr'], { ...separate, HR_PORT: String(port) })),
    node('rest', OTHERS, { ...separate, ...restSettings }),
    ...gatewayPorts.map((port, n) => node(`gateway${n + 1}`, ['gateway'], { GATEWAY_PORT: String(port) })),
  ]);
  const base = `http://localhost:${front}`;
  const testClientAt = (gateway: number) => connectTestClient({ base, ports: { ...rest, hr: hrName, gateway }, keys, people: personas });
  const behind = {
    environment: { ...common, ...stores, TAMSHAI_DATA: first },
    folder: first,
    owner: async (text: string, values?: readonly unknown[]) =>
      (await sql.owner.query<Record<string, unknown>>(text, values as unknown[])).rows,
    later: (each: () => Promise<unknown>) => void closing.push(each),
  } as unknown as TestServer;
  return {
    front: testClientAt(front),
    gateways: gatewayPorts.map(testClientAt),
    nodes,
    ways,
    believe,
    behind,
    node(name) {
      const found = nodes.find((each) => each.name === name);
      if (!found) throw new Error(`there is no ${name}`);
      return found;
    },
    verify: () =>
      Promise.all(
        nodes.map(async ({ name, settings }) => {
          const { code, out, err } = await tamshai(['audit', 'verify'], { settings });
          return { name, code, out, err };
        }),
      ),
    async close() {
      for (const each of closing.reverse()) await each();
    },
  };
}
