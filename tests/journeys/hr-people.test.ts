/** Which employees a person sees, and which of their fields. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import { HIDDEN } from '../../src/declare/fields.ts';
import { code, type Data, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const [eve, alice, bob, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'alice.chen',
  'bob.martinez',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;
const reader = person('tom.becker', { roles: ['employee', 'hr-read'] });
const NOBODY = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

describe.each(databases)('people on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  const get = async (who: Parameters<TestRuntime['call']>[0], employee_id: string) =>
    code(await testRuntime.call(who, 'hr', 'get_employee', { employee_id }));
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

  describe('one record', () => {
    test('is visible to the employee, to the managers above, and to HR and executives', async () => {
      for (const [who, whom, comes] of [
        [frank, frank, 'success'],
        [frank, marcus, 'EMPLOYEE_NOT_FOUND'],
        [marcus, nina, 'EMPLOYEE_NOT_FOUND'],
        [nina, sarah, 'success'],
        [nina, nina, 'success'],
        [nina, eve, 'EMPLOYEE_NOT_FOUND'],
        [nina, alice, 'EMPLOYEE_NOT_FOUND'],
        [alice, frank, 'success'],
        [alice, eve, 'success'],
        [eve, sarah, 'success'],
        [bob, marcus, 'EMPLOYEE_NOT_FOUND'],
      ] as const) {
        expect([who, whom, await get(who, id(whom))]).toEqual([who, whom, comes]);
      }
      expect(await get(reader, id(eve))).toBe('success');
    });

    test('the ids of a foreign, a deleted and an unknown employee give the same answer', async () => {
      const [gone] = await testRuntime.owner(
        'select employee_id, manager_id from hr.employees e where active and manager_id is not null and not exists (select ' +
          "from hr.employees r where r.manager_id = e.employee_id) and department = 'Legal' limit 1",
      );
      const terminated = String(gone?.['employee_id']);
      expect(await get(alice, terminated)).toBe('success');
      await testRuntime.owner('update hr.employees set active = false, terminated_at = now() where employee_id = $1', [terminated]);
      const bodies = await Promise.all(
        [id(eve), terminated, NOBODY].map(async (employee_id) =>
          JSON.stringify(await testRuntime.call(nina, 'hr', 'get_employee', { employee_id })).replaceAll(employee_id, 'ID'),
        ),
      );
      expect(new Set(bodies).size).toBe(1);
      expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
        status: 'error',
        code: 'EMPLOYEE_NOT_FOUND',
        message: 'Employee not found. Verify the employee ID is correct.',
        retryable: false,
      });
      expect(bodies[0]).toContain('find_employees');
      for (const who of [alice, eve]) expect(await get(who, terminated)).toBe('EMPLOYEE_NOT_FOUND');
      expect(
        await testRuntime
          .data(frank, 'hr', 'find_employees', { department: 'Legal' })
          .then((rows) => rows.filter((row) => row['employee_id'] === terminated)),
      ).toEqual([]);
    });

    test('a former report is no longer visible', async () => {
      const [first] = (await below(id(nina))).filter((each) => ![id(marcus), id(sarah), id(frank)].includes(each));
      const moved = first ?? id(frank);
      expect(await get(nina, moved)).toBe('success');
      await testRuntime.owner('update hr.employees set manager_id = $2 where employee_id = $1', [moved, id(bob)]);
      expect(await get(nina, moved)).toBe('EMPLOYEE_NOT_FOUND');
      expect(await get(bob, moved)).toBe('success');
      await testRuntime.owner('update hr.employees set manager_id = $2 where employee_id = $1', [moved, id(nina)]);
    });

    test('an id is accepted in any spelling, and a malformed id gets a hint', async () => {
      expect(await get(nina, id(sarah).toUpperCase())).toBe('success');
      expect(code(await testRuntime.call(nina, 'hr', 'get_employee', { employeeId: id(sarah) }))).toBe('success');
      expect(code(await testRuntime.call(nina, 'hr', 'get_employee', { employee_id: id(sarah), employeeId: id(sarah) }))).toBe(
        'VALIDATION_ERROR',
      );
      for (const bad of ['ABC123', `{${id(sarah)}}`, '', 7, null, { $ne: null }]) {
        const answer = await testRuntime.call(alice, 'hr', 'get_employee', { employee_id: bad });
        expect([bad, code(answer)]).toEqual([bad, 'VALIDATION_ERROR']);
      }
      expect(await testRuntime.call(alice, 'hr', 'get_employee', { employee_id: 'ABC123' })).toMatchObject({
        message: expect.stringContaining('Employee not found'),
      });
    });

    test('a caller without an employee record is refused if their role shows only their own rows or those of people below', async () => {
      expect(await get(person(nina, { employeeId: undefined }), id(sarah))).toBe('IDENTITY_NOT_LINKED');
      expect(await get(person(frank, { employeeId: undefined }), id(frank))).toBe('IDENTITY_NOT_LINKED');
      const unlinked = person(alice, { employeeId: undefined });
      expect(await get(unlinked, id(sarah))).toBe('success');
      expect(code(await testRuntime.call(unlinked, 'hr', 'get_time_off_balances'))).toBe('IDENTITY_NOT_LINKED');
      expect(code(await testRuntime.call(unlinked, 'hr', 'get_org_chart', { max_depth: 1 }))).toBe('success');
      expect(code(await testRuntime.call(unlinked, 'hr', 'find_employees', { name: 'kim' }))).toBe('success');
    });

    test("the caller's own record names the manager", async () => {
      const own = await testRuntime.data(marcus, 'hr', 'get_employee', { employee_id: id(marcus) });
      expect(own).toMatchObject({ manager_id: id(nina), manager_name: 'Nina Patel', active: true });
      expect(own['created_at']).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/);
    });
  });

  describe('masks', () => {
    const sees = async (who: Parameters<TestRuntime['call']>[0], whom: string) => {
      const { salary, phone, home_address, ssn } = await testRuntime.data(who, 'hr', 'get_employee', { employee_id: id(whom) });
      expect(phone === HIDDEN).toBe(home_address === HIDDEN);
      return { pay: salary !== HIDDEN, contact: phone !== HIDDEN, ssn: ssn !== HIDDEN };
    };
    const nothing = { pay: false, contact: false, ssn: false };
    test('depend on the role: callers see their own pay and contact data, but not their own SSN', async () => {
      expect(await sees(alice, sarah)).toEqual({ pay: true, contact: true, ssn: true });
      expect(await sees(eve, sarah)).toEqual({ pay: true, contact: true, ssn: true });
      expect(await sees(reader, sarah)).toEqual(nothing);
      expect(await sees(nina, sarah)).toEqual(nothing);
      expect(await sees(nina, nina)).toEqual({ pay: true, contact: true, ssn: false });
      expect(await sees(frank, frank)).toEqual({ pay: true, contact: true, ssn: false });
      expect(await sees(person(nina, { roles: ['employee', 'manager', 'finance-read'] }), sarah)).toEqual({
        pay: true,
        contact: false,
        ssn: false,
      });
      expect(await sees(person(nina, { roles: ['employee', 'manager', 'payroll-read'] }), sarah)).toEqual({
        pay: true,
        contact: false,
        ssn: false,
      });
    });

    test('salaries are JSON numbers', async () => {
      const { salary } = await testRuntime.data(alice, 'hr', 'get_employee', { employee_id: id(sarah) });
      expect(typeof salary).toBe('number');
      expect((await testRuntime.data(alice, 'hr', 'list_employees', { limit: 3 })).map((row) => typeof row['salary'])).toEqual([
        'number',
        'number',
        'number',
      ]);
    });

    test('no answer to a manager contains a hidden value of the people below', async () => {
      const rows = await testRuntime.owner(
        `select p.salary::float8 as salary, c.phone, c.home_address, i.ssn
         from hr.chain t join hr.pay p using (employee_id) join hr.contact c using (employee_id) join hr.identity i using (employee_id)
         where t.manager_id = $1`,
        [id(nina)],
      );
      expect(rows.length).toBeGreaterThan(2);
      const tools = ['list_employees', 'get_org_chart', 'find_employees', 'list_team_time_off_requests', 'get_performance_reviews'];
      const answers = await Promise.all(tools.map((tool) => testRuntime.call(nina, 'hr', tool)));
      const numbers = new Set<unknown>();
      const text = JSON.stringify(answers, (_key, value: unknown) => (typeof value === 'number' ? void numbers.add(value) : value));
      for (const { salary, ...texts } of rows) {
        expect([salary, numbers.has(salary)]).toEqual([salary, false]);
        for (const value of Object.values(texts)) expect([value, text.includes(String(value))]).toEqual([value, false]);
      }
    });

    test('the answer does not depend on a hidden value', async () => {
      const before = await testRuntime.data(nina, 'hr', 'get_employee', { employee_id: id(sarah) });
      await testRuntime.owner('update hr.pay set salary = salary + 1 where employee_id = $1', [id(sarah)]);
      await testRuntime.owner("update hr.contact set phone = '+1 555 0100' where employee_id = $1", [id(sarah)]);
      expect(await testRuntime.data(nina, 'hr', 'get_employee', { employee_id: id(sarah) })).toEqual(before);
    });
  });

  describe('lists of people', () => {
    test('pages contain each person once, in the order of names', async () => {
      const rows = await pages(alice, 'list_employees', { limit: 37 });
      const [all] = await testRuntime.owner('select count(*)::int as n from hr.employees where active');
      expect(rows.length).toBe(Number(all?.['n']));
      const keys = rows.map((row) => [row['last_name'], row['first_name'], row['employee_id']].join('\u0000'));
      expect(new Set(keys).size).toBe(rows.length);
      expect(keys).toEqual([...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    });

    test('a list with more rows says so, and names the filters that are not used yet', async () => {
      const { metadata, data } = (await testRuntime.call(alice, 'hr', 'list_employees', { department: 'Engineering' })) as SuccessAnswer;
      expect((data as Data).length).toBe(50);
      expect(metadata).toMatchObject({ hasMore: true, truncated: true, totalCount: '50+', totalEstimate: '50+', returnedCount: 50 });
      expect(metadata?.warning).toMatch(/^TRUNCATION WARNING: Only 50 of 50\+ records returned\./);
      expect(metadata?.warning).toContain('location');
      expect(metadata?.warning).not.toContain('department');
    });

    test('a manager lists the people below, without themself', async () => {
      const rows = await pages(nina, 'list_employees');
      expect(rows.map((row) => row['employee_id'])).toEqual(await below(id(nina)));
      expect(rows.map((row) => row['employee_id'])).not.toContain(id(nina));
      expect(await testRuntime.data(nina, 'hr', 'list_employees', { manager_id: id(bob) })).toEqual([]);
    });

    test('each filter returns only matching people', async () => {
      const every = async (input: object, holds: (row: Record<string, unknown>) => boolean) => {
        const rows = await pages(alice, 'list_employees', input);
        expect(rows.length, JSON.stringify(input)).toBeGreaterThan(0);
        expect(rows.filter((row) => !holds(row))).toEqual([]);
        return rows;
      };
      const legal = await every({ department: 'Legal' }, (row) => row['department'] === 'Legal');
      expect(await pages(alice, 'list_employees', { department: 'legal' })).toEqual(legal);
      await every({ location: 'berlin' }, (row) => row['location'] === 'Berlin');
      await every({ manager_id: id(nina) }, (row) => row['manager_id'] === id(nina));
      await every({ job_title: 'account' }, (row) => /account/i.test(String(row['job_title'])));
      expect(await pages(alice, 'list_employees', { job_title: '%' })).toEqual([]);
      expect(await pages(alice, 'list_employees', { department: 'No such department' })).toEqual([]);
      const names = async (name: string) =>
        (await pages(alice, 'list_employees', { name })).map((row) => `${row['first_name']} ${row['last_name']}`);
      expect(await names('johnson')).toEqual(['Carol Johnson', 'Marcus Johnson']);
      expect(await names('KIM Sarah')).toEqual(['Sarah Kim']);
      expect(await names('jose garcia')).toEqual(['José García']);
      expect(await names('José')).toContain('José García');
      for (const spelling of ["O'Brien", 'obrien', 'O’Brien liam']) expect(await names(spelling)).toContain("Liam O'Brien");
      expect(await names('%')).toHaveLength((await names('_')).length);
    });

    test('a cursor is refused with other filters, by another tool, from another person, or when it is damaged', async () => {
      const first = (await testRuntime.call(alice, 'hr', 'list_employees', { department: 'Engineering', limit: 2 })) as SuccessAnswer;
      const cursor = first.metadata?.nextCursor ?? '';
      const next = async (who: string, tool: string, input: object) => code(await testRuntime.call(who, 'hr', tool, { ...input, cursor }));
      expect(await next(alice, 'list_employees', { department: 'Engineering', limit: 3 })).toBe('success');
      expect(await next(alice, 'list_employees', { department: 'Sales' })).toBe('INVALID_CURSOR');
      expect(await next(alice, 'list_employees', {})).toBe('INVALID_CURSOR');
      expect(await next(eve, 'list_employees', { department: 'Engineering' })).toBe('INVALID_CURSOR');
      expect(await next(alice, 'find_employees', { department: 'Engineering' })).toBe('INVALID_CURSOR');
      const damaged = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`;
      expect(code(await testRuntime.call(alice, 'hr', 'list_employees', { department: 'Engineering', cursor: damaged }))).toBe(
        'INVALID_CURSOR',
      );
    });

    test('a row that is deleted between two pages does not shift the others', async () => {
      const whole = (await pages(bob, 'list_employees')).map((row) => String(row['employee_id']));
      const first = (await testRuntime.call(bob, 'hr', 'list_employees', { limit: 4 })) as SuccessAnswer;
      const [leaver] = (
        await testRuntime.owner(
          'select employee_id from hr.employees e where employee_id = any ($1) and not exists (select from hr.employees r ' +
            'where r.manager_id = e.employee_id)',
          [whole.slice(0, 4)],
        )
      ).map((row) => String(row['employee_id']));
      await testRuntime.owner('update hr.employees set active = false, terminated_at = now() where employee_id = $1', [leaver]);
      const second = (await testRuntime.call(bob, 'hr', 'list_employees', {
        limit: 4,
        cursor: first.metadata?.nextCursor,
      })) as SuccessAnswer;
      expect((second.data as Data).map((row) => row['employee_id'])).toEqual(whole.slice(4, 8));
      await testRuntime.owner('update hr.employees set active = true, terminated_at = null where employee_id = $1', [leaver]);
    });

    test('the directory is the same for all staff, contains nothing private, and is refused to customers', async () => {
      const [forFrank, forEve, forReader] = await Promise.all(
        [frank, eve, reader].map((who) => testRuntime.data(who, 'hr', 'find_employees', { name: 'Priya' })),
      );
      expect(forFrank).toEqual(forEve);
      expect(forFrank).toEqual(forReader);
      expect(forFrank?.map((row) => row['name'])).toEqual(['Priya Nair', 'Priya Sharma']);
      expect(Object.keys(forFrank?.[0] ?? {}).sort()).toEqual([
        'department',
        'email',
        'employee_id',
        'first_name',
        'job_title',
        'last_name',
        'location',
        'manager_name',
        'name',
      ]);
      expect((await testRuntime.data(frank, 'hr', 'find_employees', { name: 'sarah kim' }))[0]).toMatchObject({
        employee_id: id(sarah),
        manager_name: 'Nina Patel',
      });
      expect(code(await testRuntime.call('jane.smith@acme.example', 'hr', 'find_employees'))).toBe('INSUFFICIENT_PERMISSIONS');
    });
  });
});
