/** Authenticates requests by bearer token or browser session, and limits failed sign-ins per address. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../engine/caller.ts';
import { Failure, failure } from '../declare/errors.ts';
import type { Clock } from '../engine/ports.ts';
import { byToken, type Verifier } from '../identity/verify.ts';

/** The part of browser sessions that the API needs. */
export interface BrowserSessions {
  /** Undefined if the request carries no session. */
  authenticate(req: IncomingMessage, options?: { readonly freshSeconds?: number }): Promise<Caller | undefined>;
  /** Throws unless the request has our origin and the session's CSRF token; `about` binds the token to one card. */
  checkCsrf(req: IncomingMessage, options?: { readonly about?: string; readonly header?: string }): void;
}

/** `deciding`: the request decides on a change, so a browser session renews an access token that is older than FRESH_SECONDS. */
export type Authenticate = (req: IncomingMessage, deciding?: boolean) => Caller | Promise<Caller>;

export const byTokenOrSession = (verifier: Verifier, audiences: readonly string[], sessions: BrowserSessions): Authenticate => {
  const token = byToken(verifier, audiences);
  return (req, deciding = false) => (req.headers.authorization !== undefined ? token(req) : bySession(req, sessions, deciding));
};

/** For a decision, a session's token that is older than this is refreshed first. */
const FRESH_SECONDS = 45;

async function bySession(req: IncomingMessage, sessions: BrowserSessions, deciding: boolean): Promise<Caller> {
  const caller = await sessions.authenticate(req, deciding ? { freshSeconds: FRESH_SECONDS } : {});
  if (!caller) throw failure('UNAUTHENTICATED', 'Your sign-in is missing or no longer valid.');
  if (req.method !== 'GET' && req.method !== 'HEAD') sessions.checkCsrf(req);
  return caller;
}

/** Called for every request with a missing or invalid sign-in. Throws RATE_LIMITED if the address sends too many. */
export type OnUnauthenticated = (req: IncomingMessage) => void;

/** Calls `onUnauthenticated` for a failed sign-in. Failed sign-ins are counted, not recorded one by one, since anyone can cause them. */
export async function counted<T>(req: IncomingMessage, onUnauthenticated: OnUnauthenticated, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.status === 401) onUnauthenticated(req);
    throw error;
  }
}

/** Finds the caller for the audit record of a refused request. Returns undefined for an invalid sign-in: such requests are not recorded. */
export async function callerIfAny<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.status === 401) return undefined;
    throw error;
  }
}

/** Limits failed sign-ins per address and second. Valid sign-ins from the same address are not affected. */
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

/** Whether the request comes from this machine itself, and not through a proxy on it. */
export const isLocal = ({ socket, headers }: IncomingMessage): boolean =>
  LOOPBACK.has(socket.remoteAddress ?? '') && headers['x-forwarded-for'] === undefined && headers.forwarded === undefined;
