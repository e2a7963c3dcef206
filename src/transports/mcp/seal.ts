/** Signs the session ids and request states that clients send back (HMAC-SHA256). */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../engine/caller.ts';

/** A session id or a request state grants no right. It only names a session or a ticket. */
export interface RequestState {
  readonly confirmationId: string;
  readonly expiresAt: number;
}

/** A request state is valid only for this person, tool and input. */
export interface StateBinding {
  readonly principal: string;
  readonly tool: string;
  readonly args: unknown;
}

export const sealState = (key: Uint8Array, binding: StateBinding, { confirmationId, expiresAt }: RequestState): string =>
  seal(key, stateBound(binding), [confirmationId, expiresAt]);

export function openState(key: Uint8Array, binding: StateBinding, sealed: string): RequestState | undefined {
  const fields = open(key, stateBound(binding), sealed) as [string, number] | undefined;
  return fields && { confirmationId: fields[0], expiresAt: fields[1] };
}

function stateBound({ principal, tool, args }: StateBinding): readonly string[] {
  return ['request state', principal, tool, createHash('sha256').update(canonical(args)).digest('base64url')];
}

export interface SessionFacts {
  /** The id of the process that holds the session. */
  readonly instance: string;
  readonly begunAt: number;
  readonly clientName: string | undefined;
}

/** A session id is valid only for the person and client that began the session. Every replica can verify it. */
export const sealSession = (key: Uint8Array, caller: Caller, { instance, begunAt, clientName }: SessionFacts): string =>
  seal(key, sessionBound(caller), [instance, begunAt, clientName ?? '', randomBytes(12).toString('base64url')]);

export function openSession(key: Uint8Array, caller: Caller, id: string): SessionFacts | undefined {
  const fields = open(key, sessionBound(caller), id) as [string, number, string] | undefined;
  return fields && { instance: fields[0], begunAt: fields[1], clientName: fields[2] === '' ? undefined : fields[2] };
}

const sessionBound = ({ person, token }: Caller): readonly string[] => ['session', person.principal, token.client];

const VERSION = 'v1';

/** The client can read `fields`. `bound` is only in the MAC. The client can change neither. */
function seal(key: Uint8Array, bound: readonly string[], fields: readonly unknown[]): string {
  const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
  return `${VERSION}.${payload}.${macOf(key, bound, payload).toString('base64url')}`;
}

function open(key: Uint8Array, bound: readonly string[], sealed: string): unknown {
  const [version, payload, mac, ...rest] = sealed.split('.');
  if (version !== VERSION || payload === undefined || mac === undefined || rest.length > 0) return undefined;
  const actual = Buffer.from(mac, 'base64url');
  const expected = macOf(key, bound, payload);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

function macOf(key: Uint8Array, bound: readonly string[], payload: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([VERSION, ...bound, payload]))
    .digest();
}

/** Serialises equal inputs to equal texts, in any order of keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
