/** Departments, their heads, and the headcount: list_departments, update_department and get_headcount. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { code, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const [eve, alice, nina, frank, sarah] = ['eve.thompson', 'alice.chen', 'nina.patel', 'frank.davis', 'sarah.kim'] as const;

describe.each(databases)('departments on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const countOf = async (condition: string, values: readonly unknown[] = []) =>
    Number((await testRuntime.owner(`select count(*)::int as n from hr.employees where ${condition}`, values))[0]?.['n']);
  const departmentNamed = async (name: string) =>
    (await testRuntime.data(frank, 'hr', 'list_departments')).find(({ department }) => department === name);
  const headcount = (who: Parameters<TestRuntime['call']>[0], input: object = {}) =>
    testRuntime.data(who, 'hr', 'get_headcount', input) as unknown as Promise<{
      total: number;
      groups: { name: string; employees: number }[];
      more_groups: number;
    }>;

  test('everyone sees all departments with their heads and sizes', async () => {
    const rows = await testRuntime.data(frank, 'hr', 'list_departments');
    expect(rows.map(({ department }) => department)).toEqual(
      ['Engineering', 'Finance', 'HR', 'Legal', 'Marketing', 'Operations', 'Sales', 'Support'].toSorted(),
    );
    for (const { department, employees, head_id, head_name } of rows) {
      expect(employees).toBe(await countOf('active and department = $1', [department]));
      const [head] = await testRuntime.owner('select department, first_name, last_name from hr.employees where employee_id = $1', [
        head_id,
      ]);
      expect(head).toMatchObject({ department });
      expect(head_name).toBe(`${head?.['first_name']} ${head?.['last_name']}`);
    }
    expect(await departmentNamed('HR')).toMatchObject({ head_id: id(alice) });
  });

  test('HR names another head, once, and an unknown or departed person or department is refused', async () => {
    const ask = async (who: Parameters<TestRuntime['call']>[0], department: string, head_id: string) =>
      code(await testRuntime.call(who, 'hr', 'update_department', { department, head_id }));
    const card = await testRuntime.ask(alice, 'hr', 'update_department', { department: 'legal', head_id: id(sarah) });
    expect(card.confirmationData).toMatchObject({
      summary: 'Make Sarah Kim the head of Legal',
      changes: [{ field: 'head_name', label: 'Head', to: 'Sarah Kim' }],
    });
    expect(await testRuntime.approve(alice, card.confirmationId)).toMatchObject({
      status: 'success',
      data: { department: 'Legal', head_id: id(sarah), head_name: 'Sarah Kim' },
    });
    expect(await departmentNamed('Legal')).toMatchObject({ head_id: id(sarah) });
    expect(await ask(alice, 'LEGAL', id(sarah))).toBe('ALREADY_HEAD');
    expect(await ask(alice, 'Moon', id(sarah))).toBe('DEPARTMENT_NOT_FOUND');
    expect(await ask(alice, 'Legal', 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa')).toBe('EMPLOYEE_NOT_FOUND');
    for (const who of [frank, nina, person('tom.becker', { roles: ['employee', 'hr-read'] })])
      expect(await ask(who, 'Legal', id(frank))).toBe('INSUFFICIENT_PERMISSIONS');
  });

  test('a card does not overwrite another change of the head, and a head who left is shown as none', async () => {
    const [first, second] = await testRuntime.owner(
      `select employee_id from hr.employees e where active and department = 'Support' and employee_id::text not like '0e000000%'
        and not exists (select from hr.employees r where r.manager_id = e.employee_id) order by 1 limit 2`,
    );
    const [one, two] = [String(first?.['employee_id']), String(second?.['employee_id'])];
    const card = await testRuntime.ask(alice, 'hr', 'update_department', { department: 'Support', head_id: one });
    expect(code(await testRuntime.done(eve, 'hr', 'update_department', { department: 'Support', head_id: two }))).toBe('success');
    expect(code(await testRuntime.approve(alice, card.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
    expect(code(await testRuntime.done(alice, 'hr', 'delete_employee', { employee_id: two }))).toBe('success');
    expect(await departmentNamed('Support')).toMatchObject({ head_id: null, head_name: null });
  });

  test('the headcount adds up in every grouping, on any day', async () => {
    for (const by of ['department', 'location', 'job_title']) {
      const { total, groups, more_groups } = await headcount(alice, { by });
      expect(total).toBe(await countOf('active'));
      expect(groups.reduce((sum, { employees }) => sum + employees, 0)).toBe(total);
      expect(more_groups).toBe(0);
    }
    const past = await headcount(eve, { as_of_date: '2020-06-30' });
    expect(past.total).toBe(await countOf("hire_date <= '2020-06-30'"));
    expect((await headcount(eve, { as_of_date: '1970-01-01' })).total).toBe(0);
  });

  test('counts people who left for the days on which they worked here', async () => {
    const [row] = await testRuntime.owner(
      `select employee_id from hr.employees e where active and department = 'Sales'
        and employee_id::text not like '0e000000%' and not exists (select from hr.employees r where r.manager_id = e.employee_id) limit 1`,
    );
    const days = ['2026-11-16', '2026-11-10', '2026-11-09'];
    const totals = async () => Promise.all(days.map(async (as_of_date) => (await headcount(alice, { as_of_date })).total));
    const [now = 0, then = 0, earlier = 0] = await totals();
    await testRuntime.owner("update hr.employees set active = false, terminated_at = '2026-11-10T12:00:00Z' where employee_id = $1", [
      row?.['employee_id'],
    ]);
    expect(await totals()).toEqual([now - 1, then - 1, earlier]);
  });

  test('a manager counts the people below, without the manager', async () => {
    const below = Number((await testRuntime.owner('select count(*)::int as n from hr.chain where manager_id = $1', [id(nina)]))[0]?.['n']);
    expect(await headcount(nina)).toMatchObject({ total: below });
    expect(code(await testRuntime.call(frank, 'hr', 'get_headcount'))).toBe('INSUFFICIENT_PERMISSIONS');
  });

  test('salary bands of grades contain the salaries of the sample, and are hidden from callers who may not see pay', async () => {
    const [outside] = await testRuntime.owner(
      `select count(*)::int as n from hr.employees join hr.pay using (employee_id) left join hr.grade_levels using (grade)
        where active and (grade_levels.grade is null or salary not between salary_min and salary_max)`,
    );
    expect(outside).toEqual({ n: 0 });
  });
});
