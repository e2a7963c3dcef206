/** Limits the tool calls of each principal over all surfaces: calls per minute, and calls at the same time. */
import { type Failure, failure } from '../../declare/errors.ts';
import type { Clock, KeyValue, Leases } from '../ports.ts';
import { createLeasedSlots, createLocalSlots } from './concurrency-limit.ts';
import { createLocalRateLimit, createSharedRateLimit } from './rate-limit.ts';

export interface CallLimiter {
  /** Counts a call and takes a slot. Returns a function that frees the slot. Throws RATE_LIMITED. */
  enter(principal: string): (() => void) | Promise<() => void>;
  /** Counts a request without a slot. Throws RATE_LIMITED. */
  count(principal: string): void | Promise<void>;
}

/** The key for requests that call no tool, such as decisions. Tool calls have another key, so they cannot block a decision. */
export const requestKeyOf = ({ principal }: { readonly principal: string }): string => `${principal} by hand`;

export interface CallLimits {
  readonly perMinute: number;
  readonly atOnce: number;
}

export interface CallLimiterOptions {
  readonly clock: Clock;
  /** If set, both limits apply to the sum over all processes that share this store. */
  readonly shared?: SharedLimits | undefined;
  /** Called once for every refused call. */
  readonly onRefused?: () => void;
}

export interface SharedLimits {
  readonly count: KeyValue['count'];
  readonly leases: Leases;
  /** A slot of a killed process becomes free after this time. */
  readonly leaseSeconds?: number | undefined;
}

export function createCallLimiter({ perMinute, atOnce }: CallLimits, options: CallLimiterOptions): CallLimiter {
  const { clock, shared, onRefused = () => {} } = options;
  const refused = (message: string, retryAfterSeconds: number): Failure => {
    onRefused();
    return failure('RATE_LIMITED', message, { retryAfterSeconds });
  };
  function checkRate(retryAfterSeconds: number | undefined): void {
    if (retryAfterSeconds !== undefined) throw refused(`More than ${perMinute} calls in a minute.`, retryAfterSeconds);
  }
  function checkSlot(free: (() => void) | undefined): () => void {
    if (free === undefined) throw refused(`More than ${atOnce} calls at once.`, 1);
    return free;
  }

  if (shared === undefined) {
    const countCall = createLocalRateLimit(perMinute, clock);
    const takeSlot = createLocalSlots(atOnce);
    const count = (principal: string) => checkRate(countCall(principal));
    return {
      count,
      enter(principal) {
        count(principal);
        return checkSlot(takeSlot(principal));
      },
    };
  }
  const countCall = createSharedRateLimit(perMinute, clock, shared.count);
  const takeSlot = createLeasedSlots(atOnce, { leases: shared.leases, clock, seconds: shared.leaseSeconds });
  return {
    count: async (principal) => checkRate(await countCall(principal)),
    async enter(principal) {
      // Sends both requests at once, so that the call waits for only one round trip.
      const [counted, taken] = await Promise.allSettled([countCall(principal), takeSlot(principal)]);
      try {
        if (counted.status === 'rejected') throw counted.reason;
        checkRate(counted.value);
      } catch (error) {
        if (taken.status === 'fulfilled') taken.value?.();
        throw error;
      }
      if (taken.status === 'rejected') throw taken.reason;
      return checkSlot(taken.value);
    },
  };
}
