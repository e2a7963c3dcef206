/** Concurrent decisions have the same outcome on three replicas with PostgreSQL as on PGlite. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import pg from 'pg';
import { code, databases, employeeIdOf as id, openTestRuntime, type TestRuntime } from '../test-runtime.ts';

const [eve, alice, marcus, sarah] = ['eve.thompson', 'alice.chen', 'marcus.johnson', 'sarah.kim'] as const;

describe.each(databases)('concurrent decisions on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, replicas: 3 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const count = async (text: string, values: readonly unknown[] = []) => Number((await testRuntime.owner(text, values))[0]?.['n']);

  test('twenty concurrent approvals of one card have one effect and one result', async () => {
    for (let round = 0; round < 3; round++) {
      const before = await count('select count(*)::int as n from hr.salary_history');
      const { confirmationId } = await testRuntime.ask(alice, 'hr', 'update_salary', {
        employee_id: id(marcus),
        new_salary: 150_000 + round,
      });
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => testRuntime.approve(alice, confirmationId, n)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject({ status: 'success', data: { salary: 150_000 + round } });
      expect(await count('select count(*)::int as n from hr.salary_history')).toBe(before + 1);
    }
  });

  test('of two concurrent salary changes of one employee, one succeeds and the other is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const [first, second] = [
        await testRuntime.ask(alice, 'hr', 'update_salary', { employee_id: id(sarah), new_salary: 160_000 + round }),
        await testRuntime.ask(eve, 'hr', 'update_salary', { employee_id: id(sarah), new_salary: 170_000 + round }),
      ];
      const answers = await Promise.all([
        testRuntime.approve(alice, first.confirmationId, 1),
        testRuntime.approve(eve, second.confirmationId, 2),
      ]);
      expect(answers.map(code).sort()).toEqual(['CHANGED_SINCE_APPROVAL', 'success']);
    }
  });

  test('unrelated changes do not block each other', async () => {
    const people = await testRuntime.owner(
      "select employee_id from hr.employees where active and department = 'Marketing' order by employee_id limit 12",
    );
    const cards = [];
    for (const row of people)
      cards.push(
        await testRuntime.ask(alice, 'hr', 'update_salary', {
          employee_id: row['employee_id'],
          new_salary: 77_777,
          outside_band_reason: 'A rare case',
        }),
      );
    const answers = await Promise.all(cards.map(({ confirmationId }, n) => testRuntime.approve(alice, confirmationId, n)));
    expect(answers.map(code)).toEqual(people.map(() => 'success'));
  });

  test('of nine cards for the same days left, one can be approved, and new requests can use the rest', async () => {
    await testRuntime.owner(
      'update hr.time_off_balances set entitlement = 15 + used + pending - least(carryover, used + pending), carryover = ' +
        "least(carryover, used + pending) where employee_id = $1 and fiscal_year = 2026 and type_code = 'VACATION'",
      [id(marcus)],
    );
    await testRuntime.owner("update hr.time_off_requests set status = 'cancelled' where employee_id = $1 and status = 'pending'", [
      id(marcus),
    ]);
    const facts = () =>
      testRuntime.owner(
        'select pending::float8 as pending, (entitlement + carryover - used - pending)::float8 as left from hr.time_off_balances ' +
          "where employee_id = $1 and fiscal_year = 2026 and type_code = 'VACATION'",
        [id(marcus)],
      );
    const [before] = await facts();
    expect(before?.['left']).toBe(15);
    const weeks = ['10-19', '10-26', '11-02', '11-09', '11-16', '11-23', '11-30', '12-07', '12-14'].map((day) => `2026-${day}`);
    const cards = [];
    for (const start of weeks) {
      const end_date = new Date(Date.parse(start) + 4 * 86_400_000).toISOString().slice(0, 10);
      cards.push(await testRuntime.ask(marcus, 'hr', 'create_time_off_request', { type_code: 'VACATION', start_date: start, end_date }));
    }
    const answers = await Promise.all(cards.map(({ confirmationId }, n) => testRuntime.approve(marcus, confirmationId, n)));
    const made = answers.filter(({ status }) => status === 'success').length;
    // Each card says that 15 days are left. After the first approval this is wrong, so the other requests must be made again.
    expect(made).toBe(1);
    expect(new Set(answers.map(code))).toEqual(new Set(['success', 'CHANGED_SINCE_APPROVAL']));
    const [after] = await facts();
    expect(after).toEqual({ pending: Number(before?.['pending']) + 5, left: 10 });
    expect(
      await count(
        "select coalesce(sum(days), 0)::int as n from hr.time_off_requests where employee_id = $1 and status = 'pending' " +
          "and type_code = 'VACATION'",
        [id(marcus)],
      ),
    ).toBe(5);
    // Two of the new requests succeed. For the third, no days are left.
    for (const [start, comes] of [
      ['2026-11-30', 'success'],
      ['2026-12-07', 'success'],
      ['2026-12-14', 'INSUFFICIENT_BALANCE'],
    ] as const) {
      const free = start === weeks[answers.findIndex(({ status }) => status === 'success')] ? '2026-12-21' : start;
      const input = {
        type_code: 'VACATION',
        start_date: free,
        end_date: new Date(Date.parse(free) + 4 * 86_400_000).toISOString().slice(0, 10),
      };
      const asked = await testRuntime.call(marcus, 'hr', 'create_time_off_request', input);
      expect(code(asked.status === 'pending_confirmation' ? await testRuntime.approve(marcus, asked.confirmationId) : asked)).toBe(comes);
    }
    expect((await facts())[0]?.['left']).toBe(0);
  });

  test('of nine concurrent approved requests for the same day one takes effect', async () => {
    const cards = [];
    for (let n = 0; n < 9; n++)
      cards.push(
        await testRuntime.ask(sarah, 'hr', 'create_time_off_request', {
          type_code: n % 2 ? 'SICK' : 'PERSONAL',
          start_date: '2026-12-02',
          end_date: '2026-12-02',
          notes: `Number ${n}`,
        }),
      );
    const answers = await Promise.all(cards.map(({ confirmationId }, n) => testRuntime.approve(sarah, confirmationId, n)));
    expect(answers.filter(({ status }) => status === 'success')).toHaveLength(1);
    expect(
      await count(
        "select count(*)::int as n from hr.time_off_requests where employee_id = $1 and start_date = '2026-12-02' and status = 'pending'",
        [id(sarah)],
      ),
    ).toBe(1);
  });

  test('an employee who is deleted while another one moves under them never has an active report', async () => {
    const leaf =
      "select employee_id from hr.employees e where active and department = 'Operations' " +
      "and employee_id::text not like '0e000000%' and not exists (select from hr.employees r where r.manager_id = " +
      'e.employee_id) order by employee_id';
    const people = (await testRuntime.owner(`${leaf} limit 16`)).map((row) => String(row['employee_id']));
    const outcomes: string[] = [];
    for (let round = 0; round + 1 < people.length; round += 2) {
      const [leaver, mover] = [people[round] ?? '', people[round + 1] ?? ''];
      const { confirmationId } = await testRuntime.ask(alice, 'hr', 'delete_employee', { employee_id: leaver });
      const decide = () => testRuntime.approve(alice, confirmationId, round);
      const move = () => moveUnder(testRuntime, leaver, mover);
      // The embedded database runs one transaction at a time, so the test tries both orders.
      const first = database === 'pglite' && round % 4 === 0 ? move() : undefined;
      await first;
      const [decided] =
        database === 'pglite'
          ? [await decide(), await (first ?? move())]
          : await Promise.all([decide(), moveAtOnce(testRuntime, leaver, mover)]);
      outcomes.push(code(decided));
      expect(
        await count(
          'select count(*)::int as n from hr.employees r join hr.employees m on m.employee_id = r.manager_id where r.active ' +
            'and not m.active',
        ),
      ).toBe(0);
    }
    expect(outcomes.every((each) => each === 'success' || each === 'CHANGED_SINCE_APPROVAL')).toBe(true);
  });
});

const moveUnder = (testRuntime: TestRuntime, leaver: string, mover: string) =>
  testRuntime.owner(
    'update hr.employees set manager_id = $1 where employee_id = $2 and exists (select from hr.employees where employee_id = $1 ' +
      'and active)',
    [leaver, mover],
  );

/** Moves an employee in a transaction of another connection, concurrent with the deletion. */
async function moveAtOnce(testRuntime: TestRuntime, leaver: string, mover: string): Promise<void> {
  const [where] = await testRuntime.owner('select current_database() as name');
  const url = new URL(process.env.TAMSHAI_TEST_DATABASE_URL ?? '');
  url.pathname = `/${String(where?.['name'])}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query('begin isolation level serializable');
    const { rows } = await client.query('select active from hr.employees where employee_id = $1', [leaver]);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20));
    if (rows[0]?.active) await client.query('update hr.employees set manager_id = $1 where employee_id = $2', [leaver, mover]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    if ((error as { code?: string }).code !== '40001') throw error;
  } finally {
    await client.end();
  }
}
