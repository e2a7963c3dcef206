/** Documents as tools see them: collections that their domain declares, our own filters, totals that the store computes. */
import type { z } from 'zod';
import { EVERY, fieldName, Filter, type FilterWords, filters } from './filter.ts';
import type { Order } from './order.ts';
import type { Person } from './people.ts';

/** Which rows of a collection an audience may see at all. The adapter adds it to everything that is asked. */
export type RowScope = 'all' | 'none' | ((person: Person) => Filter);

export interface CollectionSpec<A extends string> {
  /** For every audience: forgetting one does not compile. */
  readonly rows: Readonly<Record<A, RowScope>>;
  /** The audiences whose approved changes may write here; nobody by default. */
  readonly writers?: readonly A[];
  /** Fields under a mask: they do not leave the store, and match no filter, where it is not lifted. */
  readonly masks?: Readonly<Record<string, readonly string[]>>;
  /** Fields that lists are ordered and filtered by; `_id` is added where it is not the last. */
  readonly indexes?: readonly (readonly string[])[];
}

/** A document as it is stored: `_id` is a text, and the adapter keeps `row_version`. */
export type Document = Record<string, unknown> & { readonly _id: string };

/** Which rows of which collection: what `find` of a list gives. */
export class DocumentQuery {
  readonly collection: string;
  readonly filter: Filter;
  constructor(collection: string, filter: Filter) {
    if (!(filter instanceof Filter)) throw new Error('not a filter');
    this.collection = collection;
    this.filter = filter;
  }
}

/** Amounts are added up in whole cents, so that a sum is exact however many there are. */
export type Total =
  | { readonly of: 'count' }
  | { readonly of: 'sum' | 'least' | 'most' | 'average'; readonly field: string }
  | { readonly of: 'weighted'; readonly field: string; readonly percent: string };

export const total = {
  count: { of: 'count' },
  /** 0 where there is no row. */
  sum: (field: string) => ({ of: 'sum', field: fieldName(field) }),
  /** Each amount times its own whole percent, added up, then rounded to the cent. */
  weighted: (field: string, percent: string) => ({ of: 'weighted', field: fieldName(field), percent: fieldName(percent) }),
  /** Null where there is no row, like the two below. */
  least: (field: string) => ({ of: 'least', field: fieldName(field) }),
  most: (field: string) => ({ of: 'most', field: fieldName(field) }),
  average: (field: string) => ({ of: 'average', field: fieldName(field) }),
} as const satisfies Record<string, Total | ((...fields: string[]) => Total)>;

export interface Grouping {
  /** One row for each combination of these fields; without them exactly one row over everything. */
  readonly by?: readonly string[];
  readonly totals: Readonly<Record<string, Total>>;
  /** By columns of the result; by the fields of `by` by default. */
  readonly order?: Order<string>;
  readonly limit?: number;
}

export interface Several {
  /** By `_id` by default. */
  readonly order?: Order<string>;
  readonly limit?: number;
}

export interface DocumentWords<N extends string = string> extends FilterWords {
  from(collection: N, filter?: Filter): DocumentQuery;
}

/** What a read sees. Rows are parsed: extra fields fall away, missing ones are our own error. */
export interface DocumentReader<N extends string = string> extends DocumentWords<N> {
  maybeOne<S extends z.ZodObject>(schema: S, collection: N, filter: Filter): Promise<z.output<S> | null>;
  one<S extends z.ZodObject>(schema: S, collection: N, filter: Filter): Promise<z.output<S>>;
  many<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, several?: Several): Promise<z.output<S>[]>;
  count(collection: N, filter: Filter): Promise<number>;
  /** Rows of `by` and totals, under their own names. */
  groups<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, grouping: Grouping): Promise<z.output<S>[]>;
}

/** New values by field; null takes a value away. `_id`, `row_version` and `removed` are not a tool's to set. */
export type Patch = Readonly<Record<string, unknown>>;

/** What a write sees besides, all of it in one transaction. */
export interface DocumentWriter<N extends string = string> extends DocumentReader<N> {
  /** Changes exactly one row and returns it; any other number changes nothing: CHANGED_SINCE_APPROVAL. The row must stay among those that the caller sees. */
  change<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, patch: Patch): Promise<z.output<S>>;
  /** Changes at least one row. */
  changeMany<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, patch: Patch): Promise<z.output<S>[]>;
  insert<S extends z.ZodObject>(schema: S, collection: N, document: Document): Promise<z.output<S>>;
  /** Marks exactly one row as removed, with what is to be remembered: it stays in the store and is seen by no tool any more. */
  remove<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, remember: Patch): Promise<z.output<S>>;
}

export const documentWords: DocumentWords = { ...filters, from: (collection, filter = EVERY) => new DocumentQuery(collection, filter) };

/** How sample documents get in: each collection whole or not at all, and only where there is nothing yet. */
export interface DocumentLoader {
  isEmpty(collection: string): Promise<boolean>;
  fill(collection: string, documents: Iterable<Document>, written: (rows: number) => void): Promise<void>;
}
