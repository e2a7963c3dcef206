/** MCP sessions of 2025 clients and their event streams: ownership, limits, expiry and replicas. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { McpOptions } from '../../src/transports/mcp/index.ts';
import { type Fixture, key, startFixture } from './mcp-fixture.ts';

let fixture: Fixture;
const start = async (limits: McpOptions['limits'] = {}) => {
  fixture = await startFixture({ limits });
};
afterEach(() => fixture.close());

const headersOf = (token: string, session?: string, version = '2025-11-25') => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': version,
  ...(session !== undefined && { 'mcp-session-id': session }),
});
const post = (token: string, session: string | undefined, message: object) =>
  fetch(fixture.url, { method: 'POST', headers: headersOf(token, session), body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};
async function begin(token = 'alice'): Promise<string> {
  const res = await post(token, undefined, initialize);
  expect(res.status).toBe(200);
  await res.text();
  return res.headers.get('mcp-session-id') ?? '';
}
const status = async (response: Promise<Response>) => {
  const res = await response;
  await res.body?.cancel();
  return res.status;
};
const list = (token: string, session?: string) => status(post(token, session, { id: 1, method: 'tools/list' }));
const slow = (token: string, session?: string) => status(post(token, session, { id: 1, method: 'tools/list', params: { foo: 1 } }));
const get = (token: string, session: string) => fetch(fixture.url, { headers: headersOf(token, session) });
const end = (token: string, session: string) => status(fetch(fixture.url, { method: 'DELETE', headers: headersOf(token, session) }));

describe('a session', () => {
  it('exists only for its person and client', async () => {
    await start();
    const session = await begin('alice');
    expect(session).toMatch(/^[\x21-\x7e]{40,400}$/);
    expect(session).not.toBe(await begin('alice'));
    for (const token of ['bob', 'alice/other']) {
      expect(await list(token, session)).toBe(404);
      expect(await slow(token, session)).toBe(404);
      expect(await status(get(token, session))).toBe(404);
      expect(await end(token, session)).toBe(404);
    }
    const [foreign, unknown] = [
      await post('bob', session, { id: 1, method: 'ping' }),
      await post('bob', 'unknown', { id: 1, method: 'ping' }),
    ];
    expect(await foreign.text()).toBe(await unknown.text());
    expect(await list('alice', session)).toBe(200);
    expect(await slow('alice', session)).toBe(200);
  });

  it('is created only by initialize, and cannot be initialized twice', async () => {
    await start();
    expect(await list('alice')).toBe(200);
    expect(fixture.handler.sessions).toBe(0);
    const session = await begin();
    expect(await status(post('alice', session, initialize))).toBe(400);
    expect(await status(post('alice', 'unknown', initialize))).toBe(404);
    expect(fixture.handler.sessions).toBe(1);
  });

  it('ends when its client deletes it', async () => {
    await start();
    const session = await begin();
    expect(await end('alice', session)).toBe(200);
    expect(await list('alice', session)).toBe(404);
    expect(fixture.handler.sessions).toBe(0);
  });

  it('expires when it is idle', async () => {
    await start();
    const [kept, left] = [await begin(), await begin('bob')];
    fixture.now += 14 * 60_000;
    expect(await list('alice', kept)).toBe(200);
    fixture.now += 2 * 60_000;
    expect(await list('bob', left)).toBe(404);
    expect(await list('alice', kept)).toBe(200);
    fixture.now += 16 * 60_000;
    await begin('carol');
    expect(fixture.handler.sessions).toBe(1);
  });

  it('that was used least recently is replaced by a newer one at the limit of its person', async () => {
    await start({ sessionsPerPerson: 3 });
    const bobs = await begin('bob');
    const [one, two, three] = [await begin(), await begin(), await begin()];
    expect(await list('alice', one)).toBe(200);
    const four = await begin();
    expect(await list('alice', two)).toBe(404);
    for (const session of [one, three, four]) expect(await list('alice', session)).toBe(200);
    expect(await list('bob', bobs)).toBe(200);
    const many = await Promise.all(Array.from({ length: 20 }, () => begin()));
    expect(new Set(many).size).toBe(20);
    expect(fixture.handler.sessions).toBe(4);
  });

  it('is refused at the limit for all people together, and no existing session is lost', async () => {
    await start({ maxSessions: 2 });
    const [alices, bobs] = [await begin('alice'), await begin('bob')];
    const res = await post('carol', undefined, initialize);
    expect(res.status).toBe(503);
    expect(await res.json()).toMatchObject({ status: 'error', code: 'SERVICE_UNAVAILABLE', retryable: true });
    expect(await list('alice', alices)).toBe(200);
    expect(await list('bob', bobs)).toBe(200);
    expect(await end('bob', bobs)).toBe(200);
    await begin('carol');
  });

  it('is not created by an invalid or unauthenticated initialize request', async () => {
    await start();
    expect(await status(post('alice', undefined, { id: 0, method: 'initialize', params: { protocolVersion: 5 } }))).toBe(400);
    expect(await status(post('mallory', undefined, initialize))).toBe(401);
    expect(fixture.handler.sessions).toBe(0);
  });
});

it('a running call is aborted when its 2025 client cancels it', async () => {
  await start();
  const [session, bobs] = [await begin(), await begin('bob')];
  for (const params of [{}, { _meta: {}, foo: 1 }]) {
    fixture.calls.length = 0;
    const asked = post('alice', session, { id: 'w', method: 'tools/call', params: { name: 'notes_wait', ...params } });
    await expect.poll(() => fixture.calls.length).toBe(1);
    const cancel = { method: 'notifications/cancelled', params: { requestId: 'w' } };
    expect(await status(post('bob', bobs, cancel))).toBe(202);
    expect(fixture.calls[0]?.signal.aborted).toBe(false);
    expect(await status(post('alice', session, cancel))).toBe(202);
    await expect.poll(() => fixture.calls[0]?.signal.aborted).toBe(true);
    await (await asked).body?.cancel();
  }
});

describe('behind a load balancer', () => {
  it('a 2025 client is served by every replica', async () => {
    await start();
    const sibling = await startFixture();
    let turn = 0;
    const anywhere = (_: URL | string, init?: RequestInit) => fetch(turn++ % 2 === 0 ? fixture.url : sibling.url, init);
    const client = new Client({ name: 'Round robin', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(fixture.url), {
      requestInit: { headers: { authorization: 'Bearer alice' } },
      fetch: anywhere,
    });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    for (let i = 0; i < 6; i++) {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('notes_secret');
      expect((await client.callTool({ name: 'notes_echo', arguments: { i } })).structuredContent).toMatchObject({ data: { echo: { i } } });
    }
    const calls = [...fixture.calls, ...sibling.calls];
    expect(calls).toHaveLength(6);
    expect(new Set(calls.map(({ clientName }) => clientName))).toEqual(new Set(['Round robin']));
    await client.close();
    await sibling.close();
  });

  it('a replica accepts a genuine session of another replica for the same person and client, and creates no session for it', async () => {
    const elsewhere = await startFixture();
    fixture = elsewhere;
    const session = await begin('alice');
    await start();
    expect(await list('alice', session)).toBe(200);
    expect(await slow('alice', session)).toBe(200);
    expect(await status(post('alice', session, { method: 'notifications/initialized' }))).toBe(202);
    expect(await status(post('alice', session, { id: 1, method: 'nope' }))).toBe(200);
    expect(await status(post('alice', session, initialize))).toBe(404);
    expect(await status(get('alice', session))).toBe(405);
    expect(await end('alice', session)).toBe(405);
    expect(fixture.handler.sessions).toBe(0);
    for (const token of ['bob', 'alice/other']) {
      expect(await list(token, session)).toBe(404);
      expect(await slow(token, session)).toBe(404);
      expect(await status(get(token, session))).toBe(404);
    }
    expect(await list('alice', `${session}x`)).toBe(404);
    fixture.now += 25 * 3_600_000;
    expect(await list('alice', session)).toBe(404);
    await fixture.close();
    fixture = await startFixture({ stateKey: key('another') });
    expect(await list('alice', session)).toBe(404);
    await elsewhere.close();
  });
});

describe('an open stream', () => {
  const closed = async (res: Response) => {
    try {
      await res.text();
    } catch {
      // A connection that was reset counts as closed too.
    }
    return true;
  };

  it('gets heartbeats, and closes soon after its token is revoked', async () => {
    await start({ heartbeatMs: 40 });
    const session = await begin();
    const res = await get('alice', session);
    expect(res.status).toBe(200);
    expect(res.headers.get('content-type')).toMatch(/event-stream/);
    const reader = res.body?.getReader();
    const beat = await reader?.read();
    expect(Buffer.from(beat?.value ?? []).toString()).toMatch(/^: /);
    reader?.releaseLock();
    fixture.revoked.add('alice');
    expect(await closed(res)).toBe(true);
    expect(await list('alice', session)).toBe(401);
  });

  it('is refused with 429 at the limit of its person', async () => {
    await start({ streamsPerPerson: 2 });
    const sessions = [await begin(), await begin(), await begin()] as const;
    const streams = [await get('alice', sessions[0]), await get('alice', sessions[1])];
    const third = await get('alice', sessions[2]);
    expect(third.status).toBe(429);
    expect(third.headers.get('retry-after')).not.toBeNull();
    expect(await third.json()).toMatchObject({ code: 'RATE_LIMITED' });
    expect(await status(get('bob', await begin('bob')))).toBe(200);
    await streams[0]?.body?.cancel();
    await expect.poll(() => status(get('alice', sessions[2]))).toBe(200);
  });

  it('of a subscription ends at once when there is nothing to subscribe to', async () => {
    await start();
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} };
    const headers = { ...headersOf('alice', undefined, '2026-07-28'), 'mcp-method': 'subscriptions/listen' };
    const params = { notifications: { toolsListChanged: true }, _meta: meta };
    for (let i = 0; i < 10; i++) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: i, method: 'subscriptions/listen', params });
      const res = await fetch(fixture.url, { method: 'POST', headers, body });
      expect(res.status).toBe(200);
      expect(await res.text()).toMatch(/acknowledged/);
    }
  });
});
