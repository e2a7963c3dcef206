/** Pagination cursors: encrypted, and valid only for one tool, its filters, its order, one person and the roles of the person. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { failure } from '../../declare/errors.ts';
import type { Person } from '../../declare/people.ts';

export type KeyPart = string | number | null;

export interface CursorBinding {
  readonly server: string;
  readonly tool: string;
  /** The parsed filters and the sort, without the limit: the page size may change between pages. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly person: Person;
}

export interface Cursors {
  seal(keys: readonly KeyPart[], binding: CursorBinding): string;
  open(cursor: string, binding: CursorBinding): readonly KeyPart[];
}

const NONCE = 12;
const TAG = 16;

const associated = ({ server, tool, filters, person }: CursorBinding) =>
  Buffer.from(
    JSON.stringify([
      server,
      tool,
      Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1)),
      person.principal,
      [...person.roles].sort(),
    ]),
  );

/** Seals with the first key and opens with all keys, so that cursors survive a key rotation. */
export function createCursors(keys: readonly [Buffer, ...Buffer[]]): Cursors {
  return {
    seal(parts, binding) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', keys[0], nonce).setAAD(associated(binding));
      return Buffer.concat([nonce, cipher.update(JSON.stringify(parts)), cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    open(cursor, binding) {
      const decoded = Buffer.from(cursor, 'base64url');
      // The decoder ignores invalid characters, so only the canonical encoding is accepted.
      const sealed = decoded.toString('base64url') === cursor ? decoded : Buffer.alloc(0);
      const aad = associated(binding);
      for (const key of keys) {
        try {
          const opener = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
            .setAAD(aad)
            .setAuthTag(sealed.subarray(-TAG));
          return JSON.parse(Buffer.concat([opener.update(sealed.subarray(NONCE, -TAG)), opener.final()]).toString()) as readonly KeyPart[];
        } catch {
          // The cipher does not say whether the key, the cursor or the binding is wrong.
        }
      }
      throw failure('INVALID_CURSOR', 'The cursor is damaged, or belongs to another list, other filters or another person.');
    },
  };
}
