/** get_history: who changed a record, from the audit chain, for those who see the record now, without values that they may not see. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../src/engine/ports.ts';
import { code, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const HIDDEN = '*** (Hidden)';
const [alice, eve, nina, frank, sarah, marcus, bob] = [
  'alice.chen',
  'eve.thompson',
  'nina.patel',
  'frank.davis',
  'sarah.kim',
  'marcus.johnson',
  'bob.martinez',
] as const;
const reader = person('tom.becker', { roles: ['employee', 'hr-read'] });

describe.each(databases)('the history of a record on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const employee = (whom: string) => ({ type: 'employee', id: whom });
  const historyOf = (who: Who, input: object) => testRuntime.data(who, 'hr', 'get_history', input);
  async function change(who: Who, tool: string, input: object): Promise<void> {
    const card = await testRuntime.ask(who, 'hr', tool, input);
    expect((await testRuntime.decide(who, card.confirmationId, true)).status).toBe('success');
  }
  const raise = (whom: string, new_salary: number, reason?: string) =>
    change(alice, 'update_salary', {
      employee_id: whom,
      new_salary,
      ...(reason !== undefined && { reason }),
    });

  test('says who asked, who approved, when and why', async () => {
    await raise(id(frank), 65_000, 'Promotion to lead');
    expect(await historyOf(eve, employee(id(frank)))).toEqual([
      {
        at: expect.stringMatching(/^2026-/),
        asked_at: expect.stringMatching(/^2026-/),
        tool: 'update_salary',
        title: 'Change a salary',
        effect: 'changes',
        requested_by: alice,
        approved_by: alice,
        changes: [
          { field: 'salary', label: 'Salary', from: HIDDEN, to: HIDDEN },
          { field: 'effective_date', label: 'Effective date', from: null, to: '2026-11-16' },
        ],
        reason: 'Promotion to lead',
      },
    ]);
  });

  test('hides the values and the reason of a change of pay from those who may not see pay', async () => {
    await raise(id(sarah), 97_500, 'Matches an offer of 97,500');
    for (const who of [nina, sarah, reader] as const) {
      const [event] = await historyOf(who, employee(id(sarah)));
      expect(event).toMatchObject({ tool: 'update_salary', reason: HIDDEN, changes: [{ field: 'salary', from: HIDDEN, to: HIDDEN }] });
      expect(JSON.stringify(event)).not.toMatch(/97|offer|2026-11-16T09:00:00.000Z.*effective/);
    }
  });

  test('agrees with the audit chain, which is its only source', async () => {
    const whom = id(marcus);
    await raise(whom, 133_000, 'First');
    await raise(whom, 134_000, 'Second');
    const chained = (await testRuntime.runtime.stores['hr']?.audit.newest({ limit: 100 }))
      ?.map(({ body }) => JSON.parse(body) as AuditRecord)
      .filter(({ records }) => records?.includes(`employee/${whom}`));
    const events = await historyOf(alice, employee(whom));
    expect(events.map(({ at, reason }) => [at, reason])).toEqual(chained?.map(({ at, reason }) => [at, reason]));
    expect(events.map(({ reason }) => reason)).toEqual(['Second', 'First']);
  });

  test('is read page by page, newest first, with a cursor that tells no position', async () => {
    const whom = id(marcus);
    const first = await testRuntime.call(alice, 'hr', 'get_history', { ...employee(whom), limit: 1 });
    const { nextCursor, ...metadata } = (first as { metadata: { nextCursor?: string } }).metadata;
    expect(metadata).toMatchObject({ hasMore: true, returnedCount: 1, totalCount: '1+' });
    const second = await testRuntime.call(alice, 'hr', 'get_history', { ...employee(whom), limit: 1, cursor: nextCursor });
    expect(second).toMatchObject({ data: [{ reason: 'First' }], metadata: { hasMore: false } });
    const foreign = await testRuntime.call(alice, 'hr', 'get_history', { ...employee(id(frank)), limit: 1, cursor: nextCursor });
    expect(code(foreign)).toBe('INVALID_CURSOR');
    expect(code(await testRuntime.call(eve, 'hr', 'get_history', { ...employee(whom), limit: 1, cursor: nextCursor }))).toBe(
      'INVALID_CURSOR',
    );
  });

  test('is not found for a record that the caller does not see, that never was, or that was deleted', async () => {
    const [gone] = await testRuntime.owner(
      "select employee_id from hr.employees e where active and department = 'Operations' and " +
        'not exists (select from hr.employees r where r.manager_id = e.employee_id) order by employee_id desc limit 1',
    );
    const whom = String(gone?.['employee_id']);
    expect(await historyOf(alice, employee(whom))).toEqual([]);
    await change(alice, 'delete_employee', { employee_id: whom, reason: 'Left' });
    const random = await testRuntime.call(alice, 'hr', 'get_history', employee('0e000000-0000-4000-8000-00000000ffff'));
    expect(code(random)).toBe('RECORD_NOT_FOUND');
    expect(await testRuntime.call(alice, 'hr', 'get_history', employee(whom))).toEqual(random);
    for (const who of [sarah, frank]) expect(await testRuntime.call(who, 'hr', 'get_history', employee(id(marcus)))).toEqual(random);
    for (const odd of ['x', id(marcus).toUpperCase(), `${id(marcus)} `, "' or true --", '0', '🙂'.repeat(50), '../employee/1'])
      expect(await testRuntime.call(alice, 'hr', 'get_history', employee(odd)), odd).toEqual(random);
    for (const refused of ['', 'x'.repeat(257), 'a\0', '\ud800'])
      expect(code(await testRuntime.call(alice, 'hr', 'get_history', employee(refused))), refused).toBe('VALIDATION_ERROR');
    expect(code(await testRuntime.call(alice, 'hr', 'get_history', { type: 'salary', id: whom }))).toBe('VALIDATION_ERROR');
  });

  test('shows a time-off request to the person who made it, without the fields of other records', async () => {
    const request = await testRuntime.ask(marcus, 'hr', 'create_time_off_request', {
      type_code: 'VACATION',
      start_date: '2026-12-14',
      end_date: '2026-12-15',
      notes: 'Skiing',
    });
    const made = (await testRuntime.decide(marcus, request.confirmationId, true)) as { data?: { request_id: string } };
    const request_id = String(made.data?.request_id);
    await change(nina, 'approve_time_off_request', { request_id, approved: true, approver_notes: 'Enjoy' });
    const time = { type: 'time_off_request', id: request_id };
    const own = await historyOf(marcus, time);
    expect(own.map((event) => event['tool'])).toEqual(['approve_time_off_request', 'create_time_off_request']);
    expect(own[0]).toMatchObject({ requested_by: nina, reason: 'Enjoy' });
    expect(own[0]?.['changes']).toContainEqual({ field: 'status', label: 'Status', from: 'pending', to: 'approved' });
    expect(JSON.stringify(own[0]?.['changes'])).not.toContain('"used"');
    expect(JSON.stringify((await historyOf(nina, time))[0])).toContain('"used"');
    for (const who of [frank, bob]) expect(code(await testRuntime.call(who, 'hr', 'get_history', time))).toBe('RECORD_NOT_FOUND');
  });

  test('a denied, refused or waiting change leaves no trace in it', async () => {
    const before = await historyOf(alice, employee(id(sarah)));
    const denied = await testRuntime.ask(alice, 'hr', 'update_salary', {
      employee_id: id(sarah),
      new_salary: 1_000,
      outside_band_reason: 'Test',
    });
    await testRuntime.decide(alice, denied.confirmationId, false);
    await testRuntime.ask(alice, 'hr', 'update_salary', { employee_id: id(sarah), new_salary: 2_000, outside_band_reason: 'Test' });
    await testRuntime.call(nina, 'hr', 'update_salary', { employee_id: id(sarah), new_salary: 3_000, outside_band_reason: 'Test' });
    expect(await historyOf(alice, employee(id(sarah)))).toEqual(before);
  });
});
