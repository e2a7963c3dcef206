/** Encrypts the values of a key-value store. */
import type { KeyValue } from '../../engine/ports.ts';
import { createSeal } from '../seal.ts';

const SWAP_TRIES = 8;

/** Values can contain salaries. A value copied to another key does not decrypt, and counts as missing. Counters are not encrypted. */
export function createSealedKeyValue(kv: KeyValue, key: Uint8Array, previous?: Uint8Array): KeyValue {
  const { seal, open } = createSeal(key, previous);

  return {
    async get(name) {
      const stored = await kv.get(name);
      return stored === undefined ? undefined : open(name, stored);
    },
    set: (name, value, ttlSeconds) => kv.set(name, seal(name, value), ttlSeconds),
    async add(name, value, ttlSeconds) {
      const sealed = seal(name, value);
      if (await kv.add(name, sealed, ttlSeconds)) return true;
      const stored = await kv.get(name);
      if (stored === undefined || open(name, stored) !== undefined) return false;
      return kv.swap(name, stored, sealed, ttlSeconds);
    },
    /**
     * Equal texts encrypt to different bytes. This compares the decrypted text, then swaps the stored bytes. If they changed meanwhile, it
     * starts again.
     */
    async swap(name, expected, next, ttlSeconds) {
      const sealed = seal(name, next);
      for (let tries = 0; tries < SWAP_TRIES; tries++) {
        const stored = await kv.get(name);
        if (stored === undefined || open(name, stored) !== expected) return false;
        if (await kv.swap(name, stored, sealed, ttlSeconds)) return true;
      }
      return false;
    },
    delete: (name) => kv.delete(name),
    count: (name, windowSeconds) => kv.count(name, windowSeconds),
    ping: () => kv.ping(),
    close: () => kv.close(),
  };
}
