/** Verification of access tokens: algorithm confusion, wrong claims and foreign keys are refused, minted tokens are accepted. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, type JWTHeaderParameters, type JWTPayload } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import { API, BASE, encoded, MCP, refusal, setUp, signed, UNAUTHENTICATED } from './identity-support.ts';

const it_ = setUp();
const { clock, keys, verifier, refusals } = it_;
afterAll(() => it_.close());

const staff = keys.realms.staff;
const eve = persona('eve.thompson');
const now = clock.seconds();
const header: JWTHeaderParameters = { alg: 'ES256', kid: staff.kid, typ: 'at+jwt' };
const good: JWTPayload = {
  iss: `${BASE}/oidc/staff`,
  sub: eve.sub,
  aud: `${BASE}/api`,
  iat: now,
  exp: now + 300,
  jti: 'one',
  client_id: 'tamshai-cli',
  roles: ['employee', 'executive'],
};
const without = (name: string): JWTPayload => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name));
const sign = (claims: JWTPayload, head: Partial<JWTHeaderParameters> = {}) => signed(staff.privateKey, { ...header, ...head }, claims);
const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const publicPem = Buffer.from(staff.publicKey.export({ type: 'spki', format: 'pem' }));

async function publishedKey() {
  // oidc-provider publishes this key pair for development, so anyone can sign with it.
  const { default: published } = (await import(
    new URL('../../node_modules/oidc-provider/lib/consts/dev_keystore.js', import.meta.url).href
  )) as {
    default: { keys: Record<string, string>[] };
  };
  const [jwk] = published.keys;
  if (!jwk) throw new Error('The published key is no longer where it was.');
  return signed(await importJWK(jwk, 'RS256'), { alg: 'RS256', kid: String(jwk['kid']), typ: 'at+jwt' }, good);
}

const CLAIM = 'ERR_JWT_CLAIM_VALIDATION_FAILED';
const SIGNATURE = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';
const NO_KEY = 'ERR_JWKS_NO_MATCHING_KEY';

/** Each case has the reason that is logged, which proves that the token is refused for its own fault. */
const bad: Record<string, [string, () => string | undefined | Promise<string>]> = {
  'no token': ['missing', () => undefined],
  'an empty token': ['missing', () => ''],
  'not a token': ['ERR_JWT_INVALID', () => 'swordfish'],
  'two dots without content': ['ERR_JWT_INVALID', () => '..'],
  'a header that is not JSON': ['header', () => `e30x.${encoded(good)}.AAAA`],
  'alg none': ['alg', () => `${encoded({ alg: 'none', typ: 'at+jwt' })}.${encoded(good)}.`],
  'alg None': ['alg', () => `${encoded({ alg: 'None' })}.${encoded(good)}.`],
  'HS256 signed with the public key': ['alg', () => signed(publicPem, { ...header, alg: 'HS256' }, good)],
  'HS256 without a kid': ['alg', () => signed(publicPem, { alg: 'HS256' }, good)],
  expired: ['ERR_JWT_EXPIRED', () => sign({ ...good, iat: now - 301, exp: now - 1 })],
  'expires at this second': ['ERR_JWT_EXPIRED', () => sign({ ...good, iat: now - 300, exp: now })],
  'nbf in the future': [CLAIM, () => sign({ ...good, nbf: now + 30 })],
  'no exp': [CLAIM, () => sign(without('exp'))],
  'no iat': [CLAIM, () => sign(without('iat'))],
  'iat in the future': ['times', () => sign({ ...good, iat: now + 60, exp: now + 120 })],
  'exp before iat': ['times', () => sign({ ...good, iat: now + 4, exp: now + 3 })],
  'a lifetime of an hour': ['lifetime', () => sign({ ...good, exp: now + 3600 })],
  'exp as text': [CLAIM, () => sign({ ...good, exp: '9999999999' as unknown as number })],
  'no aud': ['aud', () => sign(without('aud'))],
  'no sub': [CLAIM, () => sign(without('sub'))],
  'a sub with a line break': ['sub', () => sign({ ...good, sub: `${eve.sub}\nx` })],
  'no iss': ['iss', () => sign(without('iss'))],
  'other aud': ['aud', () => sign({ ...good, aud: 'account' })],
  'aud of MCP': ['aud', () => sign({ ...good, aud: `${BASE}/mcp` })],
  'aud with a trailing slash': ['aud', () => sign({ ...good, aud: `${BASE}/api/` })],
  'aud as an object': ['aud', () => sign({ ...good, aud: { 0: `${BASE}/api` } as unknown as string })],
  'other iss': ['iss', () => sign({ ...good, iss: 'https://login.evil.example' })],
  'iss of the other realm': [NO_KEY, () => sign({ ...good, iss: `${BASE}/oidc/customers` })],
  'iss with a trailing slash': ['iss', () => sign({ ...good, iss: `${BASE}/oidc/staff/` })],
  'signed by another key': [SIGNATURE, () => signed(foreign, header, good)],
  'signed by the key of the other realm': [SIGNATURE, () => signed(keys.realms.customer.privateKey, header, good)],
  'signed by the gateway key': [
    'alg',
    () => signed(keys.gateway.current.privateKey, { ...header, alg: 'EdDSA', kid: keys.gateway.current.kid }, good),
  ],
  'its own key in the header': [NO_KEY, () => signed(foreign, { ...header, kid: 'x', jwk: { kty: 'EC' } }, good)],
  'claims changed afterwards': [
    SIGNATURE,
    async () => (await sign(good)).replace(/\.[^.]+\./, `.${encoded({ ...good, sub: persona('alice.chen').sub })}.`),
  ],
  "oidc-provider's published key": ['alg', publishedKey],
  '40 kB': ['size', () => sign({ ...good, filler: 'x'.repeat(30_000) })],
  'id token by its type': ['typ', () => sign(good, { typ: 'id_token+jwt' })],
  'id token by its nonce': ['kind', () => sign({ ...good, nonce: 'n' })],
  'id token by its at_hash': ['kind', () => sign({ ...good, at_hash: 'h' })],
  'id token as Keycloak names it': ['kind', () => sign({ ...good, typ: 'ID' })],
  'refresh token as Keycloak names it': ['kind', () => sign({ ...good, typ: 'Refresh' })],
  'logout token': ['typ', () => sign({ ...good, events: {} }, { typ: 'logout+jwt' })],
  'token bound to a key': ['kind', () => sign({ ...good, cnf: { jkt: 'x' } })],
  'our internal identity type': ['typ', () => sign(good, { typ: 'tamshai-identity+jwt' })],
  'our execution grant type': ['typ', () => sign(good, { typ: 'tamshai-exec+jwt' })],
  'unknown critical header': [
    'ERR_JOSE_NOT_SUPPORTED',
    () => sign(good, { crit: ['x'], x: 1 }).catch(() => `${encoded({ ...header, crit: ['x'], x: 1 })}.${encoded(good)}.AAAA`),
  ],
  'jti that is not text': ['jti', () => sign({ ...good, jti: 7 as unknown as string })],
  'an unknown account': ['account', () => sign({ ...good, sub: randomUUID() })],
  'a customer under the staff issuer': ['account', () => sign({ ...good, sub: persona('jane.smith@acme.example').sub })],
};

describe('an invalid token', () => {
  it.each(Object.keys(bad))('(%s) is refused, and the reason is logged but not in the message', async (name) => {
    const [reason, make] = bad[name] ?? ['', () => undefined];
    const token = await make();
    const before = refusals.length;
    expect(await refusal(verifier.verify(token, API))).toEqual(UNAUTHENTICATED);
    expect(refusals.slice(before)).toEqual([reason]);
    expect(verifier.verifyCached(`Bearer ${token}`, API)).toBeUndefined();
  });

  it('differs from an accepted token only in its fault', async () => {
    expect((await verifier.verify(await sign(good), API)).person.username).toBe(eve.sub);
    expect((await verifier.verify(await sign(good, { typ: 'JWT' }), API)).person.sub).toBe(eve.sub);
    expect((await verifier.verify(await sign({ ...good, aud: ['account', `${BASE}/api`], typ: 'Bearer' }), API)).person.sub).toBe(eve.sub);
  });
});

describe('a minted token', () => {
  it('identifies a member of staff', async () => {
    const caller = await verifier.verify(await it_.token('alice.chen'), API);
    const alice = persona('alice.chen');
    expect(caller.person).toEqual({
      principal: `staff:${alice.sub}`,
      sub: alice.sub,
      realm: 'staff',
      username: 'alice.chen',
      name: 'Alice Chen',
      email: alice.email,
      employeeId: alice.employeeId,
      organizationId: undefined,
      roles: new Set(['employee', 'hr-read', 'hr-write', 'manager']),
    });
    expect(caller).toMatchObject({
      approves: 'nothing',
      origin: 'command',
      token: { client: 'tamshai-cli', issuedAt: now, expiresAt: now + 300 },
    });
  });

  it('identifies a customer with an organisation', async () => {
    const { person } = await verifier.verify(await it_.token('jane.smith@acme.example'), API);
    const jane = persona('jane.smith@acme.example');
    expect(person).toMatchObject({
      principal: `customer:${jane.sub}`,
      realm: 'customer',
      organizationId: jane.organizationId,
      employeeId: undefined,
    });
    expect(person.roles).toEqual(new Set(['lead-customer']));
  });

  it('is valid for one audience only, also from the cache', async () => {
    const forMcp = await it_.token('nina.patel', { audience: `${BASE}/mcp` });
    expect(await refusal(verifier.verify(forMcp, API))).toEqual(UNAUTHENTICATED);
    expect((await verifier.verify(forMcp, MCP)).person.username).toBe('nina.patel');
    expect(verifier.verifyCached(`Bearer ${forMcp}`, MCP)?.person.username).toBe('nina.patel');
    expect(verifier.verifyCached(`Bearer ${forMcp}`, API)).toBeUndefined();
    expect(await refusal(verifier.verify(forMcp, API))).toEqual(UNAUTHENTICATED);
  });

  it('expires within five minutes, and cannot approve when it is for MCP', async () => {
    const caller = await verifier.verify(await it_.token('nina.patel', { ttl: 86_400 }), API);
    expect(caller.token.expiresAt - caller.token.issuedAt).toBe(300);
    await expect(it_.token('nina.patel', { audience: `${BASE}/mcp`, approve: true })).rejects.toThrow(/never approve/);
    await expect(it_.token('nina.patel', { approve: 'pending:*' })).rejects.toThrow(/confirmation/);
  });
});
