/** Dynamic client registration of the built-in identity provider: redirects, client names, limits, and where the provider may run. */
import { afterEach, describe, expect, test } from 'vitest';
import { assertEmbeddedAllowed } from '../../src/identity/embedded/allowed.ts';
import { REGISTRATION_LIMITS } from '../../src/identity/embedded/registrations.ts';
import { Browser, authUrl, pkce, register, signIn, walk, type TestRuntime, testRuntime } from './embedded-support.ts';

const REDIRECT = 'http://localhost:4000/callback';
const testRuntimes: TestRuntime[] = [];
const open = async (limits: Partial<typeof REGISTRATION_LIMITS> = {}) => {
  const w = await testRuntime({ ...REGISTRATION_LIMITS, perMinute: 10_000, ...limits });
  testRuntimes.push(w);
  return w;
};
afterEach(async () => {
  for (const w of testRuntimes.splice(0)) await w.close();
});

describe('registration', () => {
  test('creates a public client and drops unsafe metadata', async () => {
    const w = await open();
    const { status, json } = await register(w.base, {
      client_name: 'Claude Desktop',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token', 'implicit', 'client_credentials'],
      response_types: ['code', 'token'],
      application_type: 'web',
      logo_uri: 'https://evil.example/logo.png',
      jwks_uri: 'http://127.0.0.1:1/keys',
      sector_identifier_uri: 'https://127.0.0.1/x',
      client_id: 'tamshai-cli',
      client_secret: 'chosen',
      tamshai_registered: true,
      scope: 'openid profile',
    });
    expect(status).toBe(201);
    expect(json).toMatchObject({
      client_name: 'Claude Desktop',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
    });
    expect(json['client_id']).not.toBe('tamshai-cli');
    for (const gone of [
      'client_secret',
      'logo_uri',
      'jwks_uri',
      'sector_identifier_uri',
      'registration_access_token',
      'tamshai_registered',
    ])
      expect(json).not.toHaveProperty(gone);
  });

  test.each([
    'http://evil.example/cb',
    'http://localhost.evil.example/cb',
    'https://localhost/cb',
    'https://user:pass@app.example/cb',
    'https://app.example/cb#x',
    'javascript:alert(1)',
    'cursor://app/cb',
    'data:text/html,x',
    'file:///etc/passwd',
    '/cb',
    '',
  ])('refuses the redirect %s', async (redirect) => {
    const w = await open();
    const { status, json } = await register(w.base, { client_name: 'App', redirect_uris: [redirect] });
    expect([status, json['error']]).toEqual([400, 'invalid_redirect_uri']);
  });

  test.each([[undefined], [[]], ['http://localhost/cb'], [Array.from({ length: 11 }, () => REDIRECT)], [[1]]])(
    'refuses the redirect list %j',
    async (redirect_uris) => {
      const w = await open();
      expect((await register(w.base, { client_name: 'App', redirect_uris })).status).toBe(400);
    },
  );

  test('accepts https redirects, and loopback redirects with any port', async () => {
    const w = await open();
    const { json } = await register(w.base, { client_name: 'App', redirect_uris: ['https://app.example/cb', 'http://127.0.0.1/cb'] });
    const client = String(json['client_id']);
    const { end } = await walk(w.base, { client, redirect: 'http://127.0.0.1:61234/cb' });
    expect(end.host).toBe('127.0.0.1:61234');
  });

  test.each([
    'Tamshai Web',
    'tamshai',
    'T a m s h a i',
    'Ｔａｍｓｈａｉ command',
    'Tаmshаi',
    'Tamshа1',
    'TAMSHAL',
    'Tâmshai',
    'my-tamshai-helper',
    'Claude\u202E Desktop',
    'Claude\u200B',
    '',
    ' ',
    'x'.repeat(65),
  ])('refuses the name %j', async (client_name) => {
    const w = await open();
    const { status, json } = await register(w.base, { client_name, redirect_uris: [REDIRECT] });
    expect([status, json['error']]).toEqual([400, 'invalid_client_metadata']);
  });

  test.each(['client_secret_basic', 'client_secret_post', 'private_key_jwt'])(
    'refuses the authentication method %s',
    async (token_endpoint_auth_method) => {
      const w = await open();
      expect((await register(w.base, { client_name: 'App', redirect_uris: [REDIRECT], token_endpoint_auth_method })).status).toBe(400);
    },
  );

  test.each(['tamshai:approve', 'approve', 'openid admin'])('refuses the scope %j', async (scope) => {
    const w = await open();
    expect((await register(w.base, { client_name: 'App', redirect_uris: [REDIRECT], scope })).status).toBe(400);
  });
});

describe('a registered client', () => {
  test('is shown as unverified with its redirect address at every sign-in, and cannot sign in silently', async () => {
    const w = await open();
    const { json } = await register(w.base, { client_name: 'Claude <b>Desktop</b>', redirect_uris: [REDIRECT] });
    const flow = { client: String(json['client_id']), redirect: REDIRECT };
    const browser = new Browser();
    for (let time = 0; time < 2; time++) {
      const { pages } = await walk(w.base, flow, browser);
      expect(pages).toHaveLength(2);
      for (const words of ['Unverified', 'localhost:4000', 'Claude &lt;b&gt;Desktop&lt;/b&gt;', `${w.base}/mcp`, 'Alice Chen'])
        expect(pages[1]).toContain(words);
    }
    const silent = await browser.follow(
      await browser.go(authUrl(w.base, pkce().challenge, { ...flow, params: { prompt: 'none' } })),
      w.base,
    );
    expect(new URL(silent.url).searchParams.get('error')).toBe('login_required');
  });

  test('appears under its registered name (`caller.origin`), and its tokens cannot approve anything', async () => {
    const w = await open();
    const { json } = await register(w.base, { client_name: 'Claude Desktop', redirect_uris: [REDIRECT] });
    const { access, claims } = await signIn(w.base, { client: String(json['client_id']), redirect: REDIRECT });
    expect(claims).toMatchObject({ client_name: 'Claude Desktop', aud: `${w.base}/mcp` });
    expect(await w.verifier.verify(access, [`${w.base}/mcp`])).toMatchObject({ origin: 'Claude Desktop', approves: 'nothing' });
  });
});

describe('limits', () => {
  test('the number of unused clients is limited, without used clients and refused registrations', async () => {
    const w = await open({ unused: 5 });
    const one = () => register(w.base, { client_name: 'App', redirect_uris: [REDIRECT] });
    const answers = await Promise.all(Array.from({ length: 12 }, one));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBeDefined();
    const client = String(made[0]?.json['client_id']);
    await signIn(w.base, { client, redirect: REDIRECT });
    expect((await register(w.base, { client_name: 'App', redirect_uris: ['http://evil.example'] })).status).toBe(400);
    expect((await one()).status).toBe(201);
    expect((await one()).status).toBe(429);
    // Each realm has its own limit.
    expect((await register(w.base, { client_name: 'App', redirect_uris: [REDIRECT] }, 'customers')).status).toBe(201);
  });

  test('one address cannot register faster than the limit', async () => {
    const w = await open({ perMinute: 3 });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n++) statuses.push((await register(w.base, { client_name: 'App', redirect_uris: [REDIRECT] })).status);
    expect(statuses).toEqual([201, 201, 201, 429, 429]);
  });

  test('by default there are at most 200 unused clients, which expire after a day, and 20 registrations per address and minute', () => {
    expect(REGISTRATION_LIMITS).toEqual({ unused: 200, unusedSeconds: 86_400, perMinute: 20 });
  });
});

describe('where the built-in provider may run', () => {
  const here = { oidcIssuer: undefined, listenHosts: ['127.0.0.1', '::1'], nodeEnv: undefined };
  test.each([[here], [{ ...here, listenHosts: ['localhost'] }], [{ ...here, nodeEnv: 'development' }]])('%j is allowed', (surroundings) => {
    expect(() => assertEmbeddedAllowed(surroundings)).not.toThrow();
  });
  test.each([
    [{ ...here, oidcIssuer: 'https://login.example' }],
    [{ ...here, nodeEnv: 'production' }],
    [{ ...here, listenHosts: ['127.0.0.1', '0.0.0.0'] }],
    [{ ...here, listenHosts: ['::'] }],
    [{ ...here, listenHosts: ['192.168.1.10'] }],
    [{ ...here, listenHosts: ['127.0.0.1.evil.example'] }],
    [{ ...here, listenHosts: [] }],
  ])('%j is refused in one sentence', (surroundings) => {
    expect(() => assertEmbeddedAllowed(surroundings)).toThrow(/^The built-in sign-in [^\n]+\.$/);
  });
});
