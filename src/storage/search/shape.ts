/** Derives from a declared search collection which values of a row are indexed and which fields queries may name. */
import { FieldFilter, Filter, type Test } from '../../declare/filter.ts';
import type { Order } from '../../declare/order.ts';
import type { Row } from '../../declare/rows.ts';
import type { AnySearchCollection, FieldKind } from '../../declare/search.ts';
import { type Seeking, stems, wellFormed } from './words.ts';

export interface SearchDomain {
  readonly name: string;
  readonly collections: Readonly<Record<string, AnySearchCollection>>;
}

export interface TextField {
  readonly name: string;
  readonly weight: number;
}
export interface PlainField {
  readonly name: string;
  readonly is: Exclude<FieldKind['is'], 'text'>;
  readonly many: boolean;
}
export type Plain = string | number | boolean;

/** A row with its index values by declared name: `f` plain values, `l` words in lower case, `w` stems. */
export interface Stored {
  readonly id: string;
  readonly row: Row;
  readonly f: Readonly<Record<string, Plain | readonly Plain[]>>;
  readonly l: Readonly<Record<string, string | readonly string[]>>;
  readonly w: Readonly<Record<string, string>>;
}

export interface Shape {
  readonly name: string;
  readonly spec: AnySearchCollection;
  readonly key: string;
  readonly texts: readonly TextField[];
  readonly plain: ReadonlyMap<string, PlainField>;
  stored(row: Row): Stored;
}

/** The rows that a query selects. */
export interface RowsQuery {
  readonly shape: Shape;
  /** Scope and filter together, checked by `usable`. */
  readonly filter: Filter;
  readonly seek: Seeking | undefined;
  readonly texts: readonly TextField[];
}

/** A fingerprint of the indexed fields. If it changes, all rows are indexed again. */
export const printOf = ({ key, texts, plain }: Shape): string =>
  JSON.stringify([1, key, texts.map(({ name }) => name), [...plain.values()]]);

const NAME = /^[a-z][a-z0-9_]{0,40}$/;

export function shapesOf(domain: SearchDomain): ReadonlyMap<string, Shape> {
  if (!NAME.test(domain.name)) throw new Error(`not a name: ${domain.name}`);
  return new Map(Object.entries(domain.collections).map(([name, spec]) => [name, shapeOf(name, spec)]));
}

function shapeOf(name: string, spec: AnySearchCollection): Shape {
  if (!NAME.test(name)) throw new Error(`not a name: ${name}`);
  const texts: TextField[] = [];
  const plain = new Map<string, PlainField>([[spec.key, { name: spec.key, is: 'word', many: false }]]);
  for (const [field, kind] of Object.entries(spec.fields)) {
    if (kind.is === 'text') texts.push({ name: field, weight: kind.weight });
    else plain.set(field, { name: field, is: kind.is, many: kind.many === true || field.includes('.') });
  }
  return {
    name,
    spec,
    key: spec.key,
    texts,
    plain,
    stored(given) {
      const row = clean(given) as Row;
      const f: Record<string, Plain | Plain[]> = {};
      const l: Record<string, string | string[]> = {};
      for (const field of plain.values()) {
        const found = valuesAt(row, field.name).map((value) => storedValue(field, value));
        const [first] = found;
        if (first === undefined) continue;
        if (!field.many && found.length > 1) throw new Error(`${name}.${field.name} is a list and was not declared as one`);
        f[field.name] = field.many ? found : first;
        if (field.is === 'word') l[field.name] = field.many ? found.map(lower) : lower(first);
        // The row gets the same text as the index, because cursors take values from rows.
        if (field.is === 'time' && !field.name.includes('.') && field.name in row) row[field.name] = f[field.name];
      }
      const w: Record<string, string> = {};
      for (const { name: text } of texts)
        w[text] = valuesAt(row, text)
          .map((value) => stems(String(value)))
          .join(' ');
      const id = f[spec.key];
      if (typeof id !== 'string') throw new Error(`${name}: a row without ${spec.key}`);
      return { id, row, f, l, w };
    },
  };
}

const lower = (value: Plain) => String(value).toLowerCase();

/** A copy without undefined fields and lone surrogates. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => [key, clean(each)]),
    );
  }
  return value;
}

/** All values at a dotted name, also inside lists, without nulls. */
export function valuesAt(row: unknown, name: string): unknown[] {
  let at: unknown[] = [row];
  for (const part of name.split('.')) {
    at = at.flatMap((value) => (typeof value === 'object' && value !== null ? [(value as Row)[part]] : [])).flat();
  }
  return at.filter((value) => value !== undefined && value !== null);
}

const TYPES = { word: 'string', time: 'string', number: 'number', flag: 'boolean' } as const;
export function storedValue({ name, is }: PlainField, value: unknown): Plain {
  if (typeof value !== TYPES[is]) throw new Error(`${name} is not a ${is}`);
  if (is === 'time') return moment(value as string);
  if (is === 'word') return wellFormed(value as string);
  return value as Plain;
}
function moment(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error('not a time');
  return date.toISOString();
}

export type Hidden = ReadonlySet<string>;

/** A hidden field also hides the fields inside it: `notes` hides `notes.body`. */
export function isHidden(name: string, hidden: Hidden): boolean {
  for (let end = name.length; end > 0; end = name.lastIndexOf('.', end - 1)) if (hidden.has(name.slice(0, end))) return true;
  return false;
}

/** Converts the values of a filter to stored values. Throws if it names an undeclared or hidden field. */
export function usable(shape: Shape, filter: Filter, hidden: Hidden): Filter {
  const parts = filter.parts.map((part) => {
    if (part instanceof Filter) return usable(shape, part, hidden);
    const field = plainField(shape, part.field, hidden);
    return new FieldFilter(
      part.field,
      part.tests.map((test) => storedTest(field, test)),
    );
  });
  return new Filter(filter.how, parts);
}

export function plainField(shape: Shape, name: string, hidden: Hidden): PlainField {
  const field = shape.plain.get(name);
  if (field === undefined || isHidden(name, hidden)) throw new Error(`${shape.name} cannot be queried by ${name}`);
  return field;
}

function storedTest(field: PlainField, test: Test): Test {
  switch (test.op) {
    case 'is':
    case 'not':
      return test.value === null ? test : { op: test.op, value: storedValue(field, test.value) };
    case 'above':
    case 'atLeast':
    case 'below':
    case 'atMost':
      return { op: test.op, value: storedValue(field, test.value) as string | number };
    case 'oneOf':
      return { op: 'oneOf', value: test.value.map((value) => (value === null ? null : storedValue(field, value))) };
    case 'text':
    case 'prefix':
    case 'part':
      if (field.is !== 'word') throw new Error(`${field.name} is not a word`);
      return { op: test.op, value: lower(wellFormed(test.value)) };
    case 'there':
      return test;
  }
}

export function checkOrder(shape: Shape, order: Order<string>, hidden: Hidden): void {
  for (const key of order.keys) {
    if (key !== '_score' && plainField(shape, key, hidden).many) throw new Error(`${shape.name} cannot be ordered by ${key}`);
  }
  if (order.keys.at(-1) !== shape.key) throw new Error(`the order of ${shape.name} has to end in ${shape.key}`);
}

/** True if the row matches a filter that `usable` returned. */
export const holds = (filter: Filter, stored: Stored): boolean =>
  filter.how === 'all' ? filter.parts.every((part) => partHolds(part, stored)) : filter.parts.some((part) => partHolds(part, stored));

function partHolds(part: Filter | FieldFilter, stored: Stored): boolean {
  if (part instanceof Filter) return holds(part, stored);
  const values = list(stored.f[part.field]);
  const lowered = list(stored.l[part.field]);
  return part.tests.every((test) => {
    switch (test.op) {
      case 'is':
        return test.value === null ? values.length === 0 : values.includes(test.value);
      case 'not':
        return test.value === null ? values.length > 0 : !values.includes(test.value);
      case 'above':
        return values.some((value) => value > test.value);
      case 'atLeast':
        return values.some((value) => value >= test.value);
      case 'below':
        return values.some((value) => value < test.value);
      case 'atMost':
        return values.some((value) => value <= test.value);
      case 'oneOf':
        return test.value.some((wanted) => (wanted === null ? values.length === 0 : values.includes(wanted)));
      case 'text':
        return lowered.includes(test.value);
      case 'prefix':
        return lowered.some((value) => value.startsWith(test.value));
      case 'part':
        return lowered.some((value) => value.includes(test.value));
      case 'there':
        return values.length > 0;
    }
  });
}
const list = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly T[]) : [value as T];
