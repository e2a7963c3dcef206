/** The SQL store for PGlite and PostgreSQL: row-level security, keyset pagination, exactly-once effects. */
import type { z } from 'zod';
import type { ChainWriter } from '../../engine/audit/chain.ts';
import { Failure, failure, outcomeUnknown } from '../../declare/errors.ts';
import type { AuditChains, ChainedRecord } from '../../engine/ports.ts';
import type { Order } from '../../declare/order.ts';
import { answerParser, type Row, rowParser } from '../../declare/rows.ts';
import { type SqlReader, type SqlText, type SqlWriter, sql } from '../../declare/sql.ts';
import type { Store, StoreSession, Versions, Window } from '../../engine/store.ts';
import { CommitLost, type SqlDatabase, type SqlSession, type Statement } from './database.ts';
import { toFailure, isConflict } from './errors.ts';
import { conditionOf, grouped, groupOf } from './groups.ts';

/**
 * Sets the caller's identity for this transaction, with the first five parameters. The server shows the fourth, the request id, with
 * running statements and in its log (%a). The fifth is today; if it is empty, SQL uses the database's own clock.
 */
const IDENTITY =
  "set_config('app.user_id', $1, true) as a, set_config('app.principal', $2, true) as b, set_config('app.shows', $3, true) as c, " +
  "set_config('application_name', $4, true) as d, set_config('app.today', $5, true) as e";
const identityOf = ({ person, shows, requestId }: StoreSession, today: string): unknown[] => [
  person.employeeId ?? '',
  person.principal,
  shows.join(','),
  requestId === undefined ? 'tamshai' : `tamshai ${requestId}`,
  today,
];

const roleOf = ({ domain, audience }: StoreSession) => `${domain}_${audience}`;
const ATTEMPTS = 12;

/**
 * Identity and query in one statement. The query reads the identity's row and `offset 0` prevents flattening, so PostgreSQL applies the
 * settings before the query.
 */
function asCaller(who: StoreSession, query: SqlText, today: string): Statement {
  const values = identityOf(who, today);
  return { text: withIdentity(query.compile(values)), values };
}

/** Equal texts become the same string object, so lookups by text are fast. */
const wrapped = new Map<string, string>();
function withIdentity(text: string): string {
  let whole = wrapped.get(text);
  if (whole === undefined) {
    whole = `with s as materialized (select ${IDENTITY}) select q.* from s cross join lateral (select * from (${text}) t
      where s.a is not null and s.b is not null and s.c is not null offset 0) q`;
    wrapped.set(text, whole);
  }
  return whole;
}

/** By default, PostgreSQL puts null above all values. */
function directionOf({ direction, nullable }: Order<string>, key: string): SqlText {
  if (!nullable.includes(key)) return direction === 'asc' ? sql`` : sql` desc`;
  return direction === 'asc' ? sql` nulls first` : sql` desc nulls last`;
}

/** Selects only the published columns. The view then does not compute the others. */
export function paged(query: SqlText, columns: readonly string[], { order, after, take, where }: Window): SqlText {
  const keys = sql.list(order.keys.map((key) => sql.ref(key)));
  const conditions = where === undefined ? [] : [conditionOf(where)];
  if (after)
    conditions.push(sql`(${keys}) ${order.direction === 'asc' ? sql`>` : sql`<`} (${sql.list(after.map((value) => sql`${value}`))})`);
  const past = conditions.length === 0 ? sql`` : sql`where ${sql.list(conditions, ' and ')}`;
  const by = sql.list(order.keys.map((key) => sql`${sql.ref(key)}${directionOf(order, key)}`));
  return sql`select ${sql.list(columns.map((column) => sql.ref(column)))} from (${query}) page ${past} order by ${by} limit ${take}`;
}

type Fetch = (query: SqlText) => Promise<Row[]>;

function readerOver(fetch: Fetch, versions: Versions): SqlReader {
  const many = async <S extends z.ZodObject>(schema: S, query: SqlText) => {
    const rows = await fetch(query);
    const parse = rowParser(schema);
    return rows.map((row) => {
      if (typeof row['row_version'] === 'string' || typeof row['row_version'] === 'number') versions.push(String(row['row_version']));
      return parse(row);
    });
  };
  const maybeOne = async <S extends z.ZodObject>(schema: S, query: SqlText) => {
    const rows = await many(schema, query);
    if (rows.length > 1) throw new Error('more than one row');
    return rows[0] ?? null;
  };
  const one = async <S extends z.ZodObject>(schema: S, query: SqlText) => {
    const row = await maybeOne(schema, query);
    if (row === null) throw new Error('no row');
    return row;
  };
  return Object.assign((strings: TemplateStringsArray, ...values: readonly unknown[]) => sql(strings, ...values), {
    ref: sql.ref,
    list: sql.list,
    given: sql.given,
    when: sql.when,
    many,
    maybeOne,
    one,
  });
}

/** Reads run as the reading role, and `change` runs as the writing role. The database refuses everything else. */
function handlesIn(session: SqlSession, who: StoreSession, versions: Versions): { reading: SqlReader; writing: SqlWriter } {
  const readRole = roleOf(who);
  let role = `${readRole}_write`;
  const as =
    (wanted: string): Fetch =>
    async (query) => {
      if (role !== wanted) await session.query(`set local role ${wanted}`);
      role = wanted;
      const values: unknown[] = [];
      const text = query.compile(values);
      return session.query(text, values);
    };
  const reading = readerOver(as(readRole), versions);
  const write = as(`${readRole}_write`);
  const changeMany = async <S extends z.ZodObject>(schema: S, query: SqlText) => {
    const rows = await write(query);
    if (rows.length === 0)
      throw failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: the row is no longer as it was shown, or not yours to change.');
    return rows.map(rowParser(schema));
  };
  const change = async <S extends z.ZodObject>(schema: S, query: SqlText) => {
    const [row, ...more] = await changeMany(schema, query);
    if (row === undefined || more.length > 0) throw new Error('more than one row was changed');
    return row;
  };
  // A separate list: the approver did not see the rows that `execute` reads.
  return { reading, writing: Object.assign(readerOver(as(readRole), []), { change, changeMany }) };
}

/** A retry without an effect id could write twice. */
function unsureOf(error: CommitLost, withoutId: boolean): Error {
  const lost = toFailure(error);
  return withoutId && lost instanceof Failure ? outcomeUnknown(lost) : lost;
}

interface Source {
  readonly database: SqlDatabase;
  readonly today: () => string;
}
async function fetchAs({ database, today }: Source, who: StoreSession, query: SqlText): Promise<Row[]> {
  try {
    return await database.read(roleOf(who), asCaller(who, query, today()));
  } catch (error) {
    throw toFailure(error);
  }
}

/** Reads as the caller of a session, for operator commands. */
export const readingAs = (database: SqlDatabase, who: StoreSession): SqlReader =>
  readerOver((query) => fetchAs({ database, today: () => '' }, who, query), []);

export interface SqlStoreParts {
  readonly chain: ChainWriter;
  readonly audit: AuditChains;
  /** Today as SQL sees it (`app.today`). Without it, SQL uses the database's own clock. */
  readonly today?: () => string;
}

export function createSqlStore(database: SqlDatabase, domain: string, { chain, audit, today = () => '' }: SqlStoreParts): Store<'sql'> {
  const schema = sql.ref(domain);
  const reading = (who: StoreSession, query: SqlText) => fetchAs({ database, today }, who, query);
  const run = (session: SqlSession, query: SqlText) => {
    const values: unknown[] = [];
    const text = query.compile(values);
    return session.query(text, values);
  };
  const transaction = <T>(who: StoreSession, body: (session: SqlSession) => Promise<T>) =>
    database.transaction(`${roleOf(who)}_write`, { text: `select ${IDENTITY}`, values: identityOf(who, today()) }, body);

  const wakes = new Set<() => void>();
  /** A stored audit record proves the effect. A missing record proves nothing, because the commit may still follow. */
  const isKept = async (link: ChainedRecord | undefined): Promise<boolean> =>
    link !== undefined && (await audit.record(link.chain, link.n).catch(() => undefined))?.mac === link.mac;

  return {
    kind: 'sql',
    read: (who, body) => {
      const versions: Versions = [];
      return body({ sql: readerOver((query) => reading(who, query), versions) }, versions);
    },
    async page(who, query, window, item) {
      return (await reading(who, paged(query, Object.keys(item.shape), window))).map(answerParser(item));
    },
    async groups(who, query, asked) {
      return (await reading(who, grouped(query, asked))).map(groupOf(asked));
    },
    async executeOnce(who, { id, tool }, body) {
      for (let attempt = 1; ; attempt++) {
        let release: (committed: boolean) => Promise<void> = async () => {};
        let committed = false;
        let link: ChainedRecord | undefined;
        let effect: unknown;
        try {
          await chain.ready();
          const result = await transaction(who, async (session) => {
            const own = sql`${id}::uuid`;
            if (id !== undefined) {
              await run(
                session,
                sql`insert into ${schema}.effects (confirmation_id, tool, principal) values (${own}, ${tool}, ${who.person.principal})
                  on conflict do nothing`,
              );
              const [kept] = await run(session, sql`select result from ${schema}.effects where confirmation_id = ${own}`);
              if (kept?.['result'] != null) return kept['result'];
            }
            const versions: Versions = [];
            const { reading: read, writing } = handlesIn(session, who, versions);
            const effected = await body({ reading: { sql: read }, writing: { sql: writing } }, versions);
            await session.query(`set local role ${roleOf(who)}_write`);
            if (id !== undefined)
              await run(
                session,
                sql`update ${schema}.effects set result = ${JSON.stringify(effected.result)}::json where confirmation_id = ${own}`,
              );
            const next = await chain.next(effected.audit);
            release = next.release;
            const { record } = next;
            [link, effect] = [record, effected.result];
            await run(
              session,
              sql`insert into ${schema}.audit (chain, n, body, mac, at, principal)
                values (${record.chain}, ${record.n}, ${record.body}, ${record.mac}, ${effected.audit.at}, ${effected.audit.principal})`,
            );
            return effected.result;
          });
          committed = true;
          return result;
        } catch (error) {
          committed = error instanceof CommitLost && (await isKept(link));
          if (committed) return effect;
          if (error instanceof CommitLost) throw unsureOf(error, id === undefined);
          if (!isConflict(error) || attempt === ATTEMPTS) throw toFailure(error);
        } finally {
          await release(committed);
          if (committed) for (const wake of wakes) wake();
        }
        // The longest delay doubles each time. Many writers of one row then finish within their attempts.
        await new Promise((again) => setTimeout(again, Math.random() * Math.min(8 * 2 ** attempt, 600)));
      }
    },
    async findResult(who, id) {
      try {
        const [kept] = await transaction(who, (session) =>
          run(session, sql`select result from ${schema}.effects where confirmation_id = ${id}::uuid and result is not null`),
        );
        return kept?.['result'];
      } catch (error) {
        throw toFailure(error);
      }
    },
    listen(wake) {
      wakes.add(wake);
      const stop = database.listen?.(`${domain}_audit`, `${domain}_changed`, wake);
      return () => {
        wakes.delete(wake);
        stop?.();
      };
    },
    audit,
    ping: () => database.ping(),
    close: () => database.close(),
  };
}
