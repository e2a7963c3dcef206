/** From a store's row to the published shape: masked fields get their words, extra columns fall away. */
import type { z } from 'zod';
import { HIDDEN, maskOf } from './fields.ts';

export type Row = Record<string, unknown>;
const parsers = new WeakMap<z.ZodObject, (row: Row) => unknown>();

/** One parser for each schema, made at its first use. */
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
