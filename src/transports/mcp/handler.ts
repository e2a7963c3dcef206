/** The HTTP handler of the MCP endpoint: authenticates, then answers with the fast path, with its own streams, or with the SDK. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import {
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  createMcpHandler,
  legacyStatelessFallback,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/server';
import { type ErrorAnswer, Failure, failure } from '../../declare/errors.ts';
import { ConcurrencyLimit } from '../../engine/limits/concurrency-limit.ts';
import { isJsonType } from '../../engine/media-type.ts';
import { readJson, requestId, sendFailure } from '../request.ts';
import { markLongLived } from '../long-lived.ts';
import { Approval } from './approval.ts';
import { clientName, LEGACY, MODERN, sessionOpensUrls } from './client-info.ts';
import { Exchange, callInside } from './exchange.ts';
import { type FastPathRequest, recognise } from './fast-path.ts';
import { addressesIn, cancelledIn, header, isPlainObject, isPlainStream, type ListenMessage, toolCallIn, toolNamed } from './messages.ts';
import { listen, type NoticeStreamOptions, progressIn, streamSession } from './notices.ts';
import { MCP_LIMITS, type McpLimits, type McpOptions } from './options.ts';
import { refusal } from './protocol-error.ts';
import { METHODS, noSession, refuse, send } from './reply.ts';
import { authInfoOf, capabilitiesOf, createSdkServer } from './server.ts';
import { type Session, Sessions, type RemoteSession } from './sessions.ts';
import { Streams, onClosed } from './streams.ts';
import { Subscriptions, tooMany } from './subscriptions.ts';

export interface McpHandler {
  (req: IncomingMessage, res: ServerResponse): void;
  /** The number of open sessions. */
  readonly sessions: number;
  /** Ends all waits for approvals. The waiting calls get the pending answer. */
  retire(): void;
  close(): Promise<void>;
}

/** Mount this handler before any code that reads requests. */
export function createMcpTransport(options: McpOptions): McpHandler {
  const endpoint = new Endpoint(options);
  // An error while sending an error must not end the process.
  const handle = (req: IncomingMessage, res: ServerResponse) => void endpoint.serve(req, res).catch(() => res.destroy());
  return Object.defineProperties(handle, {
    sessions: { get: () => endpoint.sessions.size },
    retire: { value: () => endpoint.retire() },
    close: { value: () => endpoint.close() },
  }) as McpHandler;
}

const MAX_SUBSCRIPTIONS = 16_384;

class Endpoint {
  readonly sessions: Sessions;
  readonly #options: McpOptions;
  readonly #limits: McpLimits;
  readonly #streams: Streams;
  readonly #retiring = new AbortController();
  readonly #subscribed: ConcurrencyLimit;
  readonly #streaming: NoticeStreamOptions | undefined;
  readonly #sdk: ReturnType<typeof createMcpHandler>;
  readonly #modern: ReturnType<typeof toNodeHandler>;
  readonly #stateless: ReturnType<typeof toNodeHandler>;
  readonly #fast: boolean;
  readonly #serverInfo: string;
  readonly #discovery: string;

  constructor(options: McpOptions) {
    if (options.stateKey.length < 32) throw new Error('the key for request states is shorter than 32 bytes');
    this.#options = options;
    this.#limits = { ...MCP_LIMITS, ...options.limits };
    this.#streams = new Streams(options, this.#limits);
    const approval = new Approval(options, {
      limits: this.#limits,
      streams: this.#streams,
      retiring: this.#retiring.signal,
    });
    this.#subscribed = new ConcurrencyLimit(options.kept, 'subscribed', this.#limits.subscriptionsPerPerson);
    const { mcpResources } = options;
    const { heartbeatMs } = this.#limits;
    const subscriptions = mcpResources && new Subscriptions(mcpResources, options.kept, this.#subscribed);
    this.#streaming = mcpResources &&
      subscriptions && {
        mcpResources,
        subscriptions,
        heartbeatMs,
        serverInfo: options.serverInfo,
        retiring: this.#retiring.signal,
      };
    const makeServer = () => createSdkServer(options, approval, subscriptions);
    const onEnd = (id: string, { principal, stream }: Session) => {
      stream?.end();
      // Another replica can have added subscriptions, while this process holds the slots.
      subscriptions?.forget(id, principal).catch(() => undefined);
    };
    this.sessions = new Sessions({ limits: this.#limits, clock: options.clock, key: options.stateKey, makeServer, onEnd });
    this.#stateless = toNodeHandler({ fetch: legacyStatelessFallback(makeServer) });
    this.#sdk = createMcpHandler(makeServer, {
      legacy: 'reject',
      keepAliveMs: this.#limits.heartbeatMs,
      maxSubscriptions: MAX_SUBSCRIPTIONS,
    });
    this.#modern = toNodeHandler(this.#sdk);
    this.#fast = options.fastPath ?? true;
    this.#serverInfo = `"${SERVER_INFO_META_KEY}":${JSON.stringify(options.serverInfo)}`;
    this.#discovery = JSON.stringify({
      supportedVersions: [MODERN],
      capabilities: capabilitiesOf(options),
      ...(options.instructions && { instructions: options.instructions }),
    }).slice(1, -1);
  }

  async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const options = this.#options;
    const refused = options.guard(req);
    if (refused !== undefined) return sendFailure(res, refused);
    const id = requestId(req.headers);
    let exchange: Exchange | undefined;
    try {
      const { method, url = '/' } = req;
      if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') throw failure('METHOD_NOT_ALLOWED', `Use one of ${METHODS}.`);
      const caller = await options.authenticate(req);
      const query = url.indexOf('?');
      const servers = query < 0 ? undefined : options.select(new URL(`http://localhost/mcp${url.slice(query)}`));
      exchange = new Exchange(options, res, { caller, servers, requestId: id });
      if (method === 'POST') await this.#post(exchange, req, res);
      else await this.#bodiless(exchange, req, res);
      if (res.statusCode >= 500) options.log.error({ requestId: id, status: res.statusCode }, 'MCP request answered with a server error');
    } catch (thrown) {
      if (!(thrown instanceof Failure)) options.log.error({ requestId: id, error: thrown }, 'MCP request failed unexpectedly');
      const first = thrown instanceof Failure ? thrown : failure('INTERNAL_ERROR', 'Something went wrong on our side.', { requestId: id });
      const failed = exchange !== undefined && UNREAD.has(first.status) ? await this.#record(exchange, req, first) : first;
      const code = failed.code !== 'VALIDATION_ERROR' ? -32000 : exchange === undefined ? -32600 : -32700;
      refuse(res, failed, {
        code,
        headers: { 'x-request-id': id, ...(failed.status === 401 && { 'www-authenticate': options.challenge(req) }) },
      });
    }
  }

  /** Records a refused request. Returns the failure to send, which is SERVICE_UNAVAILABLE if the record failed. */
  async #record(exchange: Exchange, { headers }: IncomingMessage, refused: Failure, name = toolNamed(headers)): Promise<Failure> {
    try {
      const bytes = Number(headers['content-length'] ?? 0);
      return (await this.#options.refused?.(exchange, refused, { name, bytes })) ?? refused;
    } catch (thrown) {
      return thrown instanceof Failure ? thrown : failure('SERVICE_UNAVAILABLE', 'The call could not be recorded, so it is not answered.');
    }
  }

  /** Records a tool call that the SDK refused, after the response is sent. */
  #recordUnperformed(exchange: Exchange, req: IncomingMessage, res: ServerResponse, body: unknown): void {
    const params = toolCallIn(body);
    if (params === undefined) return;
    const name = typeof params.name === 'string' ? params.name : undefined;
    const wellFormed = name !== undefined && (params.arguments === undefined || isPlainObject(params.arguments));
    res.once('close', () => {
      if (exchange.performed || !res.writableFinished || (wellFormed && res.statusCode !== 400)) return;
      void this.#record(exchange, req, failure('VALIDATION_ERROR', 'The call is malformed.'), name);
    });
  }

  retire(): void {
    this.#retiring.abort();
  }

  async close(): Promise<void> {
    this.retire();
    await Promise.all([this.sessions.close(), this.#sdk.close()]);
    await Promise.all([this.#streams.close(), this.#subscribed.close()]);
  }

  async #post(exchange: Exchange, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { headers } = req;
    if (!isJsonType(headers['content-type'])) {
      throw failure('UNSUPPORTED_MEDIA_TYPE', 'Send JSON with Content-Type: application/json.');
    }
    const body = await readJson(req, { duplicates: 'refuse' });
    const fast = this.#fast ? recognise(headers, body) : undefined;
    if (fast !== undefined && (await this.#answer(fast, exchange, req, res))) return;

    this.#recordUnperformed(exchange, req, res, body);
    // A batch would count as one request in the limits. The 2026 handler refuses batches, so it gets all of them.
    if (Array.isArray(body)) return this.#toModern(exchange, req, res, body);
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      ...header('protocolVersionHeader', headers['mcp-protocol-version']),
      ...header('mcpMethodHeader', headers['mcp-method']),
      ...header('mcpNameHeader', headers['mcp-name']),
      body,
    });
    if (route.kind !== 'legacy') {
      if (route.kind === 'modern' && route.message.method === 'subscriptions/listen') {
        await this.#hold(exchange, res);
        if (await this.#listen(exchange, req, res, route.message)) return;
      }
      return this.#toModern(exchange, req, res, body);
    }
    if (headers['mcp-session-id'] === undefined && route.reason === 'initialize') {
      this.#prepare(exchange, req, res);
      return this.sessions.begin(req, res, { body, caller: exchange.caller });
    }
    const session = this.#session(exchange, req);
    // Only the replica with the session can answer a second initialize.
    if (session === undefined || (isRemote(session) && route.reason === 'initialize')) {
      return noSession(res, exchange);
    }
    if (route.reason === 'notification' && !isRemote(session)) session.running.get(cancelledIn(body))?.cancel();
    return this.#toSession(session, exchange, req, res, body);
  }

  /** Only 2025 sessions have GET (open a stream) and DELETE (end the session). */
  async #bodiless(exchange: Exchange, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.headers['mcp-session-id'] === undefined || req.headers['mcp-protocol-version'] === MODERN)
      return this.#toModern(exchange, req, res);
    const session = this.#session(exchange, req);
    if (session === undefined) return noSession(res, exchange);
    const streaming = this.#streaming;
    if (req.method === 'GET' && (streaming !== undefined || !isRemote(session))) await this.#hold(exchange, res);
    if (req.method === 'GET' && streaming !== undefined && isPlainStream(req))
      return this.#streamSession(streaming, session, exchange, req, res);
    return this.#toSession(session, exchange, req, res);
  }

  /** Used instead of the SDK's stream, which cannot resume from Last-Event-ID or on another replica. */
  async #streamSession(
    streaming: NoticeStreamOptions,
    session: Session | RemoteSession,
    { caller, requestId }: Exchange,
    { headers }: IncomingMessage,
    res: ServerResponse,
  ): Promise<void> {
    const [id, last, version] = [headers['mcp-session-id'], headers['last-event-id'], headers['mcp-protocol-version']].map(String);
    const seen = progressIn(last);
    const local = isRemote(session) ? undefined : session;
    await streaming.subscriptions.claim(id ?? '', caller);
    // The Last-Event-ID is what the client has received; this process may have sent more.
    for (const [uri, reached] of seen) local?.progress.set(uri, reached);
    this.#streams.watch(res, caller);
    res.setHeader('x-request-id', requestId);
    // A client that opens a second stream has lost its first one.
    local?.stream?.end();
    if (local !== undefined) local.stream = res;
    const primed = version === LEGACY[0];
    await streamSession(streaming, caller, res, { id: id ?? '', progress: local?.progress ?? seen, primed });
    if (local === undefined) await streaming.subscriptions.leave(id ?? '', caller.person.principal);
    else if (local.stream === res) local.stream = undefined;
  }

  /** Returns false if the SDK must answer, for example a malformed request. */
  async #listen(exchange: Exchange, { headers }: IncomingMessage, res: ServerResponse, message: ListenMessage): Promise<boolean> {
    const streaming = this.#streaming;
    const { id, params } = message;
    const asked = addressesIn(params?.['notifications']);
    if (streaming === undefined || asked === undefined || id === undefined || headers['mcp-method'] !== message.method) return false;
    const refused = (answer: ErrorAnswer) => {
      const { code } = refusal(answer);
      send(res, exchange, [JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: answer.message, data: answer } })]);
      return true;
    };
    const release = await this.#subscribed.take(exchange.caller.person.principal, asked.length);
    if (release === undefined) return refused(tooMany(this.#subscribed.most).answer());
    onClosed(res, release);
    exchange.clientName = clientName((params?.['_meta'] as Record<string, unknown> | undefined)?.[CLIENT_INFO_META_KEY]);
    const kept = new Map<string, { server: string; from: number }>();
    const honored: string[] = [];
    for (const given of asked) {
      const { answer, server, uri } = await streaming.mcpResources.subscribe(given, exchange);
      if (answer.status === 'error' && answer.retryable) return refused(answer);
      if (answer.status !== 'success') continue;
      honored.push(given);
      kept.set(uri, { server, from: answer.data as number });
    }
    this.#streams.watch(res, exchange.caller);
    res.setHeader('x-request-id', exchange.requestId);
    await listen(streaming, exchange, res, { id, honored, kept });
    return true;
  }

  /** Returns false if the SDK must answer. */
  async #answer(fast: FastPathRequest, exchange: Exchange, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const session = fast.client === undefined ? this.#session(exchange, req) : undefined;
    if (fast.client === undefined && session === undefined) return false;
    const stamp = fast.client && `"resultType":"complete","_meta":{${this.#serverInfo}`;
    const cached = stamp && `,${stamp}},"ttlMs":0,"cacheScope":"private"`;
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(fast.id)},"result":{`;
    switch (fast.method) {
      case 'tools/call': {
        exchange.clientName = fast.client === undefined ? nameIn(session) : fast.client.name;
        const running = session === undefined || isRemote(session) ? undefined : session.running;
        running?.set(fast.id, exchange);
        const answer = await exchange.perform(fast.params.name as string, fast.params.arguments ?? {});
        running?.delete(fast.id);
        if (answer === undefined) return false;
        const opensUrls = fast.client?.opensUrls ?? (session !== undefined && !isRemote(session) && sessionOpensUrls(session.server));
        if (answer.status === 'pending_confirmation' && opensUrls) return false;
        const inside = callInside(this.#options, exchange, answer);
        const end = `${stamp === undefined ? '"_meta":{' : `${stamp},`}"requestId":"${exchange.requestId}"}}}`;
        send(res, exchange, [`${start}${inside},${end}`]);
        return true;
      }
      case 'tools/list': {
        const { bytes, meta } = this.#options.list(exchange.caller, exchange.servers);
        const stamped =
          meta === undefined ? (cached ?? '') : stamp ? `,${stamp},${meta}},"ttlMs":0,"cacheScope":"private"` : `,"_meta":{${meta}}`;
        send(res, exchange, [start, bytes, `${stamped}}}`]);
        return true;
      }
      case 'server/discover':
        send(res, exchange, [`${start}${this.#discovery}${cached ?? ''}}}`]);
        return true;
      case 'ping':
        send(res, exchange, [`${start}}}`]);
        return true;
    }
  }

  #session({ caller }: Exchange, { headers }: IncomingMessage): Session | RemoteSession | undefined {
    const id = headers['mcp-session-id'];
    // A client without a session id gets a stateless answer.
    return typeof id === 'string' ? (this.sessions.find(id, caller) ?? this.sessions.findRemote(id, caller)) : { clientName: undefined };
  }

  #toModern(exchange: Exchange, req: IncomingMessage, res: ServerResponse, body?: unknown): Promise<void> {
    return this.#modern(this.#prepare(exchange, req, res) as NodeIncomingMessageLike, res, body);
  }

  #toSession(
    session: Session | RemoteSession,
    exchange: Exchange,
    req: IncomingMessage,
    res: ServerResponse,
    body?: unknown,
  ): Promise<void> {
    exchange.clientName = nameIn(session);
    const id = req.headers['mcp-session-id'];
    if (typeof id === 'string') exchange.session = isRemote(session) ? { id } : { id, local: session };
    const prepared = this.#prepare(exchange, req, res);
    return isRemote(session)
      ? this.#stateless(prepared as NodeIncomingMessageLike, res, body)
      : session.transport.handleRequest(prepared, res, body);
  }

  #prepare(exchange: Exchange, req: IncomingMessage, res: ServerResponse) {
    this.#streams.watch(res, exchange.caller);
    res.setHeader('x-request-id', exchange.requestId);
    return Object.assign(req, { auth: authInfoOf(exchange) });
  }

  async #hold({ caller }: Exchange, res: ServerResponse): Promise<void> {
    await this.#streams.hold(caller, res);
    markLongLived(res);
  }
}

/** The statuses of requests whose body was not accepted. */
const UNREAD: ReadonlySet<number> = new Set([400, 408, 413, 415]);
const isRemote = (session: Session | RemoteSession): session is RemoteSession => !('server' in session);
const nameIn = (session: Session | RemoteSession | undefined): string | undefined =>
  session === undefined ? undefined : isRemote(session) ? session.clientName : clientName(session.server.getClientVersion());
