import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../core/caller.ts';

/** What a client carries for us and brings back. Neither gives it a right: each only says what to look at. */

export interface RequestState {
  readonly confirmationId: string;
  readonly expiresAt: number;
}

/** Good for exactly this person, tool and input, after the client showed the approval page. */
export interface StateBinding {
  readonly principal: string;
  readonly tool: string;
  readonly args: unknown;
}

export const sealState = (key: Uint8Array, binding: StateBinding, { confirmationId, expiresAt }: RequestState): string =>
  seal(key, stateBound(binding), [confirmationId, expiresAt]);

export function openState(key: Uint8Array, binding: StateBinding, sealed: string): RequestState | undefined {
  const shown = open(key, stateBound(binding), sealed) as [string, number] | undefined;
  return shown && { confirmationId: shown[0], expiresAt: shown[1] };
}

function stateBound({ principal, tool, args }: StateBinding): readonly string[] {
  return ['request state', principal, tool, createHash('sha256').update(canonical(args)).digest('base64url')];
}

export interface SessionFacts {
  /** The process that holds the session. */
  readonly home: string;
  readonly begunAt: number;
  readonly clientName: string | undefined;
}

/** A session's id, good for the person and client program that began it: every replica can tell that it is genuine. */
export const sealSession = (key: Uint8Array, caller: Caller, { home, begunAt, clientName }: SessionFacts): string =>
  seal(key, sessionBound(caller), [home, begunAt, clientName ?? '', randomBytes(12).toString('base64url')]);

export function openSession(key: Uint8Array, caller: Caller, id: string): SessionFacts | undefined {
  const shown = open(key, sessionBound(caller), id) as [string, number, string] | undefined;
  return shown && { home: shown[0], begunAt: shown[1], clientName: shown[2] === '' ? undefined : shown[2] };
}

const sessionBound = ({ person, token }: Caller): readonly string[] => ['session', person.principal, token.client];

const VERSION = 'v1';

/** `shown` can be read by whoever holds it, `bound` is only under the code; neither can be changed. */
function seal(key: Uint8Array, bound: readonly string[], shown: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(shown)).toString('base64url');
  return `${VERSION}.${payload}.${codeOf(key, bound, payload).toString('base64url')}`;
}

function open(key: Uint8Array, bound: readonly string[], sealed: string): unknown {
  const [version, payload, code, ...rest] = sealed.split('.');
  if (version !== VERSION || payload === undefined || code === undefined || rest.length > 0) return undefined;
  const given = Buffer.from(code, 'base64url');
  const right = codeOf(key, bound, payload);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

function codeOf(key: Uint8Array, bound: readonly string[], payload: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([VERSION, ...bound, payload]))
    .digest();
}

/** The same text for the same input, in whatever order a client writes its keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
