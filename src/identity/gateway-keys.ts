/** The public keys with which domain servers verify tokens of the gateway. */
import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import type { Clock } from '../engine/ports.ts';
import { contractSigningKeys, type Keys, type MasterKeys, SetupProblem } from './keys.ts';

/** The gateway's public keys by key id. */
export interface GatewayKeys {
  find(kid: string): KeyObject | undefined | Promise<KeyObject | undefined>;
}

/** The public key set. It contains no secret. */
export const gatewayJwks = ({ gateway: { current, previous } }: Pick<Keys, 'gateway'>): { keys: readonly object[] } => ({
  keys: [current.publicJwk, ...(previous ? [previous.publicJwk] : [])],
});

const publicJwks = z.object({
  keys: z
    .array(z.looseObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), d: z.never().optional() }))
    .min(1)
    .max(2),
});

/** Parses a public key set: one key, or two during a rotation. */
export function loadGatewayKeys(json: string): GatewayKeys {
  const found = parse(json);
  return { find: (kid) => found.get(kid) };
}

/** The keys for a domain server in the gateway's own process. */
export const ownGatewayKeys = (keys: Pick<Keys, 'gateway'>): GatewayKeys => loadGatewayKeys(JSON.stringify(gatewayJwks(keys)));

/** The keys of processes that may call contracts: the gateway's keys, and those of processes with the same master key. */
export function contractKeysOf(keys: MasterKeys, gateway: GatewayKeys): GatewayKeys {
  const own = new Map(contractSigningKeys(keys).map(({ kid, publicKey }) => [kid, publicKey]));
  return { find: (kid) => own.get(kid) ?? gateway.find(kid) };
}

export interface WatchedGatewayKeys extends GatewayKeys {
  find(kid: string): Promise<KeyObject | undefined>;
}

const LOOK_AGAIN_AFTER_MS = 60_000;
const PAUSE_MS = 5_000;

/**
 * Reads the key set again after a minute, and after five seconds for an unknown key, so that key rotation needs no restart. A failed read
 * keeps the last set.
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
      // Keeps the last set. A later call reads again.
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

/** Computes the key id, because a wrong `kid` in a configuration would only be noticed when calls fail. */
const kidOf = (x: string) => hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
