/** Graceful shutdown: the process becomes unready, refuses new connections and finishes running requests. */
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

let testServer: TestServer;
beforeEach(async () => {
  testServer = await openTestServer();
});
afterEach(() => testServer.close());

/** Opens a connection and collects everything that is received on it. */
function raw(port: number): { socket: Socket; text: () => string; ended: Promise<void> } {
  let text = '';
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('data', (chunk: string) => (text += chunk)).on('error', () => {});
  return { socket, text: () => text, ended };
}
const body = '{"title":"in the middle of a restart"}';
const begin = async (token: string, port: number) =>
  `POST /api/tools/tasks/add_task HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: ` +
  `application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`;

it('a draining process is not ready, answers with Connection: close, then refuses connections, and finishes running requests', async () => {
  const { gateway: port = 0, hr = 0 } = testServer.tamshai.ports;
  const halfway = raw(port);
  halfway.socket.write(await begin(await testServer.token('nina.patel'), port));
  expect((await testServer.send('GET', '/ready')).status).toBe(200);

  let drained = false;
  const draining = testServer.tamshai.drain(1_500).then(() => (drained = true));
  for (const server of ['gateway', 'hr']) {
    expect(await testServer.send('GET', '/ready', { server })).toMatchObject({ status: 503, body: { status: 'not_ready' } });
    expect((await testServer.send('GET', '/health', { server })).status).toBe(200);
  }
  const late = await testServer.rest('nina.patel', 'tasks', 'list_tasks');
  expect([late.status, late.headers['connection']]).toEqual([200, 'close']);

  // After the grace period the process refuses new connections and waits for the running request.
  for (const closed of [port, hr]) await expect.poll(() => refused(closed), { timeout: 10_000 }).toBe(true);
  expect(drained).toBe(false);
  halfway.socket.write(body.slice(5));
  await halfway.ended;
  expect(halfway.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(halfway.text()).toMatch(/\r\nconnection: close\r\n/i);
  expect(halfway.text()).toContain('in the middle of a restart');
  await draining;
});

it('a draining process does not wait for open event streams, and ends them properly', async () => {
  const { gateway: port = 0 } = testServer.tamshai.ports;
  const token = await testServer.token('nina.patel', { mcp: true });
  const headers = { accept: 'application/json, text/event-stream' };
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } };
  const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello };
  const begun = await testServer.send('POST', '/mcp', { token, headers, body: message });
  const session = String(begun.headers['mcp-session-id']);
  const stream = raw(port);
  stream.socket.write(
    `GET /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${token}\r\nAccept: ` +
      `text/event-stream\r\nMcp-Session-Id: ${session}\r\nMcp-Protocol-Version: 2025-11-25\r\n\r\n`,
  );
  await expect.poll(() => stream.text(), { timeout: 10_000 }).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  await Promise.race([testServer.tamshai.drain(0), pause(8_000).then(() => expect.fail('it waits for the stream'))]);
  await testServer.tamshai.close();
  await stream.ended;
  expect(stream.text()).toMatch(/0\r\n\r\n$/);
});

const refused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
