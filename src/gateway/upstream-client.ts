/** The HTTP client for a remote domain server: connection pool, deadline, bounded queue and circuit breaker. */
import { EventEmitter } from 'node:events';
import { type Dispatcher, Pool } from 'undici';
import { startDeadline } from '../engine/deadline.ts';
import { isJsonType } from '../engine/media-type.ts';
import type { Logger } from '../engine/ports.ts';
import { type CircuitBreaker, type CircuitBreakerOptions, createCircuitBreaker } from './circuit-breaker.ts';

/** A request without a usable answer. `sent` is false if the server has certainly not begun to process it. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly sent: boolean;
  readonly reason: string;
  constructor(reason: string, sent: boolean) {
    super(reason);
    this.reason = reason;
    this.sent = sent;
  }
}

export interface UpstreamAnswer {
  readonly status: number;
  readonly text: string;
}

export interface UpstreamRequest {
  readonly path: string;
  readonly body: string;
  readonly token: string;
  readonly requestId: string;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
  /** Logs no warning, for background requests that log failures themselves. */
  readonly quiet?: boolean | undefined;
}

export interface UpstreamClient {
  /** Throws an UpstreamFailure, or the abort reason of the caller's signal. */
  post(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** Counts an invalid answer as a failure. */
  recordFailure(): void;
  /** False while the circuit breaker is open. */
  readonly answers: boolean;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface UpstreamClientOptions {
  readonly server: string;
  readonly url: string;
  readonly log: Logger;
  /** The time from the call to the last byte, including the wait for a connection. */
  readonly deadlineMs: number;
  readonly atOnce?: number | undefined;
  readonly waiting?: number | undefined;
  /** Further headers of each request, such as the trace. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  readonly breaker?: Pick<CircuitBreakerOptions, 'failures' | 'firstPauseMs' | 'longestPauseMs'> | undefined;
}

const ANSWER_BYTES = 4 * 1024 * 1024;
const PING_MS = 2_000;
const AT_ONCE = 32;
const WAITING = 96;
/** After these errors no connection exists, so the request had no effect. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** The response header that names the request. It reveals an answer to another request. */
export const ANSWERS_HEADER = 'x-tamshai-answers';
export const answersTo = (token: string): string => token.slice(-32);

export function createUpstreamClient({
  server,
  url,
  log,
  deadlineMs,
  atOnce = AT_ONCE,
  waiting = WAITING,
  headers: more,
  breaker: limits,
}: UpstreamClientOptions): UpstreamClient {
  const { origin, pathname } = new URL(url);
  const prefix = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, {
    connections: atOnce,
    connect: { timeout: 2_000 },
    maxResponseSize: ANSWER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  let running = 0;

  const ping = async () => {
    const signal = AbortSignal.timeout(PING_MS);
    const { statusCode, body } = await pool.request({ method: 'GET', path: `${prefix}/ready`, signal });
    await body.dump({ limit: 64 * 1024, signal });
    if (statusCode !== 200) throw new UpstreamFailure('not ready', false);
  };
  const state: CircuitBreaker = createCircuitBreaker({
    ...limits,
    probe: ping,
    onChange: (closed) => {
      if (closed) log.info({ server }, 'circuit breaker closed: the server answers again');
      else log.warn({ server }, 'circuit breaker opened: the server does not answer');
    },
  });

  async function exchange({ path, body, token, requestId }: UpstreamRequest, signal: EventEmitter): Promise<UpstreamAnswer> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      'x-request-id': requestId,
      ...more?.(),
    };
    const response = await pool.request({ method: 'POST', path: prefix + path, body, headers, signal });
    const text = await response.body.text();
    const refusal = unfit(response, token);
    // After 401, 403 and 503, the server has not begun to process the request. A load balancer without backends also answers 503.
    if (refusal !== undefined) throw new UpstreamFailure(refusal, ![401, 403, 503].includes(response.statusCode));
    return { status: response.statusCode, text };
  }

  return {
    get answers() {
      return state.closed;
    },
    async post(request) {
      if (!state.closed) throw new UpstreamFailure('circuit breaker open', false);
      if (running >= atOnce + waiting) throw new UpstreamFailure('busy', false);
      // undici accepts an EventEmitter too, which costs a tenth of an AbortSignal.
      const stop = new EventEmitter();
      let gaveUp: 'late' | 'gone' | undefined;
      const stopDeadline = startDeadline(request.deadlineMs ?? deadlineMs, request, (why) => {
        gaveUp = why;
        stop.emit('abort');
      });
      running++;
      try {
        const answer = await exchange(request, stop);
        state.good();
        return answer;
      } catch (error) {
        // An abort by the caller is not a failure of the server.
        if (gaveUp === 'gone') throw error;
        state.bad();
        const failed = gaveUp === 'late' ? new UpstreamFailure('deadline', true) : asFailure(error);
        if (!request.quiet) log.warn({ requestId: request.requestId, server, reason: failed.reason }, 'request to a server failed');
        throw failed;
      } finally {
        stopDeadline();
        running--;
      }
    },
    recordFailure: () => state.bad(),
    ping,
    async close() {
      state.close();
      await pool.destroy();
    },
  };
}

function unfit({ statusCode, headers }: Dispatcher.ResponseData, token: string): string | undefined {
  if (statusCode >= 300 && statusCode < 400) return 'redirect';
  if (statusCode === 401) return 'status 401, the server does not know the key of this process';
  if (!isJsonType(String(headers['content-type'] ?? ''))) return `status ${statusCode}, not JSON`;
  if (headers[ANSWERS_HEADER] !== answersTo(token)) return `status ${statusCode}, not for this request`;
  return undefined;
}

function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { code = (error as Error).name } = error as { code?: string };
  return new UpstreamFailure(code, !NEVER_SENT.has(code));
}
