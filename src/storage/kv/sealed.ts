/** The key-value store with encrypted values. */
import type { KeyValue } from '../../engine/ports.ts';
import { createSeal } from '../seal.ts';

const SWAP_TRIES = 8;

/**
 * Encrypts the values of a key-value store, because cards contain salaries. The name of the key is authenticated, so that a value
 * copied to another key cannot be decrypted. A value that cannot be decrypted counts as missing. Counters are not encrypted.
 */
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
     * Encrypting a text twice gives different bytes. So this decrypts the stored bytes, compares the text, and swaps exactly those
     * bytes. If another process replaced them in between, it compares again.
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
