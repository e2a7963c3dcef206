/** The whole product on real sockets, started from its own composition root, with a person's tokens in hand. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Dispatcher, request } from 'undici';
import { start, type Tamshai } from '../src/app/compose.ts';
import { readConfig } from '../src/app/config.ts';
import { allTools } from '../src/app/registry.ts';
import type { Answer, CancelledAnswer, PendingAnswer } from '../src/core/answer.ts';
import type { Clock } from '../src/core/ports.ts';
import { type Keys, openKeys } from '../src/identity/keys.ts';
import { mintToken } from '../src/identity/mint.ts';
import { persona } from '../src/sample/people.ts';
import { freshDatabase, redisDatabase, SHARED_KEY } from './fresh-database.ts';
import { fillFolder } from './template.ts';

export interface Reply<T = Answer> {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
  /** Undefined when it is not JSON. */
  readonly body: T;
}

export interface TokenOptions {
  readonly mcp?: boolean;
  /** A domain server called directly. */
  readonly server?: string;
  readonly approve?: true | string;
  readonly roles?: readonly string[];
}

export interface Sending {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly server?: string | undefined;
}

/** What a tools/call result holds, as it came over the wire. */
export interface CallResult {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly resource?: { readonly mimeType: string; readonly text: string };
  }[];
  readonly structuredContent: Answer;
  readonly isError?: true;
  readonly _meta: { readonly requestId: string };
}
export interface RpcReply<T = CallResult> extends Omit<Reply, 'body'> {
  readonly result: T | undefined;
  readonly error: { readonly code: number; readonly message: string } | undefined;
}
export interface RpcOptions {
  readonly server?: string | undefined;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  /** The whole message as text, where no JSON.stringify would write it. */
  readonly raw?: string | Buffer;
}

/** Real time, moved on as far as a test says. */
export interface SiteClock extends Clock {
  pass(seconds: number): void;
}

export interface Site {
  readonly tamshai: Tamshai;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly keys: Keys;
  readonly clock: SiteClock;
  /** Every line that would have been logged, with all its fields. */
  readonly logged: string[];
  address(server?: string): string;
  token(user: string, options?: TokenOptions): Promise<string>;
  send<T = Answer>(method: string, path: string, options?: Sending): Promise<Reply<T>>;
  rest(user: string, server: string, tool: string, input?: unknown, options?: TokenOptions): Promise<Reply>;
  direct(user: string, server: string, tool: string, input?: unknown, options?: TokenOptions): Promise<Reply>;
  ask(user: string, server: string, tool: string, input: unknown): Promise<PendingAnswer>;
  decide(user: string, id: string, approved: boolean): Promise<Reply<Answer | CancelledAnswer>>;
  /** A real MCP client of this person, on the gateway or on one server. */
  mcp(user: string, options?: TokenOptions & { era?: 'modern' | 'legacy'; query?: string }): Promise<Client>;
  /** One message of a 2026 client, written out, for what is asked many times. */
  rpc<T = CallResult>(token: string, method: string, params?: object, options?: RpcOptions): Promise<RpcReply<T>>;
  /** As the owner of everything, past all rules. */
  owner(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** Whether this run is on real servers: PostgreSQL, and Redis. */
export const onServers = process.env['TAMSHAI_TEST_STORES'] === 'servers';

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'contract', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const DOMAINS: readonly string[] = allTools().domains.map(({ name }) => name);
export const SERVERS: readonly string[] = ['gateway', ...DOMAINS];

/** Settings of a site in a folder: ports that the system chooses, no limits that a busy suite would meet. */
export const settingsFor = (folder: string): Record<string, string> => ({
  ...Object.fromEntries(SERVERS.map((name) => [`${name.toUpperCase()}_PORT`, '0'])),
  TAMSHAI_DATA: folder,
  TAMSHAI_SCRIPTED_APPROVALS: '1',
  TAMSHAI_RATE_PER_MINUTE: '1000000',
  TAMSHAI_STRANGERS_PER_SECOND: '1000000',
  TAMSHAI_CALLS_AT_ONCE: '1000',
  TAMSHAI_LOG_LEVEL: 'silent',
});

export async function openSite(settings: Record<string, string> = {}): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-site-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const { TAMSHAI_TEST_REDIS_URL: redis, TAMSHAI_TEST_DATABASE_URL: database } = onServers ? process.env : {};
  const environment: Record<string, string> = { ...settingsFor(folder), ...(redis && { REDIS_URL: redisDatabase(redis) }), ...settings };
  const outside = database ? await freshDatabase(database, DOMAINS, (environment['TAMSHAI_MASTER_KEY'] ??= SHARED_KEY), folder) : undefined;
  if (outside) {
    environment['DATABASE_URL'] = outside.url;
    closing.push(outside.drop);
  }
  if (!environment['DATABASE_URL']) await fillFolder(folder, DOMAINS);
  let ahead = 0;
  const clock: SiteClock = { now: () => new Date(Date.now() + ahead), pass: (seconds) => void (ahead += seconds * 1000) };
  const logged: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void logged.push(JSON.stringify({ level, ...fields, message }, errorsToo));
  const log = { info: write('info'), warn: write('warn'), error: write('error') };
  const tamshai = await start(readConfig(environment), { servers: SERVERS, clock, log });
  closing.push(() => tamshai.close());
  const keys = openKeys(folder, { masterKey: environment['TAMSHAI_MASTER_KEY'] });
  const address = (server = 'gateway') => `http://localhost:${tamshai.ports[server]}`;
  const clients: Client[] = [];

  const site: Site = {
    tamshai,
    folder,
    environment,
    keys,
    clock,
    logged,
    address,
    token: (user, { mcp = false, server, approve, roles } = {}) =>
      mintToken(keys, persona(user), { base: tamshai.base, audience: `${address(server)}/${mcp ? 'mcp' : 'api'}`, approve, roles, clock }),
    async send<T>(method: string, path: string, { token, body, raw, headers = {}, server }: Sending = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await request(address(server) + path, {
        method: method as Dispatcher.HttpMethod,
        body: payload ?? null,
        headers: {
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      });
      const text = await response.body.text();
      return {
        status: response.statusCode,
        headers: response.headers,
        text,
        body: (text.startsWith('{') ? JSON.parse(text) : undefined) as T,
      };
    },
    rest: async (user, server, tool, input = {}, options = {}) =>
      site.send('POST', `/api/tools/${server}/${tool}`, { token: await site.token(user, options), body: input }),
    direct: async (user, server, tool, input = {}, options = {}) =>
      site.send('POST', `/tools/${tool}`, { token: await site.token(user, { ...options, server }), body: input, server }),
    async ask(user, server, tool, input) {
      const { body } = await site.rest(user, server, tool, input);
      if (body.status !== 'pending_confirmation') throw new Error(`${tool}: ${JSON.stringify(body)}`);
      return body;
    },
    decide: async (user, id, approved) =>
      site.send('POST', `/api/confirm/${id}`, { token: await site.token(user, { approve: true }), body: { approved } }),
    async mcp(user, { era = 'modern', query = '', ...options } = {}) {
      const token = await site.token(user, { ...options, mcp: true });
      const client = new Client({ name: 'contract', version: '1' }, era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {});
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`${address(options.server)}/mcp${query}`), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        }),
      );
      clients.push(client);
      return client;
    },
    async rpc<T>(token: string, method: string, params: object = {}, { server, query = '', headers = {}, raw }: RpcOptions = {}) {
      const { name } = params as { name?: string };
      const message = raw ?? JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } });
      const reply = await site.send<{ result?: T; error?: { code: number; message: string } }>('POST', `/mcp${query}`, {
        token,
        server,
        raw: message,
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(name !== undefined && { 'mcp-name': name }),
          ...headers,
        },
      });
      return { ...reply, result: reply.body?.result, error: reply.body?.error };
    },
    async owner(text, values) {
      if (outside) return (await outside.owner.query<Record<string, unknown>>(text, values as unknown[])).rows;
      const { embedded } = tamshai;
      if (!embedded) throw new Error('no embedded database');
      await embedded.owner.query('set session authorization postgres');
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

/** An error's own words are what must not get into a log, so they are written out here where a logger might write them. */
const errorsToo = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value;
