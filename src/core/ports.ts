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

export interface Clock { now(): Date }

/** What the rest of the product needs to know of a person's employment, from wherever it is kept. */
export interface People {
  employment(employeeId: string): Promise<'active' | 'terminated' | 'unknown'>;
}

export interface Logger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
