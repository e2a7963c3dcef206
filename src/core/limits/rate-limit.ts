/** How much one person may ask for, on all surfaces together. */
import { randomUUID } from 'node:crypto';
import { type Failure, failure } from '../errors.ts';
import type { Clock, KeyValue, Leases } from '../ports.ts';

export interface CallLimiter {
  /** Resolves to what must be called when the work is over; throws RATE_LIMITED. */
  enter(principal: string): (() => void) | Promise<() => void>;
  /** Counts what takes no time of its own. */
  count(principal: string): void | Promise<void>;
}

/** What a person does by hand is counted apart: a busy program must not be able to keep its person from deciding. */
export const byHand = ({ principal }: { readonly principal: string }): string => `${principal} by hand`;

export interface CallLimits {
  readonly perMinute: number;
  readonly atOnce: number;
}

/** Where every replica counts. */
export interface SharedLimits {
  readonly count: KeyValue['count'];
  readonly leases: Leases;
  /** A process that was killed gives no place back: after this it is free again. Whoever still works says so in time. */
  readonly keptSeconds?: number | undefined;
}

const KEPT_SECONDS = 30;
/** Nothing takes so long: what is not over by then is forgotten here too, rather than kept for ever. */
const LONGEST_MS = 120_000;
const MOST_OWED = 10_000;
const AGAIN_MS = 500;

/** With a shared store both are counted across replicas. `refused` hears of each no. */
export function createCallLimiter(limits: CallLimits, clock: Clock, shared?: SharedLimits, refused: () => void = () => {}): CallLimiter {
  const running = new Map<string, number>();
  let minute = 0;
  let counts = new Map<string, number>();
  const thisMinute = () => Math.floor(clock.now().getTime() / 60_000);

  const no = (message: string, retryAfterSeconds: number): Failure => {
    refused();
    return failure('RATE_LIMITED', message, { retryAfterSeconds });
  };
  function checkLimit(count: number): void {
    if (count > limits.perMinute)
      throw no(`More than ${limits.perMinute} calls in a minute.`, 60 - (Math.floor(clock.now().getTime() / 1000) % 60));
  }
  const tooMany = () => no(`More than ${limits.atOnce} calls at once.`, 1);

  function pass(principal: string): void {
    const now = thisMinute();
    if (now !== minute) {
      minute = now;
      counts = new Map();
    }
    const count = (counts.get(principal) ?? 0) + 1;
    counts.set(principal, count);
    checkLimit(count);
  }
  function begin(principal: string): () => void {
    const atOnce = running.get(principal) ?? 0;
    if (atOnce >= limits.atOnce) throw tooMany();
    running.set(principal, atOnce + 1);
    return () => {
      const left = (running.get(principal) ?? 1) - 1;
      if (left > 0) running.set(principal, left);
      else running.delete(principal);
    };
  }

  if (shared === undefined) {
    return {
      count: pass,
      enter(principal) {
        pass(principal);
        return begin(principal);
      },
    };
  }
  const count = (principal: string) => shared.count(`rate:${principal}:${thisMinute()}`, 60);
  const { leases, keptSeconds = KEPT_SECONDS } = shared;
  const held = new Map<string, { readonly key: string; readonly since: number }>();
  let renewal: NodeJS.Timeout | undefined;
  /** Most calls are over long before: those that are not share a timer, so that a call costs no way to the store more than it did. */
  const sayAgain = () => {
    if (held.size === 0) {
      clearInterval(renewal);
      renewal = undefined;
    }
    for (const [holder, { key, since }] of held) {
      if (performance.now() - since > LONGEST_MS) held.delete(holder);
      else leases.renew(key, holder, keptSeconds).catch(() => undefined);
    }
  };
  const giveBack = givingBack(leases, clock, keptSeconds);
  return {
    count: async (principal) => checkLimit(await count(principal)),
    async enter(principal) {
      const [key, holder] = [`running:${principal}`, randomUUID()];
      // Asked together: one way to the store and back.
      const [counted, taken] = await Promise.allSettled([count(principal), leases.acquire(key, holder, limits.atOnce, keptSeconds)]);
      const leave = () => {
        held.delete(holder);
        giveBack(key, holder);
      };
      try {
        if (counted.status === 'rejected') throw counted.reason;
        checkLimit(counted.value);
      } catch (error) {
        leave();
        throw error;
      }
      if (taken.status === 'rejected') {
        // It may have been taken all the same, where only the answer was lost.
        leave();
        throw taken.reason;
      }
      if (!taken.value) throw tooMany();
      held.set(holder, { key, since: performance.now() });
      renewal ??= setInterval(sayAgain, (keptSeconds * 1000) / 3).unref();
      return leave;
    },
  };
}

/**
 * A place whose return the store did not hear of is given back again and again: otherwise a cut connection would keep a person out for as
 * long as places last.
 */
function givingBack(leases: Leases, clock: Clock, keptSeconds: number): (key: string, holder: string) => void {
  let owed: { readonly key: string; readonly holder: string; readonly until: number }[] = [];
  let later: NodeJS.Timeout | undefined;
  const give = (key: string, holder: string, until: number) =>
    void leases.release(key, holder).catch(() => {
      if (clock.now().getTime() >= until || owed.length >= MOST_OWED) return;
      owed.push({ key, holder, until });
      later ??= setTimeout(again, AGAIN_MS).unref();
    });
  const again = () => {
    const now = owed;
    owed = [];
    later = undefined;
    for (const { key, holder, until } of now) give(key, holder, until);
  };
  return (key, holder) => give(key, holder, clock.now().getTime() + keptSeconds * 1000);
}
