/** Authenticates and counts callers of the REST API, and validates their parameters. */
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type CallLimiter, requestKeyOf } from '../engine/limits/call-limiter.ts';
import type { Caller } from '../engine/caller.ts';
import { failure } from '../declare/errors.ts';
import { type Authenticate, counted, type OnUnauthenticated } from './access.ts';

export interface CallersOptions {
  readonly authenticate: Authenticate;
  readonly onUnauthenticated: OnUnauthenticated;
  readonly callLimiter: CallLimiter;
}

export function createCallers({ authenticate, onUnauthenticated, callLimiter }: CallersOptions) {
  const caller = (req: FastifyRequest, deciding = false): Promise<Caller> =>
    counted(req.raw, onUnauthenticated, () => authenticate(req.raw, deciding));
  return {
    caller,
    /** For requests that call no tool. They have their own rate limit, so that tool calls cannot block a decision. */
    async countedCaller(req: FastifyRequest, deciding = false): Promise<Caller> {
      const who = await caller(req, deciding);
      await callLimiter.count(requestKeyOf(who.person));
      return who;
    },
  };
}

export function parsed<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success)
    throw failure(
      'VALIDATION_ERROR',
      result.error.issues
        .map(({ message, path }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
        .join('; ')
        .slice(0, 500),
    );
  return result.data;
}
