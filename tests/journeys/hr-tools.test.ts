/** Results of the HR tools: the org chart, reviews, time off and every example. Changes are in hr-writes and hr-time-off. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, SuccessAnswer } from '../../src/declare/answer.ts';
import * as hr from '../../domains/hr/index.ts';
import { code, type Data, databases, employeeIdOf as id, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';

const [eve, alice, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'alice.chen',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;
const reader = person('tom.becker', { roles: ['employee', 'hr-read'] });
const NOBODY = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

describe.each(databases)('the HR tools on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  const below = async (manager: string) =>
    (
      await testRuntime.owner('select employee_id from hr.chain where manager_id = $1 order by last_name, first_name, employee_id', [
        manager,
      ])
    ).map((row) => String(row['employee_id']));
  /** All pages of a list in order. */
  async function pages(who: Parameters<TestRuntime['call']>[0], tool: string, input: object = {}): Promise<Data> {
    const rows: Record<string, unknown>[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const answer = (await testRuntime.call(who, 'hr', tool, { ...input, ...(cursor && { cursor }) })) as SuccessAnswer;
      if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
      rows.push(...(answer.data as Data));
      cursor = answer.metadata?.nextCursor;
      expect(answer.metadata?.hasMore).toBe(cursor !== undefined);
    }
    return rows as Data;
  }

  describe('the org chart', () => {
    interface Node {
      employee_id: string;
      name: string;
      level: number;
      direct_reports_count: number;
      direct_reports: Node[];
    }
    const chart = async (who: Parameters<TestRuntime['call']>[0], input: object = {}) =>
      (await testRuntime.data(who, 'hr', 'get_org_chart', input)) as unknown as Node;
    const all = (node: Node): Node[] => [node, ...node.direct_reports.flatMap(all)];

    test('begins with the topmost person whom the caller may see', async () => {
      expect(await chart(eve)).toMatchObject({ name: 'Eve Thompson', level: 0 });
      expect(await chart(alice)).toMatchObject({ name: 'Eve Thompson', level: 0 });
      expect(await chart(nina)).toMatchObject({ name: 'Nina Patel', level: 0 });
      expect(code(await testRuntime.call(nina, 'hr', 'get_org_chart', { root_employee_id: id(eve) }))).toBe('EMPLOYEE_NOT_FOUND');
      expect(code(await testRuntime.call(frank, 'hr', 'get_org_chart'))).toBe('INSUFFICIENT_PERMISSIONS');
      expect(await chart(nina, { root_employee_id: id(sarah) })).toMatchObject({
        name: 'Sarah Kim',
        direct_reports: [],
        direct_reports_count: 0,
      });
    });

    test('contains everyone below, each under their manager', async () => {
      const node = await chart(nina, { max_depth: 10 });
      expect(
        all(node)
          .slice(1)
          .map((each) => each.employee_id)
          .sort(),
      ).toEqual((await below(id(nina))).sort());
      for (const each of all(node)) {
        expect(each.direct_reports_count).toBe(each.direct_reports.length);
        expect(each.direct_reports.every((report) => report.level === each.level + 1)).toBe(true);
      }
      expect(node.direct_reports.map(({ name }) => name)).toEqual(expect.arrayContaining(['Marcus Johnson', 'Sarah Kim']));
    });

    test('also counts the direct reports that it does not show', async () => {
      const shallow = await chart(eve, { max_depth: 1 });
      expect(shallow.direct_reports.length).toBe(shallow.direct_reports_count);
      expect(shallow.direct_reports.every((each) => each.direct_reports.length === 0)).toBe(true);
      expect(shallow.direct_reports.some((each) => each.direct_reports_count > 0)).toBe(true);
      expect(all(await chart(eve, { max_depth: 10 })).length).toBeLessThanOrEqual(500);
      for (const max_depth of [0, 11, 1.5, '2'])
        expect(code(await testRuntime.call(eve, 'hr', 'get_org_chart', { max_depth }))).toBe('VALIDATION_ERROR');
    });
  });

  describe('reviews and time off', () => {
    test('a manager gets the reviews of the people below, filtered by status, and not their own', async () => {
      const team = new Set(await below(id(nina)));
      const due = await testRuntime.data(nina, 'hr', 'get_performance_reviews', { status: 'due' });
      expect(due.length).toBeGreaterThan(0);
      expect(due.every((row) => row['status'] === 'due' && team.has(String(row['employee_id'])))).toBe(true);
      const mine = await pages(nina, 'get_performance_reviews');
      expect(mine.every((row) => team.has(String(row['employee_id'])))).toBe(true);
      expect(await testRuntime.data(nina, 'hr', 'get_performance_reviews', { employee_id: id(nina) })).toEqual([]);
      expect(await testRuntime.data(nina, 'hr', 'get_performance_reviews', { employee_id: id(eve) })).toEqual([]);
      expect((await pages(alice, 'get_performance_reviews')).length).toBeGreaterThan(mine.length);
      for (const who of [reader, frank])
        expect(code(await testRuntime.call(who, 'hr', 'get_performance_reviews'))).toBe('INSUFFICIENT_PERMISSIONS');
      const readingManager = person(nina, { roles: ['employee', 'manager', 'hr-read'] });
      expect(await pages(readingManager, 'get_performance_reviews')).toEqual(mine);
    });

    test('balances add up, and the PTO balance is the available vacation', async () => {
      const own = await testRuntime.data(marcus, 'hr', 'get_time_off_balances');
      const balances = own['balances'] as {
        type_code: string;
        entitlement: number;
        used: number;
        pending: number;
        carryover: number;
        available: number;
      }[];
      expect(own).toMatchObject({
        employee_id: id(marcus),
        fiscal_year: 2026,
        pto_balance: balances.find(({ type_code }) => type_code === 'VACATION')?.available,
      });
      expect(balances.map(({ type_code }) => type_code).sort()).toEqual([
        'BEREAVEMENT',
        'JURY_DUTY',
        'PARENTAL',
        'PERSONAL',
        'SICK',
        'UNPAID',
        'VACATION',
      ]);
      for (const each of balances) expect(each.available).toBe(each.entitlement + each.carryover - each.used - each.pending);
      expect(await testRuntime.data(nina, 'hr', 'get_time_off_balances', { employee_id: id(marcus) })).toEqual(own);
      expect(await testRuntime.data(nina, 'hr', 'get_time_off_balances')).toMatchObject({ employee_id: id(nina) });
      for (const [who, whom] of [
        [marcus, sarah],
        [nina, alice],
        [marcus, NOBODY],
      ] as const) {
        expect(code(await testRuntime.call(who, 'hr', 'get_time_off_balances', { employee_id: whom === NOBODY ? whom : id(whom) }))).toBe(
          'EMPLOYEE_NOT_FOUND',
        );
      }
      expect(await testRuntime.call(marcus, 'hr', 'get_time_off_balances', { fiscal_year: 2001 })).toMatchObject({
        code: 'BALANCE_NOT_FOUND',
        details: { years: expect.arrayContaining([2025, 2026]) },
      });
    });

    test('everyone lists their own requests, a manager those of the people below, and HR those of everyone else', async () => {
      for (const who of [marcus, alice, eve]) {
        const own = await pages(who, 'list_time_off_requests');
        expect(own.every((row) => row['employee_id'] === id(who))).toBe(true);
      }
      const pending = await testRuntime.data(marcus, 'hr', 'list_time_off_requests', { status: 'pending' });
      expect(pending).toHaveLength(1);
      expect(pending[0]).toMatchObject({ employee_name: 'Marcus Johnson', approver_id: null, decided_at: null });
      const start = String(pending[0]?.['start_date']);
      expect(
        await testRuntime.data(marcus, 'hr', 'list_time_off_requests', { status: 'pending', start_date_from: start, start_date_to: start }),
      ).toEqual(pending);
      expect(await testRuntime.data(marcus, 'hr', 'list_time_off_requests', { start_date_from: '2099-01-01' })).toEqual([]);
      const days = (await pages(marcus, 'list_time_off_requests')).map((row) => String(row['start_date']));
      expect(days).toEqual([...days].sort().reverse());

      const team = new Set(await below(id(nina)));
      const waiting = await testRuntime.data(nina, 'hr', 'list_team_time_off_requests', { status: 'pending' });
      expect(waiting.map((row) => row['employee_name'])).toEqual(expect.arrayContaining(['Marcus Johnson', 'Sarah Kim']));
      expect((await pages(nina, 'list_team_time_off_requests')).every((row) => team.has(String(row['employee_id'])))).toBe(true);
      const everyone = await pages(alice, 'list_team_time_off_requests');
      expect(everyone.some((row) => !team.has(String(row['employee_id'])))).toBe(true);
      expect(everyone.some((row) => row['employee_id'] === id(alice))).toBe(false);
      expect(code(await testRuntime.call(frank, 'hr', 'list_team_time_off_requests'))).toBe('INSUFFICIENT_PERMISSIONS');
    });
  });

  test('every example gives its declared answer, and a repeated change gives the same card', async () => {
    const today = SAMPLE_DAY.toISOString().slice(0, 10);
    const shown = (answer: Answer) => (answer.status === 'pending_confirmation' ? answer.confirmationData : answer);
    for (const tool of Object.values(hr)) {
      expect(tool.examples.length, tool.name).toBeGreaterThanOrEqual(3);
      for (const { question, as, input, expects } of tool.examples) {
        const answer = await testRuntime.call(as, 'hr', tool.name, input(today));
        expect([tool.name, question, code(answer)]).toEqual([
          tool.name,
          question,
          expects ?? (tool.kind === 'write' ? 'pending_confirmation' : 'success'),
        ]);
        if (answer.status === 'pending_confirmation')
          expect(isDeepStrictEqual(shown(await testRuntime.call(as, 'hr', tool.name, input(today))), shown(answer))).toBe(true);
        if (answer.status === 'success' && tool.kind === 'list' && as !== frank)
          expect((answer.data as Data).length, question).toBeGreaterThanOrEqual(
            question.includes('December') || question.includes('rejected') ? 0 : 1,
          );
      }
    }
  });

  test('the roles are those of the specification', () => {
    const opensTo = Object.fromEntries(Object.values(hr).map(({ name, roles }) => [name, [...roles].sort().join(' ')]));
    expect(opensTo).toEqual({
      get_employee: 'employee executive hr-read manager',
      get_headcount: 'executive hr-read manager',
      list_departments: 'employee',
      update_department: 'executive hr-write',
      create_employee: 'executive hr-write',
      update_employee: 'executive hr-write',
      update_contact: 'employee hr-write',
      get_salary_history: 'employee executive hr-write',
      cancel_time_off_request: 'employee executive hr-write manager',
      open_time_off_year: 'executive hr-write',
      write_performance_review: 'manager',
      acknowledge_performance_review: 'employee',
      list_employees: 'executive hr-read manager',
      find_employees: 'employee',
      get_org_chart: 'executive hr-read manager',
      get_performance_reviews: 'executive hr-write manager',
      get_time_off_balances: 'employee executive hr-read manager',
      list_time_off_requests: 'employee',
      list_team_time_off_requests: 'executive hr-read manager',
      delete_employee: 'executive hr-write',
      update_salary: 'executive hr-write',
      create_time_off_request: 'employee',
      approve_time_off_request: 'executive hr-write manager',
    });
  });
});
