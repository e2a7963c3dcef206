/** Time off: requests, decisions and the balances that change with them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, CancelledAnswer } from '../../src/declare/answer.ts';
import { code, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

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

describe.each(databases)('time off on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const one = async (text: string, values: readonly unknown[] = []) => (await testRuntime.owner(text, values))[0] ?? {};
  const balance = async (whom: string, type: string, year: unknown = 2026) =>
    one(
      'select used::float8 as used, pending::float8 as pending, (entitlement + carryover - used - pending)::float8 as available ' +
        'from hr.time_off_balances where employee_id = $1 and fiscal_year = $3 and type_code = $2',
      [whom, type, year],
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
    const ask = async (who: Parameters<TestRuntime['call']>[0], input: object) =>
      code(await testRuntime.call(who, 'hr', 'create_time_off_request', input));

    test('counts working days and reserves them', async () => {
      const before = await balance(id(frank), 'VACATION');
      const card = await testRuntime.ask(frank, 'hr', 'create_time_off_request', request('VACATION', '2026-12-03', '2026-12-07', 'Skiing'));
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
      const answer = await testRuntime.approve(frank, card.confirmationId);
      expect(answer).toMatchObject({
        status: 'success',
        data: { employee_id: id(frank), employee_name: 'Frank Davis', days: 3, status: 'pending', notes: 'Skiing', approver_id: null },
      });
      expect(await balance(id(frank), 'VACATION')).toEqual({
        ...before,
        pending: Number(before['pending']) + 3,
        available: Number(before['available']) - 3,
      });
      expect((await testRuntime.data(frank, 'hr', 'get_time_off_balances'))['pto_balance']).toBe(Number(before['available']) - 3);
      expect(
        (await testRuntime.data(frank, 'hr', 'list_time_off_requests', { status: 'pending' })).map((row) => row['request_id']),
      ).toContain(idOf(answer));
      expect(
        (await testRuntime.data(nina, 'hr', 'list_team_time_off_requests', { status: 'pending' })).map((row) => row['request_id']),
      ).toContain(idOf(answer));
      expect(await ask(frank, request('SICK', '2026-12-07'))).toBe('OVERLAPPING_REQUEST');
      expect(await ask(frank, request('SICK', '2026-12-01', '2026-12-31'))).not.toBe('pending_confirmation');
      expect(await ask(frank, request('SICK', '2026-12-08'))).toBe('pending_confirmation');
    });

    test('refuses impossible requests', async () => {
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

    test('allows sick days in the past, unpaid leave, and requests of executives', async () => {
      expect(code(await testRuntime.done(tom, 'hr', 'create_time_off_request', request('SICK', '2026-11-12', '2026-11-13')))).toBe(
        'success',
      );
      expect(code(await testRuntime.done(tom, 'hr', 'create_time_off_request', request('UNPAID', '2026-12-14')))).toBe('success');
      const answer = await testRuntime.done(eve, 'hr', 'create_time_off_request', request('PERSONAL', '2026-12-14'));
      expect(answer).toMatchObject({ status: 'success', data: { employee_id: id(eve) } });
    });

    test('is refused if the balance changed or a day was taken after the card was shown', async () => {
      const one = await testRuntime.ask(paula, 'hr', 'create_time_off_request', request('SICK', '2026-12-01'));
      const two = await testRuntime.ask(paula, 'hr', 'create_time_off_request', request('SICK', '2026-12-02'));
      const same = await testRuntime.ask(paula, 'hr', 'create_time_off_request', request('VACATION', '2026-12-01'));
      expect(code(await testRuntime.approve(paula, one.confirmationId))).toBe('success');
      expect(code(await testRuntime.approve(paula, two.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      expect(await testRuntime.approve(paula, same.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'OVERLAPPING_REQUEST' },
      });
    });
  });

  describe('approve_time_off_request', () => {
    const decideOn = (who: Parameters<TestRuntime['call']>[0], request_id: string, approved: unknown = true, approver_notes?: string) =>
      testRuntime.call(who, 'hr', 'approve_time_off_request', { request_id, approved, ...(approver_notes && { approver_notes }) });
    const made = async (who: string, input: object) => idOf(await testRuntime.done(who, 'hr', 'create_time_off_request', input));
    const pendingOf = async (who: string) =>
      String((await testRuntime.data(who, 'hr', 'list_time_off_requests', { status: 'pending' }))[0]?.['request_id']);

    test('moves the days from pending to used when a manager approves', async () => {
      const request_id = await pendingOf(marcus);
      const { type_code, days, year } = await one(
        'select type_code, days::float8 as days, extract(year from start_date)::int as year from hr.time_off_requests ' +
          'where request_id = $1',
        [request_id],
      );
      const before = await balance(id(marcus), String(type_code), year);
      const card = await testRuntime.ask(nina, 'hr', 'approve_time_off_request', { request_id, approved: true, approver_notes: 'Enjoy' });
      expect(card.message).toMatch(/^Approve .* for Marcus Johnson /);
      expect(card.confirmationData).toMatchObject({
        subject: { id: request_id, label: expect.stringContaining('Marcus Johnson') },
        reason: 'Enjoy',
      });
      expect(card.confirmationData.changes.slice(0, 2)).toMatchObject([
        { field: 'status', from: 'pending', to: 'approved' },
        { field: 'used', from: before['used'], to: Number(before['used']) + Number(days), format: 'days' },
      ]);
      expect(await balance(id(marcus), String(type_code), year)).toEqual(before);
      expect(await testRuntime.approve(nina, card.confirmationId)).toMatchObject({
        status: 'success',
        data: { request_id, status: 'approved', approver_id: id(nina), approver_notes: 'Enjoy', decided_at: expect.any(String) },
      });
      expect(await balance(id(marcus), String(type_code), year)).toEqual({
        used: Number(before['used']) + Number(days),
        pending: Number(before['pending']) - Number(days),
        available: before['available'],
      });
      expect(await decideOn(nina, request_id)).toMatchObject({ code: 'REQUEST_NOT_PENDING', details: { status: 'approved' } });
      expect(await decideOn(nina, request_id, false)).toMatchObject({ code: 'REQUEST_NOT_PENDING' });
    });

    test('returns the days when a manager rejects', async () => {
      const request_id = await pendingOf(sarah);
      const { type_code, days, year } = await one(
        'select type_code, days::float8 as days, extract(year from start_date)::int as year from hr.time_off_requests ' +
          'where request_id = $1',
        [request_id],
      );
      const before = await balance(id(sarah), String(type_code), year);
      const card = await testRuntime.ask(nina, 'hr', 'approve_time_off_request', {
        request_id,
        approved: false,
        approver_notes: 'Release week',
      });
      expect(card.message).toMatch(/^Reject /);
      expect(card.confirmationData.changes[0]).toMatchObject({ field: 'status', from: 'pending', to: 'rejected' });
      expect(await testRuntime.approve(nina, card.confirmationId)).toMatchObject({
        status: 'success',
        data: { status: 'rejected', approver_notes: 'Release week' },
      });
      expect(await balance(id(sarah), String(type_code), year)).toEqual({
        used: before['used'],
        pending: Number(before['pending']) - Number(days),
        available: Number(before['available']) + Number(days),
      });
      expect(
        (await testRuntime.data(sarah, 'hr', 'list_time_off_requests', { status: 'rejected' })).map((row) => row['request_id']),
      ).toContain(request_id);
    });

    test('accepts only true and false as decisions', async () => {
      const request_id = await made(marcus, request('PERSONAL', '2026-12-15'));
      for (const bad of ['false', 'true', 0, 1, null])
        expect([bad, code(await decideOn(nina, request_id, bad))]).toEqual([bad, 'VALIDATION_ERROR']);
      expect(code(await testRuntime.call(nina, 'hr', 'approve_time_off_request', { request_id }))).toBe('VALIDATION_ERROR');
      expect(code(await testRuntime.done(nina, 'hr', 'approve_time_off_request', { request_id, approved: false }))).toBe('success');
    });

    test('lets HR and executives decide for anyone but themselves', async () => {
      for (const [decider, asker, day] of [
        [alice, dan, '2026-12-16'],
        [eve, dan, '2026-12-17'],
        [eve, alice, '2026-12-16'],
        [alice, eve, '2026-12-17'],
      ] as const) {
        const request_id = await made(asker, request('VACATION', day));
        const before = await balance(id(asker), 'VACATION');
        expect(code(await decideOn(asker, request_id))).toBe('SEPARATION_OF_DUTIES');
        expect(await testRuntime.done(decider, 'hr', 'approve_time_off_request', { request_id, approved: true })).toMatchObject({
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

    test('refuses other roles, and answers as for an unknown id if the request is of another team', async () => {
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

    test('is refused if the request was decided or the person changed teams after the card was shown', async () => {
      const request_id = await made(marcus, request('PERSONAL', '2026-12-22'));
      const mine = await testRuntime.ask(nina, 'hr', 'approve_time_off_request', { request_id, approved: true });
      expect(code(await testRuntime.done(alice, 'hr', 'approve_time_off_request', { request_id, approved: false }))).toBe('success');
      expect(await testRuntime.approve(nina, mine.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'REQUEST_NOT_PENDING' },
      });
      expect(await one('select status from hr.time_off_requests where request_id = $1', [request_id])).toEqual({ status: 'rejected' });

      const other = await made(marcus, request('PERSONAL', '2026-12-23'));
      const before = await balance(id(marcus), 'PERSONAL');
      const late = await testRuntime.ask(nina, 'hr', 'approve_time_off_request', { request_id: other, approved: true });
      await testRuntime.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(marcus), id(bob)]);
      expect(await testRuntime.approve(nina, late.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'TIME_OFF_REQUEST_NOT_FOUND' },
      });
      expect(await balance(id(marcus), 'PERSONAL')).toEqual(before);
      expect(code(await testRuntime.done(bob, 'hr', 'approve_time_off_request', { request_id: other, approved: true }))).toBe('success');
      await testRuntime.owner('update hr.employees set manager_id = $2 where employee_id = $1', [id(marcus), id(nina)]);
    });
  });
});
