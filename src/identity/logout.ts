/** OpenID Connect Back-Channel Logout: an external issuer reports that a person signed out there. */
import { decodeJwt, errors, jwtVerify } from 'jose';
import { Failure, failure } from '../declare/errors.ts';
import type { Clock } from '../engine/ports.ts';
import { type Claims, SKEW } from './claims.ts';
import type { Issuer } from './issuers.ts';
import type { Revocations } from './revocation.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const LONGEST = 16 * 1024;

export interface LogoutOptions {
  readonly issuers: readonly Issuer[];
  readonly denied: Pick<Revocations, 'revokeSession' | 'revokePerson'>;
  readonly clock: Clock;
}

/** Verifies a logout token and revokes its session or person. A repeated token has no further effect. */
export function createLogout({ issuers, denied, clock }: LogoutOptions): (token: string) => Promise<void> {
  const read = async (token: string): Promise<{ issuer: Issuer; claims: Claims }> => {
    if (token.length > LONGEST) throw refused();
    const { iss } = decodeJwt(token);
    const issuer = issuers.find((one) => !one.embedded && one.issuer === iss);
    if (issuer?.clientId === undefined) throw refused();
    const { payload, protectedHeader } = await jwtVerify(token, issuer.key, {
      algorithms: [...issuer.algorithms],
      issuer: issuer.issuer,
      audience: issuer.clientId,
      requiredClaims: ['jti'],
      maxTokenAge: 300,
      clockTolerance: SKEW,
      currentDate: clock.now(),
    });
    // An access token of the same issuer must not sign people out.
    const { typ = 'jwt' } = protectedHeader;
    const { events, nonce } = payload;
    const isLogout = typeof events === 'object' && events !== null && Object.hasOwn(events, EVENT);
    if (!['jwt', 'logout+jwt'].includes(typ.toLowerCase()) || !isLogout || nonce !== undefined) throw refused();
    return { issuer, claims: payload };
  };

  return async (token) => {
    try {
      const { issuer, claims } = await read(token);
      const { sid, sub } = claims;
      if (typeof sid === 'string') await denied.revokeSession(issuer.realm, sid);
      else if (typeof sub === 'string') await denied.revokePerson(issuer.realm, sub);
      else throw refused();
    } catch (error) {
      if (error instanceof Failure || !(error instanceof errors.JOSEError)) throw error;
      throw refused();
    }
  };
}

const refused = () => failure('VALIDATION_ERROR', 'The logout token is missing or not valid.');
