/** A common interface for the MCP clients of both SDK generations: resources, prompts and subscriptions. */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Notice } from '../../src/declare/resources.ts';

export type Listed = Record<string, unknown> & { _meta?: Record<string, unknown> };
export interface AnyClient {
  readonly version: string | undefined;
  readonly capabilities: Record<string, unknown>;
  resources(): Promise<Listed[]>;
  templates(): Promise<Listed[]>;
  read(uri: string): Promise<{ uri: string; mimeType?: string | undefined; text: string }>;
  prompts(): Promise<Listed[]>;
  prompt(name: string, given: Record<string, string>): Promise<string>;
  complete(
    ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
    name: string,
    value: string,
  ): Promise<string[]>;
  /** Resolves when the server has acknowledged the subscription. The returned function ends it. */
  subscribe(...uris: string[]): Promise<() => Promise<void>>;
  /** Subscribes, and subscribes again whenever the stream ends. Resolves at the first acknowledgement. */
  stay(uri: string): Promise<void>;
  /** All received notifications, in order. */
  readonly notices: Notice[];
  close(): Promise<void>;
}
/** A token, or a function that returns one, for clients that outlive a token. */
export type Token = string | (() => Promise<string>);
export type Connect = (url: string, token: Token) => Promise<AnyClient>;

const info = { name: 'resource test', version: '1' };
const withToken = (token: Token) =>
  typeof token === 'string'
    ? { requestInit: { headers: { authorization: `Bearer ${token}` } } }
    : {
        fetch: async (url: string | URL, init?: RequestInit) => {
          const headers = new Headers(init?.headers);
          headers.set('authorization', `Bearer ${await token()}`);
          return fetch(url, { ...init, headers });
        },
      };
const fast = {
  reconnectionOptions: { initialReconnectionDelay: 20, maxReconnectionDelay: 50, reconnectionDelayGrowFactor: 1, maxRetries: 100_000 },
};
const noticeOf = (params: unknown): Notice => {
  const { resource_uri, tx_id, change_type, changed_ids } = (params as { _meta: Notice })._meta;
  return { resource_uri, tx_id, change_type, changed_ids };
};
const textOf = (content: unknown) => (content as { text: string }).text;

/** Requests that are the same in both generations. */
const asked = (client: Client1 | Client2) => {
  const both = client as Client2;
  return {
    resources: async () => (await both.listResources()).resources as Listed[],
    templates: async () => (await both.listResourceTemplates()).resourceTemplates as Listed[],
    read: async (uri: string) => (await both.readResource({ uri })).contents[0] as { uri: string; text: string },
    prompts: async () => (await both.listPrompts()).prompts as unknown as Listed[],
    prompt: async (name: string, given: Record<string, string>) =>
      textOf((await both.getPrompt({ name, arguments: given })).messages[0]?.content),
    complete: async (ref: Parameters<AnyClient['complete']>[0], name: string, value: string) =>
      (await both.complete({ ref, argument: { name, value } })).completion.values,
    close: () => both.close(),
  };
};

export const sdk2 =
  (mode: 'auto' | 'legacy'): Connect =>
  async (url, token) => {
    const client = new Client2(info, { versionNegotiation: { mode } });
    await client.connect(new Http2(new URL(url), { ...withToken(token), ...fast }));
    const notices: Notice[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void notices.push(noticeOf(params)));
    return {
      version: client.getNegotiatedProtocolVersion(),
      capabilities: { ...client.getServerCapabilities() },
      ...asked(client),
      async subscribe(...uris) {
        if (mode === 'auto') {
          const heard = await client.listen({ resourceSubscriptions: uris });
          return () => heard.close();
        }
        for (const uri of uris) await client.subscribeResource({ uri });
        return async () => {
          for (const uri of uris) await client.unsubscribeResource({ uri });
        };
      },
      async stay(uri) {
        if (mode === 'legacy') return void (await client.subscribeResource({ uri }));
        const listen = async () => {
          const last = notices.at(-1)?.tx_id;
          const { closed } = await client.listen({ resourceSubscriptions: [last === undefined ? uri : `${uri}?after_tx_id=${last}`] });
          void closed.then((why) => (why === 'local' ? undefined : again()));
        };
        const again = async (): Promise<void> => {
          await new Promise((later) => setTimeout(later, 20));
          await listen().catch(again);
        };
        await listen();
      },
      notices,
    };
  };

export const sdk1: Connect = async (url, token) => {
  const client = new Client1(info);
  const transport = new Http1(new URL(url), { ...withToken(token), ...fast });
  await client.connect(transport as Parameters<Client1['connect']>[0]);
  const notices: Notice[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void notices.push(noticeOf(params)));
  return {
    version: transport.protocolVersion,
    capabilities: { ...client.getServerCapabilities() },
    ...asked(client),
    async subscribe(...uris) {
      for (const uri of uris) await client.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
    },
    stay: async (uri) => void (await client.subscribeResource({ uri })),
    notices,
  };
};

export const CLIENTS: readonly (readonly [string, Connect, string])[] = [
  ['SDK 2 on 2026-07-28', sdk2('auto'), '2026-07-28'],
  ['SDK 2 on 2025-11-25', sdk2('legacy'), '2025-11-25'],
  ['SDK 1 on 2025-11-25', sdk1, '2025-11-25'],
];

/** Polls until the condition holds or the test times out. */
export async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await so())) await new Promise((again) => setTimeout(again, 10));
}
