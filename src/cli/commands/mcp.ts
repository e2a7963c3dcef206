/** `tamshai mcp`: an MCP bridge for desktop clients, which relays messages between standard input and output and the gateway. */
import { setTimeout } from 'node:timers/promises';
import { type JSONRPCMessage, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { type ClientConfig, readClientConfig } from '../../server/instances.ts';
import { unanswered } from './client.ts';
import { didYouMean } from './nearest.ts';
import { type Acting, actAs, required } from './person.ts';
import { requireServer } from './servers.ts';
import { EXIT, Stop } from './stop.ts';
import { builtIn } from '../registry.ts';

const RENEW_AFTER_MS = 4 * 60_000;
const INITIALIZE_MS = 10_000;
/** A call takes at most ten seconds. The other five seconds are for the network. */
const LAST_ANSWERS_MS = 15_000;
/** The client id of the bridge. Tokens for this client cannot approve. */
const CLIENT = 'tamshai-stdio';
const MODERN_VERSION = 'io.modelcontextprotocol/protocolVersion';

type Sending = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;
type Id = string | number;
type Fields = Readonly<Record<string, unknown>>;
interface Facts {
  readonly id?: Id | undefined;
  readonly method?: string | undefined;
  readonly params?: Fields | undefined;
  readonly result?: Fields | undefined;
}
const factsOf = (message: JSONRPCMessage) => message as Facts;
const versionIn = (message: JSONRPCMessage) => {
  const version = factsOf(message).result?.['protocolVersion'];
  return typeof version === 'string' ? version : undefined;
};

export async function mcp(options: { as?: string; servers?: string }): Promise<number> {
  const { servers } = options;
  const config = readClientConfig();
  const as = required(options.as, 'uses it', config);
  const acting = actAs(config, as);
  const url = new URL(`${acting.base}/mcp`);
  if (servers !== undefined) {
    for (const name of servers.split(',')) refuseMisspelt(name.trim(), config);
    url.searchParams.set('servers', servers);
  }
  process.stderr.write(`tamshai mcp: ${acting.persona.name} (${as}) at ${acting.base}\n`);
  const client = new StdioServerTransport();
  // Writes to standard output directly, because the transport closes with the input while requests may still be pending.
  const pump = new Pump(url, acting, async (message) => void process.stdout.write(`${JSON.stringify(message)}\n`));
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  client.onmessage = (message) => void pump.forward(message);
  client.onerror = () => process.stderr.write('tamshai mcp: a message from the client could not be read.\n');
  let hurry = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      hurry = true;
      void client.close();
    });
  await pump.start();
  await client.start();
  await closed;
  if (!hurry) await pump.answered();
  await pump.close();
  return EXIT.ok;
}

/** The gateway would report an unknown server only when a client connects. */
function refuseMisspelt(name: string, { portOf }: ClientConfig): void {
  const known = builtIn.domains.map((domain) => domain.name);
  if (portOf(name) === undefined && didYouMean(name, known) !== '') requireServer(name, known);
}

class Pump {
  readonly #url: URL;
  readonly #acting: Acting;
  readonly #deliver: (message: JSONRPCMessage) => Promise<void>;
  #gateway: StreamableHTTPClientTransport;
  #token: { readonly value: string; readonly at: number } | undefined;
  /** The initialize request of an older client, which is sent again if the gateway has lost the session. */
  #initialize: JSONRPCMessage | undefined;
  #reconnecting: Promise<void> | undefined;
  /** Resolves when the gateway has answered the initialize request and the session exists. */
  #initialized: Promise<void> | undefined;
  #markInitialized: () => void = () => {};
  readonly #waiting = new Set<Id>();
  readonly #running = new Map<Id, AbortController>();

  constructor(url: URL, acting: Acting, deliver: (message: JSONRPCMessage) => Promise<void>) {
    this.#url = url;
    this.#acting = acting;
    this.#deliver = deliver;
    this.#gateway = this.#connect((message) => void this.#receive(message));
  }

  start(): Promise<void> {
    return this.#gateway.start();
  }

  async forward(message: JSONRPCMessage): Promise<void> {
    const { id, method, params } = factsOf(message);
    if (method === 'initialize') {
      this.#initialize = message;
      this.#initialized = new Promise((resolve) => (this.#markInitialized = resolve));
    }
    // Protocol 2026-07-28 has no cancel message over HTTP. Closing the HTTP request cancels the call.
    const cancelled = method === 'notifications/cancelled' ? this.#running.get(params?.['requestId'] as Id) : undefined;
    if (cancelled !== undefined) return cancelled.abort();
    const isRequest = id !== undefined && method !== undefined;
    const isModern = (params?.['_meta'] as Fields | undefined)?.[MODERN_VERSION] !== undefined;
    if (!isRequest)
      return this.#send(message, {}).catch((error: unknown) => void process.stderr.write(`tamshai mcp: ${this.#problem(error).message}\n`));
    const controller = new AbortController();
    this.#waiting.add(id);
    if (isModern) this.#running.set(id, controller);
    const failed = async (error: unknown) => {
      this.#running.delete(id);
      this.#markInitialized();
      // A request gets exactly one answer. A cancelled request gets none.
      if (this.#waiting.delete(id) && !controller.signal.aborted) await this.#deliver({ jsonrpc: '2.0', id, error: this.#problem(error) });
    };
    const onRequestStreamEnd = () => void failed(undefined);
    await this.#send(message, { onRequestStreamEnd, ...(isModern && { requestSignal: controller.signal }) }).catch(failed);
  }

  async answered(): Promise<void> {
    for (const until = performance.now() + LAST_ANSWERS_MS; this.#waiting.size > 0 && performance.now() < until; ) await setTimeout(20);
  }

  async close(): Promise<void> {
    await this.#gateway.terminateSession().catch(() => {});
    await this.#gateway.close();
  }

  async #send(message: JSONRPCMessage, options: Sending): Promise<void> {
    if (factsOf(message).method !== 'initialize') await this.#initialized;
    await this.#reconnecting;
    const { sessionId } = this.#gateway;
    try {
      await this.#gateway.send(message, options);
    } catch (error) {
      const forgotten =
        error instanceof SdkHttpError && error.status === 404 && sessionId !== undefined && factsOf(message).method !== 'initialize';
      if (!forgotten || this.#initialize === undefined) throw error;
      // Several requests may find that the session is lost, but only one may open a new session.
      if (this.#gateway.sessionId === sessionId)
        this.#reconnecting ??= this.#reconnect(this.#initialize).finally(() => (this.#reconnecting = undefined));
      await this.#reconnecting;
      await this.#gateway.send(message, options);
    }
  }

  /** Opens a new session without telling the client. */
  async #reconnect(initialize: JSONRPCMessage): Promise<void> {
    const old = this.#gateway;
    let answered: (message: JSONRPCMessage) => void = () => {};
    const answer = new Promise<JSONRPCMessage>((resolve, reject) => {
      answered = resolve;
      void setTimeout(INITIALIZE_MS, undefined, { ref: false }).then(() => reject(unanswered(this.#acting.base)));
    });
    let isReady = false;
    const fresh = this.#connect((message) => (isReady ? void this.#receive(message) : answered(message)));
    await fresh.start();
    await fresh.send(initialize);
    const version = versionIn(await answer);
    isReady = true;
    if (version !== undefined) fresh.setProtocolVersion(version);
    this.#gateway = fresh;
    await fresh.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await old.close();
  }

  #connect(onmessage: (message: JSONRPCMessage) => void): StreamableHTTPClientTransport {
    const transport = new StreamableHTTPClientTransport(this.#url, {
      authProvider: { token: () => this.#fresh(), onUnauthorized: async () => void (this.#token = undefined) },
    });
    transport.onmessage = onmessage;
    transport.onerror = () => {};
    return transport;
  }

  async #receive(message: JSONRPCMessage): Promise<void> {
    const { id, method } = factsOf(message);
    if (id !== undefined && method === undefined) {
      if (this.#initialize && id === factsOf(this.#initialize).id) setImmediate(this.#markInitialized);
      this.#running.delete(id);
      this.#waiting.delete(id);
    }
    const version = this.#initialize && id === factsOf(this.#initialize).id ? versionIn(message) : undefined;
    if (version !== undefined) this.#gateway.setProtocolVersion(version);
    await this.#deliver(message);
  }

  async #fresh(): Promise<string> {
    const now = performance.now();
    if (this.#token === undefined || now - this.#token.at > RENEW_AFTER_MS) {
      this.#token = { value: await this.#acting.token(`${this.#acting.base}/mcp`, { client: CLIENT }), at: now };
    }
    return this.#token.value;
  }

  /** Returns the gateway's error if the gateway answered, and a local error otherwise. */
  #problem(error: unknown): { code: number; message: string; data?: unknown } {
    if (error instanceof SdkHttpError && typeof error.data.text === 'string') {
      try {
        const {
          error: rpcError,
          message,
          code,
        } = JSON.parse(error.data.text) as {
          error?: { code?: unknown; message?: unknown; data?: unknown };
          message?: unknown;
          code?: unknown;
        };
        if (typeof rpcError?.code === 'number' && typeof rpcError.message === 'string')
          return { code: rpcError.code, message: rpcError.message, ...(rpcError.data !== undefined && { data: rpcError.data }) };
        if (typeof message === 'string') return { code: -32000, message, data: { code } };
      } catch {}
    }
    return { code: -32000, message: error instanceof Stop ? error.message : unanswered(this.#acting.base).message };
  }
}
