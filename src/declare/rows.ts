/** Parses a store's row into the published shape: a masked NULL becomes `*** (Hidden)`, undeclared columns are dropped. */
import type { z } from 'zod';
import { HIDDEN, maskOf } from './fields.ts';

export type Row = Record<string, unknown>;
const parsers = new WeakMap<z.ZodObject, (row: Row) => unknown>();

/** The parser changes the row that it receives. Parsers are cached by schema. */
export function rowParser<S extends z.ZodObject>(schema: S): (row: Row) => z.output<S> {
  let parse = parsers.get(schema);
  if (parse === undefined) {
    const hidden = Object.entries(schema.shape)
      .filter(([, field]) => maskOf(field) !== undefined)
      .map(([key]) => key);
    parse = (row) => {
      for (const key of hidden) if (row[key] === null) row[key] = HIDDEN;
      return schema.parse(row);
    };
    parsers.set(schema, parse);
  }
  return parse as (row: Row) => z.output<S>;
}
