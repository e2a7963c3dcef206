/**
 * Filters for stores without SQL; each adapter translates them. Only the functions of this file create filters, and only from
 * scalars, so that no input can become an operator.
 */
export type Scalar = string | number | boolean | null;

export type Test =
  | { readonly op: 'is' | 'not'; readonly value: Scalar }
  | { readonly op: 'above' | 'atLeast' | 'below' | 'atMost'; readonly value: string | number }
  | { readonly op: 'oneOf'; readonly value: readonly Scalar[] }
  /** These tests ignore case. They compare the whole text, its beginning, or any part of it. */
  | { readonly op: 'text' | 'prefix' | 'part'; readonly value: string }
  | { readonly op: 'there' };

/** A field must pass all of these tests. */
export class Condition {
  readonly tests: readonly Test[];
  constructor(tests: readonly Test[]) {
    this.tests = tests;
  }
}

/** Without parts, `all` matches every row and `any` matches none. */
export class Filter {
  readonly how: 'all' | 'any';
  readonly parts: readonly (Filter | FieldFilter)[];
  constructor(how: 'all' | 'any', parts: readonly (Filter | FieldFilter)[]) {
    this.how = how;
    this.parts = parts;
  }
}
export class FieldFilter {
  readonly field: string;
  readonly tests: readonly Test[];
  constructor(field: string, tests: readonly Test[]) {
    this.field = fieldName(field);
    this.tests = tests;
  }
}

const NAME = /^(?!__)[a-z_][a-z0-9_]*(\.(?!__)[a-z_][a-z0-9_]*)*$/i;
/** Throws unless the name is a plain identifier, or several with dots between them. */
export function fieldName(name: string): string {
  if (typeof name !== 'string' || !NAME.test(name)) throw new Error(`not a field name: ${String(name).slice(0, 60)}`);
  return name;
}

function scalar<T extends Scalar>(value: T): T {
  const kind = typeof value;
  if (value === null || kind === 'string' || kind === 'boolean' || (kind === 'number' && Number.isFinite(value))) return value;
  throw new Error(`not a plain value: ${kind}`);
}
function text(value: string): string {
  if (typeof value !== 'string') throw new Error(`not a text: ${typeof value}`);
  return value;
}
function ordered<T extends string | number>(value: T): T {
  if (typeof value !== 'string' && typeof value !== 'number') throw new Error(`not a value with an order: ${typeof value}`);
  return scalar(value);
}

/** The condition of an undefined value is undefined, and `given` leaves it out. */
type Given<V, C = Condition> = undefined extends V ? C | undefined : C;
const condition = <V>(value: V, make: (value: Exclude<V, undefined>) => Test): Given<V> =>
  (value === undefined ? undefined : new Condition([make(value as Exclude<V, undefined>)])) as Given<V>;

export const is = {
  above: <V extends string | number | undefined>(value: V) => condition(value, (given) => ({ op: 'above', value: ordered(given) })),
  atLeast: <V extends string | number | undefined>(value: V) => condition(value, (given) => ({ op: 'atLeast', value: ordered(given) })),
  below: <V extends string | number | undefined>(value: V) => condition(value, (given) => ({ op: 'below', value: ordered(given) })),
  atMost: <V extends string | number | undefined>(value: V) => condition(value, (given) => ({ op: 'atMost', value: ordered(given) })),
  /** Both ends are inclusive and optional. The result is undefined if both are missing. */
  between(from: string | number | undefined, to: string | number | undefined): Condition | undefined {
    const tests: Test[] = [];
    if (from !== undefined) tests.push({ op: 'atLeast', value: ordered(from) });
    if (to !== undefined) tests.push({ op: 'atMost', value: ordered(to) });
    return tests.length === 0 ? undefined : new Condition(tests);
  },
  /** Also matches rows without the field. */
  not: <V extends Scalar | undefined>(value: V) => condition(value, (given) => ({ op: 'not', value: scalar(given) })),
  /** An empty list matches no row. */
  oneOf: <V extends readonly Scalar[] | undefined>(values: V) =>
    condition(values, (given) => {
      if (!Array.isArray(given)) throw new Error('not a list');
      return { op: 'oneOf', value: given.map((each: Scalar) => scalar(each)) };
    }),
  text: <V extends string | undefined>(value: V) => condition(value, (given) => ({ op: 'text', value: text(given) })),
  prefix: <V extends string | undefined>(value: V) => condition(value, (given) => ({ op: 'prefix', value: text(given) })),
  part: <V extends string | undefined>(value: V) => condition(value, (given) => ({ op: 'part', value: text(given) })),
  /** The field is neither absent nor null. To test the opposite, use the value `null`. */
  there: new Condition([{ op: 'there' }]),
};

export interface FilterWords {
  /** All conditions must hold; a plain value means equality. Throws for undefined, because a forgotten value would match every row. */
  where(fields: Readonly<Record<string, Scalar | Condition>>): Filter;
  /** Like `where`, but leaves out undefined values. */
  given(fields: Readonly<Record<string, Scalar | Condition | undefined>>): Filter;
  all(...filters: readonly Filter[]): Filter;
  any(...filters: readonly Filter[]): Filter;
}

const fieldFilter = ([field, value]: [string, Scalar | Condition | undefined]): FieldFilter => {
  if (value === undefined) throw new Error(`no value for ${field}`);
  return new FieldFilter(field, value instanceof Condition ? value.tests : [{ op: 'is', value: scalar(value) }]);
};
const joined = (how: 'all' | 'any', filters: readonly Filter[]) => {
  for (const each of filters) if (!(each instanceof Filter)) throw new Error('not a filter');
  return new Filter(how, filters);
};

export const filters: FilterWords = {
  where: (fields) => new Filter('all', Object.entries(fields).map(fieldFilter)),
  given: (fields) =>
    new Filter(
      'all',
      Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(fieldFilter),
    ),
  all: (...parts) => joined('all', parts),
  any: (...parts) => joined('any', parts),
};
export const EVERY = new Filter('all', []);
export const NONE = new Filter('any', []);
