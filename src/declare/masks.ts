/** Masked fields: marks them, and finds them at any depth of a schema. rows.ts replaces their hidden values. */
import { z } from 'zod';
import { HIDDEN } from './display.ts';
import { lastName, walkSchema } from './walk-schema.ts';

type Part = z.core.$ZodType;
/** The masks are in a registry of their own, because zod's `.meta()` would publish them in every JSON Schema. */
const masks = z.registry<{ mask: string }>();

/** Marks a field that the store hides from some callers: it returns NULL or no value. The answer then contains `*** (Hidden)`. */
export function masked<T extends z.core.$ZodType>(mask: string, schema: T) {
  const either = z.union([schema, z.literal(HIDDEN)]);
  masks.add(either, { mask });
  return either;
}

export interface MaskedField {
  /** The path inside the row: `salary`, `lines[].amount`, `by_month.*`. It is empty for the schema itself. */
  readonly path: string;
  readonly mask: string;
}

function masksIn(schema: Part): MaskedField[] {
  const found = new Map<string, MaskedField>();
  walkSchema(schema, (part, path) => {
    const mask = masks.get(part)?.mask;
    if (mask !== undefined) found.set(`${path} ${mask}`, { path, mask });
  });
  return [...found.values()];
}

/** The masked fields of an answer, or of the rows of a list, at any depth. */
export const maskedFields = (schema: Part): MaskedField[] => masksIn(schema instanceof z.ZodArray ? schema.element : schema);

/** Whether the schema is masked or has a masked part. */
export const hasMasks = (schema: Part): boolean => masksIn(schema).length > 0;

/** The mask of a field itself, also inside `.optional()`, `.nullable()`, `.default()`, a union or a pipe. */
export const maskOf = (schema: Part): string | undefined => masksIn(schema).find(({ path }) => path === '')?.mask;

export const maskedFieldNames = (schema: Part): string[] => maskedFields(schema).map(({ path }) => lastName(path));
