import type { IncomingMessage } from 'node:http';
import type { Server, ServerCapabilities, ServerContext } from '@modelcontextprotocol/server';
import type { Answer } from '../../core/answer.ts';
import type { Caller } from '../../core/caller.ts';
import type { Failure } from '../../core/errors.ts';
import type { Clock, KeyValue, Logger } from '../../core/ports.ts';
import type { Guard } from '../guard.ts';
import type { Exchange } from './exchange.ts';
import type { McpResources } from './mcp-resources.ts';
import type { TicketView, ToolCall, ToolListing } from './tool-call.ts';

/** All that the endpoint has to be told. Business rules stay behind these functions. */
export interface McpOptions {
  readonly serverInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly instructions?: string | undefined;
  readonly guard: Guard;
  /** Throws a Failure; answers at once where the token is known already. */
  authenticate(req: IncomingMessage): Caller | Promise<Caller>;
  /** The value of WWW-Authenticate beside a 401. */
  challenge(req: IncomingMessage): string;
  /** Called again at each heartbeat of an open stream: throws when the token is no longer good, and the stream closes. */
  recheck(caller: Caller): Promise<void>;
  /** Which servers `?servers=` names; throws VALIDATION_ERROR for an unknown or empty name. Asked only where there is a query. */
  select(url: URL): ReadonlySet<string> | undefined;
  list(caller: Caller, servers: ReadonlySet<string> | undefined): ToolListing;
  /** Undefined means that there is no such tool for this caller, and is said before anything happens. */
  call(call: ToolCall): Promise<Answer> | undefined;
  /**
   * Records a request that was refused before a tool was called, with the tool's name as far as it is known. What it returns is answered.
   */
  refused?(
    exchange: Pick<ToolCall, 'caller' | 'clientName' | 'requestId'>,
    refused: Failure,
    about: { readonly name: string | undefined; readonly bytes: number },
  ): Promise<Failure>;
  /** One line for a person to read. */
  describe(tool: string, answer: Answer, args: unknown): string;
  /** What is embedded in place of the whole answer, and under which address. */
  embed?(tool: string, answer: Answer, args: unknown): { readonly uri: string; readonly json: string } | undefined;
  /** Where the caller's own ticket stands. */
  ticket(confirmationId: string, caller: Caller): Promise<TicketView>;
  /** At least 32 bytes, the same for all replicas: vouches for the sessions and request states that clients bring back. */
  readonly stateKey: Uint8Array;
  /** What every replica must know: what sessions are subscribed to, and how much each person holds open. */
  readonly kept: KeyValue;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: Partial<McpLimits> | undefined;
  /** Resources, prompts, completion. */
  readonly mcpResources?: McpResources | undefined;
  /** Whatever else the server answers. */
  readonly features?: readonly McpFeature[] | undefined;
  /** Off only to compare answers with those of the SDK alone. */
  readonly fastPath?: boolean | undefined;
}

export interface McpLimits {
  readonly sessionsPerPerson: number;
  readonly sessionIdleMs: number;
  readonly maxSessions: number;
  readonly streamsPerPerson: number;
  readonly subscriptionsPerPerson: number;
  readonly heartbeatMs: number;
  /** How long an elicitation may stay open in a 2025 client, and a sealed request state be brought back. */
  readonly approvalMs: number;
  /** After the client says that the page was opened: how long to wait for the decision before answering "still pending". */
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
  /** Sets handlers on a server of the SDK; `exchangeOf` tells a handler who asks. */
  install(server: Server, exchangeOf: (context: ServerContext) => Exchange): void;
}
