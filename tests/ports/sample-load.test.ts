/** Loading the sample company into a real database: all or nothing, with all policies in force afterwards. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { sampleContext } from '../../src/declare/sample.ts';
import { sampleCompany } from '../../domains/sample-company/index.ts';
import { hrSample } from '../../domains/hr/sample/index.ts';
import { loadSample } from '../../src/server/sample.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { migrate } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { storesFor } from '../stores.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

const DOMAINS = ['hr', 'tasks'];
const today = new Date('2026-11-16T09:00:00Z');
const url = process.env.TAMSHAI_TEST_DATABASE_URL;

interface Opened {
  readonly owner: pg.ClientBase;
  /** A connection to which no policy applies. */
  readonly root: pg.ClientBase;
  close(): Promise<void>;
}
type Opening = readonly [name: string, open: () => Promise<Opened>];
const openings = storesFor<Opening>(['PGlite', embedded], ...(url === undefined ? [] : [['PostgreSQL', () => server(url)] as const]));

async function embedded(): Promise<Opened> {
  const database = await openPglite();
  await migrate(database.owner, migrationsOf(builtIn, DOMAINS));
  return { owner: database.owner, root: database.owner, close: () => database.close() };
}

/** The owner is not a superuser, so forced row security applies to it too. */
async function server(address: string): Promise<Opened> {
  const name = `tamshai_sample_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client({ connectionString: address });
  await admin.connect();
  const own = new URL(address);
  own.pathname = `/${name}`;
  const root = new pg.Client({ connectionString: own.href });
  await admin.query('select pg_advisory_lock(42)');
  const owner = new pg.Client({ connectionString: own.href, user: name, password: name });
  try {
    await admin.query(`create role ${name} login createrole password '${name}'`);
    await admin.query(`create database ${name} owner ${name}`);
    await root.connect();
    await owner.connect();
    await migrate(owner, migrationsOf(builtIn, DOMAINS));
  } finally {
    await admin.query('select pg_advisory_unlock(42)');
  }
  return {
    owner,
    root,
    async close() {
      await owner.end();
      await root.query(`reassign owned by ${name} to current_user; drop owned by ${name}`);
      await root.end();
      await admin.query(`drop database ${name} with (force)`);
      await admin.query(`drop role ${name}`);
      await admin.end();
    },
  };
}

describe.each(openings)('loading into %s', (name, open) => {
  let opened: Opened | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  }, 60_000);
  const load = (owner: pg.ClientBase, change: Partial<Parameters<typeof loadSample>[1]> = {}) =>
    loadSample(owner, { registry: builtIn, domains: DOMAINS, employees: 500, today, onProgress: () => {}, ...change });
  const rows = async (text: string) => (await opened?.root.query<Record<string, unknown>>(text))?.rows ?? [];
  const guarded = async () => {
    expect(
      await rows(
        "select relname from pg_class where relnamespace in ('hr'::regnamespace, 'tasks'::regnamespace) and relkind = 'r' " +
          'and not (relrowsecurity and relforcerowsecurity)',
      ),
    ).toEqual([]);
    expect(await rows("select tgname from pg_trigger where tgrelid = 'hr.employees'::regclass and tgenabled <> 'O'")).toEqual([]);
  };

  test('loads everyone once, with the same chain that the triggers compute', async () => {
    opened = await open();
    const steps: number[] = [];
    expect(await load(opened.owner, { onProgress: (done, total) => void steps.push(done / total) })).toBe(true);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect(steps.at(-1)).toBe(1);
    await guarded();
    for (const table of hrSample(sampleContext(sampleCompany, { employees: 500, today }))) {
      expect([table.name, (await rows(`select count(*)::int as n from ${table.name}`))[0]]).toEqual([
        table.name,
        { n: [...table.rows()].length },
      ]);
    }
    expect(await rows(`select principal from tasks.tasks except select 'staff:' || employee_id from hr.employees`)).toEqual([]);
    expect(
      await rows(
        'select principal from tasks.counters c where last_id <> (select max(id) from tasks.tasks t where t.principal = c.principal)',
      ),
    ).toEqual([]);
    expect(await rows('select count(*)::int as n from tasks.tasks')).toEqual([{ n: 10 }]);

    await opened.root.query('create temporary table made as select manager_id, last_name, first_name, employee_id, depth from hr.chain');
    await opened.root.query('create temporary table names as select employee_id, manager_name from hr.employees');
    await opened.root.query(
      'update hr.employees set active = false, terminated_at = now(); update hr.employees set active = true, terminated_at = null',
    );
    expect(
      await rows(
        '(table made except select manager_id, last_name, first_name, employee_id, depth from hr.chain) union all (select ' +
          'manager_id, last_name, first_name, employee_id, depth from hr.chain except table made)',
      ),
    ).toEqual([]);
    expect(
      await rows(
        'select employee_id from hr.employees join names using (employee_id) where employees.manager_name is distinct ' +
          'from names.manager_name',
      ),
    ).toEqual([]);
    expect(await load(opened.owner)).toBe(false);
    expect(await rows('select count(*)::int as n from hr.employees')).toEqual([{ n: 500 }]);
  }, 120_000);

  test.each([
    ['a trigger', 'create trigger peek before insert on tasks.tasks'],
    ['a deferred trigger', 'create constraint trigger peek after insert on tasks.tasks deferrable initially deferred'],
  ])('%s of a domain has no rights in another domain', async (_what, trigger) => {
    opened = await open();
    const text = `create function tasks.peek() returns trigger language plpgsql as
      $f$ begin perform from hr.pay; return new; end $f$; ${trigger} for each row execute function tasks.peek()`;
    await migrate(opened.owner, [{ name: 'tasks/900.sql', domain: 'tasks', text, once: true }]);
    await expect(load(opened.owner, { employees: 100 })).rejects.toThrow('permission denied for schema hr');
    await guarded();
    expect(await rows('select from tasks.tasks union all select from hr.employees')).toEqual([]);
  });

  test('an interrupted load leaves no rows, and every policy stays in force', async () => {
    opened = await open();
    const broken = load(opened.owner, {
      onProgress: (done, total) => {
        if (done > total / 2) throw new Error('the light went out');
      },
    });
    await expect(broken).rejects.toThrow('the light went out');
    await guarded();
    expect(await rows('select count(*)::int as n from hr.employees')).toEqual([{ n: 0 }]);
    expect(await rows('select count(*)::int as n from tasks.tasks')).toEqual([{ n: 0 }]);
    expect(await load(opened.owner, { domains: ['hr'] })).toBe(true);
    expect(await rows('select count(*)::int as n from tasks.tasks')).toEqual([{ n: 0 }]);
    expect(await load(opened.owner, { domains: ['tasks'] })).toBe(true);
    expect(await rows('select count(*)::int as n from tasks.tasks')).toEqual([{ n: 10 }]);
    await opened.root.query('delete from tasks.tasks');
    expect(await load(opened.owner)).toBe(false);
    expect(await rows(`select first_name from hr.employees where employee_id = '${persona('eve.thompson').sub}'`)).toEqual([
      { first_name: 'Eve' },
    ]);
  }, 120_000);

  // The embedded database has no COPY streams, so loading a large company takes too long there.
  if (name === 'PGlite') return;
  test('loading a large company leaves the same indexes and constraints as before', async () => {
    opened = await open();
    const made = () =>
      rows(
        "select indexdef as made from pg_indexes where schemaname = 'hr' " +
          "union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated from " +
          "pg_constraint where connamespace = 'hr'::regnamespace order by 1",
      );
    const before = await made();
    expect(before.length).toBeGreaterThan(40);
    expect(await load(opened.owner, { employees: 50_500 })).toBe(true);
    expect(await made()).toEqual(before);
    await guarded();
    expect(await rows('select count(*)::int as n, count(distinct email)::int as mail from hr.employees where active')).toEqual([
      { n: 50_500, mail: 50_500 },
    ]);
    expect(
      await rows(
        'select count(*)::int as n from hr.time_off_requests where employee_id in (select employee_id from hr.employees ' +
          "where first_name in ('Marcus', 'Sarah')) and status = 'pending'",
      ),
    ).toEqual([{ n: 2 }]);
  }, 300_000);
});
