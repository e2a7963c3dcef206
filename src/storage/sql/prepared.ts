/**
 * Prepared statements on one connection, described once: describing the columns with every answer costs more than reading the row.
 * This is the only file that relies on internals of the driver. `REVIEWED_DRIVER` names the versions it was checked against.
 */
import type { Writable } from 'node:stream';
import pg from 'pg';
import type { Row } from '../../declare/rows.ts';
import { types } from './database.ts';

interface Column {
  readonly name: string;
  readonly parse: (value: string) => unknown;
}

/**
 * What this file assumes, none of which the driver documents. A test compares these versions with the installed ones.
 * 1. `Query.submit` corks the stream and calls `prepare(connection)`; `prepare` calls parse (once a name), bind, describe, execute, sync.
 * 2. The client calls `handleRowDescription`, `handleDataRow`, `handleCommandComplete` and `handleReadyForQuery` in that order, or
 *    `handleError`, which passes the error to `callback`.
 * 3. `bind` uses the unnamed portal, which `EXECUTE_AND_SYNC` executes, and requests every column as text.
 */
export const REVIEWED_DRIVER = { pg: '8.23.1', 'pg-protocol': '1.16.1' } as const;

type QueryCallback = (error: Error | null, rows: Row[]) => void;

/** Members of the driver's query that its type declarations leave out. */
interface DriverQuery extends pg.Query {
  name: string;
  callback: QueryCallback;
  prepare(connection: pg.Connection): void;
}
const DriverQuery = pg.Query as unknown as new (text: string, values: readonly unknown[]) => DriverQuery;

/** Protocol messages: Execute of the unnamed portal without a row limit, then Sync. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

/** The connection for a statement whose columns are known: skips Describe, and writes Execute and Sync as one constant. */
function withoutDescribe(connection: pg.Connection): pg.Connection {
  return Object.create(connection, {
    describe: { value: () => {} },
    execute: { value: () => {} },
    sync: { value: () => connection.stream.writable && connection.stream.write(EXECUTE_AND_SYNC) },
  }) as pg.Connection;
}

export class Prepared {
  readonly client: pg.Client;
  readonly #known: KnownStatements;

  constructor(client: pg.Client) {
    this.client = client;
    this.#known = { columns: new Map(), connection: withoutDescribe(client.connection) };
  }

  /** Where the driver writes, for callers that cork it. */
  get stream(): Writable {
    return this.client.connection.stream;
  }

  query(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const query = new PreparedQuery({ name, text, values }, this.#known);
      query.callback = (error, rows) => (error ? reject(error) : resolve(rows));
      this.client.query(query);
    });
  }
}

interface KnownStatements {
  /** By statement name. */
  readonly columns: Map<string, readonly Column[]>;
  readonly connection: pg.Connection;
}

class PreparedQuery extends DriverQuery {
  readonly #known: KnownStatements;
  readonly #rows: Row[] = [];
  #columns: readonly Column[] | undefined;
  #parseError: Error | undefined;

  constructor({ name, text, values }: { name: string; text: string; values: readonly unknown[] }, known: KnownStatements) {
    super(text, values);
    this.name = name;
    this.#known = known;
    this.#columns = known.columns.get(name);
  }

  override prepare(connection: pg.Connection): void {
    super.prepare(this.#columns === undefined ? connection : this.#known.connection);
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') as Column['parse'] }));
    this.#known.columns.set(this.name, this.#columns);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const columns = this.#columns ?? [];
    const row: Row = {};
    try {
      if (fields.length !== columns.length) throw new Error(`${fields.length} values for ${columns.length} columns`);
      for (let i = 0; i < columns.length; i++) {
        const { name, parse } = columns[i] as Column;
        const value = fields[i] as string | null;
        row[name] = value === null ? null : parse(value);
      }
      this.#rows.push(row);
    } catch (error) {
      this.#parseError = error as Error;
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.#parseError ?? null, this.#rows);
  }
}
