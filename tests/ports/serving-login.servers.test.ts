/** Which PostgreSQL logins may serve and which may migrate. No error message contains a password. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inspectServer } from '../../src/storage/sql/inspect.ts';
import { migrateServer, openServer } from '../../src/storage/sql/server.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

const server = process.env['TAMSHAI_TEST_DATABASE_URL'];
const DOMAINS = ['tasks'];
const SECRET = 'canary-4711';
const mark = randomBytes(4).toString('hex');
const name = `tamshai_serving_${mark}`;
const role = (kind: string) => `visitor_${kind}_${mark}`;
/** A login whose name sorts before the role that it is a member of, and begins like one of our roles. */
const namesake = `tasks_app_${mark}`;
const files = migrationsOf(builtIn, DOMAINS);
const password = () => SECRET;

describe.each(server ? [server] : [])('a PostgreSQL server', (root) => {
  let admin: pg.Client;
  const as = (user?: string): string => {
    const url = new URL(root);
    url.pathname = `/${name}`;
    [url.username, url.password] = user === undefined ? ['', ''] : [user, user === 'postgres' ? '' : SECRET];
    return url.href;
  };
  const serve = async (user?: string): Promise<string> => {
    try {
      const database = await openServer({ url: as(user), domains: DOMAINS, files, password });
      try {
        const [row] = await database.read('tasks_self', { text: 'select current_user::text as who', values: [] });
        return `serves as ${String(row?.['who'])}`;
      } finally {
        await database.close();
      }
    } catch (error) {
      expect((error as Error).name).toBe('DatabaseProblem');
      expect((error as Error).message).not.toContain(SECRET);
      return (error as Error).message;
    }
  };
  const migrate = (user: string) => migrateServer({ url: as(user), domains: DOMAINS, files, password });

  beforeAll(async () => {
    admin = new pg.Client({ connectionString: root });
    await admin.connect();
    // Roles belong to the whole server and other suites create them too, so the suites take turns.
    await admin.query('select pg_advisory_lock(42)');
    await admin.query(`create role ${role('owner')} login createrole password '${SECRET}'`);
    await admin.query(`create role ${role('bypass')} login bypassrls password '${SECRET}'`);
    await admin.query(`create role ${role('maker')} login createrole password '${SECRET}'`);
    await admin.query(`create role ${role('plain')} login password '${SECRET}'`);
    await admin.query(`create role ${role('member')} login password '${SECRET}'`);
    await admin.query(`create role ${role('hidden')} login noinherit password '${SECRET}'`);
    await admin.query(`create role ${namesake} login password '${SECRET}'`);
    await admin.query(`create database ${name}`);
  });
  afterAll(async () => {
    await admin.query(`drop database if exists ${name} with (force)`);
    for (const kind of ['bypass', 'maker', 'plain', 'member', 'hidden', 'owner']) await admin.query(`drop role if exists ${role(kind)}`);
    await admin.query(`drop role if exists ${namesake}`);
    await admin.query('select pg_advisory_unlock(42)');
    await admin.end();
  });

  test('before the migration no login can serve, and the error names the command to run', async () => {
    expect(await serve()).toMatch(/run "tamshai migrate" with the owner's login/);
    expect(await serve(role('plain'))).toMatch(/run "tamshai migrate" with the owner's login/);
  });

  test('a superuser can migrate, but cannot serve', async () => {
    expect((await migrate('postgres')).length).toBeGreaterThan(0);
    expect(await migrate('postgres')).toEqual([]);
    const message = await serve('postgres');
    expect(message).toMatch(/^The login postgres of PostgreSQL at [^ ]+ is a superuser/);
    expect(message).toMatch(/"tamshai migrate"/);
    expect(message).toMatch(/without a user and a password\.$/);
  });

  test('a login that bypasses row security, creates roles, owns tables or is a member of an owner cannot serve', async () => {
    await admin.query(`grant ${role('owner')} to ${role('hidden')}`);
    const owned = new pg.Client({ connectionString: as('postgres') });
    await owned.connect();
    await owned.query(`grant tamshai_serve to ${role('plain')}`);
    await owned.query(`grant tasks_self to ${role('member')}, ${namesake}`);
    await owned.query(`create table tasks.extra (); alter table tasks.extra owner to ${role('owner')}`);
    await owned.query(`alter role ${role('owner')} nocreaterole`);
    await owned.end();
    expect(await serve(role('bypass'))).toMatch(/may bypass row security/);
    expect(await serve(role('maker'))).toMatch(/may create roles/);
    expect(await serve(role('owner'))).toMatch(/owns tables/);
    expect(await serve(role('hidden'))).toMatch(/owns tables/);
    expect(await serve(role('member'))).toMatch(/is a member of tasks_self/);
    expect(await serve(namesake)).toMatch(/is a member of tasks_self/);
  });

  test('a member of tamshai_serve can serve, and a URL without a user means tamshai_serve itself', async () => {
    expect(await serve(role('plain'))).toBe('serves as tasks_self');
    expect(await serve()).toBe('serves as tasks_self');
  });

  test('tamshai_serve can read the applied migrations, and nothing else', async () => {
    const url = new URL(as('tamshai_serve'));
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      const { rows } = await client.query<{ n: string }>('select count(*) as n from tamshai.migrations');
      expect(Number(rows[0]?.n)).toBeGreaterThanOrEqual(files.length);
      for (const statement of [
        'select from tasks.tasks',
        'insert into tamshai.migrations values ($$x$$, $$y$$)',
        'set role tasks_self',
        'create schema mine',
        'create table public.mine ()',
      ])
        await expect(client.query(statement), statement).rejects.toMatchObject({ code: '42501' });
    } finally {
      await client.end();
    }
  });

  test('the check of tamshai doctor reports a superuser login', async () => {
    expect((await inspectServer({ url: as('postgres'), domains: DOMAINS, files, password })).login).toMatch(/is a superuser/);
    expect((await inspectServer({ url: as(), domains: DOMAINS, files, password })).login).toBeUndefined();
  });
});
