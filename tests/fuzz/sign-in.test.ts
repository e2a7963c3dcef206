/** Fuzz tests of credentials: mutated tokens, identities, grants and cookies are refused without a server error. */
import { randomUUID, sign } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { signGrant, signIdentity } from '../../src/identity/internal.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { leakIn } from '../../src/testing/tool-caller.ts';
import type { Reply } from '../../src/testing/test-client.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { Browser, field } from '../unit/embedded-support.ts';
import { byteChange, changedText, fuzz, hostileJson, hostileText } from './fuzz.ts';

let testServer: TestServer;
let session: string;
beforeAll(async () => {
  testServer = await openTestServer();
  session = await signIn();
}, 300_000);
afterAll(async () => {
  expect(testServer?.logged.filter((entry) => entry.includes('"level":"error"'))).toEqual([]);
  await testServer?.close();
});

async function signIn(): Promise<string> {
  const { base } = testServer.tamshai;
  const browser = new Browser();
  const picker = await browser.follow(await browser.go(`${base}/signin?to=/approvals`), base);
  await browser.follow(await browser.go(picker.url, { form: { csrf: field(picker.body, 'csrf'), person: eve.sub } }), base);
  const cookie = browser.cookies.find(({ name }) => name === '__Host-tamshai');
  if (cookie === undefined) throw new Error('nobody is signed in');
  return cookie.value;
}

const eve = persona('eve.thompson');
type Json = Record<string, unknown>;
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** Signs with the right key, whatever the header names. */
function signed(header: unknown, claims: unknown): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const { privateKey } = testServer.keys.realms.staff;
  return `${text}.${sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}
const headerOf = (): Json => ({ alg: 'ES256', kid: testServer.keys.realms.staff.kid, typ: 'at+jwt' });
function claimsOf(use: 'api' | 'mcp' = 'api'): Json {
  const now = Math.floor(testServer.clock.now().getTime() / 1000);
  return {
    iss: `${testServer.tamshai.base}/oidc/staff`,
    sub: eve.sub,
    aud: `${testServer.tamshai.base}/${use}`,
    iat: now,
    exp: now + 300,
    jti: randomUUID(),
    client_id: 'tamshai-cli',
    preferred_username: eve.username,
    employee_id: eve.employeeId,
    roles: [...eve.roles],
  };
}
/** Whether two tokens differ only in the base64url spelling of the signature. */
const sameBytes = (a: string, b: string) =>
  a.split('.').length === b.split('.').length &&
  a
    .split('.')
    .every((part, n) =>
      n < 2 ? part === b.split('.')[n] : Buffer.from(part, 'base64url').equals(Buffer.from(b.split('.')[n] ?? '', 'base64url')),
    );

/** Whether an HTTP header can contain the text. */
const sendable = (text: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
const whoami = (authorization: string): Promise<Reply> => testServer.send('GET', '/api/user/info', { headers: { authorization } });
function expectRefused({ status, text }: Reply): void {
  expect(status).toBe(401);
  expect(JSON.parse(text)).toMatchObject({ status: 'error', code: 'UNAUTHENTICATED' });
  expect(leakIn(text)).toBeUndefined();
}

fuzz('a token with any byte changed is refused', {
  input: fc.oneof(byteChange, hostileText),
  runs: 250,
  async holds(change) {
    const good = signed(headerOf(), claimsOf());
    const token = typeof change === 'string' ? change : changedText(good, change);
    if (!sendable(token) || sameBytes(token.trim(), good)) return;
    expectRefused(await whoami(`Bearer ${token}`));
  },
});

fuzz('a token with a changed header is refused, even signed with the right key', {
  input: fc.oneof(
    fc.record({ alg: fc.oneof(hostileJson, fc.constantFrom('none', 'None', 'HS256', 'ES384', 'RS256', 'EdDSA', 'es256', '')) }),
    fc.record({
      typ: fc.oneof(hostileJson, fc.constantFrom('id+jwt', 'logout+jwt', 'tamshai-exec+jwt', 'tamshai-identity+jwt', 'dpop+jwt', '')),
    }),
    fc.record({ kid: fc.oneof(hostileJson, fc.constantFrom('../../dev/null', "' or 1=1", '')) }),
    fc.record({ crit: fc.oneof(hostileJson, fc.constantFrom(['b64'], ['exp'], [])) }),
    fc.record({ crit: fc.constant(['b64']), b64: fc.constant(false) }),
  ),
  runs: 250,
  async holds(over: Json) {
    expectRefused(await whoami(`Bearer ${signed({ ...headerOf(), ...over }, claimsOf())}`));
  },
});

const CLAIMS = [
  'iss',
  'sub',
  'aud',
  'iat',
  'exp',
  'jti',
  'sid',
  'nbf',
  'roles',
  'realm_access',
  'employee_id',
  'client_id',
  'client_name',
  'name',
  'email',
  'preferred_username',
  'scope',
  'tamshai_approve',
  'nonce',
  'cnf',
  'events',
  'typ',
  '__proto__',
];
const NEEDED = ['iss', 'sub', 'aud', 'iat', 'exp'];
fuzz('claims of any type are accepted or refused, never a server error', {
  input: fc.tuple(
    fc.constantFrom(...CLAIMS),
    fc.oneof(hostileJson, fc.constantFrom(1e300, -1, 0, 2 ** 53, '9999999999', [''], { roles: ['executive'] }, ['executive', 1])),
  ),
  runs: 300,
  async holds([name, value]) {
    const claims = claimsOf();
    const before = claims[name];
    Object.defineProperty(claims, name, { value, enumerable: true, configurable: true, writable: true });
    const reply = await whoami(`Bearer ${signed(headerOf(), claims)}`);
    expect(reply.status).toBeLessThan(500);
    if (NEEDED.includes(name) && JSON.stringify(value) !== JSON.stringify(before)) {
      if (reply.status === 200) expect([name, isHarmless(name, value, claims)]).toEqual([name, true]);
      else expect([401, 403]).toContain(reply.status);
    }
    if (reply.status === 200) {
      const { data } = reply.body as unknown as { data: { roles: string[]; username: string } };
      expect(data.roles.filter((role) => !eve.roles.some((own) => own === role))).toEqual([]);
    }
  },
});
/** Whether a changed claim is still valid: an audience list with ours, or a lifetime within the limit. */
const isHarmless = (name: string, value: unknown, { aud, iat, exp }: Json): boolean =>
  (name === 'aud' && Array.isArray(value) && value.includes(aud)) ||
  (['iat', 'exp'].includes(name) && Number(exp) > Number(iat) && Number(exp) - Number(iat) <= 305);

const caller = () => ({
  person: { ...eve, principal: `staff:${eve.sub}`, organizationId: undefined, employeeId: eve.employeeId, roles: new Set(eve.roles) },
  token: { id: 't', client: 'tamshai-web', issuedAt: 0, expiresAt: 0 },
  approves: 'anything' as const,
  origin: 'web',
});

fuzz('a mutated internal identity or execution grant is refused', {
  input: fc.record({ grant: fc.boolean(), change: fc.oneof(byteChange, hostileText), body: fc.option(hostileJson) }),
  runs: 250,
  async holds({ grant, change, body }) {
    const [server, confirmationId] = ['tasks', randomUUID()];
    const clock = testServer.clock;
    const good = grant
      ? signGrant(
          testServer.keys.gateway.current,
          { server, confirmationId, tool: 'delete_task', input: '{}', card: '{}', caller: caller(), requestId: 'r' },
          clock,
        )
      : signIdentity(
          testServer.keys.gateway.current,
          { server, caller: caller(), requestId: 'r', method: 'POST', path: '/tools/list_tasks', body: '{"input":{}}' },
          clock,
        );
    const token = typeof change === 'string' ? change : changedText(good, change);
    if (!sendable(token) || sameSeal(token.trim(), good)) return;
    const raw = JSON.stringify(body ?? (grant ? { confirmationId, tool: 'delete_task', input: '{}', card: '{}' } : { input: {} }));
    const { status, text } = await testServer.send('POST', grant ? '/execute' : '/tools/list_tasks', {
      server,
      raw,
      headers: { authorization: `Bearer ${token}` },
    });
    // A malformed body is refused with 400 or 413 before authentication.
    expect([400, 401, 413]).toContain(status);
    expect(leakIn(text)).toBeUndefined();
  },
});
const sameSeal = (a: string, b: string) => {
  const [[left = '', saidLeft], [right = '', saidRight]] = [a.split('~'), b.split('~')];
  return saidLeft === saidRight && sameBytes(left, right);
};

fuzz('a mutated session cookie is refused', {
  input: fc.record({
    change: fc.oneof(byteChange, hostileText),
    name: fc.constantFrom('__Host-tamshai', 'tamshai'),
    more: fc.option(hostileText),
  }),
  runs: 200,
  async holds({ change, name, more }) {
    const value = typeof change === 'string' ? change : changedText(session, change);
    const cookie = `${name}=${value}${more === null ? '' : `; ${more}`}`;
    if (!sendable(cookie) || cookie.includes(session)) return;
    for (const path of ['/api/user/info', '/api/confirmations']) expectRefused(await testServer.send('GET', path, { headers: { cookie } }));
  },
});
