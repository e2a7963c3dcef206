/** Signs access tokens of the embedded provider for the command line. */
import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../engine/ports.ts';
import type { Persona } from '../declare/sample.ts';
import { canonicalUuid, LIFETIME, TERMINAL_LIFETIME } from './claims.ts';
import { embeddedIssuerUrl } from './issuers.ts';
import type { Keys } from './keys.ts';

export interface MintOptions {
  readonly base: string;
  readonly audience: string;
  /** With `true`, the token can approve any ticket if scripted approvals are on. With an id, it can approve that ticket for one minute. */
  readonly approve?: true | string | undefined;
  /** In seconds, at most five minutes. */
  readonly ttl?: number | undefined;
  readonly client?: string | undefined;
  /** The account's current roles, if known. The verifier also removes roles that the account has lost. */
  readonly roles?: Iterable<string> | undefined;
  readonly scope?: string | undefined;
  readonly clock?: Clock | undefined;
}

/** Signs a token like those of the embedded provider, for `tamshai token` and `--as`. */
export async function mintToken(keys: Pick<Keys, 'realms'>, persona: Persona, options: MintOptions): Promise<string> {
  const { base, audience, approve, ttl = LIFETIME, client = 'tamshai-cli', roles = persona.roles, scope = 'tamshai', clock } = options;
  if (approve !== undefined && audience.endsWith('/mcp')) throw new RangeError('A token for MCP clients can never approve anything.');
  if (typeof approve === 'string' && canonicalUuid(approve) !== approve) throw new RangeError('That is not the id of a confirmation.');
  const key = keys.realms[persona.realm];
  const now = Math.floor((clock?.now().getTime() ?? Date.now()) / 1000);
  const claims = {
    preferred_username: persona.username,
    email: persona.email,
    name: persona.name,
    roles: [...roles],
    scope,
    client_id: client,
    sid: randomUUID(),
    ...(persona.employeeId !== undefined && { employee_id: persona.employeeId }),
    ...(persona.organizationId !== undefined && { organization_id: persona.organizationId }),
    ...(approve !== undefined && { tamshai_approve: approve }),
  };
  return new SignJWT(claims)
    .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'at+jwt' })
    .setIssuer(embeddedIssuerUrl(base, persona.realm))
    .setSubject(persona.sub)
    .setAudience(audience)
    .setJti(randomUUID())
    .setIssuedAt(now)
    .setExpirationTime(now + Math.min(ttl, typeof approve === 'string' ? TERMINAL_LIFETIME : LIFETIME))
    .sign(key.privateKey);
}
