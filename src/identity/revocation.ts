import { hash } from 'node:crypto';
import type { Realm } from '../core/people.ts';
import type { Clock, KeyValue } from '../core/ports.ts';

/** What is known of a token when asking whether it still counts. */
export interface TokenFacts {
  readonly realm: Realm;
  readonly sub: string;
  readonly jti: string | undefined;
  readonly sid: string | undefined;
  /** Seconds since 1970. */
  readonly issuedAt: number;
}

/** Sign-ins that were ended before their time. One list for all replicas; each realm has one issuer, so the realm keeps ids apart. */
export interface Revocations {
  /** One token, until it would have expired anyway (seconds since 1970; a day where nobody knows). */
  revokeToken(realm: Realm, jti: string, expiresAt?: number): Promise<void>;
  /** Everything issued in one sign-in. */
  revokeSession(realm: Realm, sid: string): Promise<void>;
  /** Everything issued to one person up to this second. */
  revokePerson(realm: Realm, sub: string): Promise<void>;
  isRevoked(token: TokenFacts): Promise<boolean>;
}

const DAY = 24 * 3600;
/** Longer than any session or access token that a sensible issuer gives out. */
const MONTH = 30 * DAY;

export function createRevocations(kv: KeyValue, clock: Clock = { now: () => new Date() }): Revocations {
  const now = () => Math.floor(clock.now().getTime() / 1000);
  return {
    revokeToken: (realm, jti, expiresAt) => {
      const left = expiresAt === undefined ? DAY : expiresAt - now();
      // A minute more than needed: the other replicas' clocks may be behind.
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
      // Tokens know whole seconds only, so one issued in the very second of the revocation goes as well.
      return token !== undefined || session !== undefined || (person !== undefined && !(issuedAt > Number(person)));
    },
  };
}

/** Ids come from outside: hashed, they are of one length and cannot reach another key. */
const keyOf = (kind: 'token' | 'session' | 'person', realm: Realm, id: string) =>
  `revoked:${kind}:${hash('sha256', `${realm}\n${id}`, 'base64url')}`;
