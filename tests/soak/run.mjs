// npm run test:soak [-- minutes]: soak test that runs the product under full load, ten minutes by default. It prints memory, handles and
// sessions four times a minute, and exits with 1 when one of them keeps growing or a call failed.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request, setGlobalDispatcher } from 'undici';

const minutes = Number(process.argv[2] ?? 10);
if (!(minutes > 0)) throw new Error('The number of minutes must be greater than 0.');
const command = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'bin', 'tamshai.mjs');
const LOOK_MS = 15_000;
setGlobalDispatcher(new Agent({ connections: 64 }));

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(String(port)));
    });
  });
const names = ['GATEWAY', 'HR', 'FINANCE', 'SALES', 'SUPPORT', 'JOURNEY', 'PAYROLL', 'TAX', 'TASKS', 'KNOWLEDGE'];
const data = mkdtempSync(join(tmpdir(), 'tamshai-soak-'));
const settings = {
  ...process.env,
  ...Object.fromEntries(await Promise.all([...names, 'OPS'].map(async (name) => [`${name}_PORT`, await freePort()]))),
  TAMSHAI_DATA: data,
  TAMSHAI_RATE_PER_MINUTE: '1000000',
  TAMSHAI_CONCURRENT_CALLS: '100',
  TAMSHAI_LOG_LEVEL: 'silent',
};
const running = spawn(process.execPath, ['--import', new URL('./collect.mjs', import.meta.url).href, command, 'start', '--json'], {
  env: settings,
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
const over = new Promise((resolve) => running.once('exit', resolve));

/** Reuses a token for 200 seconds. It is valid for five minutes. */
const tokens = new Map();
const token = (user, mcp) => {
  const key = `${user} ${mcp}`;
  const kept = tokens.get(key);
  if (kept && kept.until > Date.now()) return kept.text;
  const text = execFileSync(process.execPath, [command, 'token', user, ...(mcp ? ['--mcp'] : [])], {
    env: settings,
    encoding: 'utf8',
  }).trim();
  tokens.set(key, { text, until: Date.now() + 200_000 });
  return text;
};

const done = { calls: 0, failed: new Map() };
const wrong = (what) => done.failed.set(what, (done.failed.get(what) ?? 0) + 1);

async function send(base, path, { method = 'POST', as, mcp = false, body, headers = {}, expects = 200 }) {
  const {
    statusCode,
    headers: got,
    body: answer,
  } = await request(base + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token(as, mcp)}`, ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  done.calls++;
  if (statusCode !== expects) wrong(`${method} ${path}: ${statusCode} ${text.slice(0, 120)}`);
  return { text, headers: got };
}

const call = (base, as, server, tool, body = {}) => send(base, `/api/tools/${server}/${tool}`, { as, body });
const WORK = [
  (base) => call(base, 'eve.thompson', 'hr', 'list_employees', { limit: 50 }),
  (base) => call(base, 'nina.patel', 'hr', 'get_time_off_balances'),
  (base) => call(base, 'carol.johnson', 'sales', 'list_opportunities', { limit: 20 }),
  (base) => call(base, 'dan.williams', 'support', 'search_tickets', { query: 'slow login' }),
  (base) => call(base, 'bob.martinez', 'finance', 'list_invoices', { limit: 50 }),
  async (base) => {
    const { text } = await call(base, 'frank.davis', 'tasks', 'add_task', { title: 'soak' });
    await call(base, 'frank.davis', 'tasks', 'delete_task', { task_id: JSON.parse(text).data?.task_id });
  },
  // A 2025 client with a session. Half of these clients do not delete their session.
  async (base, n) => {
    const rpc = (id, method, params, session) =>
      send(base, '/mcp', {
        as: 'nina.patel',
        mcp: true,
        expects: id === undefined ? 202 : 200,
        headers: { accept: 'application/json, text/event-stream', ...(session && { 'mcp-session-id': session }) },
        body: { jsonrpc: '2.0', ...(id !== undefined && { id }), method, params },
      });
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'soak', version: '1' } };
    const session = (await rpc(1, 'initialize', hello)).headers['mcp-session-id'];
    await rpc(undefined, 'notifications/initialized', {}, session);
    await rpc(2, 'tools/call', { name: 'hr_get_time_off_balances', arguments: {} }, session);
    if (n % 2 === 0) await send(base, '/mcp', { method: 'DELETE', as: 'nina.patel', mcp: true, headers: { 'mcp-session-id': session } });
  },
  // Two people ask, because one person may have at most six open answers.
  (base, _n, who) =>
    send(base, '/api/query', { as: who % 2 === 0 ? 'nina.patel' : 'sarah.kim', body: { query: 'how many vacation days do I have left?' } }),
];

async function worker(base, from, until) {
  for (let n = from; Date.now() < until; n++) {
    try {
      await WORK[n % WORK.length](base, n, from);
    } catch (error) {
      wrong(error.message);
    }
  }
}

const metric = (text, name) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);

/** Memory that remains after a garbage collection. With a folder in SOAK_SNAPSHOTS, a heap snapshot is written there as well. */
const held = (name) =>
  new Promise((resolve) => {
    running.once('message', resolve);
    running.send({ snapshot: process.env.SOAK_SNAPSHOTS && join(process.env.SOAK_SNAPSHOTS, `${name}.heapsnapshot`) });
  });
const megabytes = (bytes) => Math.round(bytes / 1024 / 1024);

async function look(name) {
  const { body } = await request(`http://localhost:${settings.OPS_PORT}/metrics`);
  const sessions = metric(await body.text(), 'tamshai_mcp_sessions');
  const { heapUsed, external } = await held(name);
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${running.pid}/status`, 'utf8'))?.[1];
  return {
    rssMb: megabytes(Number(rss) * 1024),
    heapMb: megabytes(heapUsed),
    externalMb: megabytes(external),
    handles: readdirSync(`/proc/${running.pid}/fd`).length,
    sessions,
    calls: done.calls,
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
try {
  const ready = await Promise.race([
    new Promise((resolve) => createInterface({ input: running.stdout }).once('line', resolve)),
    over.then(() => Promise.reject(new Error('Tamshai did not start.'))),
  ]);
  const { base } = JSON.parse(ready);
  const [began, until] = [Date.now(), Date.now() + minutes * 60_000];
  const workers = Promise.all(Array.from({ length: 8 }, (_, n) => worker(base, n, until)));
  const seen = [];
  while (Date.now() + LOOK_MS <= until + 500) {
    await pause(LOOK_MS);
    const now = await look(String(seen.length).padStart(3, '0'));
    const rate = Math.round((now.calls - (seen.at(-1)?.calls ?? 0)) / (LOOK_MS / 1000));
    seen.push(now);
    console.log(
      `${String(Math.round((Date.now() - began) / 1000)).padStart(4)} s  ${rate} calls/s  rss ${now.rssMb} MB  heap ${now.heapMb} MB  external ${now.externalMb} MB  handles ${now.handles}  sessions ${now.sessions}`,
    );
  }
  await workers;
  // The first third fills caches and pools, so it is not compared.
  const third = Math.max(1, Math.floor(seen.length / 3));
  const [before, after] = [seen.slice(third, 2 * third), seen.slice(-third)];
  const grew = ['rssMb', 'heapMb', 'externalMb', 'handles', 'sessions'].map((what) => {
    const [from, to] = [before, after].map((part) => median(part.map((each) => each[what])));
    const room = { rssMb: 0.1 * from, heapMb: 0.1 * from, externalMb: 0.1 * from, handles: 16, sessions: 16 }[what];
    console.log(`${what.padEnd(9)} ${from} → ${to}${to - from > room ? '  still growing' : ''}`);
    return to - from > room;
  });
  console.log(`${done.calls} calls, ${[...done.failed.values()].reduce((sum, n) => sum + n, 0)} failed`);
  for (const [what, n] of done.failed) console.log(`  ${n} × ${what}`);
  if (grew.includes(true) || done.failed.size > 0) process.exitCode = 1;
} finally {
  running.kill('SIGTERM');
  await over;
  rmSync(data, { recursive: true, force: true });
}
