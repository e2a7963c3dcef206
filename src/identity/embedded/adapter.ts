/**
 * The storage adapter of the embedded OpenID provider. The engine's store has clients, grants and refresh tokens; the key-value store has
 * the rest.
 */
import { hash } from 'node:crypto';
import type { Adapter, AdapterFactory, AdapterPayload, ClientMetadata } from 'oidc-provider';
import type { Realm } from '../../declare/people.ts';
import type { EngineStore } from '../../engine/engine-store.ts';
import type { Clock, KeyValue } from '../../engine/ports.ts';
import { errors } from './library.ts';

/** The lifetime of entries without an expiry. */
const LONGEST = 400 * 24 * 3600;
/** The form of the client ids that provider.ts creates. The database gets no other text. */
const CLIENT_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface AdapterOptions {
  readonly kv: KeyValue;
  readonly store: EngineStore;
  readonly realm: Realm;
  /** Separates the realms in the shared key-value store. */
  readonly prefix: string;
  /** Called when a code or refresh token is used twice. The whole sign-in then ends. */
  readonly onReplay: (grantId: string) => Promise<void>;
  readonly clock: Clock;
}

const digest = (id: string) => hash('sha256', id, 'base64url');
const alreadyUsed = () => new errors.InvalidGrant('already used');
/** The functions that most models do not need. */
const COMMON = {
  findByUid: async () => undefined,
  // Only the device flow has user codes, and it is disabled.
  findByUserCode: async () => undefined,
};

/** A code or refresh token is valid only while its grant exists. So deleting the grant revokes the whole sign-in at once. */
export function createProviderAdapter(options: AdapterOptions): AdapterFactory {
  return (model) => {
    if (model === 'Client') return clientAdapter(options);
    if (model === 'Grant') return grantAdapter(options);
    return model === 'RefreshToken' ? refreshTokenAdapter(options) : kvAdapter(model, options);
  };
}

const expiry = ({ clock }: Pick<AdapterOptions, 'clock'>, seconds: number | undefined): Date =>
  new Date(clock.now().getTime() + Math.max(1, seconds ?? LONGEST) * 1000);

const neverConsumed = () => Promise.reject(alreadyUsed());

function clientAdapter({ store, realm }: AdapterOptions): Adapter {
  return {
    ...COMMON,
    find: async (clientId) => (CLIENT_ID.test(clientId) ? ((await store.clients.find({ realm, clientId })) as ClientMetadata) : undefined),
    upsert: (clientId, metadata) => store.clients.save({ realm, clientId }, metadata),
    consume: neverConsumed,
    destroy: (clientId) => store.clients.remove({ realm, clientId }),
    revokeByGrantId: async () => {},
  };
}

function grantAdapter({ store, realm, clock }: AdapterOptions): Adapter {
  const end = (signInId: string) => store.signIns.end({ realm, signInId });
  return {
    ...COMMON,
    find: async (signInId) => (await store.signIns.find({ realm, signInId })) as AdapterPayload | undefined,
    upsert: (signInId, payload, expiresIn) =>
      store.signIns.save(
        { realm, signInId },
        {
          clientId: payload.clientId ?? '',
          accountId: payload.accountId ?? '',
          consent: payload,
          expiresAt: expiry({ clock }, expiresIn),
        },
      ),
    consume: neverConsumed,
    destroy: end,
    revokeByGrantId: end,
  };
}

function refreshTokenAdapter({ store, realm, clock, onReplay }: AdapterOptions): Adapter {
  const find = async (id: string): Promise<AdapterPayload | undefined> => {
    const found = await store.refreshTokens.find({ realm, hash: digest(id) });
    if (!found) return undefined;
    const payload = JSON.parse(found.text) as AdapterPayload;
    return found.usedAt === undefined ? payload : { ...payload, consumed: Math.floor(found.usedAt.getTime() / 1000) };
  };
  return {
    ...COMMON,
    find,
    upsert: (id, payload, expiresIn) =>
      store.refreshTokens.save(
        { realm, hash: digest(id) },
        { signInId: payload.grantId ?? '', text: JSON.stringify(payload), expiresAt: expiry({ clock }, expiresIn) },
      ),
    async consume(id) {
      if (await store.refreshTokens.use({ realm, hash: digest(id) })) return;
      // A second use gets no token and deletes the grant, so that the tokens of the first use end too.
      const grantId = (await find(id))?.grantId;
      if (grantId !== undefined) {
        await store.signIns.end({ realm, signInId: grantId });
        await onReplay(grantId);
      }
      throw alreadyUsed();
    },
    destroy: (id) => store.refreshTokens.remove({ realm, hash: digest(id) }),
    revokeByGrantId: (signInId) => store.signIns.end({ realm, signInId }),
  };
}

function kvAdapter(model: string, { kv, store, realm, prefix, onReplay }: AdapterOptions): Adapter {
  const keyOf = (kind: string, id: string) => `${prefix}${kind}:${digest(id)}`;
  const hasGrant = async (signInId: string | undefined) =>
    signInId !== undefined && (await store.signIns.find({ realm, signInId })) !== undefined;
  const read = async (key: string): Promise<{ text: string; payload: AdapterPayload } | undefined> => {
    const text = await kv.get(key);
    return text === undefined ? undefined : { text, payload: JSON.parse(text) as AdapterPayload };
  };
  const find = async (id: string): Promise<AdapterPayload | undefined> => {
    const found = await read(keyOf(model, id));
    return found && (model !== 'AuthorizationCode' || (await hasGrant(found.payload.grantId))) ? found.payload : undefined;
  };

  return {
    ...COMMON,
    find,
    async upsert(id, payload, expiresIn) {
      const seconds = Math.max(1, expiresIn ?? LONGEST);
      await kv.set(keyOf(model, id), JSON.stringify(payload), seconds);
      if (model === 'Session' && payload.uid !== undefined) await kv.set(keyOf('SessionUid', payload.uid), id, seconds);
    },
    async findByUid(uid) {
      const id = await kv.get(keyOf('SessionUid', uid));
      return id === undefined ? undefined : find(id);
    },
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
        await store.signIns.end({ realm, signInId: found.payload.grantId });
        await onReplay(found.payload.grantId);
      }
      throw alreadyUsed();
    },
    async destroy(id) {
      const found = model === 'Session' ? await read(keyOf(model, id)) : undefined;
      if (found?.payload.uid !== undefined) await kv.delete(keyOf('SessionUid', found.payload.uid));
      await kv.delete(keyOf(model, id));
    },
    revokeByGrantId: (signInId) => store.signIns.end({ realm, signInId }),
  };
}
