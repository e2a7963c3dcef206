/** Compares Tamshai with minimal handlers in Go and Node that answer the same two requests. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openKeys } from '../src/identity/keys.ts';
import { freePort } from '../tests/services/server-process.ts';
import type { Line } from './lines.ts';
import { buildPeers, load, type LoadTarget, ratio, type Result, summaryOf } from './loadgen.ts';
import { separateProcessLines } from './separate-processes.ts';
import type { Company, Measuring } from './sql.ts';
import { jsonLines, numbered, ourTargets, questionsAbout, warmUp } from './targets.ts';

const here = join(process.cwd(), 'bench/peers');
const ENOUGH = 20_000;
const asked = (name: string, args: object) =>
  numbered(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name, arguments: args } }));

/** Creates the table of the minimal handlers, in its own database on the same server. */
async function createPeerTable(
  { postgres }: Company,
  rows: number,
  folder: string,
): Promise<{ readonly url: string; readonly one: string; readonly page: string }> {
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  await owner.query('create database peers');
  await owner.end();
  const url = new URL(postgres.url);
  url.pathname = '/peers';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(readFileSync(join(here, 'dataset.sql'), 'utf8').replaceAll('{{rows}}', String(rows)));
  const people = await client.query<object>('select id, email from hr.employees order by md5(id::text) limit $1', [ENOUGH]);
  const departments = await client.query<object>(
    `select d as dept, (array_agg(email))[1] as first, (array_agg(email))[50] as last from (select distinct department as d
      from hr.employees) x,
       lateral (select email from hr.employees where department = d order by last_name, first_name, id limit 50) y group by d order by d`,
  );
  await client.end();
  const [one, page] = [join(folder, 'bare-one.jsonl'), join(folder, 'bare-page.jsonl')];
  writeFileSync(one, jsonLines(people.rows));
  writeFileSync(page, jsonLines(departments.rows));
  return { url: url.href, one, page };
}

export interface Peers {
  readonly targets: readonly LoadTarget[];
  stop(): void;
}

/** Starts the minimal handlers. They have no tokens, roles, row security, masks or audit records. */
export async function startPeers(company: Company, rows: number, folder: string, bareGo: string): Promise<Peers> {
  const { url, one, page } = await createPeerTable(company, rows, folder);
  const children: ChildProcess[] = [];
  const targets: LoadTarget[] = [];
  for (const [name, program, args] of [
    ['bare Go', bareGo, []],
    ['bare Node', process.execPath, [join(here, 'bare-node.mjs')]],
  ] as const) {
    const port = await freePort();
    const child = spawn(program, args, { env: { ...process.env, DATABASE_URL: url, PORT: String(port) }, stdio: 'ignore' });
    children.push(child);
    const target = (group: string, tool: string, input: object, vars: string, expect: readonly string[]) =>
      targets.push({
        name,
        group,
        url: `http://127.0.0.1:${port}/mcp`,
        body: asked(tool, input),
        vars,
        expect,
        pids: [child.pid ?? 0],
        db_pids: [company.postgres.pid],
      });
    target('one', 'get_employee', { id: '{{id}}' }, one, ['{{email}}']);
    target('page', 'list_employees', { department: '{{dept}}' }, page, ['{{first}}', '{{last}}']);
    for (let left = 100; ; left--) {
      if (
        await fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        )
      )
        break;
      if (left === 0) throw new Error(`${name} does not listen`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return { targets, stop: () => children.forEach((child) => child.kill('SIGKILL')) };
}

export async function peerLines(company: Company, { product, rows, timing, folder: at }: Measuring): Promise<Line[]> {
  const folder = join(at, 'peers');
  const { loadgen, bareGo } = buildPeers(folder);
  const questions = await questionsAbout(company, folder);
  const peers = await startPeers(company, rows, folder, bareGo);
  try {
    const { address, pid } = product;
    const ours = await ourTargets(
      'Tamshai',
      { address, keys: openKeys(product.folder), base: address, prefix: 'hr_', pids: [pid] },
      questions,
      company.postgres.pid,
    );
    const all = [...peers.targets, ...ours];
    await load(loadgen, folder, all, warmUp(timing));
    const results = await load(loadgen, folder, all, { callers: 16, ...timing });
    const cpu = (result: Result) => result.srv_cpu_us;
    const database = (result: Result) => result.db_cpu_us;
    const line = (what: string, group: string, name: string, goal: number | undefined, of = cpu): Line => ({
      what,
      goal,
      ratio: ratio(results, group, name, 'bare Go', of),
      note: summaryOf(results, group, name),
    });
    const newer = Number(process.versions.node.split('.')[0]) >= 26;
    return [
      line('one row by id, MCP, all guards: CPU × bare Go', 'one', 'Tamshai', newer ? 1.5 : 1.8),
      line('one row by id, bare Node: CPU × bare Go', 'one', 'bare Node', undefined),
      line('one row by id, CPU of PostgreSQL × bare Go', 'one', 'Tamshai', 1.3, database),
      line('page of 50, MCP, all guards: CPU × bare Go', 'page', 'Tamshai', 1.5),
      line('page of 50, bare Node: CPU × bare Go', 'page', 'bare Node', undefined),
      line('page of 50, CPU of PostgreSQL × bare Go', 'page', 'Tamshai', 1.3, database),
      ...(await separateProcessLines({
        company,
        folder,
        loadgen,
        questions,
        bare: peers.targets.filter(({ name }) => name === 'bare Go'),
        timing,
      })),
    ];
  } finally {
    peers.stop();
  }
}
