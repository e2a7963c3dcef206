/** Plain HTTP to the gateway. Never follows a redirect: a token goes to the address that it was made for, or nowhere. */
import { request } from 'undici';
import { canonicalUuid } from '../../identity/claims.ts';
import type { Acting } from './person.ts';
import { EXIT, Stop } from './stop.ts';

export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> & { readonly status: string };
  readonly requestId: string;
  readonly ms: number;
  /** How much the server's clock is ahead of ours. */
  readonly aheadMs: number;
}

export interface Client {
  get(path: string): Promise<Reply>;
  post(path: string, json: string): Promise<Reply>;
  /** With a right for this one confirmation, good for a minute and once. */
  decide(confirmationId: string, approved: boolean): Promise<Reply>;
}

const PATIENCE_MS = 60_000;

export function openClient({ base, token }: Acting): Client {
  async function send(method: 'GET' | 'POST', path: string, json: string | undefined, bearer: string): Promise<Reply> {
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
        headersTimeout: PATIENCE_MS,
        bodyTimeout: PATIENCE_MS,
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
  return {
    get: async (path) => send('GET', path, undefined, await token(audience)),
    post: async (path, json) => send('POST', path, json, await token(audience)),
    async decide(confirmationId, approved) {
      const id = canonicalUuid(confirmationId);
      if (id === undefined) throw stranger(base);
      return send('POST', `/api/confirm/${id}`, JSON.stringify({ approved }), await token(audience, { approve: id }));
    },
  };
}

/** The header knows whole seconds only: less than two is no difference. */
function aheadOf(date: string): number {
  const ahead = Date.parse(date) - Date.now();
  return Math.abs(ahead) > 2_000 ? ahead : 0;
}

export const unanswered = (base: string) => new Stop(`Tamshai does not answer at ${base}; start it with npm start.`, EXIT.unavailable);
const stranger = (base: string) => new Stop(`What answers at ${base} is not Tamshai.`, EXIT.unavailable);

function unionIn(text: string, base: string): Reply['body'] {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'status' in body && typeof body.status === 'string') return body as Reply['body'];
  } catch {
    // Said below.
  }
  throw stranger(base);
}
