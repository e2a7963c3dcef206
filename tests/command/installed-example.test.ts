/** The published package as a company uses it: packed, installed into an empty folder with the example project, started and tested. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { installPacked } from '../packed.ts';
import { freePort } from '../services/server-process.ts';
import { DEADLINE_MS, environment, removeFolders, ROOT, tamshai, type TestServer, testServer } from './command-support.ts';

vi.setConfig({ testTimeout: 3 * DEADLINE_MS, hookTimeout: 4 * DEADLINE_MS });

const HIDDEN = '*** (Hidden)';
const ELBE = '0b000000-0000-4000-8000-000000000001';
let folder: string;
let program: string;
let installing: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tamshai-test-outside-'));
  cpSync(join(ROOT, 'examples', 'facilities'), folder, { recursive: true });
  ({ program, output: installing } = installPacked(folder));
});
afterAll(() => {
  removeFolders();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
const node = (args: readonly string[], cwd = folder): Promise<Ran> =>
  new Promise((resolve) => {
    const options = { cwd, encoding: 'utf8', maxBuffer: 64e6, env: environment({ CI: 'true', NO_COLOR: '1' }) } as const;
    const child = execFile(process.execPath, args, options, (_error, out, err) => resolve({ code: child.exitCode ?? 1, out, err }));
  });

/** A copy of the project with the same installed packages, in which a test changes files. */
function copyOfProject(name: string): string {
  const copy = join(folder, '..', `${folder.split('/').at(-1)}-${name}`);
  cpSync(join(ROOT, 'examples', 'facilities'), copy, { recursive: true });
  symlinkSync(join(folder, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

describe('the installed package', () => {
  test('installs without a warning', () => {
    expect(installing).not.toMatch(/EBADENGINE|ERESOLVE|deprecated/);
  });

  test('has all types that its declarations refer to', async () => {
    const { code, out } = await node([join(folder, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder]);
    expect({ code, out }).toEqual({ code: 0, out: '' });
  });

  test.each(['tamshai/src/index.ts', 'tamshai/dist/src/engine/pipeline.js', 'tamshai/dist/src/index.js', 'tamshai/domains/hr/domain.ts'])(
    'does not export %s',
    async (path) => {
      const { code, err } = await node(['--input-type=module', '-e', `await import('${path}')`]);
      expect({ code, isRefused: err.includes('ERR_PACKAGE_PATH_NOT_EXPORTED') }).toEqual({ code: 1, isRefused: true });
    },
  );

  test('is refused beside a second copy of itself', async () => {
    const copy = copyOfProject('twice');
    try {
      mkdirSync(join(copy, 'fleet', 'node_modules'));
      cpSync(join(folder, 'node_modules', 'tamshai'), join(copy, 'fleet', 'node_modules', 'tamshai'), { recursive: true });
      const { code, out, err } = await node([program, 'start'], copy);
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(/^error {2}Two copies of tamshai are loaded: .* and fleet\/node_modules\/tamshai; install one version [^\n]+\n$/);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});

describe('the example, started with node', () => {
  let server: TestServer;
  let settings: Record<string, string>;
  beforeAll(async () => {
    const names = ['gateway', 'hr', 'tasks', 'knowledge', 'facilities', 'fleet'];
    const ports = await Promise.all(names.map(() => freePort()));
    settings = {
      TAMSHAI_SCRIPTED_APPROVALS: '1',
      ...Object.fromEntries(names.map((name, n) => [`${name.toUpperCase()}_PORT`, String(ports[n])])),
    };
    server = await testServer(settings, ['start', '--json'], { cwd: folder, program });
  });
  afterAll(() => server?.stop());

  const run = (args: readonly string[]) => tamshai(args, { cwd: folder, program, settings });
  const token = async (user: string, ...options: string[]) => (await run(['token', user, ...options])).out.trim();
  const json = async (path: string, authorization: string, body?: object) => {
    const headers = { authorization: `Bearer ${authorization}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(server.base + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
    return (await response.json()) as { status: string; data: Record<string, unknown>[] };
  };
  const client = async (user: string) => {
    const authorization = `Bearer ${await token(user, '--mcp')}`;
    const connected = new Client({ name: 'Desk', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await connected.connect(
      new StreamableHTTPClientTransport(new URL(`${server.base}/mcp`), { requestInit: { headers: { authorization } } }),
    );
    return connected;
  };
  const call = async (on: Client, name: string, args: object = {}) =>
    (await on.callTool({ name, arguments: { ...args } })).structuredContent as { status: string; data: unknown; confirmationId: string };

  test('an MCP client lists and calls its tools as three people, each with their own rows, masks and tools', async () => {
    // An employee, the manager of the buildings, and the head of the company.
    const [max, lena, greta] = await Promise.all([client('max.schulze'), client('lena.fischer'), client('greta.vogel')]);
    const listed = await Promise.all([max, lena, greta].map(async (on) => (await on.listTools()).tools.map(({ name }) => name)));
    expect(listed.map((names) => names.includes('facilities_book_room') && names.includes('hr_get_employee'))).toEqual([true, true, true]);
    expect(listed.map((names) => names.includes('fleet_set_vehicle_service'))).toEqual([false, true, true]);
    const rooms = await Promise.all([max, lena, greta].map((on) => call(on, 'facilities_get_room', { room_id: ELBE })));
    expect(rooms.map(({ data }) => (data as { lease: object }).lease)).toMatchObject([
      { monthly_rent: HIDDEN },
      { monthly_rent: 1840 },
      { monthly_rent: 1840 },
    ]);
    const vehicles = await Promise.all([max, lena].map((on) => call(on, 'fleet_list_vehicles')));
    expect(vehicles.map(({ data }) => (data as { monthly_rate: unknown }[])[0]?.monthly_rate)).toEqual([HIDDEN, 329]);
    const trips = await Promise.all([max, greta].map((on) => call(on, 'fleet_list_trips')));
    expect(trips.map(({ data }) => (data as object[]).length)).toEqual([2, 6]);
    await Promise.all([max, lena, greta].map((on) => on.close()));
  });

  test('a write waits, and two approvals at the same moment execute it once', async () => {
    const max = await client('max.schulze');
    const own = async () => ((await call(max, 'facilities_list_bookings')).data as { purpose: string }[]).map(({ purpose }) => purpose);
    const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const input = { room_id: ELBE, day, from_hour: 9, to_hour: 11, purpose: 'Retrospective' };
    const { status, confirmationId } = await call(max, 'facilities_book_room', input);
    expect(status).toBe('pending_confirmation');
    expect(await own()).not.toContain('Retrospective');
    const approver = await token('max.schulze', '--approve');
    const approve = () => json(`/api/confirm/${confirmationId}`, approver, { approved: true });
    const [first, second] = await Promise.all([approve(), approve()]);
    expect(first).toMatchObject({ status: 'success', data: { room_name: 'Elbe', booked_by: 'Max Schulze' } });
    expect(second).toEqual(first);
    expect((await own()).filter((purpose) => purpose === 'Retrospective')).toHaveLength(1);
    await max.close();
    const records = (await json('/api/audit?limit=50', await token('greta.vogel'))).data;
    expect(records.filter((record) => record['confirmationId'] === confirmationId).map(({ decision }) => decision)).toEqual([
      'approved',
      'pending',
    ]);
  });

  test('the command, the explorer, openapi.json, the audit log and the assistant know its tools', async () => {
    const cost = 'What does the room Elbe cost us?';
    const [listed, asked, masked, user] = await Promise.all([
      run(['tools', 'fleet', '--as', 'lena.fischer']),
      run(['ask', cost, '--as', 'lena.fischer']),
      run(['ask', cost, '--as', 'max.schulze']),
      token('lena.fischer'),
    ]);
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining('set_vehicle_service') as string });
    expect(asked.err).toContain('facilities.get_room');
    expect(asked).toMatchObject({ code: 0, out: expect.stringMatching(/1[.,]?840/) as string });
    expect(masked).toMatchObject({ code: 0, out: expect.stringContaining('monthly rent hidden') as string });
    expect(masked.out).not.toMatch(/1[.,]?840/);
    const explorer = (await json('/api/user/mcp-tools', user)) as unknown as {
      data: { servers: { name: string; tools: { name: string }[] }[] };
    };
    expect(explorer.data.servers.map(({ name }) => name)).toEqual(['hr', 'tasks', 'knowledge', 'facilities', 'fleet']);
    expect(explorer.data.servers.at(-1)?.tools.map(({ name }) => name)).toContain('set_vehicle_service');
    const paths = JSON.stringify(await json('/openapi.json', user));
    expect(paths).toContain('/api/tools/facilities/change_room');
    expect(paths).not.toContain('/api/tools/finance/');
    const verified = await run(['audit', 'verify', '--json']);
    expect(verified.json()).toMatchObject({ ok: true });
    expect((verified.json()['chains'] as { chain: string }[]).some(({ chain }) => chain.startsWith('facilities-'))).toBe(true);
  });
});

/** Runs the tests of a project, and returns the failed tests with their messages. */
async function failures(cwd: string, ...args: string[]): Promise<{ passed: number; failed: Map<string, string> }> {
  const { out, err } = await node([join(cwd, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--reporter=json', ...args], cwd);
  const start = out.indexOf('{');
  if (start < 0) return expect.fail(out + err);
  const report = JSON.parse(out.slice(start)) as {
    numPassedTests: number;
    testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
  };
  const failed = report.testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === 'failed');
  return {
    passed: report.numPassedTests,
    failed: new Map(failed.map(({ title, failureMessages }) => [title, failureMessages.join('\n')])),
  };
}

describe('the contract suite', () => {
  test('passes for the example, and so do the tests that the example adds', async () => {
    const { passed, failed } = await failures(folder);
    expect([...failed]).toEqual([]);
    expect(passed).toBeGreaterThan(70);
  });

  /** The name, the file, the correct text, the text with the mistake, the case that must fail, and a part of its message. */
  const MISTAKES = [
    [
      'a role',
      'facilities/tools/change-room.ts',
      `roles: [`,
      `roles: ['employee', `,
      'facilities: rights.md',
      '- change_room: employee (staff)',
    ],
    [
      'a mask',
      'fleet/domain.ts',
      `masks: { leasing: ['monthly_rate'] },`,
      '',
      "fleet: the mask 'leasing'",
      'fleet.list_vehicles shows monthly_rate to',
    ],
    [
      'a nested mask',
      'facilities/sql/policies.sql',
      `using ((select tamshai.shows('rent')))`,
      'using ((select tamshai.principal()) is not null)',
      "facilities: the mask 'rent'",
      'shows lease.monthly_rent to',
    ],
    [
      'a policy',
      'facilities/sql/policies.sql',
      'facilities_staff using (employee_id = (select tamshai.me()))',
      'facilities_staff using ((select tamshai.principal()) is not null)',
      'facilities.list_bookings shows different people',
      "people of the audience 'staff' (their own bookings)",
    ],
  ] as const;
  test('fails in the case of each mistake: a role, a mask, a nested mask, a policy', async () => {
    const copy = copyOfProject('mistakes');
    try {
      for (const [what, file, right, wrong] of MISTAKES) {
        const text = readFileSync(join(copy, file), 'utf8');
        expect([what, text.includes(right)]).toEqual([what, true]);
        writeFileSync(join(copy, file), text.replace(right, wrong));
      }
      const { failed } = await failures(copy, 'tests/contract.test.ts');
      for (const [what, , , , name, problem] of MISTAKES)
        expect([what, [...failed].find(([title]) => title.startsWith(name))?.[1]]).toEqual([what, expect.stringContaining(problem)]);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  });
});
