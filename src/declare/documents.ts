/** The document API of tools: declared collections, filters, and totals that the store computes. */
import type { z } from 'zod';
import { EVERY, fieldName, Filter, type FilterWords, filters } from './filter.ts';
import type { Order } from './order.ts';
import type { Person } from './people.ts';

/** The rows of a collection that an audience may see. The adapter adds the scope to every query. */
export type RowScope = 'all' | 'none' | ((person: Person) => Filter);

export interface CollectionSpec<A extends string> {
  /** Must have an entry for each audience; the compiler checks this. */
  readonly rows: Readonly<Record<A, RowScope>>;
  /** The audiences whose tools may write to this collection; none by default. */
  readonly writers?: readonly A[];
  /** The fields of each mask. For a person who may not see them, the store neither returns them nor filters by them. */
  readonly masks?: Readonly<Record<string, readonly string[]>>;
  /** The fields of each index, by which lists order and filter. */
  readonly indexes?: readonly (readonly string[])[];
}

/** A stored document: `_id` is a string, and the adapter maintains `row_version`. */
export type Document = Record<string, unknown> & { readonly _id: string };

/** A query over one collection. `find` of a list tool returns it. */
export class DocumentQuery {
  readonly collection: string;
  readonly filter: Filter;
  constructor(collection: string, filter: Filter) {
    if (!(filter instanceof Filter)) throw new Error('not a filter');
    this.collection = collection;
    this.filter = filter;
  }
}

/** The store adds amounts in whole cents, so that every sum is exact. */
export type Total =
  | { readonly of: 'count' }
  | { readonly of: 'sum' | 'least' | 'most' | 'average'; readonly field: string }
  | { readonly of: 'weighted'; readonly field: string; readonly percent: string };

export const total = {
  count: { of: 'count' },
  /** 0 if there are no rows. */
  sum: (field: string) => ({ of: 'sum', field: fieldName(field) }),
  /** The sum of each amount times its whole percentage, rounded to the cent. */
  weighted: (field: string, percent: string) => ({ of: 'weighted', field: fieldName(field), percent: fieldName(percent) }),
  /** `least`, `most` and `average` are null if there are no rows. */
  least: (field: string) => ({ of: 'least', field: fieldName(field) }),
  most: (field: string) => ({ of: 'most', field: fieldName(field) }),
  average: (field: string) => ({ of: 'average', field: fieldName(field) }),
} as const satisfies Record<string, Total | ((...fields: string[]) => Total)>;

export interface Grouping {
  /** One result row for each combination of these fields; without `by`, one row over everything. */
  readonly by?: readonly string[];
  readonly totals: Readonly<Record<string, Total>>;
  /** The order of the result rows, by fields of the result. The default is the fields of `by`. */
  readonly order?: Order<string>;
  readonly limit?: number;
}

export interface Several {
  /** The default is `_id`, ascending. */
  readonly order?: Order<string>;
  readonly limit?: number;
}

export interface DocumentWords<N extends string = string> extends FilterWords {
  from(collection: N, filter?: Filter): DocumentQuery;
}

/** The handle of a read. Rows are parsed with the schema: undeclared fields are dropped, a missing field throws. */
export interface DocumentReader<N extends string = string> extends DocumentWords<N> {
  maybeOne<S extends z.ZodObject>(schema: S, collection: N, filter: Filter): Promise<Readonly<z.output<S>> | null>;
  one<S extends z.ZodObject>(schema: S, collection: N, filter: Filter): Promise<Readonly<z.output<S>>>;
  many<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, several?: Several): Promise<Readonly<z.output<S>>[]>;
  count(collection: N, filter: Filter): Promise<number>;
  /** Each row has the fields of `by`, and the totals under their names. */
  groups<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, grouping: Grouping): Promise<Readonly<z.output<S>>[]>;
}

/** New values by field; null removes a value. A tool cannot set `_id`, `row_version` or `removed`. */
export type Patch = Readonly<Record<string, unknown>>;

/** The handle of a write. All calls run in one transaction. */
export interface DocumentWriter<N extends string = string> extends DocumentReader<N> {
  /**
   * Throws CHANGED_SINCE_APPROVAL if no row matches, an Error if several rows match, and INSUFFICIENT_PERMISSIONS if the caller may not see
   * the changed row. Each error rolls the transaction back.
   */
  change<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, patch: Patch): Promise<Readonly<z.output<S>>>;
  /** Changes all matching rows and returns them. Throws CHANGED_SINCE_APPROVAL if no row matches. */
  changeMany<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, patch: Patch): Promise<Readonly<z.output<S>>[]>;
  insert<S extends z.ZodObject>(schema: S, collection: N, document: Document): Promise<Readonly<z.output<S>>>;
  /** Marks one row as removed and stores `remember` in it. No tool sees a removed row. Throws the same errors as `change`. */
  remove<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, remember: Patch): Promise<Readonly<z.output<S>>>;
}

export const documentWords: DocumentWords = { ...filters, from: (collection, filter = EVERY) => new DocumentQuery(collection, filter) };

/** Loads sample documents into empty collections, each collection completely or not at all. */
export interface DocumentLoader {
  isEmpty(collection: string): Promise<boolean>;
  fill(collection: string, documents: Iterable<Document>, written: (rows: number) => void): Promise<void>;
}
