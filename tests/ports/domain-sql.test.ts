/** SQL files of a domain run as a migration role: attacks and mistakes are refused, and nothing of the file is applied. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkName } from '../../src/server/check-domains.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { inspect } from '../../src/storage/sql/inspect.ts';
import { giveLogins, type Migration, migrate, migrations, missing } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { platformFolder } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';
import { copyFolder } from '../template.ts';
import { databases } from './sql-test-store.ts';

const FILES = migrationsOf(builtIn, ['hr', 'tasks']);
const SOME = randomBytes(4).toString('hex');
const FOREIGN = `tasks_guest${SOME}`;
const next = (text: string): Migration => ({ name: 'tasks/900.sql', domain: 'tasks', text, once: true });
/** What an attack does with the rights of the owner, and its return to the role of the domain, so that nothing shows afterwards. */
const BACK = "alter table hr.pay disable row level security; execute 'set local role tamshai_tasks_owner';";
const OTHER_ROLE = /cannot set parameter "role" within security-definer function/;
const policies = FILES.find(({ name }) => name === 'tasks/policies.sql');
if (policies === undefined) throw new Error('no policies');

interface Secret {
  readonly secret: string | null;
}

interface Opened {
  readonly owner: pg.ClientBase;
  secretOf(role: string): Promise<Secret[]>;
  close(): Promise<unknown>;
}

async function embedded(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-domain-sql-'));
  await copyFolder(join(folder, 'pg'), { domains: [], today: new Date(0) });
  const database = await openPglite(join(folder, 'pg'));
  return {
    owner: database.owner,
    secretOf: async (role) =>
      (await database.owner.query<Secret>('select rolpassword as secret from pg_authid where rolname = $1', [role])).rows,
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The owner of the database is not a superuser: it may create roles, as `tamshai migrate` requires. */
async function server(): Promise<Opened> {
  const url = process.env['TAMSHAI_TEST_DATABASE_URL'] ?? '';
  const name = `tamshai_rules_${randomBytes(6).toString('hex')}`;
  const root = new pg.Client({ connectionString: url });
  await root.connect();
  // Roles belong to the whole server and other suites create them too, so the suites take turns.
  await root.query('select pg_advisory_lock(42)');
  await root.query(`create role ${name} login createrole password 'only-for-tests'`);
  await root.query(`create database ${name} owner ${name}`);
  const own = Object.assign(new URL(url), { pathname: `/${name}`, username: name, password: 'only-for-tests' });
  const owner = new pg.Client({ connectionString: own.href });
  await owner.connect();
  return {
    owner,
    secretOf: async (role) => (await root.query<Secret>('select rolpassword as secret from pg_authid where rolname = $1', [role])).rows,
    async close() {
      await owner.end();
      await root.query(`drop database ${name} with (force)`);
      await root.query(`drop role ${name}`);
      await root.query(`drop role if exists ${FOREIGN}`);
      await root.query('select pg_advisory_unlock(42)');
      await root.end();
    },
  };
}

describe.each(databases)('SQL of a domain on %s', (kind) => {
  let opened: Opened;
  let owner: pg.ClientBase;
  beforeAll(async () => {
    opened = await (kind === 'PGlite' ? embedded() : server());
    ({ owner } = opened);
    await migrate(owner, FILES);
    await owner.query(`create role ${FOREIGN} login`);
  });
  afterAll(() => opened.close());

  const refused = async (file: Migration): Promise<string> => {
    const before = await snapshot();
    const error = await migrate(owner, [file]).then(
      () => new Error('was applied'),
      (thrown: Error) => thrown,
    );
    expect(await snapshot()).toEqual(before);
    expect(await missing(owner, [file])).toEqual([file.name]);
    expect(error).toMatchObject({ name: 'DatabaseProblem' });
    expect(error.message).not.toContain('\n');
    return error.message;
  };
  const snapshot = async () =>
    (
      await owner.query(`select 'role' as kind, rolname::text as name, concat(rolsuper, rolcreaterole, rolbypassrls,
        rolcanlogin) as text from pg_roles
        union all select 'member', roleid::regrole::text, member::regrole::text from pg_auth_members
        union all select 'relation', oid::regclass::text, concat(relacl::text, relrowsecurity, relforcerowsecurity, relowner::regrole)
        from pg_class
          where relnamespace::regnamespace::text in ('hr', 'tasks', 'tamshai', 'public')
        union all select 'routine', oid::regprocedure::text, concat(proacl::text, prosecdef, proowner::regrole) from pg_proc
          where pronamespace::regnamespace::text in ('hr', 'tasks', 'tamshai', 'public')
        union all select 'policy', schemaname || '.' || tablename, policyname from pg_policies
        union all select 'schema', nspname, concat(nspacl::text, nspowner::regrole) from pg_namespace where nspname !~ '^pg_(toast_)?temp'
        order by 1, 2, 3`)
    ).rows;

  test.each([
    ['grants on the table of another domain', 'grant select on hr.pay to tasks_self', /permission denied/],
    ['grants on the schema of another domain', 'grant usage on schema hr to tasks_self', /permission denied/],
    ['reads another domain', 'create table tasks.copy as select * from hr.pay', /permission denied/],
    ['writes another domain', 'update hr.pay set salary = 1', /permission denied/],
    ['drops a policy of another domain', 'drop policy everyone on hr.pay', /must be owner|permission denied/],
    ['disables row security of another domain', 'alter table hr.pay disable row level security', /must be owner|permission denied/],
    ['creates a function in another schema', 'create function hr.mine() returns int language sql return 1', /permission denied/],
    ['creates a table in tamshai', 'create table tamshai.mine ()', /permission denied/],
    ['changes the records of migrations', "delete from tamshai.migrations where name = 'hr/001_tables.sql'", /permission denied/],
    ['reads connected clients', 'create table tasks.copy as select * from tamshai.clients', /permission denied/],
    ['creates a table in public', 'create table public.mine ()', /permission denied/],
    ['creates a schema', 'create schema mine', /permission denied/],
    ['creates a role', 'create role tasks_boss superuser', /permission denied|must be superuser/],
    ['alters a role', "alter role hr_self password 'x'", /permission denied/],
    ['grants itself a role', 'grant hr_everyone to tasks_self', /permission denied|must have admin option/],
    ['creates an extension', 'create extension if not exists plpgsql_check', /permission denied|not available|extension/],
  ])('a file that %s is refused', async (_what, text, reason) => {
    const message = await refused(next(`create table tasks.more (); ${text}`));
    expect(message).toMatch(/^tasks\/900\.sql was not applied: /);
    expect(message).toMatch(reason);
  });

  test.each([
    [
      'for its own tables',
      'create function tasks.all_of() returns bigint language sql security definer return (select count(*) from tasks.tasks)',
    ],
    [
      'with a free search_path, of the system role',
      `call tamshai.ensure_keeper('tasks'); create function tasks.all_of() returns int language sql security definer return 1;
       grant create on schema tasks to tamshai_tasks_keeper; alter function tasks.all_of() owner to tamshai_tasks_keeper`,
    ],
  ])('a SECURITY DEFINER function %s is refused', async (_what, text) => {
    expect(await refused(next(text))).toMatch(/SECURITY DEFINER.* tasks\.all_of\(\)/);
  });

  test.each([
    ['disables row security', 'alter table tasks.tasks disable row level security', /row security off for tasks\.tasks/],
    [
      'disables row security behind another search path',
      'set search_path = tasks; alter table tasks disable row level security',
      /row security off for tasks\.tasks/,
    ],
    [
      'shadows a function of the checks',
      `create function tasks.format(text, text) returns text language plpgsql as $f$
       begin execute 'grant select on hr.pay to tasks_self'; return ''; end $f$;
       set search_path = tasks, pg_catalog; alter table tasks.tasks disable row level security`,
      /row security off for tasks\.tasks/,
    ],
    ['lets the owner pass row security', 'alter table tasks.tasks no force row level security', /row security off for tasks\.tasks/],
    ['grants to everyone', 'grant select on tasks.tasks to public', /tasks\.tasks to public/],
    ['grants to another domain', 'grant select on tasks.tasks to hr_self', /tasks\.tasks to hr_self/],
    ['grants a column to another domain', 'grant select (title) on tasks.tasks to hr_self', /tasks\.tasks to hr_self/],
    ["creates a view with its owner's rights", 'create view tasks.everything as select * from tasks.tasks', /tasks\.everything/],
    ['creates a materialised view', 'create materialized view tasks.everything as select 1 as one', /tasks\.everything/],
    [
      'gives the system role to an audience',
      "call tamshai.ensure_keeper('tasks'); grant tamshai_tasks_keeper to tasks_self",
      /tamshai_tasks_keeper to tasks_self/,
    ],
    ['ends the transaction', 'commit; drop table hr.pay', /it contains "commit"/],
    ['takes another role', 'reset role; drop table hr.pay', /it contains "reset role"/],
    ['takes another role in a block', `do $$ begin execute 'reset role'; ${BACK} end $$`, OTHER_ROLE],
    ['takes another role with a setting', `do $$ begin perform set_config('role', 'none', true); ${BACK} end $$`, OTHER_ROLE],
    ['takes another session user', `do $$ begin execute 'set session authorization default'; ${BACK} end $$`, /session_authorization/],
    [
      'takes another role in a trigger',
      `create function tasks.up() returns trigger language plpgsql as $f$ begin execute 'reset role'; ${BACK} return new; end $f$;
       create table tasks.more (one int);
       create trigger up before insert on tasks.more for each row execute function tasks.up();
       insert into tasks.more values (1)`,
      OTHER_ROLE,
    ],
    [
      'takes another role in a deferred trigger',
      `create function tasks.up() returns trigger language plpgsql as $f$ begin execute 'reset role'; ${BACK} return new; end $f$;
       create table tasks.more (one int);
       create constraint trigger up after insert on tasks.more deferrable initially deferred for each row execute function tasks.up();
       insert into tasks.more values (1)`,
      OTHER_ROLE,
    ],
    ['ends the transaction in a block', 'do $$ begin commit; end $$', /invalid transaction termination/],
  ])('a file that %s is refused', async (_what, text, reason) => {
    expect(await refused(next(text))).toMatch(reason);
  });

  test('a reserved word of SQL is refused as the name of a domain with SQL files', async () => {
    const words = "select word from pg_get_keywords() where catcode in ('R', 'T') and word ~ '^[a-z][a-z0-9]{1,19}$'";
    const { rows } = await owner.query<{ word: string }>(words);
    expect(rows.length).toBeGreaterThan(50);
    for (const { word } of rows) expect(() => checkName({ name: word, store: 'sql' }, word)).toThrow(/is a reserved word of SQL\.$/);
    expect(() => checkName({ name: 'order', store: 'documents' }, 'order')).not.toThrow();
  });

  test('a schema that another application created is refused', async () => {
    await owner.query('create schema archive');
    const text = 'create table archive.mine ()';
    const first: Migration = { name: 'archive/platform', creates: 'archive', text, once: true };
    await expect(migrate(owner, [first])).rejects.toThrow('The database has a schema archive that Tamshai did not create');
    await owner.query('drop schema archive');
    expect(await migrate(owner, [{ ...first, text: 'create schema archive' }])).toEqual(['archive/platform']);
    await owner.query("drop schema archive; delete from tamshai.migrations where name = 'archive/platform'");
  });

  test('policies that leave a table of their domain without row security are refused', async () => {
    expect(await migrate(owner, [{ ...next('create table tasks.open ()'), name: 'tasks/901.sql' }])).toEqual(['tasks/901.sql']);
    const text = policies.text.replace("call tamshai.begin_rules('tasks');", '');
    const before = await snapshot();
    await expect(migrate(owner, [{ ...policies, text: `select 1; ${text.slice(0, text.indexOf('grant usage'))}` }])).rejects.toThrow(
      'tasks/policies.sql was not applied: it leaves row security off for tasks.open',
    );
    expect(await snapshot()).toEqual(before);
    await migrate(owner, [{ ...next('drop table tasks.open'), name: 'tasks/902.sql' }]);
  });

  test('policies that open the results or the audit log are refused', async () => {
    for (const [right, reason] of [
      ['grant select on tasks.audit to tasks_self', 'select on tasks.audit to tasks_self'],
      ['grant update on tasks.audit to tasks_self_write', 'update on tasks.audit to tasks_self_write'],
      ['create policy wide on tasks.effects for select to tasks_self using (true)', 'policy wide on tasks.effects'],
    ] as const)
      expect(await refused({ ...policies, text: `${policies.text}; ${right}` })).toContain(reason);
  });

  test('settings of a file do not reach the next one, and its deferred triggers run with its own rights', async () => {
    const settings = async () =>
      (await owner.query("select name, setting from pg_settings where name in ('lock_timeout', 'search_path', 'TimeZone', 'work_mem')"))
        .rows;
    await owner.query("set timezone = 'Europe/Berlin'; set app.currency = 'EUR'");
    const before = await settings();
    const text = `set search_path = tasks; set timezone = 'Asia/Tokyo'; set work_mem = '1MB'; set app.currency = 'JPY';
      create table tasks.late (one int);
      create function tasks.late() returns trigger language plpgsql as $f$ begin perform from hr.pay; return null; end $f$;
      create constraint trigger late after insert on tasks.late deferrable initially deferred for each row execute function tasks.late();
      insert into tasks.late values (1)`;
    expect(await refused(next(text))).toContain('permission denied');
    const onlySettings = text.slice(0, text.indexOf('create table'));
    expect(await migrate(owner, [{ ...next(onlySettings), name: 'tasks/903.sql' }])).toEqual(['tasks/903.sql']);
    expect(await settings()).toEqual(before);
    expect((await owner.query("select current_setting('app.currency') as currency")).rows).toEqual([{ currency: 'EUR' }]);
  });

  test('a role that Tamshai did not create is not adopted', async () => {
    const role = `call tamshai.ensure_role('${FOREIGN}')`;
    expect(await refused(next(role))).toContain(`${FOREIGN} exists already and was not created by Tamshai`);
    const ours = await owner.query('select from pg_auth_members where roleid = $1::regrole', [FOREIGN]);
    expect(ours.rowCount).toBe(0);
    await giveLogins(owner, ['tasks'], () => 'only-for-tests');
    expect(await opened.secretOf(FOREIGN)).toEqual([{ secret: null }]);
  });

  test('a role of another domain, the audit role and a name beyond 63 bytes are refused', async () => {
    expect(await refused(next("call tamshai.ensure_role('hr_self_write')"))).toContain('hr_self_write is not a role of the domain tasks');
    expect(await refused(next("call tamshai.ensure_role('tasks_more', 'hr_everyone')"))).toContain(
      'hr_everyone is not a role of the domain tasks',
    );
    expect(await refused(next("call tamshai.ensure_keeper('hr')"))).toContain('may not create a system role for hr');
    expect(await refused(next("call tamshai.ensure_role('tasks_audit')"))).toContain('tasks_audit reads the audit log');
    expect(await refused(next(`call tamshai.ensure_role('tasks_${'x'.repeat(58)}')`))).toContain('is longer than 63 bytes');
  });

  test('a file may do everything in its own schema, and use words of transactions in bodies, texts and comments', async () => {
    const text = `-- commit; reset role;
      create table tasks.more (note text default 'a; commit; b');
      create function tasks.more_of() returns trigger language plpgsql as $body$ begin return null; end; $body$;
      create function tasks.count_more() returns bigint language sql begin atomic select count(*) from tasks.more; end;
      create trigger more after insert on tasks.more for each row execute function tasks.more_of();
      call tamshai.ensure_role('tasks_team');
      alter table tasks.more enable row level security, force row level security;
      grant select on tasks.more to tasks_team`;
    expect(await migrate(owner, [next(text)])).toEqual(['tasks/900.sql']);
    const { rows } = await owner.query("select relowner::regrole::text as owner from pg_class where oid = 'tasks.more'::regclass");
    expect(rows).toEqual([{ owner: 'tamshai_tasks_owner' }]);
  });

  test('doctor reports changed policies and grants, and the migration with repair restores them', async () => {
    await owner.query('drop table tasks.more cascade; drop function tasks.count_more(), tasks.more_of()').catch(() => {});
    await migrate(owner, FILES, { repair: true });
    const holes = async () => (await inspect(owner, ['hr', 'tasks'], FILES)).holes;
    expect(await holes()).toEqual([]);
    for (const damage of [
      'drop policy own on tasks.tasks',
      'create policy wide on tasks.tasks for select to tasks_self using (true)',
      'grant delete on tasks.counters to tasks_self',
      'alter table tasks.tasks no force row level security',
    ]) {
      await owner.query(damage);
      expect(await migrate(owner, FILES)).toEqual([]);
      expect((await holes()).at(-1), damage).toMatch(/policies or grants of tasks .* tamshai migrate restores them/);
      expect(await migrate(owner, FILES, { repair: true }), damage).toEqual(['tasks/policies.sql']);
      expect(await holes(), damage).toEqual([]);
    }
  });
});

/** The files as the version before migration roles had them: two files created their system role themselves, and all ran as the owner. */
function formerFiles(domains: readonly string[]): Migration[] {
  const former = (name: string) => `do $$ begin
  create role tamshai_${name}_keeper nologin;
exception when duplicate_object or unique_violation then null;
end $$;\n`;
  return migrationsOf(builtIn, domains)
    .filter(({ name }) => !/^platform\/00[2345]|\/(owner|audit_keys)$/.test(name))
    .map(({ domain, ...file }) => ({
      ...file,
      text: domain === undefined ? file.text : file.text.replace(`call tamshai.ensure_keeper('${domain}');\n`, () => former(domain)),
    }));
}

describe.each(databases)('a database of the version before migration roles, on %s', (kind) => {
  test('is upgraded: no applied file is missing, the migration roles own the schemas, and the rows stay', async () => {
    const domains = ['hr', 'finance', 'tasks'];
    const files = migrationsOf(builtIn, domains);
    const opened = kind === 'PGlite' ? await openPglite() : await server();
    const { owner } = opened;
    try {
      await owner.query(
        'create schema tamshai; create table tamshai.migrations (name text primary key, digest text not null, at timestamptz not ' +
          'null default clock_timestamp())',
      );
      await migrateAsBefore(owner, formerFiles(domains));
      await owner.query(
        'alter table tasks.tasks no force row level security; insert into tasks.tasks (principal, id, title) ' +
          "values ('p', 1, 't'); alter table tasks.tasks force row level security",
      );
      const added = [
        'platform/002_connected_clients.sql',
        'platform/003_domain_owners.sql',
        'platform/004_engine_rights.sql',
        'platform/005_audit_keys.sql',
        ...domains.flatMap((domain) => [`${domain}/owner`, `${domain}/audit_keys`]),
      ];
      expect((await missing(owner, files)).toSorted()).toEqual(added.toSorted());
      expect((await migrate(owner, files)).toSorted()).toEqual(added.toSorted());
      // There is no record of the former policies, so the first repair applies them again.
      expect(await migrate(owner, files, { repair: true })).toEqual(domains.map((domain) => `${domain}/policies.sql`));
      expect(await migrate(owner, files, { repair: true })).toEqual([]);
      const { rows } = await owner.query<{ schema: string; owner: string }>(
        `select distinct n.nspname as schema, c.relowner::regrole::text as owner from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = any ($1) and c.relkind in ('r', 'v') order by 1`,
        [domains],
      );
      expect(rows).toEqual(domains.toSorted().map((schema) => ({ schema, owner: `tamshai_${schema}_owner` })));
      await owner.query('alter table tasks.tasks no force row level security');
      expect((await owner.query('select title from tasks.tasks')).rows).toEqual([{ title: 't' }]);
      const roles = await owner.query("select domain from tamshai.roles where name = 'hr_self_write'");
      expect(roles.rows).toEqual([{ domain: 'hr' }]);
      await expect(migrate(owner, [next('grant select on hr.pay to tasks_self')])).rejects.toThrow('permission denied');
      // A file that replaces a function of the system role still works.
      const again = {
        name: 'hr/900.sql',
        domain: 'hr',
        text: 'alter function hr.keep_chain() set search_path = pg_catalog, pg_temp',
        once: true,
      };
      expect(await migrate(owner, [again])).toEqual(['hr/900.sql']);
    } finally {
      await opened.close();
    }
  }, 120_000);
});

/** Applies files as the version before did: as the owner, with a record of name and digest. */
async function migrateAsBefore(owner: pg.ClientBase, files: readonly Migration[]): Promise<void> {
  expect(await migrate(owner, files)).toEqual(files.map(({ name }) => name));
}

test.each(['hr_self', 'public', 'tamshai', 'platform', 'pgx', 'Rooms', 'a', 'x'.repeat(21)])('a domain called %s is refused', (name) => {
  expect(() => migrations(platformFolder, [{ name, folder: platformFolder }])).toThrow(name);
});
