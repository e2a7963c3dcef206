/** Cases for the SQL catalogue: row security, audiences, grants, functions and views of every SQL domain. */
import type { AnyDomain } from '../../declare/tool.ts';
import { ensureNone } from './expect.ts';
import type { ContractCase, Subject } from './subject.ts';

interface Rule {
  /** The problem of the named object, as a sentence. */
  readonly problem: (name: string, domain: string) => string;
  /** Returns the names of the objects that break the rule; `$1` is the domain. */
  readonly sql: string;
}

const IN_DOMAIN = 'from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1';
const RULES: readonly Rule[] = [
  {
    problem: (name, domain) =>
      `Row security is not forced on the table ${name}: call tamshai.begin_rules('${domain}') at the top of policies.sql.`,
    sql: `select format('%I.%I', nspname, relname) as name ${IN_DOMAIN} and relkind in ('r', 'p') and not (relrowsecurity
      and relforcerowsecurity)`,
  },
  {
    problem: (name) => `The table ${name} is granted to a role, but has no policy.`,
    sql: `select format('%I.%I', nspname, relname) as name ${IN_DOMAIN} and relkind in ('r', 'p')
      and not exists (select from pg_policy where polrelid = c.oid) and exists (select from aclexplode(relacl) where grantee <> relowner)`,
  },
  {
    problem: (name) => `The view ${name} returns all rows that its owner may see: create it with (security_invoker = true).`,
    sql: `select format('%I.%I', nspname, relname) as name ${IN_DOMAIN} and relkind = 'v'
      and not coalesce('security_invoker=true' = any (reloptions) or 'security_invoker=on' = any (reloptions), false)`,
  },
  {
    problem: (name) => `${name} is a materialized view or a foreign table, to which row security does not apply.`,
    sql: `select format('%I.%I', nspname, relname) as name ${IN_DOMAIN} and relkind in ('m', 'f')`,
  },
  {
    problem: (name) => `Everyone may use ${name}: revoke the grant to public.`,
    sql: `select format('%I.%I', nspname, relname) as name ${IN_DOMAIN} and exists (select from aclexplode(relacl) where grantee = 0)`,
  },
  {
    problem: (name) =>
      `Everyone may execute ${name}, which runs with the rights of its owner (security definer): revoke execute from public.`,
    sql: `select format('%I.%I()', $1::text, proname) as name from pg_proc where pronamespace = $1::regnamespace and prosecdef
      and exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) where grantee = 0)`,
  },
  {
    problem: (name) =>
      `${name} runs with the rights of its owner, but without a fixed search_path: add set search_path = pg_catalog, pg_temp.`,
    sql: `select format('%I.%I()', $1::text, proname) as name from pg_proc where pronamespace = $1::regnamespace and prosecdef
      and not coalesce(proconfig::text like '%search_path=pg_catalog, pg_temp%', false)`,
  },
  {
    problem: (name) => `The policy ${name} is for everyone, or for a role of another domain.`,
    sql: `select distinct format('%I on %I.%I', policyname, schemaname, tablename) as name from pg_policies, unnest(roles) role
      where schemaname = $1 and split_part(role, '_', 1) <> $1 and role <> format('tamshai_%s_keeper', $1::text)`,
  },
  {
    problem: (name, domain) => `${name} is a role of ${domain}, but has rights in another domain's schema.`,
    sql: `select distinct format('%I on %I.%I', rolname, nspname, relname) as name from pg_class c
      join pg_namespace n on n.oid = relnamespace,
        aclexplode(relacl) a join pg_roles r on r.oid = a.grantee
      where split_part(rolname, '_', 1) = $1 and nspname not in ($1, 'tamshai', 'pg_catalog', 'information_schema')`,
  },
  {
    problem: (name) => `The role ${name} could bypass row security: it is a superuser, bypasses row security, or can create roles.`,
    sql: `select rolname::text as name from pg_roles where split_part(rolname, '_', 1) = $1
      and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)`,
  },
];

export function catalogueCases(subject: Subject): ContractCase[] {
  return subject.registry.domains
    .filter(({ store }) => store === 'sql')
    .map((domain) => ({
      name: `${domain.name}: no table, view, function or role bypasses row security`,
      run: () => checkCatalogue(subject, domain),
    }));
}

async function checkCatalogue(subject: Subject, { name: domain, audiences }: AnyDomain): Promise<void> {
  const { server } = await subject.open();
  const problems: string[] = [];
  for (const { problem, sql } of RULES) {
    const found = await server.owner(`select name from (${sql}) t order by 1`, [domain]);
    problems.push(...found.map(({ name }) => `${domain}: ${problem(String(name as string), domain)}`));
  }
  const roles = await server.owner("select rolname::text as name from pg_roles where split_part(rolname, '_', 1) = $1", [domain]);
  const known = new Set(roles.map(({ name }) => name));
  for (const audience of Object.keys(audiences))
    if (!known.has(`${domain}_${audience}`))
      problems.push(
        `${domain}: the audience '${audience}' has no database role: call tamshai.ensure_role('${domain}_${audience}') in policies.sql.`,
      );
  ensureNone(problems);
}
