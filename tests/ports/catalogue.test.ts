/** The database catalogue: every table, view, function, role and grant, so that none is forgotten. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaFolder } from '../../src/server/schemas.ts';
import { GRANTS } from '../../src/testing/contract/rights.ts';
import { databases, openSqlTestStore, type SqlTestStore } from './sql-test-store.ts';
import { builtIn } from '../registry.ts';

const sqlDomains = builtIn.domains.filter(({ store }) => store === 'sql');
const DOMAINS = sqlDomains.map(({ name }) => name);
const AUDIENCES = sqlDomains.flatMap(({ name, audiences }) => Object.keys(audiences).map((audience) => `${name}_${audience}`));
/** A system role owns functions that run with more rights than their caller. No session can log in as it or become it. */
const isSystemRole = (role: unknown) => /^tamshai_[a-z]+_(keeper|owner)$/.test(String(role));

describe.each(databases)('the catalogue of %s', (kind) => {
  let testRuntime: SqlTestStore;
  let names: string[];
  beforeAll(async () => {
    testRuntime = await openSqlTestStore(kind, { domains: DOMAINS, sample: false });
    // Roles belong to the whole server, and other suites create roles too. tamshai.roles lists only ours.
    names = (
      await column(
        'select rolname from pg_roles join tamshai.roles on name = rolname where split_part(rolname, $2, 1) = any ($1) order by 1',
        [DOMAINS, '_'],
      )
    ).map(String);
  }, 120_000);
  afterAll(() => testRuntime.close());
  const column = async (text: string, values?: readonly unknown[]) =>
    (await testRuntime.owner(text, values)).map((row) => Object.values(row)[0]);

  test('every table of a domain forces row security, and has a policy unless no role may use it', async () => {
    const tables = await testRuntime.owner(
      `select nspname || '.' || relname as name, relrowsecurity and relforcerowsecurity as forced,
      exists (select from pg_policy where polrelid = c.oid) or not exists (select from aclexplode(relacl)
      where grantee <> relowner) as policy
      from pg_class c join pg_namespace n on n.oid = relnamespace where nspname = any ($1) and relkind in ('r', 'p') order by 1`,
      [DOMAINS],
    );
    for (const domain of DOMAINS)
      expect(tables.map(({ name }) => String(name)).filter((name) => name.startsWith(`${domain}.`)).length).toBeGreaterThan(2);
    expect(tables.filter(({ forced, policy }) => !forced || !policy)).toEqual([]);
  });

  test('domains contain tables, views with security_invoker and sequences, and nothing else that could show rows', async () => {
    const inDomains = 'relnamespace in (select oid from pg_namespace where nspname = any ($1))';
    const kinds = await column(
      `select distinct relkind::text from pg_class where ${inDomains} and relkind not in ('i', 'I', 'c') order by 1`,
      [DOMAINS],
    );
    expect(kinds.filter((each) => !['r', 'v', 'S'].includes(String(each)))).toEqual([]);
    expect(
      await column(
        `select relname from pg_class where ${inDomains} and relkind = 'v'
          and not coalesce('security_invoker=true' = any (reloptions), false)`,
        [DOMAINS],
      ),
    ).toEqual([]);
    expect(
      await column("select inhrelid::regclass::text from pg_inherits join pg_class on oid = inhrelid where relkind in ('r', 'p')"),
    ).toEqual([]);
    expect(await column('select rulename from pg_rules where schemaname = any ($1)', [DOMAINS])).toEqual([]);
  });

  test('every policy is for named roles, and a role has at most one policy per table and command', async () => {
    const policies = await testRuntime.owner(
      `select schemaname || '.' || tablename as name, cmd, unnest(roles)::text as role, permissive from pg_policies`,
    );
    expect(
      policies.filter(({ role, permissive }) => permissive !== 'PERMISSIVE' || !(names.includes(String(role)) || isSystemRole(role))),
    ).toEqual([]);
    const keys = policies.map(({ name, cmd, role }) => `${String(name)} ${String(cmd)} ${String(role)}`);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test('no role has an elevated attribute, only system roles own functions, and a write role includes only its read role', async () => {
    const roles = await testRuntime.owner(
      `select rolname::text as name, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb
        or rolreplication as mighty, rolcanlogin as login, rolinherit as inherits,
        array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid
        and split_part(g.rolname, '_', 1) = any ($1) order by 1) as groups,
        array(select pg_describe_object(classid, objid, 0) from pg_shdepend where refobjid = r.oid and deptype = 'o'
        and refclassid = 'pg_authid'::regclass
          and dbid = (select oid from pg_database where datname = current_database()) order by 1) as owns
      from pg_roles r where split_part(rolname, '_', 1) = any ($1) or rolname in ('tamshai_app', 'tamshai_serve', 'tamshai_engine')
      or rolname ~ '^tamshai_[a-z]+_keeper$' order by 1`,
      [DOMAINS],
    );
    for (const row of roles) {
      const { name, mighty, login, inherits } = row as Record<'name' | 'mighty' | 'login' | 'inherits', unknown>;
      const [groups, owns] = [list(row['groups']), list(row['owns'])];
      const ordinary = names.includes(String(name));
      // On a server these have LOGIN (giveLogins in migrate.ts); on the embedded database they have not.
      if (name === 'tamshai_serve' || name === 'tamshai_engine') {
        expect({ mighty, groups, owns }).toEqual({ mighty: false, groups: [], owns: [] });
        continue;
      }
      expect({ name, mighty, login, inherits }).toEqual({ name, mighty: false, login: ordinary, inherits: name !== 'tamshai_app' });
      if (isSystemRole(name)) expect([groups, owns.filter((each) => !String(each).startsWith('function '))]).toEqual([[], []]);
      else if (ordinary) expect([groups, owns]).toEqual([String(name).endsWith('_write') ? [String(name).replace(/_write$/, '')] : [], []]);
      else expect([name, groups, owns]).toEqual(['tamshai_app', names, []]);
    }
  });

  test('each audience is a role, and every other role is a write or audit role', () => {
    const audiences = names.filter((name) => !/_(audit|write)$/.test(name)).toSorted();
    // A server also has the roles of other databases.
    expect(kind === 'PGlite' ? audiences : audiences.filter((each) => AUDIENCES.includes(each))).toEqual(AUDIENCES.toSorted());
    const writers = kind === 'PGlite' ? names.filter((each) => each.endsWith('_write')) : [];
    for (const name of writers) expect(AUDIENCES).toContain(name.replace(/_write$/, ''));
    for (const domain of DOMAINS) expect(names).toContain(`${domain}_audit`);
  });

  test('grants equal sql/rights.md, and none is for public', async () => {
    const granted = new Map<string, string[]>();
    for (const schema of ['tamshai', ...DOMAINS]) {
      for (const { role, rights } of await testRuntime.owner(GRANTS, [schema]))
        granted.set(String(role), [
          ...(granted.get(String(role)) ?? []),
          `- ${schema}: ${String(rights).replace(`${schema} usage; `, '')}`,
        ]);
    }
    expect([...granted.keys()].filter((role) => !names.includes(role) && !isSystemRole(role))).toEqual(['tamshai_engine', 'tamshai_serve']);
    const definers = await testRuntime.owner(`select pronamespace::regnamespace || '.' || proname || ' as ' || proowner::regrole as name,
        proconfig::text as config
      from pg_proc where prosecdef and pronamespace in (select oid from pg_namespace where nspname !~ '^pg_'
      and nspname <> 'information_schema') order by 1`);
    expect(definers.filter(({ config }) => config !== '{"search_path=pg_catalog, pg_temp"}')).toEqual([]);
    const sections = [...granted].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([role, rights]) => `## ${role}\n${rights.join('\n')}\n`);
    const text = [
      '# What each database role may do',
      '',
      'Generated from the database catalogue; `npx vitest run tests/ports/catalogue.test.ts -u` updates it. It lists the grants on tables,',
      'columns and functions. Which rows a role sees is decided by the policies in `domains/<domain>/sql/policies.sql`.',
      '',
      'An audience has a role for reads (`hr_everyone`) and, if it writes, one for writes ' +
        '(`hr_everyone_write`). `hr_audit` reads the audit',
      'log; `hr_feed` serves the change feed of people. `tamshai_<domain>_keeper` is the system role of a domain: it owns the functions at',
      'the end of this file, and no session can log in as it. `tamshai_<domain>_owner` owns the schema of a domain; migrations run as it.',
      "`tamshai_serve` only checks which migrations were applied; `tamshai_engine` reads and writes the engine's own store.",
      '',
      ...sections,
      '## Functions with more rights than their caller',
      ...definers.map(({ name }) => `- ${String(name)}`),
      '',
    ].join('\n');
    await expect(text).toMatchFileSnapshot('../../sql/rights.md');
  });

  test('no function of ours is leakproof', async () => {
    expect(
      await column(`select proname from pg_proc where proleakproof
      and pronamespace in (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')`),
    ).toEqual([]);
  });

  test('no role can create objects, not even temporary ones', async () => {
    for (const role of names) {
      const [may] = await testRuntime.owner(
        `select has_database_privilege($1, current_database(), 'temporary')
          or has_database_privilege($1, current_database(), 'create') as database,
          exists (select from pg_namespace where nspname !~ '^pg_' and has_schema_privilege($1, oid, 'create')) as schema`,
        [role],
      );
      expect({ role, ...may }).toEqual({ role, database: false, schema: false });
    }
  });

  test('applying the policies again changes nothing', async () => {
    for (const { name, home } of sqlDomains) {
      const state = async () => [
        await testRuntime.owner(GRANTS, [name]),
        await testRuntime.owner('select * from pg_policies where schemaname = $1 order by tablename, policyname', [name]),
      ];
      const before = await state();
      await testRuntime.owner(readFileSync(join(schemaFolder({ name, home }), 'policies.sql'), 'utf8'));
      expect(await state()).toEqual(before);
    }
  });
});

const list = (value: unknown): unknown[] =>
  Array.isArray(value)
    ? value
    : String(value)
        .replace(/^\{|\}$/g, '')
        .split(',')
        .filter(Boolean)
        .map((item) => item.replace(/^"|"$/g, ''));
