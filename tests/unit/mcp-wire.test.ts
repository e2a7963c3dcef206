/** MCP over HTTP at the wire level: Host and Origin checks, methods, malformed bodies, protocol revisions and internal errors. */
import net from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHostGuard, loopbackAddresses, requestId } from '../../src/transports/request.ts';
import { type Fixture, startFixture } from './mcp-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.calls.length = 0;
  fixture.authenticated = 0;
});

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const _meta = { [VERSION]: '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
const call = (over: object = {}, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'notes_echo', arguments: {}, _meta, ...params },
  ...over,
});
const modern = {
  authorization: 'Bearer alice',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'notes_echo',
};
async function post(body: unknown, headers: Record<string, string> = modern, path = '') {
  const res = await fetch(fixture.url + path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  const text = await res.text();
  return {
    status: res.status,
    headers: res.headers,
    body: (text === '' ? undefined : JSON.parse(text)) as Record<string, unknown> | undefined,
  };
}

/** Sends the header lines exactly as given, on a raw socket. */
function raw(lines: string[], body = ''): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(fixture.port, '127.0.0.1', () => {
      socket.write(`${[...lines, 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`].join('\r\n')}\r\n\r\n${body}`);
    });
    let got = '';
    socket.on('data', (data) => {
      got += data;
    });
    socket
      .on('error', reject)
      .on('close', () => resolve({ status: Number(got.slice(9, 12)), body: got.slice(got.indexOf('\r\n\r\n') + 4) }));
  });
}
const good = Object.entries(modern).map(([name, value]) => `${name}: ${value}`);

describe('Host and Origin', () => {
  it.each([['localhost'], ['127.0.0.1'], ['[::1]'], ['LOCALHOST']])('Host %s with the right port is accepted', async (host) => {
    expect((await raw(['POST /mcp HTTP/1.1', `Host: ${host}:${fixture.port}`, ...good], JSON.stringify(call()))).status).toBe(200);
  });

  it.each([
    ['evil.example'],
    ['localhost'],
    ['localhost:1'],
    ['localhost.:PORT'],
    ['evil.example:PORT'],
    ['127.0.0.1.evil.example:PORT'],
    ['user@localhost:PORT'],
    ['0.0.0.0:PORT'],
    ['[::ffff:127.0.0.1]:PORT'],
    [''],
  ])('Host "%s" is refused before authentication', async (host) => {
    const { status, body } = await raw(
      ['POST /mcp HTTP/1.1', `Host: ${host.replace('PORT', String(fixture.port))}`, ...good],
      JSON.stringify(call()),
    );
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({ status: 'error', code: 'FORBIDDEN_ORIGIN' });
    expect(fixture.authenticated).toBe(0);
    expect(fixture.calls).toHaveLength(0);
  });

  it('a request without a Host is refused', async () => {
    expect((await raw(['POST /mcp HTTP/1.0', ...good], JSON.stringify(call()))).status).toBe(403);
  });

  it.each([
    ['http://localhost:PORT', 200],
    ['http://127.0.0.1:PORT', 200],
    ['https://localhost:PORT', 403],
    ['http://localhost', 403],
    ['http://localhost:9999', 403],
    ['http://LOCALHOST:PORT', 403],
    ['http://localhost:PORT/', 403],
    ['http://evil.example', 403],
    ['null', 403],
    ['', 403],
  ])('Origin "%s" gives %i', async (origin, status) => {
    const lines = [
      'POST /mcp HTTP/1.1',
      `Host: localhost:${fixture.port}`,
      `Origin: ${origin.replace('PORT', String(fixture.port))}`,
      ...good,
    ];
    expect((await raw(lines, JSON.stringify(call()))).status).toBe(status);
    expect(fixture.calls).toHaveLength(status === 200 ? 1 : 0);
  });

  it('a second, foreign Origin is refused', async () => {
    const lines = [
      'POST /mcp HTTP/1.1',
      `Host: localhost:${fixture.port}`,
      `Origin: http://localhost:${fixture.port}`,
      'Origin: http://evil.example',
      ...good,
    ];
    expect((await raw(lines, JSON.stringify(call()))).status).toBe(403);
  });

  it('on the default port, the Host is accepted only without a port', () => {
    const guard = createHostGuard(loopbackAddresses(80));
    expect(guard({ headers: { host: 'localhost', origin: 'http://localhost' } } as never)).toBeUndefined();
    expect(guard({ headers: { host: 'localhost:80' } } as never)).toMatchObject({ code: 'FORBIDDEN_ORIGIN' });
  });
});

describe('authentication', () => {
  it('comes before the body is parsed: 401 with the resource metadata, as an error of the product and of JSON-RPC', async () => {
    const { status, headers, body } = await post('{', { ...modern, authorization: 'Bearer mallory' });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="http://localhost:${fixture.port}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(body).toMatchObject({ status: 'error', code: 'UNAUTHENTICATED', jsonrpc: '2.0', id: null, error: { code: -32000 } });
  });

  it('is required for GET and DELETE too', async () => {
    for (const method of ['GET', 'DELETE']) expect((await fetch(fixture.url, { method })).status).toBe(401);
  });
});

describe('methods', () => {
  it.each(['OPTIONS', 'PUT', 'PATCH', 'HEAD'])('%s is answered with 405', async (method) => {
    const res = await fetch(fixture.url, { method, headers: { ...modern, origin: `http://localhost:${fixture.port}` } });
    expect(res.status).toBe(405);
    expect(res.headers.get('allow')).toBe('GET, POST, DELETE');
    expect(res.headers.get('access-control-allow-origin')).toBeNull();
  });

  it.each(['GET', 'DELETE'])('%s outside of a session is answered with 405', async (method) => {
    for (const session of [{}, { 'mcp-session-id': 'abc' }]) {
      expect((await fetch(fixture.url, { method, headers: { ...modern, ...session } })).status).toBe(405);
    }
  });
});

describe('a body', () => {
  const nested = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes_echo","arguments":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}}`;
  const text = JSON.stringify(call());
  it.each([
    ['not JSON', '{', {}, 400, 'VALIDATION_ERROR'],
    ['empty', '', {}, 400, 'VALIDATION_ERROR'],
    ['nested too deeply', nested, {}, 400, 'VALIDATION_ERROR'],
    ['with a duplicate key', text.replace('"name":', '"name":"notes_raise","name":'), {}, 400, 'VALIDATION_ERROR'],
    ['with __proto__', text.replace('{}', '{"__proto__":{}}'), {}, 400, 'VALIDATION_ERROR'],
    ['with 1e400', text.replace('{}', '{"n":1e400}'), {}, 400, 'VALIDATION_ERROR'],
    ['with NUL', text.replace('{}', '{"n":"\\u0000"}'), {}, 400, 'VALIDATION_ERROR'],
    [
      'of 257 kB',
      JSON.stringify(call({}, { arguments: { list: Array.from({ length: 60 }, () => 'x'.repeat(4_400)) } })),
      {},
      413,
      'PAYLOAD_TOO_LARGE',
    ],
    ['compressed', text, { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['as text', text, { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['as a form', text, { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('%s is refused', async (_, body, more, status, code) => {
    const refused = await post(body, { ...modern, ...more } as Record<string, string>);
    expect(refused.status).toBe(status);
    expect(refused.body).toMatchObject({ status: 'error', code, jsonrpc: '2.0', error: { message: refused.body?.message } });
    expect(fixture.calls).toHaveLength(0);
  });
});

describe('the selection of servers', () => {
  it.each(['?servers=none', '?servers=', '?servers=notes,none'])('%s is answered with 400', async (query) => {
    const { status, body } = await post(call(), modern, query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ status: 'error', code: 'VALIDATION_ERROR' });
  });
});

describe('no tool is run by', () => {
  const legacy = { ...modern, 'mcp-protocol-version': '2025-11-25' };
  const bare = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'notes_echo', arguments: {} } };
  it.each([
    ['a batch', [call()], modern, 400, -32600],
    ['a batch of a 2025 client', [bare, bare], legacy, 400, -32600],
    ['a batch under 2025-03-26', [bare], { ...legacy, 'mcp-protocol-version': '2025-03-26' }, 400, -32600],
    ['an empty batch', [], modern, 400, -32600],
    ['a different name in Mcp-Name', call(), { ...modern, 'mcp-name': 'notes_raise' }, 400, -32020],
    ['a different method in Mcp-Method', call(), { ...modern, 'mcp-method': 'tools/list' }, 400, -32020],
    ['a different protocol version in the header', call(), { ...modern, 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    [
      'a future protocol version',
      call({}, { _meta: { ..._meta, [VERSION]: '2027-01-01' } }),
      { ...modern, 'mcp-protocol-version': '2027-01-01' },
      400,
      -32022,
    ],
    ['a request with id null', call({ id: null }), modern, 400, -32600],
    ['an unknown method', call({ method: 'tools/delete' }), { ...modern, 'mcp-method': 'tools/delete' }, 404, -32601],
  ])('%s', async (_, body, headers, status, code) => {
    const refused = await post(body, headers);
    expect(refused.status).toBe(status);
    expect(refused.body).toMatchObject({ error: { code } });
    expect(fixture.calls).toHaveLength(0);
  });

  it('a tools/call without an id, which is a notification', async () => {
    const { id: _, ...notification } = call({}, { name: 'notes_raise' });
    expect((await post(notification, { ...modern, 'mcp-name': 'notes_raise' })).status).toBe(202);
    await new Promise((later) => setTimeout(later, 20));
    expect(fixture.calls).toHaveLength(0);
    expect(fixture.tickets.size).toBe(0);
  });
});

describe('protocol revisions', () => {
  const initialize = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  const { 'mcp-protocol-version': _, 'mcp-method': __, 'mcp-name': ___, ...plain } = modern;
  async function begin(version: string) {
    const res = await fetch(fixture.url, { method: 'POST', headers: plain, body: JSON.stringify(initialize(version)) });
    const data = (await res.text()).split('\n').find((line) => line.startsWith('data: '));
    const { result } = JSON.parse(data?.slice(6) ?? '{}') as { result: { protocolVersion: string } };
    return { session: res.headers.get('mcp-session-id') ?? '', agreed: result.protocolVersion };
  }

  it.each(['2025-11-25', '2025-06-18', '2025-03-26'])('%s is served', async (version) => {
    const { session, agreed } = await begin(version);
    expect(agreed).toBe(version);
    for (const headers of [{ 'mcp-protocol-version': version }, {}] as Record<string, string>[]) {
      const bare = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'notes_echo', arguments: {} } };
      const { status, body } = await post(bare, { ...plain, 'mcp-session-id': session, ...headers });
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: 1, result: { structuredContent: { status: 'success' } } });
      expect(body?.result).not.toHaveProperty('resultType');
    }
  });

  it('a client without a session can call tools, but not subscribe', async () => {
    const bare = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'notes_echo', arguments: {} } };
    const { status, body } = await post(bare, plain);
    expect([status, body]).toMatchObject([200, { id: 1, result: { structuredContent: { status: 'success' } } }]);
    const subscribe = { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'notes://all' } };
    const refused = await fetch(fixture.url, { method: 'POST', headers: plain, body: JSON.stringify(subscribe) });
    expect(refused.headers.get('mcp-session-id')).toBeNull();
    expect(await refused.text()).toMatch(/"error"/);
  });

  it.each(['2024-11-05', '2024-10-07'])('%s is refused in the header, and initialize answers with a newer revision', async (version) => {
    const { session, agreed } = await begin(version);
    expect(agreed).toBe('2025-11-25');
    for (const params of [{}, { foo: 1 }]) {
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
      expect((await post(list, { ...plain, 'mcp-session-id': session, 'mcp-protocol-version': version })).status).toBe(400);
    }
  });
});

describe('internal errors', () => {
  it.each([
    ['authentication', { authenticate: () => Promise.reject(new Error('ldap://10.0.0.9 refused')) }, 500],
    [
      'the listing',
      {
        list: () => {
          throw new Error('relation hr.secret does not exist');
        },
      },
      500,
    ],
    [
      'the summary',
      {
        describe: () => {
          throw new Error('x is undefined in /srv/app.js');
        },
      },
      200,
    ],
  ] as const)('of %s are logged, and the response reveals nothing', async (_, over, status) => {
    for (const fastPath of [true, false]) {
      const broken = await startFixture({ ...over, fastPath });
      const [method, params] = 'list' in over ? ['tools/list', { _meta }] : ['tools/call', { name: 'notes_echo', _meta }];
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const res = await fetch(broken.url, { method: 'POST', headers: { ...modern, 'mcp-method': method }, body });
      expect(await res.text()).not.toMatch(/ldap|10\.0\.0|relation|srv/);
      if (fastPath) expect(res.status).toBe(status);
      expect(broken.logged).not.toHaveLength(0);
      await broken.close();
    }
  });
});

describe('request ids', () => {
  it('are accepted from the caller when they are well-formed', async () => {
    expect(requestId({ 'x-request-id': 'a-Z_9' })).toBe('a-Z_9');
    for (const bad of ['', 'a b', 'a\nb', 'x'.repeat(65), '"', 'é']) expect(requestId({ 'x-request-id': bad })).toMatch(/^[0-9a-f-]{36}$/);
    const { headers, body } = await post(call(), { ...modern, 'x-request-id': 'abc' });
    expect(headers.get('x-request-id')).toBe('abc');
    expect(body?.result).toMatchObject({ _meta: { requestId: 'abc' } });
  });
});
