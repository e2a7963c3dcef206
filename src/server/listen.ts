/** HTTP listeners: bind the ports before anything else starts, and limit the time of slow requests. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type Failure, failure } from '../declare/errors.ts';
import { tooSlow, requestId, sendFailure } from '../transports/request.ts';
import { isLongLived } from '../transports/long-lived.ts';
import { type Config, ConfigProblem } from './config.ts';
import { type Module, openModule } from './module.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse) => void;

export interface Listener {
  readonly port: number;
  /** Sets the handler. Earlier requests wait up to HELD_MS, then get 503. Probes and requests beyond MOST_HELD get 503 at once. */
  serve(handler: Handler): void;
  /** From now on every response closes its connection, so that a load balancer chooses another server. */
  retire(): void;
  /** Accepts no more connections. Resolves when all responses have ended, except long-lived streams, and at most after `ms`. */
  finish(ms: number): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionLimits {
  /** The longest time for the headers of a request. */
  readonly headersMs: number;
  /** The longest time for the body, after the headers. */
  readonly bodyMs: number;
}
export const CONNECTION_LIMITS: ConnectionLimits = { headersMs: 10_000, bodyMs: 15_000 };
/** The number of checks in one timeout. */
const CHECKS_PER_TIMEOUT = 10;
/** The time for a handler to answer after the body timeout. After it, BodyWatch sends the error itself or closes the connection. */
const ANSWER_MS = 2_000;

const optionsFor = ({ headersMs, bodyMs }: ConnectionLimits): ServerOptions => ({
  // BodyWatch ends slow bodies. Node's requestTimeout is a second limit after it.
  headersTimeout: headersMs,
  requestTimeout: headersMs + bodyMs + ANSWER_MS,
  keepAliveTimeout: 30_000,
  connectionsCheckingInterval: headersMs / CHECKS_PER_TIMEOUT,
  // The host guard refuses a missing Host with a JSON error.
  requireHostHeader: false,
  // Large enough for an oversized token, which the verifier refuses with a JSON error.
  maxHeaderSize: 64 * 1024,
  // Joins repeated Host and Authorization headers, which makes them invalid. Node would use the first one, but a proxy may have checked the
  // second.
  joinDuplicateHeaders: true,
});

/** Longer than a start without migrations, and less than half of the gateway's deadline. */
const HELD_MS = 4_000;
const MOST_HELD = 500;
/** During the start, probes get 503 at once. */
const PROBES = /^\/(ready|health)$/;

const notYet = (res: ServerResponse): void => {
  res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
  res.end(
    '{"status":"error","code":"SERVICE_UNAVAILABLE","message":"Tamshai is starting.","suggestedAction":"Try again in ' +
      'a moment.","retryable":true}',
  );
};

/** The JSON error for a request that Node could not parse. `ms` is the exceeded timeout. */
function malformed({ code = '' }: NodeJS.ErrnoException, ms: number): Failure {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow(ms);
  if (code === 'HPE_HEADER_OVERFLOW') return failure('VALIDATION_ERROR', 'The headers are too large.');
  return failure('VALIDATION_ERROR', 'This is not a valid HTTP request.');
}

/** Writes a response to a socket that has no parsed request. */
function endWith(socket: Duplex, refused: Failure): void {
  const body = JSON.stringify(refused.answer());
  const head = [
    `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Emits the error to the code that reads the body. False if no code reads it. */
function failBody(res: ServerResponse, refused: Failure): boolean {
  res.shouldKeepAlive = false;
  return res.req.listenerCount('error') > 0 && res.req.emit('error', refused);
}

const answerFor = (res: ServerResponse, refused: Failure): void =>
  sendFailure(res, refused, { headers: { 'x-request-id': requestId(res.req.headers), connection: 'close' } });

interface Answering {
  readonly since: number;
  /** The time of the call of `failBody` for this request. */
  failedAt?: number;
}

/** Node sets `socket` to null after an abort, which its type does not declare. */
const isConnected = ({ socket }: { readonly socket: Duplex | null }): boolean => socket !== null && !socket.destroyed;

/** Ends requests with a slow body. One timer checks all requests, because one timer per request would slow every call. */
class BodyWatch {
  readonly answering = new Map<ServerResponse, Answering>();
  /** Requests that were answered before their body was complete. */
  readonly #unread = new Map<IncomingMessage, number>();
  readonly #timer: NodeJS.Timeout;
  readonly #bodyMs: number;

  constructor({ bodyMs }: ConnectionLimits) {
    this.#bodyMs = bodyMs;
    this.#timer = setInterval(() => this.#check(performance.now()), bodyMs / CHECKS_PER_TIMEOUT).unref();
  }

  begin(res: ServerResponse): void {
    const since = performance.now();
    this.answering.set(res, { since });
    res.once('close', () => {
      this.answering.delete(res);
      if (!res.req.complete && isConnected(res.req)) this.#unread.set(res.req, since);
    });
  }

  /** The incomplete request on this connection. */
  reading(socket: Duplex): ServerResponse | undefined {
    return [...this.answering.keys()].find((res) => res.req.socket === socket && !res.req.complete);
  }

  isAnswering(socket: Duplex): boolean {
    return [...this.answering.keys()].some((res) => res.req.socket === socket);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(now: number): void {
    for (const [res, each] of this.answering) if (!res.req.complete && now - each.since >= this.#bodyMs) this.#end(res, each, now);
    for (const [req, since] of this.#unread) {
      if (!req.complete && isConnected(req) && now - since < this.#bodyMs) continue;
      this.#unread.delete(req);
      if (!req.complete && isConnected(req)) req.socket.destroy();
    }
  }

  #end(res: ServerResponse, each: Answering, now: number): void {
    const overdue = now - each.since >= this.#bodyMs + ANSWER_MS;
    if (each.failedAt === undefined && !res.headersSent && res.req.listenerCount('error') > 0) {
      each.failedAt = now;
      failBody(res, tooSlow(this.#bodyMs));
    } else if (overdue && each.failedAt === undefined && !res.headersSent) answerFor(res, tooSlow(this.#bodyMs));
    // A pipelined response has no socket until the earlier response has ended.
    else if (overdue && res.socket !== null) res.socket.destroy();
  }
}

export interface ListenOptions {
  readonly hosts: readonly string[];
  /** 0: the system chooses a free port. */
  readonly port: number;
  readonly limits?: ConnectionLimits | undefined;
}

export async function listen(name: string, { hosts, port, limits = CONNECTION_LIMITS }: ListenOptions): Promise<Listener> {
  const held = new Map<ServerResponse, { readonly req: IncomingMessage; readonly timer: NodeJS.Timeout }>();
  const letGo = (res: ServerResponse) => {
    clearTimeout(held.get(res)?.timer);
    return held.delete(res);
  };
  /** Holds requests during the start, because a load balancer can send requests before it checks readiness. */
  const starting: Handler = (req, res) => {
    if (PROBES.test(req.url ?? '') || held.size >= MOST_HELD) return notYet(res);
    held.set(res, { req, timer: setTimeout(() => letGo(res) && notYet(res), HELD_MS) });
    res.once('close', () => letGo(res));
  };
  let handler = starting;
  let retired = false;
  const watch = new BodyWatch(limits);
  const { answering } = watch;
  const answer: Handler = (req, res) => {
    watch.begin(res);
    if (retired) res.shouldKeepAlive = false;
    handler(req, res);
  };
  const servers: Server[] = [];
  let bound = port;
  for (const host of hosts) {
    const server = createServer(optionsFor(limits), answer);
    server.maxConnections = 2_000;
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const begun = watch.reading(socket);
      // The timeout in the message: for the headers if no request was parsed, otherwise for headers and body together.
      const refused = malformed(error, begun === undefined ? limits.headersMs : limits.headersMs + limits.bodyMs);
      if (!socket.writable || error.code === 'ECONNRESET' || begun?.headersSent === true) socket.destroy();
      else if (begun !== undefined) void (failBody(begun, refused) || answerFor(begun, refused));
      else if (watch.isAnswering(socket)) socket.destroy();
      else endWith(socket, refused);
    });
    server.on('checkExpectation', (_req, res) =>
      sendFailure(res, failure('VALIDATION_ERROR', 'The Expect header must be 100-continue.'), { headers: { connection: 'close' } }),
    );
    server.on('connect', (_req, socket) => {
      // Node removes its error listener on CONNECT. Without this one, a connection reset would end the process.
      socket.on('error', () => socket.destroy());
      if (watch.isAnswering(socket)) socket.destroy();
      else endWith(socket, failure('METHOD_NOT_ALLOWED', 'CONNECT is not supported.'));
    });
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port: bound, ipv6Only: host === '::1' }, resolve);
      });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // IPv6 may be missing on this machine.
      if (host === '::1' && servers.length > 0 && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) continue;
      watch.close();
      await Promise.all(servers.map(closed));
      if (code === 'EADDRINUSE')
        throw new ConfigProblem(`Port ${bound} for ${name} is already in use; stop the other program or set ${name.toUpperCase()}_PORT.`);
      if (code === 'EACCES')
        throw new ConfigProblem(`Port ${bound} for ${name} needs more rights than this user has; set ${name.toUpperCase()}_PORT.`);
      throw new ConfigProblem(`${name} cannot listen on ${host} port ${bound}.`);
    }
    bound = (server.address() as AddressInfo).port;
    servers.push(server);
  }
  return {
    port: bound,
    serve(next) {
      handler = next;
      for (const [res, { req }] of held) if (letGo(res)) next(req, res);
    },
    retire() {
      retired = true;
      for (const res of answering.keys()) if (!res.headersSent) res.shouldKeepAlive = false;
    },
    async finish(ms) {
      for (const server of servers) server.close();
      const until = performance.now() + ms;
      while (performance.now() < until && [...answering.keys()].some((res) => !isLongLived(res))) await pause(20);
    },
    close: async () => {
      watch.close();
      for (const res of held.keys()) if (letGo(res)) notYet(res);
      await Promise.all(servers.map(closed));
    },
  };
}

/** Closes idle connections now, other connections after their response, and all connections after five seconds. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (server.listening) server.close(() => resolve());
    // The server accepts no more connections, so only open ones are left.
    else server.getConnections((_error, count) => (count === 0 ? resolve() : server.once('close', resolve)));
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), 5_000).unref();
  });
}

export interface Listeners extends Module {
  /** The listeners of the gateway and the domains. */
  readonly servers: ReadonlyMap<string, Listener>;
  /** The operations port, if one is configured. */
  readonly ops: Listener | undefined;
  readonly ports: Readonly<Record<string, number>>;
}

export interface ListenersOptions {
  readonly config: Pick<Config, 'hosts' | 'ports' | 'opsPort'>;
  readonly names: readonly string[];
  readonly limits: ConnectionLimits | undefined;
}

export const openListeners = ({ config: { hosts, ports, opsPort }, names, limits }: ListenersOptions): Promise<Listeners> =>
  openModule(async (use) => {
    const servers = new Map<string, Listener>();
    for (const name of names) servers.set(name, use(await listen(name, { hosts, port: ports[name] ?? 0, limits })));
    const ops = opsPort === undefined ? undefined : use(await listen('ops', { hosts, port: opsPort, limits }));
    const all = [...servers, ...(ops ? [['ops', ops] as const] : [])];
    return { servers, ops, ports: Object.fromEntries(all.map(([name, { port }]) => [name, port])) };
  });
