/** The small interfaces that adapters implement. Nothing here knows a driver. */

/** Small values that expire and that every replica sees: waiting approvals, sessions, counters. */
export interface KeyValue {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Writes only where there is nothing yet; false when there was. */
  add(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  /** Writes only where the value still is `expected`; false when it is not. One winner, however many try. */
  swap(key: string, expected: string, next: string, ttlSeconds: number): Promise<boolean>;
  delete(key: string): Promise<void>;
  /** Adds one and returns the new count of the current window. */
  count(key: string, windowSeconds: number): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
  /** Only where several processes share it. */
  readonly leases?: Leases | undefined;
}

/** So many at once, whichever process they are in. */
export interface Leases {
  /** A place among so many, for so long: who was killed gives nothing back. False where all are taken. */
  acquire(key: string, holder: string, most: number, seconds: number): Promise<boolean>;
  /** For so long from now on, for who has one. */
  renew(key: string, holder: string, seconds: number): Promise<void>;
  release(key: string, holder: string): Promise<void>;
}

/** Heard by every process that shares a store and listens at that moment, the one that rings included. */
export interface PubSub {
  /** How many heard it. */
  publish(text: string): Promise<number>;
  close(): Promise<void>;
}

export type Decision = 'allowed' | 'refused' | 'failed' | 'pending' | 'approved' | 'denied';

/** One call, as the trail keeps it. Inputs arrive redacted and cut. */
export interface AuditRecord {
  readonly at: string;
  readonly principal: string;
  readonly username: string;
  readonly surface: string;
  /** web, command, or the MCP client's name. */
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
  readonly changes?: unknown;
}

export interface ChainedRecord {
  readonly chain: string;
  readonly n: number;
  /** The stored bytes that the code is computed over; never re-serialised. */
  readonly body: string;
  readonly mac: string;
  /** Who looks for it by its time or its person does not find it there. Only said where a whole chain is walked. */
  readonly misfiled?: boolean;
}

export interface AuditQuery {
  /** Only this person's rows. */
  readonly principal?: string | undefined;
  readonly limit: number;
  /** Rows before this position in the whole trail. */
  readonly before?: { readonly at: string; readonly chain: string; readonly n: number } | undefined;
}

/** A place that keeps chains: the call log, and each domain's store for its writes. */
export interface AuditChains {
  chains(): Promise<readonly { readonly chain: string; readonly count: number }[]>;
  /** In order, in batches, so that a long chain never has to fit in memory. */
  records(chain: string): AsyncIterable<ChainedRecord>;
  record(chain: string, n: number): Promise<ChainedRecord | undefined>;
  newest(query: AuditQuery): Promise<readonly ChainedRecord[]>;
}

/** Appending resolves when the record is durable; a call is not answered before. */
export interface AuditLog extends AuditChains {
  append(record: AuditRecord): Promise<void>;
  close(): Promise<void>;
}

export interface Clock {
  now(): Date;
}

/** What the rest of the product needs to know of a person's employment, from wherever it is kept. */
export interface People {
  employment(employeeId: string): Promise<'active' | 'terminated' | 'unknown'>;
}

/** Someone as hr has them now. Without a name: removed altogether. */
export interface PersonChange {
  readonly n: number;
  readonly employeeId: string;
  readonly name: string | null;
  readonly department: string | null;
  readonly managerId: string | null;
  readonly active: boolean;
}

/** What hr tells other domains of people: who changed since, in order, at most so many at a time. */
export interface PeopleFeed {
  after(
    n: number,
    signal?: AbortSignal,
  ): Promise<{
    /** The newest number there is; lower than one that was given out before where an older state of hr was restored. */
    readonly last: number;
    readonly people: readonly PersonChange[];
  }>;
}

/** A domain's own copy of people, and up to where it has come. */
export interface PeopleCopy {
  readonly domain: string;
  position(): Promise<number>;
  /** Takes a page over and moves from one position to the next, or nothing where another was quicker. Gives the position after that. */
  take(people: readonly PersonChange[], from: number, to: number): Promise<number>;
}

/** How busy the connections to a store are, at this moment. */
export interface PoolLoad {
  readonly pool: string;
  readonly open: number;
  readonly idle: number;
  /** Work that waits for a connection, or for its turn on one. */
  readonly waiting: number;
}

export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
