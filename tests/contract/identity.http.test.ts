/** Authentication: every endpoint of every server refuses every kind of invalid credential. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signGrant, signIdentity } from '../../src/identity/internal.ts';
import { canWrite, type Tool } from '../../src/declare/tool.ts';
import { persona } from '../../domains/sample-company/people.ts';
import type { Reply } from '../../src/testing/test-client.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { DOMAINS, openTestServer, SERVERS } from '../test-server.ts';
import { registry, tools } from './calls.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer?.close());

const REFUSED = { status: 'error', code: 'UNAUTHENTICATED', message: 'Your sign-in is missing or no longer valid.', retryable: false };
const firstTool = (server: string) =>
  tools.find(({ domain, kind }) => domain.name === server && kind !== 'write' && kind !== 'act') ?? registry.tools[0];

/** An endpoint that needs a sign-in, and the audience and scope of its tokens. */
interface Endpoint {
  readonly name: string;
  readonly server: string;
  readonly use: 'api' | 'mcp';
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
}
const confirmation = randomUUID();
const ENDPOINTS: Endpoint[] = [
  { name: 'a tool', path: `/api/tools/tasks/list_tasks`, body: {} },
  { name: 'a decision', path: `/api/confirm/${confirmation}`, body: { approved: true } },
  { name: 'pending tickets', path: '/api/confirmations' },
  { name: 'a pending ticket', path: `/api/confirmations/${confirmation}` },
  { name: 'the signed-in user', path: '/api/user/info' },
  { name: 'the tools of the user', path: '/api/user/mcp-tools' },
  { name: 'the audit log', path: '/api/audit' },
  { name: 'an audit record', path: '/api/audit/calls-main/1' },
  { name: 'the verification of the audit log', path: '/api/audit/verify' },
].map((endpoint) => ({ server: 'gateway', use: 'api', method: 'body' in endpoint ? 'POST' : 'GET', ...endpoint }) as const);
for (const server of SERVERS) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  ENDPOINTS.push(
    { name: 'MCP', server, use: 'mcp', method: 'POST', path: '/mcp', body },
    { name: 'an MCP stream', server, use: 'mcp', method: 'GET', path: '/mcp' },
  );
}
for (const server of DOMAINS) {
  ENDPOINTS.push({ name: 'a tool', server, use: 'api', method: 'POST', path: `/tools/${firstTool(server)?.name}`, body: {} });
  ENDPOINTS.push({ name: 'an unknown tool', server, use: 'api', method: 'POST', path: '/tools/no_such_tool', body: {} });
  ENDPOINTS.push({
    name: 'the endpoint for approved changes',
    server,
    use: 'api',
    method: 'POST',
    path: '/execute',
    body: { confirmationId: confirmation, tool: 'x', input: '{}', card: '{}' },
  });
}
const titleOf = ({ name, server, method, path }: Endpoint) => `${server}: ${name} (${method} ${path.replace(confirmation, '…')})`;
const send = ({ server, method, path, body }: Endpoint, headers: Record<string, string>): Promise<Reply> =>
  testServer.send(method, path, {
    server,
    headers: { accept: 'application/json, text/event-stream', ...headers },
    ...(body !== undefined && { body }),
  });

const audience = (endpoint: Pick<Endpoint, 'server' | 'use'>) => `${testServer.address(endpoint.server)}/${endpoint.use}`;
const eve = persona('eve.thompson');
function claimsFor(endpoint: Pick<Endpoint, 'server' | 'use'>): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  return {
    iss: `${testServer.tamshai.base}/oidc/staff`,
    sub: eve.sub,
    aud: audience(endpoint),
    iat: now,
    exp: now + 300,
    jti: randomUUID(),
    client_id: 'tamshai-cli',
    preferred_username: eve.username,
    employee_id: eve.employeeId,
    roles: [...eve.roles],
    tamshai_approve: true,
  };
}
const signedWith = (key: Parameters<SignJWT['sign']>[0], claims: JWTPayload, header: { alg?: string; kid?: string; typ?: string } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: testServer.keys.realms.staff.kid, typ: 'at+jwt', ...header }).sign(key);
const signed = (claims: JWTPayload, header = {}) => signedWith(testServer.keys.realms.staff.privateKey, claims, header);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const without = (claims: JWTPayload, ...names: string[]) =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => !names.includes(key)));

type Make = (claims: JWTPayload, endpoint: Endpoint) => string | Promise<string>;
const now = () => Math.floor(Date.now() / 1000);
const BAD: Record<string, Make> = {
  'no Authorization header': () => '',
  'an empty token': () => 'Bearer ',
  'another scheme': () => `Basic ${Buffer.from('eve.thompson:x').toString('base64')}`,
  'a token that is no JWT': () => 'Bearer swordfish',
  'alg none': (claims) => `Bearer ${encoded({ alg: 'none', typ: 'at+jwt' })}.${encoded(claims)}.`,
  'HS256 signed with the public key': async (claims) =>
    `Bearer ${await signedWith(Buffer.from(testServer.keys.realms.staff.publicKey.export({ type: 'spki', format: 'pem' })), claims, { alg: 'HS256' })}`,
  expired: async (claims) => `Bearer ${await signed({ ...claims, iat: now() - 310, exp: now() - 10 })}`,
  'not yet valid': async (claims) => `Bearer ${await signed({ ...claims, nbf: now() + 60 })}`,
  'issued in the future': async (claims) => `Bearer ${await signed({ ...claims, iat: now() + 60 })}`,
  'without an expiry': async (claims) => `Bearer ${await signed(without(claims, 'exp'))}`,
  'with a lifetime of a day': async (claims) => `Bearer ${await signed({ ...claims, exp: now() + 86_400 })}`,
  'without an audience': async (claims) => `Bearer ${await signed(without(claims, 'aud'))}`,
  'for another application': async (claims) => `Bearer ${await signed({ ...claims, aud: 'account' })}`,
  'for the bare address': async (claims, { server }) => `Bearer ${await signed({ ...claims, aud: testServer.address(server) })}`,
  'for another port': async (claims, { use }) => `Bearer ${await signed({ ...claims, aud: `http://localhost:1/${use}` })}`,
  'for the other audience of this server': async (claims, { server, use }) =>
    `Bearer ${await signed({ ...claims, aud: `${testServer.address(server)}/${use === 'api' ? 'mcp' : 'api'}` })}`,
  'of another issuer': async (claims) => `Bearer ${await signed({ ...claims, iss: 'https://id.example/realms/staff' })}`,
  'of the other realm': async (claims) => `Bearer ${await signed({ ...claims, iss: `${testServer.tamshai.base}/oidc/customers` })}`,
  'signed with an unknown key': async (claims) =>
    `Bearer ${await signedWith(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, claims)}`,
  "signed with the provider library's published key": async (claims) => `Bearer ${await withPublishedKey(claims)}`,
  'an id token': async (claims) => `Bearer ${await signed({ ...claims, nonce: 'n', at_hash: 'h' }, { typ: 'JWT' })}`,
  'of another type': async (claims) => `Bearer ${await signed(claims, { typ: 'tamshai-identity+jwt' })}`,
  'of an unknown person': async (claims) => `Bearer ${await signed({ ...claims, sub: randomUUID() })}`,
  'of 40 kB': async (claims) => `Bearer ${await signed({ ...claims, padding: 'x'.repeat(30_000) })}`,
};

async function withPublishedKey(claims: JWTPayload): Promise<string> {
  const path = new URL('../../node_modules/oidc-provider/lib/consts/dev_keystore.js', import.meta.url).href;
  const { default: published } = (await import(path)) as { default: { keys: Record<string, string>[] } };
  const jwk = published.keys.find(({ kty }) => kty === 'RSA') ?? {};
  return signedWith(await importJWK(jwk, 'RS256'), claims, { alg: 'RS256', kid: String(jwk['kid']) });
}

describe.each(ENDPOINTS.map((endpoint) => [titleOf(endpoint), endpoint] as const))('%s', (_name, endpoint) => {
  it.each(Object.entries(BAD))('%s: 401, without the reason', async (_what, make) => {
    const authorization = await make(claimsFor(endpoint), endpoint);
    const { status, body, headers, text } = await send(endpoint, authorization === '' ? {} : { authorization });
    expect([status, text.slice(0, 300)]).toEqual([401, expect.stringContaining('UNAUTHENTICATED')]);
    expect(body).toMatchObject(REFUSED);
    const challenge =
      endpoint.use === 'mcp'
        ? `Bearer resource_metadata="${testServer.address(endpoint.server)}/.well-known/oauth-protected-resource/mcp"`
        : undefined;
    expect(headers['www-authenticate']).toBe(challenge);
  });

  it('a valid token is accepted, except by /execute, so the refusals above are about the credential', async () => {
    const { status } = await send(endpoint, { authorization: `Bearer ${await signed(claimsFor(endpoint))}` });
    if (endpoint.path === '/execute') expect(status).toBe(401);
    else expect(status).not.toBe(401);
  });

  it('a token of any other server gets 401', async () => {
    for (const other of SERVERS.filter((server) => server !== endpoint.server)) {
      for (const use of ['api', 'mcp'] as const) {
        const { status } = await send(endpoint, { authorization: `Bearer ${await signed(claimsFor({ server: other, use }))}` });
        expect([other, use, status]).toEqual([other, use, 401]);
      }
    }
  });

  it('a token in the query, a cookie or another header is ignored', async () => {
    const token = await signed(claimsFor(endpoint));
    const query = { ...endpoint, path: `${endpoint.path}?access_token=${token}&token=${token}` };
    for (const reply of [
      await send(query, {}),
      await send(endpoint, { cookie: `token=${token}; session=${token}` }),
      await send(endpoint, { 'x-access-token': token, 'x-forwarded-authorization': `Bearer ${token}` }),
    ]) {
      expect(reply.status).toBe(401);
    }
  });
});

describe('user names in headers and bodies', () => {
  const headers = {
    'x-user-id': eve.sub,
    'x-user-roles': 'executive,hr-write',
    'x-user': eve.username,
    'x-forwarded-user': eve.username,
    'x-roles': 'executive',
  };
  it('do not change who the caller is', async () => {
    const token = await testServer.token('frank.davis');
    const { body } = await testServer.send('GET', '/api/user/info', { token, headers });
    expect(body).toMatchObject({ data: { username: 'frank.davis', roles: ['employee'] } });
    for (const tool of tools.filter(({ roles }) => !roles.includes('employee'))) {
      const server = tool.domain.name;
      const direct = await testServer.send('POST', `/tools/${tool.name}`, {
        token: await testServer.token('frank.davis', { server }),
        headers,
        body: {},
        server,
      });
      const rest = await testServer.send('POST', `/api/tools/${server}/${tool.name}`, { token, headers, body: {} });
      for (const reply of [rest, direct]) expect(reply.body).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
    }
  });
  it.each(DOMAINS)('%s: a userContext gets 401, alone and beside a person’s own token', async (server) => {
    const userContext = { userId: eve.sub, username: eve.username, email: eve.email, roles: [...eve.roles] };
    const path = `/tools/${firstTool(server)?.name}`;
    for (const token of [undefined, await testServer.token('eve.thompson', { server })]) {
      const { status, body } = await testServer.send('POST', path, {
        server,
        body: { input: {}, userContext },
        ...(token !== undefined && { token }),
      });
      expect([status, body.status]).toEqual([401, 'error']);
    }
  });
});

describe.each(DOMAINS)('the token that the gateway signs for %s', (server) => {
  const other = DOMAINS.find((name) => name !== server) ?? '';
  const reading = firstTool(server);
  const path = `/tools/${reading?.name}`;
  const person = {
    ...eve,
    principal: `staff:${eve.sub}`,
    organizationId: undefined,
    employeeId: eve.employeeId,
    roles: new Set(eve.roles),
  };
  const caller = {
    person,
    token: { id: 't', client: 'tamshai-web', issuedAt: 0, expiresAt: 0 },
    approves: 'anything' as const,
    origin: 'web',
  };
  const identity = (over: object = {}) =>
    signIdentity(testServer.keys.gateway.current, { server, caller, requestId: 'r', method: 'POST', path, body: '{"input":{}}', ...over });
  const post = (to: string, at: string, raw: string, token: string) => testServer.send('POST', at, { server: to, raw, token });

  it('is valid for that call alone', async () => {
    expect((await post(server, path, '{"input":{}}', identity())).status).not.toBe(401);
    for (const [what, reply] of Object.entries({
      'another body': await post(server, path, '{"input":{"limit":1}}', identity()),
      'another tool': await post(server, '/tools/no_such_tool', '{"input":{}}', identity()),
      'with a query': await post(server, `${path}?x=1`, '{"input":{}}', identity()),
      'another server': await post(
        other,
        `/tools/${firstTool(other)?.name}`,
        '{"input":{}}',
        identity({ path: `/tools/${firstTool(other)?.name}` }),
      ),
      'the endpoint for approved changes': await post(server, '/execute', '{"input":{}}', identity({ path: '/execute' })),
      MCP: await post(server, '/mcp', '{"input":{}}', identity({ path: '/mcp' })),
      'the gateway': await post('gateway', `/api/tools/${server}/${reading?.name}`, '{"input":{}}', identity({ server: 'gateway' })),
      'an expired token': await post(
        server,
        path,
        '{"input":{}}',
        signIdentity(
          testServer.keys.gateway.current,
          { server, caller, requestId: 'r', method: 'POST', path, body: '{"input":{}}' },
          { now: () => new Date(Date.now() - 120_000) },
        ),
      ),
      'an execution grant': await post(
        server,
        path,
        '{"input":{}}',
        signGrant(testServer.keys.gateway.current, {
          server,
          confirmationId: confirmation,
          tool: reading?.name ?? '',
          input: '{}',
          card: '{}',
          caller,
          requestId: 'r',
        }),
      ),
    })) {
      expect([what, reply.status]).toEqual([what, 401]);
    }
  });
  it('must name the same user as the body', async () => {
    const body = JSON.stringify({ input: {}, userContext: { userId: persona('frank.davis').sub, roles: ['employee'] } });
    const { status, body: answer } = await post(server, path, body, identity({ body }));
    expect([status, answer]).toMatchObject([401, { code: 'USER_MISMATCH' }]);
    const same = JSON.stringify({ input: {}, userContext: { userId: eve.sub, username: eve.username, roles: [...eve.roles] } });
    expect((await post(server, path, same, identity({ body: same }))).status).not.toBe(401);
  });
  it('is accepted only once by a tool that writes', async () => {
    const isOpen = ({ roles }: Tool) => roles.some((role) => eve.roles.some((own) => own === role));
    const writing = tools.find((tool) => tool.domain.name === server && canWrite(tool) && isOpen(tool));
    if (!writing) return;
    const at = `/tools/${writing.name}`;
    const body = '{"input":{"no_such_input":1}}';
    const token = identity({ path: at, body });
    expect((await post(server, at, body, token)).status).toBe(400);
    expect((await post(server, at, body, token)).status).toBe(401);
  });
});
