/** The kinds of store, and for each kind the handles and queries that its tools work with. */
import type { CollectionSpec, DocumentQuery, DocumentReader, DocumentWords, DocumentWriter } from './documents.ts';
import type { SearchCollection, SearchQuery, SearchReader, SearchWords, SearchWriter } from './search.ts';
import type { SqlReader, SqlTag, SqlText, SqlWriter } from './sql.ts';

/** `N` is the union of the names of the domain's collections. */
export interface Readers<N extends string = string> {
  sql: { readonly sql: SqlReader };
  documents: { readonly documents: DocumentReader<N> };
  search: { readonly search: SearchReader<N> };
}
export interface Writers<N extends string = string> {
  sql: { readonly sql: SqlWriter };
  documents: { readonly documents: DocumentWriter<N> };
  search: { readonly search: SearchWriter<N> };
}
/** `find` only describes a query, so its handles cannot fetch rows. */
export interface Finders<N extends string = string> {
  sql: { readonly sql: SqlTag };
  documents: { readonly documents: DocumentWords<N> };
  search: { readonly search: SearchWords<N> };
}
export interface Queries {
  sql: SqlText;
  documents: DocumentQuery;
  search: SearchQuery;
}
/** How a domain declares a collection. A SQL domain declares its tables in its own SQL files. */
export interface Collected<A extends string> {
  sql: never;
  documents: CollectionSpec<A>;
  search: SearchCollection<A>;
}
export type StoreKind = keyof Readers;
