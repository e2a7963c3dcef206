/** The trusted token issuers: the embedded provider, or external OpenID Connect issuers. */
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { failure } from '../declare/errors.ts';
import type { Realm, Role } from '../declare/people.ts';
import type { RoleTable } from '../declare/roles.ts';
import type { Accounts } from './accounts.ts';
import { type Keys, SetupProblem } from './keys.ts';

/** A trusted token issuer. Each realm has one. */
export interface Issuer {
  readonly realm: Realm;
  /** Must equal the token's `iss` exactly. */
  readonly issuer: string;
  /** The principal is this prefix followed by the `sub`. */
  readonly principalPrefix: string;
  readonly key: JWTVerifyGetKey;
  readonly algorithms: readonly string[];
  /** True for our own provider. Its tokens live five minutes, and its accounts can be read. */
  readonly embedded: boolean;
  /** Only the `resource_access` entry of this client counts. */
  readonly clientId?: string | undefined;
  /** The roles that tokens of this issuer can carry. */
  readonly roles: RoleTable;
  readonly present?: ((sub: string) => Promise<{ readonly roles: ReadonlySet<Role>; readonly notBefore: number } | undefined>) | undefined;
  /** The current claims at the issuer; undefined if the token is no longer active. */
  readonly introspect?: ((token: string) => Promise<Readonly<Record<string, unknown>> | undefined>) | undefined;
  /**
   * `terminal`: a token can approve one ticket, for one minute. `scripted`: a token can also approve any ticket. Undefined: no token can
   * approve.
   */
  readonly approvals?: 'terminal' | 'scripted' | undefined;
}

export const embeddedIssuerUrl = (base: string, realm: Realm): string =>
  `${base.replace(/\/$/, '')}/oidc/${realm === 'staff' ? 'staff' : 'customers'}`;

export interface EmbeddedIssuerOptions {
  readonly realm: Realm;
  readonly roles: RoleTable;
  readonly base: string;
  readonly keys: Pick<Keys, 'realms'>;
  readonly accounts: Pick<Accounts, 'present'>;
  readonly scriptedApprovals?: boolean | undefined;
}

export function createEmbeddedIssuer({ realm, roles, base, keys, accounts, scriptedApprovals = false }: EmbeddedIssuerOptions): Issuer {
  return {
    realm,
    roles,
    issuer: embeddedIssuerUrl(base, realm),
    // The prefix must not be the URL, because a new port would change the principal of every person.
    principalPrefix: `${realm}:`,
    key: createLocalJWKSet({ keys: [{ ...keys.realms[realm].publicJwk }] }),
    algorithms: ['ES256'],
    embedded: true,
    present: (sub) => accounts.present(realm, sub),
    approvals: scriptedApprovals ? 'scripted' : 'terminal',
  };
}

export interface ExternalIssuerOptions {
  readonly realm: Realm;
  readonly roles: RoleTable;
  readonly issuer: string;
  readonly clientId?: string | undefined;
  /** By default, the URL in the issuer's discovery document. */
  readonly jwksUrl?: string | undefined;
  readonly introspect?: Issuer['introspect'];
}

export function createExternalIssuer({ realm, roles, issuer, clientId, jwksUrl, introspect }: ExternalIssuerOptions): Issuer {
  requireSafeUrl(issuer, 'The issuer');
  return {
    realm,
    roles,
    issuer,
    principalPrefix: `${issuer}#`,
    key: remoteKeys(() => (jwksUrl === undefined ? discover(issuer).then(({ jwks_uri }) => jwks_uri) : Promise.resolve(jwksUrl))),
    algorithms: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
    embedded: false,
    clientId,
    introspect,
  };
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The loopback names of one address are the same audience, because people use any of them. */
export function sameAudience(url: string): readonly string[] {
  const parsed = new URL(url);
  if (!LOOPBACK.has(parsed.hostname)) return [url];
  const rest = url.slice(url.indexOf(parsed.hostname) + parsed.hostname.length);
  return [url, ...[...LOOPBACK].filter((host) => host !== parsed.hostname).map((host) => `${parsed.protocol}//${host}${rest}`)];
}

/** Keys must not come over plain http, except from this machine. */
function requireSafeUrl(url: string, what: string): URL {
  if (!URL.canParse(url)) throw new SetupProblem(`${what} must be a whole URL.`);
  const parsed = new URL(url);
  if (parsed.protocol === 'https:' || (parsed.protocol === 'http:' && LOOPBACK.has(parsed.hostname))) return parsed;
  throw new SetupProblem(`${what} must use https, except on this machine.`);
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string(), introspection_endpoint: z.string().optional() });
export type Discovery = z.infer<typeof discovery>;

/** Fetches the discovery document. Refuses redirects and a document of another issuer. */
export async function discover(issuer: string): Promise<Discovery> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = discovery.parse(await fetchJson(url, {}));
  if (found.issuer !== issuer) throw new SetupProblem('The discovery document names another issuer; set OIDC_ISSUER to exactly that name.');
  requireSafeUrl(found.jwks_uri, 'The key address of the issuer');
  return found;
}

/** Token introspection (RFC 7662). */
export function introspection(issuer: string, clientId: string, clientSecret: string): NonNullable<Issuer['introspect']> {
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
  let endpoint: string | undefined;
  return async (token) => {
    endpoint ??= requireSafeUrl((await discover(issuer)).introspection_endpoint ?? '', 'The introspection address of the issuer').href;
    const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
    const body = new URLSearchParams({ token, token_type_hint: 'access_token' }).toString();
    const claims = z.looseObject({ active: z.boolean() }).parse(await fetchJson(endpoint, { method: 'POST', headers, body }));
    return claims.active ? claims : undefined;
  };
}

const DEADLINE_MS = 3_000;
const LARGEST_ANSWER = 256 * 1024;

async function fetchJson(url: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(DEADLINE_MS) });
  if (answer.status !== 200) throw new Error(`The issuer answered ${answer.status}.`);
  const text = await answer.text();
  if (text.length > LARGEST_ANSWER) throw new Error('The answer of the issuer is too large.');
  return JSON.parse(text);
}

/** The pause between two fetches. */
const RETRY_AFTER_MS = 5_000;
/** How long cached keys stay valid while the issuer cannot be reached. */
const STALE_FOR_MS = 3_600_000;

/**
 * Fetches the keys at the first use, because the issuer may start after this process. An outage is SERVICE_UNAVAILABLE, because clients
 * discard their tokens after UNAUTHENTICATED.
 */
function remoteKeys(locate: () => Promise<string>): JWTVerifyGetKey {
  const unreachable = () => failure('SERVICE_UNAVAILABLE', 'Sign-ins cannot be checked at the moment.');
  let remote: ReturnType<typeof createRemoteJWKSet> | undefined;
  let opening: Promise<void> | undefined;
  let quietUntil = 0;
  let goodUntil = 0;
  const open = async () => {
    try {
      remote = createRemoteJWKSet(new URL(await locate()), { timeoutDuration: DEADLINE_MS, cooldownDuration: RETRY_AFTER_MS });
    } catch {
      quietUntil = performance.now() + RETRY_AFTER_MS;
      opening = undefined;
    }
  };
  return async (header, token) => {
    if (!remote && performance.now() >= quietUntil) await (opening ??= open());
    if (!remote) throw unreachable();
    try {
      const key = await remote(header, token);
      goodUntil = performance.now() + STALE_FOR_MS;
      return key;
    } catch (error) {
      if (isAboutTheToken(error)) throw error;
      const last = remote.jwks();
      if (last && performance.now() < goodUntil) return createLocalJWKSet(last)(header, token);
      throw unreachable();
    }
  };
}

const isAboutTheToken = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys || error instanceof errors.JOSENotSupported;
