/** Reads HTTP requests: checks Host and Origin, limits the size and time of bodies, parses JSON strictly, and sends errors. */
import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Failure, failure } from '../declare/errors.ts';

export interface Addresses {
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
}

/** Returns the failure for a foreign Host or Origin; undefined if the request is allowed. */
export type Guard = (req: IncomingMessage) => Failure | undefined;

/**
 * Host protects against DNS rebinding, and Origin against pages of other sites; programs send no Origin. The port counts too, because
 * another port of localhost is another application.
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

/** The loopback names of this machine, without the port if it is 80, as clients send them. */
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

/** Returns the caller's request id if it is safe in logs and links; otherwise a new one. */
export function requestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Sends an error answer. Closes the connection after a slow body, and if a long body may be unread. */
export function sendFailure(
  res: ServerResponse,
  refused: Failure,
  { headers = {}, extra = {} }: { readonly headers?: OutgoingHttpHeaders | undefined; readonly extra?: object | undefined } = {},
): void {
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

export interface BodyLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** True if the body has an encoding other than `identity` and `chunked`. Nothing decodes such bodies, so they are refused. */
export const isPacked = ({ 'content-encoding': encoding, 'transfer-encoding': transfer }: IncomingHttpHeaders): boolean =>
  (encoding !== undefined && encoding.toLowerCase() !== 'identity') || (transfer !== undefined && transfer.toLowerCase() !== 'chunked');
export const packed = () => failure('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted.');
export const tooSlow = (ms: number) => failure('REQUEST_TIMEOUT', `The request was not complete within ${ms / 1000} seconds.`);

export const BODY_LIMITS: BodyLimits = { bytes: 256 * 1024, ms: 15_000 };

export const tooLarge = ({ bytes }: BodyLimits = BODY_LIMITS) =>
  failure('PAYLOAD_TOO_LARGE', `The body is larger than ${bytes / 1024} kB.`);

/** Rejects a body that is too large, compressed or too slow, before it is complete. */
export function readBody(req: IncomingMessage, limits: BodyLimits = BODY_LIMITS): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (isPacked(req.headers)) {
      reject(packed());
      return;
    }
    if (Number(req.headers['content-length'] ?? 0) > limits.bytes) {
      reject(tooLarge(limits));
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (settle: () => void) => {
      clearTimeout(deadline);
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError);
      settle();
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limits.bytes) finish(() => reject(tooLarge(limits)));
      else chunks.push(chunk);
    };
    const onEnd = () => finish(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => finish(() => reject(failure('VALIDATION_ERROR', 'The connection closed before the body was complete.')));
    // The HTTP listener emits a Failure as `error` on the request if the body is too slow or malformed.
    const onError = (error: Error) =>
      finish(() => reject(error instanceof Failure ? error : failure('VALIDATION_ERROR', 'The request is malformed.')));
    const deadline = setTimeout(() => finish(() => reject(tooSlow(limits.ms))), limits.ms);
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError);
    // A reset connection emits an error after close. Without a listener, this error would end the process.
    req.on('error', () => undefined);
  });
}

/** Refuses invalid UTF-8, because Node replaces invalid bytes by U+FFFD without an error. */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw failure('VALIDATION_ERROR', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) throw failure('VALIDATION_ERROR', 'The body begins with a byte order mark; remove it.');
  return text;
}

export async function readJson(req: IncomingMessage, rules: JsonRules, limits?: BodyLimits): Promise<unknown> {
  return parseJson(decodeText(await readBody(req, limits)), rules);
}

export const JSON_LIMITS = { depth: 32, keys: 2_000, items: 10_000, stringBytes: 64 * 1024 } as const;

export interface JsonRules {
  /** JSON.parse keeps the last of two equal keys. `refuse` is for MCP messages, decisions and executions, which must have one meaning. */
  readonly duplicates: 'refuse' | 'allow';
  /** The largest length of a string in bytes, if it is not the usual limit. */
  readonly stringBytes?: number | undefined;
  /** False for a body from the gateway, which has checked it. The tool still validates it. */
  readonly checked?: boolean | undefined;
}

const POISONED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const LONE_SURROGATE = /\p{Cs}/u;

const refuse = (message: string): Failure => failure('VALIDATION_ERROR', message);

/** Returns a value within the limits, with finite numbers and safe keys. Later code need not check this again. */
export function parseJson(text: string, { duplicates, stringBytes = JSON_LIMITS.stringBytes, checked = true }: JsonRules): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(text === '' ? 'The body is empty; send JSON.' : 'The body is not valid JSON.');
  }
  if (!checked) return value;
  // After decoding, NUL and lone surrogates can only come from an escape, so texts without escapes need no search.
  const walk: Walk = { keys: 0, items: 0, escapes: text.includes('\\u'), stringBytes };
  check(value, 0, walk);
  // Each member has one colon. If a text has as many colons as keys, no key is duplicated, and the slow count is not needed.
  if (duplicates === 'refuse' && countColons(text) !== walk.keys && countMembers(text) !== walk.keys)
    throw refuse('An object in the body names the same key twice.');
  return value;
}

interface Walk {
  keys: number;
  /** The total number of items of all lists. */
  items: number;
  readonly escapes: boolean;
  readonly stringBytes: number;
}

function check(value: unknown, depth: number, walk: Walk): void {
  if (typeof value === 'string') return checkString(value, walk);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw refuse('A number in the body is too large.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === JSON_LIMITS.depth) throw refuse(`The body is nested more than ${JSON_LIMITS.depth} levels deep.`);
  if (Array.isArray(value)) {
    walk.items += value.length;
    if (walk.items > JSON_LIMITS.items) throw refuse(`The lists in the body have more than ${JSON_LIMITS.items} items.`);
    for (const item of value) check(item, depth + 1, walk);
    return;
  }
  const object = value as Record<string, unknown>;
  for (const key in object) {
    if (++walk.keys > JSON_LIMITS.keys) throw refuse(`The body has more than ${JSON_LIMITS.keys} keys.`);
    if (POISONED.has(key)) throw refuse(`The key ${key} is not allowed.`);
    checkString(key, walk);
    check(object[key], depth + 1, walk);
  }
}

function checkString(value: string, { escapes, stringBytes }: Walk): void {
  // A UTF-16 unit takes at most three bytes in UTF-8, so only long strings are measured.
  if (value.length * 3 > stringBytes && Buffer.byteLength(value) > stringBytes) {
    throw refuse(`A text in the body is longer than ${stringBytes / 1024} kB.`);
  }
  if (!escapes) return;
  if (value.includes('\0')) throw refuse('A text in the body contains a NUL character.');
  if (LONE_SURROGATE.test(value)) throw refuse('A text in the body contains half of a character (a lone surrogate).');
}

function countColons(text: string): number {
  let colons = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) colons++;
  return colons;
}

/** Counts the colons outside of strings, which is the number of members. More members than keys means duplicates. */
function countMembers(text: string): number {
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 0x22) inString = !inString;
    else if (inString) {
      if (unit === 0x5c) i++;
    } else if (unit === 0x3a) members++;
  }
  return members;
}
