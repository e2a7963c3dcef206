import { hash } from 'node:crypto';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { KeyValue } from '../../core/ports.ts';
import { errors } from './library.ts';

/** What is given out under a grant, and worth nothing without it. */
const UNDER_A_GRANT = new Set(['AuthorizationCode', 'RefreshToken']);
/** Nothing of the provider's lives longer; what has no end of its own is a registered client. */
const LONGEST = 400 * 24 * 3600;

export interface AdapterOptions {
  readonly kv: KeyValue;
  /** Of this realm's provider alone: two realms share one store. */
  readonly prefix: string;
  /** Somebody used a code or refresh token that was used already: the whole sign-in ends. */
  readonly onReplay: (grantId: string) => Promise<void>;
  /** How long a client that nobody has used yet is kept. */
  readonly unusedClientSeconds: number;
}

/**
 * The provider's storage. The grant's own record is the index of everything under it: codes and refresh tokens count only while it is
 * there, so deleting that one value revokes a whole sign-in at once, whatever is being written beside it.
 */
export function kvAdapter({ kv, prefix, onReplay, unusedClientSeconds }: AdapterOptions): AdapterFactory {
  const keyOf = (model: string, id: string) => `${prefix}${model}:${hash('sha256', id, 'base64url')}`;

  const read = async (key: string): Promise<{ text: string; payload: AdapterPayload } | undefined> => {
    const text = await kv.get(key);
    return text === undefined ? undefined : { text, payload: JSON.parse(text) as AdapterPayload };
  };

  return (model): Adapter => {
    const find = async (id: string): Promise<AdapterPayload | undefined> => {
      const found = await read(keyOf(model, id));
      if (!found) return undefined;
      const { grantId } = found.payload;
      if (UNDER_A_GRANT.has(model) && (grantId === undefined || (await kv.get(keyOf('Grant', grantId))) === undefined)) return undefined;
      return found.payload;
    };

    return {
      find,
      async upsert(id, payload, expiresIn) {
        const seconds = expiresIn ?? (model === 'Client' ? unusedClientSeconds : LONGEST);
        await kv.set(keyOf(model, id), JSON.stringify(payload), Math.max(1, seconds));
        if (model === 'Session' && payload.uid !== undefined) await kv.set(keyOf('SessionUid', payload.uid), id, Math.max(1, seconds));
      },
      async findByUid(uid) {
        const id = await kv.get(keyOf('SessionUid', uid));
        return id === undefined ? undefined : find(id);
      },
      // Only the device flow has user codes, and it is off.
      findByUserCode: async () => undefined,
      async consume(id) {
        const key = keyOf(model, id);
        const found = await read(key);
        if (!found) throw new errors.InvalidGrant('already used or revoked');
        const now = Math.floor(Date.now() / 1000);
        const next = JSON.stringify({ ...found.payload, consumed: now });
        const left = Math.max(1, (found.payload.exp ?? now) - now);
        // Two uses at the same moment: the loser must not get a token, and what the winner got ends as well.
        if (found.payload.consumed === undefined && (await kv.swap(key, found.text, next, left))) return;
        if (found.payload.grantId !== undefined) {
          await kv.delete(keyOf('Grant', found.payload.grantId));
          await onReplay(found.payload.grantId);
        }
        throw new errors.InvalidGrant('already used');
      },
      async destroy(id) {
        const found = model === 'Session' ? await read(keyOf(model, id)) : undefined;
        if (found?.payload.uid !== undefined) await kv.delete(keyOf('SessionUid', found.payload.uid));
        await kv.delete(keyOf(model, id));
      },
      revokeByGrantId: (grantId) => kv.delete(keyOf('Grant', grantId)),
    };
  };
}

/** Somebody signed in through this client: it is kept from now on. */
export async function keepClient(kv: KeyValue, prefix: string, clientId: string, seconds: number): Promise<void> {
  const key = `${prefix}Client:${hash('sha256', clientId, 'base64url')}`;
  const stored = await kv.get(key);
  if (stored !== undefined) await kv.set(key, stored, seconds);
}
