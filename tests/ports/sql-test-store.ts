/** The sample company in a test database, with access as any database role. Changes as a role are rolled back. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { persona } from '../../domains/sample-company/people.ts';
import { types } from '../../src/storage/sql/database.ts';
import { giveLogins, migrate } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { storesFor } from '../stores.ts';
import { copyDatabase, copyFolder } from '../template.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

export const TODAY = new Date('2026-11-16T09:00:00Z');
const password = (role: string) => `only-for-tests-${role}`;

const url = process.env['TAMSHAI_TEST_DATABASE_URL'];
export const databases = storesFor('PGlite', ...(url === undefined ? [] : ['PostgreSQL']));

export type Row = Record<string, unknown>;
export type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** The settings that the adapter sets for a transaction. An empty object stands for a missing identity. */
export interface Identity {
  readonly me?: string;
  readonly principal?: string;
  readonly shows?: string;
}

export interface SqlTestStore {
  /** Runs a statement as a superuser, to whom no policy applies. */
  owner: Query;
  /** Runs several statements as a superuser in one transaction, which is rolled back. */
  asOwner<T>(body: (query: Query) => Promise<T>): Promise<T>;
  /** Runs one transaction as a database role, and rolls it back. */
  as<T>(role: string, who: Identity, body: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The database roles of the audiences that read, without the audit roles. */
export const READERS = ['hr_everyone', 'hr_reports', 'hr_self', 'hr_directory', 'tasks_self'];
export const WRITERS = ['hr_everyone_write', 'hr_reports_write', 'hr_self_write', 'tasks_self_write'];
/** The names of all masks. */
export const ALL = 'pay,planned_pay,contact,ssn';
/** The SQLSTATE for a missing privilege and for a violated policy. */
export const DENIED = '42501';
/** Everyone below a manager, computed without the chain. */
export const BELOW = `with recursive below as (select employee_id from hr.employees where manager_id = $1 and active
  union all select e.employee_id from hr.employees e join below b on e.manager_id = b.employee_id and e.active) select employee_id
  from below order by 1`;
export const SALARY = 'update hr.pay set salary = salary + 1 where employee_id = $1 returning row_version';
export const LEAVE =
  "update hr.employees set active = false, terminated_at = now(), termination_reason = 'left' where employee_id = $1 and active " +
  'returning employee_id, active';

/** The first column of each row, as text. */
export const ids = async (query: Query, text: string, values?: readonly unknown[]): Promise<string[]> =>
  (await query(text, values)).map((row) => String(Object.values(row)[0]));
export const count = async (query: Query, from: string): Promise<number> =>
  Number((await query(`select count(*) as n from ${from}`))[0]?.['n']);

export const idOf = (username: string): string => persona(username).sub;
/** The settings that the adapter sets for a sample person. */
export const someone = (username: string, shows = ''): Identity => ({ me: idOf(username), principal: `staff:${idOf(username)}`, shows });

/** The SQLSTATE of a failed statement, or 'none'. */
export const errorOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : String(error)),
  );

const over =
  (client: pg.ClientBase): Query =>
  async (text, values) =>
    (await client.query<Row>(text, values as unknown[])).rows;

async function undone<T>(
  client: pg.ClientBase,
  begin: string,
  { me, principal, shows }: Identity,
  body: (query: Query) => Promise<T>,
): Promise<T> {
  await client.query(begin);
  try {
    for (const [name, value] of Object.entries({ user_id: me, principal, shows })) {
      if (value !== undefined) await client.query('select set_config($1, $2, true)', [`app.${name}`, value]);
    }
    return await body(over(client));
  } finally {
    await client.query('rollback');
  }
}

const USUAL = ['hr', 'tasks'];
export interface TestRuntimeOptions {
  readonly domains?: readonly string[];
  readonly sample?: boolean;
}
export async function openSqlTestStore(kind: string, options: TestRuntimeOptions = {}): Promise<SqlTestStore> {
  return kind === 'PGlite' ? embedded(options) : server(url ?? '', options);
}

async function embedded({ domains = USUAL, sample = true }: TestRuntimeOptions): Promise<SqlTestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-sql-'));
  if (sample) await copyFolder(join(folder, 'pg'), { domains, today: TODAY });
  const database = await openPglite(sample ? join(folder, 'pg') : undefined);
  const { owner } = database;
  if (!sample) await migrate(owner, migrationsOf(builtIn, domains));
  await database.surrender();
  return {
    async owner(text, values) {
      await owner.query('set session authorization postgres');
      try {
        return await over(owner)(text, values);
      } finally {
        await database.surrender();
      }
    },
    async asOwner(body) {
      await owner.query('set session authorization postgres');
      try {
        return await undone(owner, 'begin', {}, body);
      } finally {
        await database.surrender();
      }
    },
    as: (role, who, body) => undone(owner, `begin; set local role ${role}`, who, body),
    async close() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function server(root: string, options: TestRuntimeOptions): Promise<SqlTestStore> {
  const { owner, address, drop } = await freshDatabase(root, options);
  const logins = new Map<string, Promise<pg.Client>>();
  const login = (role: string) => {
    const known = logins.get(role);
    if (known) return known;
    const opening = connect(address, role);
    logins.set(role, opening);
    return opening;
  };
  return {
    owner: over(owner),
    asOwner: (body) => undone(owner, 'begin', {}, body),
    as: async (role, who, body) => undone(await login(role), 'begin', who, body),
    async close() {
      for (const client of logins.values()) await (await client).end();
      await owner.end();
      await drop();
    },
  };
}

async function connect(address: string, role?: string): Promise<pg.Client> {
  const own = new URL(address);
  if (role !== undefined) [own.username, own.password] = [role, password(role)];
  const client = new pg.Client({ connectionString: own.href, types });
  await client.connect();
  return client;
}

/** Roles belong to the whole server and other suites create them too, so a lock lets only one migration run at a time. */
async function freshDatabase(root: string, { domains = USUAL, sample = true }: TestRuntimeOptions) {
  const name = `tamshai_sql_${randomBytes(6).toString('hex')}`;
  const admin = await connect(root);
  const address = new URL(root);
  address.pathname = `/${name}`;
  await admin.query('select pg_advisory_lock(42)');
  try {
    await (sample ? copyDatabase(admin, root, name, { domains, today: TODAY }) : admin.query(`create database ${name}`));
    const owner = await connect(address.href);
    if (!sample) await migrate(owner, migrationsOf(builtIn, domains));
    await giveLogins(owner, domains, password);
    return {
      owner,
      address: address.href,
      async drop() {
        await admin.query(`drop database ${name} with (force)`);
        await admin.end();
      },
    };
  } finally {
    await admin.query('select pg_advisory_unlock(42)');
  }
}
