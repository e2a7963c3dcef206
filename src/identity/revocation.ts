/** Stores the revocations of tokens, sessions and people in the shared key-value store. */
import { hash } from 'node:crypto';
import type { Realm } from '../declare/people.ts';
import type { Clock, KeyValue } from '../engine/ports.ts';

/** The claims that decide whether a token is revoked. */
export interface TokenFacts {
  readonly realm: Realm;
  readonly sub: string;
  readonly jti: string | undefined;
  readonly sid: string | undefined;
  /** Seconds since 1970. */
  readonly issuedAt: number;
}

/** Each realm has one issuer, so an id is unique in its realm. */
export interface Revocations {
  /** Revokes one token until `expiresAt` (seconds since 1970); without it, for a day. */
  revokeToken(realm: Realm, jti: string, expiresAt?: number): Promise<void>;
  /** Revokes all tokens of one sign-in. */
  revokeSession(realm: Realm, sid: string): Promise<void>;
  /** Revokes all tokens issued to one person so far. */
  revokePerson(realm: Realm, sub: string): Promise<void>;
  isRevoked(token: TokenFacts): Promise<boolean>;
}

const DAY = 24 * 3600;
/** Sessions and access tokens of most issuers end earlier. */
const MONTH = 30 * DAY;

export function createRevocations(kv: KeyValue, clock: Clock = { now: () => new Date() }): Revocations {
  const now = () => Math.floor(clock.now().getTime() / 1000);
  return {
    revokeToken: (realm, jti, expiresAt) => {
      const left = expiresAt === undefined ? DAY : expiresAt - now();
      // One minute longer than the token, because the clocks of other replicas can be slow.
      return kv.set(keyOf('token', realm, jti), '1', Math.min(Math.max(left, 0) + 60, MONTH));
    },
    revokeSession: (realm, sid) => kv.set(keyOf('session', realm, sid), '1', MONTH),
    revokePerson: (realm, sub) => kv.set(keyOf('person', realm, sub), String(now()), MONTH),
    async isRevoked({ realm, sub, jti, sid, issuedAt }) {
      const [token, session, person] = await Promise.all([
        jti === undefined ? undefined : kv.get(keyOf('token', realm, jti)),
        sid === undefined ? undefined : kv.get(keyOf('session', realm, sid)),
        kv.get(keyOf('person', realm, sub)),
      ]);
      // Token times are whole seconds, so tokens of the same second are revoked too.
      return token !== undefined || session !== undefined || (person !== undefined && !(issuedAt > Number(person)));
    },
  };
}

/** Hashes the ids, because untrusted text could name another key. */
const keyOf = (kind: 'token' | 'session' | 'person', realm: Realm, id: string) =>
  `revoked:${kind}:${hash('sha256', `${realm}\n${id}`, 'base64url')}`;
