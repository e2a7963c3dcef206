/** Every endpoint that accepts JSON requires exactly one valid content type in UTF-8. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exchange, replyIn, sendRaw } from '../raw-http.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer.close());

const GOOD = [
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json \t;\t charset="utf-8"',
];
const BAD = [
  'application/json\t;x',
  'application/json;',
  'application/json;;',
  'application/json; ;charset=utf-8',
  'application/json; charset=utf-8;',
  'application/json; charset',
  'application/json; charset=',
  'application/json; charset = utf-8',
  'application/json; charset=utf-8; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json; charset="utf-8',
  'application/json; boundary=x',
  'application/json, text/plain',
  'application/json, application/json',
  'application/json text/plain',
  'application /json',
  'application/ json',
  'application/json/x',
  'application/jsonx',
  'application/vnd.x+json',
  'text/json',
  '*/*',
  'application/*',
  'text/plain;application/json',
  '',
];

/** Makes each requested change different, because the same change is refused after two denials. */
let asked = 0;
/** Every endpoint that accepts JSON, with a valid body. */
const entrances = async () => {
  const { confirmationId } = await testServer.ask('alice.chen', 'hr', 'update_salary', {
    employee_id: '0e000000-0000-4000-8000-000000000008',
    new_salary: 131_000 + ++asked,
  });
  const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_tasks', arguments: {} } });
  return [
    { server: 'gateway', path: '/api/tools/tasks/list_tasks', token: await testServer.token('alice.chen'), body: '{}' },
    { server: 'tasks', path: '/tools/list_tasks', token: await testServer.token('alice.chen', { server: 'tasks' }), body: '{}' },
    {
      server: 'gateway',
      path: '/mcp',
      token: await testServer.token('alice.chen', { mcp: true }),
      body: call.replace('list_', 'tasks_list_'),
    },
    { server: 'tasks', path: '/mcp', token: await testServer.token('alice.chen', { mcp: true, server: 'tasks' }), body: call },
    { server: 'gateway', path: '/api/query', token: await testServer.token('alice.chen'), body: '{"query":1}' },
    {
      server: 'gateway',
      path: `/api/confirm/${confirmationId}`,
      token: await testServer.token('alice.chen', { approve: true }),
      body: '{"approved":false}',
    },
  ];
};
type Entrance = Awaited<ReturnType<typeof entrances>>[number];

const send = ({ server, path, token, body }: Entrance, lines: readonly string[]) => {
  const port = testServer.tamshai.ports[server] ?? 0;
  const accept = 'Accept: application/json, text/event-stream';
  const always = [
    `Host: localhost:${port}`,
    `Authorization: Bearer ${token}`,
    accept,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  return sendRaw({ port, path, lines: [...always, ...lines], body });
};

describe('the content type', () => {
  it('other than JSON, or malformed, is 415 at every endpoint and has no effect', async () => {
    for (const entrance of await entrances()) {
      for (const type of BAD) {
        const { status, body } = await send(entrance, [`Content-Type: ${type}`]);
        expect([entrance.path, type, status, body?.status, body?.code]).toEqual([
          entrance.path,
          type,
          415,
          'error',
          'UNSUPPORTED_MEDIA_TYPE',
        ]);
      }
      const twice = await send(entrance, ['Content-Type: application/json', 'Content-Type: application/json']);
      expect([entrance.path, twice.status]).toEqual([entrance.path, 415]);
      expect([entrance.path, (await send(entrance, [])).status]).toEqual([entrance.path, 415]);
    }
  });

  it('is accepted in every form that the grammar allows', async () => {
    for (const entrance of (await entrances()).filter(({ path }) => !path.startsWith('/api/confirm')))
      for (const type of GOOD) {
        const { status } = await send(entrance, [`Content-Type: ${type}`]);
        expect([entrance.path, type, status]).toEqual([entrance.path, type, entrance.path === '/api/query' ? 400 : 200]);
      }
    for (const type of GOOD) {
      const confirm = (await entrances()).at(-1) as Entrance;
      expect([type, (await send(confirm, [`Content-Type: ${type}`])).status]).toEqual([type, 200]);
    }
  });

  it('of a form, at the sign-out and the token endpoint, is checked as strictly', async () => {
    const { gateway: port = 0 } = testServer.tamshai.ports;
    const lines = (type: string) => [`Host: localhost:${port}`, `Content-Type: ${type}`, 'Content-Length: 3', 'Connection: close'];
    for (const type of ['application/x-www-form-urlencoded;', 'application/x-www-form-urlencoded\t;x', 'application/json', 'text/plain']) {
      const out = await sendRaw({ port, path: '/signout', lines: [...lines(type), 'Sec-Fetch-Site: same-origin'], body: 'a=b' });
      expect([type, out.status]).toEqual([type, 415]);
      const token = await sendRaw({ port, path: '/auth/realms/tamshai-staff/token', lines: lines(type), body: 'a=b' });
      expect([type, token.status >= 400 && token.status < 500]).toEqual([type, true]);
    }
  });
});

describe('the content encoding and the framing', () => {
  it.each(['gzip', 'br', 'identity, gzip', 'Identity;q=1', 'gzip, identity', ''])('Content-Encoding %j is 415', async (encoding) => {
    for (const entrance of await entrances()) {
      const { status } = await send(entrance, ['Content-Type: application/json', `Content-Encoding: ${encoding}`]);
      expect([entrance.path, encoding, status]).toEqual([entrance.path, encoding, 415]);
    }
  });

  it.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['a compressed transfer', ['Transfer-Encoding: gzip, chunked']],
    ['a transfer without chunks and length', ['Transfer-Encoding: gzip']],
    ['a folded header', ['X-A: b', '\tc', 'Content-Length: 2']],
    ['a space before the colon', ['Content-Length : 2']],
    ['a bad length', ['Content-Length: +2']],
    ['a NUL in a header', ['X-A: \0', 'Content-Length: 2']],
    ['a bad chunk', ['Transfer-Encoding: chunked']],
  ])('%s is refused with our JSON error', async (_what, lines) => {
    for (const { server, path, token } of await entrances()) {
      const port = testServer.tamshai.ports[server] ?? 0;
      const always = [`Host: localhost:${port}`, `Authorization: Bearer ${token}`, 'Content-Type: application/json', 'Connection: close'];
      const { status, body } = await sendRaw({ port, path, lines: [...always, ...lines], body: '{}\r\n\r\n' });
      expect([path, status >= 400 && status < 500, body?.status, typeof body?.code]).toEqual([path, true, 'error', 'string']);
    }
  });
});

describe('a request that is malformed', () => {
  it.each([
    ['garbage', 'what is this\r\n\r\n'],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two Hosts', 'GET /health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['a header of 70 kB', `GET /health HTTP/1.1\r\nX-A: ${'a'.repeat(70_000)}\r\n\r\n`],
    ['a path of 70 kB', `GET /${'a'.repeat(70_000)} HTTP/1.1\r\n\r\n`],
    [
      'an unknown Expect header',
      'POST /health HTTP/1.1\r\nHost: localhost\r\nExpect: magic\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
    ],
    ['a CONNECT request', 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n'],
  ])('%s is refused with our JSON error on every listener, and the connection is closed', async (_what, text) => {
    for (const [name, port] of Object.entries(testServer.tamshai.ports)) {
      const { status, body, head } = replyIn(await exchange(port, (socket) => socket.write(text)));
      expect([name, status >= 400 && status < 500, body?.status, typeof body?.code]).toEqual([name, true, 'error', 'string']);
      expect(head.toLowerCase()).toContain('content-type: application/json');
      expect(head.toLowerCase()).toContain('connection: close');
    }
  });
});
