/** Resources, prompts and completion, as the SDK serves them to clients of every revision. */
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
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Answer } from '../../core/answer.ts';
import type { Caller } from '../../core/caller.ts';
import type { ErrorAnswer } from '../../core/errors.ts';
import type { Notice } from '../../core/resources.ts';
import type { Exchange } from './exchange.ts';
import { clientName } from './fast-path.ts';
import type { ToolCall } from './options.ts';
import type { Subscriptions } from './subscriptions.ts';

export type ResourceCall = Pick<ToolCall, 'caller' | 'servers' | 'requestId' | 'signal' | 'clientName'>;
type Servers = ReadonlySet<string> | undefined;
export type Reference = { readonly type: 'ref/prompt'; readonly name: string } | { readonly type: 'ref/resource'; readonly uri: string };

/** What is offered beside tools. Whoever asks, each call goes through the same checks as a tool's. */
export interface McpResources {
  readonly capabilities: ServerCapabilities;
  resources(caller: Caller, servers: Servers): readonly object[];
  templates(caller: Caller, servers: Servers): readonly object[];
  prompts(caller: Caller, servers: Servers): readonly object[];
  /** `data` is the text itself, or what is to be read as JSON. */
  read(uri: string, call: ResourceCall): Promise<{ readonly answer: Answer; readonly mimeType: string }>;
  prompt(
    name: string,
    given: Readonly<Record<string, string>>,
    call: ResourceCall,
  ): Promise<{ readonly answer: Answer; readonly description: string }>;
  complete(reference: Reference, argument: { readonly name: string; readonly value: string }, call: ResourceCall): Promise<Answer>;
  /** May the caller hear of it? `data` is the transaction after which they do. */
  subscribe(uri: string, call: ResourceCall): Promise<{ readonly answer: Answer; readonly server: string; readonly uri: string }>;
  unsubscribe(uri: string, call: ResourceCall): Promise<{ readonly answer: Answer; readonly uri: string }>;
  /** What the next transactions changed; waits for one. Throws a Failure when the caller may not hear of it any more. */
  changes(server: string, caller: Caller, after: number): Promise<readonly Notice[]>;
}

/** The union is the error's data: a stable code, and whether trying again can help. */
export const refusal = (answer: ErrorAnswer): ProtocolError =>
  new ProtocolError(answer.retryable ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams, answer.message, answer);

function dataOf(answer: Answer): unknown {
  if (answer.status === 'success') return answer.data;
  if (answer.status === 'error') throw refusal(answer);
  throw new Error('what only reads asked for an approval');
}

export interface Installing {
  readonly mcpResources: McpResources;
  readonly subscriptions: Subscriptions;
  readonly exchangeOf: (context: ServerContext) => Exchange;
  readonly guarded: <T>(context: ServerContext, run: () => T | Promise<T>) => Promise<T>;
}

export function installResources(server: Server, { mcpResources, subscriptions, exchangeOf, guarded }: Installing): void {
  const { capabilities } = mcpResources;
  const asking = (context: ServerContext): Exchange => {
    const exchange = exchangeOf(context);
    exchange.clientName ??= clientName(server.getClientVersion());
    context.mcpReq.signal.addEventListener('abort', () => exchange.cancel(), { once: true });
    return exchange;
  };
  /** All there is fits on one page: we never give a cursor out, so none can be right. */
  const whole = (params: { readonly cursor?: string | undefined } | undefined) => {
    if (params?.cursor !== undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  };
  const listed = (context: ServerContext, params: { readonly cursor?: string | undefined } | undefined) => {
    whole(params);
    return exchangeOf(context);
  };

  if (capabilities.resources !== undefined) {
    server.setRequestHandler('resources/list', ({ params }, context) =>
      guarded(context, () => {
        const { caller, servers } = listed(context, params);
        return { resources: mcpResources.resources(caller, servers) as ListResourcesResult['resources'] };
      }),
    );
    server.setRequestHandler('resources/templates/list', ({ params }, context) =>
      guarded(context, () => {
        const { caller, servers } = listed(context, params);
        return { resourceTemplates: mcpResources.templates(caller, servers) as ListResourceTemplatesResult['resourceTemplates'] };
      }),
    );
    server.setRequestHandler('resources/read', ({ params }, context) =>
      guarded(context, async (): Promise<ReadResourceResult> => {
        const exchange = asking(context);
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
        await subscriptions.add(params.uri, asking(context));
        return {};
      }),
    );
    server.setRequestHandler('resources/unsubscribe', ({ params }, context) =>
      guarded(context, async () => {
        await subscriptions.remove(params.uri, asking(context));
        return {};
      }),
    );
  }
  if (capabilities.prompts !== undefined) {
    server.setRequestHandler('prompts/list', ({ params }, context) =>
      guarded(context, () => {
        const { caller, servers } = listed(context, params);
        return { prompts: mcpResources.prompts(caller, servers) as ListPromptsResult['prompts'] };
      }),
    );
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      guarded(context, async (): Promise<GetPromptResult> => {
        const { answer, description } = await mcpResources.prompt(params.name, params.arguments ?? {}, asking(context));
        return { description, messages: [{ role: 'user', content: { type: 'text', text: dataOf(answer) as string } }] };
      }),
    );
  }
  if (capabilities.completions !== undefined) {
    server.setRequestHandler('completion/complete', ({ params }, context) =>
      guarded(context, async (): Promise<CompleteResult> => {
        const values = dataOf(await mcpResources.complete(params.ref, params.argument, asking(context))) as string[];
        return { completion: { values, hasMore: false } };
      }),
    );
  }
}
