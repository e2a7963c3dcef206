/** Signs and verifies the tokens between the gateway and domain servers: identity tokens of calls, and execution grants. */
import { hash, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import * as z from 'zod';
import type { Caller } from '../engine/caller.ts';
import { Failure, failure } from '../declare/errors.ts';
import type { RoleTable } from '../declare/roles.ts';
import type { Clock } from '../engine/ports.ts';
import { SKEW, unauthenticated } from './claims.ts';
import type { GatewayKeys } from './gateway-keys.ts';
import type { SigningKey } from './keys.ts';

const ISSUER = 'tamshai-gateway';
const IDENTITY = { typ: 'tamshai-identity+jwt', lifetime: 60 } as const;
const GRANT = { typ: 'tamshai-exec+jwt', lifetime: 30 } as const;
const LONGEST = 8 * 1024;

type Bytes = string | Uint8Array;
const digest = (bytes: Bytes) => hash('sha256', bytes, 'base64url');
const systemClock: Clock = { now: () => new Date() };

/** One HTTP call to a domain server. */
export interface InternalCall {
  readonly server: string;
  readonly method: string;
  /** The path of the request line, with the query. */
  readonly path: string;
  readonly body: Bytes;
}

/** One approved confirmation. `input` and `card` are the stored bytes that were shown and approved. */
export interface Execution {
  readonly server: string;
  readonly confirmationId: string;
  readonly tool: string;
  readonly input: Bytes;
  readonly card: Bytes;
  /** True for a grant that only reads the result. It can be signed without an approval, so it must execute nothing. */
  readonly settle?: boolean | undefined;
}

const sealed = { iss: z.literal(ISSUER), aud: z.string(), iat: z.number(), exp: z.number() };
const who = z.strictObject({
  principal: z.string(),
  sub: z.string(),
  realm: z.enum(['staff', 'customer']),
  username: z.string(),
  name: z.string(),
  email: z.string(),
  employeeId: z.string().optional(),
  organizationId: z.string().optional(),
  roles: z.array(z.string()),
  client: z.string(),
  origin: z.string(),
});
/** One signature covers the digests of all calls in a batch. */
const identitiesClaims = z.strictObject({ ...sealed, calls: z.array(z.string()) });
const callClaims = z.strictObject({ rid: z.string(), who, method: z.string(), path: z.string(), body: z.string(), jti: z.string() });
const grantClaims = z.strictObject({
  ...sealed,
  jti: z.string(),
  rid: z.string(),
  who,
  tool: z.string(),
  input: z.string(),
  card: z.string(),
  settle: z.boolean(),
});

/** A call with its caller. */
export interface IdentifiedCall extends InternalCall {
  readonly caller: Caller;
  readonly requestId: string;
}

/** Signs the identity of the caller for one call to one server. The user's own token stays in the gateway. */
export function signIdentity(key: SigningKey, call: IdentifiedCall, clock: Clock = systemClock): string {
  const [token = ''] = signIdentities(key, call.server, { calls: [call], clock });
  return token;
}

/**
 * Signs several calls to one server at once, because signing is the main cost of a token. One signature covers the digests of all calls;
 * each token discloses only its own call, like SD-JWT (RFC 9901).
 */
export function signIdentities(
  key: SigningKey,
  server: string,
  { calls, clock = systemClock }: { readonly calls: readonly IdentifiedCall[]; readonly clock?: Clock | undefined },
): string[] {
  // The unique id comes last, because an answer names its request by the end of the token.
  const said = calls.map(({ caller, requestId, method, path, body }) =>
    encode({ rid: requestId, who: describe(caller), method, path, body: digest(body), jti: randomUUID() } satisfies z.infer<
      typeof callClaims
    >),
  );
  const signed = seal(key, IDENTITY, { server, claims: { calls: said.map(digest) }, clock });
  return said.map((call) => `${signed}~${call}`);
}

export interface Opening {
  /** Drops roles of another realm and adds implied roles. */
  readonly roles: Pick<RoleTable, 'resolve'>;
  readonly token: string | undefined;
  readonly server: string;
  readonly clock?: Clock | undefined;
}

export interface IdentityCheck extends InternalCall, Opening {
  /** For writes. Resolves to true at the first use of an id, and to false later, for at least `seconds`. */
  readonly firstUse?: ((jti: string, seconds: number) => Promise<boolean>) | undefined;
  /** The user in the body, if present. It must match the token. */
  readonly userContext?: unknown;
}

/** Verifies signature, server and expiry. Runs before the body is read; `verifyIdentity` checks the body later. */
export async function openIdentityToken(
  keys: GatewayKeys,
  { token, server, clock = systemClock }: Opening,
): Promise<{ said: string; iat: number; exp: number }> {
  const [signed = '', said = '', more] = token?.split('~', 3) ?? [];
  const { calls, iat, exp } = await open(keys, signed, { kind: IDENTITY, shape: identitiesClaims, server, clock });
  if (token === undefined || token.length > LONGEST || more !== undefined || !calls.includes(digest(said))) throw unauthenticated();
  return { said, iat, exp };
}

/** The caller in an opened identity token. The body is not verified yet, so use the caller only for audit records and proofs. */
export function callerIn(
  { said, iat, exp }: Awaited<ReturnType<typeof openIdentityToken>>,
  roles: Opening['roles'],
): { caller: Caller; requestId: string } {
  const { success, data: claims } = callClaims.safeParse(decode(said));
  if (!success) throw unauthenticated();
  return { caller: callerFrom({ ...claims, iat, exp }, roles), requestId: claims.rid };
}

/** The caller of a token that the gateway signed for another server, for a call or an execution. */
export async function openProof(keys: GatewayKeys, opening: Opening): Promise<Caller> {
  const isCall = opening.token?.includes('~');
  return isCall ? callerIn(await openIdentityToken(keys, opening), opening.roles).caller : (await openGrant(keys, opening)).caller;
}

/** Verifies signature, server and expiry of a grant. Runs before the body is read; `verifyGrant` checks the body later. */
export async function openGrant(
  keys: GatewayKeys,
  { token, server, roles, clock = systemClock }: Opening,
): Promise<{ caller: Caller; requestId: string; tool: string }> {
  const claims = await open(keys, token, { kind: GRANT, shape: grantClaims, server, clock });
  return { caller: callerFrom(claims, roles), requestId: claims.rid, tool: claims.tool };
}

export async function verifyIdentity(keys: GatewayKeys, check: IdentityCheck): Promise<{ caller: Caller; requestId: string }> {
  const { method, path, body, firstUse, userContext, roles } = check;
  // The token can have expired while the body was read.
  const { said, iat, exp } = await openIdentityToken(keys, check);
  const { success, data: claims } = callClaims.safeParse(decode(said));
  if (!success || claims.method !== method || claims.path !== path || claims.body !== digest(body)) throw unauthenticated();
  const caller = callerFrom({ ...claims, iat, exp }, roles);
  if (userContext !== undefined && !saysTheSame(userContext, caller, roles)) throw userMismatch();
  if (firstUse && !(await firstUse(claims.jti, IDENTITY.lifetime + SKEW))) throw unauthenticated();
  return { caller, requestId: claims.rid };
}

/** Signs a grant to execute a claimed ticket, or to read its result. */
export function signGrant(
  key: SigningKey,
  execution: Execution & Pick<IdentifiedCall, 'caller' | 'requestId'>,
  clock: Clock = systemClock,
): string {
  const { server, confirmationId, tool, input, card, settle = false, caller, requestId } = execution;
  const claims = { jti: confirmationId, rid: requestId, who: describe(caller), tool, input: digest(input), card: digest(card), settle };
  return seal(key, GRANT, { server, claims, clock });
}

/** A replayed grant is harmless, because the store executes each confirmation id only once. */
export async function verifyGrant(keys: GatewayKeys, check: Execution & Opening): Promise<{ caller: Caller; requestId: string }> {
  const { token, server, roles, confirmationId, tool, input, card, settle = false, clock = systemClock } = check;
  const claims = await open(keys, token, { kind: GRANT, shape: grantClaims, server, clock });
  const same = claims.jti === confirmationId && claims.tool === tool && claims.input === digest(input) && claims.card === digest(card);
  if (!same || claims.settle !== settle) throw unauthenticated();
  return { caller: callerFrom(claims, roles), requestId: claims.rid };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function seal(
  key: SigningKey,
  { typ, lifetime }: typeof IDENTITY | typeof GRANT,
  { server, claims, clock }: { readonly server: string; readonly claims: object; readonly clock: Clock },
): string {
  const iat = Math.floor(clock.now().getTime() / 1000);
  const text = `${encode({ alg: 'EdDSA', typ, kid: key.kid })}.${encode({ iss: ISSUER, aud: server, iat, exp: iat + lifetime, ...claims })}`;
  return `${text}.${sign(null, Buffer.from(text), key.privateKey).toString('base64url')}`;
}

/** The key id in the header of an unverified token. */
export function signerOf(token: string | undefined): string {
  const header = headerShape.safeParse(decode(token?.split('.')[0] ?? ''));
  return header.success ? header.data.kid : '';
}

const SHAPE = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/;
const headerShape = z.strictObject({ alg: z.literal('EdDSA'), typ: z.string(), kid: z.string() });
type Claims = z.infer<typeof identitiesClaims> | z.infer<typeof grantClaims>;

/** A verified token, cached for the other calls of its batch. It is verified again if the key of `kid` changes. */
interface Opened {
  readonly kid: string;
  readonly key: KeyObject;
  readonly typ: string;
  readonly claims: Claims;
}
const MOST_OPENED = 256;
const remembered = new WeakMap<GatewayKeys, Map<string, Opened>>();

/** Verifies a token of the one algorithm and issuer. Every call between servers runs this code, and a JWT library takes twice as long. */
async function open<T extends Claims>(
  keys: GatewayKeys,
  token: string | undefined,
  {
    kind,
    shape,
    server,
    clock,
  }: { readonly kind: typeof IDENTITY | typeof GRANT; readonly shape: z.ZodType<T>; readonly server: string; readonly clock: Clock },
): Promise<T> {
  if (token === undefined || token.length > LONGEST) throw unauthenticated();
  const known = remembered.get(keys) ?? new Map<string, Opened>();
  remembered.set(keys, known);
  let found = known.get(token);
  if (found === undefined || (await keys.find(found.kid)) !== found.key) {
    found = await checked(keys, token, { typ: kind.typ, shape });
    known.set(token, found);
    if (known.size > MOST_OPENED) for (const [oldest] of known) if (known.delete(oldest)) break;
  }
  const { aud, iat, exp } = found.claims;
  const now = clock.now().getTime() / 1000;
  if (found.typ !== kind.typ || aud !== server || exp <= now || iat > now + SKEW || exp - iat > kind.lifetime) throw unauthenticated();
  return found.claims as T;
}

async function checked(
  keys: GatewayKeys,
  token: string,
  { typ, shape }: { readonly typ: string; readonly shape: z.ZodType<Claims> },
): Promise<Opened> {
  const [, head = '', payload = '', signature = ''] = SHAPE.exec(token) ?? [];
  const header = headerShape.safeParse(decode(head));
  if (!header.success || header.data.typ !== typ) throw unauthenticated();
  const { kid } = header.data;
  const key = await keys.find(kid);
  if (!key || !verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))) throw unauthenticated();
  const claims = shape.safeParse(decode(payload));
  if (!claims.success) throw unauthenticated();
  return { kid, key, typ, claims: claims.data };
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function describe({ person, token, origin }: Caller): z.infer<typeof who> {
  const { principal, sub, realm, username, name, email, employeeId, organizationId, roles } = person;
  return {
    principal,
    sub,
    realm,
    username,
    name,
    email,
    ...(employeeId !== undefined && { employeeId }),
    ...(organizationId !== undefined && { organizationId }),
    roles: [...roles],
    client: token.client,
    origin,
  };
}

/** A caller on a domain server can approve nothing, because only the gateway decides. */
function callerFrom(
  { who, jti, iat, exp }: Pick<z.infer<typeof grantClaims>, 'who' | 'jti' | 'iat' | 'exp'>,
  table: Opening['roles'],
): Caller {
  const { roles, client, origin, ...person } = who;
  return {
    person: { ...person, employeeId: person.employeeId, organizationId: person.organizationId, roles: table.resolve(person.realm, roles) },
    token: { id: jti, client, issuedAt: iat, expiresAt: exp },
    approves: 'nothing',
    origin,
  };
}

const context = z.strictObject({
  userId: z.string().optional(),
  username: z.string().optional(),
  email: z.string().optional(),
  roles: z.array(z.string()).optional(),
});

function saysTheSame(userContext: unknown, { person }: Caller, table: Opening['roles']): boolean {
  const said = context.safeParse(userContext);
  if (!said.success) return false;
  const { userId = person.sub, username = person.username, email = person.email, roles = [...person.roles] } = said.data;
  const claimed = table.resolve(person.realm, roles);
  return (
    (userId === person.principal || userId === person.sub || userId === person.employeeId) &&
    username === person.username &&
    email === person.email &&
    claimed.size === person.roles.size &&
    [...claimed].every((role) => person.roles.has(role))
  );
}

/** Here USER_MISMATCH has the status 401, because a body that contradicts the token makes the whole call invalid. */
function userMismatch(): Failure {
  const { code, message, suggestedAction: hint } = failure('USER_MISMATCH', 'The user in the body is not the one who is signed in.');
  return new Failure(code, { message, hint, status: 401, retryable: false });
}
