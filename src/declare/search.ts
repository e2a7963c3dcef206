/** The search API of tools: declared collections, search words, filters, and figures that the store computes. */
import type { z } from 'zod';
import { EVERY, fieldName, Filter, type FilterWords, filters } from './filter.ts';
import type { Order } from './order.ts';
import type { Person } from './people.ts';

export type FieldKind =
  /** Full text. `weight` is the factor of its matches in the score. Filters and orders cannot use the field. */
  | { readonly is: 'text'; readonly weight: number }
  /** Compared by value. A `time` is stored as an ISO timestamp in UTC. */
  | { readonly is: 'word' | 'number' | 'time' | 'flag'; readonly many?: boolean };

/** A dot in a field's name reaches into sub-objects and lists: `comments.body` is the body of every comment. */
export const field = {
  text: (weight = 1): FieldKind => ({ is: 'text', weight }),
  word: { is: 'word' },
  /** A list of words. A condition holds if one of them meets it. A field with a dot in its name is always such a list. */
  words: { is: 'word', many: true },
  number: { is: 'number' },
  time: { is: 'time' },
  flag: { is: 'flag' },
} as const satisfies Record<string, FieldKind | ((weight?: number) => FieldKind)>;

/** Reads one row without a scope. A scope uses it if the rows depend on stored data, such as the lead of an organisation. */
export type LookUp = (collection: string, filter: Filter) => Promise<Readonly<Record<string, unknown>> | null>;
/** The rows of a collection that an audience may see. The adapter adds the scope to every query. */
export type SearchScope = 'all' | 'none' | ((person: Person, look: LookUp) => Filter | Promise<Filter>);

export interface SearchCollection<A extends string> {
  /** The field with the id of a row, such as `ticket_id`. Its value is always a string. */
  readonly key: string;
  /** All fields that search words, filters, orders and figures may use. A row may have more fields. */
  readonly fields: Readonly<Record<string, FieldKind>>;
  /** Must have an entry for each audience; the compiler checks this. */
  readonly rows: Readonly<Record<A, SearchScope>>;
  /** The audiences whose tools may write to this collection; none by default. */
  readonly writers?: readonly A[];
  /** Fields that an audience can neither read nor search. */
  readonly hides?: Readonly<Partial<Record<A, readonly string[]>>>;
  /** Combinations of fields that lists often filter and order by. */
  readonly indexes?: readonly (readonly string[])[];
}
export type AnySearchCollection = SearchCollection<string>;

/** A query over one collection: filter and search words. `find` of a list tool returns it. */
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

/** An aggregate over the rows, or over those that match `where`. */
export type Figure =
  | { readonly of: 'count'; readonly where?: Filter | undefined }
  | { readonly of: 'sum' | 'least' | 'most' | 'average'; readonly field: string; readonly where?: Filter | undefined };

export const figure = {
  count: (where?: Filter): Figure => ({ of: 'count', where }),
  /** 0 if there are no rows. */
  sum: (name: string, where?: Filter): Figure => ({ of: 'sum', field: fieldName(name), where }),
  /** `average`, `least` and `most` are null if there are no rows. `average` takes only numbers; `least` and `most` also take times. */
  average: (name: string, where?: Filter): Figure => ({ of: 'average', field: fieldName(name), where }),
  least: (name: string, where?: Filter): Figure => ({ of: 'least', field: fieldName(name), where }),
  most: (name: string, where?: Filter): Figure => ({ of: 'most', field: fieldName(name), where }),
};

export interface Figures {
  /** One result row for each combination of these fields, ordered by them; without `by`, one row over everything. */
  readonly by?: readonly string[];
  readonly figures: Readonly<Record<string, Figure>>;
}

export interface SearchSeveral {
  /** The default is ascending by the key. `_score` is allowed too. */
  readonly order?: Order<string>;
  /** Without a limit, more than 1,000 matching rows are an error. */
  readonly limit?: number;
  readonly words?: string;
}

export interface SearchWords<N extends string = string> extends FilterWords {
  /**
   * Each row also has `_score` (0 without words) and `highlights`, which maps a field to HTML fragments with <em> around the matches.
   * `desc('_score', 'created_at', 'ticket_id')` orders by relevance, then by time.
   */
  from(collection: N, filter?: Filter, words?: string): SearchQuery;
}

/** The handle of a read. Rows are parsed with the schema: undeclared fields are dropped, a missing field throws. */
export interface SearchReader<N extends string = string> extends SearchWords<N> {
  get<S extends z.ZodObject>(schema: S, collection: N, id: string): Promise<Readonly<z.output<S>> | null>;
  maybeOne<S extends z.ZodObject>(schema: S, collection: N, filter: Filter): Promise<Readonly<z.output<S>> | null>;
  one<S extends z.ZodObject>(schema: S, collection: N, filter: Filter): Promise<Readonly<z.output<S>>>;
  many<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, several?: SearchSeveral): Promise<Readonly<z.output<S>>[]>;
  count(collection: N, filter: Filter): Promise<number>;
  /** Each row holds the fields of `by` and the figures, under their names. */
  groups<S extends z.ZodObject>(schema: S, collection: N, filter: Filter, figures: Figures): Promise<Readonly<z.output<S>>[]>;
}

/** New values by field; a list is replaced as a whole, null removes a value. A tool cannot set the key or `row_version`. */
export type SearchPatch = Readonly<Record<string, unknown>>;

/**
 * The handle of a write. One effect writes one document, because a search server has no transaction over two documents. A second write
 * throws on every adapter. Reads in the same effect do not see the write.
 */
export interface SearchWriter<N extends string = string> extends SearchReader<N> {
  /**
   * Throws CHANGED_SINCE_APPROVAL unless exactly one row matches. A function of the current row loses no concurrent change: `(t) => ({
   * comments: [...t.comments, comment] })`.
   */
  change<S extends z.ZodObject>(
    schema: S,
    collection: N,
    filter: Filter,
    patch: SearchPatch | ((row: Readonly<z.output<S>>) => SearchPatch),
  ): Promise<Readonly<z.output<S>>>;
  /** For an approved ticket, the store derives the key from the ticket, so that one approval cannot insert two rows. */
  insert<S extends z.ZodObject>(schema: S, collection: N, row: SearchPatch): Promise<Readonly<z.output<S>>>;
}

export const searchWords: SearchWords = {
  ...filters,
  from: (collection, filter = EVERY, words = '') => new SearchQuery(collection, filter, words),
};

/** Loads sample rows into empty collections. Each row must contain its key. */
export interface SearchLoader {
  isEmpty(collection: string): Promise<boolean>;
  fill(collection: string, rows: Iterable<Readonly<Record<string, unknown>>>, written: (rows: number) => void): Promise<void>;
}
