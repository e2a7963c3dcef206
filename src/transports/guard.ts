import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type Failure, failure } from '../core/errors.ts';
import { BODY_LIMITS } from './body.ts';

/** The addresses we answer at: `host:port` as it stands in Host, and whole origins with their port. */
export interface Addresses {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** What is wrong with where a request says it comes from and goes to; undefined when nothing is. */
export type Guard = (req: IncomingMessage) => Failure | undefined;

/**
 * Keeps web pages out: a page that rebinds its own DNS name to us gives itself away by Host, any other page by Origin.
 * Programs send no Origin. Both are compared whole, port included: another port of localhost is somebody else.
 */
export function createHostGuard({ hosts, origins }: Addresses): Guard {
  const ourHosts = new Set(hosts.map((host) => host.toLowerCase()));
  const ourOrigins = new Set(origins);
  return ({ url, headers: { host, origin } }) => {
    // A target with an authority of its own would replace Host (RFC 9112, section 3.2.2).
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

/** How this machine is called from itself. A default port is left out of Host and Origin by every client. */
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

/** The caller's own id where it is harmless in logs and links, else a new one. */
export function requestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Answers with the union. A body that is too slow, or unread and not known to be short, ends the connection. */
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
