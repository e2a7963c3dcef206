/**
 * Another server of ours, as this process reaches it. It may be slow, hang, lie or be gone: that costs its own callers a bounded wait,
 * and nobody else anything.
 */
import { EventEmitter } from 'node:events';
import { type Dispatcher, Pool } from 'undici';
import { startDeadline } from '../core/deadline.ts';
import { isJsonType } from '../core/media-type.ts';
import type { Logger } from '../core/ports.ts';
import { type CircuitBreaker, type CircuitBreakerOptions, createCircuitBreaker } from './circuit-breaker.ts';

/** Nothing usable came back. `sent` is false where the other side certainly has not begun with it. */
export class UpstreamFailure extends Error {
  override readonly name = 'LinkFailure';
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
  /** Whoever asks in the background says so itself. */
  readonly quiet?: boolean | undefined;
}

export interface UpstreamClient {
  /** Throws a LinkFailure, or whatever the caller's own signal was aborted with. */
  post(posting: UpstreamRequest): Promise<UpstreamAnswer>;
  /** What came was not what it should be: counts like no answer. */
  recordFailure(): void;
  /** False while it does not answer. */
  readonly answers: boolean;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface UpstreamClientOptions {
  readonly server: string;
  readonly url: string;
  readonly log: Logger;
  /** From the first moment to the last byte, waiting for a connection included. */
  readonly deadlineMs: number;
  readonly atOnce?: number | undefined;
  readonly waiting?: number | undefined;
  /** What else goes along with each request: the trace that it belongs to. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
  readonly breaker?: Pick<CircuitBreakerOptions, 'failures' | 'firstPauseMs' | 'longestPauseMs'> | undefined;
}

const ANSWER_BYTES = 4 * 1024 * 1024;
const PING_MS = 2_000;
const AT_ONCE = 32;
const WAITING = 96;
/** The connection was never there, so nothing can have happened. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** Says which very request an answer is for: one that was kept or mixed up on the way is not taken for another's. */
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
      if (closed) log.info({ server }, 'a server answers again');
      else log.warn({ server }, 'a server does not answer and is left alone for now');
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
    // A stopping server, or a balancer with nobody behind it, says 503 before anything is begun; who does not know us begins nothing.
    if (refusal !== undefined) throw new UpstreamFailure(refusal, ![401, 403, 503].includes(response.statusCode));
    return { status: response.statusCode, text };
  }

  return {
    get answers() {
      return state.closed;
    },
    async post(posting) {
      if (!state.closed) throw new UpstreamFailure('left alone', false);
      if (running >= atOnce + waiting) throw new UpstreamFailure('busy', false);
      // The client takes this for a signal as well, at a tenth of the cost.
      const stop = new EventEmitter();
      let gaveUp: 'late' | 'gone' | undefined;
      const over = startDeadline(posting.deadlineMs ?? deadlineMs, posting, (why) => {
        gaveUp = why;
        stop.emit('abort');
      });
      running++;
      try {
        const answer = await exchange(posting, stop);
        state.good();
        return answer;
      } catch (error) {
        // Who stops waiting says nothing about the server.
        if (gaveUp === 'gone') throw error;
        state.bad();
        const failed = gaveUp === 'late' ? new UpstreamFailure('deadline', true) : asFailure(error);
        if (!posting.quiet)
          log.warn({ requestId: posting.requestId, server, reason: failed.reason }, 'a server did not answer as it should');
        throw failed;
      } finally {
        over();
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
  if (statusCode === 401) return 'it does not know the key of this process';
  if (!isJsonType(String(headers['content-type'] ?? ''))) return `status ${statusCode}, not JSON`;
  if (headers[ANSWERS_HEADER] !== answersTo(token)) return `status ${statusCode}, not for this request`;
  return undefined;
}

function asFailure(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { code = (error as Error).name } = error as { code?: string };
  return new UpstreamFailure(code, !NEVER_SENT.has(code));
}
