/** A client for a running Tamshai server. It signs the tokens of people with the keys of the server. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Dispatcher, request } from 'undici';
import type { Answer, CancelledAnswer, PendingAnswer } from '../declare/answer.ts';
import type { Clock } from '../engine/ports.ts';
import type { Persona } from '../declare/sample.ts';
import type { Keys } from '../identity/keys.ts';
import { mintToken } from '../identity/mint.ts';

export interface Reply<T = Answer> {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
  /** The parsed body; undefined if the body is not a JSON object. */
  readonly body: T;
}

export interface TokenOptions {
  readonly mcp?: boolean;
  /** The domain server that the token is for; by default the gateway. */
  readonly server?: string;
  readonly approve?: true | string;
  readonly roles?: readonly string[];
}

export interface Sending {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly server?: string | undefined;
}

/** A tools/call result as received. */
export interface CallResult {
  readonly content: readonly {
    readonly type: string;
    readonly text?: string;
    readonly resource?: { readonly uri: string; readonly mimeType: string; readonly text: string };
  }[];
  readonly structuredContent: Answer;
  readonly isError?: true;
  readonly _meta: { readonly requestId: string };
}
export interface RpcReply<T = CallResult> extends Omit<Reply, 'body'> {
  readonly result: T | undefined;
  readonly error: { readonly code: number; readonly message: string } | undefined;
}
export interface RpcOptions {
  readonly server?: string | undefined;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  /** The message as text, if JSON.stringify cannot create it. */
  readonly raw?: string | Buffer;
}

export interface TestClient {
  readonly clock: Clock;
  address(server?: string): string;
  token(user: string, options?: TokenOptions): Promise<string>;
  send<T = Answer>(method: string, path: string, options?: Sending): Promise<Reply<T>>;
  rest(user: string, server: string, tool: string, input?: unknown, options?: TokenOptions): Promise<Reply>;
  direct(user: string, server: string, tool: string, input?: unknown, options?: TokenOptions): Promise<Reply>;
  ask(user: string, server: string, tool: string, input: unknown): Promise<PendingAnswer>;
  decide(user: string, id: string, approved: boolean): Promise<Reply<Answer | CancelledAnswer>>;
  /** Returns an MCP client of this person for the gateway or one server. */
  mcp(user: string, options?: TokenOptions & { era?: 'modern' | 'legacy'; query?: string }): Promise<Client>;
  /** Sends one message of MCP revision 2026-07-28 without a client library. */
  rpc<T = CallResult>(token: string, method: string, params?: object, options?: RpcOptions): Promise<RpcReply<T>>;
  /** Closes the MCP clients that `mcp` opened. */
  leave(): Promise<void>;
}

export interface TestClientOptions {
  /** The address of the gateway, which is also the audience of its tokens. */
  readonly base: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly keys: Keys;
  /** The people whose names the methods accept. */
  readonly people: readonly Persona[];
  readonly clock?: Clock;
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'contract', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function connectTestClient({ base, ports, keys, people, clock = { now: () => new Date() } }: TestClientOptions): TestClient {
  const persona = (user: string): Persona => {
    const found = people.find(({ username }) => username === user);
    if (!found) throw new RangeError(`There is no sample person called ${user}.`);
    return found;
  };
  const address = (server = 'gateway') => `http://localhost:${ports[server]}`;
  // Every gateway accepts the audience `base`. A domain server accepts only its own address.
  const audience = (server = 'gateway') => (server === 'gateway' ? base : address(server));
  const clients: Client[] = [];
  const client: TestClient = {
    clock,
    address,
    token: (user, { mcp = false, server, approve, roles } = {}) =>
      mintToken(keys, persona(user), { base, audience: `${audience(server)}/${mcp ? 'mcp' : 'api'}`, approve, roles, clock }),
    async send<T>(method: string, path: string, { token, body, raw, headers = {}, server }: Sending = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const response = await request(address(server) + path, {
        method: method as Dispatcher.HttpMethod,
        body: payload ?? null,
        headers: {
          ...(payload !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...headers,
        },
      });
      const text = await response.body.text();
      return {
        status: response.statusCode,
        headers: response.headers,
        text,
        body: (text.startsWith('{') ? JSON.parse(text) : undefined) as T,
      };
    },
    rest: async (user, server, tool, input = {}, options = {}) =>
      client.send('POST', `/api/tools/${server}/${tool}`, { token: await client.token(user, options), body: input }),
    direct: async (user, server, tool, input = {}, options = {}) =>
      client.send('POST', `/tools/${tool}`, { token: await client.token(user, { ...options, server }), body: input, server }),
    async ask(user, server, tool, input) {
      const { body } = await client.rest(user, server, tool, input);
      if (body.status !== 'pending_confirmation') throw new Error(`${tool}: ${JSON.stringify(body)}`);
      return body;
    },
    decide: async (user, id, approved) =>
      client.send('POST', `/api/confirm/${id}`, { token: await client.token(user, { approve: true }), body: { approved } }),
    async mcp(user, { era = 'modern', query = '', ...options } = {}) {
      const token = await client.token(user, { ...options, mcp: true });
      const connected = new Client({ name: 'contract', version: '1' }, era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {});
      await connected.connect(
        new StreamableHTTPClientTransport(new URL(`${address(options.server)}/mcp${query}`), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        }),
      );
      clients.push(connected);
      return connected;
    },
    async rpc<T>(token: string, method: string, params: object = {}, { server, query = '', headers = {}, raw }: RpcOptions = {}) {
      const { name } = params as { name?: string };
      const message = raw ?? JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } });
      const reply = await client.send<{ result?: T; error?: { code: number; message: string } }>('POST', `/mcp${query}`, {
        token,
        server,
        raw: message,
        headers: {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(name !== undefined && { 'mcp-name': name }),
          ...headers,
        },
      });
      return { ...reply, result: reply.body?.result, error: reply.body?.error };
    },
    async leave() {
      await Promise.all(clients.splice(0).map((each) => each.close()));
    },
  };
  return client;
}
