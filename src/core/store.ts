import type { z } from 'zod';
import type { KeyPart } from './cursor.ts';
import type { Order } from './order.ts';
import type { Person } from './people.ts';
import type { AuditChains, AuditRecord } from './ports.ts';
import type { Row } from './rows.ts';
import type { Queries, Readers, StoreKind, Writers } from './store-kinds.ts';

/** On whose behalf: the adapter turns it into a database role and settings, or into filters. */
export interface StoreSession {
  readonly domain: string;
  readonly audience: string;
  readonly person: Person;
  /** Masks that are lifted for this person. */
  readonly shows: readonly string[];
  /** For the store's own logs: which request a slow or failed query belongs to. */
  readonly requestId?: string;
}

export interface Window {
  readonly order: Order<string>;
  readonly after: readonly KeyPart[] | undefined;
  readonly take: number;
}

/** Versions of the rows a phase has read, in the order of reading: what an approval is held against. */
export type Versions = string[];

export interface Effected {
  readonly result: unknown;
  readonly audit: AuditRecord;
}

/** All that a kind of store must be able to do. */
export interface Store<K extends StoreKind> {
  readonly kind: K;
  read<T>(who: StoreSession, body: (handles: Readers[K], versions: Versions) => Promise<T>): Promise<T>;
  page(who: StoreSession, query: Queries[K], window: Window, item: z.ZodObject): Promise<Row[]>;
  /**
   * One transaction: the body's writes, its result under `id` and its audit record, all or nothing. For an id that
   * already took effect the body does not run, and the kept result is returned, to whoever asks how often.
   */
  executeOnce(
    who: StoreSession,
    effect: { readonly id: string | undefined; readonly tool: string },
    body: (handles: { reading: Readers[K]; writing: Writers[K] }, versions: Versions) => Promise<Effected>,
  ): Promise<unknown>;
  /** The kept result of an effect, if it happened. */
  findResult(who: StoreSession, id: string): Promise<unknown>;
  /** Calls when something may have been committed to this domain, by whichever process. Sometimes too often, and not always. */
  listen?(wake: () => void): () => void;
  readonly audit: AuditChains;
  ping(): Promise<void>;
  close(): Promise<void>;
}
