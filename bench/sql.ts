/** Compares tool calls on PostgreSQL with the bare SQL query: single rows, pages and the lists of managers. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { createCursors } from '../src/engine/lists/cursor.ts';
import { derive, openKeys } from '../src/identity/keys.ts';
import { loadSample } from '../src/server/sample.ts';
import { persona } from '../domains/sample-company/people.ts';
import { migrate } from '../src/storage/sql/migrate.ts';
import type { TestServer } from '../tests/services/server-process.ts';
import type { Line } from './lines.ts';
import { compare, type Cost, type Target } from './load.ts';
import { byMcp, byRest, type Product, pick, succeeded } from './product.ts';
import { rolesIn } from '../tests/registry.ts';
import { migrationsOf } from '../src/server/schemas.ts';
import { builtIn } from '../tests/registry.ts';

const root = process.cwd();
export interface Timing {
  readonly ms: number;
  readonly rounds: number;
  /** The warm-up time. After it, the JIT compiler has optimised the code. */
  readonly warmMs: number;
  /** The numbers of servers that are compared with one server. */
  readonly replicas: readonly number[];
}

export interface Measuring {
  /** Tamshai on the company's database. */
  readonly product: Product;
  readonly rows: number;
  readonly timing: Timing;
  readonly folder: string;
}

export interface Company {
  readonly postgres: TestServer;
  readonly ids: readonly string[];
  /** The last rows of about a hundred pages in the middle of the list. */
  readonly deep: readonly (readonly [string, string, string])[];
  /** Managers (`head`) and the number of people who report to them. */
  readonly trees: readonly { readonly people: number; readonly head: string }[];
}

const TREES = [10, 1_000, 50_000];

export async function createCompany(postgres: TestServer, rows: number): Promise<Company> {
  const begun = performance.now();
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  try {
    await migrate(owner, migrationsOf(builtIn, ['hr', 'tasks']));
    await loadSample(owner, {
      registry: builtIn,
      domains: ['hr', 'tasks'],
      employees: rows,
      today: new Date(),
      onProgress: (done, total) => process.stderr.isTTY && process.stderr.write(`\rloading ${Math.round((100 * done) / total)} %`),
    });
    await owner.query('vacuum analyze');
    console.log(
      `${rows.toLocaleString('en')} employees loaded in ${Math.round((performance.now() - begun) / 1000)} s into ${postgres.version}`,
    );
    const found = await owner.query<{ employee_id: string }>(
      'select employee_id from hr.employees where active order by md5(employee_id::text) limit 1000',
    );
    const deep = await owner.query<{ last_name: string; first_name: string; employee_id: string }>(
      'select last_name, first_name, employee_id from hr.employees where active ' +
        'order by last_name, first_name, employee_id offset $1 limit 100',
      [Math.min(10_000 * 50, Math.floor(rows * 0.5))],
    );
    const trees = await owner.query<{ people: number; head: string }>(
      `select distinct on (wanted) people, head from unnest($1::int[]) wanted,
         (select count(*)::int as people, manager_id as head from hr.chain group by manager_id) c
         order by wanted, abs(ln(people::float / wanted)), head`,
      [TREES],
    );
    return {
      postgres,
      ids: found.rows.map((row) => row.employee_id),
      deep: deep.rows.map((row) => [row.last_name, row.first_name, row.employee_id] as const),
      trees: trees.rows.filter(({ people }, n, all) => n === 0 || people !== all[n - 1]?.people),
    };
  } finally {
    await owner.end();
  }
}

export const figures = ({ cpuMicros, databaseMicros, p50, p99 }: Cost) =>
  `${Math.round(cpuMicros)} µs CPU + ${Math.round(databaseMicros)} in the database, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;

export function against(
  costs: ReadonlyMap<string, Cost>,
  what: string,
  name: string,
  other: string,
  goal?: number,
  of: (cost: Cost) => number = ({ cpuMicros }) => cpuMicros,
): Line {
  const [a, b] = [costs.get(name), costs.get(other)];
  return { what, goal, ratio: a && b ? of(a) / of(b) : 0, note: a ? figures(a) : '' };
}
const ofDatabase = ({ databaseMicros }: Cost) => databaseMicros;
const whole = ({ cpuMicros, databaseMicros }: Cost) => cpuMicros + databaseMicros;

export async function sqlLines(company: Company, { product, timing, rows }: Measuring): Promise<Line[]> {
  const { postgres, ids } = company;
  const bare = fork(join(root, 'bench/bare.mjs'), { env: { ...process.env, DATABASE_URL: postgres.url } });
  const { port } = await new Promise<{ port: number }>((resolve) =>
    bare.once('message', (message) => resolve(message as { port: number })),
  );
  const bareTarget = (name: string, path: (n: number) => string): Target => ({
    name,
    url: `http://127.0.0.1:${port}`,
    method: 'GET',
    path,
    pid: bare.pid ?? 0,
    check: (text) => name === 'empty' || text.length > 2,
  });
  const byId = (n: number) => ({ employee_id: pick(ids, n) });
  const one = { tool: 'hr_get_employee', input: byId, check: succeeded };
  try {
    const hr = { ...one, name: 'mcp', as: 'alice.chen' };
    const oneRow = [
      bareTarget('empty', () => '/empty'),
      bareTarget('bare', (n) => `/one/${pick(ids, n)}`),
      await byRest(product, { ...one, name: 'rest', as: 'alice.chen' }),
      await byMcp(product, hr),
      await byMcp(product, {
        ...one,
        name: 'self',
        as: 'frank.davis',
        input: () => ({ employee_id: persona('frank.davis').employeeId ?? '' }),
      }),
      await byMcp(product, {
        ...one,
        name: 'manager',
        as: 'nina.patel',
        input: () => ({ employee_id: persona('sarah.kim').employeeId ?? '' }),
      }),
    ];
    const costs = await compare(oneRow, { callers: 16, ...timing, database: postgres.pid });
    const lines = [
      against(costs, 'bare handler with query × bare HTTP answer', 'bare', 'empty'),
      against(costs, 'get_employee, REST × bare handler', 'rest', 'bare'),
      against(costs, 'get_employee, MCP × bare handler', 'mcp', 'bare'),
      against(costs, 'get_employee, PostgreSQL × bare statement', 'mcp', 'bare', 1.3, ofDatabase),
      against(costs, 'get_employee as employee × as HR', 'self', 'mcp', undefined, whole),
      against(costs, 'get_employee as manager × as HR', 'manager', 'mcp', 1.5, whole),
    ];
    for (const callers of [1, 64]) {
      const some = await compare([bareTarget('bare', (n) => `/one/${pick(ids, n)}`), await byMcp(product, hr)], {
        callers,
        ...timing,
        database: postgres.pid,
      });
      lines.push(against(some, `get_employee, MCP × bare handler, ${callers === 1 ? 'one caller' : `${callers} callers`}`, 'mcp', 'bare'));
    }
    return [...lines, ...(await pages(company, product, bareTarget, timing, rows))];
  } finally {
    bare.kill('SIGKILL');
  }
}

async function pages(
  company: Company,
  product: Product,
  bareTarget: (name: string, path: (n: number) => string) => Target,
  timing: Measuring['timing'],
  rows: number,
): Promise<Line[]> {
  const sealer = createCursors([derive(openKeys(product.folder), 'cursor')]);
  const alice = persona('alice.chen');
  const person = {
    ...alice,
    principal: `staff:${alice.sub}`,
    organizationId: undefined,
    employeeId: alice.employeeId,
    roles: rolesIn('staff', alice.roles),
  };
  const list = {
    tool: 'hr_list_employees',
    as: 'alice.chen',
    input: () => ({}),
    check: (text: string) => text.includes('"returnedCount":50'),
  };
  const deep = (n: number) => ({
    cursor: sealer.seal(pick(company.deep, n), { server: 'hr', tool: 'list_employees', filters: {}, person }),
  });
  const heads = await Promise.all(
    company.trees.map(({ people, head }) =>
      byMcp(product, { ...list, name: `tree ${people}`, as: 'nina.patel', employeeId: head, check: succeeded }),
    ),
  );
  const targets = [
    bareTarget('bare', () => '/page'),
    await byRest(product, { ...list, name: 'rest' }),
    await byMcp(product, { ...list, name: 'mcp' }),
    await byMcp(product, { ...list, name: 'deep', input: deep }),
    await byMcp(product, { ...list, name: 'executive', as: 'eve.thompson' }),
    ...heads,
  ];
  const costs = await compare(targets, { callers: 16, ...timing, database: company.postgres.pid });
  const page = Math.min(10_000, Math.floor(rows / 100));
  return [
    against(costs, 'list_employees, REST × bare handler', 'rest', 'bare'),
    against(costs, 'list_employees, MCP × bare handler', 'mcp', 'bare'),
    against(costs, 'list_employees, PostgreSQL × bare statement', 'mcp', 'bare', 1.3, ofDatabase),
    against(costs, `page ${page.toLocaleString('en')} × page 1 of ${rows.toLocaleString('en')}`, 'deep', 'mcp', 1.1, whole),
    against(costs, 'an executive × HR', 'executive', 'mcp', 1.5, whole),
    ...company.trees.map(({ people }) =>
      against(costs, `manager of ${people.toLocaleString('en')} × HR's page`, `tree ${people}`, 'mcp', people > 5_000 ? 5 : 1.5, whole),
    ),
  ];
}
