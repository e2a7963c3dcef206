/** What the people tools change, for whom, and what happens when things change between the card and the decision. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, CancelledAnswer } from '../../src/core/answer.ts';
import { persona } from '../../src/sample/people.ts';
import { code, openWorld, person, type World } from '../world.ts';

const server = process.env.TAMSHAI_TEST_DATABASE_URL;
const databases: [string, string][] = [['PGlite', 'pglite'], ...(server ? ([['PostgreSQL', server]] as [string, string][]) : [])];

const id = (username: string) => persona(username).employeeId ?? '';
const [eve, alice, bob, dan, nina, marcus, sarah, frank, paula, tom] = [
  'eve.thompson',
  'alice.chen',
  'bob.martinez',
  'dan.williams',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
  'paula.reyes',
  'tom.becker',
] as const;
const reader = person(tom, { roles: ['employee', 'hr-read'] });

describe.each(databases)('changing people on %s', (_name, database) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ database });
  }, 120_000);
  afterAll(async () => {
    await world?.close();
    expect(world?.problems).toEqual([]);
  });
  const one = async (text: string, values: readonly unknown[] = []) => (await world.owner(text, values))[0] ?? {};
  /** Someone who leads nobody and is no persona, a new one each time. */
  const taken = new Set<unknown>();
  async function someone(department = 'Engineering'): Promise<string> {
    const rows = await world.owner(
      "select employee_id from hr.employees e where active and department = $1 and employee_id::text not like '0e000000%' and not exists (select from hr.employees r where r.manager_id = e.employee_id) order by employee_id",
      [department],
    );
    const free = rows.find((row) => !taken.has(row['employee_id']));
    taken.add(free?.['employee_id']);
    return String(free?.['employee_id']);
  }

  describe('delete_employee', () => {
    const ask = (who: Parameters<World['call']>[0], employee_id: string, reason?: string) =>
      world.call(who, 'hr', 'delete_employee', { employee_id, ...(reason && { reason }) });

    test('asks first; then the person is gone from every tool, and kept for the audit', async () => {
      const whom = await someone('Operations');
      const { first_name, last_name, email, manager_id } = await one('select * from hr.employees where employee_id = $1', [whom]);
      const name = `${first_name} ${last_name}`;
      const card = await world.ask(alice, 'hr', 'delete_employee', { employee_id: whom, reason: 'Role closed' });
      expect(card.message).toBe(
        `Delete employee ${name} (${email})? The record stays for the audit; no tool can bring it back. Nothing has changed yet.`,
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
      expect(await world.data(eve, 'hr', 'get_employee', { employee_id: whom })).toMatchObject({ active: true });
      const boss = String(manager_id);
      const led = Number((await world.data(eve, 'hr', 'get_org_chart', { root_employee_id: boss, max_depth: 1 }))['direct_reports_count']);

      expect(await world.approve(alice, card.confirmationId)).toMatchObject({
        status: 'success',
        data: { employee_id: whom, name, active: false },
      });
      for (const [tool, input] of [
        ['get_employee', { employee_id: whom }],
        ['get_time_off_balances', { employee_id: whom }],
        ['get_org_chart', { root_employee_id: whom }],
      ] as const) {
        expect([tool, code(await world.call(eve, 'hr', tool, input))]).toEqual([tool, 'EMPLOYEE_NOT_FOUND']);
      }
      for (const tool of ['list_employees', 'find_employees']) {
        expect((await world.data(eve, 'hr', tool, { name })).some((row) => row['employee_id'] === whom)).toBe(false);
      }
      expect(await world.data(eve, 'hr', 'get_performance_reviews', { employee_id: whom })).toEqual([]);
      const [requests] = await world.owner('select count(*)::int as n from hr.time_off_requests where employee_id = $1', [whom]);
      expect(requests).toBeDefined();
      expect((await world.data(eve, 'hr', 'get_org_chart', { root_employee_id: boss, max_depth: 1 }))['direct_reports_count']).toBe(
        led - 1,
      );
      expect(
        await one('select active, termination_reason, terminated_at is not null as dated from hr.employees where employee_id = $1', [whom]),
      ).toEqual({ active: false, termination_reason: 'Role closed', dated: true });
      expect(code(await ask(alice, whom))).toBe('EMPLOYEE_NOT_FOUND');
      for (const tool of ['update_salary', 'delete_employee']) {
        expect(code(await world.call(eve, 'hr', tool, { employee_id: whom, ...(tool === 'update_salary' && { new_salary: 1 }) }))).toBe(
          'EMPLOYEE_NOT_FOUND',
        );
      }
    });

    test('not oneself, however the id is written; nobody above; nobody with reports', async () => {
      for (const input of [{ employee_id: id(alice) }, { employee_id: id(alice).toUpperCase() }, { employeeId: id(alice) }]) {
        expect(await world.call(alice, 'hr', 'delete_employee', input)).toMatchObject({ code: 'CANNOT_DELETE_SELF' });
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

    test('only for those who may, and another may not decide', async () => {
      for (const who of [frank, nina, bob, reader])
        expect([who, code(await ask(who, id(frank)))]).toEqual([who, 'INSUFFICIENT_PERMISSIONS']);
      const card = await world.ask(alice, 'hr', 'delete_employee', { employee_id: id(frank) });
      expect(code(await world.approve(eve, card.confirmationId))).toBe('USER_MISMATCH');
      expect(code(await world.decide(alice, card.confirmationId, false))).toBe('cancelled');
      expect(code(await world.approve(alice, card.confirmationId))).toBe('ALREADY_DECIDED');
      expect(await one('select active from hr.employees where employee_id = $1', [id(frank)])).toEqual({ active: true });
    });

    test("an executive's approval takes effect too", async () => {
      const whom = await someone('Operations');
      expect(code(await world.done(eve, 'hr', 'delete_employee', { employee_id: whom }))).toBe('success');
      expect(await one('select active from hr.employees where employee_id = $1', [whom])).toEqual({ active: false });
    });

    test('a role that was taken away meanwhile decides nothing', async () => {
      const whom = await someone('Operations');
      const card = await world.ask(alice, 'hr', 'delete_employee', { employee_id: whom });
      expect(code(await world.approve(person(alice, { roles: ['employee', 'hr-read', 'manager'] }), card.confirmationId))).toBe(
        'INSUFFICIENT_PERMISSIONS',
      );
      expect(await one('select active from hr.employees where employee_id = $1', [whom])).toEqual({ active: true });
    });

    test('what changed after the card was shown is not written', async () => {
      const [whom, other] = [await someone('Operations'), await someone('Operations')];
      const touched = await world.ask(alice, 'hr', 'delete_employee', { employee_id: whom });
      await world.owner("update hr.employees set job_title = job_title || ' II' where employee_id = $1", [whom]);
      expect(code(await world.approve(alice, touched.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      const led = await world.ask(alice, 'hr', 'delete_employee', { employee_id: whom });
      await world.owner('update hr.employees set manager_id = $1 where employee_id = $2', [whom, other]);
      expect(await world.approve(alice, led.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'HAS_REPORTS' },
      });
      const promoted = await world.ask(alice, 'hr', 'delete_employee', { employee_id: other });
      await world.owner('update hr.employees set manager_id = $1 where employee_id = $2', [other, id(alice)]);
      expect(code(await world.approve(alice, promoted.confirmationId))).toBe('SEPARATION_OF_DUTIES');
      expect(await world.owner('select active from hr.employees where employee_id = any ($1)', [[whom, other]])).toEqual([
        { active: true },
        { active: true },
      ]);
      await world.owner('update hr.employees set manager_id = $1 where employee_id = $2', [id(eve), id(alice)]);
    });
  });

  describe('update_salary', () => {
    const salaryOf = async (whom: string) =>
      Number((await one('select salary::float8 as salary from hr.pay where employee_id = $1', [whom]))['salary']);
    const history = (whom: string) =>
      world.owner(
        'select old_salary::float8 as old, new_salary::float8 as new, effective_date::text as day, reason, changed_by from hr.salary_history where employee_id = $1 order by changed_at',
        [whom],
      );

    test('changes the salary once, and keeps the history', async () => {
      const before = await salaryOf(id(sarah));
      const kept = (await history(id(sarah))).length;
      const card = await world.ask(alice, 'hr', 'update_salary', { employee_id: id(sarah), new_salary: 120_000.5, reason: 'Merit' });
      expect(card.confirmationData).toMatchObject({
        subject: { id: id(sarah), label: expect.stringContaining('Sarah Kim') },
        reason: 'Merit',
        destructive: false,
        changes: [
          { field: 'salary', label: 'Salary', from: before, to: 120_000.5, format: 'money' },
          { field: 'effective_date', from: null, to: '2026-11-16', format: 'date' },
        ],
      });
      expect(await salaryOf(id(sarah))).toBe(before);
      const answers = await Promise.all(Array.from({ length: 5 }, () => world.approve(alice, card.confirmationId)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toEqual({
        status: 'success',
        data: { employee_id: id(sarah), name: 'Sarah Kim', salary: 120_000.5, effective_date: '2026-11-16' },
      });
      expect(await world.data(sarah, 'hr', 'get_employee', { employee_id: id(sarah) })).toMatchObject({ salary: 120_000.5 });
      expect((await history(id(sarah))).slice(kept)).toEqual([
        { old: before, new: 120_000.5, day: '2026-11-16', reason: 'Merit', changed_by: id(alice) },
      ]);
    });

    test('not unchanged, not oneself, nobody above, within bounds', async () => {
      const ask = async (who: Parameters<World['call']>[0], whom: string, new_salary: unknown, more: object = {}) =>
        code(await world.call(who, 'hr', 'update_salary', { employee_id: whom, new_salary, ...more }));
      expect(await ask(alice, id(marcus), await salaryOf(id(marcus)))).toBe('SALARY_UNCHANGED');
      expect(await ask(alice, id(alice), 500_000)).toBe('SEPARATION_OF_DUTIES');
      expect(await ask(alice, id(alice).toUpperCase(), 500_000)).toBe('SEPARATION_OF_DUTIES');
      expect(await ask(alice, id(eve), 500_000)).toBe('SEPARATION_OF_DUTIES');
      expect(await ask(eve, id(eve), 500_000)).toBe('SEPARATION_OF_DUTIES');
      for (const who of [frank, nina, bob, reader]) expect(await ask(who, id(marcus), 99_000)).toBe('INSUFFICIENT_PERMISSIONS');
      for (const bad of [-1, 10_000_001, 100_000.001, '120000', null, Number.NaN, Number.POSITIVE_INFINITY, [1]])
        expect([bad, await ask(alice, id(marcus), bad)]).toEqual([bad, 'VALIDATION_ERROR']);
      for (const ok of [0, 10_000_000, 99_999.99, 1e5])
        expect([ok, await ask(alice, id(marcus), ok)]).toEqual([ok, 'pending_confirmation']);
      for (const effective_date of ['1980-01-01', '2028-01-01'])
        expect(await ask(alice, id(marcus), 99_000, { effective_date })).toBe('EFFECTIVE_DATE_OUT_OF_RANGE');
      for (const effective_date of ['2026-02-30', '2026-13-01', 'tomorrow', 20261201])
        expect(await ask(alice, id(marcus), 99_000, { effective_date })).toBe('VALIDATION_ERROR');
      expect(await ask(alice, id(marcus), 99_000, { effective_date: '2027-01-01' })).toBe('pending_confirmation');
      expect(await ask(alice, id(marcus), 99_000, { reason: 'x'.repeat(501) })).toBe('VALIDATION_ERROR');
      expect(await ask(alice, id(marcus), 99_000, { reason: 'safe \u202e evas' })).toBe('VALIDATION_ERROR');
    });

    test('there and back again is a change', async () => {
      const whom = await someone();
      const card = await world.ask(eve, 'hr', 'update_salary', { employee_id: whom, new_salary: 91_000 });
      await world.owner('update hr.pay set salary = salary + 1 where employee_id = $1', [whom]);
      await world.owner('update hr.pay set salary = salary - 1 where employee_id = $1', [whom]);
      expect(code(await world.approve(eve, card.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      const renamed = await world.ask(eve, 'hr', 'update_salary', { employee_id: whom, new_salary: 91_000 });
      await world.owner("update hr.employees set last_name = 'Renamed' where employee_id = $1", [whom]);
      expect(code(await world.approve(eve, renamed.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      const left = await world.ask(eve, 'hr', 'update_salary', { employee_id: whom, new_salary: 91_000 });
      await world.owner('update hr.employees set active = false, terminated_at = now() where employee_id = $1', [whom]);
      expect(await world.approve(eve, left.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'EMPLOYEE_NOT_FOUND' },
      });
      expect(await history(whom)).toEqual(expect.not.arrayContaining([expect.objectContaining({ new: 91_000 })]));
    });

    test('the trail says that pay changed, and not to what', async () => {
      const whom = await someone();
      expect(code(await world.done(alice, 'hr', 'update_salary', { employee_id: whom, new_salary: 87_654.32 }))).toBe('success');
      const bodies = (await world.owner('select body from hr.audit order by chain, n')).map((row) => String(row['body']));
      const record = JSON.parse(bodies.at(-1) ?? '') as Record<string, unknown>;
      expect(record).toMatchObject({
        tool: 'update_salary',
        decision: 'approved',
        username: alice,
        changes: [{ field: 'salary' }, { field: 'effective_date' }],
      });
      expect(bodies.join()).not.toContain('87654');
      const calls: string[] = [];
      for await (const each of world.runtime.audit.records('calls')) calls.push(each.body);
      expect(calls.join()).not.toContain('87654');
    });
  });

  const balance = async (whom: string, type: string) =>
    one(
      'select used::float8 as used, pending::float8 as pending, (entitlement + carryover - used - pending)::float8 as available from hr.time_off_balances where employee_id = $1 and fiscal_year = 2026 and type_code = $2',
      [whom, type],
    );
  const request = (type_code: string, start_date: string, end_date = start_date, notes?: string) => ({
    type_code,
    start_date,
    end_date,
    ...(notes && { notes }),
  });
  const idOf = (answer: Answer | CancelledAnswer) =>
    answer.status === 'success' ? String((answer.data as Record<string, unknown>)['request_id']) : JSON.stringify(answer);

  describe('create_time_off_request', () => {
    const ask = async (who: Parameters<World['call']>[0], input: object) =>
      code(await world.call(who, 'hr', 'create_time_off_request', input));

    test('counts working days and sets them aside', async () => {
      const before = await balance(id(frank), 'VACATION');
      const card = await world.ask(frank, 'hr', 'create_time_off_request', request('VACATION', '2026-12-03', '2026-12-07', 'Skiing'));
      expect(card.message).toBe('Ask for 3 days of vacation from 2026-12-03 to 2026-12-07? Nothing has changed yet.');
      expect(card.confirmationData).toMatchObject({
        subject: { id: id(frank) },
        reason: 'Skiing',
        changes: expect.arrayContaining([
          expect.objectContaining({ field: 'days', to: 3, format: 'days' }),
          expect.objectContaining({ field: 'available', from: before['available'], to: Number(before['available']) - 3 }),
        ]),
      });
      expect(await balance(id(frank), 'VACATION')).toEqual(before);
      const answer = await world.approve(frank, card.confirmationId);
      expect(answer).toMatchObject({
        status: 'success',
        data: { employee_id: id(frank), employee_name: 'Frank Davis', days: 3, status: 'pending', notes: 'Skiing', approver_id: null },
      });
      expect(await balance(id(frank), 'VACATION')).toEqual({
        ...before,
        pending: Number(before['pending']) + 3,
        available: Number(before['available']) - 3,
      });
      expect((await world.data(frank, 'hr', 'get_time_off_balances'))['pto_balance']).toBe(Number(before['available']) - 3);
      expect((await world.data(frank, 'hr', 'list_time_off_requests', { status: 'pending' })).map((row) => row['request_id'])).toContain(
        idOf(answer),
      );
      expect(
        (await world.data(nina, 'hr', 'list_team_time_off_requests', { status: 'pending' })).map((row) => row['request_id']),
      ).toContain(idOf(answer));
      expect(await ask(frank, request('SICK', '2026-12-07'))).toBe('OVERLAPPING_REQUEST');
      expect(await ask(frank, request('SICK', '2026-12-01', '2026-12-31'))).not.toBe('pending_confirmation');
      expect(await ask(frank, request('SICK', '2026-12-08'))).toBe('pending_confirmation');
    });

    test('what cannot be', async () => {
      for (const [input, comes] of [
        [request('VACATION', '2026-11-21', '2026-11-22'), 'NO_WORKING_DAYS'],
        [request('VACATION', '2026-12-28', '2027-01-04'), 'SPANS_TWO_YEARS'],
        [request('VACATION', '0001-01-01', '9999-12-31'), 'SPANS_TWO_YEARS'],
        [request('VACATION', '2026-10-16'), 'TOO_LONG_AGO'],
        [request('VACATION', '2025-12-01'), 'TOO_LONG_AGO'],
        [request('VACATION', '2040-06-04', '2040-06-08'), 'BALANCE_NOT_FOUND'],
        [request('PERSONAL', '2026-11-23', '2026-12-31'), 'INSUFFICIENT_BALANCE'],
        [request('VACATION', '2026-12-11', '2026-12-10'), 'VALIDATION_ERROR'],
        [request('HOLIDAY', '2026-12-11'), 'VALIDATION_ERROR'],
        [request('vacation', '2026-12-11'), 'VALIDATION_ERROR'],
        [{ ...request('VACATION', '2026-12-11'), employee_id: id(sarah) }, 'VALIDATION_ERROR'],
        [{ type_code: 'VACATION', start_date: '2026-12-11' }, 'VALIDATION_ERROR'],
      ] as const) {
        expect([input, await ask(tom, input)]).toEqual([input, comes]);
      }
      expect(await ask(person(tom, { employeeId: undefined }), request('SICK', '2026-11-16'))).toBe('IDENTITY_NOT_LINKED');
    });

    test('sick days afterwards, unpaid leave, and for an executive the own days', async () => {
      expect(code(await world.done(tom, 'hr', 'create_time_off_request', request('SICK', '2026-11-12', '2026-11-13')))).toBe('success');
      expect(code(await world.done(tom, 'hr', 'create_time_off_request', request('UNPAID', '2026-12-14')))).toBe('success');
      const answer = await world.done(eve, 'hr', 'create_time_off_request', request('PERSONAL', '2026-12-14'));
      expect(answer).toMatchObject({ status: 'success', data: { employee_id: id(eve) } });
    });

    test('a balance that shrank meanwhile, or a day taken meanwhile', async () => {
      const one = await world.ask(paula, 'hr', 'create_time_off_request', request('SICK', '2026-12-01'));
      const two = await world.ask(paula, 'hr', 'create_time_off_request', request('SICK', '2026-12-02'));
      const same = await world.ask(paula, 'hr', 'create_time_off_request', request('VACATION', '2026-12-01'));
      expect(code(await world.approve(paula, one.confirmationId))).toBe('success');
      expect(code(await world.approve(paula, two.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      expect(await world.approve(paula, same.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'OVERLAPPING_REQUEST' },
      });
    });
  });

  describe('approve_time_off_request', () => {
    const decideOn = (who: Parameters<World['call']>[0], request_id: string, approved: unknown = true, approver_notes?: string) =>
      world.call(who, 'hr', 'approve_time_off_request', { request_id, approved, ...(approver_notes && { approver_notes }) });
    const made = async (who: string, input: object) => idOf(await world.done(who, 'hr', 'create_time_off_request', input));
    const pendingOf = async (who: string) =>
      String((await world.data(who, 'hr', 'list_time_off_requests', { status: 'pending' }))[0]?.['request_id']);

    test('a manager approves: the days move from waiting to used', async () => {
      const request_id = await pendingOf(marcus);
      const { type_code, days } = await one('select type_code, days::float8 as days from hr.time_off_requests where request_id = $1', [
        request_id,
      ]);
      const before = await balance(id(marcus), String(type_code));
      const card = await world.ask(nina, 'hr', 'approve_time_off_request', { request_id, approved: true, approver_notes: 'Enjoy' });
      expect(card.message).toMatch(/^Approve .* for Marcus Johnson /);
      expect(card.confirmationData).toMatchObject({
        subject: { id: request_id, label: expect.stringContaining('Marcus Johnson') },
        reason: 'Enjoy',
      });
      expect(card.confirmationData.changes.slice(0, 2)).toMatchObject([
        { field: 'status', from: 'pending', to: 'approved' },
        { field: 'used', from: before['used'], to: Number(before['used']) + Number(days), format: 'days' },
      ]);
      expect(await balance(id(marcus), String(type_code))).toEqual(before);
      expect(await world.approve(nina, card.confirmationId)).toMatchObject({
        status: 'success',
        data: { request_id, status: 'approved', approver_id: id(nina), approver_notes: 'Enjoy', decided_at: expect.any(String) },
      });
      expect(await balance(id(marcus), String(type_code))).toEqual({
        used: Number(before['used']) + Number(days),
        pending: Number(before['pending']) - Number(days),
        available: before['available'],
      });
      expect(await decideOn(nina, request_id)).toMatchObject({ code: 'REQUEST_NOT_PENDING', details: { status: 'approved' } });
      expect(await decideOn(nina, request_id, false)).toMatchObject({ code: 'REQUEST_NOT_PENDING' });
    });

    test('a rejection rejects, and gives the days back', async () => {
      const request_id = await pendingOf(sarah);
      const { type_code, days } = await one('select type_code, days::float8 as days from hr.time_off_requests where request_id = $1', [
        request_id,
      ]);
      const before = await balance(id(sarah), String(type_code));
      const card = await world.ask(nina, 'hr', 'approve_time_off_request', { request_id, approved: false, approver_notes: 'Release week' });
      expect(card.message).toMatch(/^Reject /);
      expect(card.confirmationData.changes[0]).toMatchObject({ field: 'status', from: 'pending', to: 'rejected' });
      expect(await world.approve(nina, card.confirmationId)).toMatchObject({
        status: 'success',
        data: { status: 'rejected', approver_notes: 'Release week' },
      });
      expect(await balance(id(sarah), String(type_code))).toEqual({
        used: before['used'],
        pending: Number(before['pending']) - Number(days),
        available: Number(before['available']) + Number(days),
      });
      expect((await world.data(sarah, 'hr', 'list_time_off_requests', { status: 'rejected' })).map((row) => row['request_id'])).toContain(
        request_id,
      );
    });

    test('only true and false are decisions', async () => {
      const request_id = await made(marcus, request('PERSONAL', '2026-12-15'));
      for (const bad of ['false', 'true', 0, 1, null])
        expect([bad, code(await decideOn(nina, request_id, bad))]).toEqual([bad, 'VALIDATION_ERROR']);
      expect(code(await world.call(nina, 'hr', 'approve_time_off_request', { request_id }))).toBe('VALIDATION_ERROR');
      expect(code(await world.done(nina, 'hr', 'approve_time_off_request', { request_id, approved: false }))).toBe('success');
    });

    test('HR and executives decide for anyone but themselves', async () => {
      for (const [decider, asker, day] of [
        [alice, dan, '2026-12-16'],
        [eve, dan, '2026-12-17'],
        [eve, alice, '2026-12-16'],
        [alice, eve, '2026-12-17'],
      ] as const) {
        const request_id = await made(asker, request('VACATION', day));
        const before = await balance(id(asker), 'VACATION');
        expect(code(await decideOn(asker, request_id))).toBe('SEPARATION_OF_DUTIES');
        expect(await world.done(decider, 'hr', 'approve_time_off_request', { request_id, approved: true })).toMatchObject({
          status: 'success',
          data: { status: 'approved' },
        });
        expect(await balance(id(asker), 'VACATION')).toEqual({
          ...before,
          used: Number(before['used']) + 1,
          pending: Number(before['pending']) - 1,
        });
      }
      const own = await made(nina, request('VACATION', '2026-12-16'));
      expect(code(await decideOn(nina, own))).toBe('SEPARATION_OF_DUTIES');
    });

    test("not for whom it is not; a stranger's request reads like none", async () => {
      const request_id = await made(dan, request('VACATION', '2026-12-18'));
      for (const who of [dan, frank, reader])
        if (who !== dan) expect(code(await decideOn(who, request_id))).toBe('INSUFFICIENT_PERMISSIONS');
      const none = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
      const [foreign, missing] = await Promise.all(
        [request_id, none].map(async (each) => JSON.stringify(await decideOn(nina, each)).replaceAll(each, 'ID')),
      );
      expect(foreign).toBe(missing);
      expect(JSON.parse(foreign ?? '')).toMatchObject({
        code: 'TIME_OFF_REQUEST_NOT_FOUND',
        suggestedAction: expect.stringContaining('list_team_time_off_requests'),
      });
      expect(code(await decideOn(alice, 'REQ-1'))).toBe('VALIDATION_ERROR');
    });

    test('decided by someone else meanwhile; moved to another team meanwhile', async () => {
      const request_id = await made(marcus, request('PERSONAL', '2026-12-22'));
      const mine = await world.ask(nina, 'hr', 'approve_time_off_request', { request_id, approved: true });
      expect(code(await world.done(alice, 'hr', 'approve_time_off_request', { request_id, approved: false }))).toBe('success');
      expect(await world.approve(nina, mine.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'REQUEST_NOT_PENDING' },
      });
      expect(await one('select status from hr.time_off_requests where request_id = $1', [request_id])).toEqual({ status: 'rejected' });

      const other = await made(marcus, request('PERSONAL', '2026-12-23'));
      const before = await balance(id(marcus), 'PERSONAL');
      const late = await world.ask(nina, 'hr', 'approve_time_off_request', { request_id: other, approved: true });
      await world.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(marcus), id(bob)]);
      expect(await world.approve(nina, late.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'TIME_OFF_REQUEST_NOT_FOUND' },
      });
      expect(await balance(id(marcus), 'PERSONAL')).toEqual(before);
      expect(code(await world.done(bob, 'hr', 'approve_time_off_request', { request_id: other, approved: true }))).toBe('success');
      await world.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(marcus), id(nina)]);
    });
  });
});
