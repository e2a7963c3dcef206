/** Sends requests to a domain server on behalf of no user, such as employment look-ups. They are signed with the caller `gateway`. */
import { z } from 'zod';
import { failure } from '../declare/errors.ts';
import type { Clock } from '../engine/ports.ts';
import type { UpstreamClient } from '../gateway/upstream-client.ts';
import { signIdentity } from '../identity/internal.ts';
import type { SigningKey } from '../identity/keys.ts';

const replied = z.object({ status: z.literal('success'), data: z.unknown() });
const ASK_MS = 3_000;

export interface ServerRequestOptions {
  /** The server's name, which the token is signed for. */
  readonly server: string;
  /** Its name in messages to people. */
  readonly title: string;
  readonly key: SigningKey;
  readonly clock: Clock;
}

/** Every answer that does not have the expected shape becomes SERVICE_UNAVAILABLE. */
export function createServerRequest(upstream: UpstreamClient | undefined, { server, title, key, clock }: ServerRequestOptions) {
  return async <T>(path: string, question: object, requestId: string, answer: z.ZodType<T>, signal?: AbortSignal): Promise<T> => {
    if (upstream === undefined) throw failure('SERVICE_UNAVAILABLE', `${title} does not answer.`);
    const body = JSON.stringify(question);
    const person = {
      principal: 'gateway',
      sub: 'gateway',
      realm: 'staff' as const,
      username: 'gateway',
      name: 'gateway',
      email: '',
      employeeId: undefined,
      organizationId: undefined,
      roles: new Set<never>(),
    };
    const caller = {
      person,
      token: { id: '', client: 'gateway', issuedAt: 0, expiresAt: 0 },
      approves: 'nothing' as const,
      origin: 'gateway',
    };
    const token = signIdentity(key, { server, caller, requestId, method: 'POST', path, body }, clock);
    try {
      const { text } = await upstream.post({ path, body, token, requestId, signal, deadlineMs: ASK_MS, quiet: true });
      return answer.parse(replied.parse(JSON.parse(text)).data);
    } catch {
      throw failure('SERVICE_UNAVAILABLE', `${title} does not answer.`);
    }
  };
}
