/** OAuth endpoints of the built-in identity provider: code flow with PKCE, refresh, revocation, audiences and discovery documents. */
import { createHash } from 'node:crypto';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import {
  ask,
  authUrl,
  Browser,
  CLI_REDIRECT,
  exchange,
  field,
  pkce,
  register,
  renew,
  signIn,
  walk,
  type TestRuntime,
  testRuntime,
} from './embedded-support.ts';
import { engineRows } from '../engine-database.ts';
import { refusal, UNAUTHENTICATED } from './identity-support.ts';

let w: TestRuntime;
beforeAll(async () => {
  w = await testRuntime();
});
afterAll(() => w.close());

const errorOf = (url: URL) => url.searchParams.get('error');

describe('the authorization code flow', () => {
  test('issues a token with the subject, the roles, the audience and the client', async () => {
    const { access, claims } = await signIn(w.base);
    const { sub, employeeId } = persona('alice.chen');
    expect(claims).toMatchObject({
      iss: `${w.base}/oidc/staff`,
      aud: `${w.base}/api`,
      sub,
      employee_id: employeeId,
      preferred_username: 'alice.chen',
      name: 'Alice Chen',
      email: 'alice.chen@tamshai.example',
      client_id: 'tamshai-cli',
      scope: 'openid profile email',
      roles: expect.arrayContaining(['employee', 'hr-read', 'hr-write', 'manager']),
      jti: expect.any(String),
      sid: expect.any(String),
    });
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(300);
    expect(claims).not.toHaveProperty('tamshai_approve');
    const { payload } = await jwtVerify(access, createRemoteJWKSet(new URL(`${w.base}/oidc/staff/jwks`)), {
      issuer: `${w.base}/oidc/staff`,
    });
    expect(payload.sub).toBe(sub);
    expect(decodeProtectedHeader(access)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: w.keys.realms.staff.kid });
    const caller = await w.verifier.verify(access, [`${w.base}/api`]);
    expect(caller).toMatchObject({
      approves: 'nothing',
      origin: 'command',
      person: { username: 'alice.chen', realm: 'staff', employeeId },
    });
  });

  test('redirects to the client with the issuer and the state', async () => {
    const { end } = await walk(w.base);
    expect(end.searchParams.get('iss')).toBe(`${w.base}/oidc/staff`);
    expect(end.searchParams.get('state')).toBe('st');
  });

  test('works with openid-client, which verifies every response', async () => {
    const config = await oidc.discovery(new URL(`${w.base}/oidc/staff`), 'tamshai-cli', undefined, oidc.None(), {
      execute: [oidc.allowInsecureRequests],
    });
    const verifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const parameters = {
      redirect_uri: CLI_REDIRECT,
      scope: 'openid',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const start = oidc.buildAuthorizationUrl(config, parameters);
    const { end } = await walk(w.base, { params: Object.fromEntries(start.searchParams) });
    const tokens = await oidc.authorizationCodeGrant(config, end, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    expect(tokens.claims()?.sub).toBe(persona('alice.chen').sub);
    const renewed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
  });

  test('separates the realms: a customer token has an organisation, and the staff realm does not list customers', async () => {
    const { claims } = await signIn(w.base, { realm: 'customers', user: 'jane.smith@acme.example' });
    expect(claims).toMatchObject({
      iss: `${w.base}/oidc/customers`,
      roles: ['lead-customer'],
      organization_id: persona('jane.smith@acme.example').organizationId,
    });
    expect(claims).not.toHaveProperty('employee_id');
    const { pages } = await walk(w.base, { user: 'jane.smith@acme.example' });
    expect(pages.every((page) => page.includes('Who are you today?'))).toBe(true);
    expect(pages[0]).not.toContain('Jane Smith');
  });

  test('issues a token without a scope parameter, and ignores unknown scopes', async () => {
    expect((await signIn(w.base, { params: { scope: undefined } })).claims['scope']).toBe('openid profile email');
    expect((await signIn(w.base, { params: { scope: 'openid tamshai:approve approve admin' } })).claims['scope']).toBe('openid');
  });

  test('does not list a disabled account, and does not sign it in', async () => {
    await w.accounts.disable('frank.davis');
    const browser = new Browser();
    const at = await browser.follow(await browser.go(authUrl(w.base, pkce().challenge)), w.base);
    expect(at.body).not.toContain('Frank Davis');
    const again = await browser.follow(
      await browser.go(at.url, { form: { csrf: field(at.body, 'csrf'), person: persona('frank.davis').sub } }),
      w.base,
    );
    expect(again.body).toContain('Who are you today?');
    await w.accounts.enable('frank.davis');
  });
});

describe('the provider refuses', () => {
  const start = async (params: Record<string, string | undefined>, flow = {}) => {
    const browser = new Browser();
    return browser.follow(await browser.go(authUrl(w.base, pkce().challenge, { params, ...flow })), w.base);
  };

  test.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a resource that is not ours', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['a resource at another port', { resource: 'http://localhost:9/mcp' }, 'invalid_target'],
    ['a silent sign-in', { prompt: 'none' }, 'login_required'],
  ])('%s', async (_what, params, code) => {
    const at = await start(params);
    expect(at.url.startsWith(CLI_REDIRECT)).toBe(true);
    expect(errorOf(new URL(at.url))).toBe(code);
    expect(new URL(at.url).searchParams.get('iss')).toBe(`${w.base}/oidc/staff`);
  });

  test.each([
    ['another path', 'http://127.0.0.1:50123/other'],
    ['another host', 'http://127.0.0.2:50123/callback'],
    ['https in place of http', 'https://127.0.0.1:50123/callback'],
    ['a javascript: URL', 'javascript:alert(1)'],
    ['a host name that only begins with localhost', 'http://localhost.evil.example/callback'],
  ])('a redirect to %s', async (_what, redirect) => {
    const at = await start({}, { redirect });
    expect(at.status).toBe(400);
    expect(at.headers.location).toBeUndefined();
    expect(at.body).toContain('Sign-in stopped');
  });

  test('the id of the web client with another redirect', async () => {
    expect((await start({}, { client: 'tamshai-web', redirect: 'http://localhost:4000/signin/callback' })).status).toBe(400);
  });

  test('the implicit flow', async () => {
    const at = await start({ response_type: 'id_token', nonce: 'n' });
    expect(new URLSearchParams(new URL(at.url).hash.slice(1)).get('error')).toBe('unsupported_response_type');
  });

  test('the response mode form_post', async () => {
    expect((await start({ response_mode: 'form_post' })).status).toBe(400);
  });

  test('a code with a wrong verifier, another client or another redirect', async () => {
    const { end, verifier } = await walk(w.base);
    const code = end.searchParams.get('code') ?? '';
    const { json: other } = await register(w.base, { client_name: 'Other', redirect_uris: [CLI_REDIRECT] });
    const answers = [
      await exchange(w.base, code, pkce().verifier),
      await exchange(w.base, code, verifier, { client: String(other['client_id']) }),
      await exchange(w.base, code, verifier, { redirect: 'http://127.0.0.1:50124/callback' }),
    ];
    expect(answers.map(({ status, json }) => [status, json['error']])).toEqual(Array(3).fill([400, 'invalid_grant']));
  });
});

describe('codes and refresh tokens work once', () => {
  const ended = async (access: string, refresh: string) => {
    expect((await renew(w.base, refresh)).json['error']).toBe('invalid_grant');
    expect(await refusal(w.verifier.verify(access, [`${w.base}/api`]))).toEqual(UNAUTHENTICATED);
  };

  test('a code that is used twice ends its sign-in', async () => {
    const { access, refresh, code, verifier } = await signIn(w.base);
    expect((await exchange(w.base, code, verifier)).json['error']).toBe('invalid_grant');
    await ended(access, refresh);
  });

  test('a refresh token that is used twice ends its sign-in', async () => {
    const { refresh: first } = await signIn(w.base);
    const { json } = await renew(w.base, first);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 300, refresh_token: expect.any(String) });
    expect((await renew(w.base, first)).json['error']).toBe('invalid_grant');
    await ended(String(json['access_token']), String(json['refresh_token']));
  });

  test('of twenty concurrent uses of a refresh token at most one gets a token, which is then revoked', async () => {
    const { refresh } = await signIn(w.base);
    const answers = await Promise.all(Array.from({ length: 20 }, () => renew(w.base, refresh)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    for (const { json } of won) await ended(String(json['access_token']), String(json['refresh_token']));
  });

  test('only the client of a refresh token can revoke it, which ends the sign-in', async () => {
    const { access, refresh } = await signIn(w.base);
    const { json: other } = await register(w.base, { client_name: 'Other', redirect_uris: [CLI_REDIRECT] });
    const revoke = (client: string) => ask(`${w.base}/oidc/staff/token/revocation`, { form: { token: refresh, client_id: client } });
    await revoke(String(other['client_id']));
    expect((await w.verifier.verify(access, [`${w.base}/api`])).person.username).toBe('alice.chen');
    expect((await revoke('tamshai-cli')).status).toBe(200);
    // The verifier caches a verified token for up to ten seconds, so the test asks the revocation list.
    const { json } = await renew(w.base, refresh);
    expect(json['error']).toBe('invalid_grant');
    const sid = JSON.parse(Buffer.from(access.split('.')[1] ?? '', 'base64url').toString()).sid as string;
    expect(await w.denied.isRevoked({ realm: 'staff', sub: persona('alice.chen').sub, jti: 'x', sid, issuedAt: 0 })).toBe(true);
  });

  test('after revokeSignIn, disable and signOutEverywhere a refresh is refused', async () => {
    const one = await signIn(w.base, { user: 'nina.patel' });
    await w.provider.revokeSignIn('staff', String(one.claims['sid']));
    await ended(one.access, one.refresh);
    const two = await signIn(w.base, { user: 'nina.patel' });
    await w.accounts.signOutEverywhere('nina.patel');
    await ended(two.access, two.refresh);
    const three = await signIn(w.base, { user: 'tom.becker' });
    await w.accounts.disable('tom.becker');
    expect((await renew(w.base, three.refresh)).json['error']).toBe('invalid_grant');
  });

  test('a refreshed token has the current roles', async () => {
    const { refresh } = await signIn(w.base, { user: 'paula.reyes' });
    await w.accounts.setRoles('paula.reyes', ['employee']);
    const { json } = await renew(w.base, refresh);
    const { roles } = JSON.parse(Buffer.from(String(json['access_token']).split('.')[1] ?? '', 'base64url').toString()) as {
      roles: string[];
    };
    expect(roles).toEqual(['employee']);
  });
});

describe('the audience of a token', () => {
  const audienceFor = async (resource: string | undefined, client = 'tamshai-cli') =>
    (await signIn(w.base, { client, params: { resource } })).claims['aud'];

  test('is the requested resource under any loopback name, and for the command by default the API', async () => {
    const alias = w.base.replace('localhost', '127.0.0.1');
    expect(await audienceFor(undefined)).toBe(`${w.base}/api`);
    expect(await audienceFor(`${w.base}/mcp`)).toBe(`${w.base}/mcp`);
    expect(await audienceFor(`${alias}/mcp`)).toBe(`${w.base}/mcp`);
    expect(await audienceFor(`${w.base}/mcp?servers=hr`)).toBe(`${w.base}/mcp`);
    expect(await audienceFor('http://localhost:3101/mcp')).toBe('http://localhost:3101/mcp');
    expect(await audienceFor('http://127.0.0.1:3101/api')).toBe('http://localhost:3101/api');
  });

  test('is MCP for registered clients and never the API, where changes are approved', async () => {
    const { json } = await register(w.base, { client_name: 'Claude Desktop', redirect_uris: [CLI_REDIRECT] });
    const client = String(json['client_id']);
    expect(await audienceFor(undefined, client)).toBe(`${w.base}/mcp`);
    for (const resource of [`${w.base}/api`, 'http://localhost:3101/api']) {
      const browser = new Browser();
      const at = await browser.follow(await browser.go(authUrl(w.base, pkce().challenge, { client, params: { resource } })), w.base);
      expect(errorOf(new URL(at.url))).toBe('invalid_target');
    }
  });

  test('must be named in the token request when two resources were requested', async () => {
    const { verifier, challenge } = pkce();
    const browser = new Browser();
    const url = `${authUrl(w.base, challenge)}&resource=${encodeURIComponent(`${w.base}/mcp`)}&resource=${encodeURIComponent(`${w.base}/api`)}`;
    let at = await browser.follow(await browser.go(url), w.base);
    at = await browser.follow(
      await browser.go(at.url, { form: { csrf: field(at.body, 'csrf'), person: persona('alice.chen').sub } }),
      w.base,
    );
    at = await browser.follow(await browser.go(at.url, { form: { csrf: field(at.body, 'csrf'), answer: 'yes' } }), w.base);
    const code = new URL(at.url).searchParams.get('code') ?? '';
    expect((await exchange(w.base, code, verifier)).json['error']).toBe('invalid_target');
  });
});

describe('the discovery documents', () => {
  const places = (realm: string) => [
    `/.well-known/oauth-authorization-server/oidc/${realm}`,
    `/.well-known/openid-configuration/oidc/${realm}`,
    `/oidc/${realm}/.well-known/openid-configuration`,
    `/oidc/${realm}/.well-known/oauth-authorization-server`,
  ];

  test.each(['staff', 'customers'])('of realm %s are the same at every well-known path and under every loopback name', async (realm) => {
    const documents = await Promise.all(places(realm).map((path) => ask(w.base + path)));
    const [first, ...others] = documents.map(({ json }) => json);
    for (const other of others) expect(other).toEqual(first);
    const alias = await ask(w.base.replace('localhost', '127.0.0.1') + places(realm)[0]);
    expect(alias.json).toEqual(first);
    const issuer = `${w.base}/oidc/${realm}`;
    expect(first).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      registration_endpoint: `${issuer}/reg`,
      revocation_endpoint: `${issuer}/token/revocation`,
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      token_endpoint_auth_methods_supported: ['none'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      authorization_response_iss_parameter_supported: true,
    });
    expect(JSON.stringify(first)).not.toMatch(/appro|confirm/i);
    expect(documents[0]?.headers['access-control-allow-origin']).toBe('*');
  });

  test('of the staff realm are also at the root, where the oldest clients look', async () => {
    expect((await ask(`${w.base}/.well-known/oauth-authorization-server`)).json['issuer']).toBe(`${w.base}/oidc/staff`);
  });

  test('refer to the public signing key of the realm, without its private part', async () => {
    const { json } = await ask(`${w.base}/oidc/staff/jwks`);
    const [key, ...more] = json['keys'] as Record<string, unknown>[];
    expect(more).toEqual([]);
    expect(key).toMatchObject({ kid: w.keys.realms.staff.kid, alg: 'ES256', kty: 'EC' });
    expect(key).not.toHaveProperty('d');
  });

  test('are, with the endpoints of the realms, the only paths that the provider handles', () => {
    const { handles } = w.provider;
    expect(['/oidc/staff/auth?x=1', '/oidc/customers/token', ...places('staff')].map(handles)).not.toContain(false);
    expect(
      [
        '/',
        '/oidc',
        '/oidc/staffx/auth',
        '/oidc/other/auth',
        '/.well-known/oauth-protected-resource',
        '/.well-known/oauth-authorization-server/mcp',
        '/api/oidc/staff',
      ].map(handles),
    ).not.toContain(true);
  });
});

test('the store holds a refresh token by its digest, not in plain text', async () => {
  const { refresh } = await signIn(w.base);
  const rows = await engineRows('select * from tamshai.refresh_tokens');
  expect(rows.map((row) => row['token_hash'])).toContain(createHash('sha256').update(refresh).digest('base64url'));
  expect(JSON.stringify(rows)).not.toContain(refresh);
});
