/** Verifies access tokens: signature, claims, revocation, account and employment, with a cache of ten seconds. */
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { Caller } from '../engine/caller.ts';
import { Failure, failure } from '../declare/errors.ts';
import type { Role } from '../declare/people.ts';
import type { Clock, People } from '../engine/ports.ts';
import {
  audiencesOf,
  type Claims,
  LIFETIME,
  Refused,
  readSignIn,
  refuseOtherKinds,
  rolesOf,
  SKEW,
  type SignIn,
  saysRoles,
  unauthenticated,
} from './claims.ts';
import { employmentOf } from './employment.ts';
import type { Issuer } from './issuers.ts';
import type { Revocations } from './revocation.ts';

export interface VerifierOptions {
  readonly issuers: readonly Issuer[];
  /** Undefined if no installed domain provides employment. */
  readonly people: People | undefined;
  readonly denied: Pick<Revocations, 'isRevoked'>;
  readonly clock: Clock;
  /** Called with the reason for the log, never with the token. */
  readonly onRefused?: ((reason: string) => void) | undefined;
  /** Called once for each issuer whose tokens live longer than five minutes. */
  readonly onLongLived?: ((issuer: string, seconds: number) => void) | undefined;
}

export interface Verifier {
  /** The fast path: one hash and one lookup. If it returns undefined, call `verify`. Pass the same array object each time. */
  verifyCached(authorization: string | undefined, audiences: readonly string[]): Caller | undefined;
  verify(token: string | undefined, audiences: readonly string[]): Promise<Caller>;
  /** Reads the person again without a cache, for approvals. The origin and the right to approve stay the same. */
  refresh(caller: Caller): Promise<Caller>;
}

/** Characters that no JWT contains. */
const FOREIGN = /[^\w.-]/;
const LONGEST_TOKEN = 16 * 1024;
const CACHED_FOR_MS = 10_000;
const CACHED_AT_MOST = 10_000;
const FRESH_FOR_SECONDS = 60;

interface Entry {
  readonly caller: Caller;
  readonly audiences: readonly string[];
  /** The entry is valid from `from` until `until`. `from` matters if the clock is set back. */
  readonly from: number;
  readonly until: number;
  /** The last array of audiences that matched. Servers pass the same array object, so one comparison is enough. */
  passed: readonly string[] | undefined;
}

/** The verified sign-in of a caller, found by the caller's `token` object, because copies of a caller share this object. */
interface Source {
  readonly issuer: Issuer;
  readonly signIn: SignIn;
  /** Kept only for issuers with introspection. */
  readonly raw: string | undefined;
  readonly cacheKey: string;
}

/** The token in `Authorization: Bearer …`. */
export const bearer = (authorization: string | undefined): string | undefined =>
  authorization?.startsWith('Bearer ') || authorization?.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7) : undefined;

/** Reads only bearer tokens, because MCP endpoints and domain servers ignore cookies. */
export const byToken =
  (verifier: Verifier, audiences: readonly string[]) =>
  ({ headers: { authorization } }: Pick<IncomingMessage, 'headers'>): Caller | Promise<Caller> =>
    verifier.verifyCached(authorization, audiences) ?? verifier.verify(bearer(authorization), audiences);

export function createVerifier({ issuers, people, denied, clock, onRefused, onLongLived }: VerifierOptions): Verifier {
  const byUrl = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  // Only valid tokens are cached, so invalid tokens evict nothing. An LRU cache would slow down every hit.
  const cache = new Map<string, Entry>();
  const running = new Map<string, Promise<Entry>>();
  const sources = new WeakMap<Caller['token'], Source>();
  const noted = new Set<string>();
  const employment = employmentOf(people, clock);

  const admits = (entry: Entry, audiences: readonly string[]): boolean => {
    if (entry.passed === audiences) return true;
    if (!entry.audiences.some((audience) => audiences.includes(audience))) return false;
    entry.passed = audiences;
    return true;
  };

  const cached = (key: string, audiences: readonly string[]): Caller | undefined => {
    const entry = cache.get(key);
    if (entry === undefined) return undefined;
    const now = clock.now().getTime();
    return entry.from <= now && now < entry.until && admits(entry, audiences) ? entry.caller : undefined;
  };

  const keep = (key: string, entry: Entry, now: number): void => {
    cache.delete(key);
    for (const [oldest, { until }] of cache) {
      if (until > now && cache.size < CACHED_AT_MOST) break;
      cache.delete(oldest);
    }
    cache.set(key, entry);
  };

  /** Reads what can change while a token is valid: revocation, roles and employment. */
  const presentState = async (
    issuer: Issuer,
    signIn: SignInState,
    exact: boolean,
  ): Promise<{ roles: ReadonlySet<Role>; employeeId: string | undefined }> => {
    const { sub, jti, sid, issuedAt, roles, employeeRef } = signIn;
    const [revoked, account] = await Promise.all([
      answered(denied.isRevoked({ realm: issuer.realm, sub, jti, sid, issuedAt })),
      issuer.present && answered(issuer.present(sub)),
    ]);
    if (revoked) throw new Refused('revoked');
    if (issuer.present && !account) throw new Refused('account');
    if (account && !(issuedAt > account.notBefore)) throw new Refused('signed out');
    const employeeId = employeeRef === undefined ? undefined : await employment(employeeRef, exact);
    return { roles: account ? intersect(roles, account.roles) : roles, employeeId };
  };

  const check = async (token: string, cacheKey: string, issuer: Issuer): Promise<Entry> => {
    // Takes the time first, because the ten seconds of the cache begin with the oldest value.
    const started = clock.now();
    const seconds = started.getTime() / 1000;
    const { payload } = await jwtVerify(token, issuer.key, {
      algorithms: [...issuer.algorithms],
      issuer: issuer.issuer,
      requiredClaims: ['exp', 'iat', 'sub', 'aud'],
      currentDate: started,
      clockTolerance: issuer.embedded ? 0 : SKEW,
    });
    const signIn = readSignIn(issuer, payload, seconds);
    if (signIn.expiresAt - signIn.issuedAt > LIFETIME + SKEW && !noted.has(issuer.issuer)) {
      noted.add(issuer.issuer);
      onLongLived?.(issuer.issuer, signIn.expiresAt - signIn.issuedAt);
    }
    const { roles, employeeId } = await presentState(issuer, signIn, false);
    const { sub, username, name, email, organizationId, client, issuedAt, expiresAt, approves, origin, audiences } = signIn;
    const caller: Caller = {
      person: {
        principal: `${issuer.principalPrefix}${sub}`,
        sub,
        realm: issuer.realm,
        username,
        name,
        email,
        employeeId,
        organizationId,
        roles,
      },
      token: { id: signIn.jti ?? cacheKey, client, issuedAt, expiresAt },
      approves,
      origin,
    };
    sources.set(caller.token, { issuer, signIn, raw: issuer.introspect && token, cacheKey });
    const from = started.getTime();
    const entry: Entry = { caller, audiences, from, until: Math.min(from + CACHED_FOR_MS, expiresAt * 1000), passed: undefined };
    keep(cacheKey, entry, from);
    return entry;
  };

  /** Concurrent requests with the same token share one check. */
  const checkOnce = (token: string, key: string, issuer: Issuer): Promise<Entry> => {
    const already = running.get(key);
    if (already) return already;
    const started = check(token, key, issuer).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };

  const admit = async (token: string | undefined, audiences: readonly string[]): Promise<Caller> => {
    if (!token) throw new Refused('missing');
    if (token.length > LONGEST_TOKEN) throw new Refused('size');
    // Decoders skip invalid characters, so one token would have several forms.
    if (FOREIGN.test(token)) throw new Refused('form');
    const key = keyOf(token);
    const hit = cached(key, audiences);
    if (hit) return hit;
    const claims: Claims = decodeJwt(token);
    const issuer = typeof claims['iss'] === 'string' ? byUrl.get(claims['iss']) : undefined;
    if (!issuer) throw new Refused('iss');
    // Refuses tokens for other applications of the issuer before the signature check, because they are frequent.
    if (!audiencesOf(claims).some((audience) => audiences.includes(audience))) throw new Refused('aud');
    refuseOtherKinds(issuer, headerOf(token), claims);
    const entry = await checkOnce(token, key, issuer);
    if (!admits(entry, audiences)) throw new Refused('aud');
    return entry.caller;
  };

  const renew = async (caller: Caller): Promise<Caller> => {
    const { person, token } = caller;
    const source = sources.get(token);
    const issuer =
      source?.issuer ??
      issuers.find(({ realm, principalPrefix }) => realm === person.realm && `${principalPrefix}${person.sub}` === person.principal);
    if (!issuer) throw new Refused('iss');
    if (source) cache.delete(source.cacheKey);
    const now = clock.now().getTime() / 1000;
    if (token.expiresAt <= now) throw new Refused('expired');
    const signIn: SignInState = source?.signIn ?? {
      ...token,
      sub: person.sub,
      jti: token.id,
      sid: undefined,
      roles: person.roles,
      employeeRef: person.employeeId,
    };
    const state = await presentState(issuer, signIn, true);
    const roles =
      issuer.present || now - token.issuedAt <= FRESH_FOR_SECONDS ? state.roles : await introspected(issuer, source?.raw, state.roles);
    return { ...caller, person: { ...person, roles, employeeId: state.employeeId } };
  };

  /** Logs the reason of a refusal, and throws the same answer for every reason. */
  const hidingReason = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (!(error instanceof Refused || error instanceof errors.JOSEError)) throw error;
      onRefused?.(error instanceof errors.JOSEError ? error.code : error.message);
      throw unauthenticated();
    }
  };

  return {
    verifyCached(authorization, audiences) {
      const token = bearer(authorization);
      return token === undefined || token.length > LONGEST_TOKEN ? undefined : cached(keyOf(token), audiences);
    },
    verify: (token, audiences) => hidingReason(admit(token, audiences)),
    refresh: (caller) => hidingReason(renew(caller)),
  };
}

type SignInState = Pick<SignIn, 'sub' | 'jti' | 'sid' | 'issuedAt' | 'roles' | 'employeeRef'>;

function headerOf(token: string): Claims {
  try {
    return { ...decodeProtectedHeader(token) };
  } catch {
    throw new Refused('header');
  }
}

const keyOf = (token: string) => hash('sha256', token, 'base64url');

const intersect = (some: ReadonlySet<Role>, others: ReadonlySet<Role>): ReadonlySet<Role> =>
  new Set([...some].filter((role) => others.has(role)));

/** Fails closed: no sign-in is accepted if revocations, accounts or claims cannot be read. */
async function answered<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch {
    throw failure('SERVICE_UNAVAILABLE', 'Your sign-in cannot be checked at the moment.');
  }
}

/** Asks the issuer for the current claims, because the claims of an older token may be outdated. */
async function introspected(issuer: Issuer, raw: string | undefined, roles: ReadonlySet<Role>): Promise<ReadonlySet<Role>> {
  if (!issuer.introspect || raw === undefined) {
    throw failure('UNAUTHENTICATED', 'Sign in again to decide this: your sign-in is too old to prove your current roles.');
  }
  const claims = await answered(issuer.introspect(raw));
  if (!claims) throw new Refused('inactive');
  return saysRoles(claims) ? intersect(roles, rolesOf(issuer, claims)) : roles;
}
