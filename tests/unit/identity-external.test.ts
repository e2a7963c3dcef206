/** External OIDC issuers: discovery, key rotation, role claims, introspection, back-channel logout and audiences. */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discover, createExternalIssuer, introspection, sameAudience } from '../../src/identity/issuers.ts';
import { createLogout } from '../../src/identity/logout.ts';
import { API, BASE, refusal, type Setup, setUp, signed, UNAUTHENTICATED } from './identity-support.ts';
import { builtIn } from '../registry.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed = generateKeyPairSync('ed25519');
const jwk = (key: KeyObject, kid: string, alg: string) => ({ ...key.export({ format: 'jwk' }), kid, alg, use: 'sig' });

/** A small OIDC issuer with the token format of Keycloak. */
let server: Server;
let issuer: string;
let keySet = { keys: [jwk(rsa.publicKey, 'rsa', 'RS256'), jwk(ed.publicKey, 'ed', 'EdDSA')] };
let active: object = { active: true };
let saysIssuer: string | undefined;
const introspected: string[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const json = (body: object) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (request.url === '/realms/staff/.well-known/openid-configuration') {
      json({ issuer: saysIssuer ?? issuer, jwks_uri: `${issuer}/keys`, introspection_endpoint: `${issuer}/introspect` });
    } else if (request.url === '/realms/staff/keys') json(keySet);
    else if (request.url === '/realms/staff/introspect') {
      let body = '';
      for await (const part of request) body += String(part);
      introspected.push(`${request.headers.authorization} ${new URLSearchParams(body).get('token')?.length}`);
      json(active);
    } else if (request.url?.startsWith('/moved')) response.writeHead(302, { location: `${issuer}/keys` }).end();
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/realms/staff`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const sub = '7b0f6a1e-4a35-4b1e-9f55-0d2a5b8c9e01';

async function withSetup(
  options: { introspect?: boolean },
  work: (here: Setup, sign: (claims?: object, header?: object) => Promise<string>) => Promise<void>,
) {
  const introspect = options.introspect ? introspection(issuer, 'tamshai', 'a secret') : undefined;
  const here = setUp({
    external: [createExternalIssuer({ roles: builtIn.roles, realm: 'staff', issuer, clientId: 'tamshai', introspect })],
  });
  const now = here.clock.seconds();
  const sign = (claims = {}, header = {}) =>
    signed(
      rsa.privateKey,
      { alg: 'RS256', kid: 'rsa', typ: 'JWT', ...header },
      {
        iss: issuer,
        sub,
        aud: [`${BASE}/api`, 'account'],
        iat: now,
        exp: now + 300,
        jti: randomUUID(),
        typ: 'Bearer',
        azp: 'tamshai-cli',
        ...claims,
      },
    );
  try {
    await work(here, sign);
  } finally {
    await here.close();
  }
}

describe('an external issuer', () => {
  it('is found by its discovery document, and a person is identified by issuer and sub', () =>
    withSetup({}, async ({ verifier, people }, sign) => {
      people.records.set(sub, 'active');
      const { person, origin } = await verifier.verify(
        await sign({ realm_access: { roles: ['employee', 'hr-write', 'offline_access'] } }),
        API,
      );
      expect(person).toMatchObject({ principal: `${issuer}#${sub}`, realm: 'staff', employeeId: sub, username: sub });
      expect([...person.roles]).toEqual(['employee', 'hr-write', 'hr-read']);
      expect(origin).toBe('command');
    }));

  it('must sign with an allowed algorithm and a key of its key set', () =>
    withSetup({}, async ({ verifier, clock }, sign) => {
      const now = clock.seconds();
      const claims = { iss: issuer, sub, aud: `${BASE}/api`, iat: now, exp: now + 60 };
      expect((await verifier.verify(await signed(ed.privateKey, { alg: 'EdDSA', kid: 'ed' }, claims), API)).person.sub).toBe(sub);
      expect((await verifier.verify(await sign(), API)).person.sub).toBe(sub);
      const pem = Buffer.from(rsa.publicKey.export({ type: 'spki', format: 'pem' }));
      for (const token of [
        await signed(pem, { alg: 'HS256', kid: 'rsa' }, claims),
        await signed(rsa.privateKey, { alg: 'RS512', kid: 'rsa' }, claims),
        await signed(rsa.privateKey, { alg: 'RS256', kid: 'nobody' }, claims),
        await signed(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, { alg: 'RS256', kid: 'rsa' }, claims),
      ]) {
        expect(await refusal(verifier.verify(token, API))).toEqual(UNAUTHENTICATED);
      }
    }));

  const roleClaims: [string, object, string[]][] = [
    ['roles as a list', { roles: ['employee', 'manager'] }, ['employee', 'manager']],
    ['the role user, which counts as employee', { roles: ['user'] }, ['employee']],
    ['roles as a string', { roles: 'executive' }, []],
    ['roles that are not all strings', { roles: ['executive', 7] }, []],
    ['roles as an object', { roles: { 0: 'executive', length: 1 } }, []],
    ['realm_access as a string', { realm_access: { roles: 'executive' } }, []],
    ['resource_access of our client', { resource_access: { tamshai: { roles: ['tax-read'] } } }, ['tax-read']],
    ['resource_access of another client', { resource_access: { payroll_app: { roles: ['executive', 'manager'] } } }, []],
    ['resource_access as a list', { resource_access: [{ tamshai: { roles: ['executive'] } }] }, []],
    ['resource_access without a list', { resource_access: { tamshai: 'executive' } }, []],
    ['customer roles from the staff issuer', { roles: ['employee', 'lead-customer', 'basic-customer'] }, ['employee']],
    ['unknown role names', { roles: ['admin', 'EXECUTIVE', ' executive', 'hr-admin'] }, []],
    ['a scope', { scope: 'executive roles' }, []],
    ['groups', { groups: ['executive'] }, []],
  ];
  it.each(roleClaims)('gives the right roles for %s', (_, claims, expected) =>
    withSetup({}, async ({ verifier }, sign) => {
      expect([...(await verifier.verify(await sign(claims), API)).person.roles]).toEqual(expected);
    }),
  );

  const clients: [object, string][] = [
    [{ azp: 'tamshai-cli' }, 'command'],
    [{ azp: 'tamshai-web' }, 'web'],
    [{ client_id: 'agent-7', azp: 'tamshai-web' }, 'agent-7'],
    [{ azp: 'x1', client_name: 'Claude' }, 'Claude'],
    [{ azp: 'x1', client_name: 'web' }, 'x1'],
    [{ azp: 'x1', client_name: 'Tamshai Web' }, 'x1'],
    [{ azp: 'command', client_name: 'WEB\u200b' }, 'unnamed client'],
    [{ azp: 'x1', client_name: '\u202eedualC\n\u0007' }, 'edualC'],
    [{ azp: 'x1', client_name: 'n'.repeat(500) }, 'n'.repeat(64)],
    [{ azp: undefined }, 'unnamed client'],
    [{ azp: 7, client_name: {} }, 'unnamed client'],
  ];
  it.each(clients)('names the client in %j as origin %s', (claims, expected) =>
    withSetup({}, async ({ verifier }, sign) => {
      expect((await verifier.verify(await sign(claims), API)).origin).toBe(expected);
    }),
  );

  it('cannot grant the right to approve', () =>
    withSetup({}, async ({ verifier, clock }, sign) => {
      const claims = { azp: 'tamshai-cli', exp: clock.seconds() + 60 };
      expect((await verifier.verify(await sign({ ...claims, tamshai_approve: true }), API)).approves).toBe('nothing');
      expect((await verifier.verify(await sign({ ...claims, tamshai_approve: randomUUID() }), API)).approves).toBe('nothing');
    }));

  it('may issue long-lived tokens, which are reported once', () =>
    withSetup({}, async ({ verifier, clock, longLived }, sign) => {
      const exp = clock.seconds() + 3600;
      await verifier.verify(await sign({ exp }), API);
      await verifier.verify(await sign({ exp }), API);
      expect(longLived).toEqual([[issuer, 3600]]);
    }));

  it(
    'can rotate its keys without a restart',
    () =>
      withSetup({}, async ({ verifier, clock }, sign) => {
        await verifier.verify(await sign(), API);
        const next = generateKeyPairSync('ed25519');
        const before = keySet;
        keySet = { keys: [...before.keys, jwk(next.publicKey, 'next', 'EdDSA')] };
        const now = clock.seconds();
        const token = await signed(
          next.privateKey,
          { alg: 'EdDSA', kid: 'next' },
          { iss: issuer, sub, aud: `${BASE}/api`, iat: now, exp: now + 60 },
        );
        // The verifier fetches keys at most every five seconds, so that invented key ids cannot flood the issuer.
        expect(await refusal(verifier.verify(token, API))).toEqual(UNAUTHENTICATED);
        await new Promise((resolve) => setTimeout(resolve, 5_100));
        expect((await verifier.verify(token, API)).person.sub).toBe(sub);
        keySet = before;
      }),
    15_000,
  );

  it('that is unreachable makes a sign-in fail with 503, not 401', async () => {
    const gone = 'http://127.0.0.1:9/realms/staff';
    const here = setUp({ external: [createExternalIssuer({ roles: builtIn.roles, realm: 'staff', issuer: gone })] });
    const now = here.clock.seconds();
    const token = await signed(
      rsa.privateKey,
      { alg: 'RS256', kid: 'rsa' },
      { iss: gone, sub, aud: `${BASE}/api`, iat: now, exp: now + 60 },
    );
    expect(await refusal(here.verifier.verify(token, API))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    expect(await refusal(here.verifier.verify(token, API))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: 503 });
    await here.close();
  });

  it('must use https outside of loopback, report its own address as issuer, and not redirect', async () => {
    for (const url of ['http://login.example', 'ftp://login.example', 'login.example', 'http://localhost.evil.example']) {
      expect(() => createExternalIssuer({ roles: builtIn.roles, realm: 'staff', issuer: url })).toThrow(/^The issuer must/);
    }
    saysIssuer = 'https://login.evil.example';
    await expect(discover(issuer)).rejects.toThrow(/names another issuer/);
    saysIssuer = undefined;
    await expect(discover(`${new URL(issuer).origin}/moved`)).rejects.toThrow();
  });
});

describe('the customer issuer', () => {
  const asCustomer = async (
    claims: object,
    work: (
      outcome: Promise<{ person: { roles: ReadonlySet<string>; organizationId: string | undefined; email: string } }>,
    ) => Promise<void>,
  ) => {
    const here = setUp({ external: [createExternalIssuer({ roles: builtIn.roles, realm: 'customer', issuer, clientId: 'tamshai' })] });
    const now = here.clock.seconds();
    const token = await signed(
      rsa.privateKey,
      { alg: 'RS256', kid: 'rsa' },
      { iss: issuer, sub, aud: `${BASE}/api`, iat: now, exp: now + 60, ...claims },
    );
    await work(here.verifier.verify(token, API));
    await here.close();
  };

  it('gives an email address only if the provider has verified it, because invitations are matched by email address', async () => {
    const claims = { roles: ['basic-customer'], organization_id: 'ACME-1', email: 'kofi@acme.example' };
    for (const [more, email] of [
      [{ email_verified: true }, 'kofi@acme.example'],
      [{ email_verified: false }, ''],
      [{ email_verified: 'true' }, ''],
      [{}, ''],
    ] as const)
      await asCustomer({ ...claims, ...more }, async (outcome) => expect((await outcome).person.email).toBe(email));
  });

  it('gives customer roles only, and never an employee record', () =>
    asCustomer({ roles: ['lead-customer', 'executive', 'employee'], organization_id: 'ACME-1', employee_id: sub }, async (outcome) => {
      const { person } = await outcome;
      expect([...person.roles]).toEqual(['lead-customer']);
      expect(person).toMatchObject({ organizationId: 'ACME-1', employeeId: undefined });
    }));

  it.each([{}, { organization_id: '' }, { organization_id: ['a'] }, { organization_id: 'a b' }, { organization_id: 'x'.repeat(65) }])(
    'requires an organisation: %j is refused',
    (claims) =>
      asCustomer({ roles: ['lead-customer'], ...claims }, async (outcome) => expect(await refusal(outcome)).toEqual(UNAUTHENTICATED)),
  );
});

describe('an approval with an external sign-in', () => {
  const claims = { roles: ['employee', 'hr-write'], sid: 's1' };

  it('accepts a token that is at most a minute old, and requires a new sign-in after that', () =>
    withSetup({}, async ({ verifier, clock }, sign) => {
      const caller = await verifier.verify(await sign(claims), API);
      clock.pass(59);
      expect((await verifier.refresh(caller)).person.roles.has('hr-write')).toBe(true);
      clock.pass(2);
      expect(await refusal(verifier.refresh(caller))).toMatchObject({
        code: 'UNAUTHENTICATED',
        status: 401,
        message: expect.stringContaining('Sign in again'),
      });
    }));

  it('introspects the token instead if introspection is configured', () =>
    withSetup({ introspect: true }, async ({ verifier, clock }, sign) => {
      const caller = await verifier.verify(await sign(claims), API);
      clock.pass(61);
      expect((await verifier.refresh({ ...caller, approves: 'anything' })).person.roles.has('hr-write')).toBe(true);
      expect(introspected.at(-1)).toMatch(/^Basic dGFtc2hhaTphJTIwc2VjcmV0 \d{3}/);
      active = { active: true, realm_access: { roles: ['employee', 'executive'] } };
      expect([...(await verifier.refresh(caller)).person.roles]).toEqual(['employee']);
      active = { active: false };
      expect(await refusal(verifier.refresh(caller))).toEqual(UNAUTHENTICATED);
      active = { nonsense: 1 };
      expect(await refusal(verifier.refresh(caller))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      active = { active: true };
    }));

  it('is refused after a valid back-channel logout', () =>
    withSetup({}, async ({ verifier, clock, denied }, sign) => {
      const caller = await verifier.verify(await sign(claims), API);
      const logout = createLogout({
        issuers: [createExternalIssuer({ roles: builtIn.roles, realm: 'staff', issuer, clientId: 'tamshai' })],
        denied,
        clock,
      });
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const fine = { aud: 'tamshai', typ: 'Logout', events, sid: 's1', azp: undefined };
      for (const wrong of [
        claims,
        { ...fine, events: {} },
        { ...fine, nonce: 'n' },
        { ...fine, aud: 'other' },
        { ...fine, sid: undefined, sub: undefined },
        { ...fine, iat: 1 },
      ]) {
        expect(await refusal(logout(await sign(wrong)))).toMatchObject({ code: 'VALIDATION_ERROR', status: 400 });
      }
      expect(await refusal(logout('swordfish'))).toMatchObject({ code: 'VALIDATION_ERROR' });
      expect((await verifier.refresh(caller)).person.sub).toBe(sub);
      await logout(await sign(fine, { typ: 'logout+jwt' }));
      expect(await refusal(verifier.refresh(caller))).toEqual(UNAUTHENTICATED);
      const other = await verifier.verify(await sign({ ...claims, sid: 's2' }), API);
      await logout(await sign({ ...fine, sid: undefined }));
      expect(await refusal(verifier.refresh(other))).toEqual(UNAUTHENTICATED);
    }));
});

describe('audiences', () => {
  it('treat the loopback names of one port as equal', () => {
    expect(sameAudience('http://localhost:3100/mcp')).toEqual([
      'http://localhost:3100/mcp',
      'http://127.0.0.1:3100/mcp',
      'http://[::1]:3100/mcp',
    ]);
    expect(sameAudience('http://[::1]:3101')).toEqual(['http://[::1]:3101', 'http://localhost:3101', 'http://127.0.0.1:3101']);
    expect(sameAudience('https://tamshai.example/api')).toEqual(['https://tamshai.example/api']);
    expect(sameAudience('http://localhost.evil.example:3100/api')).toEqual(['http://localhost.evil.example:3100/api']);
  });
});
