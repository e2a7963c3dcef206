/** What token, role, row security, masking, audit and MCP add to the bare query, and how the ways of asking compare. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { cursors } from '../src/core/cursor.ts';
import { rolesIn } from '../src/core/people.ts';
import { derive, openKeys } from '../src/identity/keys.ts';
import { mintToken } from '../src/identity/mint.ts';
import { loadSample } from '../src/sample/load.ts';
import { persona } from '../src/sample/people.ts';
import { migrate, migrations } from '../src/storage/sql/migrate.ts';
import { freePort, type TestServer } from '../tests/services/server-process.ts';
import { startMongo } from '../tests/services/mongo.ts';
import { startPostgres } from '../tests/services/postgres.ts';
import { startSearch } from '../tests/services/search.ts';
import { embeddedDocuments, mongoDocuments } from './documents.ts';
import { leftOut, type Line, print, started } from './lines.ts';
import { compare, type Cost, type Target } from './load.ts';
import { embeddedSearch, serverSearch } from './search.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    million: { type: 'boolean', default: false },
    rows: { type: 'string' },
    tickets: { type: 'string' },
    server: { type: 'string', default: 'elasticsearch' },
    only: { type: 'string', default: 'sql,documents,search' },
  },
});
const parts = values.only.split(',');
for (const part of parts) if (!['sql', 'documents', 'search'].includes(part)) throw new Error('--only takes sql, documents and search, with commas between them');
const { server } = values;
if (server !== 'opensearch' && server !== 'elasticsearch') throw new Error('--server takes elasticsearch or opensearch');
const rows = Number(values.rows ?? (values.quick ? 50_000 : 1_000_000));
const tickets = Number(values.tickets ?? (values.quick ? 2_000 : 50_000));
const timing = values.quick ? { ms: 500, rounds: 3 } : { ms: 1500, rounds: 5 };
/** One caller, in this process: there is no more to be had from a longer round. */
const alone = values.quick ? { ms: 60, rounds: 3 } : { ms: 400, rounds: 5 };
const root = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'tamshai-bench-'));
const children: ChildProcess[] = [];
const say = (line: string) => console.log(line);

interface Base { readonly postgres: number; readonly address: string; readonly pid: number; readonly bare: string; readonly barePid: number; readonly ids: readonly string[]; readonly names: readonly (readonly [string, string, string])[] }

async function prepare(postgres: TestServer): Promise<Base> {
  const begun = performance.now();
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  await migrate(owner, migrations(join(root, 'sql'), ['hr', 'tasks']));
  await loadSample(owner, { domains: ['hr', 'tasks'], employees: rows, today: new Date(), onProgress: (done, total) => process.stderr.isTTY && process.stderr.write(`\rloading ${Math.round((100 * done) / total)} %`) });
  await owner.query('analyze');
  say(`${rows.toLocaleString('en')} employees loaded in ${Math.round((performance.now() - begun) / 1000)} s into ${postgres.version}`);
  const found = await owner.query<{ employee_id: string }>('select employee_id from hr.employees where active order by md5(employee_id::text) limit 1000');
  const deep = await owner.query<{ last_name: string; first_name: string; employee_id: string }>(
    'select last_name, first_name, employee_id from hr.employees where active order by last_name, first_name, employee_id offset $1 limit 200', [Math.min(10_000 * 50, Math.floor(rows * 0.5))]);
  await owner.end();

  const ports = { GATEWAY_PORT: String(await freePort()), HR_PORT: String(await freePort()), TASKS_PORT: String(await freePort()) };
  const child = spawn(process.execPath, [join(root, 'bin/tamshai.mjs'), 'start', '--json'], {
    env: { PATH: process.env['PATH'], ...ports, DATABASE_URL: postgres.url, TAMSHAI_DATA: join(folder, 'data'), TAMSHAI_RATE_PER_MINUTE: '10000000', TAMSHAI_CALLS_AT_ONCE: '1000' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`the product ended with ${code}`)));
  });
  const bare = fork(join(root, 'bench/bare.mjs'), { env: { ...process.env, DATABASE_URL: postgres.url } });
  children.push(bare);
  const { port } = await new Promise<{ port: number }>((resolve) => bare.once('message', (message) => resolve(message as { port: number })));
  return {
    postgres: postgres.pid, address: `http://localhost:${ports.GATEWAY_PORT}`, pid: child.pid ?? 0, bare: `http://127.0.0.1:${port}`, barePid: bare.pid ?? 0,
    ids: found.rows.map((row) => row.employee_id), names: deep.rows.map((row) => [row.last_name, row.first_name, row.employee_id] as const),
  };
}

const pick = <T>(from: readonly T[], n: number): T => from[n % from.length] as T;
const keys = () => openKeys(join(folder, 'data'));

async function ours(base: Base, name: string, user: string, surface: 'rest' | 'mcp', tool: string, input: (n: number) => object, check: (text: string) => boolean): Promise<Target> {
  const token = await mintToken(keys(), persona(user), { base: base.address, audience: `${base.address}/${surface === 'rest' ? 'api' : 'mcp'}` });
  const common = { name, pid: base.pid, check };
  if (surface === 'rest') {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return { ...common, url: `${base.address}/api/tools/hr/${tool}`, headers, body: (n) => JSON.stringify(input(n)) };
  }
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': `hr_${tool}` };
  return { ...common, url: `${base.address}/mcp`, headers, body: (n) => JSON.stringify({ jsonrpc: '2.0', id: n, method: 'tools/call', params: { name: `hr_${tool}`, arguments: input(n), _meta: meta } }) };
}

const bareTarget = (base: Base, name: string, path: (n: number) => string): Target => ({ name, url: base.bare, method: 'GET', path, pid: base.barePid, check: (text) => name === 'empty' || text.length > 2 });
const figures = ({ cpuMicros, databaseMicros, p50, p99 }: Cost) => `${Math.round(cpuMicros)} µs CPU + ${Math.round(databaseMicros)} in the database, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;

function against(costs: Map<string, Cost>, what: string, name: string, other: string, goal?: number, of: (cost: Cost) => number = ({ cpuMicros }) => cpuMicros): Line {
  const [a, b] = [costs.get(name), costs.get(other)];
  return { what, goal, ratio: a && b ? of(a) / of(b) : 0, note: a ? figures(a) : '' };
}
const whole = ({ cpuMicros, databaseMicros }: Cost) => cpuMicros + databaseMicros;

async function oneRow(base: Base): Promise<Line[]> {
  const byId = (n: number) => ({ employee_id: pick(base.ids, n) });
  const has = (text: string) => text.includes('"status":"success"');
  const own = persona('frank.davis').employeeId ?? '';
  const costs = await compare(
    [
      bareTarget(base, 'empty', () => '/empty'),
      bareTarget(base, 'bare', (n) => `/one/${pick(base.ids, n)}`),
      await ours(base, 'rest', 'alice.chen', 'rest', 'get_employee', byId, has),
      await ours(base, 'mcp', 'alice.chen', 'mcp', 'get_employee', byId, has),
      await ours(base, 'self', 'frank.davis', 'mcp', 'get_employee', () => ({ employee_id: own }), has),
      await ours(base, 'manager', 'nina.patel', 'mcp', 'get_employee', () => ({ employee_id: persona('sarah.kim').employeeId ?? '' }), has),
    ],
    { callers: 16, ...timing, database: base.postgres },
  );
  const bare = costs.get('bare');
  say(`\nOne employee by id, 16 callers. Bare handler: ${bare ? figures(bare) : ''}`);
  return [
    against(costs, 'bare handler with query × bare HTTP answer', 'bare', 'empty'),
    against(costs, 'get_employee, REST × bare handler', 'rest', 'bare'),
    against(costs, 'get_employee, MCP × bare handler', 'mcp', 'bare'),
    against(costs, 'get_employee, PostgreSQL × bare statement', 'mcp', 'bare', undefined, ({ databaseMicros }) => databaseMicros),
    against(costs, 'get_employee as employee × as HR', 'self', 'mcp', undefined, whole),
    against(costs, 'get_employee as manager × as HR', 'manager', 'mcp', 1.5, whole),
  ];
}

async function pages(base: Base): Promise<Line[]> {
  const has = (text: string) => text.includes('"returnedCount":50');
  const sealer = cursors([derive(keys(), 'cursor')]);
  const alice = persona('alice.chen');
  const person = { ...alice, principal: `staff:${alice.sub}`, organizationId: undefined, employeeId: alice.employeeId, roles: rolesIn('staff', alice.roles) };
  const deep = (n: number) => ({ cursor: sealer.seal(pick(base.names, n), { server: 'hr', tool: 'list_employees', filters: {}, person }) });
  const costs = await compare(
    [
      bareTarget(base, 'bare', (n) => `/page/${encodeURIComponent(pick(base.names, n)[0])}`),
      await ours(base, 'rest', 'alice.chen', 'rest', 'list_employees', () => ({}), has),
      await ours(base, 'mcp', 'alice.chen', 'mcp', 'list_employees', () => ({}), has),
      await ours(base, 'deep', 'alice.chen', 'mcp', 'list_employees', deep, has),
      await ours(base, 'manager', 'eve.thompson', 'mcp', 'list_employees', () => ({}), has),
      await ours(base, 'team', 'nina.patel', 'mcp', 'list_employees', () => ({}), (text) => text.includes('"status":"success"')),
    ],
    { callers: 16, ...timing, database: base.postgres },
  );
  const bare = costs.get('bare');
  say(`A page of 50 of ${rows.toLocaleString('en')}, 16 callers. Bare handler: ${bare ? figures(bare) : ''}`);
  return [
    against(costs, 'list_employees, REST × bare handler', 'rest', 'bare'),
    against(costs, 'list_employees, MCP × bare handler', 'mcp', 'bare'),
    against(costs, 'list_employees, PostgreSQL × bare statement', 'mcp', 'bare', undefined, ({ databaseMicros }) => databaseMicros),
    against(costs, `page ${values.quick ? '500' : '10,000'} × page 1`, 'deep', 'mcp', 1.2, whole),
    against(costs, "a manager's own team × HR's page", 'team', 'mcp', 1.5, whole),
    against(costs, 'the CEO (executive) × HR', 'manager', 'mcp', 1.5, whole),
  ];
}

/** Each server runs while it is measured, and no longer: the next one has the machine for itself. */
async function within(what: string, start: () => Promise<TestServer>, measure: (server: TestServer) => Promise<Line[]>): Promise<Line[]> {
  const running = await started(what, start);
  if (running === undefined) return [];
  try {
    return await measure(running);
  } finally {
    await running.stop();
  }
}

async function sql(postgres: TestServer): Promise<Line[]> {
  try {
    const base = await prepare(postgres);
    return [...(await oneRow(base)), ...(await pages(base))];
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

const lines: Line[] = [];
try {
  if (parts.includes('sql')) lines.push(...(await within('PostgreSQL', startPostgres, sql)));
  if (parts.includes('documents')) {
    // Few enough to be held in memory is what the embedded store is for.
    lines.push(...(await embeddedDocuments(folder, 10_000, alone)));
    lines.push(...(await within('MongoDB', startMongo, ({ url, version }) => mongoDocuments(url, version, values.quick ? 10_000 : 50_000, alone))));
  }
  if (parts.includes('search')) {
    lines.push(...(await embeddedSearch(folder, tickets, alone)));
    const sizes = [tickets, ...(values.million ? [1_000_000] : [])];
    const onServer = async ({ url, version }: TestServer) => {
      for (const size of sizes) lines.push(...(await serverSearch(url, version, size, alone)));
      return [];
    };
    lines.push(...(await within(server === 'opensearch' ? 'OpenSearch' : 'Elasticsearch', () => startSearch(server, { large: true }), onServer)));
  }
  print(lines);
  writeFileSync(join(root, 'bench/results.json'), `${JSON.stringify({ at: new Date().toISOString(), node: process.version, rows, tickets, lines, leftOut }, null, 2)}\n`);
  say('\nRatios of this run; written to bench/results.json.');
} catch (error) {
  // What was measured before is not lost.
  if (lines.length > 0) print(lines);
  throw error;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
