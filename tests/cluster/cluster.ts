/** The product as a company runs it: three gateways, two hr servers and one process for all other domains, behind a balancer, on real stores. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { openKeys } from '../../src/identity/keys.ts';
import { freshDatabase, redisDatabase, SHARED_KEY } from '../fresh-database.ts';
import { freshMongo } from '../fresh-mongo.ts';
import { freshSearch } from '../fresh-search.ts';
import { folder, type Settings, site as startCommand, type Site as Started, tamshai } from '../journeys/command-support.ts';
import { startBalancer } from '../services/balancer.ts';
import { freePort } from '../services/server-process.ts';
import { DOMAINS, settingsFor, type Site, SQL_DOMAINS } from '../site.ts';
import { allTools } from '../../src/app/registry.ts';
import { type Visitor, visit } from '../visitor.ts';

export interface Node {
  readonly name: string;
  readonly settings: Settings;
  process: Started;
  /** As the system would end it: without a chance to tidy up. */
  kill(): Promise<void>;
  /** As an operator would: SIGTERM, and until it is over. */
  stop(): Promise<number | null>;
  start(): Promise<void>;
}

export interface Cluster {
  /** Through the balancer, as everyone comes. */
  readonly front: Visitor;
  /** Past it, to one gateway. */
  readonly gateways: readonly Visitor[];
  readonly nodes: readonly Node[];
  /** Where the stores are, for tests that look behind. */
  readonly behind: Site;
  node(name: string): Node;
  /** `tamshai audit verify` beside each process, over all that it keeps. */
  verify(): Promise<{ name: string; code: number | null; out: string; err: string }[]>;
  close(): Promise<void>;
}

export const clusterServers = (): { database: string; redis: string; mongo: string; opensearch: string } | undefined => {
  const {
    TAMSHAI_TEST_DATABASE_URL: database,
    TAMSHAI_TEST_REDIS_URL: redis,
    TAMSHAI_TEST_MONGODB_URL: mongo,
    TAMSHAI_TEST_OPENSEARCH_URL: opensearch,
  } = process.env;
  return database && redis && mongo && opensearch ? { database, redis, mongo, opensearch } : undefined;
};

const on = (kind: string) => allTools().domains.filter(({ store }) => store === kind);
const OTHERS = DOMAINS.filter((name) => name !== 'hr');

export async function openCluster(servers: NonNullable<ReturnType<typeof clusterServers>>, more: Settings = {}): Promise<Cluster> {
  const closing: (() => Promise<unknown>)[] = [];
  const first = folder('cluster');
  const sql = await freshDatabase(servers.database, SQL_DOMAINS, SHARED_KEY, first);
  const documents = await freshMongo(servers.mongo, on('documents'));
  const search = await freshSearch(servers.opensearch, on('search'));
  closing.push(sql.drop, documents.drop, search.drop);
  const keys = openKeys(first, { masterKey: SHARED_KEY });

  const [front, hrFront, rest] = [
    await freePort(),
    await freePort(),
    Object.fromEntries(await Promise.all(OTHERS.map(async (name) => [name, await freePort()] as const))),
  ];
  const gatewayPorts = [await freePort(), await freePort(), await freePort()];
  const hrPorts = [await freePort(), await freePort()];
  const {
    TAMSHAI_RATE_PER_MINUTE = '',
    TAMSHAI_CALLS_AT_ONCE = '',
    TAMSHAI_SCRIPTED_APPROVALS = '',
    TAMSHAI_STRANGERS_PER_SECOND = '',
  } = settingsFor('');
  const common: Settings = {
    TAMSHAI_RATE_PER_MINUTE,
    TAMSHAI_CALLS_AT_ONCE,
    TAMSHAI_SCRIPTED_APPROVALS,
    TAMSHAI_STRANGERS_PER_SECOND,
    TAMSHAI_LOG_LEVEL: 'silent',
    TAMSHAI_DRAIN_SECONDS: '2',
    DATABASE_URL: sql.url,
    MONGODB_URL: documents.url,
    ...search.settings,
    REDIS_URL: await redisDatabase(servers.redis),
    TAMSHAI_MASTER_KEY: SHARED_KEY,
    TAMSHAI_PUBLIC_URL: `http://localhost:${front}`,
    HR_URL: `http://localhost:${hrFront}`,
    ...Object.fromEntries(Object.entries(rest).map(([name, port]) => [`${name.toUpperCase()}_URL`, `http://localhost:${port}`])),
    ...more,
  };
  const publicKeys = JSON.stringify({ keys: [keys.gateway.current.publicJwk] });
  const balancer = await startBalancer([
    { name: 'gateways', port: front, servers: gatewayPorts },
    { name: 'hr', port: hrFront, servers: hrPorts },
  ]);
  closing.push(balancer.stop);

  const node = async (name: string, args: readonly string[], own: Settings): Promise<Node> => {
    const data = folder(name);
    // One identity for all: the keys of the embedded provider lie in the data folder.
    cpSync(join(first, 'keys.json'), join(data, 'keys.json'));
    const settings = { ...common, ...own, TAMSHAI_DATA: data, TAMSHAI_INSTANCE: name };
    const start = () => startCommand(settings, ['serve', ...args, '--json']);
    const made: Node = {
      name,
      settings,
      process: await start(),
      async kill() {
        await made.process.stop('SIGKILL');
      },
      stop: async () => (await made.process.stop('SIGTERM')).code,
      async start() {
        made.process = await start();
      },
    };
    closing.push(() => made.process.stop('SIGKILL'));
    return made;
  };
  const apart: Settings = { TAMSHAI_GATEWAY_PUBLIC_KEYS: publicKeys };
  const restPorts = Object.fromEntries(Object.entries(rest).map(([name, port]) => [`${name.toUpperCase()}_PORT`, String(port)]));
  const nodes = await Promise.all([
    ...hrPorts.map((port, n) => node(`hr${n + 1}`, ['hr'], { ...apart, HR_PORT: String(port) })),
    node('rest', OTHERS, { ...apart, ...restPorts }),
    ...gatewayPorts.map((port, n) => node(`gateway${n + 1}`, ['gateway'], { GATEWAY_PORT: String(port) })),
  ]);
  const base = `http://localhost:${front}`;
  const visitorAt = (gateway: number) => visit({ base, ports: { ...rest, hr: hrFront, gateway }, keys });
  const behind = {
    environment: { ...common, TAMSHAI_DATA: first },
    folder: first,
    owner: async (text: string, values?: readonly unknown[]) =>
      (await sql.owner.query<Record<string, unknown>>(text, values as unknown[])).rows,
    later: (each: () => Promise<unknown>) => void closing.push(each),
  } as unknown as Site;
  return {
    front: visitorAt(front),
    gateways: gatewayPorts.map(visitorAt),
    nodes,
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
