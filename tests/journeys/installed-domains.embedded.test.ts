/** Installations with only some of the domains start, answer, and name what is missing. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { finance, hr, knowledge, payroll, sampleCompany } from '../../domains/index.ts';
import { createOfflineModel } from '../../src/assistant/offline/index.ts';
import type { Installed } from '../../src/declare/install.ts';
import { registryOf } from '../../src/engine/registry.ts';
import { start } from '../../src/server/compose.ts';
import { ConfigProblem, readConfig } from '../../src/server/config.ts';
import { openTestServerOf, type TestServer, testSettings } from '../../src/testing/test-server.ts';
import { fillTables, SQL_DOMAINS } from '../template.ts';
import { employeeIdOf as id } from '../test-runtime.ts';
import { hrWithPeople, installedErrands, needing, people, peopleProvision, peopleTwo } from './contract-domains.ts';

const [eve, alice, nina, marcus] = ['eve.thompson', 'alice.chen', 'nina.patel', 'marcus.johnson'] as const;
const NOT_LINKED = {
  code: 'IDENTITY_NOT_LINKED',
  message: 'Your account is not linked to an employee record: no installed domain keeps employees.',
};

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});
/** An empty data folder. The start creates the tables and sample rows in it. */
const open = async (...domains: readonly Installed[]): Promise<TestServer> =>
  (server = await openTestServerOf(registryOf(domains, sampleCompany), { settings: { TAMSHAI_SAMPLE_EMPLOYEES: '100' } }));
/** A data folder with the tables of all domains, which is faster. The phrases of tasks belong to other tools, so they are left out. */
const openFilled = async (...domains: readonly Installed[]): Promise<TestServer> => {
  const registry = registryOf(domains, sampleCompany);
  const prepare = (folder: string) => fillTables(folder, SQL_DOMAINS).then(() => undefined);
  return (server = await openTestServerOf(registry, { model: createOfflineModel(registry), prepare }));
};
const missing = ({ logged }: TestServer) => logged.map((line) => JSON.parse(line)).filter(({ message }) => message.includes(' needs '));
const codeOf = async (on: TestServer, user: string, domain: string, tool: string, input: object = {}) => {
  const { body } = await on.rest(user, domain, tool, input);
  return body.status === 'error' ? body.code : body.status;
};

describe('with some of the built-in domains', () => {
  test('hr alone answers, and its people are linked to their records', async () => {
    const alone = await open(hr);
    expect(await codeOf(alone, alice, 'hr', 'list_employees')).toBe('success');
    expect(await codeOf(alone, marcus, 'hr', 'get_time_off_balances')).toBe('success');
    expect(missing(alone)).toEqual([]);
  }, 120_000);

  test('hr and finance: a change in hr reaches the copy of finance', async () => {
    const both = await openFilled(hr, finance);
    expect(await codeOf(both, eve, 'finance', 'list_budgets')).toBe('success');
    expect(await codeOf(both, marcus, 'finance', 'list_expense_reports')).toBe('success');
    await both.owner("update hr.employees set last_name = 'Example' where employee_id = $1", [id(marcus)]);
    const name = () => both.owner('select name from finance.people where employee_id = $1', [id(marcus)]);
    await expect.poll(name, { timeout: 20_000 }).toEqual([{ name: 'Marcus Example' }]);
    // Without payroll, only the pay runs are missing.
    expect(missing(both)).toMatchObject([{ server: 'finance', contract: 'pay-run-costs v1' }]);
  }, 120_000);

  test("finance and payroll answer without hr, and refuse calls about the caller's own record", async () => {
    const without = await open(finance, payroll);
    expect(missing(without)).toMatchObject([
      {
        level: 'warn',
        server: 'finance',
        contract: 'people-changes v1',
        message: 'finance needs people-changes v1, which no installed domain provides; until then its copy of people does not change.',
      },
      { server: 'payroll', message: expect.stringContaining('until then names and departures of employees are not updated.') },
      { server: 'payroll', contract: 'salary-changes v1' },
    ]);
    expect(await codeOf(without, eve, 'finance', 'list_budgets')).toBe('success');
    expect(await codeOf(without, eve, 'finance', 'list_expense_reports')).toBe('success');
    expect(await codeOf(without, eve, 'payroll', 'list_pay_runs')).toBe('success');
    // An audience of the caller's own rows, and a rule about the caller's own record.
    expect((await without.rest(marcus, 'finance', 'list_expense_reports')).body).toMatchObject(NOT_LINKED);
    expect((await without.rest(marcus, 'payroll', 'list_pay_stubs')).body).toMatchObject(NOT_LINKED);
    const budgets = (await without.rest(eve, 'finance', 'list_budgets', { status: 'PENDING_APPROVAL' })).body as { data?: Row[] };
    const approval = { budget_id: budgets.data?.[0]?.['budget_id'] };
    expect((await without.rest(eve, 'finance', 'approve_budget', approval)).body).toMatchObject(NOT_LINKED);
  }, 120_000);

  test('knowledge alone answers everyone, although nobody is linked to a record', async () => {
    const alone = await open(knowledge);
    for (const who of [eve, marcus]) expect(await codeOf(alone, who, 'knowledge', 'query', { query: 'plan' })).toBe('success');
    expect((await alone.send<{ data: object }>('GET', '/api/user/info', { token: await alone.token(marcus) })).body).toMatchObject({
      data: { username: marcus, employee_id: null },
    });
  }, 120_000);
});
type Row = Record<string, unknown>;

describe('a domain that needs a contract of hr', () => {
  test('gets answers in the caller’s own audience of hr, in reads and in approved writes', async () => {
    const both = await openFilled(hrWithPeople(hr.sample), installedErrands);
    const name = async (who: string, of: string) =>
      ((await both.rest(who, 'tasks', 'get_name_for_errand', { id: id(of) })).body as { data?: unknown }).data;
    // Alice reads all of hr, Nina the people who report to her, Marcus himself.
    expect([await name(alice, eve), await name(nina, eve)]).toEqual([{ name: 'Eve Thompson' }, { name: null }]);
    expect([await name(marcus, marcus), await name(marcus, nina)]).toEqual([{ name: 'Marcus Johnson' }, { name: null }]);
    expect((await both.rest(marcus, 'tasks', 'get_name_for_errand', { id: id(marcus) }, { roles: ['employee'] })).status).toBe(200);

    // The embedded database has one session, so a call to hr inside the transaction would never get an answer.
    const card = await both.ask(alice, 'tasks', 'add_errand', { id: id(eve) });
    expect(card.confirmationData.subject.label).toBe('Eve Thompson');
    expect((await both.decide(alice, card.confirmationId, true)).body).toMatchObject({
      status: 'success',
      data: { title: 'Eve Thompson' },
    });

    const late = await both.ask(alice, 'tasks', 'add_errand', { id: id(nina) });
    await both.owner("update hr.employees set last_name = 'Example' where employee_id = $1", [id(nina)]);
    expect((await both.decide(alice, late.confirmationId, true)).body).toMatchObject({ code: 'CHANGED_SINCE_APPROVAL' });
  }, 120_000);

  test('works without an optional need, and says at start what it does', async () => {
    const alone = await openFilled(installedErrands);
    expect((await alone.rest(marcus, 'tasks', 'get_name_for_errand', { id: id(marcus) })).body).toMatchObject({ data: { name: null } });
    expect(missing(alone).map(({ message }) => message)).toEqual([
      'tasks needs people v1, which no installed domain provides; until then errands show no names.',
    ]);
  }, 120_000);

  const without = hrWithPeople(undefined);
  test.each([
    [
      'no domain provides it',
      [needing({ people }), knowledge],
      'tasks needs people v1, which no installed domain provides; install a domain that provides it.',
    ],
    [
      'hr provides another version',
      [needing({ people: peopleTwo }), without],
      'tasks needs people v2, but hr provides people v1; install releases of both that match.',
    ],
  ])('does not start if %s', async (_why, domains, sentence) => {
    const folder = join(await mkdtemp(join(tmpdir(), 'tamshai-needs-')), 'data');
    const registry = registryOf(domains);
    const config = readConfig(registry, testSettings(registry, folder));
    const servers = ['gateway', ...registry.domains.map(({ name }) => name)];
    await expect(start(config, { servers })).rejects.toThrow(new ConfigProblem(sentence));
    expect(existsSync(folder)).toBe(false);
    await rm(join(folder, '..'), { recursive: true });
  });

  test('does not start if the provider runs in another process and has no address', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tamshai-needs-'));
    const registry = registryOf([needing({ people }), without]);
    const starting = start(readConfig(registry, testSettings(registry, folder)), { servers: ['tasks'] });
    await expect(starting).rejects.toThrow(
      'tasks needs people v1, which hr provides in another process, whose address is not known here; set HR_URL.',
    );
    await rm(folder, { recursive: true });
  });

  test('cannot be installed with two providers of one contract', () => {
    const other = { ...needing({}), provides: [{ ...peopleProvision, domain: installedErrands.domain }] };
    expect(() => registryOf([without, other])).toThrow('Both hr and tasks provide the contract people; install one of them');
  });
});
