/** The engine's own SQL store for OAuth clients, sign-ins and refresh tokens, in the schema tamshai. */
import type { ClientKey, EngineStore, SignInKey, TokenKey } from '../../engine/engine-store.ts';
import type { Clock } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';
import type { Seal } from '../seal.ts';
import type { SqlDatabase, SqlSession, Statement } from './database.ts';
import { isConflict } from './errors.ts';
import { ENGINE_LOGIN } from './migrate.ts';

export interface SqlEngineStoreOptions {
  readonly clock: Clock;
  /** Encrypts refresh tokens. */
  readonly seal: Seal;
}

const ATTEMPTS = 12;
const PLAIN: Statement = { text: 'select 1', values: [] };
/** The lock comes before the snapshot of the transaction: two registrations must not count at the same time. */
const CLIENTS_LOCKED: Statement = { text: 'lock table tamshai.clients in share row exclusive mode', values: [] };

const ofClient = ({ realm, clientId }: ClientKey) => [realm, clientId];
const ofSignIn = ({ realm, signInId }: SignInKey) => [realm, signInId];
const ofToken = ({ realm, hash }: TokenKey) => [realm, hash];
/** The sealed data contains this name, so it cannot be moved to another row. */
const sealedName = ({ realm, hash }: TokenKey) => `refresh-token:${realm}:${hash}`;

export function createSqlEngineStore(database: SqlDatabase, { clock, seal }: SqlEngineStoreOptions): EngineStore {
  const now = () => clock.now().toISOString();
  const read = async (text: string, values: readonly unknown[]): Promise<Row | undefined> =>
    (await database.read(ENGINE_LOGIN, { text, values }))[0];

  /** Runs a transaction again after a conflict. */
  const transaction = async <T>(first: Statement, body: (session: SqlSession) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.transaction(ENGINE_LOGIN, first, body);
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      }
      await new Promise((again) => setTimeout(again, Math.random() * Math.min(8 * 2 ** attempt, 600)));
    }
  };
  const write = (text: string, values: readonly unknown[]): Promise<Row[]> => transaction(PLAIN, (session) => session.query(text, values));

  return {
    clients: {
      reserve: ({ realm, clientId }, { most, expiresAt }) =>
        transaction(CLIENTS_LOCKED, async (session) => {
          await session.query('delete from tamshai.clients where expires_at <= $1', [now()]);
          const added = await session.query(
            `insert into tamshai.clients (realm, client_id, registered_at, expires_at) select $1, $2, $3, $4
             where (select count(*) from tamshai.clients where realm = $1 and used_at is null) < $5 returning client_id`,
            [realm, clientId, now(), expiresAt.toISOString(), most],
          );
          return added.length === 1;
        }),
      async save(client, metadata) {
        await write('update tamshai.clients set metadata = $3 where realm = $1 and client_id = $2', [
          ...ofClient(client),
          JSON.stringify(metadata),
        ]);
      },
      async find(client) {
        const row = await read(
          'select metadata from tamshai.clients where realm = $1 and client_id = $2 and expires_at > $3 and metadata is not null',
          [...ofClient(client), now()],
        );
        return row?.['metadata'] as object | undefined;
      },
      async markUsed(client, expiresAt) {
        await write(
          'update tamshai.clients set used_at = coalesce(used_at, $3), expires_at = $4 where realm = $1 and client_id = $2 ' +
            'and expires_at > $3',
          [...ofClient(client), now(), expiresAt.toISOString()],
        );
      },
      async remove(client) {
        await write('delete from tamshai.clients where realm = $1 and client_id = $2', ofClient(client));
      },
    },
    signIns: {
      save: (signIn, { clientId, accountId, consent, expiresAt }) =>
        transaction(PLAIN, async (session) => {
          await session.query('delete from tamshai.sign_ins where expires_at <= $1', [now()]);
          await session.query(
            `insert into tamshai.sign_ins (realm, sign_in_id, client_id, account_id, consent, expires_at) values ($1, $2, $3, $4, $5, $6)
             on conflict (realm, sign_in_id) do update set consent = excluded.consent, expires_at = excluded.expires_at`,
            [...ofSignIn(signIn), clientId, accountId, JSON.stringify(consent), expiresAt.toISOString()],
          );
        }),
      async find(signIn) {
        const row = await read('select consent from tamshai.sign_ins where realm = $1 and sign_in_id = $2 and expires_at > $3', [
          ...ofSignIn(signIn),
          now(),
        ]);
        return row?.['consent'] as object | undefined;
      },
      async end(signIn) {
        await write('delete from tamshai.sign_ins where realm = $1 and sign_in_id = $2', ofSignIn(signIn));
      },
    },
    refreshTokens: {
      save: (token, { signInId, text, expiresAt }) =>
        transaction(PLAIN, async (session) => {
          await session.query('delete from tamshai.refresh_tokens where expires_at <= $1', [now()]);
          await session.query(
            `insert into tamshai.refresh_tokens (realm, token_hash, sign_in_id, sealed, expires_at)
             select realm, $2, sign_in_id, $4, $5 from tamshai.sign_ins where realm = $1 and sign_in_id = $3
             on conflict (realm, token_hash) do update set sealed = excluded.sealed, expires_at = excluded.expires_at`,
            [...ofToken(token), signInId, seal.seal(sealedName(token), text), expiresAt.toISOString()],
          );
        }),
      async find(token) {
        const row = await read(
          `select t.sealed, t.used_at from tamshai.refresh_tokens t join tamshai.sign_ins s using (realm, sign_in_id)
           where t.realm = $1 and t.token_hash = $2 and t.expires_at > $3 and s.expires_at > $3`,
          [...ofToken(token), now()],
        );
        const text = typeof row?.['sealed'] === 'string' ? seal.open(sealedName(token), row['sealed']) : undefined;
        if (!row || text === undefined) return undefined;
        return { text, usedAt: typeof row['used_at'] === 'string' ? new Date(row['used_at']) : undefined };
      },
      async use(token) {
        const used = await write(
          'update tamshai.refresh_tokens set used_at = $3 where realm = $1 and token_hash = $2 and used_at is null returning realm',
          [...ofToken(token), now()],
        );
        return used.length === 1;
      },
      async remove(token) {
        await write('delete from tamshai.refresh_tokens where realm = $1 and token_hash = $2', ofToken(token));
      },
    },
    ping: async () => void (await read('select 1 as ok', [])),
  };
}
