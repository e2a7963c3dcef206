/** Revokes access tokens (RFC 7009). They are JWTs and not stored, so a revoked token is listed until it expires. */
import { jwtVerify } from 'jose';
import type { Realm } from '../../declare/people.ts';
import type { SigningKey } from '../keys.ts';
import type { Revocations } from '../revocation.ts';

export interface AccessTokenRevocation {
  readonly realm: Realm;
  readonly issuer: string;
  readonly key: SigningKey;
  readonly revocations: Pick<Revocations, 'revokeToken'>;
}

export type Revoked = 'revoked' | 'unknown' | 'of another client';

/** `clientId` must be authenticated. Tokens that we did not issue, or that have expired, are "unknown". */
export function createAccessTokenRevoker({ realm, issuer, key, revocations }: AccessTokenRevocation) {
  return async (token: string, clientId: string): Promise<Revoked> => {
    const verified = await jwtVerify(token, key.publicKey, { algorithms: [key.alg], issuer, typ: 'at+jwt' }).catch(() => undefined);
    const { jti, exp, client_id: owner } = verified?.payload ?? {};
    if (jti === undefined) return 'unknown';
    if (owner !== clientId) return 'of another client';
    await revocations.revokeToken(realm, jti, exp);
    return 'revoked';
  };
}
