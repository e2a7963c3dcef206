/** Browser sign-in: sessions, cookies, CSRF checks, sign-out, renewal and external providers. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWebSessions } from '../../src/identity/web/sessions.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { type TestServer, testServer } from '../unit/embedded-test-server.ts';
import { ask, Browser, field } from '../unit/embedded-support.ts';
import { refusal } from '../unit/identity-support.ts';

let s: TestServer;
beforeAll(async () => {
  s = await testServer();
});
afterAll(() => s.close());

async function signIn(user: string, { to = '/', browser = new Browser(), realm = '', base = s.base } = {}) {
  const picker = await browser.follow(await browser.go(`${base}/signin?${new URLSearchParams({ to, ...(realm && { realm }) })}`), base);
  const end = await browser.follow(
    await browser.go(picker.url, { form: { csrf: field(picker.body, 'csrf'), person: persona(user).sub } }),
    base,
  );
  return { browser, end };
}
const cookieOf = (browser: Browser) => browser.cookies.find(({ name }) => name === '__Host-tamshai');
const header = (browser: Browser) => ({ cookie: `__Host-tamshai=${cookieOf(browser)?.value}` });
const waits = (browser: Browser, headers: Record<string, string> = {}) =>
  ask(`${s.base}/api/confirmations`, { headers: { ...header(browser), ...headers } });

/** A replica with the same sessions whose clock is ahead by some seconds, and the tokens that it verifies. */
const later = (seconds: number) => {
  const clock = { now: () => new Date(Date.now() + seconds * 1000) };
  const web = (issuer: string) => ({ issuer, clientId: 'tamshai-web', embedded: true });
  const seen: string[] = [];
  const sessions = createWebSessions({
    base: s.base,
    kv: s.kv,
    clock,
    issuers: { staff: web(s.provider.issuers.staff) },
    sealKey: s.sealKey,
    verify: async (token) => {
      seen.push(token);
      return { person: { name: 'x' }, token: {}, approves: 'nothing', origin: 'x' } as never;
    },
  });
  return { sessions, seen };
};
const request = (browser: Browser) => ({ headers: header(browser), url: '/' }) as Parameters<typeof s.sessions.authenticate>[0];

describe('signing in', () => {
  test('returns to the requested page, with a cookie that is Secure, HttpOnly and SameSite=Lax', async () => {
    const id = s.ticket('alice.chen');
    const asked = await new Browser().go(`${s.base}/approve/${id}`);
    expect([asked.status, asked.headers.location]).toEqual([302, `/signin?to=${encodeURIComponent(`/approve/${id}`)}`]);
    const { browser, end } = await signIn('alice.chen', { to: `/approve/${id}` });
    expect(end.status).toBe(200);
    expect(end.body).toContain('Needs your approval');
    expect(end.body).toContain('Alice Chen');
    expect(cookieOf(browser)?.attributes).toBe('Path=/; Secure; HttpOnly; SameSite=Lax');
    expect(browser.cookies.filter(({ name }) => name.includes('signin'))).toEqual([]);
  });

  test('a browser that drops secure cookies on plain http gets a cookie without Secure, but with SameSite=Strict', async () => {
    const browser = new Browser();
    const first = await browser.go(`${s.base}/signin`);
    browser.cookies = browser.cookies.filter(({ name }) => !name.startsWith('__Host-'));
    const picker = await browser.follow(first, s.base);
    const end = await browser.follow(
      await browser.go(picker.url, { form: { csrf: field(picker.body, 'csrf'), person: persona('nina.patel').sub } }),
      s.base,
    );
    expect(end.body).toContain('Nina Patel');
    expect(browser.cookies.find(({ name }) => name === 'tamshai')?.attributes).toBe('Path=/; HttpOnly; SameSite=Strict');
    expect(cookieOf(browser)).toBeUndefined();
  });

  test('works on a server without built scripts and styles, whose pages link no missing file', async () => {
    const bare = await testServer({ webFolder: '/nowhere' });
    try {
      const { end } = await signIn('alice.chen', { base: bare.base, to: `/approve/${bare.ticket('alice.chen')}` });
      expect(end.status).toBe(200);
      expect(end.body).toContain('This page needs JavaScript. Nothing has changed.');
      expect(end.body).not.toMatch(/<script|rel="stylesheet"/);
      expect(bare.decisions).toEqual([]);
    } finally {
      await bare.close();
    }
  });

  test('customers choose from their own list', async () => {
    const { end } = await signIn('jane.smith@acme.example', { realm: 'customer' });
    expect(end.body).toContain('Jane Smith');
    expect(end.body).toContain('lead-customer');
  });

  test('gives a session that may approve, with the origin web', async () => {
    const { browser } = await signIn('alice.chen');
    const req = { headers: header(browser), url: '/' } as Parameters<typeof s.sessions.authenticate>[0];
    expect(await s.sessions.authenticate(req)).toMatchObject({
      approves: 'anything',
      origin: 'web',
      person: { username: 'alice.chen' },
      token: { client: 'tamshai-web' },
    });
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\tx',
    'javascript:alert(1)',
    '/signin',
    '/signout?x',
    'evil',
    '/%0d%0aset-cookie:x',
    '/ok\r\nx: y',
    '@evil.example',
    '/.//evil.example',
    '/x/..//evil.example/',
    '/%2e//evil.example',
    '/.\\\\evil.example',
    '/x/../signin',
  ])('never redirects to another origin or back to the sign-in: to=%j', async (to) => {
    const { end } = await signIn('alice.chen', { to });
    expect(new URL(end.url).origin).toBe(s.base);
    expect(new URL(end.url).pathname).toMatch(/^\/(?:%0d.*)?$/);
  });

  test('again in the same browser begins a new session and ends the old one', async () => {
    const { browser } = await signIn('alice.chen');
    const before = header(browser);
    await signIn('bob.martinez', { browser });
    expect((await ask(`${s.base}/api/confirmations`, { headers: before })).status).toBe(401);
    expect((await ask(`${s.base}/`, { headers: header(browser) })).body).toContain('Bob Martinez');
  });

  test('is refused at a callback that this browser did not start', async () => {
    const mallory = new Browser();
    const picker = await mallory.follow(await mallory.go(`${s.base}/signin`), s.base);
    let at = await mallory.go(picker.url, { form: { csrf: field(picker.body, 'csrf'), person: persona('frank.davis').sub } });
    while (at.headers.location && !at.headers.location.includes('/signin/callback'))
      at = await mallory.go(new URL(at.headers.location, s.base).href);
    const stolen = at.headers.location ?? '';
    for (const victim of [
      new Browser(),
      await (async () => {
        const own = new Browser();
        await own.go(`${s.base}/signin`);
        return own;
      })(),
    ]) {
      const answer = await victim.go(stolen);
      expect([answer.status, answer.body.includes('Sign-in stopped')]).toEqual([400, true]);
      expect(cookieOf(victim)).toBeUndefined();
    }
  });

  test('cannot be replaced by a forged cookie', async () => {
    for (const cookie of [
      '__Host-tamshai=x',
      '__Host-tamshai=',
      `__Host-tamshai=${'a'.repeat(43)}`,
      'tamshai=../../x',
      `x=${'y'.repeat(4000)}`,
    ])
      expect((await ask(`${s.base}/api/confirmations`, { headers: { cookie } })).status).toBe(401);
  });

  test('at another host name of this machine redirects to the configured one', async () => {
    const { status, headers } = await ask(`${s.base.replace('localhost', '127.0.0.1')}/signin?to=/approvals`);
    expect([status, headers.location]).toEqual([307, `${s.base}/signin?to=/approvals`]);
  });
});

describe('a cookie alone is not enough', () => {
  const post = (browser: Browser, id: string, headers: Record<string, string>) =>
    ask(`${s.base}/api/confirm/${id}`, { json: { approved: true }, headers: { ...header(browser), ...headers } });

  test('a decision needs the exact origin and the tokens of this session and this card', async () => {
    const { browser } = await signIn('alice.chen');
    const id = s.ticket('alice.chen');
    const tokens = async (of: string) => {
      const { body } = await browser.go(`${s.base}/approve/${of}`);
      return {
        'x-tamshai-csrf': /data-csrf="([^"]+)"/.exec(body)?.[1] ?? '',
        'x-tamshai-card': /data-card="([^"]+)"/.exec(body)?.[1] ?? '',
      };
    };
    const good = { origin: s.base, ...(await tokens(id)) };
    const other = await tokens(s.ticket('alice.chen', { summary: 'Something else.' }));
    const { browser: outsider } = await signIn('bob.martinez');
    const foreign = (await outsider.go(`${s.base}/`)).body;
    const tries: Record<string, string>[] = [
      {},
      { origin: s.base },
      { ...good, origin: 'http://evil.example' },
      { ...good, origin: 'null' },
      { ...good, origin: 'http://localhost:9999' },
      { ...good, origin: s.base.replace('localhost', '127.0.0.1') },
      { 'x-tamshai-csrf': good['x-tamshai-csrf'], 'x-tamshai-card': good['x-tamshai-card'], 'sec-fetch-site': 'same-origin' },
      { ...good, 'x-tamshai-csrf': field(foreign, 'csrf') },
      { ...good, 'x-tamshai-card': other['x-tamshai-card'] },
      { ...good, 'x-tamshai-card': good['x-tamshai-csrf'] },
    ];
    for (const headers of tries) expect((await post(browser, id, headers)).status).toBe(403);
    expect(s.tickets.get(id)?.card.state).toBe('waiting');
    expect((await post(browser, id, good)).status).toBe(200);
    expect(s.tickets.get(id)?.card.state).toBe('done');
  });

  test('the link of another person shows nothing of the change, and the ticket stays pending', async () => {
    const { browser } = await signIn('bob.martinez');
    const id = s.ticket('alice.chen');
    const { status, body } = await browser.go(`${s.base}/approve/${id}`);
    expect(status).toBe(403);
    expect(body).toContain('This change waits for someone else. You can only approve your own.');
    expect(body).not.toContain('Sarah Kim');
    expect((await browser.go(`${s.base}/approve/${'0'.repeat(8)}`)).status).toBe(404);
    expect(s.tickets.get(id)?.card.state).toBe('waiting');
  });

  test('a GET request changes nothing', async () => {
    const { browser } = await signIn('alice.chen');
    const id = s.ticket('alice.chen');
    for (let n = 0; n < 3; n++) await browser.go(`${s.base}/approve/${id}?approved=true`);
    expect(s.tickets.get(id)?.card.state).toBe('waiting');
  });
});

describe('signing out', () => {
  const leave = async (browser: Browser, headers: Record<string, string> = {}) => {
    const { body } = await browser.go(`${s.base}/`);
    return browser.go(`${s.base}/signout`, { form: { csrf: field(body, 'csrf') }, headers });
  };

  test('ends the session, its tokens and the cookie', async () => {
    const { browser } = await signIn('alice.chen');
    const before = header(browser);
    const { sessions, seen } = later(0);
    await sessions.authenticate(request(browser));
    const answer = await leave(browser);
    expect([answer.status, answer.headers.location]).toEqual([303, '/']);
    expect(cookieOf(browser)).toBeUndefined();
    expect((await ask(`${s.base}/api/confirmations`, { headers: before })).status).toBe(401);
    expect((await browser.go(`${s.base}/`)).body).not.toContain('Alice Chen');
    const { sub = '', jti, sid, iat = 0 } = decodeJwt<{ sid: string }>(seen[0] ?? '');
    expect(await s.denied.isRevoked({ realm: 'staff', sub, jti, sid, issuedAt: iat })).toBe(true);
  });

  test('is refused from another origin', async () => {
    const { browser } = await signIn('alice.chen');
    expect((await browser.go(`${s.base}/signout`, { form: { csrf: 'x' } })).status).toBe(403);
    expect((await leave(browser, { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await leave(browser, { origin: 'null', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await waits(browser)).status).toBe(200);
  });

  test('a person who is signed out everywhere is signed out here too', async () => {
    const { browser } = await signIn('sarah.kim');
    await s.accounts.signOutEverywhere('sarah.kim');
    const req = { headers: header(browser), url: '/' } as Parameters<typeof s.sessions.authenticate>[0];
    expect(await s.sessions.authenticate(req, { freshSeconds: -1 })).toBeUndefined();
    expect((await waits(browser)).status).toBe(401);
  });
});

describe('sessions over time', () => {
  test('an access token that is about to expire is renewed once, even with concurrent requests on two replicas', async () => {
    const { browser } = await signIn('carol.johnson');
    const [one, two] = [later(280), later(280)];
    const callers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? one : two).sessions.authenticate(request(browser))));
    expect(callers.every(Boolean)).toBe(true);
    expect(new Set([...one.seen, ...two.seen]).size).toBe(1);
    const again = later(560);
    expect(await again.sessions.authenticate(request(browser))).toBeDefined();
    expect(again.seen[0]).not.toBe(one.seen[0]);
  });

  test('a decision can require a token that is at most some seconds old, and the token is then renewed', async () => {
    const { browser } = await signIn('carol.johnson');
    const { sessions, seen } = later(50);
    await sessions.authenticate(request(browser));
    await sessions.authenticate(request(browser), { freshSeconds: 45 });
    expect(new Set(seen).size).toBe(2);
  });

  test('a session ends after eight hours', async () => {
    const { browser } = await signIn('carol.johnson');
    expect(await later(8 * 3600 + 1).sessions.authenticate(request(browser))).toBeUndefined();
  });

  test('an unreachable issuer does not end a session while its token is valid', async () => {
    const { browser } = await signIn('carol.johnson');
    const dead = createServer();
    await new Promise<void>((done) => dead.listen(0, '127.0.0.1', done));
    const issuer = `http://127.0.0.1:${(dead.address() as AddressInfo).port}`;
    await new Promise((done) => dead.close(done));
    const at = (seconds: number) =>
      createWebSessions({
        base: s.base,
        kv: s.kv,
        clock: { now: () => new Date(Date.now() + seconds * 1000) },
        issuers: { staff: { issuer, clientId: 'x', embedded: false } },
        sealKey: s.sealKey,
        verify: async () => ({ person: {}, token: {}, approves: 'nothing', origin: 'x' }) as never,
      });
    expect(await at(280).authenticate(request(browser))).toBeDefined();
    expect(await refusal(at(400).authenticate(request(browser)))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const page = await at(0).signIn({ url: '/signin?realm=staff', headers: { host: new URL(s.base).host } } as Parameters<
      typeof s.sessions.signIn
    >[0]);
    expect([page.status, page.body.includes('does not answer')]).toEqual([503, true]);
    expect(await s.sessions.authenticate(request(browser))).toBeDefined();
  });

  test('the store contains neither the cookie nor a token in plain text', async () => {
    const { browser } = await signIn('carol.johnson');
    const id = cookieOf(browser)?.value ?? '';
    const stored = (await s.kv.get(`web:session:${createHash('sha256').update(id).digest('base64url')}`)) ?? '';
    expect(stored.length).toBeGreaterThan(500);
    // The pattern requires a dot, because the letters eyJ alone can occur in ciphertext by chance.
    expect(stored).not.toMatch(/eyJ[\w-]+\.[\w-]+/);
    expect(Buffer.from(stored, 'base64url').toString('latin1')).not.toContain('refresh');
  });
});

describe('with a company’s own provider', () => {
  test('the page has one button, and names the host of the provider', async () => {
    const kv = openSqliteKeyValue(':memory:');
    const external = createWebSessions({
      base: s.base,
      kv,
      issuers: { staff: { issuer: 'https://login.tamshai.example/realms/x', clientId: 'tamshai', embedded: false } },
      sealKey: s.sealKey,
      verify: async () => Promise.reject(new Error('never')),
    });
    const { status, body, headers } = await external.signIn({
      url: '/signin?to=/approvals',
      headers: { host: new URL(s.base).host },
    } as Parameters<typeof s.sessions.signIn>[0]);
    expect(status).toBe(200);
    expect(body).toContain('Continue with your company account');
    expect(body).toContain('You sign in at login.tamshai.example.');
    expect(body).toContain('/signin?realm=staff&amp;to=%2Fapprovals');
    expect(body).not.toContain('customer portal');
    expect(headers['set-cookie']).toBeUndefined();
    await kv.close();
  });
});
