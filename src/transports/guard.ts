/** Checks Host and Origin of every request, assigns request ids, and sends errors without a framework. */
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Failure, failure } from '../declare/errors.ts';
import { BODY_LIMITS } from './body.ts';

/** The addresses of this server: `host:port` as in the Host header, and origins including their port. */
export interface Addresses {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** Returns the failure for a foreign Host or Origin; undefined if the request is allowed. */
export type Guard = (req: IncomingMessage) => Failure | undefined;

/**
 * Protects against DNS rebinding (by Host) and cross-origin pages (by Origin); programs send no Origin.
 * Both are compared including the port, since another port of localhost is another application.
 */
export function createHostGuard({ hosts, origins }: Addresses): Guard {
  const ourHosts = new Set(hosts.map((host) => host.toLowerCase()));
  const ourOrigins = new Set(origins);
  return ({ url, headers: { host, origin } }) => {
    // An absolute request target would override Host (RFC 9112, section 3.2.2).
    if (url !== undefined && !url.startsWith('/') && url !== '*')
      return failure('FORBIDDEN_ORIGIN', 'This address does not belong to this server.');
    if (host === undefined || !(ourHosts.has(host) || ourHosts.has(host.toLowerCase()))) {
      return failure('FORBIDDEN_ORIGIN', 'This address does not belong to this server.');
    }
    if (origin !== undefined && !ourOrigins.has(origin))
      return failure('FORBIDDEN_ORIGIN', 'Pages of other sites may not call this server.');
    return undefined;
  };
}

/** The loopback names of this machine. Clients omit the default port in Host and Origin. */
export function loopbackAddresses(port: number): Addresses {
  const hosts = ['localhost', '127.0.0.1', '[::1]'].map((name) => (port === 80 ? name : `${name}:${port}`));
  return { hosts, origins: hosts.map((host) => `http://${host}`) };
}

export function publicAddress(url: string): Addresses {
  const { host, origin } = new URL(url);
  return { hosts: [host], origins: [origin] };
}

export const joinAddresses = (...all: readonly Addresses[]): Addresses => ({
  hosts: all.flatMap(({ hosts }) => hosts),
  origins: all.flatMap(({ origins }) => origins),
});

const REQUEST_ID = /^[\w-]{1,64}$/;

/** The caller's own request id if it is safe in logs and links, else a new one. */
export function requestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Sends an error answer. Closes the connection if the body was too slow, or is unread and may be long. */
export function sendFailure(res: ServerResponse, refused: Failure, headers: OutgoingHttpHeaders = {}, extra: object = {}): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const body = JSON.stringify({ ...refused.answer(), ...extra });
  res.writeHead(refused.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...((refused.code === 'REQUEST_TIMEOUT' || hasUnreadBody(res.req)) && { connection: 'close' }),
    ...headers,
  });
  res.end(body);
}

function hasUnreadBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  const declared = headers['content-length'];
  return declared === undefined ? headers['transfer-encoding'] !== undefined : Number(declared) > BODY_LIMITS.bytes;
}
