/** The identity is set for one transaction: calls that share a connection never get the identity of another person. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/declare/people.ts';
import { sql } from '../../src/declare/sql.ts';
import type { StoreSession } from '../../src/engine/store.ts';
import type { SqlDatabase } from '../../src/storage/sql/database.ts';
import { migrate, giveLogins } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { loadSample } from '../../src/server/sample.ts';
import { z } from 'zod';
import { storesFor } from '../stores.ts';
import { builtIn } from '../registry.ts';
import { rolesIn } from '../registry.ts';
import { migrationsOf } from '../../src/server/schemas.ts';

const url = process.env['TAMSHAI_TEST_DATABASE_URL'];
const databases = storesFor('pglite', ...(url === undefined ? [] : ['postgres']));
const PEOPLE = 1000;
const row = z.object({ employee_id: z.string(), salary: z.number().nullable() });

async function open(kind: string): Promise<{ database: SqlDatabase; ids: string[]; close(): Promise<void> }> {
  const options = { registry: builtIn, domains: ['hr'], employees: PEOPLE, today: new Date('2026-11-16'), onProgress: () => {} };
  const idsIn = async (owner: pg.ClientBase) =>
    (await owner.query<{ employee_id: string }>('select employee_id from hr.employees order by employee_id')).rows.map(
      (each) => each.employee_id,
    );
  if (kind === 'pglite') {
    const database = await openPglite();
    await migrate(database.owner, migrationsOf(builtIn, ['hr']));
    await loadSample(database.owner, options);
    const ids = await idsIn(database.owner);
    await database.surrender();
    return { database, ids, close: () => database.close() };
  }
  const name = `tamshai_settings_${process.pid}`;
  const root = new pg.Client({ connectionString: url });
  await root.connect();
  await root.query('select pg_advisory_lock(42)');
  await root.query(`create database ${name}`);
  const own = new URL(url ?? '');
  own.pathname = `/${name}`;
  const owner = new pg.Client({ connectionString: own.href });
  await owner.connect();
  await migrate(owner, migrationsOf(builtIn, ['hr']));
  await giveLogins(owner, ['hr'], () => 'only-for-tests');
  await root.query('select pg_advisory_unlock(42)');
  await loadSample(owner, options);
  const ids = await idsIn(owner);
  await owner.end();
  const database = openPostgres({ url: own.href, password: () => 'only-for-tests', pingAs: 'hr_audit', readers: 1, writers: 1 });
  return {
    database,
    ids,
    async close() {
      await database.close();
      await root.query(`drop database ${name} with (force)`);
      await root.end();
    },
  };
}

describe.each(databases)('on %s, with one connection', (kind) => {
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open(kind);
  }, 180_000);
  afterAll(() => opened.close());

  const store = () =>
    createSqlStore(opened.database, 'hr', {
      chain: { ready: async () => {}, next: () => Promise.reject(new Error('no writes here')) },
      audit: undefined as never,
    });
  const sessionOf = (employeeId: string, audience: string): StoreSession => {
    const person: Person = {
      principal: `staff:${employeeId}`,
      sub: employeeId,
      realm: 'staff',
      username: employeeId,
      name: '',
      email: '',
      employeeId,
      organizationId: undefined,
      roles: rolesIn('staff', ['employee']),
    };
    return { domain: 'hr', audience, person, shows: [] };
  };
  const everything = sql`select employee_id, salary from hr.people`;

  test('a thousand people who call concurrently each see only their own record', async () => {
    const { ids } = opened;
    expect(ids).toHaveLength(PEOPLE);
    const seen = await Promise.all(ids.map((id) => store().read(sessionOf(id, 'self'), ({ sql: reader }) => reader.many(row, everything))));
    expect(seen.map((rows) => rows.map((each) => each.employee_id))).toEqual(ids.map((id) => [id]));
    for (const [own] of seen) expect(own?.salary).toBeTypeOf('number');
  });

  test('a failed statement leaves no identity behind for the next caller', async () => {
    const [first = '', second = ''] = opened.ids;
    const broken = sql`select employee_id, (1 / (case when employee_id = ${first}::uuid then 0 else 1 end))::numeric as salary
      from hr.people`;
    const calls = Array.from({ length: 200 }, (_, n) =>
      n % 2 === 0
        ? store()
            .read(sessionOf(first, 'self'), ({ sql: reader }) => reader.many(row, broken))
            .catch(() => 'failed')
        : store().read(sessionOf(second, 'self'), ({ sql: reader }) => reader.many(row, everything)),
    );
    const answers = await Promise.all(calls);
    for (const [n, answer] of answers.entries())
      expect(n % 2 === 0 ? answer : (answer as { employee_id: string }[]).map((each) => each.employee_id)).toEqual(
        n % 2 === 0 ? 'failed' : [second],
      );
  });

  test('after a call no setting remains, and a caller without an identity sees nothing', async () => {
    const [first = ''] = opened.ids;
    for (const role of ['hr_self', 'hr_everyone', 'hr_reports', 'hr_directory']) {
      if (role !== 'hr_directory') await store().read(sessionOf(first, role.slice(3)), ({ sql: reader }) => reader.many(row, everything));
      const [left] = await opened.database.read(role, {
        text:
          "select nullif(current_setting('app.user_id', true), '') as me, nullif(current_setting('app.principal', true), '') as " +
          "who, nullif(current_setting('app.shows', true), '') as shows, " +
          "nullif(current_setting('app.today', true), '') as today",
        values: [],
      });
      expect(left).toEqual({ me: null, who: null, shows: null, today: null });
      const table = role === 'hr_directory' ? 'hr.directory' : 'hr.people';
      expect(await opened.database.read(role, { text: `select employee_id from ${table}`, values: [] })).toEqual([]);
    }
  });

  test('a reading connection can neither write nor switch to another role', async () => {
    await expect(
      opened.database.read('hr_everyone', { text: 'update hr.pay set salary = 1 returning salary', values: [] }),
    ).rejects.toThrow();
    if (kind === 'postgres') {
      for (const role of ['hr_everyone', 'hr_everyone_write', 'postgres', 'tamshai_hr_keeper']) {
        await expect(opened.database.read('hr_self', { text: `set role ${role}`, values: [] })).rejects.toThrow();
      }
    }
  });
});
