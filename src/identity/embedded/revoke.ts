/** RFC 7009 for access tokens, which are JWTs and kept nowhere: a revoked one is named in the list of revoked tokens until it expires. */
import { jwtVerify } from 'jose';
import type { Realm } from '../../core/people.ts';
import type { SigningKey } from '../keys.ts';
import type { Revocations } from '../revocation.ts';

export interface AccessTokenRevocation {
  readonly realm: Realm;
  readonly issuer: string;
  readonly key: SigningKey;
  readonly revocations: Pick<Revocations, 'revokeToken'>;
}

export type Revoked = 'revoked' | 'unknown' | 'of another client';

/** `clientId` must be authenticated. What we did not issue, or what has expired, is unknown: there is nothing to revoke. */
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
