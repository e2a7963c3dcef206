/** The storage adapter of the embedded OpenID provider, on the key-value store. */
import { hash } from 'node:crypto';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import type { KeyValue } from '../../engine/ports.ts';
import { errors } from './library.ts';

/** Models that are valid only while their grant exists. */
const UNDER_A_GRANT = new Set(['AuthorizationCode', 'RefreshToken']);
/** The lifetime of entries that have none of their own, except clients, which get `unusedClientSeconds`. */
const LONGEST = 400 * 24 * 3600;

export interface AdapterOptions {
  readonly kv: KeyValue;
  /** Separates the realms, which share one store. */
  readonly prefix: string;
  /** Called when a code or refresh token is used a second time: the whole sign-in ends. */
  readonly onReplay: (grantId: string) => Promise<void>;
  /** The lifetime of a client before its first sign-in. */
  readonly unusedClientSeconds: number;
}

/**
 * Codes and refresh tokens are valid only while the record of their grant exists: deleting that one key revokes the whole sign-in at once,
 * even during concurrent writes.
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
      // Only the device flow has user codes, and it is disabled.
      findByUserCode: async () => undefined,
      async consume(id) {
        const key = keyOf(model, id);
        const found = await read(key);
        if (!found) throw new errors.InvalidGrant('already used or revoked');
        const now = Math.floor(Date.now() / 1000);
        const next = JSON.stringify({ ...found.payload, consumed: now });
        const left = Math.max(1, (found.payload.exp ?? now) - now);
        // A second use gets no token and deletes the grant, so that the tokens of the first use end too.
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

/** Extends the lifetime of a client after a sign-in through it. */
export async function keepClient(kv: KeyValue, prefix: string, clientId: string, seconds: number): Promise<void> {
  const key = `${prefix}Client:${hash('sha256', clientId, 'base64url')}`;
  const stored = await kv.get(key);
  if (stored !== undefined) await kv.set(key, stored, seconds);
}
