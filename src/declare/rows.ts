/** Parses rows and answers into their published shape: replaces hidden values by `*** (Hidden)` and drops undeclared columns. */
import { z } from 'zod';
import { HIDDEN } from './display.ts';
import { hasMasks, maskOf } from './masks.ts';
import { innerSchemas } from './walk-schema.ts';

export type Row = Record<string, unknown>;

/** Returns an existing object from its constructor, so that a subclass can add a private field to it. */
class Existing {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: the purpose of this class
    return object;
  }
}
/** Marks a parsed row with its schema. Copies of the row do not have the mark. A WeakMap would cost as much as the parse. */
class ParsedRow extends Existing {
  readonly #schema: z.core.$ZodType;
  constructor(row: object, schema: z.core.$ZodType) {
    super(row);
    this.#schema = schema;
  }
  static isOf(value: unknown, schema: z.core.$ZodType): boolean {
    return typeof value === 'object' && value !== null && #schema in value && value.#schema === schema;
  }
}

const freezeDeeply = (value: object): void => {
  for (const inner of Object.values(value) as unknown[]) if (typeof inner === 'object' && inner !== null) freezeDeeply(inner);
  Object.freeze(value);
};

const rowParsers = new WeakMap<z.ZodObject, (row: Row) => unknown>();
/** The parser of a store's rows. Its results are frozen: a tool that adds a column to a row gets an error. Parsers are cached by schema. */
export function rowParser<S extends z.ZodObject>(schema: S): (row: Row) => z.output<S> {
  let parse = rowParsers.get(schema);
  if (parse === undefined) {
    const hide = hiderFor(schema);
    parse = (row) => {
      const parsed = schema.parse(hide(row));
      freezeDeeply(parsed);
      return new ParsedRow(parsed, schema);
    };
    rowParsers.set(schema, parse);
  }
  return parse as (row: Row) => z.output<S>;
}

/** The parser of answers. It returns a row of `rowParser(schema)` as it is. */
export function answerParser<S extends z.ZodType>(schema: S): (value: unknown) => z.output<S> {
  const hide = hiderFor(schema);
  return (value) => (ParsedRow.isOf(value, schema) ? (value as z.output<S>) : schema.parse(hide(value)));
}

type Part = z.core.$ZodType;
type Hide = (value: unknown) => unknown;
const hiders = new WeakMap<Part, Hide>();
const unchanged: Hide = (value) => value;
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a function that replaces null and absent values of masked fields by `*** (Hidden)`. It copies what it changes. */
function hiderFor(schema: Part): Hide {
  let hide = hiders.get(schema);
  if (hide === undefined) {
    // A recursive schema finds this entry while its own hider is being created.
    hiders.set(schema, (value) => hiders.get(schema)?.(value));
    hide = createHider(schema);
    hiders.set(schema, hide);
  }
  return hide;
}

function createHider(schema: Part): Hide {
  if (!hasMasks(schema)) return unchanged;
  const inside = createInnerHider((schema as z.core.$ZodTypes)._zod.def);
  if (maskOf(schema) === undefined) return inside;
  return (value) => (value === null || value === undefined ? HIDDEN : inside(value));
}

function createInnerHider(def: z.core.$ZodTypes['_zod']['def']): Hide {
  if (def.type === 'object') {
    const fields = Object.entries(def.shape).map(([key, field]) => [key, hiderFor(field)] as const);
    return hideFields(fields, def.catchall && hiderFor(def.catchall));
  }
  if (def.type === 'record') return hideFields([], hiderFor(def.valueType));
  if (def.type === 'array') return hideItems([], hiderFor(def.element));
  if (def.type === 'tuple') return hideItems(def.items.map(hiderFor), def.rest ? hiderFor(def.rest) : unchanged);
  if (def.type === 'union') return hideOptions(def.options);
  const hides = innerSchemas(def).map(({ schema }) => hiderFor(schema));
  return (value) => hides.reduce((shown, hide) => hide(shown), value);
}

function hideFields(all: readonly (readonly [string, Hide])[], hideOthers: Hide | undefined): Hide {
  const fields = all.filter(([, hide]) => hide !== unchanged);
  const known = new Set(all.map(([key]) => key));
  return (value) => {
    if (!isRecord(value)) return value;
    let copy: Record<string, unknown> | undefined;
    const put = (key: string, hide: Hide) => {
      const shown = hide(value[key]);
      if (shown !== value[key]) {
        copy ??= { ...value };
        copy[key] = shown;
      }
    };
    for (const [key, hide] of fields) put(key, hide);
    if (hideOthers !== undefined && hideOthers !== unchanged)
      for (const key of Object.keys(value)) if (!known.has(key)) put(key, hideOthers);
    return copy ?? value;
  };
}

const hideItems =
  (items: readonly Hide[], hideRest: Hide): Hide =>
  (value) =>
    Array.isArray(value) ? value.map((item, at) => (items[at] ?? hideRest)(item)) : value;

/** The value belongs to the first option that accepts it, as in the union's own parse. */
function hideOptions(options: readonly Part[]): Hide {
  const hides = options.map((option) => ({ option, hide: hiderFor(option) }));
  // A masked field is a union too. If its options contain no masks, they need not be parsed here.
  if (hides.every(({ hide }) => hide === unchanged)) return unchanged;
  return (value) => {
    for (const { option, hide } of hides) {
      const shown = hide(value);
      if (z.safeParse(option, shown).success) return shown;
    }
    return value;
  };
}
