/**
 * Prepared statements over one connection. The database describes a statement's columns once: with each answer again, describing them
 * would cost both sides more than reading the row.
 */
import pg from 'pg';
import type { Row } from '../../core/rows.ts';
import { types } from './database.ts';

interface Column {
  readonly name: string;
  readonly parse: (value: string) => unknown;
}

type Answered = (error: Error | null, rows: Row[]) => void;

/** What of the driver's own query stands in no declaration of types. */
interface DriversQuery extends pg.Query {
  name: string;
  callback: Answered;
  prepare(connection: pg.Connection): void;
}
const DriversQuery = pg.Query as unknown as new (text: string, values: readonly unknown[]) => DriversQuery;

/** Execute the unnamed portal to its end, then sync. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

/** The same connection for a statement that is known: nothing is described, and what is always the same goes out as one. */
function brief(connection: pg.Connection): pg.Connection {
  return Object.create(connection, {
    describe: { value: () => {} },
    execute: { value: () => {} },
    sync: { value: () => connection.stream.writable && connection.stream.write(EXECUTE_AND_SYNC) },
  }) as pg.Connection;
}

export class Prepared {
  readonly client: pg.Client;
  readonly #brief: pg.Connection;
  readonly #columns = new Map<string, readonly Column[]>();

  constructor(client: pg.Client) {
    this.client = client;
    this.#brief = brief(client.connection);
  }

  query(name: string, text: string, values: readonly unknown[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const asked = new Asked(name, text, values, this.#columns, this.#brief);
      asked.callback = (error, rows) => (error ? reject(error) : resolve(rows));
      this.client.query(asked);
    });
  }
}

class Asked extends DriversQuery {
  readonly #known: Map<string, readonly Column[]>;
  readonly #brief: pg.Connection;
  readonly #rows: Row[] = [];
  #columns: readonly Column[] | undefined;
  #unreadable: Error | undefined;

  constructor(name: string, text: string, values: readonly unknown[], known: Map<string, readonly Column[]>, briefly: pg.Connection) {
    super(text, values);
    this.name = name;
    this.#known = known;
    this.#brief = briefly;
    this.#columns = known.get(name);
  }

  override prepare(connection: pg.Connection): void {
    super.prepare(this.#columns === undefined ? connection : this.#brief);
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, 'text') as Column['parse'] }));
    this.#known.set(this.name, this.#columns);
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
      this.#unreadable = error as Error;
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.callback(this.#unreadable ?? null, this.#rows);
  }
}
