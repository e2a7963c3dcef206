/** Encrypts session data (AES-256-GCM) and computes CSRF tokens (HMAC) with keys derived from one key. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const NONCE = 12;
const TAG = 16;

/** `about` is the purpose of a value. A value for one purpose cannot be opened for another. */
export interface Sealer {
  seal(about: string, value: unknown): string;
  /** Returns undefined for values that were not sealed with this key and `about`. */
  open(about: string, sealed: string): unknown;
  /** A code that only this key can compute. It need not be secret. */
  code(about: string): string;
  isCode(about: string, given: string): boolean;
}

export function createSealer(key: Uint8Array): Sealer {
  const part = (use: string) => Buffer.from(hkdfSync('sha256', key, 'tamshai', `tamshai/v1/web/${use}`, 32));
  const [sealing, coding] = [part('seal'), part('code')];
  const code = (about: string) => createHmac('sha256', coding).update(about).digest('base64url');
  return {
    seal(about, value) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce, { authTagLength: TAG }).setAAD(Buffer.from(about));
      return Buffer.concat([nonce, cipher.update(JSON.stringify(value), 'utf8'), cipher.final(), cipher.getAuthTag()]).toString(
        'base64url',
      );
    },
    open(about, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE + TAG) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, NONCE), { authTagLength: TAG }).setAAD(
        Buffer.from(about),
      );
      decipher.setAuthTag(bytes.subarray(-TAG));
      try {
        const opened: unknown = JSON.parse(decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8'));
        return opened;
      } catch {
        return undefined;
      }
    },
    code,
    isCode(about, given) {
      const [a, b] = [Buffer.from(code(about)), Buffer.from(given)];
      return a.length === b.length && timingSafeEqual(a, b);
    },
  };
}
