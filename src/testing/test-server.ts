/** Starts a configuration on real sockets, with embedded stores in a temporary folder and a clock that tests can move. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model } from '../assistant/model.ts';
import type { Clock } from '../engine/ports.ts';
import type { Registry } from '../engine/registry.ts';
import { type Keys, openKeys } from '../identity/keys.ts';
import { type Starting, start, type Tamshai } from '../server/compose.ts';
import type { Company } from '../declare/company.ts';
import { type Config, readConfig } from '../server/config.ts';
import { type OpenedDocuments, openDocuments } from '../server/documents.ts';
import type { ConnectionLimits } from '../server/listen.ts';
import type { DocumentDatabase } from '../storage/documents/database.ts';
import { connectTestClient, type TestClient } from './test-client.ts';
import { companyOf, registryFor, type TestConfig } from './test-config.ts';

/** The real time plus an offset that tests set. */
export interface TestServerClock extends Clock {
  pass(seconds: number): void;
  /** Stops the clock while `work` runs, so that answers with times are equal. */
  stoppedFor<T>(work: () => Promise<T>): Promise<T>;
}

type Row = Record<string, unknown>;
/** Runs SQL as the owner of all tables, without row policies. */
export type Owner = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface TestServer extends TestClient {
  readonly tamshai: Tamshai;
  readonly folder: string;
  /** The data folders, one for each process of a cluster. */
  readonly folders: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly keys: Keys;
  readonly clock: TestServerClock;
  /** Every log line with all its fields. */
  readonly logged: string[];
  readonly owner: Owner;
  /** Raw access to the database of a domain in a document store. */
  documents(domain: string): Promise<DocumentDatabase>;
  /** Adds a function that closes something before the test server itself. */
  later(close: () => Promise<unknown>): void;
  close(): Promise<void>;
}

/** Stores that were prepared outside the data folder. */
export interface PreparedStores {
  readonly settings?: Readonly<Record<string, string>>;
  readonly owner?: Owner | undefined;
  close?(): Promise<unknown>;
}
export interface Launched {
  readonly tamshai: Tamshai;
  readonly folders: readonly string[];
}

export interface TestServerOptions {
  /** The default is the company of the configuration. */
  readonly company?: Company;
  /** Settings by environment variable. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly model?: Model | undefined;
  /** The servers of this process. The default is all servers. */
  readonly servers?: readonly string[] | undefined;
  /** Limits for slow requests, instead of the defaults. */
  readonly connections?: ConnectionLimits | undefined;
  /** Fills the data folder before the start, or creates stores elsewhere. Without it, the start loads the sample data. */
  prepare?(folder: string, environment: Readonly<Record<string, string>>): Promise<PreparedStores | undefined>;
  /** Starts Tamshai in another form than one process. */
  launch?(folder: string, environment: Readonly<Record<string, string>>, parts: Omit<Starting, 'servers'>): Promise<Launched>;
}

export const openTestServer = (config: TestConfig, options: TestServerOptions = {}): Promise<TestServer> =>
  openTestServerOf(registryFor(config), { company: companyOf(config), ...options });

export const serversOf = ({ domains }: Pick<Registry, 'domains'>): string[] => ['gateway', ...domains.map(({ name }) => name)];

/** The settings of a test server: free ports, and limits that no test reaches. */
export const testSettings = (registry: Pick<Registry, 'domains'>, folder: string): Record<string, string> => ({
  ...Object.fromEntries(serversOf(registry).map((name) => [`${name.toUpperCase()}_PORT`, '0'])),
  TAMSHAI_DATA: folder,
  TAMSHAI_SCRIPTED_APPROVALS: '1',
  TAMSHAI_RATE_PER_MINUTE: '1000000',
  TAMSHAI_FAILED_AUTH_PER_SECOND: '1000000',
  TAMSHAI_CONCURRENT_CALLS: '1000',
  TAMSHAI_LOG_LEVEL: 'silent',
});

export async function openTestServerOf(registry: Registry, options: TestServerOptions): Promise<TestServer> {
  const { company, settings = {}, model, servers = serversOf(registry), connections, prepare, launch } = options;
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-test-server-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const asked = { ...testSettings(registry, folder), ...settings };
    const prepared = await prepare?.(folder, asked);
    closing.push(async () => prepared?.close?.());
    const environment = { ...asked, ...prepared?.settings };
    const clock = createTestClock();
    const { logged, log } = createTestLog();
    const config = readConfig(registry, { environment, company });
    const parts = { clock, log, ...(model && { model }), ...(connections && { connections }) };
    const { tamshai, folders } = (await launch?.(folder, environment, parts)) ?? {
      tamshai: await start(config, { ...parts, servers }),
      folders: [folder],
    };
    closing.push(() => tamshai.close());
    let documents: Promise<OpenedDocuments> | undefined;
    closing.push(async () => (await documents)?.close());
    const keys = openKeys(folder, { masterKey: environment['TAMSHAI_MASTER_KEY'] });
    const people = tamshai.modules.identity.accounts.personas;
    const client = connectTestClient({ base: tamshai.base, ports: tamshai.ports, keys, people, clock });
    closing.push(() => client.leave());
    return {
      ...client,
      tamshai,
      folder,
      folders,
      environment,
      config,
      keys,
      clock,
      logged,
      owner: prepared?.owner ?? embeddedOwner(tamshai),
      async documents(domain) {
        documents ??= openDocuments(
          config,
          registry.domains.filter(({ store }) => store === 'documents'),
        );
        const found = [...(await documents).databases].find(([{ name }]) => name === domain)?.[1];
        if (!found) throw new Error(`${domain} has no document store`);
        return found;
      },
      later: (each) => void closing.push(each),
      close,
    };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

function createTestClock(): TestServerClock {
  let ahead = 0;
  let stoppedAt: number | undefined;
  return {
    now: () => new Date((stoppedAt ?? Date.now()) + ahead),
    pass: (seconds) => void (ahead += seconds * 1000),
    async stoppedFor(work) {
      stoppedAt = Date.now();
      return work().finally(() => (stoppedAt = undefined));
    },
  };
}

function createTestLog() {
  const logged: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void logged.push(JSON.stringify({ level, ...fields, message }, errorsToo));
  return { logged, log: { info: write('info'), warn: write('warn'), error: write('error') } };
}
/** Logs errors with message and stack, because tests check that these texts are in no log. */
const errorsToo = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value;

const embeddedOwner =
  ({ embedded }: Tamshai): Owner =>
  async (text, values) => {
    if (!embedded) throw new Error('This configuration has no embedded SQL database.');
    // Needs its own transaction, because background work uses the same single session.
    return embedded.transaction('tamshai_app', { text: 'select 1', values: [] }, async (session) => {
      await session.query('set local session authorization postgres');
      return session.query(text, values);
    });
  };
