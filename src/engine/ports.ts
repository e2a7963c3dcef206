/** The ports: interfaces that adapters for stores, clock and log implement. No port depends on a driver. */
import type { ChangeFeedCalls, Contract } from '../declare/contracts.ts';

/** Expiring values that all replicas share: tickets, sessions, counters. */
export interface KeyValue {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Writes only if the key has no value, and returns whether it wrote. */
  add(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Compare-and-swap: writes only if the value is `expected`, and returns whether it wrote. */
  swap(key: string, expected: string, next: string, ttlSeconds: number): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Increments the counter of the current window and returns the new count. */
  count(key: string, windowSeconds: number): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
  /** Defined only for a store that several processes share. */
  readonly leases?: Leases | undefined;
}

/** Limits how many holders a key has at once, over all processes. */
export interface Leases {
  /** False if the key already has `most` holders. Leases expire, because a killed process cannot release them. */
  acquire(key: string, holder: string, most: number, seconds: number): Promise<boolean>;
  /** Extends a held lease. */
  renew(key: string, holder: string, seconds: number): Promise<void>;
  release(key: string, holder: string): Promise<void>;
}

/** Publishes a message to every process that is subscribed at that moment, including the publisher. */
export interface PubSub {
  /** Resolves to the number of receivers. */
  publish(text: string): Promise<number>;
  close(): Promise<void>;
}

export type Decision = 'allowed' | 'refused' | 'failed' | 'pending' | 'approved' | 'denied';

/** One call in the audit log. The input is already redacted and truncated. */
export interface AuditRecord {
  readonly at: string;
  readonly principal: string;
  readonly username: string;
  readonly surface: string;
  /** web, command, or the name of the MCP client. */
  readonly origin: string;
  readonly server: string;
  readonly tool: string;
  readonly decision: Decision;
  readonly code: string | null;
  readonly ms: number;
  readonly rows: number;
  readonly requestId: string;
  readonly input: string;
  readonly confirmationId?: string;
  /** When the approved change was asked for. */
  readonly askedAt?: string;
  /** The records that a write changed, each as `<type>/<id>`. */
  readonly records?: readonly string[];
  readonly changes?: unknown;
  /** Further records in `records` that changed with the first one, each with its own changes. */
  readonly touched?: readonly { readonly record: string; readonly changes: unknown }[];
  /** Why the change was made, in the words of the requester. */
  readonly reason?: string;
  /** The history of the records shows the change only to those who see this mask; to others from `until` on, if it is set. */
  readonly confidential?: { readonly mask: string; readonly until?: string };
}

export interface ChainedRecord {
  readonly chain: string;
  readonly n: number;
  /** The stored text, which the MAC covers. */
  readonly body: string;
  readonly mac: string;
  /** True if the store has the record under a wrong time, person or key. Set only when a whole chain is read. */
  readonly misfiled?: boolean;
}

export interface AuditQuery {
  /** Only the records of this person. */
  readonly principal?: string | undefined;
  /** Only records with all these keys, made with `auditKey`. */
  readonly keys?: readonly string[] | undefined;
  /** Only records from this time on, as an ISO time in UTC. */
  readonly from?: string | undefined;
  /** Only records before this time. */
  readonly to?: string | undefined;
  readonly limit: number;
  /** Only records before this position in the audit log. */
  readonly before?: { readonly at: string; readonly chain: string; readonly n: number } | undefined;
}

/** A source of audit chains: the call log of a process, or the store of a domain with the records of its writes. */
export interface AuditChains {
  chains(): Promise<readonly { readonly chain: string; readonly count: number }[]>;
  /** The records in order. They are read in batches, because a chain may not fit in memory. */
  records(chain: string): AsyncIterable<ChainedRecord>;
  record(chain: string, n: number): Promise<ChainedRecord | undefined>;
  newest(query: AuditQuery): Promise<readonly ChainedRecord[]>;
}

/** `append` resolves when the record is durable. The call is answered only after that. */
export interface AuditLog extends AuditChains {
  append(record: AuditRecord): Promise<void>;
  close(): Promise<void>;
}

export interface Clock {
  now(): Date;
}

/** The employment status of a person, for identity checks. */
export interface People {
  employment(employeeId: string): Promise<'active' | 'terminated' | 'unknown'>;
}

export interface ChangePage {
  /** The newest number. It decreases if the provider was restored from an older backup. */
  readonly last: number;
  readonly changes: readonly { readonly n: number }[];
}

/** A change feed that a domain provides to other domains: in order, page by page. */
export interface ChangeSource {
  after(n: number, signal?: AbortSignal): Promise<ChangePage>;
}

/** A domain's copy of another domain's rows, and its position in the change feed. */
export interface ChangeCopy {
  readonly domain: string;
  readonly contract: Contract<ChangeFeedCalls>;
  position(): Promise<number>;
  /** Stores a page and moves the position, unless another process has moved it. Resolves to the new position. */
  take(changes: ChangePage['changes'], from: number, to: number): Promise<number>;
}

/** The current load of a connection pool. */
export interface PoolLoad {
  readonly pool: string;
  readonly open: number;
  readonly idle: number;
  /** The number of operations that wait for a connection. */
  readonly waiting: number;
}

export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
