/** The port of a domain's store: reads, pages, exactly-once effects and the audit chain of its writes. */
import type { z } from 'zod';
import type { Company } from '../declare/company.ts';
import type { KeyPart } from './lists/cursor.ts';
import type { Filter } from '../declare/filter.ts';
import type { Order } from '../declare/order.ts';
import type { Person } from '../declare/people.ts';
import type { AuditChains, AuditRecord } from './ports.ts';
import type { Row } from '../declare/rows.ts';
import type { Queries, Readers, StoreKind, Writers } from '../declare/store-kinds.ts';

/** The person for whom a store reads and writes, with audience and masks. SQL adapters select a database role by it; others add filters. */
export interface StoreSession {
  readonly domain: string;
  readonly audience: string;
  readonly person: Person;
  /** The masks whose fields this person may see. */
  readonly shows: readonly string[];
  /** The store logs it with a slow or failed query. */
  readonly requestId?: string;
}
/** The session of a tool's call. Days and amounts are those of the company. */
export interface CallSession extends StoreSession {
  readonly company: Company;
}

export interface Window {
  readonly order: Order<string>;
  /** The keys of the row before the page. Without null, because the engine makes a condition of keys that can be null. */
  readonly after: readonly KeyPart[] | undefined;
  readonly take: number;
  /** Conditions on fields of the rows, besides those of the query. */
  readonly where?: Filter | undefined;
}

/** A field whose values form groups. With edges, group `i` has the values from `edges[i]` up to, but not including, `edges[i + 1]`. */
export interface GroupKey {
  readonly field: string;
  readonly type: 'day' | 'time' | 'plain';
  /** Ascending, in the form of the stored values. A value outside the edges belongs to the first or the last group. */
  readonly edges?: readonly string[];
}
export type GroupMeasure =
  /** Without a field: the rows. With a field: the rows in which it is not null. */
  | { readonly of: 'count'; readonly field?: string }
  /** Exact to `decimals` places; null without values. */
  | { readonly of: 'sum'; readonly field: string; readonly decimals: number }
  | { readonly of: 'min' | 'max'; readonly field: string };
export interface GroupsQuery {
  readonly where: Filter | undefined;
  /** Without keys, there is one group of all rows, also if there are none. */
  readonly by: readonly GroupKey[];
  readonly measures: readonly GroupMeasure[];
  /** The store returns at most one group more than this number. */
  readonly most: number;
}
export interface Group {
  /** One value for each key: the stored value, or the number of the group between edges; null if the field is null or absent. */
  readonly keys: readonly (string | number | boolean | null)[];
  /** One value for each measure. */
  readonly values: readonly (string | number | null)[];
}

/** The versions of the rows that were read, in the order of reading. An approval is valid only if they stay the same. */
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
   * Groups the rows that `page` would return without a limit, and measures each group. The groups have no order. The caller must check
   * that the person may see the named fields.
   */
  groups(who: StoreSession, query: Queries[K], asked: GroupsQuery): Promise<Group[]>;
  /**
   * Commits the writes, the result under `id` and the audit record in one transaction. If `id` is already committed, it returns the stored
   * result and does not run the body.
   */
  executeOnce(
    who: StoreSession,
    effect: { readonly id: string | undefined; readonly tool: string },
    body: (handles: { reading: Readers[K]; writing: Writers[K] }, versions: Versions) => Promise<Effected>,
  ): Promise<unknown>;
  /** The stored result of an effect; undefined if the effect did not happen. */
  findResult(who: StoreSession, id: string): Promise<unknown>;
  /** Calls `wake` after commits of any process. Some calls can be missing, and some can come without a commit. */
  listen?(wake: () => void): () => void;
  readonly audit: AuditChains;
  ping(): Promise<void>;
  close(): Promise<void>;
}
