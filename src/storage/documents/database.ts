/** The database interface of the document store, for MongoDB and the embedded database. Both run the same queries. */
import { failure, outcomeUnknown } from '../../declare/errors.ts';
import type { Document, DocumentLoader } from '../../declare/documents.ts';
import type { Head } from '../../engine/audit/chain.ts';
import type { AuditChains, AuditRecord, ChainedRecord } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';
import type { Group, GroupsQuery } from '../../engine/store.ts';

/** A MongoDB query. */
export type Query = Readonly<Record<string, unknown>>;

export interface Finding {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly limit: number;
  readonly hide: readonly string[];
}

export interface DocumentSource {
  find(collection: string, query: Query, finding: Finding): Promise<Row[]>;
  aggregate(collection: string, pipeline: readonly Query[]): Promise<Row[]>;
  /** Groups the documents that match the query. */
  group(collection: string, query: Query, asked: Omit<GroupsQuery, 'where'>): Promise<Group[]>;
}

export interface KeptEffect {
  readonly tool: string;
  readonly principal: string;
  /** JSON text, because it keeps the order of keys. */
  readonly result: string;
}

export interface DocumentSession extends DocumentSource {
  /** Prevents other transactions from changing these rows until this one ends. */
  hold(collection: string, ids: readonly string[]): Promise<void>;
  /** Sets the values and increments `row_version`. */
  update(collection: string, ids: readonly string[], values: Row): Promise<void>;
  insert(collection: string, document: Document): Promise<void>;
  effect(id: string): Promise<KeptEffect | undefined>;
  keep(id: string, effect: KeptEffect): Promise<void>;
  record(link: ChainedRecord, record: AuditRecord): Promise<void>;
}

export interface DocumentDatabase extends DocumentSource, DocumentLoader {
  /** The database name in MongoDB; the domain name in the embedded database. */
  readonly name: string;
  /** Throws `Conflict` if the caller may run the transaction again. */
  transaction<T>(body: (session: DocumentSession) => Promise<T>): Promise<T>;
  effect(id: string): Promise<KeptEffect | undefined>;
  readonly chains: AuditChains;
  lastLink(chain: string): Promise<Head | undefined>;
  /** Deletes the documents of these collections; effects and audit records stay. */
  empty(collections: readonly string[]): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** The transaction failed and may run again. It wrote nothing, unless `unknown` is true. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  /** True if the commit got no answer. The transaction may be committed. */
  readonly unknown: boolean;
  constructor(unknown = false) {
    super('run again');
    this.unknown = unknown;
  }
}

interface Link {
  readonly chain: string;
  readonly n: number;
  readonly mac: string;
}

/** Returns true if the audit record proves the commit, and false if the transaction may run again. Otherwise throws. */
export async function hadCommitted(
  error: unknown,
  { chains }: Pick<DocumentDatabase, 'chains'>,
  { link, repeatable }: { readonly link: Link | undefined; readonly repeatable: boolean },
): Promise<boolean> {
  if (!(error instanceof Conflict)) throw error;
  if (!error.unknown) return false;
  const unsure = outcomeUnknown(failure('SERVICE_UNAVAILABLE', 'The database does not answer.'));
  try {
    if (link !== undefined && (await chains.record(link.chain, link.n))?.mac === link.mac) return true;
  } catch (trouble) {
    throw repeatable ? trouble : unsure;
  }
  // Without an effect id, a second run could repeat the write.
  if (!repeatable) throw unsure;
  return false;
}
