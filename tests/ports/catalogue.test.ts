/** What the database's own catalogue says of every table, view, function, role and grant, so that none is ever forgotten. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlFolder } from '../../src/app/stores.ts';
import { registry } from '../../src/core/registry.ts';
import * as hr from '../../src/domains/hr/index.ts';
import * as tasks from '../../src/domains/tasks/index.ts';
import { databases, openSqlWorld, type SqlWorld } from './sql-world.ts';

/** Each database role: the narrower one whose rights it has too. */
const ROLES: Record<string, readonly string[]> = {
  hr_audit: [],
  hr_directory: [],
  hr_everyone: [],
  hr_everyone_write: ['hr_everyone'],
  hr_feed: [],
  hr_reports: [],
  hr_reports_write: ['hr_reports'],
  hr_self: [],
  hr_self_write: ['hr_self'],
  tasks_audit: [],
  tasks_self: [],
  tasks_self_write: ['tasks_self'],
};
const KEEPER = 'tamshai_hr_keeper';
const names = Object.keys(ROLES);

/** Functions that work with more rights than their caller's, and as whom. */
const DEFINERS = [`hr.employment as ${KEEPER}`, `hr.keep_chain as ${KEEPER}`, `hr.log_people as ${KEEPER}`];

/** All that any role may do, object by object. A right that is missing here is a hole, one too many here is dead. */
const GRANTS: Record<string, string> = {
  hr_audit: 'hr usage; audit select',
  hr_directory:
    'hr usage; directory select; employees select(active department email employee_id first_name job_title last_name location manager_id manager_name search_name); employment() execute; plain_name() execute',
  hr_everyone:
    'hr usage; balances select; chain select; contact select; employees select; identity select; my_gathered_list() execute; my_list() execute; pay select; people select; performance_reviews select; plain_name() execute; reviews select; team select; team_time_off select; time_off select; time_off_balances select; time_off_requests select; time_off_types select',
  hr_everyone_write:
    'audit insert; effects insert(confirmation_id principal tool) select(confirmation_id principal result) update(result); employees update(active terminated_at termination_reason); pay update(salary); salary_history insert(effective_date employee_id new_salary old_salary reason) select(employee_id); time_off_balances update(pending used); time_off_requests update(approver_id approver_notes decided_at status)',
  hr_feed: 'hr usage; employees select(active department employee_id first_name last_name manager_id); people_log select',
  hr_reports:
    'hr usage; balances select; chain select; contact select; employees select; identity select; my_gathered_list() execute; my_list() execute; pay select; people select; performance_reviews select; plain_name() execute; reviews select; team select; team_time_off select; time_off select; time_off_balances select; time_off_requests select; time_off_types select',
  hr_reports_write:
    'audit insert; effects insert(confirmation_id principal tool) select(confirmation_id principal result) update(result); time_off_balances update(pending used); time_off_requests update(approver_id approver_notes decided_at status)',
  hr_self:
    'hr usage; balances select; contact select; employees select; identity select; pay select; people select; time_off select; time_off_balances select; time_off_requests select; time_off_types select',
  hr_self_write:
    'audit insert; effects insert(confirmation_id principal tool) select(confirmation_id principal result) update(result); time_off_balances update(pending); time_off_requests insert(days end_date notes start_date type_code)',
  [KEEPER]:
    'hr usage; chain delete insert select update; employees select(active employee_id first_name last_name manager_id manager_name) update(manager_name); people_log insert select update; people_log_n usage; plain_name() execute',
  tasks_audit: 'tasks usage; audit select',
  tasks_self: 'tasks usage; counters select; tasks select',
  tasks_self_write:
    'audit insert; counters insert update(last_id); effects insert(confirmation_id principal tool) select(confirmation_id principal result) update(result); tasks delete insert(description id principal title) update(completed description title)',
};

/** Of the platform, every role may ask who is calling, and nothing else. */
const PLATFORM = 'tamshai usage; me() execute; principal() execute; shows() execute';

/** Every grant in a schema that is not the owner's own, as "role: object right(columns)". */
const GRANTED = `
  with granted as (
    select 0 as kind, nspname::text as object, null::name as column_name, (a).grantee, (a).privilege_type
      from (select nspname, aclexplode(nspacl) as a, nspowner from pg_namespace where nspname = $1) x where (a).grantee <> nspowner
    union all
    select 1, relname::text, null, (a).grantee, (a).privilege_type
      from (select relname, relowner, aclexplode(relacl) as a from pg_class where relnamespace = $1::regnamespace) x where (a).grantee <> relowner
    union all
    select 1, relname::text, attname, (a).grantee, (a).privilege_type
      from (select relname, attname, relowner, aclexplode(attacl) as a from pg_attribute join pg_class c on c.oid = attrelid where relnamespace = $1::regnamespace) x
      where (a).grantee <> relowner
    union all
    select 1, proname || '()', null, (a).grantee, (a).privilege_type
      from (select proname, proowner, aclexplode(coalesce(proacl, acldefault('f', proowner))) as a from pg_proc where pronamespace = $1::regnamespace) x
      where (a).grantee <> proowner
  ), rights as (
    select kind, coalesce(rolname, 'PUBLIC') as role, object, lower(privilege_type)
      || coalesce('(' || string_agg(column_name::text, ' ' order by column_name::text collate "C") || ')', '') as permit
    from granted left join pg_roles r on r.oid = grantee group by kind, rolname, object, privilege_type
  ), objects as (
    select kind, role, object, object || ' ' || string_agg(permit, ' ' order by permit collate "C") as line from rights group by kind, role, object
  )
  select role::text as role, string_agg(line, '; ' order by kind, object collate "C") as rights from objects group by role`;

describe.each(databases)('the catalogue of %s', (kind) => {
  let world: SqlWorld;
  beforeAll(async () => void (world = await openSqlWorld(kind)), 120_000);
  afterAll(() => world.close());
  const column = async (text: string, values?: readonly unknown[]) => (await world.owner(text, values)).map((row) => Object.values(row)[0]);

  test('every table of a domain forces row security on everyone, and has a policy', async () => {
    const tables = await world.owner(`select nspname || '.' || relname as name, relrowsecurity and relforcerowsecurity as forced,
      exists (select from pg_policy where polrelid = c.oid) as policy
      from pg_class c join pg_namespace n on n.oid = relnamespace where nspname in ('hr', 'tasks') and relkind in ('r', 'p') order by 1`);
    expect(tables.length).toBe(17);
    expect(tables.filter(({ forced, policy }) => !forced || !policy)).toEqual([]);
  });

  test('the domains hold tables, invoker views and the numbers of the log, and nothing else that could show rows', async () => {
    expect(
      await column(`select distinct relkind::text from pg_class where relnamespace in ('hr'::regnamespace, 'tasks'::regnamespace)
      and relkind not in ('i', 'I') order by 1`),
    ).toEqual(['S', 'r', 'v']);
    expect(
      await column(`select relname from pg_class where relnamespace in ('hr'::regnamespace, 'tasks'::regnamespace) and relkind = 'v'
      and not coalesce('security_invoker=true' = any (reloptions), false)`),
    ).toEqual([]);
    expect(
      await column("select inhrelid::regclass::text from pg_inherits join pg_class on oid = inhrelid where relkind in ('r', 'p')"),
    ).toEqual([]);
    expect(await column("select rulename from pg_rules where schemaname in ('hr', 'tasks')")).toEqual([]);
  });

  test('a policy is for named roles, never for everybody, and one role has one policy for one verb of a table', async () => {
    const policies = await world.owner(
      `select schemaname || '.' || tablename as name, cmd, unnest(roles)::text as role, permissive from pg_policies`,
    );
    expect(policies.filter(({ role, permissive }) => permissive !== 'PERMISSIVE' || ![...names, KEEPER].includes(String(role)))).toEqual(
      [],
    );
    const keys = policies.map(({ name, cmd, role }) => `${String(name)} ${String(cmd)} ${String(role)}`);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test('roles can do nothing by nature, own nothing, and become nothing but what they include', async () => {
    const roles = await world.owner(
      `select rolname::text as name, rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as mighty, rolcanlogin as login, rolinherit as inherits,
        array(select g.rolname::text from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid and split_part(g.rolname, '_', 1) in ('hr', 'tasks') order by 1) as groups,
        array(select pg_describe_object(classid, objid, 0) from pg_shdepend where refobjid = r.oid and deptype = 'o' and refclassid = 'pg_authid'::regclass
          and dbid = (select oid from pg_database where datname = current_database()) order by 1) as owns
      from pg_roles r where split_part(rolname, '_', 1) in ('hr', 'tasks') or rolname in ('tamshai_app', '${KEEPER}') order by 1`,
    );
    const expected = [
      ...names.map((name) => ({ name, mighty: false, login: true, inherits: true, groups: ROLES[name], owns: [] })),
      { name: 'tamshai_app', mighty: false, login: false, inherits: false, groups: names, owns: [] },
      {
        name: KEEPER,
        mighty: false,
        login: false,
        inherits: true,
        groups: [],
        owns: ['function hr.employment(uuid)', 'function hr.keep_chain()', 'function hr.log_people()'],
      },
    ];
    const parsed = roles.map((row) => ({ ...row, groups: list(row['groups']), owns: list(row['owns']) }));
    expect(parsed).toEqual(expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });

  test('each audience that the tools declare is a role, and every other role has its reason', () => {
    const audiences = registry([...Object.values(hr), ...Object.values(tasks)]).domains.flatMap((domain) =>
      Object.keys(domain.audiences).map((audience) => `${domain.name}_${audience}`),
    );
    expect(names.filter((name) => !/_(audit|write|feed)$/.test(name)).toSorted()).toEqual(audiences.toSorted());
  });

  test('grants are just these, and none is to everybody', async () => {
    const actual: Record<string, string[]> = {};
    for (const schema of ['hr', 'tasks']) {
      for (const { role, rights } of await world.owner(GRANTED, [schema]))
        actual[String(role)] = [...(actual[String(role)] ?? []), String(rights)];
    }
    expect(Object.fromEntries(Object.entries(actual).map(([role, rights]) => [role, rights.join('; ')]))).toEqual(GRANTS);
  });

  test('of the platform, every role may ask who is calling', async () => {
    const granted = await world.owner(GRANTED, ['tamshai']);
    expect(Object.fromEntries(granted.map(({ role, rights }) => [role, rights]))).toEqual({
      ...Object.fromEntries(names.map((name) => [name, PLATFORM])),
      [KEEPER]: 'tamshai usage; principal() execute',
    });
  });

  test('functions with more rights than their caller are known, and look nowhere but in the catalogue', async () => {
    const definers =
      await world.owner(`select pronamespace::regnamespace || '.' || proname || ' as ' || proowner::regrole as name, proconfig::text as config
      from pg_proc where prosecdef and pronamespace in (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema') order by 1`);
    expect(definers.map(({ name }) => name)).toEqual(DEFINERS);
    expect(new Set(definers.map(({ config }) => config))).toEqual(new Set(['{"search_path=pg_catalog, pg_temp"}']));
  });

  test('no function of ours promises not to leak', async () => {
    expect(
      await column(`select proname from pg_proc where proleakproof
      and pronamespace in (select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema')`),
    ).toEqual([]);
  });

  test('nobody makes anything in passing', async () => {
    for (const role of names) {
      const [may] = await world.owner(
        `select has_database_privilege($1, current_database(), 'temporary') or has_database_privilege($1, current_database(), 'create') as database,
          exists (select from pg_namespace where nspname !~ '^pg_' and has_schema_privilege($1, oid, 'create')) as schema`,
        [role],
      );
      expect({ role, ...may }).toEqual({ role, database: false, schema: false });
    }
  });

  test('the rules can be said again, and change nothing', async () => {
    const state = async () => [
      await world.owner(GRANTED, ['hr']),
      await world.owner("select * from pg_policies where schemaname = 'hr' order by tablename, policyname"),
    ];
    const before = await state();
    await world.owner(readFileSync(join(sqlFolder, 'hr', 'policies.sql'), 'utf8'));
    expect(await state()).toEqual(before);
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
