/** Encryption of the key-value store (AES-256-GCM). */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyValue } from '../../engine/ports.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
const SWAP_TRIES = 8;

function openWith(key: Uint8Array, name: string, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), { authTagLength: TAG }).setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(-TAG));
  try {
    return decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/**
 * Encrypts the values of a key-value store, because cards contain salaries. The name of the key is authenticated, so that a value
 * copied to another key cannot be decrypted. A value that cannot be decrypted counts as missing. Counters are not encrypted.
 */
export function createSealedKeyValue(kv: KeyValue, key: Uint8Array, previous?: Uint8Array): KeyValue {
  const seal = (name: string, plain: string): string => {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(name));
    return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  };
  const open = (name: string, sealed: string): string | undefined => {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE + TAG) return undefined;
    return openWith(key, name, bytes) ?? (previous && openWith(previous, name, bytes));
  };

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
