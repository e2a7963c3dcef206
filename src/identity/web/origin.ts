import type { IncomingMessage } from 'node:http';
import { sameAudience } from '../issuers.ts';

/** The exact origin: scheme, host and port. For anything that a script of ours asks for. */
export const hasOurOrigin = (req: IncomingMessage, base: string): boolean => req.headers.origin === new URL(base).origin;

/**
 * The same for a plain form. Under `no-referrer` a browser sends `Origin: null` with those, so its own word for where the form stood has
 * to do; no page can set that header.
 */
export const fromOurPage = (req: IncomingMessage, base: string): boolean =>
  hasOurOrigin(req, base) ||
  ((req.headers.origin === undefined || req.headers.origin === 'null') && req.headers['sec-fetch-site'] === 'same-origin');

/** Asked for under our own name, or another loopback name of it: a page elsewhere that points its own name at us is refused. */
export function hostAllowed(base: string): (req: IncomingMessage) => boolean {
  const hosts = new Set(sameAudience(base).map((url) => new URL(url).host));
  return ({ headers: { host } }) => host !== undefined && hosts.has(host.toLowerCase());
}
