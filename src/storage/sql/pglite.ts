/**
 * Embedded PostgreSQL (PGlite) behind the `pg` driver, with a stream in place of a socket. After the migration its one session gives up the
 * owner's rights; each transaction takes the role that it needs.
 */
import { Duplex } from 'node:stream';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { type Company, DEFAULT_COMPANY } from '../../declare/company.ts';
import type { Row } from '../../declare/rows.ts';
import { companySettings, type SqlDatabase, type SqlSession, statementNames, types } from './database.ts';
import { Prepared } from './prepared.ts';

class Wire extends Duplex {
  readonly #db: PGlite;
  constructor(db: PGlite) {
    super({ highWaterMark: 1 << 20 });
    this.#db = db;
  }
  connect() {
    process.nextTick(() => this.emit('connect'));
    return this;
  }
  setNoDelay() {}
  setKeepAlive() {}
  ref() {}
  unref() {}
  override _read() {}
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void) {
    // PGlite's other call keeps every row that was ever read in memory.
    const pieces: Buffer[] = [];
    const onRawData = (view: Uint8Array) => void pieces.push(Buffer.from(view));
    this.#db.execProtocolRawStream(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.length), { onRawData }).then(() => {
      for (const piece of pieces) this.push(piece);
      done();
    }, done);
  }
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void) {
    const [only] = chunks;
    this._write(chunks.length === 1 && only ? only.chunk : Buffer.concat(chunks.map(({ chunk }) => chunk)), 'buffer', done);
  }
  override _final(done: () => void) {
    this.push(null);
    done();
  }
}

export interface EmbeddedDatabase extends SqlDatabase {
  /** The session for migration and sample data. It has the owner's rights until `surrender`. */
  readonly owner: pg.Client;
  surrender(): Promise<void>;
}

export async function openPglite(folder?: string, company: Company = DEFAULT_COMPANY): Promise<EmbeddedDatabase> {
  const db = await PGlite.create(folder === undefined ? {} : { dataDir: folder });
  const client = new pg.Client({
    stream: () => new Wire(db) as never,
    user: 'postgres',
    database: 'postgres',
    pipeline: true,
    types,
    ssl: false,
  } as pg.ClientConfig);
  client.on('error', () => {});
  await client.connect();
  await client.query(companySettings(company));
  const nameOf = statementNames();
  const prepared = new Prepared(client);

  // There is one session, so no other statement may run between the statements of a transaction.
  let turn: Promise<unknown> = Promise.resolve();
  let held = 0;
  function exclusively<T>(work: () => Promise<T>): Promise<T> {
    held++;
    const result = turn.then(work).finally(() => held--);
    turn = result.catch(() => {});
    return result;
  }

  /** Sends three statements at once, so no other statement can run between them. If the query fails, the commit is a rollback. */
  async function burst(role: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    const begun = client.query(`begin read only; set local role ${role}`);
    const rows = prepared.query(nameOf(role, text), text, values);
    const ended = client.query('commit');
    ended.catch(() => {});
    rows.catch(() => {});
    await begun;
    const result = await rows;
    await ended;
    return result;
  }

  return {
    owner: client,
    async surrender() {
      await client.query('set session authorization tamshai_app');
    },
    read: (role, { text, values }) => (held === 0 ? burst(role, text, values) : exclusively(() => burst(role, text, values))),
    transaction: (role, first, body) =>
      exclusively(async () => {
        const session: SqlSession = { query: async (text, values) => (await client.query<Row>(text, values as unknown[])).rows };
        try {
          const begun = client.query(`begin isolation level serializable; set local role ${role}`);
          begun.catch(() => {});
          await session.query(first.text, first.values);
          const result = await body(session);
          await client.query('commit');
          return result;
        } catch (error) {
          await client.query('rollback');
          throw error;
        }
      }),
    async ping() {
      await client.query('select 1');
    },
    async close() {
      await turn;
      await client.end();
      await db.close();
    },
  };
}
