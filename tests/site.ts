/** The whole product on real sockets, started from its own composition root, with a person's tokens in hand. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import pg from 'pg';
import { type Dispatcher, request } from 'undici';
import { type Tamshai, start } from '../src/app/compose.ts';
import { readConfig } from '../src/app/config.ts';
import { passwordFor, sqlFolder } from '../src/app/stores.ts';
import type { Answer, CancelledAnswer, PendingAnswer } from '../src/core/answer.ts';
import { openKeys } from '../src/identity/keys.ts';
import { mintToken } from '../src/identity/mint.ts';
import { loadSample } from '../src/sample/load.ts';
import { persona } from '../src/sample/people.ts';
import { giveLogins, migrate, migrations } from '../src/storage/sql/migrate.ts';

export interface Reply<T = Answer> {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
  readonly body: T;
}

export interface TokenOptions {
  readonly mcp?: boolean;
  /** A domain server called directly. */
  readonly server?: string;
  readonly approve?: true | string;
  readonly roles?: readonly string[];
}

export interface Site {
  readonly tamshai: Tamshai;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  address(server?: string): string;
  token(user: string, options?: TokenOptions): Promise<string>;
  send(method: string, path: string, options?: { token?: string; body?: unknown; raw?: string | Buffer; headers?: Record<string, string>; server?: string }): Promise<Reply>;
  rest(user: string, server: string, tool: string, input?: unknown, options?: TokenOptions): Promise<Reply>;
  direct(user: string, server: string, tool: string, input?: unknown, options?: TokenOptions): Promise<Reply>;
  ask(user: string, server: string, tool: string, input: unknown): Promise<PendingAnswer>;
  decide(user: string, id: string, approved: boolean): Promise<Reply<Answer | CancelledAnswer>>;
  /** A real MCP client of this person, on the gateway or on one server. */
  mcp(user: string, options?: TokenOptions & { era?: 'modern' | 'legacy'; query?: string }): Promise<Client>;
  /** As the owner of everything, past all rules. */
  owner(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Whether this run is on real servers: PostgreSQL, and Redis. */
export const onServers = process.env['TAMSHAI_TEST_STORES'] === 'servers';

export async function openSite(settings: Record<string, string> = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-site-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const ports = Object.fromEntries(['GATEWAY', 'HR', 'TASKS'].map((name) => [`${name}_PORT`, '0']));
  const environment: Record<string, string> = {
    ...ports, TAMSHAI_DATA: folder, TAMSHAI_SCRIPTED_APPROVALS: '1', TAMSHAI_RATE_PER_MINUTE: '1000000', TAMSHAI_CALLS_AT_ONCE: '1000', TAMSHAI_LOG_LEVEL: 'silent',
    ...(onServers && process.env['TAMSHAI_TEST_REDIS_URL'] ? { REDIS_URL: redisDatabase(process.env['TAMSHAI_TEST_REDIS_URL']) } : {}),
    ...settings,
  };
  let outside: pg.Client | undefined;
  if (onServers && process.env['TAMSHAI_TEST_DATABASE_URL']) {
    const made = await freshDatabase(process.env['TAMSHAI_TEST_DATABASE_URL'], environment['TAMSHAI_MASTER_KEY'] ?? (environment['TAMSHAI_MASTER_KEY'] = SHARED_KEY), folder);
    environment['DATABASE_URL'] = made.url;
    outside = made.owner;
    closing.push(made.drop);
  }
  const tamshai = await start(readConfig(environment), { servers: ['gateway', 'hr', 'tasks'] });
  closing.push(() => tamshai.close());
  const keys = openKeys(folder, { masterKey: environment['TAMSHAI_MASTER_KEY'] });
  const address = (server = 'gateway') => `http://localhost:${tamshai.ports[server]}`;
  const clients: Client[] = [];

  const site: Site = {
    tamshai, folder, environment, address,
    token: (user, { mcp = false, server, approve, roles } = {}) =>
      mintToken(keys, persona(user), { base: tamshai.base, audience: `${address(server)}/${mcp ? 'mcp' : 'api'}`, approve, roles }),
    async send(method, path, { token, body, raw, headers = {}, server } = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await request(address(server) + path, {
        method: method as Dispatcher.HttpMethod, body: payload ?? null,
        headers: { ...(payload !== undefined && { 'content-type': 'application/json' }), ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
      });
      const text = await response.body.text();
      return { status: response.statusCode, headers: response.headers, text, body: (text.startsWith('{') ? JSON.parse(text) : undefined) as Answer };
    },
    rest: async (user, server, tool, input = {}, options = {}) => site.send('POST', `/api/tools/${server}/${tool}`, { token: await site.token(user, options), body: input }),
    direct: async (user, server, tool, input = {}, options = {}) => site.send('POST', `/tools/${tool}`, { token: await site.token(user, { ...options, server }), body: input, server }),
    async ask(user, server, tool, input) {
      const { body } = await site.rest(user, server, tool, input);
      if (body.status !== 'pending_confirmation') throw new Error(`${tool}: ${JSON.stringify(body)}`);
      return body;
    },
    decide: async (user, id, approved) => site.send('POST', `/api/confirm/${id}`, { token: await site.token(user, { approve: true }), body: { approved } }) as Promise<Reply<Answer | CancelledAnswer>>,
    async mcp(user, { era = 'modern', query = '', ...options } = {}) {
      const token = await site.token(user, { ...options, mcp: true });
      const client = new Client({ name: 'contract', version: '1' }, era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {});
      await client.connect(new StreamableHTTPClientTransport(new URL(`${address(options.server)}/mcp${query}`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
      clients.push(client);
      return client;
    },
    async owner(text, values) {
      if (outside) return (await outside.query<Record<string, unknown>>(text, values as unknown[])).rows;
      const { embedded } = tamshai;
      if (!embedded) throw new Error('no embedded database');
      await embedded.owner.query('reset session authorization');
      try {
        return (await embedded.owner.query<Record<string, unknown>>(text, values as unknown[])).rows;
      } finally {
        await embedded.surrender();
      }
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      for (const each of closing.reverse()) await each();
    },
  };
  return site;
}

/** Logins belong to the whole server, so all suites on it derive their passwords from one key. */
const SHARED_KEY = Buffer.from('tamshai tests share one key here').toString('base64url');

const redisDatabase = (url: string) => {
  const own = new URL(url);
  own.pathname = `/${1 + Math.floor(Math.random() * 15)}`;
  return own.href;
};

async function freshDatabase(url: string, masterKey: string, folder: string) {
  const name = `tamshai_site_${randomBytes(6).toString('hex')}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  const root = new pg.Client({ connectionString: url });
  await root.connect();
  await root.query('select pg_advisory_lock(42)');
  await root.query(`create database ${name}`);
  const owner = new pg.Client({ connectionString: own.href });
  await owner.connect();
  try {
    const domains = ['hr', 'tasks'];
    await migrate(owner, migrations(sqlFolder, domains));
    await giveLogins(owner, domains, passwordFor(openKeys(folder, { masterKey })));
    await loadSample(owner, { domains, employees: 500, today: new Date(), onProgress: () => {} });
  } finally {
    await root.query('select pg_advisory_unlock(42)');
  }
  return {
    url: own.href, owner,
    async drop() {
      await owner.end();
      await root.query(`drop database ${name} with (force)`);
      await root.end();
    },
  };
}
