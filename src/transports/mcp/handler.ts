import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { classifyInboundRequest, createMcpHandler, isJsonContentType, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { Failure, failure } from '../../core/errors.ts';
import { readJson } from '../body.ts';
import { requestId, sendFailure } from '../guard.ts';
import { Approval, sessionOpensUrls } from './approval.ts';
import { Exchange } from './exchange.ts';
import { clientName, type HotRequest, MODERN, recognise } from './hot.ts';
import { MCP_LIMITS, type McpLimits, type McpOptions } from './options.ts';
import { callInside } from './result.ts';
import { authInfoOf, capabilitiesOf, sdkServer } from './server.ts';
import { type Session, Sessions } from './sessions.ts';
import { Streams } from './streams.ts';

export interface McpHandler {
  (req: IncomingMessage, res: ServerResponse): void;
  /** Sessions that are open now. */
  readonly sessions: number;
  close(): Promise<void>;
}

/** The endpoint for one path, to be mounted in front of everything else that reads a request. */
export function mcpHandler(options: McpOptions): McpHandler {
  const endpoint = new Endpoint(options);
  const handle = (req: IncomingMessage, res: ServerResponse) => void endpoint.serve(req, res);
  return Object.defineProperties(handle, {
    sessions: { get: () => endpoint.sessions.size },
    close: { value: () => endpoint.close() },
  }) as McpHandler;
}

const METHODS = 'GET, POST, DELETE';
const MAX_SUBSCRIPTIONS = 16_384;

class Endpoint {
  readonly sessions: Sessions;
  readonly #options: McpOptions;
  readonly #limits: McpLimits;
  readonly #streams: Streams;
  readonly #sdk: ReturnType<typeof createMcpHandler>;
  readonly #modern: ReturnType<typeof toNodeHandler>;
  readonly #hot: boolean;
  readonly #serverInfo: string;
  readonly #discovery: string;

  constructor(options: McpOptions) {
    if (options.stateKey.length < 32) throw new Error('the key for request states is shorter than 32 bytes');
    this.#options = options;
    this.#limits = { ...MCP_LIMITS, ...options.limits };
    this.#streams = new Streams(options, this.#limits);
    const approval = new Approval(options, this.#limits, this.#streams);
    const makeServer = () => sdkServer(options, approval);
    this.sessions = new Sessions({ limits: this.#limits, clock: options.clock, makeServer });
    this.#sdk = createMcpHandler(makeServer, {
      legacy: 'reject',
      keepAliveMs: this.#limits.heartbeatMs,
      maxSubscriptions: MAX_SUBSCRIPTIONS,
    });
    this.#modern = toNodeHandler(this.#sdk);
    this.#hot = options.hotLeg ?? true;
    this.#serverInfo = `"${SERVER_INFO_META_KEY}":${JSON.stringify(options.serverInfo)}`;
    this.#discovery = JSON.stringify({
      supportedVersions: [MODERN],
      capabilities: capabilitiesOf(options),
      ...(options.instructions !== undefined && { instructions: options.instructions }),
    }).slice(1, -1);
  }

  async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const options = this.#options;
    const refused = options.guard(req);
    if (refused !== undefined) return sendFailure(res, refused);
    const id = requestId(req.headers);
    try {
      const { method, url = '/' } = req;
      if (method !== 'POST' && method !== 'GET' && method !== 'DELETE') throw failure('METHOD_NOT_ALLOWED', `Use one of ${METHODS}.`);
      const caller = await options.authenticate(req);
      const servers = url.includes('?') ? options.select(new URL(url, 'http://localhost')) : undefined;
      const exchange = new Exchange(options, res, { caller, servers, requestId: id });
      if (method === 'POST') await this.#post(exchange, req, res);
      else await this.#bodiless(exchange, req, res);
      if (res.statusCode >= 500)
        options.log.error({ requestId: id, status: res.statusCode }, 'an MCP request was answered with a server error');
    } catch (thrown) {
      if (!(thrown instanceof Failure)) options.log.error({ requestId: id, error: thrown }, 'an MCP request broke');
      const failed = thrown instanceof Failure ? thrown : failure('INTERNAL_ERROR', 'Something went wrong on our side.', { requestId: id });
      refuse(res, failed, { 'x-request-id': id, ...(failed.status === 401 && { 'www-authenticate': options.challenge(req) }) });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.sessions.close(), this.#sdk.close()]);
  }

  async #post(exchange: Exchange, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { headers } = req;
    if (headers['content-type'] !== 'application/json' && !isJsonContentType(headers['content-type'])) {
      throw failure('UNSUPPORTED_MEDIA_TYPE', 'Send JSON, and say so in Content-Type.');
    }
    const body = await readJson(req, { duplicates: 'refuse' });
    const hot = this.#hot ? recognise(headers, body) : undefined;
    if (hot !== undefined && (await this.#answer(hot, exchange, req, res))) return;

    // Batches count as one request everywhere else; the strict 2026 handler refuses them for every revision.
    if (Array.isArray(body)) return this.#toModern(exchange, req, res, body);
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      ...header('protocolVersionHeader', headers['mcp-protocol-version']),
      ...header('mcpMethodHeader', headers['mcp-method']),
      ...header('mcpNameHeader', headers['mcp-name']),
      body,
    });
    if (route.kind !== 'legacy') {
      if (route.kind === 'modern' && route.message.method === 'subscriptions/listen') this.#hold(exchange, res);
      return this.#toModern(exchange, req, res, body);
    }
    if (headers['mcp-session-id'] === undefined && route.reason === 'initialize') {
      this.#prepare(exchange, req, res);
      return this.sessions.begin(req, res, body, exchange.caller);
    }
    const session = this.#session(exchange, req);
    if (session === undefined) return noSession(res, exchange, headers['mcp-session-id'] !== undefined);
    return this.#toSession(session, exchange, req, res, body);
  }

  /** GET opens and DELETE ends something in a 2025 session; 2026-07-28 knows neither. */
  async #bodiless(exchange: Exchange, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.headers['mcp-session-id'] === undefined || req.headers['mcp-protocol-version'] === MODERN)
      return this.#toModern(exchange, req, res);
    const session = this.#session(exchange, req);
    if (session === undefined) return noSession(res, exchange, true);
    if (req.method === 'GET') this.#hold(exchange, res);
    return this.#toSession(session, exchange, req, res);
  }

  /** False leaves the answer to the SDK. */
  async #answer(hot: HotRequest, exchange: Exchange, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
    const session = hot.client === undefined ? this.#session(exchange, req) : undefined;
    if (hot.client === undefined && session === undefined) return false;
    const stamp = hot.client && `"resultType":"complete","_meta":{${this.#serverInfo}`;
    const cached = stamp && `,${stamp}},"ttlMs":0,"cacheScope":"private"`;
    const start = `{"jsonrpc":"2.0","id":${JSON.stringify(hot.id)},"result":{`;
    switch (hot.method) {
      case 'tools/call': {
        exchange.clientName = hot.client?.name ?? clientName(session?.server.getClientVersion());
        const answer = await exchange.perform(hot.params.name as string, hot.params.arguments ?? {});
        if (answer === undefined) return false;
        const opensUrls = hot.client?.opensUrls ?? (session !== undefined && sessionOpensUrls(session.server));
        if (answer.status === 'pending_confirmation' && opensUrls) return false;
        const inside = callInside(this.#options, exchange, answer);
        const end = `${stamp === undefined ? '"_meta":{' : `${stamp},`}"requestId":"${exchange.requestId}"}}}`;
        send(res, exchange, [`${start}${inside},${end}`]);
        return true;
      }
      case 'tools/list': {
        const { bytes } = this.#options.list(exchange.caller, exchange.servers);
        send(res, exchange, [start, bytes, `${cached ?? ''}}}`]);
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

  #session(exchange: Exchange, { headers }: IncomingMessage): Session | undefined {
    const id = headers['mcp-session-id'];
    return typeof id === 'string' ? this.sessions.find(id, exchange.caller) : undefined;
  }

  #toModern(exchange: Exchange, req: IncomingMessage, res: ServerResponse, body?: unknown): Promise<void> {
    return this.#modern(this.#prepare(exchange, req, res) as NodeIncomingMessageLike, res, body);
  }

  #toSession({ transport }: Session, exchange: Exchange, req: IncomingMessage, res: ServerResponse, body?: unknown): Promise<void> {
    return transport.handleRequest(this.#prepare(exchange, req, res), res, body);
  }

  #prepare(exchange: Exchange, req: IncomingMessage, res: ServerResponse) {
    this.#streams.watch(res, exchange.caller);
    res.setHeader('x-request-id', exchange.requestId);
    return Object.assign(req, { auth: authInfoOf(exchange) });
  }

  #hold({ caller }: Exchange, res: ServerResponse): void {
    const release = this.#streams.take(caller);
    if (release === undefined)
      throw failure('RATE_LIMITED', `You have ${this.#limits.streamsPerPerson} streams open already; close one first.`, {
        retryAfterSeconds: 10,
      });
    res.once('close', release);
  }
}

const header = <K extends string>(key: K, value: string | string[] | undefined) =>
  (typeof value === 'string' ? { [key]: value } : {}) as { [key in K]?: string };

/** Bytes made once go out without being copied or encoded again. */
function send(res: ServerResponse, { requestId }: Exchange, pieces: readonly (string | Buffer)[]): void {
  let length = 0;
  for (const piece of pieces) length += Buffer.byteLength(piece);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'x-request-id': requestId });
  const last = pieces.length - 1;
  for (let i = 0; i < last; i++) res.write(pieces[i]);
  res.end(pieces[last]);
}

/** The union for whoever reads plain HTTP, with the JSON-RPC error beside it that an MCP client looks for. */
function refuse(res: ServerResponse, failed: Failure, headers: OutgoingHttpHeaders): void {
  const code = failed.code === 'VALIDATION_ERROR' ? -32700 : -32000;
  const allow = failed.status === 405 && { allow: METHODS };
  const wait = typeof failed.details?.retryAfterSeconds === 'number' && { 'retry-after': failed.details.retryAfterSeconds };
  sendFailure(res, failed, { ...headers, ...allow, ...wait }, { jsonrpc: '2.0', id: null, error: { code, message: failed.message } });
}

/** In the SDK's own words: a client that reads "Session not found" begins a new one. */
function noSession(res: ServerResponse, { requestId }: Exchange, named: boolean): void {
  const error = named
    ? { code: -32001, message: 'Session not found' }
    : { code: -32000, message: 'Bad Request: Mcp-Session-Id header is required' };
  const body = JSON.stringify({ jsonrpc: '2.0', error, id: null });
  res.writeHead(named ? 404 : 400, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
  });
  res.end(body);
}
