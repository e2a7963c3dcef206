/** The operator's export and import of an SQL domain as JSON Lines: `tamshai <domain> export` and `tamshai <domain> import`. */
import type { SqlReader, SqlText } from './sql.ts';

/** Why a file cannot be imported; a part of a sentence, such as "line 3 is not JSON". */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

/** Numbers for `--json`, by name. */
export type Counts = Readonly<Record<string, number>>;
export type OnProgress = (done: number, total: number) => void;

/** The handle of an import. It runs as the migration role of the domain, in one transaction, without row policies. */
export interface OwnerSql {
  run(statement: SqlText): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Rows are objects by column. */
  insert(table: string, columns: readonly string[], rows: readonly object[]): Promise<void>;
}

/** One import of one file. Its methods throw `Damaged` if the file is not valid. */
export interface Importing<C extends Counts> {
  /** Checks the first line, before a database is opened or created. */
  begin(line: Uint8Array): void;
  /** Writes all further lines. */
  write(owner: OwnerSql, lines: AsyncIterable<Uint8Array>, onProgress: OnProgress): Promise<C>;
}

export interface Transfer<C extends Counts = Counts> {
  /** Nouns for messages: the rows, the store, and the steps of the progress bar. */
  readonly words: { readonly rows: string; readonly store: string; readonly steps: string };
  /** Descriptions of the command and of its two parts, and further sentences for the help of each part. */
  readonly help: {
    readonly command: string;
    readonly export: readonly [description: string, ...sentences: string[]];
    readonly import: readonly [description: string, ...sentences: string[]];
  };
  /** An export reads with the rights of this audience. */
  readonly audience: string;
  /** The tables that an import writes, with their schema, in the order in which they are locked. The first one must exist for an export. */
  readonly tables: readonly [string, ...string[]];
  /** Yields lines of text, each with its line feed. */
  export(sql: SqlReader, onProgress: OnProgress): AsyncGenerator<string, C>;
  /** What the store holds already, such as "12 changes"; undefined if it is empty. An import needs an empty store. */
  content(owner: OwnerSql): Promise<string | undefined>;
  import(): Importing<C>;
  /** The result as a phrase, such as "12 changes with 5 versions of entries". */
  summary(counts: C): string;
}
