/** Measures the cost of each layer of a call, in this process and without HTTP. Each measurement adds one layer. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { call } from '../src/engine/pipeline.ts';
import type { CallRequest, Runtime } from '../src/engine/runtime.ts';
import { sql } from '../src/declare/sql.ts';
import { createVerifier } from '../src/identity/verify.ts';
import { createEmbeddedIssuer } from '../src/identity/issuers.ts';
import { openKeys } from '../src/identity/keys.ts';
import { mintToken } from '../src/identity/mint.ts';
import { persona } from '../domains/sample-company/people.ts';
import { types } from '../src/storage/sql/database.ts';
import { getEmployee } from '../domains/hr/tools/get-employee.ts';
import { sessionFor } from '../src/engine/access.ts';
import { readingAs } from '../src/storage/sql/store.ts';
import type { TestServer } from '../tests/services/server-process.ts';
import { openTestRuntime, person } from '../tests/test-runtime.ts';
import type { Line } from './lines.ts';
import { median } from './load.ts';
import { pick } from './product.ts';
import { builtIn } from '../tests/registry.ts';

const CALLERS = 16;

/** The CPU time of this process per call, with 16 concurrent callers. */
async function microsFor(ask: (n: number) => Promise<unknown>, ms: number): Promise<number> {
  let done = 0;
  const end = performance.now() + ms;
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (performance.now() < end) await ask(done++);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / done;
}

export async function layerLines(
  postgres: TestServer,
  folder: string,
  timing: { readonly ms: number; readonly rounds: number },
): Promise<Line[]> {
  const testRuntime = await openTestRuntime({ database: postgres.url, employees: 500 });
  const [row] = await testRuntime.owner('select current_database() as name');
  const address = new URL(postgres.url);
  address.pathname = `/${row?.['name']}`;
  const client = new pg.Client({ connectionString: address.href, pipeline: true, types } as pg.ClientConfig);
  await client.connect();
  try {
    const ids = (await testRuntime.owner('select employee_id from hr.employees where active limit 400')).map((each) =>
      String(each['employee_id']),
    );
    const alice = person('alice.chen');
    const caller = {
      person: alice,
      token: { id: 'bench', client: 'bench', issuedAt: 0, expiresAt: 0 },
      approves: 'nothing',
      origin: 'bench',
    } as const;
    const who = sessionFor(getEmployee, alice, 'bench');
    const reader = readingAs(testRuntime.databases[0] as (typeof testRuntime.databases)[0], who);
    const keys = openKeys(folder);
    const base = 'http://localhost:3100';
    const token = `Bearer ${await mintToken(keys, persona('alice.chen'), { base, audience: base })}`;
    const audiences = [base];
    const accounts = { present: async () => ({ persona: persona('alice.chen'), roles: alice.roles, notBefore: 0 }) };
    const verifier = createVerifier({
      issuers: [createEmbeddedIssuer({ roles: builtIn.roles, realm: 'staff', base, keys, accounts })],
      people: { employment: async () => 'active' },
      denied: { isRevoked: async () => false },
      clock: { now: () => new Date() },
    });
    await verifier.verify(token.slice(7), audiences);
    const request = (n: number): CallRequest => ({
      server: 'hr',
      tool: 'get_employee',
      input: { employee_id: pick(ids, n) },
      caller,
      surface: 'mcp',
      requestId: randomUUID(),
    });
    const unrecorded: Runtime = { ...testRuntime.runtime, audit: { ...testRuntime.runtime.audit, append: async () => {} } };
    const one = {
      name: 'one',
      text:
        'select e.*, p.salary, c.phone, c.home_address, i.ssn from hr.employees e left join hr.pay p using (employee_id) left ' +
        'join hr.contact c using (employee_id) left join hr.identity i using (employee_id) where e.employee_id = $1',
    };
    const layers: readonly (readonly [string, (n: number) => Promise<unknown>])[] = [
      ['bare driver', (n) => client.query({ ...one, values: [pick(ids, n)] })],
      [
        'row security and masks, rows checked',
        (n) => reader.maybeOne(getEmployee.output as never, sql`select * from hr.people where employee_id = ${pick(ids, n)}`),
      ],
      ['role, input and output', (n) => call(unrecorded, request(n))],
      ['the audit record of the call', (n) => call(testRuntime.runtime, request(n))],
      [
        'the check of a cached token',
        async (n) => {
          if (verifier.verifyCached(token, audiences) === undefined) await verifier.verify(token.slice(7), audiences);
          return call(testRuntime.runtime, request(n));
        },
      ],
    ];
    const found = new Map<string, number[]>(layers.map(([name]) => [name, []]));
    for (const [, ask] of layers) await microsFor(ask, timing.ms);
    for (let round = 0; round < timing.rounds; round++)
      for (const [name, ask] of layers) found.get(name)?.push(await microsFor(ask, timing.ms));
    const micros = layers.map(([name]) => median(found.get(name) ?? []));
    const bare = micros[0] ?? 1;
    return layers.slice(1).map(([name], n) => ({
      what: `with ${name} × bare driver`,
      ratio: (micros[n + 1] ?? 0) / bare,
      note:
        `${Math.round(micros[n + 1] ?? 0)} µs CPU, ${Math.round((micros[n + 1] ?? 0) - (micros[n] ?? 0))} of them for this layer; ` +
        `bare driver: ${Math.round(bare)} µs`,
    }));
  } finally {
    await client.end();
    await testRuntime.close();
  }
}
