/** MCP over standard input and output, for desktop clients: every message goes on to the gateway as it is, and back. */
import { setTimeout } from 'node:timers/promises';
import { type JSONRPCMessage, SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { readClientConfig } from '../instances.ts';
import { unanswered } from './client.ts';
import { type Acting, actAs, required } from './person.ts';
import { requireServer } from './servers.ts';
import { EXIT, Stop } from './stop.ts';

const RENEW_AFTER_MS = 4 * 60_000;
const GREETING_MS = 10_000;
/** A call has ten seconds, and some time on the way. */
const LAST_ANSWERS_MS = 15_000;
/** Its own name, which no card takes for the command, and which can never approve. */
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
/** Whatever kind of message it is: the parts that a message may have. */
const factsOf = (message: JSONRPCMessage) => message as Facts;
const versionIn = (message: JSONRPCMessage) => {
  const version = factsOf(message).result?.['protocolVersion'];
  return typeof version === 'string' ? version : undefined;
};

export async function mcp(options: { as?: string; servers?: string }): Promise<number> {
  const { servers } = options;
  const as = required(options.as, 'uses it');
  for (const name of servers?.split(',') ?? []) requireServer(name.trim());
  const acting = actAs(readClientConfig(), as);
  const url = new URL(`${acting.base}/mcp`);
  if (servers !== undefined) url.searchParams.set('servers', servers);
  process.stderr.write(`tamshai mcp: ${acting.persona.name} (${as}) at ${acting.base}\n`);
  const client = new StdioServerTransport();
  // Not through the transport: it is closed when the input ends, and what was asked until then is still answered.
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

class Pump {
  readonly #url: URL;
  readonly #acting: Acting;
  readonly #deliver: (message: JSONRPCMessage) => Promise<void>;
  #gateway: StreamableHTTPClientTransport;
  #token: { readonly value: string; readonly at: number } | undefined;
  /** How an older client introduced itself: told again when the gateway was restarted and forgot. */
  #greeting: JSONRPCMessage | undefined;
  #greeted: Promise<void> | undefined;
  /** Until the gateway has answered the introduction there is no session to ask in. */
  #introduced: Promise<void> | undefined;
  #introduce: () => void = () => {};
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
      this.#greeting = message;
      this.#introduced = new Promise((resolve) => (this.#introduce = resolve));
    }
    // 2026-07-28 has no message for it over HTTP: who hangs up has cancelled.
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
      this.#introduce();
      // Only one answer for each question, and none for one that was taken back.
      if (this.#waiting.delete(id) && !controller.signal.aborted) await this.#deliver({ jsonrpc: '2.0', id, error: this.#problem(error) });
    };
    const onRequestStreamEnd = () => void failed(undefined);
    await this.#send(message, { onRequestStreamEnd, ...(isModern && { requestSignal: controller.signal }) }).catch(failed);
  }

  /** When nothing is waited for any more, or too long. */
  async answered(): Promise<void> {
    for (const until = performance.now() + LAST_ANSWERS_MS; this.#waiting.size > 0 && performance.now() < until; ) await setTimeout(20);
  }

  async close(): Promise<void> {
    await this.#gateway.terminateSession().catch(() => {});
    await this.#gateway.close();
  }

  async #send(message: JSONRPCMessage, options: Sending): Promise<void> {
    if (factsOf(message).method !== 'initialize') await this.#introduced;
    await this.#greeted;
    const { sessionId } = this.#gateway;
    try {
      await this.#gateway.send(message, options);
    } catch (error) {
      const forgotten =
        error instanceof SdkHttpError && error.status === 404 && sessionId !== undefined && factsOf(message).method !== 'initialize';
      if (!forgotten || this.#greeting === undefined) throw error;
      // Several calls may find out at once: one of them introduces the client anew.
      if (this.#gateway.sessionId === sessionId) this.#greeted ??= this.#greet(this.#greeting).finally(() => (this.#greeted = undefined));
      await this.#greeted;
      await this.#gateway.send(message, options);
    }
  }

  /** A new session in place of the one that is gone; the client need not know. */
  async #greet(greeting: JSONRPCMessage): Promise<void> {
    const old = this.#gateway;
    let answered: (message: JSONRPCMessage) => void = () => {};
    const answer = new Promise<JSONRPCMessage>((resolve, reject) => {
      answered = resolve;
      void setTimeout(GREETING_MS, undefined, { ref: false }).then(() => reject(unanswered(this.#acting.base)));
    });
    let isReady = false;
    const fresh = this.#connect((message) => (isReady ? void this.#receive(message) : answered(message)));
    await fresh.start();
    await fresh.send(greeting);
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
    // What goes wrong with a request is answered to that request.
    transport.onerror = () => {};
    return transport;
  }

  async #receive(message: JSONRPCMessage): Promise<void> {
    const { id, method } = factsOf(message);
    if (id !== undefined && method === undefined) {
      if (this.#greeting && id === factsOf(this.#greeting).id) setImmediate(this.#introduce);
      this.#running.delete(id);
      this.#waiting.delete(id);
    }
    const version = this.#greeting && id === factsOf(this.#greeting).id ? versionIn(message) : undefined;
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

  /** In the gateway's own words where it answered, else in ours. */
  #problem(error: unknown): { code: number; message: string; data?: unknown } {
    if (error instanceof SdkHttpError && typeof error.data.text === 'string') {
      try {
        const {
          error: told,
          message,
          code,
        } = JSON.parse(error.data.text) as {
          error?: { code?: unknown; message?: unknown; data?: unknown };
          message?: unknown;
          code?: unknown;
        };
        if (typeof told?.code === 'number' && typeof told.message === 'string')
          return { code: told.code, message: told.message, ...(told.data !== undefined && { data: told.data }) };
        if (typeof message === 'string') return { code: -32000, message, data: { code } };
      } catch {
        // Not ours to read.
      }
    }
    return { code: -32000, message: error instanceof Stop ? error.message : unanswered(this.#acting.base).message };
  }
}
