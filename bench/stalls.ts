/** Measures how long each endpoint blocks the event loop with its worst input. One process serves all users, so they all wait. */
import { appendFileSync, readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { signCheckpoint } from '../src/engine/audit/chain.ts';
import { derive, openKeys } from '../src/identity/keys.ts';
import { openCallChains } from '../src/storage/audit/call-chains.ts';
import { openCheckpoints } from '../src/storage/audit/checkpoints.ts';
import { openCallLog } from '../src/storage/audit/sqlite.ts';
import { openSqliteKeyValue } from '../src/storage/kv/sqlite.ts';
import { openSqlite } from '../src/storage/sqlite-file.ts';
import { persona, personas } from '../domains/sample-company/people.ts';
import { type TokenOptions, connectTestClient, type TestClient } from '../src/testing/test-client.ts';
import type { Line } from './lines.ts';
import { median } from './load.ts';
import { launch, type Product } from './product.ts';
import { Browser } from './stalls-browser.ts';
import { BODIES, questions, searches } from './stalls-inputs.ts';

const GOAL_MS = 50;
/** Repetitions after the first call. The first call also fills caches. */
const AGAIN = 3;
const QUIET_MS = 300;
/** Shorter than the life of a token. */
const TOKEN_MS = 120_000;
/** A file with more checkpoints is compacted at the next start. */
const MOST_CHECKPOINTS = 35_000;

export interface StallOptions {
  readonly folder: string;
  readonly records: number;
  /** The number of triples about one entry. The card for its deletion has a line for each. */
  readonly relations: number;
}

interface Held {
  readonly cpuMs: number;
  readonly clockMs: number;
  readonly gcMs: number;
}
interface Case {
  readonly name: string;
  readonly run: (n: number) => Promise<unknown>;
  readonly again?: number;
}

/** Reads the longest event loop turn from the probe. */
class Probe {
  readonly #socket: Socket;
  #answered: (text: string) => void = () => {};
  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (data) => this.#answered(data.toString()));
  }
  static async open(path: string): Promise<Probe> {
    const socket = connect(path);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return new Probe(socket);
  }
  worst(): Promise<Held> {
    return new Promise((resolve) => {
      this.#answered = (text) => resolve(JSON.parse(text) as Held);
      this.#socket.write('\n');
    });
  }
  close(): void {
    this.#socket.destroy();
  }
}

async function during(probe: Probe, work: () => Promise<unknown>): Promise<Held> {
  await probe.worst();
  await work();
  // A turn ends when the next one begins.
  await pause(5);
  return probe.worst();
}

const figure = (ms: number) => ms.toFixed(ms < 10 ? 1 : 0);
function lineOf(name: string, all: readonly Held[]): Line {
  const worst = Math.max(...all.map(({ cpuMs }) => cpuMs));
  const [first] = all;
  const parts = [
    `first ${figure(first?.cpuMs ?? 0)}, median ${figure(median(all.map(({ cpuMs }) => cpuMs)))} of ${all.length}`,
    `by the clock ${figure(Math.max(...all.map(({ clockMs }) => clockMs)))}`,
    `longest GC ${figure(Math.max(...all.map(({ gcMs }) => gcMs)))}`,
  ];
  return { what: `stall, CPU: ${name}`, ratio: worst, goal: GOAL_MS, unit: 'ms', note: parts.join('; ') };
}

async function lineFor(probe: Probe, { name, run, again = AGAIN }: Case): Promise<Line> {
  const all: Held[] = [];
  for (let n = 0; n <= again; n++) all.push(await during(probe, () => run(n)));
  return lineOf(name, all);
}

const settings = (socket: string) => ({
  NODE_OPTIONS: `--import ${pathToFileURL(join(process.cwd(), 'bench/stalls-probe.mjs')).href}`,
  BENCH_STALLS_PROBE: socket,
  TAMSHAI_FAILED_AUTH_PER_SECOND: '100000',
});

export async function stallLines({ folder, records, relations }: StallOptions): Promise<Line[]> {
  const data = join(folder, 'stalls');
  const socket = join(folder, 'stalls.sock');
  // The first start loads the sample data. The audit log is written while no server runs.
  const first = await launch(data);
  await first.stop();
  await fillAuditLog(data, records);
  const product = await launch(data, settings(socket));
  const probe = await Probe.open(socket);
  try {
    const starting = await during(probe, () => pause(3_000));
    const testServer = testServerFor(product);
    const lines = [
      lineOf(`starting with ${records.toLocaleString('en')} audit records that are not indexed yet, after it is ready`, [starting]),
      lineOf('no request', await quiet(probe)),
    ];
    for (const each of await casesOf(product, testServer, { records, relations })) lines.push(await lineFor(probe, each));
    await testServer.leave();
    return lines;
  } finally {
    probe.close();
    await product.stop();
  }
}

async function quiet(probe: Probe): Promise<Held[]> {
  const all: Held[] = [];
  for (let n = 0; n <= AGAIN; n++) all.push(await during(probe, () => pause(QUIET_MS)));
  return all;
}

/** Writes audit records and checkpoints like a server, but no index tables. The next start fills them. */
async function fillAuditLog(folder: string, records: number): Promise<void> {
  const keys = openKeys(folder);
  const kv = openSqliteKeyValue(join(folder, 'gateway.db'));
  const [key, vouching] = [derive(keys, 'audit'), derive(keys, 'checkpoint')];
  const clock = { now: () => new Date() };
  const checkpoints = await openCheckpoints({
    file: join(folder, 'checkpoints.jsonl'),
    kv,
    keys: { chain: [key], checkpoint: [vouching] },
    clock,
  });
  const log = await openCallLog({ file: join(folder, 'audit.db'), chain: 'calls-main', key, checkpoints });
  const staff = personas.filter(({ realm }) => realm === 'staff');
  const input = JSON.stringify({ query: 'why is the dashboard so slow since the last release', limit: 50 });
  let waiting: Promise<void>[] = [];
  for (let n = 0; n < records; n++) {
    const { sub, username } = staff[n % staff.length] ?? persona('eve.thompson');
    const at = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
    const about = { at, principal: `staff:${sub}`, username, surface: 'mcp', origin: 'bench', server: 'support', tool: 'search_tickets' };
    waiting.push(log.append({ ...about, decision: 'allowed', code: null, ms: 3, rows: 50, requestId: `bench-${n}`, input }));
    if (waiting.length < 1_000) continue;
    await Promise.all(waiting);
    waiting = [];
  }
  await Promise.all(waiting);
  await log.close();
  await checkpoints.close();
  await kv.close();
  await addCheckpoints(folder, vouching);
  const db = openSqlite(join(folder, 'audit.db'));
  db.exec('DELETE FROM by_person; DELETE FROM by_time; DELETE FROM ordered_until;');
  db.close();
}

/** Adds a checkpoint per record. A process that writes one record per second has as many. */
async function addCheckpoints(folder: string, key: Uint8Array): Promise<void> {
  const chains = openCallChains(join(folder, 'audit.db'));
  const at = new Date().toISOString();
  let text = '';
  for await (const { chain, n, mac } of chains.records('calls-main')) {
    if (n > MOST_CHECKPOINTS) break;
    text += `${JSON.stringify(signCheckpoint(key, { chain, count: n, mac, at }))}\n`;
  }
  await chains.close();
  appendFileSync(join(folder, 'checkpoints.jsonl'), text);
}

/** Reuses tokens, so the token cache works as usual. */
interface TestServer {
  readonly client: TestClient;
  token(user: string, options?: TokenOptions): Promise<string>;
  rest(user: string, tool: string, input: object | string): Promise<{ readonly status: number; readonly text: string }>;
  get(
    user: string | undefined,
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number; readonly text: string }>;
  modern(user: string, method: string, params: object | string, query?: string): Promise<unknown>;
  legacy(user: string, method: string, params: object): Promise<unknown>;
  leave(): Promise<void>;
}

function testServerFor({ address, ports, folder }: Product): TestServer {
  const client = connectTestClient({ base: address, ports, keys: openKeys(folder), people: personas });
  const tokens = new Map<string, { readonly token: Promise<string>; readonly until: number }>();
  const token: TestServer['token'] = (user, options = {}) => {
    const key = JSON.stringify([user, options]);
    const known = tokens.get(key);
    if (known !== undefined && known.until > Date.now()) return known.token;
    const fresh = { token: client.token(user, options), until: Date.now() + TOKEN_MS };
    tokens.set(key, fresh);
    return fresh.token;
  };
  const sessions = new Map<string, string>();
  const post = async (user: string, message: object | string, session?: string) =>
    client.send('POST', '/mcp', {
      token: await token(user, { mcp: true }),
      raw: typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      headers: {
        accept: 'application/json, text/event-stream',
        ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }),
      },
    });
  const begin = async (user: string) => {
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
    const { headers } = await post(user, { method: 'initialize', params: client });
    return String(headers['mcp-session-id']);
  };
  return {
    client,
    token,
    rest: async (user, tool, input) => {
      const [server = '', ...name] = tool.split('_');
      const raw = typeof input === 'string' ? input : JSON.stringify(input);
      return client.send('POST', `/api/tools/${server}/${name.join('_')}`, { token: await token(user), raw });
    },
    get: async (user, path, headers) =>
      client.send('GET', path, { ...(user !== undefined && { token: await token(user) }), ...(headers && { headers }) }),
    async modern(user, method, params, query) {
      const mcp = await token(user, { mcp: true });
      if (typeof params !== 'string') return client.rpc(mcp, method, params, { ...(query !== undefined && { query }) });
      return client.rpc(mcp, method, { name: 'hr_list_employees' }, { raw: params });
    },
    async legacy(user, method, params) {
      if (method === 'initialize') return begin(user);
      const session = sessions.get(user) ?? (await begin(user));
      sessions.set(user, session);
      return post(user, { method, params }, session);
    },
    leave: () => client.leave(),
  };
}

/** Throws for a wrong answer: only correct answers are measured. */
const answered = async (asked: Promise<{ readonly status: number; readonly text: string }>, status = 200): Promise<string> => {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`${answer.status} in place of ${status}: ${answer.text.slice(0, 300)}`);
  return answer.text;
};

const ENVELOPE =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench",' +
  '"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}';
const mcpCall = (body: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hr_list_employees","arguments":${body},${ENVELOPE}}}`;

const LISTS: readonly (readonly [user: string, tool: string, input?: object])[] = [
  ['alice.chen', 'hr_list_employees'],
  ['alice.chen', 'hr_list_time_off_requests'],
  ['eve.thompson', 'hr_list_team_time_off_requests'],
  ['bob.martinez', 'finance_list_invoices'],
  ['bob.martinez', 'finance_list_expense_reports'],
  ['bob.martinez', 'finance_list_budgets'],
  ['carol.johnson', 'sales_list_opportunities'],
  ['carol.johnson', 'sales_list_customers'],
  ['carol.johnson', 'sales_list_leads'],
  ['dan.williams', 'support_search_tickets'],
  ['dan.williams', 'support_get_sla_tickets', { status: 'breached' }],
  ['paula.reyes', 'payroll_list_pay_stubs'],
  ['paula.reyes', 'payroll_list_contractors'],
  ['marcus.johnson', 'knowledge_query'],
  ['marcus.johnson', 'knowledge_query_graph'],
  ['marcus.johnson', 'knowledge_history'],
];
const FIGURES: readonly (readonly [user: string, tool: string, input?: object])[] = [
  ['eve.thompson', 'hr_get_org_chart', { max_depth: 10 }],
  ['carol.johnson', 'sales_get_pipeline'],
  ['carol.johnson', 'sales_get_forecast', { period: '2026' }],
  ['bob.martinez', 'finance_get_arr'],
  ['bob.martinez', 'finance_get_arr_movement', { year: 2026 }],
  ['dan.williams', 'support_get_sla_summary'],
  ['dan.williams', 'support_get_agent_metrics', { period: '90d' }],
  ['paula.reyes', 'payroll_get_payroll_summary'],
  ['eve.thompson', 'tax_get_tax_summary'],
  ['marcus.johnson', 'journey_list_pivots'],
];
const SEARCHES: readonly (readonly [user: string, tool: string, field: string, longest: number])[] = [
  ['dan.williams', 'support_search_tickets', 'query', 500],
  ['dan.williams', 'support_search_knowledge_base', 'query', 500],
  ['marcus.johnson', 'knowledge_query', 'query', 400],
  ['marcus.johnson', 'journey_search_journey', 'query', 400],
  ['marcus.johnson', 'journey_get_context', 'topic', 400],
  ['alice.chen', 'hr_find_employees', 'name', 100],
  ['alice.chen', 'hr_list_employees', 'name', 100],
  ['carol.johnson', 'sales_list_customers', 'name', 100],
];

async function casesOf(
  product: Product,
  testServer: TestServer,
  { records, relations }: Pick<StallOptions, 'records' | 'relations'>,
): Promise<Case[]> {
  const { rest, get, modern, legacy } = testServer;
  const everybody = personas.map(({ username }) => username);
  const turning = (user: string, tool: string, input: object): ((n: number) => Promise<unknown>) => {
    let cursor: string | undefined;
    return async () => {
      const text = await answered(rest(user, tool, { ...input, limit: 50, ...(cursor !== undefined && { cursor }) }));
      cursor = (JSON.parse(text) as { metadata?: { nextCursor?: string } }).metadata?.nextCursor;
    };
  };
  const listing = [
    // These come first: a process builds these values once, and this measures the building.
    {
      name: 'tools/list, each role set for the first time',
      again: everybody.length - 1,
      run: (n: number) => modern(everybody[n] ?? '', 'tools/list', {}),
    },
    {
      name: 'tools/list, one server after the other',
      again: 8,
      run: (n: number) =>
        modern(
          'eve.thompson',
          'tools/list',
          {},
          `?servers=${['hr', 'finance', 'sales', 'support', 'payroll', 'tax', 'tasks', 'knowledge', 'journey'][n]}`,
        ),
    },
    { name: 'tools/list through the SDK (2025 session)', run: () => legacy('eve.thompson', 'tools/list', {}) },
    { name: 'initialize', run: () => legacy('eve.thompson', 'initialize', {}) },
    { name: 'GET /openapi.json', run: () => answered(get('eve.thompson', '/openapi.json')) },
    { name: 'GET /docs', run: () => answered(get('eve.thompson', '/docs')) },
    { name: 'GET /metrics', run: () => answered(get(undefined, '/metrics')) },
    {
      name: 'GET /api/user/mcp-tools',
      again: everybody.length - 1,
      run: (n: number) => answered(get(everybody[n], '/api/user/mcp-tools')),
    },
  ];
  const bodies = Object.entries(BODIES).flatMap(([what, body]): Case[] => [
    { name: `REST, ${what}`, run: () => rest('alice.chen', 'hr_list_employees', body) },
    { name: `MCP, ${what}`, run: () => modern('alice.chen', 'tools/call', mcpCall(body)) },
  ]);
  const protocol: Case[] = [
    {
      name: 'MCP, a batch of 150 calls',
      run: () => modern('alice.chen', 'tools/call', `[${Array.from({ length: 150 }, () => mcpCall('{}')).join(',')}]`),
    },
    {
      name: 'MCP, a call through the SDK (2025 session)',
      run: () => legacy('alice.chen', 'tools/call', { name: 'hr_list_employees', arguments: { limit: 50 } }),
    },
    { name: 'MCP, resources/list', run: () => modern('marcus.johnson', 'resources/list', {}) },
    { name: 'MCP, resources/templates/list', run: () => modern('marcus.johnson', 'resources/templates/list', {}) },
    { name: 'MCP, resources/read: all entries', run: () => modern('marcus.johnson', 'resources/read', { uri: 'knowledge://entries' }) },
    { name: 'MCP, resources/read: the whole graph', run: () => modern('marcus.johnson', 'resources/read', { uri: 'knowledge://graph' }) },
    { name: 'MCP, resources/subscribe', run: () => legacy('marcus.johnson', 'resources/subscribe', { uri: 'knowledge://entries' }) },
    { name: 'MCP, prompts/list', run: () => modern('marcus.johnson', 'prompts/list', {}) },
    {
      name: 'MCP, prompts/get with 60 kB',
      run: () => modern('marcus.johnson', 'prompts/get', { name: 'ingest-memory', arguments: { text: 'x'.repeat(60_000) } }),
    },
    {
      name: 'MCP, completion/complete',
      run: () =>
        modern('marcus.johnson', 'completion/complete', {
          ref: { type: 'ref/prompt', name: 'correct-stale-facts' },
          argument: { name: 'topic', value: 'a'.repeat(100) },
        }),
    },
    { name: 'a cursor of 4,000 characters', run: () => rest('alice.chen', 'hr_list_employees', { cursor: 'A'.repeat(4_000) }) },
    { name: 'a cursor of 10 kB', run: () => rest('alice.chen', 'hr_list_employees', { cursor: 'A'.repeat(10_000) }) },
  ];
  const found = SEARCHES.flatMap(([user, tool, field, longest]) =>
    Object.entries(searches(longest)).map(
      ([what, text]): Case => ({ name: `${tool}, ${what}`, run: () => rest(user, tool, { [field]: text }) }),
    ),
  );
  const lists = LISTS.map(([user, tool, input = {}]): Case => ({ name: `${tool}, page after page`, run: turning(user, tool, input) }));
  const figures = FIGURES.map(([user, tool, input = {}]): Case => ({ name: tool, run: () => rest(user, tool, input) }));
  const thousands = records.toLocaleString('en');
  const verify = async () => {
    const text = await answered(get('eve.thompson', '/api/audit/verify'));
    if (!text.includes('"ok":true')) throw new Error(`the audit log is not as it was written: ${text.slice(0, 300)}`);
  };
  const auditLog: Case[] = [
    { name: `GET /api/audit, all of ${thousands}`, run: () => answered(get('eve.thompson', '/api/audit?limit=50')) },
    { name: `GET /api/audit, one person's of ${thousands}`, run: () => answered(get('marcus.johnson', '/api/audit?limit=50')) },
    { name: `GET /api/audit/verify, ${thousands} records`, again: 2, run: verify },
  ];
  return [
    ...listing,
    ...bodies,
    ...protocol,
    ...found,
    ...lists,
    ...figures,
    ...auditLog,
    ...signingIn(testServer),
    ...assistant(testServer),
    ...(await cards(product, testServer, relations)),
  ];
}

/** Endpoints without authentication. */
function signingIn({ get, client }: TestServer): Case[] {
  const form = (path: string, text: string) =>
    client.send('POST', path, { raw: text, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
  const registration = JSON.stringify({
    client_name: 'bench',
    redirect_uris: Array.from({ length: 1_000 }, (_, n) => `http://localhost:${n + 1}/cb`),
    token_endpoint_auth_method: 'none',
  });
  return [
    { name: 'GET /signin', run: () => get(undefined, '/signin?to=/') },
    {
      name: 'GET /.well-known/oauth-protected-resource',
      run: () => answered(get(undefined, '/.well-known/oauth-protected-resource/mcp')),
    },
    { name: 'GET issuer metadata', run: () => get(undefined, '/oidc/staff/.well-known/openid-configuration') },
    {
      name: 'authorization request of 8 kB',
      run: () => get(undefined, `/oidc/staff/auth?client_id=x&response_type=code&scope=${'openid%20'.repeat(800)}`),
    },
    { name: 'token endpoint, 50 kB', run: () => form('/oidc/staff/token', `grant_type=authorization_code&code=${'x'.repeat(50_000)}`) },
    { name: 'registration, 1,000 addresses', run: () => client.send('POST', '/oidc/staff/reg', { raw: registration }) },
    {
      name: 'a token of 8 kB',
      run: () => client.send('GET', '/api/user/info', { token: `eyJhbGciOiJFUzI1NiJ9.${'A'.repeat(8_000)}.AAAA` }),
    },
  ];
}

function assistant({ get, token, client }: TestServer): Case[] {
  const ask = async (query: string, conversationId?: string) =>
    client.send('POST', '/api/query', {
      token: await token('frank.davis'),
      body: { query, ...(conversationId !== undefined && { conversationId }) },
    });
  let conversation: string | undefined;
  const longer = async () => {
    const { text } = await ask('Who works in Engineering? '.repeat(8), conversation);
    conversation ??= /"conversationId":"([^"]+)"/.exec(text)?.[1];
  };
  return [
    ...Object.entries(questions()).map(([what, text]): Case => ({ name: `offline assistant, ${what}`, run: () => ask(text) })),
    { name: 'offline assistant, a conversation that grows', again: 15, run: longer },
    { name: 'GET /api/conversations', run: () => answered(get('frank.davis', '/api/conversations')) },
    { name: 'GET /api/conversations/:id', run: () => get('frank.davis', `/api/conversations/${conversation}`) },
  ];
}

/** Twenty pending approvals, and one card with a line per triple. */
async function cards(product: Product, testServer: TestServer, relations: number): Promise<Case[]> {
  const { rest, get, client } = testServer;
  for (let n = 0; n < relations; n += 8) {
    await Promise.all(
      Array.from({ length: Math.min(8, relations - n) }, (_, i) =>
        rest('marcus.johnson', 'knowledge_relate', {
          subject: 'e-7',
          predicate: 'related_to',
          object: `thing ${n + i}`,
          resolution: 'keep_both',
        }),
      ),
    );
  }
  let id = '';
  const ask = async () => {
    const text = await answered(rest('sarah.kim', 'knowledge_delete', { id: 'e-7', reason: 'It is wrong' }));
    id = (JSON.parse(text) as { confirmationId?: string }).confirmationId ?? '';
  };
  const employees = JSON.parse(await answered(rest('alice.chen', 'hr_list_employees', { limit: 50 }))) as {
    data: readonly { employee_id: string }[];
  };
  const many = async (n: number) =>
    rest('alice.chen', 'hr_update_salary', {
      employee_id: employees.data[n + 10]?.employee_id ?? '',
      new_salary: 100_000 + n,
      reason: 'x'.repeat(500),
    });
  const lines = `a card of ${relations.toLocaleString('en')} lines`;
  return [
    { name: 'asking for a change, 20 that wait', again: 19, run: many },
    { name: 'GET /api/confirmations, 20 that wait', run: () => answered(get('alice.chen', '/api/confirmations')) },
    { name: `knowledge_delete, ${lines}`, run: ask },
    { name: `GET /api/confirmations, ${lines}`, run: () => answered(get('sarah.kim', '/api/confirmations')) },
    { name: `GET /api/confirmations/:id, ${lines}`, run: () => answered(get('sarah.kim', `/api/confirmations/${id}`)) },
    ...pages(product, testServer, () => id),
    { name: `denying, ${lines}`, again: 0, run: () => client.decide('sarah.kim', id, false) },
    {
      name: `approving, ${lines}`,
      again: 0,
      run: async () => {
        await ask();
        await client.decide('sarah.kim', id, true);
      },
    },
  ];
}

/** HTML pages and static files. */
function pages({ address }: Product, { client }: TestServer, waiting: () => string): Case[] {
  const get = (path: string, headers: Record<string, string> = {}) => client.send('GET', path, { headers });
  const files = readdirSync(join(process.cwd(), 'dist/web/assets')).map((name) => `/assets/${name}`);
  const browser = new Browser(address);
  return [
    { name: 'GET /', run: () => answered(get('/')) },
    { name: 'GET the sign-in page of the issuer', run: () => browser.open('/signin?to=/settings') },
    { name: 'signing in', again: 0, run: () => browser.submit({ person: persona('sarah.kim').sub }) },
    { name: 'GET the web app', run: () => browser.open('/settings') },
    { name: 'GET /approvals', run: () => browser.open('/approvals') },
    { name: 'GET the page of the largest card', run: () => browser.open(`/approve/${waiting()}`) },
    {
      name: 'GET the files of the web app, packed',
      again: files.length - 1,
      run: (n) => answered(get(files[n] ?? '/', { 'accept-encoding': 'gzip' })),
    },
    { name: 'GET a URL of 60 kB that does not exist', run: () => answered(get(`/${'a/'.repeat(30_000)}`), 404) },
  ];
}
