/** Implements the search API of tools on any engine: row scopes, hidden fields, row versions, one document per effect. */
import { createHash, randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { KeyPart } from '../../engine/lists/cursor.ts';
import { failure } from '../../declare/errors.ts';
import { EVERY, Filter, filters, NONE } from '../../declare/filter.ts';
import { asc, type Order } from '../../declare/order.ts';
import { type Row, rowParser } from '../../declare/rows.ts';
import {
  type Figures,
  type SearchPatch,
  type SearchQuery,
  type SearchReader,
  type SearchSeveral,
  type SearchWriter,
  searchWords,
} from '../../declare/search.ts';
import type { Group, GroupsQuery, StoreSession, Versions, Window } from '../../engine/store.ts';
import { checkedGroups, type GroupsAsked } from './groups.ts';
import { highlight } from './highlight.ts';
import {
  checkOrder,
  type Hidden,
  holds,
  isHidden,
  plainField,
  type RowsQuery,
  type Shape,
  type Stored,
  type TextField,
  usable,
  valuesAt,
} from './shape.ts';
import { type Seeking, seeking } from './words.ts';

export interface Asked extends RowsQuery {
  readonly order: Order<string>;
  readonly after: readonly KeyPart[] | undefined;
  readonly take: number;
}
export interface Hit {
  readonly row: Row;
  readonly version: number;
  readonly score: number;
}
/** The queries that each search engine implements. */
export interface Engine<H extends Hit> {
  find(asked: Asked): Promise<H[]>;
  count(shape: Shape, filter: Filter): Promise<number>;
  groups(shape: Shape, filter: Filter, figures: Figures): Promise<Row[]>;
  /** Returns at most one group more than `most`. */
  measure(asked: GroupsAsked): Promise<Group[]>;
}

/** The one document that an effect writes. */
export interface Write<H extends Hit> {
  readonly shape: Shape;
  readonly stored: Stored;
  readonly version: number;
  /** Undefined for a new document. */
  readonly before: H | undefined;
}

const MOST_ROWS = 1_000;
const CHANGED = 'Nothing was written: the row is no longer as it was shown, or not yours to change.';

/** Derives the key from the effect id: a repeated execution must write the same row. */
export function keyFor(effect: string | undefined): string {
  if (effect === undefined) return randomUUID();
  const hex = createHash('sha256').update(`row of ${effect}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Applies the row scope and the hidden fields of one caller to every query. */
export class Asking<H extends Hit> {
  readonly #engine: Engine<H>;
  readonly #shapes: ReadonlyMap<string, Shape>;
  readonly #who: StoreSession;
  readonly #scopes = new Map<string, Promise<Filter>>();

  constructor(engine: Engine<H>, shapes: ReadonlyMap<string, Shape>, who: StoreSession) {
    this.#engine = engine;
    this.#shapes = shapes;
    this.#who = who;
  }

  shape(collection: string): Shape {
    const shape = this.#shapes.get(collection);
    if (shape === undefined) throw new Error(`${this.#who.domain} declares no collection ${collection}`);
    return shape;
  }

  hidden(shape: Shape): Hidden {
    return new Set(shape.spec.hides?.[this.#who.audience] ?? []);
  }

  /** The rows that the caller may see: none for an audience that is not declared. */
  scope(shape: Shape): Promise<Filter> {
    let scope = this.#scopes.get(shape.name);
    if (scope === undefined) {
      scope = this.#scope(shape);
      this.#scopes.set(shape.name, scope);
    }
    return scope;
  }
  async #scope(shape: Shape): Promise<Filter> {
    const declared = shape.spec.rows[this.#who.audience];
    if (declared === 'all') return EVERY;
    if (typeof declared !== 'function') return NONE;
    const made = await declared(this.#who.person, async (collection, filter) => {
      const other = this.shape(collection);
      const [row, ...more] = await this.#engine.find({
        shape: other,
        filter: usable(other, filter, new Set()),
        seek: undefined,
        texts: [],
        order: asc(other.key),
        after: undefined,
        take: 2,
      });
      return more.length > 0 ? null : (row?.row ?? null);
    });
    return made instanceof Filter ? usable(shape, made, new Set()) : NONE;
  }

  async #within(shape: Shape, ...given: readonly Filter[]): Promise<Filter> {
    if (!given.every((filter) => filter instanceof Filter)) throw new Error('not a filter');
    const hidden = this.hidden(shape);
    return new Filter('all', [await this.scope(shape), ...given.map((filter) => usable(shape, filter, hidden))]);
  }

  async #rows({ collection, filter, words }: SearchQuery, where: Filter = EVERY): Promise<RowsQuery> {
    const shape = this.shape(collection);
    const hidden = this.hidden(shape);
    const texts = shape.texts.filter(({ name }) => !isHidden(name, hidden));
    return { shape, filter: await this.#within(shape, filter, where), seek: seeking(words), texts };
  }

  async find(query: SearchQuery, { order, after, take, where }: Window): Promise<{ hits: H[]; rows: Row[] }> {
    const shape = this.shape(query.collection);
    const hidden = this.hidden(shape);
    checkOrder(shape, order, hidden);
    const rows = await this.#rows(query, where);
    const hits = await this.#engine.find({ ...rows, order, after, take });
    return { hits, rows: hits.map((hit) => visibleRow(hit, hidden, { seek: rows.seek, texts: rows.texts })) };
  }

  async measure(query: SearchQuery, asked: GroupsQuery): Promise<Group[]> {
    const rows = await this.#rows(query, asked.where);
    return this.#engine.measure(checkedGroups(rows, asked, this.hidden(rows.shape)));
  }

  async count(collection: string, filter: Filter): Promise<number> {
    const shape = this.shape(collection);
    return this.#engine.count(shape, await this.#within(shape, filter));
  }

  async groups(collection: string, filter: Filter, asked: Figures): Promise<Row[]> {
    const shape = this.shape(collection);
    const hidden = this.hidden(shape);
    for (const name of asked.by ?? []) if (plainField(shape, name, hidden).many) throw new Error(`${name} is a list`);
    const figures = Object.entries(asked.figures).map(([name, figure]) => {
      if (figure.of !== 'count') {
        const { is, many } = plainField(shape, figure.field, hidden);
        if (many || (is !== 'number' && (is !== 'time' || figure.of === 'sum' || figure.of === 'average')))
          throw new Error(`${figure.field} cannot be added up`);
      }
      return [name, figure.where === undefined ? figure : { ...figure, where: usable(shape, figure.where, hidden) }] as const;
    });
    return this.#engine.groups(shape, await this.#within(shape, filter), { ...asked, figures: Object.fromEntries(figures) });
  }
}

function visibleRow(
  hit: Hit,
  hidden: Hidden,
  { seek, texts }: { readonly seek: Seeking | undefined; readonly texts: readonly TextField[] },
): Row {
  const row: Row = { ...(hidden.size > 0 ? structuredClone(hit.row) : hit.row), row_version: hit.version, _score: hit.score };
  for (const name of hidden) blank(row, name.split('.'));
  const highlights: Record<string, string[]> = {};
  if (seek) {
    for (const { name } of texts) {
      const pieces = valuesAt(hit.row, name)
        .flatMap((text) => highlight(String(text), seek))
        .slice(0, 3);
      if (pieces.length > 0) highlights[name] = pieces;
    }
  }
  row['highlights'] = highlights;
  return row;
}

/** Sets a field to null, also inside lists. */
function blank(at: unknown, [part, ...rest]: readonly string[]): void {
  if (Array.isArray(at)) for (const each of at) blank(each, [part ?? '', ...rest]);
  else if (typeof at === 'object' && at !== null && part !== undefined) {
    if (rest.length === 0) (at as Row)[part] = null;
    else blank((at as Row)[part], rest);
  }
}

export function readerOver<H extends Hit>(asking: Asking<H>, versions: Versions): SearchReader {
  const many = async <S extends z.ZodObject>(
    schema: S,
    collection: string,
    filter: Filter,
    { order, limit, words = '' }: SearchSeveral = {},
  ) => {
    const take = limit ?? MOST_ROWS + 1;
    const { rows } = await asking.find(searchWords.from(collection, filter, words), {
      order: order ?? asc(asking.shape(collection).key),
      after: undefined,
      take,
    });
    if (limit === undefined && rows.length > MOST_ROWS) throw new Error(`more than ${MOST_ROWS} rows of ${collection}`);
    const parse = rowParser(schema);
    return rows.map((row) => {
      versions.push(String(row['row_version']));
      return parse(row);
    });
  };
  const maybeOne = async <S extends z.ZodObject>(schema: S, collection: string, filter: Filter) => {
    const rows = await many(schema, collection, filter, { limit: 2 });
    if (rows.length > 1) throw new Error('more than one row');
    return rows[0] ?? null;
  };
  return {
    ...searchWords,
    many,
    maybeOne,
    get: (schema, collection, id) => maybeOne(schema, collection, filters.where({ [asking.shape(collection).key]: id })),
    async one(schema, collection, filter) {
      const row = await maybeOne(schema, collection, filter);
      if (row === null) throw new Error('no row');
      return row;
    },
    count: (collection, filter) => asking.count(collection, filter),
    async groups(schema, collection, filter, figures) {
      return (await asking.groups(collection, filter, figures)).map(rowParser(schema));
    },
  };
}

export interface Writing<H extends Hit> {
  readonly handle: SearchWriter;
  /** The document to write. Call this after the body of the tool has returned. */
  written(): Write<H> | undefined;
}

export function writerOver<H extends Hit>(asking: Asking<H>, who: StoreSession, effect: string | undefined): Writing<H> {
  let write: Write<H> | undefined;
  const keep = async (next: Write<H>) => {
    if (write !== undefined) throw new Error('one effect writes one document');
    if (!holds(await asking.scope(next.shape), next.stored))
      throw failure('INSUFFICIENT_PERMISSIONS', 'Nothing was written: the row would not be yours.');
    write = next;
    return visibleRow({ row: structuredClone(next.stored.row), version: next.version, score: 0 }, asking.hidden(next.shape), {
      seek: undefined,
      texts: [],
    });
  };
  const writable = (collection: string): Shape => {
    const shape = asking.shape(collection);
    if (!shape.spec.writers?.includes(who.audience)) throw failure('INSUFFICIENT_PERMISSIONS', 'This is not yours to change.');
    return shape;
  };
  const checked = (shape: Shape, patch: SearchPatch): Row => {
    for (const name of [shape.key, 'row_version', '_score', 'highlights'])
      if (name in patch) throw new Error(`a tool must not set the field ${name}`);
    return { ...patch };
  };
  const handle: SearchWriter = {
    ...readerOver(asking, []),
    async change(schema, collection, filter, patch) {
      const shape = writable(collection);
      const { hits, rows } = await asking.find(searchWords.from(collection, filter), { order: asc(shape.key), after: undefined, take: 2 });
      const [hit, row] = [hits[0], rows[0]];
      if (hits.length !== 1 || hit === undefined || row === undefined) throw failure('CHANGED_SINCE_APPROVAL', CHANGED);
      const changed = checked(shape, typeof patch === 'function' ? patch(rowParser(schema)(row)) : patch);
      const next = await keep({ shape, stored: shape.stored({ ...hit.row, ...changed }), version: hit.version + 1, before: hit });
      return rowParser(schema)(next);
    },
    async insert(schema, collection, row) {
      const shape = writable(collection);
      const next = await keep({
        shape,
        stored: shape.stored({ ...checked(shape, row), [shape.key]: keyFor(effect) }),
        version: 1,
        before: undefined,
      });
      return rowParser(schema)(next);
    },
  };
  return { handle, written: () => write };
}
