/** The options and limits of the MCP endpoint. */
import type { IncomingMessage } from 'node:http';
import type { Server, ServerCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Answer } from '../../declare/answer.ts';
import type { Caller } from '../../engine/caller.ts';
import type { Failure } from '../../declare/errors.ts';
import type { Clock, KeyValue, Logger } from '../../engine/ports.ts';
import type { Guard } from '../request.ts';
import type { Exchange } from './exchange.ts';
import type { McpResources } from './mcp-resources.ts';
import type { TicketView, ToolCall, ToolListing } from './tool-call.ts';

/** All business rules are in these functions, not in the endpoint. */
export interface McpOptions {
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly instructions?: string | undefined;
  readonly guard: Guard;
  /** Throws a Failure if the sign-in is not valid. Returns a caller without a promise for a cached token. */
  authenticate(req: IncomingMessage): Caller | Promise<Caller>;
  /** The WWW-Authenticate header of a 401. */
  challenge(req: IncomingMessage): string;
  /** Called at each heartbeat of an open stream. Throws if the token is no longer valid, which closes the stream. */
  recheck(caller: Caller): Promise<void>;
  /** The servers in `?servers=`. Called only if the URL has a query. Throws VALIDATION_ERROR for unknown names. */
  select(url: URL): ReadonlySet<string> | undefined;
  list(caller: Caller, servers: ReadonlySet<string> | undefined): ToolListing;
  /** Returns undefined, not a promise, if the caller has no such tool. */
  call(call: ToolCall): Promise<Answer> | undefined;
  /** Records a request that was refused before a tool was called. Resolves to the failure to send. */
  refused?(
    exchange: Pick<ToolCall, 'caller' | 'clientName' | 'requestId'>,
    refused: Failure,
    about: { readonly name: string | undefined; readonly bytes: number },
  ): Promise<Failure>;
  /** Describes the answer in one line of text for people. */
  describe(tool: string, answer: Answer, args: unknown): string;
  /** Returns the resource that the result embeds. If undefined, the result embeds the whole answer. */
  embed?(tool: string, answer: Answer, args: unknown): { readonly uri: string; readonly json: string } | undefined;
  /** The state of the caller's own ticket. */
  ticket(confirmationId: string, caller: Caller): Promise<TicketView>;
  /** The key for session ids and request states: at least 32 bytes, the same on all replicas. */
  readonly stateKey: Uint8Array;
  /** The store that all replicas share. It has the subscriptions of sessions and the concurrency limits of people. */
  readonly kept: KeyValue;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<McpLimits> | undefined;
  /** Resources, prompts, completion. */
  readonly mcpResources?: McpResources | undefined;
  /** Further request handlers. */
  readonly features?: readonly McpFeature[] | undefined;
  /** The default is true. Only the tests that compare the fast path with the SDK set false. */
  readonly fastPath?: boolean | undefined;
}

export interface McpLimits {
  readonly sessionsPerPerson: number;
  readonly sessionIdleMs: number;
  readonly maxSessions: number;
  readonly streamsPerPerson: number;
  readonly subscriptionsPerPerson: number;
  readonly heartbeatMs: number;
  /** How long an elicitation of a 2025 client stays open, and how long a request state is valid. */
  readonly approvalMs: number;
  /** How long a call waits for the decision after the client has shown the page. */
  readonly settleMs: number;
}

export const MCP_LIMITS: McpLimits = {
  sessionsPerPerson: 8,
  sessionIdleMs: 15 * 60_000,
  maxSessions: 2_000,
  streamsPerPerson: 6,
  subscriptionsPerPerson: 8,
  heartbeatMs: 10_000,
  approvalMs: 300_000,
  settleMs: 0,
};

export interface McpFeature {
  readonly capabilities: ServerCapabilities;
  /** Sets handlers on an SDK server. `exchangeOf` returns the exchange of a handler's request. */
  install(server: Server, exchangeOf: (context: ServerContext) => Exchange): void;
}
