/** Salaries by day: planned raises, the salary history, bands of grades, and who sees what. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HIDDEN } from '../../src/declare/fields.ts';
import { code, databases, employeeIdOf as id, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';

const [eve, alice, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'alice.chen',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;
/** Sees pay, but not planned pay. */
const accountant = person('bob.martinez', { roles: ['employee', 'hr-read', 'finance-read'] });
const DAY_BEFORE = new Date('2026-12-31T12:00:00Z');
const DAY = new Date('2027-01-01T00:00:01Z');

describe.each(databases)('salaries by day on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const salary = async (who: Who, whom: string) => (await testRuntime.data(who, 'hr', 'get_employee', { employee_id: id(whom) }))['salary'];
  const listed = async (who: Who, whom: string) =>
    (await testRuntime.data(who, 'hr', 'list_employees', { name: whom.replace('.', ' ') }))[0]?.['salary'];
  const sum = async (who: Who) => {
    const { rows } = (await testRuntime.data(who, 'hr', 'analyze', {
      of: 'list_employees',
      where: { department: 'Engineering' },
      measures: [{ sum: 'salary' }],
    })) as unknown as { rows: { sum_salary: number }[] };
    return rows[0]?.sum_salary ?? Number.NaN;
  };
  const history = async (who: Who, whom?: string) =>
    (await testRuntime.data(who, 'hr', 'get_salary_history', whom === undefined ? {} : { employee_id: id(whom) })) as unknown as {
      salary: unknown;
      planned_salary: unknown;
      history: { effective_date: string; salary: number; status: string; reason: string | null; changed_by_name: string | null }[];
    };
  const raise = (who: Who, whom: string, new_salary: number, more: object = {}) =>
    testRuntime.done(who, 'hr', 'update_salary', { employee_id: id(whom), new_salary, ...more });
  const at = async <T>(moment: Date, body: () => Promise<T>): Promise<T> => {
    testRuntime.clock.set(moment);
    try {
      return await body();
    } finally {
      testRuntime.clock.set(SAMPLE_DAY);
    }
  };

  test('a planned salary counts for everyone on its day, and for nobody before', async () => {
    const before = Number(await salary(alice, sarah));
    const total = await sum(alice);
    const card = await testRuntime.ask(alice, 'hr', 'update_salary', {
      employee_id: id(sarah),
      new_salary: before + 6000,
      effective_date: '2027-01-01',
      reason: 'Very good year',
    });
    expect(card.confirmationData).toMatchObject({
      summary: 'Change the salary of Sarah Kim from 2027-01-01',
      changes: [
        { field: 'salary', from: before, to: before + 6000 },
        { field: 'effective_date', to: '2027-01-01' },
      ],
    });
    expect(code(await testRuntime.approve(alice, card.confirmationId))).toBe('success');

    const seen = () => Promise.all([salary(alice, sarah), salary(sarah, sarah), salary(accountant, sarah), listed(eve, sarah)]);
    expect(await seen()).toEqual([before, before, before, before]);
    expect(await sum(alice)).toBe(total);
    expect((await history(sarah)).history.map((each) => each.effective_date)).not.toContain('2027-01-01');
    expect((await history(sarah)).planned_salary).toBe(HIDDEN);
    for (const who of [alice, eve])
      expect(await history(who, sarah)).toMatchObject({
        salary: before,
        planned_salary: before + 6000,
        history: expect.arrayContaining([
          expect.objectContaining({
            effective_date: '2027-01-01',
            salary: before + 6000,
            status: 'planned',
            reason: 'Very good year',
            changed_by_name: 'Alice Chen',
          }),
        ]),
      });

    expect(await at(DAY_BEFORE, seen)).toEqual([before, before, before, before]);
    expect(await at(DAY, seen)).toEqual(Array(4).fill(before + 6000));
    expect(await at(DAY, () => history(sarah))).toMatchObject({
      salary: before + 6000,
      planned_salary: HIDDEN,
      history: expect.arrayContaining([
        expect.objectContaining({ effective_date: '2027-01-01', salary: before + 6000, status: 'present', reason: null }),
      ]),
    });
    // Other planned raises of Engineering in the sample take effect on the same day.
    const [others] = await testRuntime.owner(
      `select coalesce(sum(n.planned_salary - p.salary), 0)::float8 as more from hr.planned_pay n join hr.pay p using (employee_id)
        join hr.employees using (employee_id) where department = 'Engineering' and active`,
    );
    expect(await at(DAY, () => sum(alice))).toBeCloseTo(total + Number(others?.['more']), 2);
    expect(await salary(nina, sarah)).toBe(HIDDEN);
    expect(await at(DAY, () => salary(nina, sarah))).toBe(HIDDEN);
  });

  test('the database hides planned pay from every role that may not see it', async () => {
    const rows = async (role: string, shows: string) => {
      const { database: each } = { database: testRuntime.databases[0] ?? expect.fail('no database') };
      return each.read(role, {
        text: `with s as materialized (select set_config('app.user_id', $1, true) as a, set_config('app.principal', 'x', true) as b,
            set_config('app.shows', $2, true) as c, set_config('app.today', '2026-12-31', true) as d)
          select q.* from s cross join lateral (select (select count(*)::int from hr.planned_pay where effective_date > '2026-12-31')
            + (select count(*)::int from hr.salary_history where effective_date > '2026-12-31') as n
            where s.a is not null and s.b is not null and s.c is not null and s.d is not null offset 0) q`,
        values: [id(sarah), shows],
      });
    };
    expect(await rows('hr_self', '')).toEqual([{ n: 0 }]);
    expect(await rows('hr_everyone', 'pay')).toEqual([{ n: 0 }]);
    expect(Number((await rows('hr_everyone', 'pay,planned_pay'))[0]?.['n'])).toBeGreaterThan(1);
  });

  test('a planned salary can be replaced, and a change today shows what is planned and ends with it', async () => {
    const before = Number(await salary(alice, marcus));
    expect(code(await raise(alice, marcus, before + 5000, { effective_date: '2027-01-01' }))).toBe('success');
    expect(code(await raise(eve, marcus, before + 7000, { effective_date: '2027-01-01' }))).toBe('success');
    expect(
      code(
        await raise(alice, marcus, before + 7000, { effective_date: '2027-01-01' }).catch(() => ({ status: 'error', code: 'x' }) as never),
      ),
    ).toBe('x');
    const now = await testRuntime.ask(alice, 'hr', 'update_salary', { employee_id: id(marcus), new_salary: before + 1000 });
    expect(now.confirmationData.changes).toContainEqual(
      expect.objectContaining({ field: 'planned_salary', label: 'Already planned from 2027-01-01', to: before + 7000 }),
    );
    expect(code(await testRuntime.approve(alice, now.confirmationId))).toBe('success');
    expect(await salary(marcus, marcus)).toBe(before + 1000);
    const planned = (await history(alice, marcus)).history.filter(({ status }) => status === 'planned');
    expect(planned).toMatchObject([{ effective_date: '2027-01-01', salary: before + 7000 }]);
    await at(new Date('2027-02-01T09:00:00Z'), async () => {
      expect(await salary(marcus, marcus)).toBe(before + 7000);
      // A change after that day replaces the planned salary.
      expect(code(await raise(alice, marcus, before + 9000))).toBe('success');
      expect(await salary(marcus, marcus)).toBe(before + 9000);
      expect((await history(alice, marcus)).history.map((each) => [each.effective_date, each.salary, each.status]).slice(0, 2)).toEqual([
        ['2027-02-01', before + 9000, 'present'],
        ['2027-01-01', before + 7000, 'past'],
      ]);
      // Not before the last change.
      expect(
        await testRuntime.call(alice, 'hr', 'update_salary', {
          employee_id: id(marcus),
          new_salary: before,
          effective_date: '2027-01-15',
        }),
      ).toMatchObject({ code: 'EFFECTIVE_DATE_OUT_OF_RANGE', details: { earliest: '2027-02-01' } });
    });
  });

  test('a card for a salary does not overwrite a salary that was planned after it', async () => {
    const before = Number(await salary(alice, frank));
    const card = await testRuntime.ask(alice, 'hr', 'update_salary', { employee_id: id(frank), new_salary: before + 500 });
    expect(code(await raise(eve, frank, before + 800, { effective_date: '2027-03-01' }))).toBe('success');
    expect(code(await testRuntime.approve(alice, card.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
    expect(await salary(alice, frank)).toBe(before);
  });

  test('a salary outside the band of the grade needs a reason, which the card shows and the history keeps', async () => {
    const [row] = await testRuntime.owner(
      'select salary_max::float8 as most from hr.grade_levels join hr.employees using (grade) where employee_id = $1',
      [id('tom.becker')],
    );
    const most = Number(row?.['most']);
    const employee_id = id('tom.becker');
    expect(await testRuntime.call(alice, 'hr', 'update_salary', { employee_id, new_salary: most + 1 })).toMatchObject({
      code: 'OUTSIDE_BAND',
      details: { salary_max: most },
    });
    expect(code(await testRuntime.call(alice, 'hr', 'update_salary', { employee_id, new_salary: most }))).toBe('pending_confirmation');
    const card = await testRuntime.ask(alice, 'hr', 'update_salary', {
      employee_id,
      new_salary: most + 1,
      outside_band_reason: 'Only person who knows the tax system',
    });
    expect(card.confirmationData.changes).toContainEqual(
      expect.objectContaining({ field: 'outside_band_reason', to: 'Only person who knows the tax system' }),
    );
    expect(code(await testRuntime.approve(alice, card.confirmationId))).toBe('success');
    const [kept] = await testRuntime.owner(
      'select outside_band_reason from hr.salary_history where employee_id = $1 order by changed_at desc limit 1',
      [employee_id],
    );
    expect(kept).toEqual({ outside_band_reason: 'Only person who knows the tax system' });
  });

  test('an employee without pay, contact data and grade is a record like any other', async () => {
    const [row] = await testRuntime.owner(
      `insert into hr.employees (first_name, last_name, email, department, job_title, location, manager_id, hire_date)
        values ('Sparse', 'Record', 'sparse.record@tamshai.example', 'Engineering', 'Engineer', 'Berlin', $1, '2026-01-05')
        returning employee_id`,
      [id(nina)],
    );
    const employee_id = String(row?.['employee_id']);
    for (const tool of ['get_employee', 'get_salary_history', 'get_org_chart'])
      expect([
        tool,
        code(await testRuntime.call(alice, 'hr', tool, tool === 'get_org_chart' ? { root_employee_id: employee_id } : { employee_id })),
      ]).toEqual([tool, 'success']);
    expect(code(await testRuntime.done(alice, 'hr', 'update_salary', { employee_id, new_salary: 90_000 }))).toBe('success');
    expect(await testRuntime.data(alice, 'hr', 'get_employee', { employee_id })).toMatchObject({ salary: 90_000, grade: null });
    expect((await testRuntime.data(alice, 'hr', 'get_salary_history', { employee_id }))['history']).toMatchObject([
      { salary: 90_000, status: 'present' },
    ]);
    expect(code(await testRuntime.done(alice, 'hr', 'update_contact', { employee_id, phone: '+1-512-555-0100' }))).toBe('success');
    expect(await testRuntime.data(alice, 'hr', 'get_employee', { employee_id })).toMatchObject({ phone: '+1-512-555-0100' });
  });

  test('only HR, executives and the owner read a salary history', async () => {
    const ask = async (who: Who, whom: string) => code(await testRuntime.call(who, 'hr', 'get_salary_history', { employee_id: id(whom) }));
    expect(await ask(nina, sarah)).toBe('EMPLOYEE_NOT_FOUND');
    expect(await ask(accountant, sarah)).toBe('EMPLOYEE_NOT_FOUND');
    expect(await ask(frank, sarah)).toBe('EMPLOYEE_NOT_FOUND');
    expect(await ask(sarah, sarah)).toBe('success');
    expect(await ask(alice, eve)).toBe('success');
  });

  test('the present entry of every history is the salary of the record', async () => {
    const people = await testRuntime.data(alice, 'hr', 'list_employees', { department: 'Legal' });
    for (const { employee_id, salary: paid } of people) {
      const { history: entries } = (await testRuntime.data(alice, 'hr', 'get_salary_history', { employee_id })) as unknown as Awaited<
        ReturnType<typeof history>
      >;
      expect(entries.filter(({ status }) => status === 'present').map((each) => each.salary)).toEqual([paid]);
    }
  });
});
