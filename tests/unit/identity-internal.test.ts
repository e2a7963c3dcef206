/** Signed identities and execution grants between the gateway and the domain servers: replays, batch signing and key rotation. */
import { generateKeyPairSync, hash, randomUUID } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/engine/caller.ts';
import { gatewayJwks, loadGatewayKeys, ownGatewayKeys, watchGatewayKeys } from '../../src/identity/gateway-keys.ts';
import {
  type Execution,
  type IdentityCheck,
  signGrant,
  signIdentities,
  signIdentity,
  verifyGrant,
  verifyIdentity,
} from '../../src/identity/internal.ts';
import { openKeys, rotateGatewayKey } from '../../src/identity/keys.ts';
import { createBatchSigner } from '../../src/identity/batch-signer.ts';
import { API, encoded, folder, refusal, setUp, signed, UNAUTHENTICATED } from './identity-support.ts';
import { builtIn } from '../registry.ts';

const here = setUp();
afterAll(() => here.close());
const { clock, keys } = here;
const key = keys.gateway.current;
const servers = ownGatewayKeys(keys);
const caller: Caller = { ...(await here.verifier.verify(await here.token('alice.chen'), API)), approves: 'anything', origin: 'web' };

const call = { server: 'hr', method: 'POST', path: '/tools/update_salary', body: '{"employee_id":"a","new_salary":1}' };
const identity = () => signIdentity(key, { ...call, caller, requestId: 'r-1' }, clock);
const { roles } = builtIn;
const check = (change: Partial<IdentityCheck> = {}) => verifyIdentity(servers, { ...call, roles, token: identity(), clock, ...change });

const saidIn = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as { who: object };

describe('a signed identity', () => {
  it('contains the caller, without the right to approve', async () => {
    const { caller: received, requestId } = await check();
    expect(received.person).toEqual(caller.person);
    expect(received).toMatchObject({ approves: 'nothing', origin: 'web', token: { client: 'tamshai-cli' } });
    expect(requestId).toBe('r-1');
  });

  it('is a JWT that is valid for sixty seconds and contains a digest, followed by the call details that the digest covers', async () => {
    const [jwt = '', said = ''] = identity().split('~');
    const { payload, protectedHeader } = await jwtVerify(jwt, key.publicKey, {
      currentDate: clock.now(),
      audience: 'hr',
      issuer: 'tamshai-gateway',
    });
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'tamshai-identity+jwt', kid: key.kid });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(60);
    expect(payload['calls']).toEqual([hash('sha256', said, 'base64url')]);
    const claims: unknown = JSON.parse(Buffer.from(said, 'base64url').toString());
    expect(claims).toMatchObject({ method: 'POST', path: '/tools/update_salary', rid: 'r-1', body: expect.stringMatching(/^[\w-]{43}$/) });
  });

  it('has a unique id, so that a server can accept it only once', async () => {
    const seen = new Set<string>();
    const firstUse = async (jti: string) => !seen.has(jti) && seen.add(jti) !== undefined;
    const token = identity();
    await check({ token, firstUse });
    expect(await refusal(check({ token, firstUse }))).toEqual(UNAUTHENTICATED);
    await check({ token });
    await check({ firstUse });
    expect(seen.size).toBe(2);
  });

  const jwt = () => signed(keys.realms.staff.privateKey, { alg: 'ES256', kid: key.kid, typ: 'tamshai-identity+jwt' }, { aud: 'hr' });
  const replays: Record<string, () => Partial<IdentityCheck> | Promise<Partial<IdentityCheck>>> = {
    'against another server': () => ({ server: 'finance' }),
    'with another tool': () => ({ path: '/tools/delete_employee' }),
    'with a query added': () => ({ path: `${call.path}?servers=hr` }),
    'at /execute': () => ({ path: '/execute' }),
    'with another method': () => ({ method: 'PUT' }),
    'with another body': () => ({ body: call.body.replace('1', '9') }),
    'with no body': () => ({ body: '' }),
    'without a token': () => ({ token: undefined }),
    'with an empty token': () => ({ token: '' }),
    "with the user's own token": async () => ({ token: await here.token('eve.thompson', { audience: 'hr' }) }),
    'with a grant': () => ({ token: signGrant(key, { ...execution, caller, requestId: 'r' }, clock) }),
    'with another algorithm': async () => ({ token: await jwt() }),
    'with alg none': () => ({ token: identity().replace(/^[^.]+/, encoded({ alg: 'none', typ: 'tamshai-identity+jwt', kid: key.kid })) }),
    'with one header field more': () => ({
      token: identity().replace(/^[^.]+/, encoded({ alg: 'EdDSA', typ: 'tamshai-identity+jwt', kid: key.kid, crit: [] })),
    }),
    'with the signature cut off': () => ({ token: identity().replace(/[^.]+~/, '~') }),
    'with other claims': () => ({ token: identity().replace(/\.[^.]+\./, `.${encoded({ aud: 'hr' })}.`) }),
    'without the call details': () => ({ token: identity().replace(/~.*/, '') }),
    'with empty call details': () => ({ token: identity().replace(/~.*/, '~') }),
    'with the details of another call': () => ({ token: `${identity().replace(/~.*/, '')}~${identity().replace(/.*~/, '')}` }),
    'with further details appended': () => ({ token: `${identity()}~${encoded({})}` }),
    'with another caller in the call details': () => ({
      token: identity().replace(
        /~.*/,
        (said) => `~${encoded({ ...saidIn(said.slice(1)), who: { ...saidIn(said.slice(1)).who, username: 'eve.thompson' } })}`,
      ),
    }),
    'with the signature of an unknown key': () => {
      const { privateKey } = generateKeyPairSync('ed25519');
      return { token: signIdentity({ ...key, privateKey }, { ...call, caller, requestId: 'r' }, clock) };
    },
    'if it is too long': () => ({ token: `${identity()}${'A'.repeat(9_000)}` }),
  };
  it.each(Object.keys(replays))('is refused %s', async (name) => {
    expect(await refusal(check(await replays[name]?.()))).toEqual(UNAUTHENTICATED);
  });

  it('is refused after a minute, and before its issue time', async () => {
    const token = identity();
    const at = (seconds: number) => ({ now: () => new Date(clock.now().getTime() + seconds * 1000) });
    await check({ token, clock: at(59) });
    expect(await refusal(check({ token, clock: at(60) }))).toEqual(UNAUTHENTICATED);
    expect(await refusal(check({ token, clock: at(120) }))).toEqual(UNAUTHENTICATED);
    expect(await refusal(check({ token, clock: at(-30) }))).toEqual(UNAUTHENTICATED);
  });

  it('is refused when its lifetime is too long, even with a valid signature', async () => {
    const now = clock.seconds();
    const [jwt = '', said = ''] = identity().split('~');
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as object;
    const living = async (seconds: number) =>
      `${await signed(key.privateKey, { alg: 'EdDSA', typ: 'tamshai-identity+jwt', kid: key.kid }, { ...claims, exp: now + seconds })}~${said}`;
    await check({ token: await living(60) });
    expect(await refusal(check({ token: await living(3600) }))).toEqual(UNAUTHENTICATED);
  });

  it('gives no roles of another realm', async () => {
    const mixed = { ...caller, person: { ...caller.person, roles: new Set(['employee', 'lead-customer'] as const) } };
    const token = signIdentity(key, { ...call, caller: mixed, requestId: 'r' }, clock);
    expect([...(await check({ token })).caller.person.roles]).toEqual(['employee']);
  });
});

describe('identities that are signed in a batch', () => {
  const other = { ...call, path: '/tools/get_employee', body: '{"input":{}}' };

  it('share one signature, and each is valid for its own call alone', async () => {
    const [first = '', second = ''] = signIdentities(key, 'hr', {
      calls: [call, other].map((each) => ({ ...each, caller, requestId: each.path })),
      clock,
    });
    expect(first.replace(/~.*/, '')).toBe(second.replace(/~.*/, ''));
    expect((await check({ token: first })).requestId).toBe(call.path);
    expect((await check({ ...other, token: second })).requestId).toBe(other.path);
    expect(await refusal(check({ token: second }))).toEqual(UNAUTHENTICATED);
    expect(await refusal(check({ ...other, token: first }))).toEqual(UNAUTHENTICATED);
    expect(await refusal(check({ token: `${first.replace(/~.*/, '')}~${second.replace(/.*~/, '')}` }))).toEqual(UNAUTHENTICATED);
  });

  it('are those that are requested in one turn of the event loop, at most sixteen', async () => {
    const sign = createBatchSigner(key, 'hr', clock);
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => sign({ ...call, body: `{"n":${n}}`, caller, requestId: `r-${n}` })),
    );
    const later = await sign({ ...call, caller, requestId: 'later' });
    const signatures = [...tokens, later].map((token) => token.replace(/~.*/, ''));
    expect(new Set(signatures.slice(0, 16)).size).toBe(1);
    expect(new Set(signatures.slice(16, 20)).size).toBe(1);
    expect(new Set(signatures).size).toBe(3);
    expect(new Set(tokens.map((token) => token.slice(-32))).size).toBe(20);
    for (const [n, token] of tokens.entries()) expect((await check({ token, body: `{"n":${n}}` })).requestId).toBe(`r-${n}`);
  });

  it('are refused once their key is removed, even if their signature was verified before', async () => {
    let known = servers.find(key.kid);
    const token = identity();
    const withdrawn = { find: () => known };
    await verifyIdentity(withdrawn, { ...call, roles, token, clock });
    known = undefined;
    expect(await refusal(verifyIdentity(withdrawn, { ...call, roles, token, clock }))).toEqual(UNAUTHENTICATED);
  });

  it('are refused after a minute, even if their signature was verified before', async () => {
    const token = identity();
    await check({ token });
    expect(await refusal(check({ token, clock: { now: () => new Date(clock.now().getTime() + 60_000) } }))).toEqual(UNAUTHENTICATED);
    expect(await refusal(check({ token, server: 'finance' }))).toEqual(UNAUTHENTICATED);
  });
});

describe('a userContext beside the identity', () => {
  const { sub, principal, employeeId, username, email } = caller.person;
  const same = [
    {},
    { userId: sub },
    { userId: principal },
    { userId: employeeId },
    { userId: sub, username, email, roles: ['manager', 'hr-write', 'employee'] },
  ];
  it.each(same)('that matches is accepted: %j', async (userContext) => {
    expect((await check({ userContext })).caller.person.sub).toBe(sub);
  });

  const other = [
    { userId: randomUUID() },
    { userId: '' },
    { userId: sub, username: 'eve.thompson' },
    { userId: sub, email: 'eve@tamshai.example' },
    { userId: sub, roles: ['employee', 'executive'] },
    { userId: sub, roles: ['employee'] },
    { userId: sub, roles: 'executive' },
    { userId: sub, admin: true },
    'eve.thompson',
    null,
    [],
  ];
  it.each(other)('that differs is 401 USER_MISMATCH: %j', async (userContext) => {
    expect(await refusal(check({ userContext }))).toMatchObject({ code: 'USER_MISMATCH', status: 401 });
  });

  it('is ignored without an identity', async () => {
    expect(await refusal(check({ token: undefined, userContext: { userId: sub } }))).toEqual(UNAUTHENTICATED);
  });
});

const execution: Execution = {
  server: 'hr',
  confirmationId: randomUUID(),
  tool: 'update_salary',
  input: '{"employee_id":"a","new_salary":1}',
  card: '{"summary":"Change the salary"}',
};

describe('an execution grant', () => {
  const grant = () => signGrant(key, { ...execution, caller, requestId: 'r-2' }, clock);
  const execute = (change: Partial<Parameters<typeof verifyGrant>[1]> = {}) =>
    verifyGrant(servers, { ...execution, roles, token: grant(), clock, ...change });

  it('allows one server to execute one confirmation as one person', async () => {
    const { caller: received, requestId } = await execute();
    expect(received.person).toEqual(caller.person);
    expect(received.approves).toBe('nothing');
    expect(requestId).toBe('r-2');
    const { payload, protectedHeader } = await jwtVerify(grant(), key.publicKey, { currentDate: clock.now(), audience: 'hr' });
    expect(protectedHeader.typ).toBe('tamshai-exec+jwt');
    expect(payload.jti).toBe(execution.confirmationId);
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(30);
  });

  const wrong: Record<string, () => Parameters<typeof execute>[0] | Promise<Parameters<typeof execute>[0]>> = {
    'another server': () => ({ server: 'payroll' }),
    'another confirmation': () => ({ confirmationId: randomUUID() }),
    'another tool': () => ({ tool: 'delete_employee' }),
    'another input': () => ({ input: execution.input.toString().replace('1', '2') }),
    'another card': () => ({ card: '{}' }),
    'no token': () => ({ token: undefined }),
    "an executive's own token": async () => ({ token: await here.token('eve.thompson', { audience: 'hr', approve: true }) }),
    'the signature of an identity': () => ({
      token: signIdentity(key, { ...call, path: '/execute', caller, requestId: 'r' }, clock).replace(/~.*/, ''),
    }),
    'a signed identity': () => ({ token: signIdentity(key, { ...call, path: '/execute', caller, requestId: 'r' }, clock) }),
    'a later time': () => ({ clock: { now: () => new Date(clock.now().getTime() + 30_000) } }),
  };
  it.each(Object.keys(wrong))('is refused with %s', async (name) => {
    expect(await refusal(execute(await wrong[name]?.()))).toEqual(UNAUTHENTICATED);
  });
});

describe('rotation of the gateway key', () => {
  it('keeps both keys valid at first, so that no call fails, and refuses the old key afterwards', async () => {
    const at = folder();
    const old = openKeys(at).gateway.current;
    let published = JSON.stringify(gatewayJwks(openKeys(at)));
    const watched = watchGatewayKeys(async () => published, clock);
    const by = (signer: typeof old) =>
      verifyIdentity(watched, { ...call, roles, clock, token: signIdentity(signer, { ...call, caller, requestId: 'r' }, clock) });
    await by(old);

    rotateGatewayKey(at);
    const { current, previous } = openKeys(at).gateway;
    expect(current.kid).not.toBe(old.kid);
    expect(previous?.kid).toBe(old.kid);
    published = JSON.stringify(gatewayJwks(openKeys(at)));
    clock.pass(6);
    await by(current);
    await by(old);

    published = JSON.stringify({ keys: [current.publicJwk] });
    clock.pass(61);
    await by(current);
    expect(await refusal(by(old))).toEqual(UNAUTHENTICATED);
  });

  it('keeps the last known keys while the new ones cannot be read', async () => {
    let reads = 0;
    const watched = watchGatewayKeys(async () => {
      reads += 1;
      if (reads > 1) throw new Error('gone');
      return JSON.stringify(gatewayJwks(keys));
    }, clock);
    expect(await watched.find(key.kid)).toBeDefined();
    clock.pass(61);
    expect(await watched.find(key.kid)).toBeDefined();
    // Lookups of unknown key ids cause no further reads.
    await Promise.all(Array.from({ length: 100 }, () => watched.find(randomUUID())));
    expect(reads).toBe(2);
  });

  it('accepts one or two public keys, and no private key', () => {
    const { jwk, publicJwk } = key;
    expect(loadGatewayKeys(JSON.stringify({ keys: [publicJwk] })).find(key.kid)).toBeDefined();
    expect(JSON.stringify(gatewayJwks(keys))).not.toContain('"d"');
    for (const text of [
      '',
      '{}',
      '{"keys":[]}',
      JSON.stringify({ keys: [jwk] }),
      JSON.stringify({ keys: [publicJwk, publicJwk, publicJwk] }),
      JSON.stringify({ keys: [keys.realms.staff.publicJwk] }),
    ]) {
      expect(() => loadGatewayKeys(text)).toThrow(/^The gateway keys must be/);
    }
  });
});
