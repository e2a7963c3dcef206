/** Cancelled requests, new years of time off, and reviews from the draft to the acknowledgement. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { code, databases, employeeIdOf as id, openTestRuntime, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';

const [eve, alice, carol, nina, marcus, sarah, frank, tom] = [
  'eve.thompson',
  'alice.chen',
  'carol.johnson',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
  'tom.becker',
] as const;

describe.each(databases)('time off and reviews by year on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, replicas: 2 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const refused = async (who: Who, tool: string, input: object) => code(await testRuntime.call(who, 'hr', tool, input));
  const vacation = async (whom: string, year = 2026) =>
    (
      await testRuntime.owner(
        `select used::float8 as used, pending::float8 as pending, (entitlement + carryover - used - pending)::float8 as available
          from hr.time_off_balances where employee_id = $1 and fiscal_year = $2 and type_code = 'VACATION'`,
        [id(whom), year],
      )
    )[0] ?? {};
  async function request(who: string, start_date: string, end_date: string): Promise<string> {
    const answer = await testRuntime.done(who, 'hr', 'create_time_off_request', { type_code: 'VACATION', start_date, end_date });
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
    return String((answer.data as Record<string, unknown>)['request_id']);
  }

  test('cancelling gives the days back: pending ones, and approved ones', async () => {
    const before = await vacation(frank);
    const pending = await request(frank, '2026-12-07', '2026-12-09');
    expect(code(await testRuntime.done(frank, 'hr', 'cancel_time_off_request', { request_id: pending }))).toBe('success');
    expect(await vacation(frank)).toEqual(before);

    const approved = await request(frank, '2026-12-07', '2026-12-09');
    expect(code(await testRuntime.done(nina, 'hr', 'approve_time_off_request', { request_id: approved, approved: true }))).toBe('success');
    expect(await vacation(frank)).toEqual({ ...before, used: Number(before['used']) + 3, available: Number(before['available']) - 3 });
    const card = await testRuntime.ask(frank, 'hr', 'cancel_time_off_request', { request_id: approved });
    expect(card.confirmationData.changes).toMatchObject([
      { field: 'status', from: 'approved', to: 'cancelled' },
      { field: 'available', from: Number(before['available']) - 3, to: before['available'], format: 'days' },
    ]);
    const twice = await Promise.all([0, 1].map((at) => testRuntime.approve(frank, card.confirmationId, at)));
    expect(twice.map(code)).toEqual(['success', 'success']);
    expect(await vacation(frank)).toEqual(before);
    expect(await refused(frank, 'cancel_time_off_request', { request_id: approved })).toBe('REQUEST_NOT_OPEN');
    expect(await refused(nina, 'approve_time_off_request', { request_id: approved, approved: true })).toBe('REQUEST_NOT_PENDING');
    // The days can be requested again.
    await request(frank, '2026-12-07', '2026-12-09');
  });

  test('time off that has begun is cancelled by a manager or HR, and by nobody else', async () => {
    const request_id = await request(sarah, '2026-12-14', '2026-12-16');
    expect(code(await testRuntime.done(nina, 'hr', 'approve_time_off_request', { request_id, approved: true }))).toBe('success');
    testRuntime.clock.set(new Date('2026-12-15T09:00:00Z'));
    expect(await refused(sarah, 'cancel_time_off_request', { request_id })).toBe('ALREADY_BEGUN');
    for (const who of [marcus, carol, frank])
      expect([who, await refused(who, 'cancel_time_off_request', { request_id })]).toEqual([who, 'TIME_OFF_REQUEST_NOT_FOUND']);
    const before = await vacation(sarah);
    expect(code(await testRuntime.done(alice, 'hr', 'cancel_time_off_request', { request_id }))).toBe('success');
    expect(await vacation(sarah)).toEqual({ ...before, used: Number(before['used']) - 3, available: Number(before['available']) + 3 });
    testRuntime.clock.set(SAMPLE_DAY);
  });

  test('a decision and a cancellation at the same time change the balance once', async () => {
    const before = await vacation(marcus);
    const request_id = await request(marcus, '2026-12-21', '2026-12-22');
    const decide = await testRuntime.ask(nina, 'hr', 'approve_time_off_request', { request_id, approved: true });
    const cancel = await testRuntime.ask(marcus, 'hr', 'cancel_time_off_request', { request_id });
    const codes = [testRuntime.approve(nina, decide.confirmationId, 0), testRuntime.approve(marcus, cancel.confirmationId, 1)];
    expect((await Promise.all(codes)).map(code).toSorted()).toEqual(['CHANGED_SINCE_APPROVAL', 'success']);
    const [row] = await testRuntime.owner('select status from hr.time_off_requests where request_id = $1', [request_id]);
    const used = row?.['status'] === 'approved' ? 2 : 0;
    expect(await vacation(marcus)).toEqual({
      ...before,
      used: Number(before['used']) + used,
      available: Number(before['available']) - used,
    });
  });

  test('a year is opened once, with carry-over by policy', async () => {
    expect(await refused(nina, 'open_time_off_year', {})).toBe('INSUFFICIENT_PERMISSIONS');
    for (const [input, comes] of [
      [{ fiscal_year: 2026 }, 'YEAR_ALREADY_OPEN'],
      [{ fiscal_year: 2030 }, 'YEAR_OUT_OF_RANGE'],
      [
        {
          entitlements: [
            { type_code: 'SICK', days: 1 },
            { type_code: 'SICK', days: 2 },
          ],
        },
        'DUPLICATE_TYPE',
      ],
      [{ carryover_max: 0.3 }, 'VALIDATION_ERROR'],
    ] as const)
      expect([input, await refused(alice, 'open_time_off_year', input)]).toEqual([input, comes]);
    const input = { entitlements: [{ type_code: 'SICK', days: 15 }] };
    const [first, second] = [
      await testRuntime.ask(alice, 'hr', 'open_time_off_year', input),
      await testRuntime.ask(eve, 'hr', 'open_time_off_year', {}),
    ];
    const answers = await Promise.all([
      testRuntime.approve(alice, first.confirmationId, 0),
      testRuntime.approve(eve, second.confirmationId, 1),
    ]);
    expect(answers.map(code).toSorted()).toEqual(['CHANGED_SINCE_APPROVAL', 'success']);
    if (code(answers[0] ?? expect.fail()) !== 'success') return;
    const [sums] = await testRuntime.owner(`
      select count(*)::int as rows, count(*) filter (where n.type_code = 'SICK' and n.entitlement <> 15)::int as sick,
        count(*) filter (where n.type_code <> 'SICK' and n.entitlement <> b.entitlement)::int as changed,
        count(*) filter (where n.carryover <> case n.type_code when 'VACATION'
          then greatest(0, least(5, b.entitlement + b.carryover - b.used - b.pending)) else 0 end)::int as carried
      from hr.time_off_balances n join hr.time_off_balances b using (employee_id, type_code)
      where n.fiscal_year = 2028 and b.fiscal_year = 2027`);
    const people = Number((await testRuntime.owner('select count(*)::int as n from hr.employees where active'))[0]?.['n']);
    expect(sums).toEqual({ rows: people * 7, sick: 0, changed: 0, carried: 0 });
    expect(await testRuntime.data(frank, 'hr', 'get_time_off_balances', { fiscal_year: 2028 })).toMatchObject({ fiscal_year: 2028 });
  });

  test('a review goes from the draft to the acknowledgement', async () => {
    const write = (more: object = {}) => ({ employee_id: id(marcus), period: '2026-H2', rating: 4, ...more });
    expect(code(await testRuntime.done(nina, 'hr', 'write_performance_review', write({ submit: false, strengths: 'Calm' })))).toBe(
      'success',
    );
    expect(code(await testRuntime.call(marcus, 'hr', 'acknowledge_performance_review', { period: '2026-H2' }))).toBe('REVIEW_NOT_FOUND');
    const submitted = await testRuntime.done(nina, 'hr', 'write_performance_review', write({ rating: 4.5, goals_met_percent: 90 }));
    expect(submitted).toMatchObject({
      status: 'success',
      data: { status: 'submitted', rating: 4.5, strengths: 'Calm', due_date: '2027-01-31' },
    });
    expect(await refused(nina, 'write_performance_review', write())).toBe('ALREADY_SUBMITTED');
    const answers = await Promise.all(
      [0, 1].map((at) => testRuntime.call(marcus, 'hr', 'acknowledge_performance_review', { period: '2026-H2' }, at)),
    );
    expect(answers.map(code)).toEqual(['success', 'success']);
    expect(
      await testRuntime.data(nina, 'hr', 'get_performance_reviews', { employee_id: id(marcus), status: 'acknowledged' }),
    ).toContainEqual(expect.objectContaining({ period: '2026-H2', rating: 4.5 }));
    for (const [who, input, comes] of [
      [nina, write({ employee_id: id(nina) }), 'EMPLOYEE_NOT_FOUND'],
      [nina, write({ employee_id: id(tom) }), 'EMPLOYEE_NOT_FOUND'],
      [nina, write({ period: '2027-H1' }), 'PERIOD_NOT_BEGUN'],
      [nina, write({ rating: 4.2 }), 'VALIDATION_ERROR'],
      [alice, write({ employee_id: id(sarah) }), 'EMPLOYEE_NOT_FOUND'],
      [sarah, write(), 'INSUFFICIENT_PERMISSIONS'],
    ] as const)
      expect([who, input, await refused(who, 'write_performance_review', input)]).toEqual([who, input, comes]);
    // A half year without a prepared review begins with the first draft.
    expect(code(await testRuntime.done(nina, 'hr', 'write_performance_review', write({ employee_id: id(frank), period: '2020-H1' })))).toBe(
      'success',
    );
    expect(code(await testRuntime.call(frank, 'hr', 'acknowledge_performance_review'))).toBe('success');
  });
});
