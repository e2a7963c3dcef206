/** The types of the pipeline: the runtime, the request of a call, and the call after each stage. */
import type { Caller, Surface } from './caller.ts';
import type { ContractCaller } from './contract-caller.ts';
import type { Cursors } from './lists/cursor.ts';
import type { CallLimiter } from './limits/call-limiter.ts';
import type { AuditLog, Clock, Decision, Logger } from './ports.ts';
import type { NeedSession } from './needs.ts';
import type { Registry } from './registry.ts';
import type { CallSession, Store } from './store.ts';
import type { TicketStore } from './approvals/tickets.ts';
import type { StoreKind } from '../declare/store-kinds.ts';
import type { Input, Tool } from '../declare/tool.ts';

export interface Runtime {
  readonly registry: Registry;
  readonly stores: Readonly<Record<string, Store<StoreKind>>>;
  readonly tickets: TicketStore;
  readonly audit: AuditLog;
  readonly cursors: Cursors;
  readonly callLimiter: CallLimiter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly deadlineMs: number;
  readonly approvalUrl: (confirmationId: string) => string;
  /** Does nothing in production. A test stops the process at a named point. */
  readonly failpoint: (name: string) => void;
  /** Makes the calls of contracts that domains need. */
  readonly contracts?: ContractCaller | undefined;
  /** Called after each call and each execution of a ticket, for metrics and the log. The answer waits for it, so it must be fast. */
  readonly observe?: ((completed: CompletedCall) => void) | undefined;
}

export interface CompletedCall {
  readonly server: string;
  /** Undefined when no tool has the requested name. */
  readonly tool: Tool | undefined;
  readonly surface: Surface;
  readonly requestId: string;
  readonly decision: Decision;
  readonly code: string | null;
  readonly rows: number;
  readonly ms: number;
}

export interface CallRequest {
  readonly server: string;
  readonly tool: string;
  readonly input: unknown;
  readonly caller: Caller;
  readonly surface: Surface;
  readonly requestId: string;
  /** A getter may create the signal, so code reads this property only when it needs it. */
  readonly signal?: AbortSignal | undefined;
  /** With this sentence, a tool that normally writes at once needs an approval. The card shows the sentence as the reason. */
  readonly approvalBecause?: string | undefined;
}

/** The session of a call, with the clients of other domains. `needs` is undefined for a domain without needs. */
export interface NeedingSession extends CallSession {
  readonly needs?: NeedSession | undefined;
}

/** A call in the pipeline. The stages add properties to this object; each type lists what exists after a stage. */
export interface Call {
  readonly runtime: Runtime;
  readonly request: CallRequest;
  /** The value of `performance.now()` at the beginning of the call. */
  readonly started: number;
  /** Undefined when no tool has the requested name. */
  readonly tool: Tool | undefined;
}
export interface KnownCall<T extends Tool = Tool> extends Call {
  readonly tool: T;
}
/** The caller may use the tool. */
export interface AuthorizedCall<T extends Tool = Tool> extends KnownCall<T> {
  readonly session: NeedingSession;
}
export interface ParsedCall<T extends Tool = Tool> extends AuthorizedCall<T> {
  readonly input: Input;
  readonly now: Date;
}
export interface ReadyCall<T extends Tool = Tool> extends ParsedCall<T> {
  readonly store: Store<StoreKind>;
}
