/** Write policies in the database itself: which changes they allow, and which they refuse. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personas } from '../../domains/sample-company/people.ts';
import {
  ALL,
  BELOW,
  count,
  DENIED,
  databases,
  errorOf,
  idOf,
  ids,
  LEAVE,
  openSqlTestStore,
  READERS,
  SALARY,
  type SqlTestStore,
  someone,
  WRITERS,
} from './sql-test-store.ts';

const DECIDE =
  "update hr.time_off_requests set status = 'approved', approver_id = $2, decided_at = now() where request_id = $1 " +
  "and status = 'pending' returning request_id";

describe.each(databases)('writes on %s', (kind) => {
  let testRuntime: SqlTestStore;
  const below = (username: string) => ids(testRuntime.owner, BELOW, [idOf(username)]);
  const pendingOf = async (username: string) =>
    (
      await ids(testRuntime.owner, "select request_id from hr.time_off_requests where employee_id = $1 and status = 'pending'", [
        idOf(username),
      ])
    )[0] ?? '';
  beforeAll(async () => void (testRuntime = await openSqlTestStore(kind)), 120_000);
  afterAll(() => testRuntime.close());

  describe('pay and employment', () => {
    test.each(['alice.chen', 'eve.thompson'])('%s changes a salary, and adds it to the salary history', async (username) => {
      await testRuntime.as('hr_everyone_write', someone(username, ALL), async (query) => {
        expect(await query(SALARY, [idOf('sarah.kim')])).toEqual([{ row_version: 2 }]);
        const [kept] = await query(
          "insert into hr.salary_history (employee_id, old_salary, new_salary, effective_date) values ($1, 1, 2, '2026-12-01') " +
            'returning employee_id',
          [idOf('sarah.kim')],
        );
        expect(kept).toEqual({ employee_id: idOf('sarah.kim') });
      });
    });

    test.each([
      ['alice.chen', 'alice.chen'],
      ['alice.chen', 'eve.thompson'],
      ['eve.thompson', 'eve.thompson'],
    ])('%s changes neither pay nor employment of %s', async (username, whose) => {
      const who = someone(username, ALL);
      expect(await testRuntime.as('hr_everyone_write', who, (query) => query(SALARY, [idOf(whose)]))).toEqual([]);
      expect(await testRuntime.as('hr_everyone_write', who, (query) => query(LEAVE, [idOf(whose)]))).toEqual([]);
      const forge = "insert into hr.salary_history (employee_id, old_salary, new_salary, effective_date) values ($1, 1, 2, '2026-12-01')";
      expect(await errorOf(testRuntime.as('hr_everyone_write', who, (query) => query(forge, [idOf(whose)])))).toBe(DENIED);
    });

    test('an update of all rows changes neither the caller nor the people above', async () => {
      await testRuntime.as('hr_everyone_write', someone('alice.chen', ALL), async (query) => {
        const people = await count(query, 'hr.pay');
        const changed = await query('update hr.pay set salary = 1 returning employee_id');
        expect(changed.length).toBe(people - 2);
      });
    });

    test('a person who left is in no view, only in the table hr.employees, and cannot be reactivated', async () => {
      await testRuntime.as('hr_everyone_write', someone('alice.chen', ALL), async (query) => {
        expect(await query(LEAVE, [idOf('frank.davis')])).toEqual([{ employee_id: idOf('frank.davis'), active: false }]);
        for (const view of ['people', 'team', 'chain', 'balances', 'time_off', 'team_time_off', 'reviews']) {
          expect(await count(query, `hr.${view} where employee_id = '${idOf('frank.davis')}'`)).toBe(0);
        }
        expect(await count(query, `hr.employees where employee_id = '${idOf('frank.davis')}' and termination_reason = 'left'`)).toBe(1);
        expect(await query(LEAVE, [idOf('frank.davis')])).toEqual([]);
        const back = 'update hr.employees set active = true, terminated_at = null where employee_id = $1 returning employee_id';
        expect(await query(back, [idOf('frank.davis')])).toEqual([]);
      });
    });

    test('hr.employment says that a person left, and the directory does not list them', async () => {
      await testRuntime.asOwner(async (query) => {
        await query('update hr.employees set active = false, terminated_at = now() where employee_id = $1', [idOf('frank.davis')]);
        await query("select set_config('app.principal', 'sign-in', true)");
        await query('set local role hr_directory');
        const asked = ['frank.davis', 'sarah.kim'].map(idOf);
        expect(
          await ids(query, 'select hr.employment(id::uuid) from unnest($1::text[]) id', [
            [...asked, '00000000-0000-4000-8000-00000000dead'],
          ]),
        ).toEqual(['terminated', 'active', 'unknown']);
        expect(await count(query, `hr.directory where employee_id = '${idOf('frank.davis')}'`)).toBe(0);
        expect(await count(query, `hr.employees where employee_id = '${idOf('frank.davis')}'`)).toBe(0);
      });
    });

    test('a person with reports cannot leave, and no manager, end or row of an employment is removed', async () => {
      const who = someone('alice.chen', ALL);
      expect(await errorOf(testRuntime.as('hr_everyone_write', who, (query) => query(LEAVE, [idOf('nina.patel')])))).toBe(DENIED);
      for (const text of [
        "update hr.employees set termination_reason = 'kept' where employee_id = $1",
        'update hr.employees set manager_id = null where employee_id = $1',
        'delete from hr.employees where employee_id = $1',
      ]) {
        expect(await errorOf(testRuntime.as('hr_everyone_write', who, (query) => query(text, [idOf('frank.davis')])))).toBe(DENIED);
      }
    });
  });

  describe('time off', () => {
    const BALANCE = `update hr.time_off_balances set used = used + $2, pending = pending - $2
      where (employee_id, fiscal_year, type_code) = ($1, $3, $4) returning employee_id`;

    test('a person adds a request of their own and changes their pending balance', async () => {
      await testRuntime.as('hr_self_write', someone('marcus.johnson'), async (query) => {
        const asked = await query(
          "insert into hr.time_off_requests (type_code, start_date, end_date, days) values ('SICK', '2026-11-16', '2026-11-16', 1) " +
            'returning employee_id, status',
        );
        expect(asked).toEqual([{ employee_id: idOf('marcus.johnson'), status: 'pending' }]);
        expect(
          await query(
            "update hr.time_off_balances set pending = pending + 1 where fiscal_year = 2026 and type_code = 'SICK' returning employee_id",
          ),
        ).toEqual([{ employee_id: idOf('marcus.johnson') }]);
      });
    });

    test.each([
      [
        'insert into hr.time_off_requests (employee_id, type_code, start_date, end_date, days) ' +
          "values ('0e000000-0000-4000-8000-000000000008', 'SICK', '2026-11-16', '2026-11-16', 1)",
        DENIED,
      ],
      [
        'insert into hr.time_off_requests (type_code, start_date, end_date, days, status) ' +
          "values ('SICK', '2026-11-16', '2026-11-16', 1, 'approved')",
        DENIED,
      ],
      ["update hr.time_off_requests set status = 'approved'", DENIED],
      ['update hr.time_off_balances set used = 0', DENIED],
      ['update hr.time_off_balances set entitlement = 100', DENIED],
      ['update hr.time_off_balances set pending = 400', '23514'],
      ['update hr.time_off_balances set pending = -1', '23514'],
      ['delete from hr.time_off_requests', DENIED],
    ])('a person cannot: %s', async (text, code) => {
      expect(await errorOf(testRuntime.as('hr_self_write', someone('marcus.johnson'), (query) => query(text)))).toBe(code);
    });

    test('nobody changes another person’s balance', async () => {
      await testRuntime.as('hr_self_write', someone('marcus.johnson'), async (query) => {
        expect(
          await query('update hr.time_off_balances set pending = pending where employee_id = $1 returning 1', [idOf('sarah.kim')]),
        ).toEqual([]);
        const moved = await query('update hr.time_off_balances set pending = pending returning employee_id');
        expect(new Set(moved.map((row) => row['employee_id']))).toEqual(new Set([idOf('marcus.johnson')]));
      });
    });

    test.each([
      ['hr_reports_write', 'nina.patel'],
      ['hr_reports_write', 'eve.thompson'],
      ['hr_everyone_write', 'alice.chen'],
      ['hr_everyone_write', 'eve.thompson'],
    ])('%s: %s decides on a request of Marcus once, and changes his balance', async (role, username) => {
      const request = await pendingOf('marcus.johnson');
      await testRuntime.as(role, someone(username), async (query) => {
        expect(await query(DECIDE, [request, idOf(username)])).toEqual([{ request_id: request }]);
        const [{ days, type_code, year } = {}] = await query(
          'select days, type_code, extract(year from start_date)::int as year from hr.time_off where request_id = $1',
          [request],
        );
        expect(await query(BALANCE, [idOf('marcus.johnson'), days, year, type_code])).toHaveLength(1);
        expect(await query(DECIDE, [request, idOf(username)])).toEqual([]);
      });
    });

    test('an update without a filter changes only requests and balances of the people below the manager', async () => {
      const tree = await below('nina.patel');
      const waiting = await ids(
        testRuntime.owner,
        "select request_id from hr.time_off_requests where status = 'pending' and employee_id = any ($1::uuid[])",
        [tree],
      );
      await testRuntime.asOwner(async (query) => {
        await query(`select set_config('app.user_id', $1, true), set_config('app.principal', 'nina', true)`, [idOf('nina.patel')]);
        await query('set local role hr_reports_write');
        // The statement reads no column, so that no select policy restricts it.
        await query(`update hr.time_off_requests set status = 'approved', approver_id = '${idOf('nina.patel')}', decided_at = now()`);
        await query('update hr.time_off_balances set used = 0, pending = 0');
        await query('reset role');
        const decided = await ids(query, 'select request_id from hr.time_off_requests where row_version > 1 order by 1');
        expect(decided).toEqual(waiting.toSorted());
        const moved = await ids(query, 'select distinct employee_id from hr.time_off_balances where row_version > 1 order by 1');
        expect(moved).toEqual(tree);
      });
    });

    test('nobody decides on their own request or in the name of another person, or cancels a request', async () => {
      await testRuntime.asOwner(async (query) => {
        const [own] = await ids(
          query,
          'insert into hr.time_off_requests (employee_id, type_code, start_date, end_date, days) ' +
            "values ($1, 'SICK', '2026-12-01', '2026-12-01', 1) returning request_id",
          [idOf('alice.chen')],
        );
        for (const role of ['hr_everyone_write', 'hr_reports_write']) {
          await query(`select set_config('app.user_id', $1, true), set_config('app.principal', 'alice', true)`, [idOf('alice.chen')]);
          await query(`set local role ${role}`);
          expect(await query(DECIDE, [own, idOf('alice.chen')])).toEqual([]);
          expect(await query(BALANCE, [idOf('alice.chen'), 0, 2026, 'SICK'])).toEqual([]);
          await query('reset role');
        }
      });
      const request = await pendingOf('sarah.kim');
      for (const [role, username] of [
        ['hr_reports_write', 'nina.patel'],
        ['hr_everyone_write', 'alice.chen'],
      ] as const) {
        expect(await errorOf(testRuntime.as(role, someone(username), (query) => query(DECIDE, [request, idOf('eve.thompson')])))).toBe(
          DENIED,
        );
        const cancel = "update hr.time_off_requests set status = 'cancelled' where request_id = $1";
        expect(await errorOf(testRuntime.as(role, someone(username), (query) => query(cancel, [request])))).toBe(DENIED);
      }
    });
  });

  describe('effects and audit records', () => {
    const EFFECT =
      "insert into hr.effects (confirmation_id, tool, principal) values (gen_random_uuid(), 'x', $1) returning confirmation_id";
    const RECORD = "insert into hr.audit (chain, n, body, mac, at, principal) values ('t', 1, '{}', 'm', now(), $1)";

    test.each(WRITERS.filter((role) => role.startsWith('hr_')))(
      '%s writes them only in the name of the caller, and cannot change or delete audit records',
      async (role) => {
        const who = someone('nina.patel');
        await testRuntime.as(role, who, async (query) => {
          expect(await query(EFFECT, [who.principal])).toHaveLength(1);
          expect(await query("update hr.effects set result = '{}' returning result")).toHaveLength(1);
          await query(RECORD, [who.principal]);
        });
        expect(await errorOf(testRuntime.as(role, who, (query) => query(EFFECT, ['someone else'])))).toBe(DENIED);
        expect(await errorOf(testRuntime.as(role, who, (query) => query(RECORD, ['someone else'])))).toBe(DENIED);
        for (const text of [
          'select * from hr.audit',
          'update hr.audit set mac = null',
          'delete from hr.audit',
          'delete from hr.effects',
          'truncate hr.audit',
        ]) {
          expect(await errorOf(testRuntime.as(role, who, (query) => query(text)))).toBe(DENIED);
        }
      },
    );

    test('effects of another person are not visible', async () => {
      await testRuntime.asOwner(async (query) => {
        await query(EFFECT, ['someone else']);
        await query("select set_config('app.principal', 'me', true)");
        await query('set local role hr_everyone_write');
        expect(await query('select confirmation_id from hr.effects')).toEqual([]);
        expect(await query("update hr.effects set result = '{}' returning confirmation_id")).toEqual([]);
      });
    });

    test.each([...READERS, 'hr_audit', 'tasks_audit'])('%s writes nothing at all', async (role) => {
      const tables = await ids(
        testRuntime.owner,
        `select c.oid::regclass::text from pg_class c where relnamespace in ('hr'::regnamespace, 'tasks'::regnamespace)
          and (has_any_column_privilege($1, oid, 'insert, update')
          or has_table_privilege($1, oid, 'delete, truncate, references, trigger'))`,
        [role],
      );
      expect(tables).toEqual([]);
    });

    // On a server each role is a login; the embedded database has one session for all roles.
    const logins = kind === 'PostgreSQL' ? [...READERS, ...WRITERS] : [];
    if (logins.length > 0)
      test.each(logins)('the login %s cannot switch to another role', async (role) => {
        const others = [...READERS, ...WRITERS, 'hr_audit', 'tamshai_app', 'tamshai_hr_keeper', 'postgres'].filter(
          (other) => other !== role && `${other}_write` !== role,
        );
        for (const other of others) {
          expect(`${other} ${await errorOf(testRuntime.as(role, {}, (query) => query(`set role ${other}`)))}`).toBe(`${other} ${DENIED}`);
          expect(await errorOf(testRuntime.as(role, {}, (query) => query(`set session authorization ${other}`)))).toBe(DENIED);
        }
      });

    if (kind === 'PGlite') {
      test('a missing role is refused', async () => {
        const reading = testRuntime.as('none', someone('eve.thompson', ALL), (query) => query('select * from hr.people'));
        expect(await errorOf(reading)).toBe(DENIED);
      });
    }
  });

  describe('tasks', () => {
    test.each(personas.filter(({ username }) => ['marcus.johnson', 'sarah.kim', 'jane.smith@acme.example'].includes(username)))(
      '$username sees and changes only their own tasks',
      async ({ sub, realm }) => {
        const principal = `${realm}:${sub}`;
        await testRuntime.as('tasks_self_write', { principal }, async (query) => {
          const own = await count(query, 'tasks.tasks');
          const [next] = await query(
            'insert into tasks.counters (principal, last_id) values ($1, 1) on conflict (principal) do update ' +
              'set last_id = counters.last_id + 1 returning last_id',
            [principal],
          );
          expect(next).toEqual({ last_id: own + 1 });
          await query("insert into tasks.tasks (principal, id, title) values ($1, $2, 'new')", [principal, own + 1]);
          expect(await query("update tasks.tasks set title = 'mine' where id = $1 returning row_version", [own + 1])).toEqual([
            { row_version: 2 },
          ]);
          expect(new Set(await ids(query, 'select principal from tasks.tasks'))).toEqual(new Set([principal]));
          expect((await query('delete from tasks.tasks returning id')).length).toBe(own + 1);
        });
        for (const text of [
          "insert into tasks.tasks (principal, id, title) values ('another', 9, 'x')",
          "insert into tasks.counters values ('another', 9)",
          "update tasks.tasks set principal = 'another'",
        ]) {
          expect(await errorOf(testRuntime.as('tasks_self_write', { principal }, (query) => query(text)))).toBe(DENIED);
        }
      },
    );
  });
});
