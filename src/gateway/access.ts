/** Who is calling, by whichever way they came: a token for this address, or a browser session of our own. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../core/caller.ts';
import { Failure, failure } from '../core/errors.ts';
import type { Clock } from '../core/ports.ts';
import { bearer, type Verifier } from '../identity/verify.ts';

/** The browser session, as far as the API needs it. */
export interface BrowserSessions {
  /** Undefined when the request carries no session. */
  authenticate(req: IncomingMessage, options?: { readonly freshSeconds?: number }): Promise<Caller | undefined>;
  /** Throws unless the request comes from a page of ours and repeats the session's own token; `about` narrows it to one card. */
  checkCsrf(req: IncomingMessage, options?: { readonly about?: string; readonly header?: string }): void;
}

/** `deciding`: a person's state of a moment ago does not do. */
export type Authenticate = (req: IncomingMessage, deciding?: boolean) => Caller | Promise<Caller>;

/** Tokens only: for MCP and for domain servers, where cookies mean nothing. */
export const byToken =
  (verifier: Verifier, audiences: readonly string[]): Authenticate =>
  (req) => {
    const { authorization } = req.headers;
    return verifier.verifyCached(authorization, audiences) ?? verifier.verify(bearer(authorization), audiences);
  };

export const byTokenOrSession = (verifier: Verifier, audiences: readonly string[], sessions: BrowserSessions): Authenticate => {
  const token = byToken(verifier, audiences);
  return (req, deciding = false) => (req.headers.authorization !== undefined ? token(req) : bySession(req, sessions, deciding));
};

/** A decision needs a state of the person that is no older than this: a session's token is renewed for it. */
const FRESH_SECONDS = 45;

async function bySession(req: IncomingMessage, sessions: BrowserSessions, deciding: boolean): Promise<Caller> {
  const caller = await sessions.authenticate(req, deciding ? { freshSeconds: FRESH_SECONDS } : {});
  if (!caller) throw failure('UNAUTHENTICATED', 'Your sign-in is missing or no longer valid.');
  if (req.method !== 'GET' && req.method !== 'HEAD') sessions.checkCsrf(req);
  return caller;
}

/** Hears of each call that came without a good sign-in; throws when its address does so too often. */
export type OnUnauthenticated = (req: IncomingMessage) => void;

/** Refused sign-ins are counted, not written one by one: anyone can make them. */
export async function counted<T>(req: IncomingMessage, onUnauthenticated: OnUnauthenticated, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.status === 401) onUnauthenticated(req);
    throw error;
  }
}

/** For a request whose body was refused: undefined where nobody is signed in, which is counted and not recorded one by one. */
export async function callerIfAny<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.status === 401) return undefined;
    throw error;
  }
}

/** Good sign-ins from the same address are never held up: only what was refused anyway is told to slow down. */
export function createFailedAuthLimit(perSecond: number, clock: Clock, refused: () => void = () => {}): OnUnauthenticated {
  let second = 0;
  let counts = new Map<string, number>();
  return ({ socket }) => {
    const now = Math.floor(clock.now().getTime() / 1000);
    if (now !== second) {
      second = now;
      counts = new Map();
    }
    const address = socket.remoteAddress ?? '';
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    if (count <= perSecond) return;
    refused();
    throw failure('RATE_LIMITED', 'Too many calls without a valid sign-in from this address.', { retryAfterSeconds: 1 });
  };
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** Someone at this very machine; a proxy on it that speaks for others gives itself away. */
export const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  LOOPBACK.has(socket.remoteAddress ?? '') && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined;
