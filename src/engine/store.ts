/** The port of a domain's store: reads, pages, exactly-once effects and the audit chain of its writes. */
import type { z } from 'zod';
import type { Company } from '../declare/company.ts';
import type { KeyPart } from './lists/cursor.ts';
import type { Order } from '../declare/order.ts';
import type { Person } from '../declare/people.ts';
import type { AuditChains, AuditRecord } from './ports.ts';
import type { Row } from '../declare/rows.ts';
import type { Queries, Readers, StoreKind, Writers } from '../declare/store-kinds.ts';

/** The person for whom a store reads and writes, with audience and masks. The adapter turns it into a database role or into filters. */
export interface StoreSession {
  readonly domain: string;
  readonly audience: string;
  readonly person: Person;
  /** The masks that do not apply to this person. */
  readonly shows: readonly string[];
  /** The store logs it with a slow or failed query. */
  readonly requestId?: string;
}
/** The session of a tool's call, whose days and amounts are those of the company. */
export interface CallSession extends StoreSession {
  readonly company: Company;
}

export interface Window {
  readonly order: Order<string>;
  readonly after: readonly KeyPart[] | undefined;
  readonly take: number;
}

/** The versions of the rows that were read, in this order. An approval is valid only while they stay the same. */
export type Versions = string[];

export interface Effected {
  readonly result: unknown;
  readonly audit: AuditRecord;
}

export interface Store<K extends StoreKind> {
  readonly kind: K;
  read<T>(who: StoreSession, body: (handles: Readers[K], versions: Versions) => Promise<T>): Promise<T>;
  page(who: StoreSession, query: Queries[K], window: Window, item: z.ZodObject): Promise<Row[]>;
  /**
   * Commits the body's writes, its result under `id` and its audit record in one transaction. If the effect `id` has already
   * happened, the body does not run and the stored result is returned.
   */
  executeOnce(
    who: StoreSession,
    effect: { readonly id: string | undefined; readonly tool: string },
    body: (handles: { reading: Readers[K]; writing: Writers[K] }, versions: Versions) => Promise<Effected>,
  ): Promise<unknown>;
  /** The stored result of an effect, if it happened. */
  findResult(who: StoreSession, id: string): Promise<unknown>;
  /** Calls `wake` after commits of any process. A wake-up can get lost, and a wake-up can come without a commit. */
  listen?(wake: () => void): () => void;
  readonly audit: AuditChains;
  ping(): Promise<void>;
  close(): Promise<void>;
}
