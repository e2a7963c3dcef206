/** hr.chain and managers' names follow every change of employees, by any writer in any order. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSample } from '../../src/server/sample.ts';
import { giveLogins, migrate } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { databases, errorOf, idOf, ids, openSqlTestStore, type Query, type SqlTestStore, TODAY } from './sql-test-store.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

/** Error codes of a cycle: somebody would be above themself (check), or twice below the same person (unique). */
const CIRCLE = ['23514', '23505'];
/** The difference between the chain and the current managers, in both directions. */
const WRONG = `
  with recursive up as (
    select manager_id, employee_id, last_name, first_name, 1 as depth from hr.employees where active and manager_id is not null
    union all
    select m.manager_id, u.employee_id, u.last_name, u.first_name, u.depth + 1 from up u
    join hr.employees m on m.employee_id = u.manager_id where m.manager_id is not null
  ), kept as (select manager_id, employee_id, last_name, first_name, depth from hr.chain)
  (select 'missing', u.* from up u except select 'missing', k.* from kept k) union all (select 'too much', k.*
  from kept k except select 'too much', u.* from up u)
  union all select 'name', e.manager_id, e.employee_id, e.manager_name, m.last_name, 0
    from hr.employees e left join hr.employees m on m.employee_id = e.manager_id where e.manager_name is distinct
    from m.first_name || ' ' || m.last_name`;

/** Pseudo-random numbers that are the same in every run. */
function dice(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
}

describe.each(databases)('the chain on %s', (kind) => {
  let testRuntime: SqlTestStore;
  beforeAll(async () => void (testRuntime = await openSqlTestStore(kind)), 120_000);
  afterAll(() => testRuntime.close());
  const move = 'update hr.employees set manager_id = $2 where employee_id = $1';

  test('is correct for the sample company', async () => {
    expect(await testRuntime.owner(WRONG)).toEqual([]);
  });

  test('is correct after moves, new names, new people, departures, returns and removals', async () => {
    await testRuntime.asOwner(async (query) => {
      const roll = dice(7);
      const people = await ids(query, 'select employee_id from hr.employees where manager_id is not null order by 1');
      const someoneOf = () => people[roll(people.length)] ?? '';
      const steps: Record<string, () => Promise<unknown>> = {
        async move() {
          const [who, to] = [someoneOf(), someoneOf()];
          const [circle] = await query(
            'select exists (select from hr.chain where manager_id = $1 and employee_id = $2) or $1::uuid = $2::uuid as there',
            [who, to],
          );
          if (circle?.['there'] === false) await query(move, [who, to]);
        },
        rename: () =>
          query("update hr.employees set first_name = 'New' || $2, last_name = 'Näme' where employee_id = $1", [someoneOf(), roll(1000)]),
        async join() {
          const [id] = await ids(
            query,
            `insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, manager_id, hire_date)
              values (gen_random_uuid(), 'Ann', 'Example', gen_random_uuid()::text, 'Legal', 'Counsel', 'Berlin', $1, '2026-01-01')
              returning employee_id`,
            [someoneOf()],
          );
          people.push(id ?? '');
        },
        leave: () =>
          query(
            'update hr.employees e set active = false, terminated_at = now() where employee_id = $1 and active ' +
              'and not exists (select from hr.chain where manager_id = e.employee_id)',
            [someoneOf()],
          ),
        comeBack: () => query('update hr.employees set active = true, terminated_at = null where not active'),
        team: () =>
          query('update hr.employees set manager_id = $2 where manager_id = $1 and employee_id <> $2', [someoneOf(), idOf('eve.thompson')]),
      };
      const names = Object.keys(steps);
      for (let step = 0; step < 30; step++) {
        const name = names[roll(names.length)] ?? '';
        await steps[name]?.();
        expect({ step, name, wrong: await query(WRONG) }).toEqual({ step, name, wrong: [] });
      }
      const [gone] = await ids(
        query,
        "delete from hr.employees where last_name = 'Example' and not exists (select from hr.chain c " +
          'where c.manager_id = employees.employee_id) returning employee_id',
      );
      expect(gone).toBeDefined();
      expect(await query(WRONG)).toEqual([]);
    });
  });

  test('a cycle of any length is refused', async () => {
    const circles = [
      [idOf('nina.patel'), idOf('marcus.johnson')],
      [idOf('eve.thompson'), idOf('marcus.johnson')],
    ];
    for (const circle of circles) expect(CIRCLE).toContain(await errorOf(testRuntime.asOwner((query) => query(move, circle))));
    expect(CIRCLE).toContain(await errorOf(testRuntime.asOwner((query) => query(move, [idOf('nina.patel'), idOf('nina.patel')]))));
  });

  test('a change of a job title rewrites no row of the chain', async () => {
    await testRuntime.asOwner(async (query) => {
      const state = () => query('select ctid::text, * from hr.chain order by manager_id, employee_id');
      const before = await state();
      await query("update hr.employees set job_title = 'Principal Engineer' where employee_id = $1", [idOf('sarah.kim')]);
      expect(await state()).toEqual(before);
    });
  });
});

describe.each(databases)('an owner of %s who is not a superuser', (kind) => {
  const NAME = `tamshai_test_owner_${process.pid}`;
  let query: Query;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const opened = kind === 'PGlite' ? await embedded() : await server();
    ({ close } = opened);
    const { owner } = opened;
    await migrate(owner, migrationsOf(builtIn, ['hr', 'tasks']));
    await loadSample(owner, { registry: builtIn, domains: ['hr', 'tasks'], employees: 100, today: TODAY, onProgress: () => {} });
    query = async (text, values) => (await owner.query(text, values as unknown[])).rows;
  }, 120_000);
  afterAll(() => close());

  async function embedded() {
    const database = await openPglite();
    await database.owner.query(
      `create role ${NAME} createrole; grant create on database postgres to ${NAME}; set session authorization ${NAME}`,
    );
    return { owner: database.owner, close: () => database.close() };
  }
  async function server() {
    const root = new pg.Client({ connectionString: process.env['TAMSHAI_TEST_DATABASE_URL'] });
    await root.connect();
    await root.query('select pg_advisory_lock(42)');
    await root.query(`create role ${NAME} login createrole password 'only-for-tests'`);
    await root.query(`create database ${NAME} owner ${NAME}`);
    const address = new URL(process.env['TAMSHAI_TEST_DATABASE_URL'] ?? '');
    Object.assign(address, { username: NAME, password: 'only-for-tests', pathname: `/${NAME}` });
    const owner = new pg.Client({ connectionString: address.href });
    await owner.connect();
    await owner.query('set client_min_messages = error');
    return {
      owner,
      async close() {
        await owner.end();
        await root.query(`drop database ${NAME} with (force)`);
        await root.query(`drop owned by ${NAME}`);
        await root.query(`drop role ${NAME}`);
        await root.end();
      },
    };
  }

  test('migrates, loads the sample, and sees no row of hr.pay', async () => {
    expect(await query('select rolsuper or rolbypassrls as mighty from pg_roles where rolname = current_user')).toEqual([
      { mighty: false },
    ]);
    expect(await query('select count(*)::int as n from hr.pay')).toEqual([{ n: 0 }]);
  });

  test('a departure removes the person from the chain, because the system role bypasses the policies', async () => {
    await query('begin');
    try {
      await query('grant hr_everyone_write to current_user');
      await query('set local role hr_everyone_write');
      await query(
        `select set_config('app.user_id', $1, true), set_config('app.principal', 'alice', true), set_config('app.shows', 'pay', true)`,
        [idOf('alice.chen')],
      );
      const chain = () => ids(query, `select count(*) from hr.chain where employee_id = '${idOf('frank.davis')}'`);
      expect(Number((await chain())[0])).toBeGreaterThan(1);
      expect(
        await query('update hr.employees set active = false, terminated_at = now() where employee_id = $1 returning active', [
          idOf('frank.davis'),
        ]),
      ).toEqual([{ active: false }]);
      expect(await chain()).toEqual(['0']);
    } finally {
      await query('rollback');
    }
  });

  test('creates logins, and none for the system role', async () => {
    await query('begin');
    const client = { query } as unknown as pg.ClientBase;
    const rows = async (text: string, values?: unknown[]) => ({ rows: await query(text, values) });
    await giveLogins(Object.assign(client, { query: rows }), ['hr'], () => 'only-for-tests');
    expect(await query("select rolname::text from pg_roles where rolname = 'tamshai_hr_keeper' and rolcanlogin")).toEqual([]);
    await query('rollback');
  });
});
