/** Before a PostgreSQL server is trusted with rows: its version, its schema, its logins. */
import pg from 'pg';
import { DatabaseProblem } from '../problem.ts';
import type { SqlDatabase } from './database.ts';
import { giveLogins, type Migration, migrate, missing } from './migrate.ts';
import { openPostgres } from './postgres.ts';

/** Older ones have holes in row security (CVE-2023-2455, CVE-2025-8713). */
const OLDEST: Readonly<Record<number, number>> = { 15: 150014, 16: 160010, 17: 170006 };

export const addressOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}${port ? `:${port}` : ''}${pathname}`;
};

/** Its own login, for setting up and for looking after; rows are read by others. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'tamshai-setup' });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    const why = code.startsWith('28') ? 'does not accept the login' : code === '3D000' ? 'has no such database' : 'does not answer';
    throw new DatabaseProblem(`PostgreSQL at ${addressOf(url)} ${why}.`);
  }
}

export async function checkVersion(client: pg.ClientBase, url: string): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string; server_version: string }>("select current_setting('server_version_num') as server_version_num, current_setting('server_version') as server_version");
  const version = Number(rows[0]?.server_version_num);
  const major = Math.floor(version / 10000);
  const oldest = OLDEST[major] ?? 150014;
  if (version < oldest) throw new DatabaseProblem(`PostgreSQL at ${addressOf(url)} is version ${rows[0]?.server_version}; row security needs 15.14, 16.10, 17.6 or newer.`);
}

export interface ServerOptions {
  readonly url: string;
  readonly domains: readonly string[];
  readonly files: readonly Migration[];
  readonly password: (role: string) => string;
}

/** Brings the schema up to date where the URL's login may, and opens pools of logins that may do nothing else. */
export async function openServer({ url, domains, files, password }: ServerOptions): Promise<{ database: SqlDatabase; applied: string[] }> {
  const setup = await connect(url);
  try {
    await checkVersion(setup, url);
    const { rows } = await setup.query<{ may: boolean }>('select rolsuper or rolcreaterole as may from pg_roles where rolname = current_user');
    const open = await missing(setup, files);
    let applied: string[] = [];
    if (rows[0]?.may) {
      applied = await migrate(setup, files);
      await giveLogins(setup, domains, password);
    } else if (open.length > 0) {
      throw new DatabaseProblem(`The schema at ${addressOf(url)} is not up to date (${open[0]}), and this login may not change it; run tamshai migrate with the owner's login.`);
    }
    return { database: openPostgres({ url, password }), applied };
  } finally {
    await setup.end();
  }
}
