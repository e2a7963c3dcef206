/** Runs tools and approvals on real stores with a stopped clock, without HTTP servers and sign-in. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createCallLimiter } from '../src/engine/limits/call-limiter.ts';
import type { Answer, CancelledAnswer, PendingAnswer } from '../src/declare/answer.ts';
import { createTicketStore } from '../src/engine/approvals/tickets.ts';
import type { Caller } from '../src/engine/caller.ts';
import { createChainWriter } from '../src/engine/audit/chain.ts';
import { createCursors } from '../src/engine/lists/cursor.ts';
import { type DecisionService, createDecisionService } from '../src/engine/approvals/decisions.ts';
import { Failure } from '../src/declare/errors.ts';
import type { Person } from '../src/declare/people.ts';
import type { Logger } from '../src/engine/ports.ts';
import { createRegistry } from '../src/engine/registry.ts';
import type { ResourceOrPrompt } from '../src/declare/resources.ts';
import { call } from '../src/engine/pipeline.ts';
import type { Runtime } from '../src/engine/runtime.ts';
import { execute, findResult } from '../src/engine/approvals/writes.ts';
import type { Tool } from '../src/declare/tool.ts';
import { passwordFor } from '../src/server/stores.ts';
import * as hr from '../domains/hr/index.ts';
import { openKeys } from '../src/identity/keys.ts';
import { persona } from '../domains/sample-company/people.ts';
import { openCheckpoints } from '../src/storage/audit/checkpoints.ts';
import { openCallLog } from '../src/storage/audit/sqlite.ts';
import { openSqliteKeyValue } from '../src/storage/kv/sqlite.ts';
import { lastLink, createSqlChains } from '../src/storage/sql/chains.ts';
import type { SqlDatabase } from '../src/storage/sql/database.ts';
import { giveLogins } from '../src/storage/sql/migrate.ts';
import { openPglite } from '../src/storage/sql/pglite.ts';
import { openPostgres } from '../src/storage/sql/postgres.ts';
import { createSqlStore } from '../src/storage/sql/store.ts';
import type { DocumentDatabase } from '../src/storage/documents/database.ts';
import type { SearchBackend } from '../src/storage/search/backend.ts';
import { SHARED_KEY } from './fresh-database.ts';
import { storesFor } from './stores.ts';
import { copyDatabase, copyFolder, SQL_DOMAINS } from './template.ts';
import { rolesIn } from './registry.ts';

export const SAMPLE_DAY = new Date('2026-11-16T09:00:00Z');

type Row = Record<string, unknown>;
export type Data = Row & Row[];

export interface TestRuntime {
  /** Simulated processes. Each has its own pools, chains and tools on the same database. */
  readonly replicas: readonly Runtime[];
  readonly runtime: Runtime;
  /** One embedded database for all replicas, or pools for each. */
  readonly databases: readonly SqlDatabase[];
  readonly clock: { now(): Date; set(now: Date): void };
  call(who: Person | string, server: string, tool: string, input?: unknown, replica?: number): Promise<Answer>;
  /** The data of an answer that must be a success. */
  data(who: Person | string, server: string, tool: string, input?: unknown): Promise<Data>;
  /** Requests a change. The answer must be an approval card. */
  ask(who: Person | string, server: string, tool: string, input: unknown): Promise<PendingAnswer>;
  decide(who: Person | string, confirmationId: string, approved: boolean, replica?: number): Promise<Answer | CancelledAnswer>;
  approve(who: Person | string, confirmationId: string, replica?: number): Promise<Answer | CancelledAnswer>;
  /** Requests a change and approves it. */
  done(who: Person | string, server: string, tool: string, input: unknown): Promise<Answer | CancelledAnswer>;
  /** Runs SQL as the owner of all tables, without row policies. */
  owner(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Raw access to the database of a domain in a document store. */
  documents(domain: string): DocumentDatabase;
  /** Raw access to the store of a domain in a search store. */
  search(domain: string): SearchBackend;
  /** Unexpected errors in the log. Tests check at their end that there are none. */
  readonly problems: unknown[];
  close(): Promise<void>;
}

export interface TestRuntimeOptions {
  /** A PostgreSQL URL of a superuser. The tests create a database there and drop it at the end. */
  readonly database?: 'pglite' | string;
  /** The address of a MongoDB replica set, for domains in a document store. */
  readonly documents?: 'embedded' | string;
  /** The address of OpenSearch or Elasticsearch, for domains in a search store. */
  readonly search?: 'embedded' | string;
  /** The folder of the journey, instead of docs/journey/. */
  readonly journeyFolder?: string;
  readonly tools?: readonly Tool[];
  readonly resourcesAndPrompts?: readonly ResourceOrPrompt[];
  readonly replicas?: number;
  readonly employees?: number;
}

/** A sample person by username, with other roles or no employee record on request. */
export function person(username: string, change: Partial<Pick<Person, 'employeeId'>> & { roles?: readonly string[] } = {}): Person {
  const { sub, realm, name, email, employeeId, organizationId, roles } = persona(username);
  return {
    principal: `https://people.example|${sub}`,
    sub,
    realm,
    username,
    name,
    email,
    organizationId,
    employeeId: 'employeeId' in change ? change.employeeId : employeeId,
    roles: rolesIn(realm, change.roles ?? roles),
  };
}

const serverUrl = process.env.TAMSHAI_TEST_DATABASE_URL;
export const databases = storesFor<readonly [string, string]>(
  ['PGlite', 'pglite'],
  ...(serverUrl ? ([['PostgreSQL', serverUrl]] as const) : []),
);

export const employeeIdOf = (username: string): string => persona(username).employeeId ?? '';

export const code = (answer: Answer | CancelledAnswer): string => (answer.status === 'error' ? answer.code : answer.status);

export async function openTestRuntime({
  database = 'pglite',
  documents: documentsAt = 'embedded',
  search: searchAt = 'embedded',
  journeyFolder,
  tools = Object.values(hr),
  resourcesAndPrompts = [],
  replicas = 1,
  employees = 500,
}: TestRuntimeOptions = {}): Promise<TestRuntime> {
  const all = createRegistry(tools, resourcesAndPrompts);
  const domains = all.domains.filter(({ store }) => store === 'sql').map(({ name }) => name);
  const inDocuments = all.domains.filter(({ store }) => store === 'documents');
  const inSearch = all.domains.filter(({ store }) => store === 'search');
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-test-runtime-'));
  const opened = await (domains.length === 0
    ? noDatabase()
    : database === 'pglite'
      ? embedded(employees, folder)
      : server(database, domains, employees, replicas, folder));
  // Loads these drivers only when a test needs them.
  const { openDocuments } = inDocuments.length > 0 ? await import('./test-runtime-documents.ts') : { openDocuments: async () => undefined };
  const documents = await openDocuments({ where: documentsAt, domains: inDocuments, replicas, employees, today: SAMPLE_DAY, folder });
  const { openSearch } = inSearch.length > 0 ? await import('./test-runtime-search.ts') : { openSearch: async () => undefined };
  const search = await openSearch({ where: searchAt, domains: inSearch, replicas, employees, today: SAMPLE_DAY, folder, journeyFolder });
  let moment = SAMPLE_DAY;
  const clock = { now: () => moment, set: (now: Date) => void (moment = now) };
  const kv = openSqliteKeyValue(':memory:', clock);
  const key = randomBytes(32);
  const problems: unknown[] = [];
  const log: Logger = { info: () => {}, warn: () => {}, error: (fields) => void problems.push(fields) };
  const checkpoints = await openCheckpoints({
    file: join(folder, 'checkpoints.jsonl'),
    kv,
    keys: { chain: [key], checkpoint: [key] },
    clock,
  });
  const audit = await openCallLog({ file: ':memory:', chain: 'calls', key, checkpoints });
  const tickets = createTicketStore(kv, clock);
  const cursorKey = randomBytes(32);

  const runtimes = Array.from({ length: domains.length === 0 ? replicas : opened.databases.length }, (_, replica): Runtime => {
    const checkpoint = (name: string, count: number, mac: string) => checkpoints.checkpoint(name, count, mac);
    const storeOf = (domain: string) => {
      const chain = `${domain}-${replica}`;
      const each = opened.databases[replica];
      if (!each) throw new Error('no database');
      return createSqlStore(each, domain, {
        chain: createChainWriter({ chain, key, last: () => lastLink(each, domain, chain), checkpoint }),
        audit: createSqlChains(each, domain),
        today: () => clock.now().toISOString().slice(0, 10),
      });
    };
    return {
      registry: all,
      stores: Object.fromEntries([
        ...domains.map((domain): [string, Runtime['stores'][string]] => [domain, storeOf(domain)]),
        ...(documents?.stores(replica, { key, checkpoint }) ?? []),
        ...(search?.stores(replica, { key, checkpoint }) ?? []),
      ]),
      tickets,
      audit,
      clock,
      log,
      cursors: createCursors([cursorKey]),
      callLimiter: createCallLimiter({ perMinute: 100_000, atOnce: 1000 }, { clock }),
      deadlineMs: 10_000,
      approvalUrl: (id) => `http://localhost:3100/approve/${id}`,
      failpoint: () => {},
    };
  });
  const deciders = runtimes.map(
    (runtime): DecisionService =>
      createDecisionService({
        tickets,
        failpoint: () => {},
        refresh: async (caller) => caller,
        spend: async () => {},
        backend: () => ({
          execute: (ticket, caller, requestId) => execute(runtime, ticket, { person: caller.person, origin: caller.origin, requestId }),
          findResult: (ticket, who) => findResult(runtime, ticket, who),
        }),
      }),
  );
  const [runtime] = runtimes;
  if (!runtime) throw new Error('no replica');

  const callerOf = (who: Person | string): Caller => ({
    person: typeof who === 'string' ? person(who) : who,
    token: { id: randomUUID(), client: 'test', issuedAt: 0, expiresAt: 0 },
    approves: 'anything',
    origin: 'web',
  });
  const testRuntime: TestRuntime = {
    replicas: runtimes,
    runtime,
    databases: opened.databases,
    clock,
    problems,
    owner: opened.owner,
    documents(domain) {
      if (!documents) throw new Error('no domain of this test runtime has a document store');
      return documents.of(domain, 0);
    },
    search(domain) {
      if (!search) throw new Error('no domain of this test runtime has a search store');
      return search.of(domain, 0);
    },
    call: (who, serverName, tool, input = {}, replica = 0) =>
      call(runtimes[replica % runtimes.length] ?? runtime, {
        server: serverName,
        tool,
        input,
        caller: callerOf(who),
        surface: 'rest',
        requestId: randomUUID(),
      }),
    async data(who, serverName, tool, input) {
      const answer = await testRuntime.call(who, serverName, tool, input);
      if (answer.status !== 'success') throw new Error(`${tool}: ${JSON.stringify(answer)}`);
      return answer.data as Data;
    },
    async ask(who, serverName, tool, input) {
      const answer = await testRuntime.call(who, serverName, tool, input);
      if (answer.status !== 'pending_confirmation') throw new Error(`${tool}: ${JSON.stringify(answer)}`);
      return answer;
    },
    async decide(who, id, approved, replica = 0) {
      try {
        return await (deciders[replica % deciders.length] as DecisionService).decide(id, {
          approved,
          caller: callerOf(who),
          requestId: randomUUID(),
        });
      } catch (error) {
        if (error instanceof Failure) return error.answer();
        throw error;
      }
    },
    approve: (who, id, replica) => testRuntime.decide(who, id, true, replica),
    async done(who, serverName, tool, input) {
      return testRuntime.approve(who, (await testRuntime.ask(who, serverName, tool, input)).confirmationId);
    },
    async close() {
      await audit.close();
      await checkpoints.close();
      await kv.close();
      await opened.close();
      await documents?.close();
      await search?.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return testRuntime;
}

interface Opened {
  readonly databases: readonly SqlDatabase[];
  owner(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** For tests without tables, because a database takes seconds to start. */
const noDatabase = async (): Promise<Opened> => ({
  databases: [],
  owner: () => Promise.reject(new Error('this test runtime has no SQL database')),
  close: async () => {},
});

/** Contains the tables of all domains, so one template serves every test. */
async function embedded(employees: number, folder: string): Promise<Opened> {
  await copyFolder(join(folder, 'pg'), { domains: SQL_DOMAINS, today: SAMPLE_DAY, employees });
  const database = await openPglite(join(folder, 'pg'));
  await database.surrender();
  return {
    databases: [database],
    // Its one session belongs to a superuser, so a test can switch back.
    async owner(text, values) {
      await database.owner.query('set session authorization postgres');
      try {
        return (await database.owner.query<Row>(text, values as unknown[])).rows;
      } finally {
        await database.surrender();
      }
    },
    close: () => database.close(),
  };
}

async function server(url: string, domains: readonly string[], employees: number, replicas: number, folder: string): Promise<Opened> {
  const password = passwordFor(openKeys(folder, { masterKey: SHARED_KEY }));
  const name = `tamshai_world_${randomBytes(6).toString('hex')}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  const root = new pg.Client({ connectionString: url });
  await root.connect();
  // Roles and logins belong to the whole server and other suites create them too, so the suites take turns.
  await root.query('select pg_advisory_lock(42)');
  const owner = new pg.Client({ connectionString: own.href });
  try {
    await copyDatabase(root, url, name, { domains: SQL_DOMAINS, today: SAMPLE_DAY, employees });
    await owner.connect();
    await giveLogins(owner, domains, password);
  } finally {
    await root.query('select pg_advisory_unlock(42)');
  }
  const databases = Array.from({ length: replicas }, () => openPostgres({ url: own.href, password, pingAs: 'hr_audit' }));
  return {
    databases,
    owner: async (text, values) => (await owner.query<Row>(text, values as unknown[])).rows,
    async close() {
      await Promise.all(databases.map((each) => each.close()));
      await owner.end();
      await root.query(`drop database ${name} with (force)`);
      await root.end();
    },
  };
}
