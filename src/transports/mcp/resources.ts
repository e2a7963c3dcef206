/** Installs the handlers for resources, prompts, completion and subscriptions on an SDK server. */
import {
  type CompleteResult,
  type GetPromptResult,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Answer } from '../../declare/answer.ts';
import type { Exchange } from './exchange.ts';
import { clientName } from './client-info.ts';
import type { McpResources } from './mcp-resources.ts';
import { refusal } from './protocol-error.ts';
import type { Subscriptions } from './subscriptions.ts';

function dataOf(answer: Answer): unknown {
  if (answer.status === 'success') return answer.data;
  if (answer.status === 'error') throw refusal(answer);
  throw new Error('a resource or prompt returned pending_confirmation');
}

export interface InstallOptions {
  readonly mcpResources: McpResources;
  readonly subscriptions: Subscriptions;
  readonly exchangeOf: (context: ServerContext) => Exchange;
  readonly guarded: <T>(context: ServerContext, run: () => T | Promise<T>) => Promise<T>;
}

export function installResources(server: Server, { mcpResources, subscriptions, exchangeOf, guarded }: InstallOptions): void {
  const { capabilities } = mcpResources;
  const beginRequest = (context: ServerContext): Exchange => {
    const exchange = exchangeOf(context);
    exchange.clientName ??= clientName(server.getClientVersion());
    context.mcpReq.signal.addEventListener('abort', () => exchange.cancel(), { once: true });
    return exchange;
  };
  /** Each list has only one page, so no cursor is valid. */
  const refuseCursor = (params: { readonly cursor?: string | undefined } | undefined) => {
    if (params?.cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  };
  const listRequest = (context: ServerContext, params: { readonly cursor?: string | undefined } | undefined) => {
    refuseCursor(params);
    return exchangeOf(context);
  };

  if (capabilities.resources !== undefined) {
    server.setRequestHandler('resources/list', ({ params }, context) =>
      guarded(context, () => {
        const { caller, servers } = listRequest(context, params);
        return { resources: mcpResources.resources(caller, servers) as ListResourcesResult['resources'] };
      }),
    );
    server.setRequestHandler('resources/templates/list', ({ params }, context) =>
      guarded(context, () => {
        const { caller, servers } = listRequest(context, params);
        return { resourceTemplates: mcpResources.templates(caller, servers) as ListResourceTemplatesResult['resourceTemplates'] };
      }),
    );
    server.setRequestHandler('resources/read', ({ params }, context) =>
      guarded(context, async (): Promise<ReadResourceResult> => {
        const exchange = beginRequest(context);
        const { answer, mimeType } = await mcpResources.read(params.uri, exchange);
        const data = dataOf(answer);
        const text = typeof data === 'string' ? data : JSON.stringify(data);
        return { contents: [{ uri: params.uri, mimeType, text }], _meta: { requestId: exchange.requestId } };
      }),
    );
  }
  if (capabilities.resources?.subscribe) {
    server.setRequestHandler('resources/subscribe', ({ params }, context) =>
      guarded(context, async () => {
        await subscriptions.add(params.uri, beginRequest(context));
        return {};
      }),
    );
    server.setRequestHandler('resources/unsubscribe', ({ params }, context) =>
      guarded(context, async () => {
        await subscriptions.remove(params.uri, beginRequest(context));
        return {};
      }),
    );
  }
  if (capabilities.prompts !== undefined) {
    server.setRequestHandler('prompts/list', ({ params }, context) =>
      guarded(context, () => {
        const { caller, servers } = listRequest(context, params);
        return { prompts: mcpResources.prompts(caller, servers) as ListPromptsResult['prompts'] };
      }),
    );
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      guarded(context, async (): Promise<GetPromptResult> => {
        const { answer, description } = await mcpResources.prompt(params.name, params.arguments ?? {}, beginRequest(context));
        return { description, messages: [{ role: 'user', content: { type: 'text', text: dataOf(answer) as string } }] };
      }),
    );
  }
  if (capabilities.completions !== undefined) {
    server.setRequestHandler('completion/complete', ({ params }, context) =>
      guarded(context, async (): Promise<CompleteResult> => {
        const values = dataOf(await mcpResources.complete(params.ref, params.argument, beginRequest(context))) as string[];
        return { completion: { values, hasMore: false } };
      }),
    );
  }
}
