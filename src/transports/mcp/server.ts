/** The SDK server for requests that the fast path does not answer: tools, resources and prompts of every protocol revision. */
import {
  type AuthInfo,
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  mergeCapabilities,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Failure } from '../../declare/errors.ts';
import type { Approval } from './approval.ts';
import { clientName, LEGACY, MODERN, opensUrls, sessionOpensUrls } from './client-info.ts';
import { Exchange, callResult } from './exchange.ts';
import { installResources } from './resources.ts';
import type { McpOptions } from './options.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { ToolCall } from './tool-call.ts';

/** The SDK passes AuthInfo to its handlers. Here it contains the exchange, but no token. */
export const authInfoOf = (exchange: Exchange): AuthInfo => ({
  token: '',
  clientId: exchange.caller.token.client,
  scopes: [],
  extra: { exchange },
});

function exchangeOf({ http }: ServerContext): Exchange {
  const exchange = http?.authInfo?.extra?.exchange;
  if (!(exchange instanceof Exchange)) throw new Error('an SDK request has no exchange');
  return exchange;
}

export function capabilitiesOf({ features = [], mcpResources }: McpOptions): ServerCapabilities {
  const own: ServerCapabilities = { tools: {}, ...mcpResources?.capabilities };
  return features.reduce((all, { capabilities }) => mergeCapabilities(all, capabilities), own);
}

/** Serves one request of a 2026 client, or the whole session of a 2025 client. */
export function createSdkServer(options: McpOptions, approval: Approval, subscriptions: Subscriptions | undefined): Server {
  const { serverInfo, instructions, features = [], mcpResources } = options;
  const server = new Server(serverInfo, {
    capabilities: capabilitiesOf(options),
    supportedProtocolVersions: [...LEGACY],
    inputRequired: { legacyShim: false },
    ...(instructions && { instructions }),
  });
  server.setRequestHandler('tools/list', ({ params }, context) =>
    guarded(options, context, () => {
      // The list has only one page, so no cursor is valid.
      if (params?.cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
      const { caller, servers } = exchangeOf(context);
      const { tools, meta } = options.list(caller, servers);
      return { tools: tools as ListToolsResult['tools'], ...(meta && { _meta: JSON.parse(`{${meta}}`) as Record<string, unknown> }) };
    }),
  );
  server.setRequestHandler('tools/call', ({ params }, context) =>
    guarded(options, context, () => callTool({ options, approval, server }, { name: params.name, args: params.arguments ?? {} }, context)),
  );
  if (mcpResources !== undefined && subscriptions !== undefined) {
    installResources(server, { mcpResources, subscriptions, exchangeOf, guarded: (context, run) => guarded(options, context, run) });
  }
  for (const feature of features) feature.install(server, exchangeOf);
  return server;
}

interface Parts {
  readonly options: McpOptions;
  readonly approval: Approval;
  readonly server: Server;
}

async function callTool(
  { options, approval, server }: Parts,
  { name, args }: Pick<ToolCall, 'name' | 'args'>,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const exchange = exchangeOf(context);
  const modern = server.getNegotiatedProtocolVersion() === MODERN;
  exchange.clientName ??= clientName(server.getClientVersion());
  context.mcpReq.signal.addEventListener('abort', () => exchange.cancel(), { once: true });

  const sealed = modern ? context.mcpReq.requestState<unknown>() : undefined;
  if (typeof sealed === 'string') {
    const answer = await approval.resume(exchange, { name, args }, sealed);
    if (answer !== undefined) return callResult(options, exchange, answer);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' });
  }

  const answer = await exchange.perform(name, args);
  if (answer === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 100)}`);
  if (answer.status !== 'pending_confirmation') return callResult(options, exchange, answer);
  if (modern) return opensUrls(server.getClientCapabilities()) ? approval.request(exchange, answer) : callResult(options, exchange, answer);
  return callResult(options, exchange, sessionOpensUrls(server) ? await approval.elicit(exchange, answer, context) : answer);
}

/** Replaces unexpected errors, because the SDK sends the message of every error to the client. */
async function guarded<T>({ log }: McpOptions, context: ServerContext, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    if (thrown instanceof Failure) throw new ProtocolError(ProtocolErrorCode.InternalError, thrown.message, thrown.answer());
    log.error({ requestId: exchangeOf(context).requestId, error: thrown }, 'MCP request failed unexpectedly');
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong on our side.');
  }
}
