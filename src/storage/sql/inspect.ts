/** Inspects the database catalogue for anything that bypasses row-level security. */
import type pg from 'pg';
import { changedSince, type Migration, missing } from './migrate.ts';
import { checkVersion, connectToServe, loginProblem, type ServerOptions } from './server.ts';

export interface Inspection {
  readonly version: string;
  readonly tables: number;
  /** Schema files that were not applied to this database. */
  readonly missing: readonly string[];
  /** Each entry is a sentence about something that bypasses row-level security. */
  readonly holes: readonly string[];
  /** How far the clock of the database is ahead of this process; negative if it is behind. */
  readonly aheadMs: number;
  /** A sentence that says why the configured login must not serve. */
  readonly login?: string | undefined;
}

/** One query per problem. It returns the names of the affected objects. */
const HOLES: readonly { readonly problem: string; readonly sql: string }[] = [
  {
    problem: 'Row security is not forced on',
    sql: `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity)`,
  },
  {
    problem: 'There is no policy on',
    sql: `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p') and not exists (select from pg_policy p where p.polrelid = c.oid)
        and exists (select from aclexplode(c.relacl) a where a.grantee <> c.relowner)`,
  },
  {
    problem: 'These logins could bypass row security:',
    sql: `select rolname as name from pg_roles
      where split_part(rolname, '_', 1) = any ($1) and (rolsuper or rolbypassrls or rolcreaterole or rolreplication)`,
  },
  {
    problem: 'Row security does not apply to these logins, because they own tables:',
    sql: `select distinct r.rolname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_roles r on r.oid = c.relowner
      where n.nspname = any ($1) and c.relkind in ('r', 'p', 'v', 'm') and split_part(r.rolname, '_', 1) = any ($1)`,
  },
  {
    problem: 'These views return all rows that their owner may see:',
    sql: `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind = 'v' and not coalesce('security_invoker=true' = any (c.reloptions)
      or 'security_invoker=on' = any (c.reloptions), false)`,
  },
  {
    problem: 'Everyone may use',
    sql: `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and exists (select from aclexplode(c.relacl) a where a.grantee = 0)`,
  },
];

export async function inspect(client: pg.ClientBase, domains: readonly string[], files: readonly Migration[]): Promise<Inspection> {
  const holes: string[] = [];
  for (const { problem, sql } of HOLES) {
    const { rows } = await client.query<{ name: string }>(`${sql} order by 1`, [domains]);
    if (rows.length > 0)
      holes.push(
        `${problem} ${rows
          .slice(0, 5)
          .map(({ name }) => name)
          .join(', ')}${rows.length > 5 ? ` and ${rows.length - 5} more` : ''}.`,
      );
  }
  const changed = await changedSince(client, files);
  if (changed.length > 0)
    holes.push(`Somebody changed the policies or grants of ${changed.join(', ')} after they were applied; tamshai migrate restores them.`);
  const before = Date.now();
  const { rows } = await client.query<{ version: string; tables: string; at: string }>(
    `select current_setting('server_version') as version, extract(epoch from clock_timestamp())::text as at,
      (select count(*) from pg_class c where c.relnamespace::regnamespace::text = any ($1) and c.relkind in ('r', 'p'))::text as tables`,
    [domains],
  );
  const [facts] = rows;
  const now = (before + Date.now()) / 2;
  return {
    version: facts?.version ?? '',
    tables: Number(facts?.tables),
    missing: await missing(client, files),
    holes,
    aheadMs: Math.round(Number(facts?.at) * 1000 - now),
  };
}

export async function inspectServer({ url, domains, files, password }: ServerOptions): Promise<Inspection> {
  const client = await connectToServe({ url, password });
  try {
    await checkVersion(client, url);
    return { ...(await inspect(client, domains, files)), login: await loginProblem(client, url, domains) };
  } finally {
    await client.end();
  }
}
