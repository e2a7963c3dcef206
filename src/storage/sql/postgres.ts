/**
 * The SQL database on a PostgreSQL server. Each database role has its own login, so a connection cannot switch to another audience. Reads
 * share a few pipelined connections per role; transactions use a pool.
 */
import pg from 'pg';
import { type Company, DEFAULT_COMPANY } from '../../declare/company.ts';
import { failure } from '../../declare/errors.ts';
import type { Row } from '../../declare/rows.ts';
import { CommitLost, companySettings, type SqlDatabase, type SqlSession, statementNames, types } from './database.ts';
import { createWriteCoalescer } from '../write-coalescing.ts';
import { NotificationListener } from './listening.ts';
import { Prepared } from './prepared.ts';

export interface PostgresOptions {
  /** Host, port and database. The user in the URL is not used for rows. */
  readonly url: string;
  readonly password: (role: string) => string;
  /** The login of `ping`; it needs no rights. */
  readonly pingAs: string;
  readonly company?: Company;
  readonly readers?: number;
  readonly writers?: number;
  /** The ping interval of LISTEN connections. */
  readonly stillThereMs?: number;
}

/** After these errors a statement is prepared again under a new name: a view changed (0A000), or the server lacks the statement (26000). */
const PREPARE_AGAIN: ReadonlySet<unknown> = new Set(['0A000', '26000']);
/** The statement_timeout of the server. */
const STATEMENT_MS = 5000;
const CONNECT_MS = 2000;

export function openPostgres(options: PostgresOptions): SqlDatabase {
  const { url, password, pingAs, company = DEFAULT_COMPANY, readers = 2, writers = 4, stillThereMs } = options;
  const configFor = (role: string): pg.ClientConfig => {
    const address = new URL(url);
    address.username = role;
    address.password = password(role);
    return {
      connectionString: address.href,
      types,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: STATEMENT_MS + 1000,
      keepAlive: true,
      application_name: 'tamshai',
    };
  };
  // Planning a view with policies costs more than reading it, so all callers of a role share a generic plan.
  const settings = (readOnly: boolean) =>
    `${companySettings(company)}; set statement_timeout = ${STATEMENT_MS}; set idle_in_transaction_session_timeout = 15000; set ` +
    `default_transaction_read_only = ${readOnly ? 'on' : 'off'}${readOnly ? '; set plan_cache_mode = force_generic_plan' : ''}`;

  const readersOf = new Map<string, PipelinedReaders>();
  const reading = (role: string) => {
    let all = readersOf.get(role);
    if (!all) {
      all = new PipelinedReaders(role, () => open(role), readers);
      readersOf.set(role, all);
    }
    return all;
  };
  async function open(role: string): Promise<pg.Client> {
    const client = new pg.Client({ ...configFor(role), pipeline: true } as pg.ClientConfig);
    client.on('error', () => {});
    await client.connect();
    await client.query(settings(true));
    await checkLogin(client, role);
    return client;
  }

  const pools = new Map<string, pg.Pool>();
  const poolOf = (role: string) => {
    let pool = pools.get(role);
    if (!pool) {
      pool = new pg.Pool({ ...configFor(role), max: writers, idleTimeoutMillis: 30_000 });
      pool.on('error', () => {});
      // The pool handles errors of idle clients only. Without this, a connection lost inside a transaction would crash the process.
      pool.on('connect', (client) => client.on('error', () => {}));
      pools.set(role, pool);
    }
    return pool;
  };
  const checked = new WeakSet<pg.PoolClient>();
  const listeners = new Set<NotificationListener>();

  return {
    read: (role, statement) => reading(role).query(statement.text, statement.values),
    async transaction(role, first, body) {
      const client = await poolOf(role).connect();
      let broken = false;
      try {
        if (!checked.has(client)) {
          await client.query(settings(false));
          await checkLogin(client, role);
          checked.add(client);
        }
        const session: SqlSession = {
          query: async (text, values, deadlineMs) =>
            (await client.query<Row>({ text, values: values as unknown[], ...(deadlineMs !== undefined && { query_timeout: deadlineMs }) }))
              .rows,
        };
        await client.query('begin isolation level serializable');
        await session.query(first.text, first.values);
        const result = await body(session);
        await client.query('commit').catch(notCommitted);
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => {
          broken = true;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    listen(role, channel, wake) {
      const listening = new NotificationListener(() => open(role), channel, { wake, stillThereMs });
      listeners.add(listening);
      return () => {
        listeners.delete(listening);
        listening.close();
      };
    },
    async ping() {
      const [role = pingAs] = readersOf.keys();
      await reading(role).query('select 1', []);
    },
    load: () => [
      ...[...readersOf].map(([role, all]) => ({ pool: `${role} reads`, ...all.load() })),
      ...[...pools].map(([role, { totalCount, idleCount, waitingCount }]) => ({
        pool: `${role} writes`,
        open: totalCount,
        idle: idleCount,
        waiting: waitingCount,
      })),
    ],
    async close() {
      for (const listening of listeners) listening.close();
      await Promise.all([...[...readersOf.values()].map((each) => each.close()), ...[...pools.values()].map((pool) => pool.end())]);
    },
  };
}

/**
 * A server error proves that nothing was committed, except 08 and 57 (the connection or the server ends). After other errors the outcome is
 * unknown.
 */
function notCommitted(error: unknown): never {
  throw error instanceof pg.DatabaseError && !/^(08|57)/.test(error.code ?? '') ? error : new CommitLost(error);
}

/** Refuses a login that is not the requested role or can bypass row-level security. */
async function checkLogin(client: pg.ClientBase, role: string): Promise<void> {
  const { rows } = await client.query<{ who: string; free: boolean }>(
    'select current_user as who, rolsuper or rolbypassrls or rolcreaterole as free from pg_roles where rolname = current_user',
  );
  const [login] = rows;
  if (login?.who !== role || login.free) {
    await ('release' in client ? Promise.resolve() : (client as pg.Client).end());
    throw failure('SERVICE_UNAVAILABLE', `The database login for ${role} is another role, or has more rights than it may have.`);
  }
}

/** A few connections that send the statements of many callers without waiting for each answer. */
class PipelinedReaders {
  readonly #open: () => Promise<pg.Client>;
  readonly #slots: { client: Promise<Prepared> | undefined; waiting: number }[];
  #nameOf = statementNames();
  #changes = 0;
  readonly #role: string;
  readonly #coalesce = createWriteCoalescer();
  #refusedUntil = 0;

  constructor(role: string, open: () => Promise<pg.Client>, size: number) {
    this.#role = role;
    this.#open = open;
    this.#slots = Array.from({ length: size }, () => ({ client: undefined, waiting: 0 }));
  }

  async query(text: string, values: readonly unknown[]): Promise<Row[]> {
    let slot = this.#slots[0];
    for (const each of this.#slots) if (slot === undefined || each.waiting < slot.waiting) slot = each;
    if (slot === undefined) return [];
    slot.waiting++;
    try {
      const prepared = await (slot.client ?? this.#connect(slot));
      this.#coalesce(prepared.stream);
      const nameOf = this.#nameOf;
      return await prepared.query(nameOf(this.#role, text), text, values).catch((error: unknown) => {
        if (!PREPARE_AGAIN.has((error as { code?: unknown }).code)) throw error;
        // Only the first of several failed statements creates new names.
        if (this.#nameOf === nameOf) this.#nameOf = statementNames(++this.#changes);
        return prepared.query(this.#nameOf(this.#role, text), text, values);
      });
    } finally {
      slot.waiting--;
    }
  }

  /** A failed or closed connection frees its slot. */
  #connect(slot: { client: Promise<Prepared> | undefined }): Promise<Prepared> {
    const connecting = this.#openUnlessRefused().then((client) => new Prepared(client));
    const forget = () => {
      if (slot.client === connecting) slot.client = undefined;
    };
    slot.client = connecting;
    connecting.then(({ client }) => client.once('end', forget).once('error', forget), forget);
    return connecting;
  }

  /** For half a second after a failed connection, callers fail at once. Otherwise all of them would wait for the timeout. */
  async #openUnlessRefused(): Promise<pg.Client> {
    if (Date.now() < this.#refusedUntil) throw failure('SERVICE_UNAVAILABLE', 'The database does not answer.');
    try {
      return await this.#open();
    } catch (error) {
      this.#refusedUntil = Date.now() + 500;
      throw error;
    }
  }

  load() {
    const open = this.#slots.filter(({ client }) => client !== undefined);
    return {
      open: open.length,
      idle: open.filter(({ waiting }) => waiting === 0).length,
      waiting: this.#slots.reduce((sum, { waiting }) => sum + waiting, 0),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map(async ({ client }) => (await client?.catch(() => undefined))?.client.end()));
  }
}
