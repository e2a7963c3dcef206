/** How much one person may ask for, on all surfaces together. */
import { failure } from './errors.ts';
import type { Clock, KeyValue } from './ports.ts';

export interface Admission {
  /** Resolves to what must be called when the work is over; throws RATE_LIMITED. */
  enter(principal: string): (() => void) | Promise<() => void>;
}

export interface AdmissionLimits {
  readonly perMinute: number;
  readonly atOnce: number;
}

/** With a shared counter the minute is counted across replicas; what runs at once is counted here. `refused` hears of each no. */
export function admission(limits: AdmissionLimits, clock: Clock, shared?: KeyValue, refused: () => void = () => {}): Admission {
  const running = new Map<string, number>();
  let minute = 0;
  let counts = new Map<string, number>();

  function begin(principal: string, count: number): () => void {
    if (count > limits.perMinute) {
      refused();
      const retryAfterSeconds = 60 - (Math.floor(clock.now().getTime() / 1000) % 60);
      throw failure('RATE_LIMITED', `More than ${limits.perMinute} calls in a minute.`, { retryAfterSeconds });
    }
    const atOnce = running.get(principal) ?? 0;
    if (atOnce >= limits.atOnce) {
      refused();
      throw failure('RATE_LIMITED', `More than ${limits.atOnce} calls at once.`, { retryAfterSeconds: 1 });
    }
    running.set(principal, atOnce + 1);
    return () => {
      const left = (running.get(principal) ?? 1) - 1;
      if (left > 0) running.set(principal, left);
      else running.delete(principal);
    };
  }

  return {
    enter(principal) {
      const now = Math.floor(clock.now().getTime() / 60_000);
      if (shared) return shared.count(`rate:${principal}:${now}`, 60).then((count) => begin(principal, count));
      if (now !== minute) {
        minute = now;
        counts = new Map();
      }
      const count = (counts.get(principal) ?? 0) + 1;
      counts.set(principal, count);
      return begin(principal, count);
    },
  };
}
