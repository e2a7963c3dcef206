import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../core/ports.ts';
import { type Keys, type MasterKeys, peopleFeedKeys, SetupProblem } from './keys.ts';

/** The gateway's public keys, as a server knows them. */
export interface GatewayKeys {
  find(kid: string): KeyObject | undefined | Promise<KeyObject | undefined>;
}

/** What servers may know: safe to print, send and keep in a configuration. */
export const gatewayJwks = ({ gateway: { current, previous } }: Pick<Keys, 'gateway'>): { keys: readonly object[] } => ({
  keys: [current.publicJwk, ...(previous ? [previous.publicJwk] : [])],
});

const publicJwks = z.object({
  keys: z
    .array(z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.never().optional() }))
    .min(1)
    .max(2),
});

/** From the text of a public key set: one key, or two while they change over. */
export function loadGatewayKeys(json: string): GatewayKeys {
  const found = parse(json);
  return { find: (kid) => found.get(kid) };
}

/** For a server in the gateway's own process. */
export const ownGatewayKeys = (keys: Pick<Keys, 'gateway'>): GatewayKeys => loadGatewayKeys(JSON.stringify(gatewayJwks(keys)));

/** Who may ask hr's server who changed: the gateway, and every process with the same master key. */
export function peopleFeedReaders(keys: MasterKeys, gateway: GatewayKeys): GatewayKeys {
  const own = new Map(peopleFeedKeys(keys).map(({ kid, publicKey }) => [kid, publicKey]));
  return { find: (kid) => own.get(kid) ?? gateway.find(kid) };
}

export interface WatchedGatewayKeys extends GatewayKeys {
  find(kid: string): Promise<KeyObject | undefined>;
}

const LOOK_AGAIN_AFTER_MS = 60_000;
const PAUSE_MS = 5_000;

/**
 * Reads the key set again every minute, and at once (but not more often than every five seconds) for a key it does not know, so that a
 * new key works and an old one stops working without a restart. Where reading fails, the last set goes on.
 */
export function watchGatewayKeys(read: () => Promise<string>, clock: Clock = { now: () => new Date() }): WatchedGatewayKeys {
  let found: ReadonlyMap<string, KeyObject> = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const reload = async () => {
    readAt = clock.now().getTime();
    try {
      found = parse(await read());
    } catch {
      // The last good set stays; the next call after the pause tries again.
    } finally {
      reading = undefined;
    }
  };
  return {
    async find(kid) {
      const age = clock.now().getTime() - readAt;
      if (reading || age >= LOOK_AGAIN_AFTER_MS || (age >= PAUSE_MS && !found.has(kid))) await (reading ??= reload());
      return found.get(kid);
    },
  };
}

function parse(json: string): Map<string, KeyObject> {
  try {
    return new Map(
      publicJwks
        .parse(JSON.parse(json))
        .keys.map(({ kty, crv, x }) => [kidOf(x), createPublicKey({ key: { kty, crv, x }, format: 'jwk' })]),
    );
  } catch {
    throw new SetupProblem('The gateway keys must be a set of one or two public Ed25519 keys: {"keys": […]}, without any private part.');
  }
}

/** The id is computed, not believed: a wrong `kid` in a configuration would otherwise be found only when calls fail. */
const kidOf = (x: string) => hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
