import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { failure } from '../core/errors.ts';
import type { Realm, Role } from '../core/people.ts';
import type { Accounts } from './accounts.ts';
import { type Keys, SetupProblem } from './keys.ts';

/** Someone whose tokens we believe. There is one for each realm. */
export interface Issuer {
  readonly realm: Realm;
  /** Compared letter by letter with the token's `iss`. */
  readonly issuer: string;
  /** Before the `sub`, it makes the principal. */
  readonly principalPrefix: string;
  readonly key: JWTVerifyGetKey;
  readonly algorithms: readonly string[];
  /** Our own provider: its tokens live five minutes, and its accounts can be asked at any time. */
  readonly embedded: boolean;
  /** Whose entry in `resource_access` counts. Nobody else's does. */
  readonly clientId?: string | undefined;
  readonly present?: ((sub: string) => Promise<{ readonly roles: ReadonlySet<Role>; readonly notBefore: number } | undefined>) | undefined;
  /** The claims as the issuer sees them now; undefined when the token no longer counts. */
  readonly introspect?: ((token: string) => Promise<Readonly<Record<string, unknown>> | undefined>) | undefined;
  /** `terminal`: one confirmation, for a minute. `scripted`: anything as well. Without it, no token approves anything. */
  readonly approvals?: 'terminal' | 'scripted' | undefined;
}

export const embeddedIssuerUrl = (base: string, realm: Realm): string =>
  `${base.replace(/\/$/, '')}/oidc/${realm === 'staff' ? 'staff' : 'customers'}`;

export interface EmbeddedIssuerOptions {
  readonly realm: Realm;
  readonly base: string;
  readonly keys: Pick<Keys, 'realms'>;
  readonly accounts: Pick<Accounts, 'present'>;
  readonly scriptedApprovals?: boolean | undefined;
}

export function createEmbeddedIssuer({ realm, base, keys, accounts, scriptedApprovals = false }: EmbeddedIssuerOptions): Issuer {
  return {
    realm,
    issuer: embeddedIssuerUrl(base, realm),
    // Not the address: a person stays the same when the port changes.
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
  readonly issuer: string;
  readonly clientId?: string | undefined;
  /** Without it the issuer's own discovery document says where the keys are. */
  readonly jwksUrl?: string | undefined;
  readonly introspect?: Issuer['introspect'];
}

export function createExternalIssuer({ realm, issuer, clientId, jwksUrl, introspect }: ExternalIssuerOptions): Issuer {
  requireSafeUrl(issuer, 'The issuer');
  return {
    realm,
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

/** The loopback names of one address are the same audience: people type any of them. */
export function sameAudience(url: string): readonly string[] {
  const parsed = new URL(url);
  if (!LOOPBACK.has(parsed.hostname)) return [url];
  const rest = url.slice(url.indexOf(parsed.hostname) + parsed.hostname.length);
  return [url, ...[...LOOPBACK].filter((host) => host !== parsed.hostname).map((host) => `${parsed.protocol}//${host}${rest}`)];
}

/** Keys fetched over plain http could be anyone's; on this machine nobody is in between. */
function requireSafeUrl(url: string, what: string): URL {
  if (!URL.canParse(url)) throw new SetupProblem(`${what} must be a whole URL.`);
  const parsed = new URL(url);
  if (parsed.protocol === 'https:' || (parsed.protocol === 'http:' && LOOPBACK.has(parsed.hostname))) return parsed;
  throw new SetupProblem(`${what} must use https, except on this machine.`);
}

const discovery = z.object({ issuer: z.string(), jwks_uri: z.string(), introspection_endpoint: z.string().optional() });
export type Discovery = z.infer<typeof discovery>;

/** The issuer's own description. Refuses one that speaks for another issuer, and redirects. */
export async function discover(issuer: string): Promise<Discovery> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = discovery.parse(await fetchJson(url, {}));
  if (found.issuer !== issuer)
    throw new SetupProblem('The issuer describes itself under another name; set OIDC_ISSUER to exactly what it calls itself.');
  requireSafeUrl(found.jwks_uri, 'The key address of the issuer');
  return found;
}

/** Asks the issuer whether a token still counts (RFC 7662). */
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
  if (text.length > LARGEST_ANSWER) throw new Error('The issuer answered too much.');
  return JSON.parse(text);
}

/** Asking again and again would keep a struggling issuer down. */
const RETRY_AFTER_MS = 5_000;
/** How long keys go on counting when the issuer, which would have withdrawn them, cannot be reached. */
const STALE_FOR_MS = 3_600_000;

/**
 * The keys behind an address that is looked up on first use, so that an issuer which starts later than we do is no obstacle.
 * An issuer that cannot be reached is SERVICE_UNAVAILABLE, not a bad sign-in: a client must not throw a good token away.
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
