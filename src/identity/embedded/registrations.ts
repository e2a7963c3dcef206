/** Limits dynamic client registration, which needs no sign-in: rate per address and number of unused clients. */
import type { Realm } from '../../declare/people.ts';
import type { ClientRepository } from '../../engine/engine-store.ts';
import type { Clock, KeyValue } from '../../engine/ports.ts';

export interface RegistrationLimits {
  /** The largest number of registered clients without a sign-in. */
  readonly unused: number;
  readonly unusedSeconds: number;
  /** The largest number of registrations from one address. */
  readonly perMinute: number;
}

export const REGISTRATION_LIMITS: RegistrationLimits = { unused: 200, unusedSeconds: 24 * 3600, perMinute: 20 };
/** How long a client stays registered after a person has allowed it. */
const USED_SECONDS = 90 * 24 * 3600;

export interface RegistrationOptions {
  readonly realm: Realm;
  readonly clients: ClientRepository;
  /** Counts registrations from each address. */
  readonly kv: KeyValue;
  readonly prefix: string;
  readonly limits: RegistrationLimits;
  readonly clock: Clock;
}

export function createRegistrations({ realm, clients, kv, prefix, limits, clock }: RegistrationOptions) {
  const after = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);
  return {
    tooFast: async (address: string): Promise<boolean> => (await kv.count(`${prefix}registering:${address}`, 60)) > limits.perMinute,
    /** False if there are too many unused clients. */
    reserve: (clientId: string): Promise<boolean> =>
      clients.reserve({ realm, clientId }, { most: limits.unused, expiresAt: after(limits.unusedSeconds) }),
    /** Called when the registration failed. */
    release: (clientId: string): Promise<void> => clients.remove({ realm, clientId }),
    /** Called when a person allowed the client. */
    markUsed: (clientId: string): Promise<void> => clients.markUsed({ realm, clientId }, after(USED_SECONDS)),
  };
}
