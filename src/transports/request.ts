/** Checks and reads HTTP requests: Host and Origin, request ids, bodies bounded in size and time, strict JSON. Sends errors without a framework. */
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

export interface BodyLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Whether a body has an encoding other than `identity` and `chunked`. Such bodies are refused, since no layer decodes them. */
export const isPacked = ({ 'content-encoding': encoding, 'transfer-encoding': transfer }: IncomingHttpHeaders): boolean =>
  (encoding !== undefined && encoding.toLowerCase() !== 'identity') || (transfer !== undefined && transfer.toLowerCase() !== 'chunked');
export const packed = () => failure('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted.');
export const tooSlow = (ms: number) => failure('REQUEST_TIMEOUT', `The request was not complete within ${ms / 1000} seconds.`);

export const BODY_LIMITS: BodyLimits = { bytes: 256 * 1024, ms: 15_000 };

export const tooLarge = ({ bytes }: BodyLimits = BODY_LIMITS) =>
  failure('PAYLOAD_TOO_LARGE', `The body is larger than ${bytes / 1024} kB.`);

/** Rejects as soon as the body is known to be too large, compressed or too slow. */
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
    // The HTTP listener emits a Failure as `error` on the request when the body is too slow or malformed.
    const onError = (error: Error) =>
      finish(() => reject(error instanceof Failure ? error : failure('VALIDATION_ERROR', 'The request is malformed.')));
    const deadline = setTimeout(() => finish(() => reject(tooSlow(limits.ms))), limits.ms);
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError);
    // A reset connection emits an error after close; without a listener it would end the process.
    req.on('error', () => undefined);
  });
}

/** Refuses invalid UTF-8: Node's own decoding would silently replace broken bytes by U+FFFD. */
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
  /**
   * JSON.parse silently keeps the last of two equal keys. `refuse` is for MCP messages, decisions and executions, where it
   * must be clear which value the sender meant.
   */
  readonly duplicates: 'refuse' | 'allow';
  /** The most bytes of a string, if they differ from the limit for callers. */
  readonly stringBytes?: number | undefined;
  /** False for a body that the gateway has parsed and signed: the tool validates it, so that a refusal is in the audit log. */
  readonly checked?: boolean | undefined;
}

const POISONED: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const LONE_SURROGATE = /\p{Cs}/u;

const refuse = (message: string): Failure => failure('VALIDATION_ERROR', message);

/** Returns a bounded, well-formed value with finite numbers and safe keys, so that later layers need not check this again. */
export function parseJson(text: string, { duplicates, stringBytes = JSON_LIMITS.stringBytes, checked = true }: JsonRules): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(text === '' ? 'The body is empty; send JSON.' : 'The body is not valid JSON.');
  }
  if (!checked) return value;
  // In decoded UTF-8, NUL and lone surrogates can only come from an escape, so most bodies skip the search for them.
  const walk: Walk = { keys: 0, items: 0, escapes: text.includes('\\u'), stringBytes };
  check(value, 0, walk);
  // Each member has one colon. If the numbers of colons and keys are equal, no key is duplicated and the slower count is not needed.
  if (duplicates === 'refuse' && countColons(text) !== walk.keys && countMembers(text) !== walk.keys)
    throw refuse('An object in the body names the same key twice.');
  return value;
}

interface Walk {
  keys: number;
  /** The sum over all lists. */
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
  // A UTF-16 unit takes at most three bytes in UTF-8, so only long strings need to be measured.
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

/** Counts the members in the text by their colons outside of strings. More members than keys means duplicates. */
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
