/** Slow requests: each listener ends them at its time limits with our error message and closes the connection. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../src/engine/ports.ts';
import { exchange, replyIn } from '../raw-http.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer({}, { connections: { headersMs: 600, bodyMs: 400 } });
}, 120_000);
afterAll(() => testServer.close());

interface Slow {
  readonly server: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly id?: string;
  readonly lines?: readonly string[];
}
const headOf = ({ server, path, token, id = randomUUID(), lines = ['Content-Length: 1000'] }: Slow) =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: localhost:${testServer.tamshai.ports[server]}`,
    'Content-Type: application/json',
    `X-Request-Id: ${id}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...lines,
    '',
    '',
  ].join('\r\n');

/** Sends a byte every 50 ms while the connection is open. */
const drip = (socket: Socket, byte = ' ') => {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(byte)), 50);
  socket.once('close', () => clearInterval(timer));
};

const entrances = async () => [
  { server: 'gateway', path: '/api/tools/tasks/list_tasks', token: await testServer.token('eve.thompson'), tool: 'list_tasks' },
  { server: 'tasks', path: '/tools/list_tasks', token: await testServer.token('eve.thompson', { server: 'tasks' }), tool: 'list_tasks' },
  { server: 'gateway', path: '/mcp', token: await testServer.token('eve.thompson', { mcp: true }), tool: '' },
  { server: 'tasks', path: '/mcp', token: await testServer.token('eve.thompson', { mcp: true, server: 'tasks' }), tool: '' },
  {
    server: 'gateway',
    path: `/api/confirm/${randomUUID()}`,
    token: await testServer.token('eve.thompson', { approve: true }),
    tool: 'confirm',
  },
  { server: 'gateway', path: '/api/query', token: await testServer.token('eve.thompson'), tool: undefined },
];

const recordsOf = async (requestId: string): Promise<AuditRecord[]> =>
  (await testServer.tamshai.modules.tools.runtime.audit.newest({ limit: 100 }))
    .map(({ body }) => JSON.parse(body) as AuditRecord)
    .filter((record) => record.requestId === requestId);

describe.each([
  ['that stops', () => {}],
  ['that trickles', (socket: Socket) => drip(socket)],
])('a body %s', (_how, go) => {
  test('gets 408 with our error message and its request id, is recorded, and the connection is closed', async () => {
    for (const { tool, ...entrance } of await entrances()) {
      const id = randomUUID();
      const text = await exchange(testServer.tamshai.ports[entrance.server] ?? 0, (socket) => {
        socket.write(`${headOf({ ...entrance, id })}{`);
        go(socket);
      });
      const { status, head, body } = replyIn(text);
      expect([entrance.path, status, body?.status, body?.code]).toEqual([entrance.path, 408, 'error', 'REQUEST_TIMEOUT']);
      expect(head.toLowerCase()).toContain(`x-request-id: ${id}`);
      expect(head.toLowerCase()).toContain('connection: close');
      if (tool === undefined) continue;
      expect([entrance.path, await recordsOf(id)]).toMatchObject([
        entrance.path,
        [{ username: 'eve.thompson', decision: 'refused', code: 'REQUEST_TIMEOUT' }],
      ]);
    }
  });

  test('in chunks on a reused connection gets an error, and without a sign-in 408 and no record', async () => {
    const [entrance] = await entrances();
    if (entrance === undefined) throw new Error('none');
    const port = testServer.tamshai.ports['gateway'] ?? 0;
    const text = await exchange(port, (socket) => {
      socket.write(`GET /health HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
      socket.write(headOf({ ...entrance, lines: ['Transfer-Encoding: chunked'] }));
      go(socket);
    });
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', expect.stringMatching(/40[08]/)]);
    const id = randomUUID();
    const unauthenticated = await exchange(port, (socket) => {
      socket.write(headOf({ ...entrance, token: undefined, id }));
      go(socket);
    });
    expect(replyIn(unauthenticated)).toMatchObject({ status: 408, body: { code: 'REQUEST_TIMEOUT' } });
    expect(await recordsOf(id)).toEqual([]);
  });

  test('of a form gets an error too, at the sign-out, at a path without a body and at unknown paths', async () => {
    const { body: metadata } = await testServer.send<Record<string, string>>('GET', '/.well-known/oauth-authorization-server');
    const signIn = ['token_endpoint', 'registration_endpoint'].map((name) => new URL(metadata[name] ?? '').pathname);
    for (const path of ['/signout', ...signIn, '/health', '/nowhere']) {
      const text = await exchange(testServer.tamshai.ports['gateway'] ?? 0, (socket) => {
        socket.write(
          headOf({ server: 'gateway', path, lines: ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 1000'] }).replace(
            'Content-Type: application/json\r\n',
            '',
          ),
        );
        go(socket);
      });
      const { status } = replyIn(text);
      expect([path, status >= 400]).toEqual([path, true]);
      // 404 would mean that the path of the sign-in does not exist.
      if (signIn.includes(path)) expect([path, status]).not.toEqual([path, 404]);
    }
  });
});

test('endless headers get 408 with our error message on every listener', async () => {
  for (const [name, port] of Object.entries(testServer.tamshai.ports)) {
    const text = await exchange(port, (socket) => {
      socket.write('POST /api/tools/tasks/list_tasks HTTP/1.1\r\nHost: localhost\r\n');
      drip(socket, 'X-A: b\r\n');
    });
    expect([name, replyIn(text).status, replyIn(text).body?.code]).toEqual([name, 408, 'REQUEST_TIMEOUT']);
    expect(replyIn(text).body?.message).toBe('The request was not complete within 0.6 seconds.');
  }
});

test('twenty concurrent calls with complete bodies succeed under these limits', async () => {
  const answered = await Promise.all(
    Array.from({ length: 20 }, () => testServer.rest('eve.thompson', 'hr', 'list_employees', { limit: 50 })),
  );
  expect(new Set(answered.map(({ status }) => status))).toEqual(new Set([200]));
});
