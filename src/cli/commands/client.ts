/** HTTP client for the gateway. The client follows no redirects, so that a token reaches only its own audience. */
import { request } from 'undici';
import { canonicalUuid } from '../../identity/claims.ts';
import type { Acting } from './person.ts';
import { EXIT, Stop } from './stop.ts';

export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly status: string };
  readonly requestId: string;
  readonly ms: number;
  /** How far the server's clock is ahead of the local clock. */
  readonly aheadMs: number;
}

/** `refused` is set if the server answered without a stream. */
export interface Streamed {
  readonly aheadMs: number;
  readonly refused: Reply | undefined;
}

export interface Client {
  /** Calls `onEvent` for every event of the stream. */
  stream(path: string, json: string, onEvent: (event: Readonly<Record<string, unknown>>) => void): Promise<Streamed>;
  get(path: string): Promise<Reply>;
  post(path: string, json: string): Promise<Reply>;
  /** Uses a token that may approve this confirmation once, within a minute. */
  decide(confirmationId: string, approved: boolean): Promise<Reply>;
}

const DEADLINE_MS = 60_000;

export function openClient({ base, token }: Acting): Client {
  async function send(
    method: 'GET' | 'POST',
    path: string,
    { json, bearer }: { readonly json: string | undefined; readonly bearer: string },
  ): Promise<Reply> {
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${bearer}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
    };
    const began = performance.now();
    try {
      const answer = await request(`${base}${path}`, {
        method,
        headers,
        body: json ?? null,
        headersTimeout: DEADLINE_MS,
        bodyTimeout: DEADLINE_MS,
      });
      const text = await answer.body.text();
      return {
        status: answer.statusCode,
        body: unionIn(text, base),
        requestId: String(answer.headers['x-request-id'] ?? ''),
        ms: performance.now() - began,
        aheadMs: aheadOf(String(answer.headers['date'])),
      };
    } catch (error) {
      if (error instanceof Stop) throw error;
      throw unanswered(base);
    }
  }
  const audience = `${base}/api`;
  async function stream(path: string, json: string, onEvent: (event: Readonly<Record<string, unknown>>) => void): Promise<Streamed> {
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${await token(audience)}` };
    const began = performance.now();
    let complete = false;
    try {
      const answer = await request(`${base}${path}`, {
        method: 'POST',
        headers,
        body: json,
        headersTimeout: DEADLINE_MS,
        bodyTimeout: DEADLINE_MS,
      });
      const aheadMs = aheadOf(String(answer.headers['date']));
      if (answer.statusCode !== 200) {
        const body = unionIn(await answer.body.text(), base);
        return {
          aheadMs,
          refused: {
            status: answer.statusCode,
            body,
            requestId: String(answer.headers['x-request-id'] ?? ''),
            ms: performance.now() - began,
            aheadMs,
          },
        };
      }
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
        const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          if (block === 'data: [DONE]') complete = true;
          else if (block.startsWith('data: ')) onEvent(JSON.parse(block.slice(6)) as Record<string, unknown>);
        }
      }
      if (!complete) throw brokenOff(base);
      return { aheadMs, refused: undefined };
    } catch (error) {
      if (error instanceof Stop) throw error;
      throw complete ? notTamshai(base) : unanswered(base);
    }
  }
  return {
    stream,
    get: async (path) => send('GET', path, { json: undefined, bearer: await token(audience) }),
    post: async (path, json) => send('POST', path, { json, bearer: await token(audience) }),
    async decide(confirmationId, approved) {
      const id = canonicalUuid(confirmationId);
      if (id === undefined) throw notTamshai(base);
      return send('POST', `/api/confirm/${id}`, { json: JSON.stringify({ approved }), bearer: await token(audience, { approve: id }) });
    },
  };
}

/** The Date header has whole seconds, so a difference below two seconds is ignored. */
function aheadOf(date: string): number {
  const ahead = Date.parse(date) - Date.now();
  return Math.abs(ahead) > 2_000 ? ahead : 0;
}

export const unanswered = (base: string) => new Stop(`Tamshai does not answer at ${base}; start it with npm start.`, EXIT.unavailable);
const brokenOff = (base: string) => new Stop(`The connection to ${base} was lost; the answer above may be incomplete.`, EXIT.unavailable);
const notTamshai = (base: string) => new Stop(`The server at ${base} is not Tamshai.`, EXIT.unavailable);

function unionIn(text: string, base: string): Reply['body'] {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'status' in body && typeof body.status === 'string') return body as Reply['body'];
  } catch {}
  throw notTamshai(base);
}
