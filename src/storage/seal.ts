/** Encrypts and decrypts stored values (AES-256-GCM). */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;

export interface Seal {
  seal(name: string, plain: string): string;
  /** Undefined if no key decrypts the value under this name. */
  open(name: string, sealed: string): string | undefined;
}

function openWith(key: Uint8Array, name: string, bytes: Buffer): string | undefined {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE), { authTagLength: TAG }).setAAD(Buffer.from(name));
  decipher.setAuthTag(bytes.subarray(-TAG));
  try {
    return decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

/** The name is authenticated: a value copied to another name cannot be decrypted. */
export function createSeal(key: Uint8Array, previous?: Uint8Array): Seal {
  return {
    seal(name, plain) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(name));
      return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    open(name, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE + TAG) return undefined;
      return openWith(key, name, bytes) ?? (previous && openWith(previous, name, bytes));
    },
  };
}
