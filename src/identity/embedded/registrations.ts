/** Limits dynamic client registration, which is open to anyone: rate per address, and number of unused clients. */
import type { Clock, KeyValue } from '../../engine/ports.ts';

export interface RegistrationLimits {
  /** The largest number of registered clients without a sign-in. */
  readonly unused: number;
  readonly unusedSeconds: number;
  /** The largest number of registrations from one address. */
  readonly perMinute: number;
}

export const REGISTRATION_LIMITS: RegistrationLimits = { unused: 200, unusedSeconds: 24 * 3600, perMinute: 20 };

interface Unused {
  readonly id: string;
  readonly until: number;
}

export function createRegistrations(kv: KeyValue, prefix: string, limits: RegistrationLimits, clock: Clock) {
  const key = `${prefix}unused-clients`;
  const seconds = () => Math.floor(clock.now().getTime() / 1000);

  /** Updates the list by compare-and-swap. If `next` returns undefined, the list stays and the result is false. */
  const change = async (next: (list: readonly Unused[]) => readonly Unused[] | undefined): Promise<boolean> => {
    for (;;) {
      const stored = await kv.get(key);
      const now = seconds();
      const list = (stored === undefined ? [] : (JSON.parse(stored) as Unused[])).filter(({ until }) => until > now);
      const after = next(list);
      if (!after) return false;
      const text = JSON.stringify(after);
      if (stored === undefined ? await kv.add(key, text, limits.unusedSeconds) : await kv.swap(key, stored, text, limits.unusedSeconds))
        return true;
    }
  };

  return {
    tooFast: async (address: string): Promise<boolean> => (await kv.count(`${prefix}registering:${address}`, 60)) > limits.perMinute,
    /** Returns false if there are too many unused clients. */
    reserve: (id: string): Promise<boolean> =>
      change((list) => (list.length >= limits.unused ? undefined : [...list, { id, until: seconds() + limits.unusedSeconds }])),
    used: (id: string): Promise<boolean> =>
      change((list) => (list.some((each) => each.id === id) ? list.filter((each) => each.id !== id) : undefined)),
  };
}
