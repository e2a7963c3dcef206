/** What the document store needs of a database, whichever it is: the same queries, in one language, on both. */
import { failure, outcomeUnknown } from '../../core/errors.ts';
import type { Document, DocumentLoader } from '../../core/documents.ts';
import type { Head } from '../../core/chain-writer.ts';
import type { AuditChains, AuditRecord, ChainedRecord } from '../../core/ports.ts';
import type { Row } from '../../core/rows.ts';

/** Made by translate.ts alone. */
export type Query = Readonly<Record<string, unknown>>;

export interface Finding {
  readonly sort: Readonly<Record<string, 1 | -1>>;
  readonly limit: number;
  /** Fields that stay in the store. */
  readonly hide: readonly string[];
}

export interface DocumentSource {
  find(collection: string, query: Query, finding: Finding): Promise<Row[]>;
  aggregate(collection: string, pipeline: readonly Query[]): Promise<Row[]>;
}

export interface KeptEffect {
  readonly tool: string;
  readonly principal: string;
  /** As text: the order of its keys is kept. */
  readonly result: string;
}

/** One open transaction: it sees its own changes, and nobody else does before its end. */
export interface DocumentSession extends DocumentSource {
  /** Nobody else changes these rows before this transaction ends. */
  hold(collection: string, ids: readonly string[]): Promise<void>;
  /** New values, and a higher `row_version`. */
  update(collection: string, ids: readonly string[], values: Row): Promise<void>;
  insert(collection: string, document: Document): Promise<void>;
  effect(id: string): Promise<KeptEffect | undefined>;
  keep(id: string, effect: KeptEffect): Promise<void>;
  record(link: ChainedRecord, record: AuditRecord): Promise<void>;
}

export interface DocumentDatabase extends DocumentSource, DocumentLoader {
  /** As its server calls it. */
  readonly name: string;
  /** All of it or nothing; ends in `Conflict` where it has to be run again. */
  transaction<T>(body: (session: DocumentSession) => Promise<T>): Promise<T>;
  effect(id: string): Promise<KeptEffect | undefined>;
  readonly chains: AuditChains;
  lastLink(chain: string): Promise<Head | undefined>;
  /** Away with all documents of these collections, for a new sample; what was done stays on record. */
  empty(collections: readonly string[]): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Another transaction came first: nothing was written, and the whole of it may be run again. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
  /** The connection ended while committing: it may have been written after all. */
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

/**
 * What to make of a transaction that ended badly: true where it was committed after all, which the link of the chain that went with it
 * tells; false where it may be run again. Throws what is neither.
 */
export async function hadCommitted(
  error: unknown,
  { chains }: Pick<DocumentDatabase, 'chains'>,
  link: Link | undefined,
  repeatable: boolean,
): Promise<boolean> {
  if (!(error instanceof Conflict)) throw error;
  if (!error.unknown) return false;
  const unsure = outcomeUnknown(failure('SERVICE_UNAVAILABLE', 'The database does not answer.'));
  try {
    if (link !== undefined && (await chains.record(link.chain, link.n))?.mac === link.mac) return true;
  } catch (trouble) {
    throw repeatable ? trouble : unsure;
  }
  // Without an id of its own a second run could not be told from the first.
  if (!repeatable) throw unsure;
  return false;
}
