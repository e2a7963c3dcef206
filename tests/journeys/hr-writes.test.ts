/** delete_employee and update_salary: who may call them, and what happens if a row changes between the card and the approval. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { code, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

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

describe.each(databases)('changing people on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const one = async (text: string, values: readonly unknown[] = []) => (await testRuntime.owner(text, values))[0] ?? {};
  /** Employees that `someone` has returned. It returns an employee without reports who is not a sample person, each time another one. */
  const taken = new Set<unknown>();
  async function someone(department = 'Engineering'): Promise<string> {
    const rows = await testRuntime.owner(
      "select employee_id from hr.employees e where active and department = $1 and employee_id::text not like '0e000000%' " +
        'and not exists (select from hr.employees r where r.manager_id = e.employee_id) order by employee_id',
      [department],
    );
    const free = rows.find((row) => !taken.has(row['employee_id']));
    taken.add(free?.['employee_id']);
    return String(free?.['employee_id']);
  }

  describe('delete_employee', () => {
    const ask = (who: Parameters<TestRuntime['call']>[0], employee_id: string, reason?: string) =>
      testRuntime.call(who, 'hr', 'delete_employee', { employee_id, ...(reason && { reason }) });

    test('needs an approval, hides the employee from every tool and keeps the row', async () => {
      const whom = await someone('Operations');
      const { first_name, last_name, email, manager_id } = await one('select * from hr.employees where employee_id = $1', [whom]);
      const name = `${first_name} ${last_name}`;
      const card = await testRuntime.ask(alice, 'hr', 'delete_employee', { employee_id: whom, reason: 'Role closed' });
      expect(card.message).toBe(
        `Delete employee ${name} (${email})? The data stays in the database for audits, but no tool can restore the ` +
          'record. Nothing has changed yet.',
      );
      expect(card.confirmationData).toMatchObject({
        action: 'delete_employee',
        mcpServer: 'hr',
        userId: id(alice),
        destructive: true,
        reason: 'Role closed',
        subject: { id: whom, label: expect.stringContaining(name) },
        changes: [{ field: 'active', label: 'Employment', from: 'Active', to: 'Terminated' }],
      });
      expect(await testRuntime.data(eve, 'hr', 'get_employee', { employee_id: whom })).toMatchObject({ active: true });
      const boss = String(manager_id);
      const led = Number(
        (await testRuntime.data(eve, 'hr', 'get_org_chart', { root_employee_id: boss, max_depth: 1 }))['direct_reports_count'],
      );

      expect(await testRuntime.approve(alice, card.confirmationId)).toMatchObject({
        status: 'success',
        data: { employee_id: whom, name, active: false },
      });
      for (const [tool, input] of [
        ['get_employee', { employee_id: whom }],
        ['get_time_off_balances', { employee_id: whom }],
        ['get_org_chart', { root_employee_id: whom }],
      ] as const) {
        expect([tool, code(await testRuntime.call(eve, 'hr', tool, input))]).toEqual([tool, 'EMPLOYEE_NOT_FOUND']);
      }
      for (const tool of ['list_employees', 'find_employees']) {
        expect((await testRuntime.data(eve, 'hr', tool, { name })).some((row) => row['employee_id'] === whom)).toBe(false);
      }
      expect(await testRuntime.data(eve, 'hr', 'get_performance_reviews', { employee_id: whom })).toEqual([]);
      const [requests] = await testRuntime.owner('select count(*)::int as n from hr.time_off_requests where employee_id = $1', [whom]);
      expect(requests).toBeDefined();
      expect((await testRuntime.data(eve, 'hr', 'get_org_chart', { root_employee_id: boss, max_depth: 1 }))['direct_reports_count']).toBe(
        led - 1,
      );
      expect(
        await one('select active, termination_reason, terminated_at is not null as dated from hr.employees where employee_id = $1', [whom]),
      ).toEqual({ active: false, termination_reason: 'Role closed', dated: true });
      expect(code(await ask(alice, whom))).toBe('EMPLOYEE_NOT_FOUND');
      for (const tool of ['update_salary', 'delete_employee']) {
        expect(
          code(await testRuntime.call(eve, 'hr', tool, { employee_id: whom, ...(tool === 'update_salary' && { new_salary: 1 }) })),
        ).toBe('EMPLOYEE_NOT_FOUND');
      }
    });

    test('refuses to delete the caller in any spelling of the id, people above, and people with reports', async () => {
      for (const input of [{ employee_id: id(alice) }, { employee_id: id(alice).toUpperCase() }, { employeeId: id(alice) }]) {
        expect(await testRuntime.call(alice, 'hr', 'delete_employee', input)).toMatchObject({ code: 'CANNOT_DELETE_SELF' });
      }
      const linkedElsewhere = person(alice, { employeeId: id(sarah) });
      expect(code(await ask(linkedElsewhere, id(sarah)))).toBe('CANNOT_DELETE_SELF');
      expect(code(await ask(alice, id(eve)))).toBe('SEPARATION_OF_DUTIES');
      expect(await ask(eve, id(nina))).toMatchObject({
        code: 'HAS_REPORTS',
        details: { direct_reports_count: expect.any(Number) },
        suggestedAction: expect.stringContaining('list_employees'),
      });
      expect(code(await ask(person(alice, { employeeId: undefined }), id(frank)))).toBe('IDENTITY_NOT_LINKED');
    });

    test('refuses other roles, and only the requester can decide', async () => {
      for (const who of [frank, nina, bob, reader])
        expect([who, code(await ask(who, id(frank)))]).toEqual([who, 'INSUFFICIENT_PERMISSIONS']);
      const card = await testRuntime.ask(alice, 'hr', 'delete_employee', { employee_id: id(frank) });
      expect(code(await testRuntime.approve(eve, card.confirmationId))).toBe('USER_MISMATCH');
      expect(code(await testRuntime.decide(alice, card.confirmationId, false))).toBe('cancelled');
      expect(code(await testRuntime.approve(alice, card.confirmationId))).toBe('ALREADY_DECIDED');
      expect(await one('select active from hr.employees where employee_id = $1', [id(frank)])).toEqual({ active: true });
    });

    test('can be requested and approved by an executive too', async () => {
      const whom = await someone('Operations');
      expect(code(await testRuntime.done(eve, 'hr', 'delete_employee', { employee_id: whom }))).toBe('success');
      expect(await one('select active from hr.employees where employee_id = $1', [whom])).toEqual({ active: false });
    });

    test('is refused if the approver has lost the role', async () => {
      const whom = await someone('Operations');
      const card = await testRuntime.ask(alice, 'hr', 'delete_employee', { employee_id: whom });
      expect(code(await testRuntime.approve(person(alice, { roles: ['employee', 'hr-read', 'manager'] }), card.confirmationId))).toBe(
        'INSUFFICIENT_PERMISSIONS',
      );
      expect(await one('select active from hr.employees where employee_id = $1', [whom])).toEqual({ active: true });
    });

    test('is refused if the row, its reports or the caller’s managers changed after the card was shown', async () => {
      const [whom, other] = [await someone('Operations'), await someone('Operations')];
      const touched = await testRuntime.ask(alice, 'hr', 'delete_employee', { employee_id: whom });
      await testRuntime.owner("update hr.employees set job_title = job_title || ' II' where employee_id = $1", [whom]);
      expect(code(await testRuntime.approve(alice, touched.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      const led = await testRuntime.ask(alice, 'hr', 'delete_employee', { employee_id: whom });
      await testRuntime.owner('update hr.employees set manager_id = $1 where employee_id = $2', [whom, other]);
      expect(await testRuntime.approve(alice, led.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'HAS_REPORTS' },
      });
      const promoted = await testRuntime.ask(alice, 'hr', 'delete_employee', { employee_id: other });
      await testRuntime.owner('update hr.employees set manager_id = $1 where employee_id = $2', [other, id(alice)]);
      expect(code(await testRuntime.approve(alice, promoted.confirmationId))).toBe('SEPARATION_OF_DUTIES');
      expect(await testRuntime.owner('select active from hr.employees where employee_id = any ($1)', [[whom, other]])).toEqual([
        { active: true },
        { active: true },
      ]);
      await testRuntime.owner('update hr.employees set manager_id = $1 where employee_id = $2', [id(eve), id(alice)]);
    });
  });

  describe('update_salary', () => {
    const salaryOf = async (whom: string) =>
      Number((await one('select salary::float8 as salary from hr.pay where employee_id = $1', [whom]))['salary']);
    const history = (whom: string) =>
      testRuntime.owner(
        'select old_salary::float8 as old, new_salary::float8 as new, effective_date::text as day, reason, changed_by ' +
          'from hr.salary_history where employee_id = $1 order by changed_at',
        [whom],
      );

    test('changes the salary once, and adds it to the salary history', async () => {
      const before = await salaryOf(id(sarah));
      const kept = (await history(id(sarah))).length;
      const card = await testRuntime.ask(alice, 'hr', 'update_salary', { employee_id: id(sarah), new_salary: 120_000.5, reason: 'Merit' });
      expect(card.confirmationData).toMatchObject({
        subject: { id: id(sarah), label: expect.stringContaining('Sarah Kim') },
        reason: 'Merit',
        destructive: false,
        changes: [
          { field: 'salary', label: 'Salary', from: before, to: 120_000.5, format: 'money', currency: 'USD' },
          { field: 'effective_date', from: null, to: '2026-11-16', format: 'date' },
        ],
      });
      expect(await salaryOf(id(sarah))).toBe(before);
      const answers = await Promise.all(Array.from({ length: 5 }, () => testRuntime.approve(alice, card.confirmationId)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toEqual({
        status: 'success',
        message: 'Changed the salary of Sarah Kim.',
        data: { employee_id: id(sarah), name: 'Sarah Kim', salary: 120_000.5, effective_date: '2026-11-16' },
      });
      expect(await testRuntime.data(sarah, 'hr', 'get_employee', { employee_id: id(sarah) })).toMatchObject({ salary: 120_000.5 });
      expect((await history(id(sarah))).slice(kept)).toEqual([
        { old: before, new: 120_000.5, day: '2026-11-16', reason: 'Merit', changed_by: id(alice) },
      ]);
    });

    test('refuses the same salary, the caller, people above, and invalid amounts and dates', async () => {
      const ask = async (who: Parameters<TestRuntime['call']>[0], whom: string, new_salary: unknown, more: object = {}) =>
        code(await testRuntime.call(who, 'hr', 'update_salary', { employee_id: whom, new_salary, ...more }));
      expect(await ask(alice, id(marcus), await salaryOf(id(marcus)))).toBe('SALARY_UNCHANGED');
      expect(await ask(alice, id(alice), 500_000)).toBe('SEPARATION_OF_DUTIES');
      expect(await ask(alice, id(alice).toUpperCase(), 500_000)).toBe('SEPARATION_OF_DUTIES');
      expect(await ask(alice, id(eve), 500_000)).toBe('SEPARATION_OF_DUTIES');
      expect(await ask(eve, id(eve), 500_000)).toBe('SEPARATION_OF_DUTIES');
      for (const who of [frank, nina, bob, reader]) expect(await ask(who, id(marcus), 99_000)).toBe('INSUFFICIENT_PERMISSIONS');
      for (const bad of [-1, 10_000_001, 100_000.001, '120000', null, Number.NaN, Number.POSITIVE_INFINITY, [1]])
        expect([bad, await ask(alice, id(marcus), bad)]).toEqual([bad, 'VALIDATION_ERROR']);
      for (const ok of [0, 10_000_000, 99_999.99, 1e5])
        expect([ok, await ask(alice, id(marcus), ok, { outside_band_reason: 'A rare case' })]).toEqual([ok, 'pending_confirmation']);
      for (const effective_date of ['1980-01-01', '2028-01-01'])
        expect(await ask(alice, id(marcus), 99_000, { effective_date })).toBe('EFFECTIVE_DATE_OUT_OF_RANGE');
      for (const effective_date of ['2026-02-30', '2026-13-01', 'tomorrow', 20261201])
        expect(await ask(alice, id(marcus), 99_000, { effective_date })).toBe('VALIDATION_ERROR');
      expect(await ask(alice, id(marcus), 99_000, { effective_date: '2027-01-01' })).toBe('pending_confirmation');
      expect(await ask(alice, id(marcus), 99_000, { reason: 'x'.repeat(501) })).toBe('VALIDATION_ERROR');
      expect(await ask(alice, id(marcus), 99_000, { reason: 'safe \u202e evas' })).toBe('VALIDATION_ERROR');
    });

    test('is refused if the salary, the name or the employment changed after the card, even if the salary changed back', async () => {
      const whom = await someone();
      const card = await testRuntime.ask(eve, 'hr', 'update_salary', {
        employee_id: whom,
        new_salary: 91_000,
        outside_band_reason: 'A rare case',
      });
      await testRuntime.owner('update hr.pay set salary = salary + 1 where employee_id = $1', [whom]);
      await testRuntime.owner('update hr.pay set salary = salary - 1 where employee_id = $1', [whom]);
      expect(code(await testRuntime.approve(eve, card.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      const renamed = await testRuntime.ask(eve, 'hr', 'update_salary', {
        employee_id: whom,
        new_salary: 91_000,
        outside_band_reason: 'A rare case',
      });
      await testRuntime.owner("update hr.employees set last_name = 'Renamed' where employee_id = $1", [whom]);
      expect(code(await testRuntime.approve(eve, renamed.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      const left = await testRuntime.ask(eve, 'hr', 'update_salary', {
        employee_id: whom,
        new_salary: 91_000,
        outside_band_reason: 'A rare case',
      });
      await testRuntime.owner('update hr.employees set active = false, terminated_at = now() where employee_id = $1', [whom]);
      expect(await testRuntime.approve(eve, left.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'EMPLOYEE_NOT_FOUND' },
      });
      expect(await history(whom)).toEqual(expect.not.arrayContaining([expect.objectContaining({ new: 91_000 })]));
    });

    test('the audit log records that pay changed, without the amounts', async () => {
      const whom = await someone();
      expect(
        code(
          await testRuntime.done(alice, 'hr', 'update_salary', {
            employee_id: whom,
            new_salary: 87_654.32,
            outside_band_reason: 'A rare case',
          }),
        ),
      ).toBe('success');
      const bodies = (await testRuntime.owner('select body from hr.audit order by chain, n')).map((row) => String(row['body']));
      const record = JSON.parse(bodies.at(-1) ?? '') as Record<string, unknown>;
      expect(record).toMatchObject({
        tool: 'update_salary',
        decision: 'approved',
        username: alice,
        changes: [{ field: 'salary' }, { field: 'effective_date' }, { field: 'outside_band_reason' }],
      });
      expect(bodies.join()).not.toContain('87654');
      const calls: string[] = [];
      for await (const each of testRuntime.runtime.audit.records('calls')) calls.push(each.body);
      expect(calls.join()).not.toContain('87654');
    });
  });
});
