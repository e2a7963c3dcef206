/** Checks SQL files of a domain against rules that the rights of the migration role cannot enforce. */
import type pg from 'pg';

/** The migration role of a domain. It owns the schema of that domain and nothing else. */
export const ownerOf = (domain: string): string => `tamshai_${domain}_owner`;

const RESERVED = new Set(['platform', 'public', 'tamshai']);

/** The name becomes a schema and the first part of role names. It has no underscore, so two domains never share a role. */
export function nameProblem(domain: string): string | undefined {
  if (!/^[a-z][a-z0-9]{1,19}$/.test(domain))
    return `The domain ${domain} needs a name of 2 to 20 small letters and digits, for its schema.`;
  return RESERVED.has(domain) || domain.startsWith('pg')
    ? `No domain can be called ${domain}: PostgreSQL or Tamshai uses this name.`
    : undefined;
}

const OPAQUE = /'(?:[^']|'')*'|"[^"]*"|(\$(?:[a-z_]\w*)?\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\//gi;
const FORBIDDEN =
  /^(begin|start\s+transaction|commit|end|rollback|abort|savepoint|set\s+(?:session\s+|local\s+)?(?:role|session\s+authorization)|reset\s+(?:role|session\s+authorization|all)|discard)\b/i;

/** Finds a statement that would leave the transaction or the migration role. */
export function statementProblem(text: string): string | undefined {
  const plain = text.replace(OPAQUE, ' ');
  const hasBodies = /\bbegin\s+atomic\b/i.test(plain);
  for (const statement of plain.split(';')) {
    const found = FORBIDDEN.exec(statement.trim())?.[1];
    if (found !== undefined && !(hasBodies && found.toLowerCase() === 'end'))
      return `it contains "${found.toLowerCase().replace(/\s+/g, ' ')}", but each file is one transaction under one role`;
  }
  return undefined;
}

/** Parameters: the domain, the tables that had row security before, and whether every table needs it now. */
const PROBLEMS: readonly { readonly problem: string; readonly sql: string }[] = [
  {
    problem:
      'it creates a SECURITY DEFINER function that does not belong to the system role of the domain, or without a fixed search_path:',
    sql: `select p.oid::regprocedure::text as name from pg_proc p where p.pronamespace = $1::regnamespace and p.prosecdef
      and (p.proowner::regrole::text <> format('tamshai_%s_keeper', $1)
      or not coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false))`,
  },
  {
    problem: 'it leaves row security off for',
    sql: `select c.oid::regclass::text as name from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p')
      and not (c.relrowsecurity and c.relforcerowsecurity) and ($3 or format('%s.%I', $1, c.relname) = any ($2))`,
  },
  {
    problem: 'it creates what row security does not cover (a view without security_invoker, a materialised view or a foreign table):',
    sql: `select c.oid::regclass::text as name from pg_class c where c.relnamespace = $1::regnamespace
      and (c.relkind in ('m', 'f') or c.relkind = 'v' and not coalesce(c.reloptions && array['security_invoker=true',
      'security_invoker=on'], false))`,
  },
  {
    problem: 'it grants rights to roles of others:',
    sql: `with granted as (
        select c.oid::regclass::text as object, (aclexplode(c.relacl)).grantee from pg_class c where c.relnamespace = $1::regnamespace
        union select c.oid::regclass::text, (aclexplode(a.attacl)).grantee from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = $1::regnamespace
        union select n.nspname, (aclexplode(n.nspacl)).grantee from pg_namespace n where n.nspname = $1
        union select p.oid::regprocedure::text, g.grantee from pg_proc p, aclexplode(p.proacl) g
        where p.pronamespace = $1::regnamespace and g.grantee <> 0)
      select format('%s to %s', object, coalesce(r.rolname, 'public')) as name from granted left join pg_roles r on r.oid = grantee
      where not coalesce(starts_with(r.rolname, $1 || '_') or r.rolname in (format('tamshai_%s_keeper', $1), format('tamshai_%s_owner',
      $1)), false)`,
  },
  {
    problem: 'it gives away the system role or the migration role of the domain:',
    sql: `select format('%s to %s', r.rolname, m.rolname) as name from pg_auth_members a join pg_roles r on r.oid = a.roleid
      join pg_roles m on m.oid = a.member
      where r.rolname in (format('tamshai_%s_keeper', $1), format('tamshai_%s_owner', $1)) and m.rolname <> format('tamshai_%s_owner', $1)
        and not (m.rolsuper or m.rolcreaterole) and m.rolname <> current_user`,
  },
  {
    problem: 'it changes who may use the results and the audit log of the domain, which tamshai.begin_rules decides:',
    sql: `select format('policy %I on %s', p.polname, c.oid::regclass) as name from pg_policy p join pg_class c on c.oid = p.polrelid
        where $3 and c.relnamespace = $1::regnamespace and (c.relname, p.polname) not in (('effects', 'own'), ('audit', 'append'),
        ('audit', 'auditor'))
          and c.relname in ('effects', 'audit')
      union select format('%s on %s to %s', lower(g.privilege_type), c.oid::regclass, r.rolname) from pg_class c
        cross join lateral (select x.* from aclexplode(c.relacl) x
          union all select x.* from pg_attribute a, aclexplode(a.attacl) x where a.attrelid = c.oid) g join pg_roles r on r.oid = g.grantee
        where $3 and c.relnamespace = $1::regnamespace and c.relname in ('effects', 'audit') and g.grantee <> c.relowner
          and not case g.privilege_type when 'SELECT' then c.relname = 'audit' and r.rolname = $1 || '_audit' or c.relname = 'effects'
          and r.rolname ~ '_write$'
            when 'INSERT' then r.rolname ~ '_write$' when 'UPDATE' then c.relname = 'effects' and r.rolname ~ '_write$' else false end`,
  },
];

/** The checks name functions and operators without a schema, so the search path must not contain a domain's schema. */
async function withFixedPath<Result>(login: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  const { rows } = await login.query<{ search_path: string }>('show search_path');
  await login.query('set search_path = pg_catalog, pg_temp');
  try {
    return await work();
  } finally {
    // In a failed transaction this query fails, and the rollback restores the path.
    await login.query("select set_config('search_path', $1, false)", [rows[0]?.search_path]).catch(() => {});
  }
}

/** The tables of a domain whose row security is forced. */
export async function securedTables(owner: pg.ClientBase, domain: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'p') and c.relrowsecurity and c.relforcerowsecurity`,
    [domain],
  );
  return rows.map(({ name }) => name);
}

export interface Applied {
  readonly domain: string;
  readonly securedBefore: readonly string[];
  /** True for the policies file. After it, every table must be secured. */
  readonly complete: boolean;
}

/** The first rule that the file breaks; undefined if it breaks none. */
export function ruleProblem(owner: pg.ClientBase, applied: Applied): Promise<string | undefined> {
  return withFixedPath(owner, () => firstProblem(owner, applied));
}

async function firstProblem(owner: pg.ClientBase, { domain, securedBefore, complete }: Applied): Promise<string | undefined> {
  for (const { problem, sql } of PROBLEMS) {
    const { rows } = await owner.query<{ name: string }>(
      `with parameters as (select $1::text, $2::text[], $3::boolean) ${sql.startsWith('with ') ? `, ${sql.slice(5)}` : sql} order by 1
        limit 3`,
      [domain, securedBefore, complete],
    );
    if (rows.length > 0) return `${problem} ${rows.map(({ name }) => name).join(', ')}`;
  }
  return undefined;
}

/** A digest of the policies, grants and row security of a domain. It uses names, so it stays the same after a dump and restore. */
export async function stateOf(login: pg.ClientBase, domain: string): Promise<string> {
  const { rows } = await withFixedPath(login, () =>
    login.query<{ state: string }>(
      `select md5(coalesce(string_agg(item, E'\\n' order by item collate "C"), '')) as state from (
       select concat_ws('|', 'policy', tablename, policyname, permissive, roles::text, cmd, qual, with_check) as item from pg_policies
       where schemaname = $1
       union all
       select concat_ws('|', 'table', c.relname, c.relrowsecurity, c.relforcerowsecurity) from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relkind in ('r', 'p')
       union all
       select concat_ws('|', 'grant', c.relname, g.grantee::regrole, g.privilege_type) from pg_class c
       join pg_namespace n on n.oid = c.relnamespace,
         aclexplode(c.relacl) g where n.nspname = $1 and g.grantee <> c.relowner
       union all
       select concat_ws('|', 'column', c.relname, a.attname, g.grantee::regrole, g.privilege_type) from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
         join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) g where n.nspname = $1
       union all
       select concat_ws('|', 'function', p.proname, g.grantee::regrole, g.privilege_type) from pg_proc p
       join pg_namespace n on n.oid = p.pronamespace,
         aclexplode(p.proacl) g where n.nspname = $1 and g.grantee <> p.proowner) items`,
      [domain],
    ),
  );
  return rows[0]?.state ?? '';
}
