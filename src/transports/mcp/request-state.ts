import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What a request state is good for. All of it is under the code; only the confirmation id and the time travel. */
export interface StateBinding {
  readonly principal: string;
  readonly tool: string;
  readonly args: unknown;
}

export interface RequestState {
  readonly confirmationId: string;
  readonly expiresAt: number;
}

const VERSION = 'v1';

/**
 * What a 2026 client brings back after it showed the approval page. It only says which ticket to look at, and only to the
 * person, for the tool and the input it was made for: nothing can be decided with it.
 */
export function sealState(key: Uint8Array, binding: StateBinding, state: RequestState): string {
  const payload = Buffer.from(JSON.stringify([state.confirmationId, state.expiresAt])).toString('base64url');
  return `${VERSION}.${payload}.${codeOf(key, binding, payload).toString('base64url')}`;
}

/** Undefined for anything that was not sealed for exactly this person, tool and input. */
export function openState(key: Uint8Array, binding: StateBinding, sealed: string): RequestState | undefined {
  const [version, payload, code, ...rest] = sealed.split('.');
  if (version !== VERSION || payload === undefined || code === undefined || rest.length > 0) return undefined;
  const given = Buffer.from(code, 'base64url');
  const right = codeOf(key, binding, payload);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const [confirmationId, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [string, number];
  return { confirmationId, expiresAt };
}

function codeOf(key: Uint8Array, { principal, tool, args }: StateBinding, payload: string): Buffer {
  const digest = createHash('sha256').update(canonical(args)).digest('base64url');
  return createHmac('sha256', key)
    .update(JSON.stringify(['mcp request state', VERSION, principal, tool, digest, payload]))
    .digest();
}

/** The same text for the same input, in whatever order a client writes its keys. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
