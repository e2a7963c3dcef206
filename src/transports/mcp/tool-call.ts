/** The types that the MCP endpoint and the gateway share: tool call, tool listing and state of a ticket. */
import type { Answer, PendingAnswer } from '../../declare/answer.ts';
import type { Caller } from '../../engine/caller.ts';

export interface ToolListing {
  /** The JSON text `"tools":[…]` of the result, created once for each set of roles. */
  readonly bytes: Buffer;
  readonly tools: readonly object[];
  /** Members of `_meta` as JSON text without braces. */
  readonly meta?: string | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  readonly caller: Caller;
  readonly servers: ReadonlySet<string> | undefined;
  readonly requestId: string;
  /** Aborted when the client disconnects or cancels the request. */
  readonly signal: AbortSignal;
  readonly clientName: string | undefined;
}

export type TicketView =
  | { readonly state: 'waiting' | 'executing'; readonly answer: PendingAnswer }
  | { readonly state: 'done' | 'failed'; readonly answer: Answer }
  | { readonly state: 'denied' | 'expired' | 'unknown' };
