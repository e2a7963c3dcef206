/** Sign-in and consent pages of the built-in identity provider: Host and Origin checks, CSRF tokens and security headers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import { ask, authUrl, Browser, exchange, field, pkce, renew, walk, type TestRuntime, testRuntime } from './embedded-support.ts';

let w: TestRuntime;
beforeAll(async () => {
  w = await testRuntime();
});
afterAll(() => w.close());

const errorOf = (url: URL) => url.searchParams.get('error');

describe('requests of browsers', () => {
  test.each(['evil.example', 'localhost:1', 'localhost'])(
    'with another Host are refused, which stops DNS rebinding (Host: %s)',
    async (host) => {
      for (const path of ['/oidc/staff/auth', '/oidc/staff/jwks', '/.well-known/oauth-authorization-server/oidc/staff'])
        expect((await ask(w.base + path, { headers: { host } })).status).toBe(403);
    },
  );

  test.each(['http://evil.example', 'null', 'http://localhost:9999'])(
    'from a script of origin %s can read only the public documents',
    async (origin) => {
      const answer = await ask(`${w.base}/oidc/staff/token`, { headers: { origin }, form: { grant_type: 'refresh_token' } });
      expect(answer.status).toBe(403);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(
        (await ask(`${w.base}/oidc/staff/reg`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }))
          .headers['access-control-allow-origin'],
      ).toBeUndefined();
      expect((await ask(`${w.base}/oidc/staff/jwks`, { headers: { origin } })).headers['access-control-allow-origin']).toBe(origin);
    },
  );

  test('from another origin cannot read token responses', async () => {
    const { headers } = await renew(w.base, 'unknown');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['cache-control']).toBe('no-store');
  });

  test('to another loopback name are redirected to localhost before a cookie is set', async () => {
    const { status, headers } = await ask(authUrl(w.base.replace('localhost', '127.0.0.1'), pkce().challenge));
    expect(status).toBe(307);
    expect(headers.location?.startsWith(`${w.base}/oidc/staff/auth?`)).toBe(true);
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('get only pages that forbid framing and foreign content', async () => {
    const browser = new Browser();
    const picker = await browser.follow(await browser.go(authUrl(w.base, pkce().challenge)), w.base);
    const consent = await browser.follow(
      await browser.go(picker.url, { form: { csrf: field(picker.body, 'csrf'), person: persona('alice.chen').sub } }),
      w.base,
    );
    const stopped = await new Browser().go(authUrl(w.base, pkce().challenge, { client: 'nobody' }));
    for (const { headers, body } of [picker, consent, stopped]) {
      const policy = headers['content-security-policy'];
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
      ])
        expect(policy).toContain(rule);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
      });
      expect(body).not.toMatch(/<script(?! src="\/assets\/)|\son\w+=|style="|https?:\/\/(?!localhost)/);
    }
    expect(consent.headers['content-security-policy']).toContain("form-action 'self' http://127.0.0.1:50123");
  });
});

describe('the sign-in and consent pages', () => {
  const at = async (flow = {}) => {
    const browser = new Browser();
    const picker = await browser.follow(await browser.go(authUrl(w.base, pkce().challenge, flow)), w.base);
    return { browser, picker, csrf: field(picker.body, 'csrf') };
  };
  const alice = persona('alice.chen').sub;

  test('refuse a form without a CSRF token, with a foreign token, or from another origin', async () => {
    const { browser, picker, csrf } = await at();
    const { csrf: foreign } = await at();
    const tries = [
      await browser.go(picker.url, { form: { person: alice } }),
      await browser.go(picker.url, { form: { csrf: foreign, person: alice } }),
      await browser.go(picker.url, { form: { csrf, person: alice }, headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } }),
      await browser.go(picker.url, { form: { csrf, person: alice }, headers: { origin: 'null', 'sec-fetch-site': 'same-site' } }),
    ];
    expect(tries.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await browser.go(picker.url, { form: { csrf, person: alice }, headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect((await browser.go(picker.url, { form: { csrf, person: alice } })).status).toBe(303);
  });

  test('work only in the browser that opened them', async () => {
    const { picker, csrf } = await at();
    expect((await new Browser().go(picker.url, { form: { csrf, person: alice } })).status).toBe(400);
    expect((await new Browser().go(picker.url)).status).toBe(400);
  });

  test('let another person sign in with the same browser, without a sign-out', async () => {
    const browser = new Browser();
    const first = await walk(w.base, { user: 'alice.chen' }, browser);
    const second = await walk(w.base, { user: 'bob.martinez' }, browser);
    const { json } = await exchange(w.base, second.end.searchParams.get('code') ?? '', second.verifier);
    expect(JSON.parse(Buffer.from(String(json['access_token']).split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      preferred_username: 'bob.martinez',
    });
    expect(first.end.searchParams.get('code')).toBeTruthy();
  });

  test('name the command as unverified with its redirect address, at every sign-in', async () => {
    const browser = new Browser();
    for (let time = 0; time < 2; time++) {
      const { pages } = await walk(w.base, {}, browser);
      expect(pages).toHaveLength(2);
      for (const words of ['Unverified', '127.0.0.1:50123', 'says that it is the Tamshai command', 'Approve a change. Only you can.'])
        expect(pages[1]).toContain(words);
    }
  });

  test('return to the client without a code when consent is denied', async () => {
    const { browser, picker, csrf } = await at();
    const consent = await browser.follow(await browser.go(picker.url, { form: { csrf, person: alice } }), w.base);
    const end = await browser.follow(await browser.go(consent.url, { form: { csrf: field(consent.body, 'csrf'), answer: 'no' } }), w.base);
    expect(errorOf(new URL(end.url))).toBe('access_denied');
    expect(new URL(end.url).searchParams.get('code')).toBeNull();
  });

  test('have different CSRF tokens', async () => {
    const { browser, picker, csrf } = await at();
    const consent = await browser.follow(await browser.go(picker.url, { form: { csrf, person: alice } }), w.base);
    expect((await browser.go(consent.url, { form: { csrf, answer: 'yes' } })).status).toBe(403);
  });

  test('skip the consent for the web app, whose redirect is on the same origin', async () => {
    const redirect = `${w.base}/signin/callback`;
    const { end, pages } = await walk(w.base, { client: 'tamshai-web', redirect });
    expect(pages).toHaveLength(1);
    expect(end.href.startsWith(`${redirect}?code=`)).toBe(true);
  });
});
