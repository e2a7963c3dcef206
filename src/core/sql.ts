/** SQL as tools write it: text with its values apart, and what may be done with it. */
import type { z } from 'zod';

/** Only the tag makes one, so no value can become text. */
export class SqlText {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
  /** `$1`-numbered text; the values are pushed onto `values`, nested pieces flattened. */
  compile(values: unknown[]): string {
    let text = this.strings[0] ?? '';
    for (let i = 0; i < this.values.length; i++) {
      const value = this.values[i];
      text += value instanceof SqlText ? value.compile(values) : `$${values.push(value ?? null)}`;
      text += this.strings[i + 1] ?? '';
    }
    return text;
  }
}

const NAME = /^[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?$/;
const EMPTY = new SqlText([''], []);
const join = (parts: readonly SqlText[], by: string) =>
  parts.length === 0 ? EMPTY : new SqlText(['', ...parts.slice(1).map(() => by), ''], parts);

export interface SqlTag {
  (strings: TemplateStringsArray, ...values: readonly unknown[]): SqlText;
  /** A column or table name chosen at run time; anything but a plain name throws. */
  ref(name: string): SqlText;
  list(parts: readonly SqlText[], by?: ', ' | ' and '): SqlText;
  /** ` and a = $1 and b = $2` for the filters that were given; nothing for those that were not. */
  given(filters: Readonly<Record<string, unknown>>): SqlText;
  /** ` and (…)` when the value was given. */
  when(value: unknown, condition: () => SqlText): SqlText;
}

export const sql: SqlTag = Object.assign((strings: TemplateStringsArray, ...values: readonly unknown[]) => new SqlText(strings, values), {
  ref(name: string) {
    if (!NAME.test(name)) throw new Error(`not a column name: ${name}`);
    return new SqlText([name], []);
  },
  list: (parts: readonly SqlText[], by: ', ' | ' and ' = ', ') => join(parts, by),
  given(filters: Readonly<Record<string, unknown>>) {
    const parts = Object.entries(filters)
      .filter(([, value]) => value !== undefined)
      .map(([column, value]) => new SqlText([` and ${sql.ref(column).strings[0]} = `, ''], [value]));
    return join(parts, '');
  },
  when: (value: unknown, condition: () => SqlText) => (value === undefined ? EMPTY : new SqlText([' and (', ')'], [condition()])),
});

/** A pattern that finds the text anywhere, its own wildcards taken literally. */
export const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** What a read sees. Rows are parsed: extra columns fall away, missing ones are our own error. */
export interface SqlReader extends SqlTag {
  maybeOne<S extends z.ZodObject>(schema: S, query: SqlText): Promise<z.output<S> | null>;
  one<S extends z.ZodObject>(schema: S, query: SqlText): Promise<z.output<S>>;
  many<S extends z.ZodObject>(schema: S, query: SqlText): Promise<z.output<S>[]>;
}

/** What a write sees besides. The methods above keep running in a role that cannot write. */
export interface SqlWriter extends SqlReader {
  /** Writes exactly one row and returns it; any other number writes nothing: CHANGED_SINCE_APPROVAL. */
  change<S extends z.ZodObject>(schema: S, query: SqlText): Promise<z.output<S>>;
  /** Writes at least one row. */
  changeMany<S extends z.ZodObject>(schema: S, query: SqlText): Promise<z.output<S>[]>;
}
