/** Hiring, moving and leaving: the reporting tree has no cycle, and a move changes at once who sees whom. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { code, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const [eve, alice, carol, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'alice.chen',
  'carol.johnson',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;

describe.each(databases)('hiring and moving on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, replicas: 3 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  let hired = 0;
  const newcomer = (more: object = {}) => ({
    first_name: 'Nora',
    last_name: `Ellis${'abcdefghijklmnopqrstuvwxyz'[hired++]}`,
    email: `nora${hired}@tamshai.example`,
    job_title: 'Software Engineer',
    department: 'Engineering',
    location: 'Austin',
    manager_id: id(nina),
    grade: 'G3',
    salary: 105_000,
    ...more,
  });
  async function hire(more: object = {}): Promise<string> {
    const answer = await testRuntime.done(alice, 'hr', 'create_employee', newcomer(more));
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
    return String((answer.data as Record<string, unknown>)['employee_id']);
  }
  const sees = async (who: Who, employee_id: string) =>
    code(await testRuntime.call(who, 'hr', 'get_employee', { employee_id })) === 'success';
  const update = (who: Who, input: object) => testRuntime.done(who, 'hr', 'update_employee', input);
  const refused = async (who: Who, tool: string, input: object) => code(await testRuntime.call(who, 'hr', tool, input));
  const managerOf = async (employee_id: string) =>
    (await testRuntime.owner('select manager_id from hr.employees where employee_id = $1', [employee_id]))[0]?.['manager_id'];
  /** Managers above, from the stored tree and from the managers of each row. */
  async function expectTree(): Promise<void> {
    const rows = await testRuntime.owner(`
      with recursive up (employee_id, manager_id, depth) as (
        select employee_id, manager_id, 1 from hr.employees where active and manager_id is not null
        union all select u.employee_id, m.manager_id, u.depth + 1 from up u join hr.employees m on m.employee_id = u.manager_id
        where m.manager_id is not null and u.depth < 60)
      select (select count(*)::int from up where depth > 50) as cycles, (select count(*)::int from up) as expected,
        (select count(*)::int from hr.chain) as stored,
        (select count(*)::int from up join hr.chain c using (employee_id, manager_id)) as both`);
    const { cycles, expected, stored, both } = rows[0] ?? {};
    expect({ cycles, stored, both }).toEqual({ cycles: 0, stored: expected, both: expected });
  }

  describe('create_employee', () => {
    test('adds a person with pay, balances and a place in the tree, whom the manager sees at once', async () => {
      const input = newcomer();
      const card = await testRuntime.ask(alice, 'hr', 'create_employee', input);
      expect(card.confirmationData).toMatchObject({
        summary: `Hire Nora ${input.last_name} as Software Engineer in Engineering`,
        changes: expect.arrayContaining([
          expect.objectContaining({ field: 'manager_id', label: 'Manager', to: 'Nina Patel' }),
          expect.objectContaining({ field: 'salary', to: 105_000, format: 'money' }),
        ]),
      });
      const answer = await testRuntime.approve(alice, card.confirmationId);
      expect(answer).toMatchObject({ status: 'success', data: { email: input.email, hire_date: '2026-11-16', salary: 105_000 } });
      const employee_id = String((answer as { data: Record<string, unknown> }).data['employee_id']);
      expect(await testRuntime.data(eve, 'hr', 'get_employee', { employee_id })).toMatchObject({
        salary: 105_000,
        grade: 'G3',
        manager_name: 'Nina Patel',
        active: true,
      });
      expect(await sees(nina, employee_id)).toBe(true);
      expect(await sees(carol, employee_id)).toBe(false);
      const itself = person(frank, { employeeId: employee_id });
      expect(await testRuntime.data(itself, 'hr', 'get_time_off_balances')).toMatchObject({ fiscal_year: 2026, pto_balance: 20 });
      expect(await testRuntime.data(itself, 'hr', 'get_time_off_balances', { fiscal_year: 2027 })).toMatchObject({ pto_balance: 20 });
      expect(await testRuntime.data(alice, 'hr', 'get_salary_history', { employee_id })).toMatchObject({
        history: [{ effective_date: '2026-11-16', salary: 105_000, status: 'present', reason: 'Hired' }],
      });
      const [feed] = await testRuntime.owner('select n from hr.people_log where employee_id = $1', [employee_id]);
      expect(Number(feed?.['n'])).toBeGreaterThan(0);
    });

    test('an e-mail belongs to one person, in any letter case, also after they left, and in a race', async () => {
      const whom = await hire({ email: 'once@tamshai.example' });
      expect(await refused(alice, 'create_employee', newcomer({ email: 'Once@Tamshai.example' }))).toBe('EMAIL_TAKEN');
      expect(await refused(alice, 'update_employee', { employee_id: id(sarah), email: 'ONCE@tamshai.example' })).toBe('EMAIL_TAKEN');
      expect(code(await testRuntime.done(alice, 'hr', 'delete_employee', { employee_id: whom }))).toBe('success');
      expect(await refused(alice, 'create_employee', newcomer({ email: 'once@tamshai.example' }))).toBe('EMAIL_TAKEN');
      const cards = await Promise.all(
        [0, 1, 2, 3].map(() => testRuntime.ask(alice, 'hr', 'create_employee', newcomer({ email: 'race@tamshai.example' }))),
      );
      const answers = await Promise.all(cards.map(({ confirmationId }, at) => testRuntime.approve(alice, confirmationId, at)));
      expect(answers.map(code).toSorted()).toEqual([...Array<string>(3).fill('CHANGED_SINCE_APPROVAL'), 'success']);
    });

    test('a salary counts from the hire date on', async () => {
      const employee_id = await hire({ hire_date: '2027-02-01' });
      const paid = async () => (await testRuntime.data(alice, 'hr', 'get_employee', { employee_id }))['salary'];
      expect(await paid()).not.toBe(105_000);
      testRuntime.clock.set(new Date('2027-02-01T09:00:00Z'));
      expect(await paid()).toBe(105_000);
      testRuntime.clock.set(new Date('2026-11-16T09:00:00Z'));
    });

    test('refuses unknown departments, grades, managers and salaries outside the band, and other roles', async () => {
      for (const [more, comes] of [
        [{ department: 'Moon' }, 'DEPARTMENT_NOT_FOUND'],
        [{ grade: 'G99' }, 'GRADE_NOT_FOUND'],
        [{ manager_id: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' }, 'EMPLOYEE_NOT_FOUND'],
        [{ salary: 1_000 }, 'OUTSIDE_BAND'],
        [{ hire_date: '2031-01-01' }, 'HIRE_DATE_OUT_OF_RANGE'],
        [{ first_name: '' }, 'VALIDATION_ERROR'],
        [{ email: 'no address' }, 'VALIDATION_ERROR'],
        [{ salary: 1_000, outside_band_reason: 'Apprentice' }, 'pending_confirmation'],
        [{ department: 'engineering' }, 'pending_confirmation'],
      ] as const)
        expect([more, await refused(alice, 'create_employee', newcomer(more))]).toEqual([more, comes]);
      for (const who of [nina, frank]) expect(await refused(who, 'create_employee', newcomer())).toBe('INSUFFICIENT_PERMISSIONS');
    });
  });

  describe('update_employee', () => {
    test('moving a manager moves what others see of the people below, at once', async () => {
      const lead = await hire();
      const below = await hire({ manager_id: lead });
      expect([await sees(nina, below), await sees(carol, below)]).toEqual([true, false]);
      expect(code(await update(alice, { employee_id: lead, manager_id: id(carol), department: 'sales' }))).toBe('success');
      expect([await sees(nina, below), await sees(carol, below)]).toEqual([false, true]);
      expect(await testRuntime.data(carol, 'hr', 'get_employee', { employee_id: lead })).toMatchObject({
        department: 'Sales',
        manager_name: 'Carol Johnson',
      });
      await expectTree();
    });

    test('a person cannot report to themselves or to anyone below, and can hand over the team first', async () => {
      const lead = await hire();
      const [one, two] = [await hire({ manager_id: lead }), await hire({ manager_id: lead })];
      const deep = await hire({ manager_id: one });
      for (const manager_id of [lead, one, deep])
        expect(await refused(alice, 'update_employee', { employee_id: lead, manager_id })).toBe('MANAGER_CYCLE');
      // `deep` takes over: it reports to the old manager, everyone else to it.
      expect(code(await update(alice, { employee_id: lead, move_reports_to: deep, manager_id: deep }))).toBe('success');
      expect(await Promise.all([lead, one, two, deep].map(managerOf))).toEqual([deep, deep, deep, id(nina)]);
      await expectTree();
    });

    test('concurrent moves never make a cycle', async () => {
      const people = await Promise.all(Array.from({ length: 3 }, () => hire()));
      for (let round = 0; round < 3; round++) {
        for (const each of people)
          await testRuntime.owner('update hr.employees set manager_id = $2 where employee_id = $1', [each, id(nina)]);
        const cards = await Promise.all(
          people.map((employee_id, at) =>
            testRuntime.ask(alice, 'hr', 'update_employee', { employee_id, manager_id: people[(at + 1) % people.length] }),
          ),
        );
        const codes = (await Promise.all(cards.map(({ confirmationId }, at) => testRuntime.approve(alice, confirmationId, at)))).map(code);
        expect(codes).toContain('success');
        expect(codes.filter((each) => each !== 'success').length).toBeGreaterThan(0);
        expect(codes.filter((each) => !['success', 'CHANGED_SINCE_APPROVAL'].includes(each))).toEqual([]);
        await expectTree();
      }
    });

    test('refuses oneself, people above, nothing new, and other roles', async () => {
      for (const [who, input, comes] of [
        [alice, { employee_id: id(alice), job_title: 'Queen' }, 'SEPARATION_OF_DUTIES'],
        [alice, { employee_id: id(eve), job_title: 'Queen' }, 'SEPARATION_OF_DUTIES'],
        [alice, { employee_id: id(sarah) }, 'NOTHING_TO_CHANGE'],
        [alice, { employee_id: id(sarah), department: 'Engineering', manager_id: id(nina) }, 'NOTHING_TO_CHANGE'],
        [alice, { employee_id: id(frank), grade: 'G6' }, 'OUTSIDE_BAND'],
        [nina, { employee_id: id(sarah), job_title: 'Queen' }, 'INSUFFICIENT_PERMISSIONS'],
        [frank, { employee_id: id(frank), job_title: 'King' }, 'INSUFFICIENT_PERMISSIONS'],
      ] as const)
        expect([who, input, await refused(who, 'update_employee', input)]).toEqual([who, input, comes]);
    });
  });

  test('an employee with reports leaves only with move_reports_to', async () => {
    const lead = await hire();
    const [one, two] = [await hire({ manager_id: lead }), await hire({ manager_id: lead })];
    expect(await refused(alice, 'delete_employee', { employee_id: lead })).toBe('HAS_REPORTS');
    expect(await refused(alice, 'delete_employee', { employee_id: lead, move_reports_to: lead })).toBe('MANAGER_CYCLE');
    const card = await testRuntime.ask(alice, 'hr', 'delete_employee', { employee_id: lead, move_reports_to: one });
    expect(card.confirmationData.changes).toContainEqual(
      expect.objectContaining({ field: 'move_reports_to', to: expect.stringMatching(/\(1 /) }),
    );
    expect(code(await testRuntime.approve(alice, card.confirmationId))).toBe('success');
    expect(await Promise.all([one, two].map(managerOf))).toEqual([id(nina), one]);
    expect(await sees(nina, two)).toBe(true);
    await expectTree();
  });

  test('contact data: at once for oneself, with an approval for others, never for people above', async () => {
    const own = await testRuntime.call(marcus, 'hr', 'update_contact', { phone: '+1-512-555-0142' });
    expect(own).toMatchObject({ status: 'success', data: { employee_id: id(marcus), phone: '+1-512-555-0142' } });
    expect(await testRuntime.data(alice, 'hr', 'get_employee', { employee_id: id(marcus) })).toMatchObject({ phone: '+1-512-555-0142' });
    const other = { employee_id: id(frank), home_address: '12 Maple Street, Austin' };
    expect(code(await testRuntime.done(alice, 'hr', 'update_contact', other))).toBe('success');
    expect(await refused(alice, 'update_contact', other)).toBe('NOTHING_TO_CHANGE');
    expect(await refused(alice, 'update_contact', { employee_id: id(eve), phone: '+1-512-555-0143' })).toBe('SEPARATION_OF_DUTIES');
    for (const who of [frank, nina])
      expect(await refused(who, 'update_contact', { employee_id: id(sarah), phone: '+1-512-555-0143' })).toBe('EMPLOYEE_NOT_FOUND');
    expect(code(await testRuntime.call(alice, 'hr', 'update_contact', { phone: '+1-512-555-0144' }))).toBe('success');
    const bodies = (await testRuntime.owner('select body from hr.audit')).map(({ body }) => String(body)).join('\n');
    expect(bodies).toContain('update_contact');
    expect(bodies).not.toMatch(/555-014|Maple Street/);
  });
});
