/** The SQL API of tools: a template tag that separates text from values, and the handles that run it. */
import type { z } from 'zod';

/** SQL text with its values. Only the `sql` tag and its functions create it, so that no value can become SQL text. */
export class SqlText {
  readonly strings: readonly string[];
  readonly values: readonly unknown[];
  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings;
    this.values = values;
  }
  /** Returns text with `$1` placeholders, nested parts included, and appends their values to `values`. */
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
  /** A column or table name that is chosen at run time. Throws unless it is a plain name. */
  ref(name: string): SqlText;
  list(parts: readonly SqlText[], by?: ', ' | ' and '): SqlText;
  /** ` and a = $1 and b = $2`, without the filters whose value is undefined. */
  given(filters: Readonly<Record<string, unknown>>): SqlText;
  /** ` and (…)` unless the value is undefined. */
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

/** A LIKE pattern that matches the text anywhere. Wildcards in the text are escaped. */
export const anywhere = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** The handle of a read. Rows are parsed with the schema: undeclared columns are dropped, a missing column throws. */
export interface SqlReader extends SqlTag {
  maybeOne<S extends z.ZodObject>(schema: S, query: SqlText): Promise<Readonly<z.output<S>> | null>;
  one<S extends z.ZodObject>(schema: S, query: SqlText): Promise<Readonly<z.output<S>>>;
  many<S extends z.ZodObject>(schema: S, query: SqlText): Promise<Readonly<z.output<S>>[]>;
}

/** The handle of a write. The methods of `SqlReader` still run in a role that cannot write. */
export interface SqlWriter extends SqlReader {
  /**
   * Writes one row and returns it. Throws CHANGED_SINCE_APPROVAL if no row matches, and an Error if several do; the transaction then
   * rolls back.
   */
  change<S extends z.ZodObject>(schema: S, query: SqlText): Promise<Readonly<z.output<S>>>;
  /** Writes all matching rows and returns them. Throws CHANGED_SINCE_APPROVAL if no row matches. */
  changeMany<S extends z.ZodObject>(schema: S, query: SqlText): Promise<Readonly<z.output<S>>[]>;
}
