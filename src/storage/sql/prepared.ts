/**
 * Prepared statements on one connection. The columns are described once, because Describe costs more than reading the row. Only this file
 * uses internals of the driver; REVIEWED_DRIVER names the checked versions.
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
 * The driver versions that this file was checked with; a test compares them with the installed ones. This file relies on:
 * 1. `Query.submit` corks the stream and calls `prepare(connection)`. `prepare` calls parse once per name, then bind, describe,
 *    execute, sync.
 * 2. The client calls `handleRowDescription`, `handleDataRow`, `handleCommandComplete` and `handleReadyForQuery`, in this order.
 * 3. If the query fails, the client calls `handleError` of the query, which calls `callback`.
 * 4. `bind` uses the unnamed portal, which `EXECUTE_AND_SYNC` executes, and requests every column as text.
 */
export const REVIEWED_DRIVER = { pg: '8.23.1', 'pg-protocol': '1.16.1' } as const;

type QueryCallback = (error: Error | null, rows: Row[]) => void;

/** Adds members that the driver's type declarations lack. */
interface DriverQuery extends pg.Query {
  name: string;
  callback: QueryCallback;
  prepare(connection: pg.Connection): void;
}
const DriverQuery = pg.Query as unknown as new (text: string, values: readonly unknown[]) => DriverQuery;

/** Protocol messages: Execute of the unnamed portal without a row limit, then Sync. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

/** The connection for statements with known columns. It skips Describe and writes Execute and Sync as one constant. */
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

  /** The stream that the driver writes to. */
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
