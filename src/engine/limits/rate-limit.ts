/** Rate limits: how many calls one principal makes per minute, in this process or in all processes that share a store. */
import type { Clock, KeyValue } from '../ports.ts';

/** Counts one call. Returns undefined within the limit, else the number of seconds until the next minute begins. */
type CountCall<Result> = (principal: string) => Result;

const minuteOf = (clock: Clock) => Math.floor(clock.now().getTime() / 60_000);
const secondsLeft = (clock: Clock) => 60 - (Math.floor(clock.now().getTime() / 1000) % 60);

export function createLocalRateLimit(perMinute: number, clock: Clock): CountCall<number | undefined> {
  let minute = 0;
  let counts = new Map<string, number>();
  return (principal) => {
    const now = minuteOf(clock);
    if (now !== minute) {
      minute = now;
      counts = new Map();
    }
    const count = (counts.get(principal) ?? 0) + 1;
    counts.set(principal, count);
    return count > perMinute ? secondsLeft(clock) : undefined;
  };
}

export function createSharedRateLimit(perMinute: number, clock: Clock, count: KeyValue['count']): CountCall<Promise<number | undefined>> {
  return async (principal) => {
    const counted = await count(`rate:${principal}:${minuteOf(clock)}`, 60);
    return counted > perMinute ? secondsLeft(clock) : undefined;
  };
}
