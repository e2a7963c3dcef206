/** Cursors that show nothing and fit nothing else: sealed, and bound to tool, filters, sort and person. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { failure } from './errors.ts';
import type { Person } from './people.ts';

export type KeyPart = string | number;

export interface CursorBinding {
  readonly server: string;
  readonly tool: string;
  /** Parsed filters and sort; not the limit, since page sizes may change on the way. */
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

/** The first key seals; all of them open, so that a rotated key does not break a person's next page. */
export function createCursors(keys: readonly [Buffer, ...Buffer[]]): Cursors {
  return {
    seal(parts, binding) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv('aes-256-gcm', keys[0], nonce).setAAD(associated(binding));
      return Buffer.concat([nonce, cipher.update(JSON.stringify(parts)), cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    open(cursor, binding) {
      const decoded = Buffer.from(cursor, 'base64url');
      // One spelling for one cursor: the decoder would overlook what does not belong at its end.
      const sealed = decoded.toString('base64url') === cursor ? decoded : Buffer.alloc(0);
      const aad = associated(binding);
      for (const key of keys) {
        try {
          const opener = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG })
            .setAAD(aad)
            .setAuthTag(sealed.subarray(-TAG));
          return JSON.parse(Buffer.concat([opener.update(sealed.subarray(NONCE, -TAG)), opener.final()]).toString()) as readonly KeyPart[];
        } catch {
          // A wrong key, a damaged cursor or another binding all look alike, and are answered alike.
        }
      }
      throw failure('INVALID_CURSOR', 'The cursor is damaged, or belongs to another list, other filters or another person.');
    },
  };
}
