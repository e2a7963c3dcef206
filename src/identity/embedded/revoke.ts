/** Revokes access tokens (RFC 7009). They are not stored, so a list contains the revoked tokens until they expire. */
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

/** The caller must authenticate `clientId`. Tokens of another issuer and expired tokens are "unknown". */
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
