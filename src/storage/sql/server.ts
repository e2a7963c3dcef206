/** Checks a PostgreSQL server before use: version, schema and logins. */
import pg from 'pg';
import { type Company, DEFAULT_COMPANY } from '../../declare/company.ts';
import { DatabaseProblem } from '../problem.ts';
import { companySettings, type SqlDatabase } from './database.ts';
import { ENGINE_LOGIN, giveLogins, type Migration, migrate, missing, SERVING_LOGIN } from './migrate.ts';
import { openPostgres } from './postgres.ts';

/** Older versions have vulnerabilities in row-level security (CVE-2023-2455, CVE-2025-8713). */
const OLDEST: Readonly<Record<number, number>> = { 15: 150014, 16: 160010, 17: 170006 };

export const addressOf = (url: string): string => {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}${port ? `:${port}` : ''}${pathname}`;
};

/** The PostgreSQL error code invalid_parameter_value. */
const UNKNOWN_VALUE = '22023';

class LoginRefused extends DatabaseProblem {}

/** Connects with the configured login, for setup and maintenance only. */
export async function connect(url: string, company: Company = DEFAULT_COMPANY): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'tamshai-setup' });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(companySettings(company));
    return client;
  } catch (error) {
    await client.end().catch(() => {});
    const { code = '' } = error as { code?: string };
    if (code === UNKNOWN_VALUE)
      throw new DatabaseProblem(
        `PostgreSQL at ${addressOf(url)} does not know the time zone ${company.timeZone}; update its time zone ` +
          'data, or choose another zone.',
      );
    if (code.startsWith('28')) throw new LoginRefused(`PostgreSQL at ${addressOf(url)} does not accept the login.`);
    throw new DatabaseProblem(`PostgreSQL at ${addressOf(url)} ${code === '3D000' ? 'has no such database' : 'does not answer'}.`);
  }
}

export async function checkVersion(client: pg.ClientBase, url: string): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string; server_version: string }>(
    "select current_setting('server_version_num') as server_version_num, current_setting('server_version') as server_version",
  );
  const version = Number(rows[0]?.server_version_num);
  const major = Math.floor(version / 10000);
  const oldest = OLDEST[major] ?? 150014;
  if (version < oldest)
    throw new DatabaseProblem(
      `PostgreSQL at ${addressOf(url)} is version ${rows[0]?.server_version}; row security needs 15.14, 16.10, 17.6 or newer.`,
    );
}

export interface ServerOptions {
  readonly url: string;
  readonly domains: readonly string[];
  readonly files: readonly Migration[];
  readonly password: (role: string) => string;
  readonly company?: Company;
}

/** A URL without a user means the serving login. Its password is derived from the master key. */
function withLogin(url: string, password: (role: string) => string): string {
  const address = new URL(url);
  if (address.username !== '') return url;
  address.username = SERVING_LOGIN;
  address.password = password(SERVING_LOGIN);
  return address.href;
}

/** The PostgreSQL error code insufficient_privilege. */
const NOT_ALLOWED = '42501';
const MIGRATE = `run "tamshai migrate" with the owner's login`;

/** Connects a serving process or an operator command. */
export async function connectToServe({ url, password, company }: Pick<ServerOptions, 'url' | 'password' | 'company'>): Promise<pg.Client> {
  const own = withLogin(url, password);
  try {
    return await connect(own, company);
  } catch (error) {
    if (own === url || !(error instanceof LoginRefused)) throw error;
    throw new DatabaseProblem(
      `PostgreSQL at ${addressOf(url)} does not accept the login ${SERVING_LOGIN} with the password of this master key; ${MIGRATE}.`,
    );
  }
}

/** Returns why the login must not serve. With a login that bypasses row-level security, an attacker could read all rows. */
export async function loginProblem(client: pg.ClientBase, url: string, domains: readonly string[]): Promise<string | undefined> {
  const { rows } = await client.query<LoginRights>(
    `with reachable as (select * from pg_roles where pg_has_role(current_user, oid, 'member'))
     select current_user as login, bool_or(rolsuper) as superuser, bool_or(rolbypassrls) as bypass, bool_or(rolcreaterole) as maker,
       (select exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where (n.nspname = any ($1) or n.nspname = 'tamshai') and c.relowner in (select oid from reachable))) as owns,
       (select min(rolname::text) from reachable
         where rolname not in ($2, current_user) and split_part(rolname, '_', 1) = any ($1 || array['tamshai'])) as member
     from reachable`,
    [domains, SERVING_LOGIN],
  );
  const [found] = rows;
  const why = found && rightsProblem(found);
  if (why === undefined) return undefined;
  const { host, pathname } = new URL(url);
  const instead = `postgres://${host}${pathname}`;
  return (
    `The login ${found?.login} of PostgreSQL at ${addressOf(url)} ${why}, so it must not serve; ` +
    `use it for "tamshai migrate", and serve with ${instead}, without a user and a password.`
  );
}

interface LoginRights {
  readonly login: string;
  readonly superuser: boolean;
  readonly bypass: boolean;
  readonly maker: boolean;
  readonly owns: boolean;
  /** A role of Tamshai, if the login is a member of one. */
  readonly member: string | null;
}

function rightsProblem({ superuser, bypass, maker, owns, member }: LoginRights): string | undefined {
  if (superuser) return 'is a superuser';
  if (bypass) return 'may bypass row security';
  if (maker) return 'may create roles';
  if (owns) return 'owns tables';
  return member === null ? undefined : `is a member of ${member}`;
}

/** Checks version, login and schema before it opens the connections. */
export async function openServer({ url, domains, files, password, company }: ServerOptions): Promise<SqlDatabase> {
  const setup = await connectToServe({ url, password, ...(company && { company }) });
  try {
    await checkVersion(setup, url);
    const problem = await loginProblem(setup, url, domains);
    if (problem !== undefined) throw new DatabaseProblem(problem);
    const [open] = await missing(setup, files).catch((error: { code?: string }) => {
      if (error.code !== NOT_ALLOWED) throw error;
      const place = `PostgreSQL at ${addressOf(url)}`;
      throw new DatabaseProblem(
        `The login of ${place} may not see which schema files were applied; ${MIGRATE}, then "grant ${SERVING_LOGIN}" to this one.`,
      );
    });
    if (open !== undefined) throw new DatabaseProblem(`The schema at ${addressOf(url)} is not up to date (${open}); ${MIGRATE}.`);
    const pingAs = domains[0] === undefined ? ENGINE_LOGIN : `${domains[0]}_audit`;
    return openPostgres({ url, password, pingAs, ...(company && { company }) });
  } finally {
    await setup.end();
  }
}

/** Migrates the schema with the owner's login, and sets the password of each role. Returns the applied files. */
export async function migrateServer({ url, domains, files, password, company }: ServerOptions): Promise<string[]> {
  const owner = await connect(url, company);
  try {
    await checkVersion(owner, url);
    const { rows } = await owner.query<{ may: boolean }>(
      'select rolsuper or rolcreaterole as may from pg_roles where rolname = current_user',
    );
    if (!rows[0]?.may)
      throw new DatabaseProblem(
        `This login may not change the schema at ${addressOf(url)}; use the owner's login, which may create roles.`,
      );
    const applied = await migrate(owner, files, { repair: true });
    await giveLogins(owner, domains, password);
    return applied;
  } finally {
    await owner.end();
  }
}
