/** The MCP endpoints: the gateway's for all servers, and each domain server's own. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../engine/caller.ts';
import type { ConfirmationView } from '../engine/approvals/decisions.ts';
import { describeAnswer, embeddedAnswer } from '../derive/mcp.ts';
import { createQualifier } from '../derive/qualify.ts';
import { Failure, failure } from '../declare/errors.ts';
import type { Clock, KeyValue, Logger } from '../engine/ports.ts';
import type { Registry } from '../engine/registry.ts';
import type { RecordRefused } from '../engine/audit/refused.ts';
import { isOurName, UNNAMED } from '../identity/claims.ts';
import type { Guard } from '../transports/request.ts';
import { type McpHandler, type McpOptions, createMcpTransport, type ToolCall } from '../transports/mcp/index.ts';
import { type Authenticate, counted, type OnUnauthenticated } from './access.ts';
import type { ToolBackend } from './backends.ts';
import { createListings, missingFrom } from './listing.ts';
import { createMcpResources } from './resources.ts';

export interface McpEndpointOptions {
  readonly registry: Registry;
  /** The one server to serve; undefined on the gateway, which serves all. */
  readonly only?: string | undefined;
  readonly version: string;
  /** The public URL of this endpoint. */
  readonly base: string;
  readonly backend: (server: string) => ToolBackend;
  readonly authenticate: Authenticate;
  /** Reloads the person. Throws if their sign-in is no longer valid. */
  readonly recheck: (caller: Caller) => Promise<Caller>;
  /** Holds subscriptions and concurrency limits. */
  readonly kept: KeyValue;
  readonly confirmation: (id: string, caller: Caller) => Promise<ConfirmationView>;
  readonly guard: Guard;
  readonly stateKey: Uint8Array;
  readonly clock: Clock;
  readonly log: Logger;
  readonly onUnauthenticated: OnUnauthenticated;
  /** Records a call that was refused before its body was read. */
  readonly recordRefused: RecordRefused;
}

const INSTRUCTIONS =
  'Business data of the company the user works for, as far as this user may see it. Lists hold at most 50 rows: when ' +
  'metadata.hasMore is true, say that the result is incomplete, ' +
  'and narrow it or ask for the next page with the cursor. A tool that changes something answers success if the change is done, ' +
  'or pending_confirmation if a person has to approve it: nothing has changed then; give the user the link and never claim that ' +
  'it is done.';

export function createMcpEndpoint(options: McpEndpointOptions): McpHandler {
  const { registry, only, backend } = options;
  const { for: listFor, find } = createListings(registry, only);
  const names = new Set(registry.domains.map(({ name }) => name));
  const qualifier = only === undefined ? createQualifier(registry) : undefined;
  const domain = registry.domains.find(({ name }) => name === only);
  const surface = only === undefined ? 'mcp' : 'direct';
  const here = only ?? 'gateway';
  /** Calls of unknown tools that are already recorded, because the fast path and the SDK both report such a call. */
  const unknown = new WeakSet<ToolCall>();

  const callerOf = ({ caller, clientName }: Pick<ToolCall, 'caller' | 'clientName'>): Caller => ({
    ...caller,
    origin: programOf(clientName, caller.origin),
  });

  const wired: McpOptions = {
    serverInfo: {
      name: only === undefined ? 'tamshai' : `tamshai-${only}`,
      title: domain ? `Tamshai: ${domain.title}` : 'Tamshai',
      version: options.version,
    },
    instructions: INSTRUCTIONS,
    guard: options.guard,
    authenticate: (req) => {
      // The verifier returns the caller of a cached token synchronously, without a promise.
      const caller = options.authenticate(req);
      return caller instanceof Promise ? counted(req, options.onUnauthenticated, () => caller) : caller;
    },
    challenge: (req) => `Bearer resource_metadata="${originOf(req, options.base)}/.well-known/oauth-protected-resource/mcp"`,
    recheck: async (caller) => void (await options.recheck(caller)),
    select: (url) => selected(url, names, only),
    list: (caller, servers) => {
      const listing = listFor(caller.person, servers);
      const missing = missingFrom(registry, backend, listing.servers);
      return missing.length === 0 ? listing : { ...listing, meta: `"tamshai/unavailable":${JSON.stringify(missing)}` };
    },
    call(call) {
      const tool = find(call.name);
      const caller = callerOf(call);
      if (!tool || (call.servers !== undefined && !call.servers.has(tool.domain.name))) {
        if (!unknown.has(call))
          void backend(here).call({ server: here, tool: call.name, input: call.args, caller, surface, requestId: call.requestId });
        unknown.add(call);
        return undefined;
      }
      const server = tool.domain.name;
      const answer = backend(server).call({
        server,
        tool: tool.name,
        input: call.args,
        caller,
        surface,
        requestId: call.requestId,
        get signal() {
          return call.signal;
        },
      });
      return qualifier ? answer.then((each) => qualifier.answer(each, server)) : answer;
    },
    refused(exchange, refused, { name, bytes }) {
      const tool = name === undefined ? undefined : find(name);
      const about = tool === undefined ? { server: here, tool: name ?? 'tools/call' } : { server: tool.domain.name, tool: tool.name };
      const request = { ...about, caller: callerOf(exchange), surface, requestId: exchange.requestId, body: { bytes } } as const;
      return options.recordRefused(request, refused);
    },
    describe: (name, answer, asked) => describeAnswer(find(name), answer, asked),
    embed: (name, answer, asked) => embeddedAnswer(find(name), answer, asked),
    async ticket(id, caller) {
      const view = await options.confirmation(id, caller).catch((error: unknown) => {
        if (error instanceof Failure && !error.retryable) return undefined;
        throw error;
      });
      if (view === undefined) return { state: 'unknown' };
      const { state, confirmationId, message, confirmationData, result, error } = view;
      if (state === 'waiting' || state === 'executing')
        return { state, answer: { status: 'pending_confirmation', confirmationId, message, confirmationData } };
      const answer = result ?? error;
      return (state === 'done' || state === 'failed') && answer ? { state, answer } : { state: state === 'denied' ? 'denied' : 'expired' };
    },
    mcpResources: createMcpResources({ registry, only, backend, callerOf, recheck: options.recheck }),
    kept: options.kept,
    stateKey: options.stateKey,
    clock: options.clock,
    log: options.log,
  };
  return createMcpTransport(wired);
}

/** Returns the stated name of the client, or its registered name. Skips names of our own programs, so that no client can imitate them. */
const programOf = (said: string | undefined, registered: string): string =>
  [said, registered].find((name) => name !== undefined && !isOurName(name)) ?? UNNAMED;

/** The origin that the client used. Behind a TLS proxy the request is plain HTTP, so `base` decides the scheme. */
export function originOf(req: IncomingMessage, base: string): string {
  const { host = '' } = req.headers;
  return new URL(base).host === host ? new URL(base).origin : `http://${host}`;
}

function selected(url: URL, names: ReadonlySet<string>, only: string | undefined): ReadonlySet<string> | undefined {
  const given = url.searchParams.getAll('servers');
  if (given.length === 0) return undefined;
  const chosen = given
    .join(',')
    .split(',')
    .map((name) => name.trim());
  const unknown = chosen.find((name) => !names.has(name) || (only !== undefined && name !== only));
  if (unknown !== undefined)
    throw failure('VALIDATION_ERROR', `There is no server ${JSON.stringify(unknown.slice(0, 40))}.`, { servers: [...names] });
  return new Set(chosen);
}
