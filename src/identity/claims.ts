/** Reads people, roles and approval rights from the claims of access tokens. */
import type { Caller } from '../engine/caller.ts';
import { type Failure, failure } from '../declare/errors.ts';
import type { Role } from '../declare/people.ts';
import type { Issuer } from './issuers.ts';

/** The reason why a token was refused, for the log only. An answer never contains it. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The same answer for every invalid sign-in. */
export const unauthenticated = (): Failure => failure('UNAUTHENTICATED', 'Your sign-in is missing or no longer valid.');

export type Claims = Readonly<Record<string, unknown>>;

/** The claims of a token with a valid signature. */
export interface SignIn {
  readonly sub: string;
  readonly jti: string | undefined;
  readonly sid: string | undefined;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly audiences: readonly string[];
  readonly roles: ReadonlySet<Role>;
  /** The id of the employee record, if there is one. */
  readonly employeeRef: string | undefined;
  readonly organizationId: string | undefined;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly client: string;
  readonly origin: string;
  readonly approves: Caller['approves'];
}

const ACCESS_TOKEN_TYPES = new Set(['jwt', 'at+jwt', 'application/at+jwt']);
/** Claims of other tokens: id tokens, logout tokens and sender-constrained tokens. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events', 'cnf'];

export const LIFETIME = 300;
export const TERMINAL_LIFETIME = 60;
/** The tolerated clock difference, in seconds. */
export const SKEW = 5;

/** Refuses tokens that are not access tokens, before the expensive signature check. */
export function refuseOtherKinds(issuer: Pick<Issuer, 'algorithms'>, header: Claims, claims: Claims): void {
  const { alg, typ } = header;
  if (typeof alg !== 'string' || !issuer.algorithms.includes(alg)) throw new Refused('alg');
  if (typ !== undefined && !(typeof typ === 'string' && ACCESS_TOKEN_TYPES.has(typ.toLowerCase()))) throw new Refused('typ');
  // Keycloak also puts the token type into the claims: ID, Refresh, Logout, Bearer.
  if (claims['typ'] !== undefined && claims['typ'] !== 'Bearer') throw new Refused('kind');
  if (FOREIGN_CLAIMS.some((name) => claims[name] !== undefined)) throw new Refused('kind');
}

export function readSignIn(issuer: Issuer, claims: Claims, now: number): SignIn {
  const { sub, iat, exp } = claims;
  if (typeof sub !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(sub)) throw new Refused('sub');
  if (typeof iat !== 'number' || typeof exp !== 'number') throw new Refused('times');
  if (iat > now + SKEW || exp <= iat) throw new Refused('times');
  if (issuer.embedded && exp - iat > LIFETIME + SKEW) throw new Refused('lifetime');
  const organizationId = issuer.realm === 'customer' ? organization(claims['organization_id']) : undefined;
  // Invitations match people by email, so the unverified address of a customer must not count.
  const isChecked = issuer.realm === 'staff' || issuer.embedded || claims['email_verified'] === true;
  const email = isChecked ? displayText(claims['email'], 254) : '';
  const client = displayText(claims['client_id'], 255) || displayText(claims['azp'], 255);
  return {
    sub,
    jti: optionalId(claims['jti'], 'jti'),
    sid: optionalId(claims['sid'], 'sid'),
    issuedAt: iat,
    expiresAt: exp,
    audiences: audiencesOf(claims),
    roles: rolesOf(issuer, claims),
    employeeRef: issuer.realm === 'staff' ? employeeRef(claims['employee_id'], sub) : undefined,
    organizationId,
    username: displayText(claims['preferred_username'], 255) || email || sub,
    name: displayText(claims['name'], 200) || displayText(claims['preferred_username'], 200) || email || sub,
    email,
    client,
    origin: originOf(client, claims['client_name']),
    approves: approvalOf(issuer, claims, { client, lifetime: exp - iat }),
  };
}

/** Reads roles only from lists of strings in `roles`, `realm_access.roles` and `resource_access.<client>.roles`. */
export function rolesOf(issuer: Pick<Issuer, 'realm' | 'clientId' | 'roles'>, claims: Claims): Set<Role> {
  const { realm, clientId, roles } = issuer;
  const ofClient = clientId === undefined ? undefined : member(claims['resource_access'], clientId);
  return roles.resolve(realm, [
    ...names(claims['roles']),
    ...names(member(claims['realm_access'], 'roles')),
    ...names(member(ofClient, 'roles')),
  ]);
}

export const saysRoles = (claims: Claims): boolean =>
  ['roles', 'realm_access', 'resource_access'].some((name) => claims[name] !== undefined);

export function audiencesOf({ aud }: Claims): readonly string[] {
  return typeof aud === 'string' ? [aud] : names(aud);
}

const names = (value: unknown): string[] => (Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : []);

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as Claims)[name] : undefined;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Returns an id in lower case, so that ids can be compared as text. */
export const canonicalUuid = (value: unknown): string | undefined => {
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  return UUID.test(lower) ? lower : undefined;
};

/** A malformed claim means no employee record. `sub` must not replace it, because it could be the record of another person. */
const employeeRef = (claim: unknown, sub: string) => canonicalUuid(claim === undefined ? sub : claim);

function organization(claim: unknown): string {
  if (typeof claim !== 'string' || !/^[\w.:-]{1,64}$/.test(claim)) throw new Refused('organization_id');
  return canonicalUuid(claim) ?? claim;
}

function optionalId(value: unknown, what: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.length === 0 || value.length > 255) throw new Refused(what);
  return value;
}

/** Returns text for display, without invisible characters, bidi controls and line breaks. */
const displayText = (value: unknown, longest: number): string =>
  typeof value === 'string'
    ? value
        .normalize('NFC')
        .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
        .trim()
        .slice(0, longest)
    : '';

const OWN_CLIENTS: Readonly<Record<string, string>> = { 'tamshai-cli': 'command', 'tamshai-web': 'web' };

/** Names that cards and the audit log use for our own programs only. */
export const isOurName = (name: string): boolean => /^(?:web|command|tamshai.*)$/i.test(name);
export const UNNAMED = 'unnamed client';

/** A registered client chooses its own name, which must not look like one of our programs. */
function originOf(client: string, name: unknown): string {
  if (Object.hasOwn(OWN_CLIENTS, client)) return OWN_CLIENTS[client] ?? client;
  const shown = [displayText(name, 64), displayText(client, 64)].find((text) => text !== '' && !isOurName(text));
  return shown ?? UNNAMED;
}

/** Only access tokens of our own command can include the right to approve. Browser sessions get this right in sessions.ts. */
function approvalOf(
  issuer: Issuer,
  claims: Claims,
  { client, lifetime }: { readonly client: string; readonly lifetime: number },
): Caller['approves'] {
  const claim = claims['tamshai_approve'];
  if (!issuer.embedded || client !== 'tamshai-cli' || issuer.approvals === undefined) return 'nothing';
  if (claim === true) return issuer.approvals === 'scripted' ? 'anything' : 'nothing';
  const confirmationId = canonicalUuid(claim);
  return confirmationId !== undefined && confirmationId === claim && lifetime <= TERMINAL_LIFETIME ? { confirmationId } : 'nothing';
}
