/** Checks the Origin, Sec-Fetch-Site and Host headers of browser requests. */
import type { IncomingMessage } from 'node:http';
import { sameAudience } from '../issuers.ts';

/** For requests of our scripts: the origin must have our scheme, host and port. */
export const hasOurOrigin = (req: IncomingMessage, base: string): boolean => req.headers.origin === new URL(base).origin;

/**
 * For plain forms. Browsers send `Origin: null` with them because of `no-referrer`, so `Sec-Fetch-Site` decides. Pages cannot set that
 * header.
 */
export const fromOurPage = (req: IncomingMessage, base: string): boolean =>
  hasOurOrigin(req, base) ||
  ((req.headers.origin === undefined || req.headers.origin === 'null') && req.headers['sec-fetch-site'] === 'same-origin');

/** Allows our own host and its loopback names. This prevents DNS rebinding. */
export function hostAllowed(base: string): (req: IncomingMessage) => boolean {
  const hosts = new Set(sameAudience(base).map((url) => new URL(url).host));
  return ({ headers: { host } }) => host !== undefined && hosts.has(host.toLowerCase());
}
