/** Search as tools see it: collections that their domain declares, plain words, our own filters, figures that the store computes. */
import type { z } from 'zod';
import { EVERY, fieldName, Filter, type FilterWords, filters } from './filter.ts';
import type { Order } from './order.ts';
import type { Person } from './people.ts';

export type FieldKind =
  /** Read by the search words; the weight says how much a word in it counts. Cannot be filtered or ordered by. */
  | { readonly is: 'text'; readonly weight: number }
  /** Compared as it stands. `time` is kept as an ISO moment in UTC, whatever way it was given. */
  | { readonly is: 'word' | 'number' | 'time' | 'flag'; readonly many?: boolean };

/** What a field is. A dot reaches into sub-objects, through lists as well: `comments.body` is the body of every comment. */
export const field = {
  text: (weight = 1): FieldKind => ({ is: 'text', weight }),
  word: { is: 'word' },
  /** A list of words; a condition holds where it holds for any of them. A name with a dot in it is such a list by itself. */
  words: { is: 'word', many: true },
  number: { is: 'number' },
  time: { is: 'time' },
  flag: { is: 'flag' },
} as const satisfies Record<string, FieldKind | ((weight?: number) => FieldKind)>;

/** A row that a scope looks at to decide, past all scopes: who is a customer's lead stands in a row, not in a token. */
export type LookUp = (collection: string, filter: Filter) => Promise<Readonly<Record<string, unknown>> | null>;
/** Which rows of a collection an audience may see at all. The adapter adds it to everything that is asked. */
export type SearchScope = 'all' | 'none' | ((person: Person, look: LookUp) => Filter | Promise<Filter>);

export interface SearchCollection<A extends string> {
  /** The field that names a row, as tools publish it: `ticket_id`. Always a text. */
  readonly key: string;
  /** All fields that words, filters, orders and figures may name. A row may hold more. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** For every audience: forgetting one does not compile. */
  readonly rows: Readonly<Record<A, SearchScope>>;
  /** The audiences whose changes may write here; nobody by default. */
  readonly writers?: readonly A[];
  /** Fields that an audience never gets, nor finds anything by. */
  readonly hides?: Readonly<Partial<Record<A, readonly string[]>>>;
  /** Fields that lists are often filtered and ordered by, together. */
  readonly indexes?: readonly (readonly string[])[];
}
export type AnySearchCollection = SearchCollection<string>;

/** Which rows of which collection, and the words they are asked with: what `find` of a list gives. */
export class SearchQuery {
  readonly collection: string;
  readonly filter: Filter;
  readonly words: string;
  constructor(collection: string, filter: Filter, words: string) {
    if (!(filter instanceof Filter)) throw new Error('not a filter');
    this.collection = collection;
    this.filter = filter;
    this.words = words;
  }
}

/** A figure over rows, of those among them that `where` names. */
export type Figure =
  | { readonly of: 'count'; readonly where?: Filter | undefined }
  | { readonly of: 'sum' | 'least' | 'most' | 'average'; readonly field: string; readonly where?: Filter | undefined };

export const figure = {
  count: (where?: Filter): Figure => ({ of: 'count', where }),
  /** 0 where there is no row. */
  sum: (name: string, where?: Filter): Figure => ({ of: 'sum', field: fieldName(name), where }),
  /** Null where there is no row, like the two below. Only of numbers; `least` and `most` of times as well. */
  average: (name: string, where?: Filter): Figure => ({ of: 'average', field: fieldName(name), where }),
  least: (name: string, where?: Filter): Figure => ({ of: 'least', field: fieldName(name), where }),
  most: (name: string, where?: Filter): Figure => ({ of: 'most', field: fieldName(name), where }),
};

export interface Figures {
  /** One row for each combination of these fields, in their order; without them exactly one row over everything. */
  readonly by?: readonly string[];
  readonly figures: Readonly<Record<string, Figure>>;
}

export interface SearchSeveral {
  /** By the key, upwards, by default. `_score` is an order too. */
  readonly order?: Order<string>;
  /** 1,000 by default; more are an error, not a cut. */
  readonly limit?: number;
  readonly words?: string;
}

export interface SearchWords<N extends string = string> extends FilterWords {
  /**
   * Rows of a collection, for `find`. Each row has `_score` besides its fields (0 without words), and `highlights`: field → pieces of
   * its text as HTML, encoded, with <em> around what was found. Order by `desc('_score', 'created_at', 'ticket_id')`: without words
   * that is newest first.
   */
  from(collection: N, filter?: Filter, words?: string): SearchQuery;
}

/** What a read sees. Rows are parsed: extra fields fall away, missing ones are our own error. */
export interface SearchReader<N extends string = string> extends SearchWords<N> {
  get<S extends z.ZodObject>(schema: S, collection: N, id: string): Promise<z.output<S> | null>;
  maybeOne<S extends z.ZodObject>(schema: S, collection: N, filter: Filter): Promise<z.output<S> | null>;
  one<S extends z.ZodObject>(schema: S, collection: N, filter: Filter): Promise<z.output<S>>;
  many<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, several?: SearchSeveral): Promise<z.output<S>[]>;
  count(collection: N, filter: Filter): Promise<number>;
  /** Rows of `by` and figures, under their own names. */
  groups<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, figures: Figures): Promise<z.output<S>[]>;
}

/** New values by field, whole lists included; null takes a value away. The key and `row_version` are not a tool's to set. */
export type SearchPatch = Readonly<Record<string, unknown>>;

/**
 * What a write sees besides. One effect writes ONE document: a search server has no transaction over two, so a second write throws on
 * every adapter. Nothing that was written shows in what the same body reads afterwards.
 */
export interface SearchWriter<N extends string = string> extends SearchReader<N> {
  /**
   * Changes exactly one row and returns it; any other number changes nothing: CHANGED_SINCE_APPROVAL. A patch may be worked out from
   * the row as it is at that moment: `(ticket) => ({ comments: [...ticket.comments, comment] })` loses nobody's comment.
   */
  change<S extends z.ZodObject>(
    schema: S,
    collection: N,
    filter: Filter,
    patch: SearchPatch | ((row: z.output<S>) => SearchPatch),
  ): Promise<z.output<S>>;
  /** The key is given by the store: only so can the same approval not add two. */
  insert<S extends z.ZodObject>(schema: S, collection: N, row: SearchPatch): Promise<z.output<S>>;
}

export const searchWords: SearchWords = {
  ...filters,
  from: (collection, filter = EVERY, words = '') => new SearchQuery(collection, filter, words),
};

/** How sample rows get in: only where there is nothing yet. A row holds its own key. */
export interface SearchLoader {
  isEmpty(collection: string): Promise<boolean>;
  fill(collection: string, rows: Iterable<Readonly<Record<string, unknown>>>, written: (rows: number) => void): Promise<void>;
}
