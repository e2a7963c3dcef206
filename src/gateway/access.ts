/** Authenticates requests by bearer token or browser session, and limits failed sign-ins per address. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../engine/caller.ts';
import { Failure, failure } from '../declare/errors.ts';
import type { Clock } from '../engine/ports.ts';
import { byToken, type Verifier } from '../identity/verify.ts';

/** The functions of browser sessions that the API uses. */
export interface BrowserSessions {
  /** Undefined if the request has no session. */
  authenticate(req: IncomingMessage, options?: { readonly freshSeconds?: number }): Promise<Caller | undefined>;
  /** Throws unless the request has our origin and the CSRF token of the session. With `about`, the token is valid for one card only. */
  checkCsrf(req: IncomingMessage, options?: { readonly about?: string; readonly header?: string }): void;
}

/** With `deciding`, a browser session renews an access token that is older than FRESH_SECONDS. */
export type Authenticate = (req: IncomingMessage, deciding?: boolean) => Caller | Promise<Caller>;

export const byTokenOrSession = (verifier: Verifier, audiences: readonly string[], sessions: BrowserSessions): Authenticate => {
  const token = byToken(verifier, audiences);
  return (req, deciding = false) => (req.headers.authorization !== undefined ? token(req) : bySession(req, sessions, deciding));
};

const FRESH_SECONDS = 45;

async function bySession(req: IncomingMessage, sessions: BrowserSessions, deciding: boolean): Promise<Caller> {
  const caller = await sessions.authenticate(req, deciding ? { freshSeconds: FRESH_SECONDS } : {});
  if (!caller) throw failure('UNAUTHENTICATED', 'Your sign-in is missing or no longer valid.');
  if (req.method !== 'GET' && req.method !== 'HEAD') sessions.checkCsrf(req);
  return caller;
}

/** Called for every request with a missing or invalid sign-in. Throws RATE_LIMITED if the address sends too many. */
export type OnUnauthenticated = (req: IncomingMessage) => void;

/** Calls `onUnauthenticated` for a failed sign-in. Such requests are only counted, because anyone can send them. */
export async function counted<T>(req: IncomingMessage, onUnauthenticated: OnUnauthenticated, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.status === 401) onUnauthenticated(req);
    throw error;
  }
}

/** Returns the caller of a refused request for its audit record; undefined for an invalid sign-in, which has no audit record. */
export async function callerIfAny<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.status === 401) return undefined;
    throw error;
  }
}

/** Limits failed sign-ins per address and second. It does not limit valid sign-ins. */
export function createFailedAuthLimit(perSecond: number, clock: Clock, onLimited: () => void = () => {}): OnUnauthenticated {
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
    onLimited();
    throw failure('RATE_LIMITED', 'Too many calls without a valid sign-in from this address.', { retryAfterSeconds: 1 });
  };
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

/** True if a program on this machine sent the request directly, without a proxy. */
export const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  LOOPBACK.has(socket.remoteAddress ?? '') && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined;
