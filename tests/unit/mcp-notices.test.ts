/** MCP resource subscriptions over a scripted change log: slow readers, lost streams, lost rights, and limits per person. */
import { once } from 'node:events';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { failure } from '../../src/declare/errors.ts';
import type { Notice } from '../../src/declare/resources.ts';
import type { McpResources } from '../../src/transports/mcp/index.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { type Fixture, startFixture } from './mcp-fixture.ts';

let fixture: Fixture;
/** A second replica, in tests that need one. */
let other: Fixture | undefined;
const open: http.ClientRequest[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) each.destroy();
  await fixture.close();
  await other?.close();
  other = undefined;
});

const URIS = ['notes://all', 'notes://log'];
const SUCCESS = (data: unknown) => ({ status: 'success' as const, data });
const notice = (tx: number, uri: string, ids = [`n-${tx}`]): Notice => ({
  resource_uri: uri,
  tx_id: tx,
  change_type: 'upsert',
  changed_ids: ids,
});

/** A change log in memory. Each transaction produces two notifications, one for each URI. */
function logged() {
  const log: Notice[] = [];
  const waiting = new Set<() => void>();
  let trouble: unknown;
  const asked: number[] = [];
  const last = () => log.at(-1)?.tx_id ?? 0;
  const mcpResources: McpResources = {
    capabilities: { resources: { subscribe: true } },
    resources: () => [],
    templates: () => [],
    prompts: () => [],
    read: async () => ({ answer: SUCCESS(''), mimeType: '' }),
    prompt: async () => ({ answer: SUCCESS(''), description: '' }),
    complete: async () => SUCCESS([]),
    async subscribe(given, { caller }) {
      const [uri = '', after] = given.split('?after_tx_id=');
      const refused =
        caller.person.username === 'bob'
          ? failure('INSUFFICIENT_PERMISSIONS', 'Not for Bob.')
          : failure('RESOURCE_NOT_FOUND', 'No such thing.');
      const known = URIS.includes(uri) && caller.person.username !== 'bob';
      return { answer: known ? SUCCESS(after === undefined ? last() : Number(after)) : refused.answer(), server: 'notes', uri };
    },
    unsubscribe: async (uri) => ({ answer: SUCCESS(null), uri }),
    async changes(_server, _caller, after) {
      asked.push(after);
      if (trouble !== undefined) throw trouble;
      const found = log.filter(({ tx_id }) => tx_id > after).slice(0, 200);
      if (found.length === 0) await new Promise<void>((resolve) => waiting.add(resolve));
      return found;
    },
  };
  const wake = () => {
    for (const go of waiting) go();
    waiting.clear();
  };
  return {
    mcpResources,
    asked,
    write(count: number, ids?: string[]) {
      for (let n = 0; n < count; n++) log.push(...((tx) => URIS.map((uri) => notice(tx, uri, ids)))(last() + 1));
      wake();
    },
    fail(error: unknown) {
      trouble = error;
      wake();
    },
  };
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; data: { code: string; retryable: boolean } };
}
interface Heard {
  readonly res: http.IncomingMessage;
  readonly messages: Message[];
  readonly ids: string[];
  readonly notices: Notice[];
  readonly ended: Promise<unknown>;
}
async function send(
  method: string,
  headers: Record<string, string>,
  body: object | undefined,
  user: string,
  reading = true,
  { port } = fixture,
): Promise<Heard> {
  const req = http.request({
    port,
    path: '/mcp',
    method,
    headers: {
      authorization: `Bearer ${user}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
  });
  open.push(req);
  req.on('error', () => {}).end(body && JSON.stringify(body));
  const [res] = (await once(req, 'response')) as [http.IncomingMessage];
  const heard: Heard = { res, messages: [], ids: [], notices: [], ended: new Promise((closed) => void res.once('close', closed)) };
  if (!reading) return heard;
  let text = '';
  res.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const [, data] = /^data: (.+)$/m.exec(event) ?? [];
      const [, id] = /^id: (.+)$/m.exec(event) ?? [];
      if (id !== undefined) heard.ids.push(id);
      if (data === undefined) continue;
      const message = JSON.parse(data) as Message;
      heard.messages.push(message);
      if (message.method === 'notifications/resources/updated') heard.notices.push(message.params as unknown as Notice);
    }
  });
  res.on('error', () => {}).on('end', () => void (text.startsWith('{') && heard.messages.push(JSON.parse(text) as Message)));
  return heard;
}
const listen = (uris: readonly string[], { user = 'alice', reading = true, at = fixture } = {}) =>
  send(
    'POST',
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    {
      jsonrpc: '2.0',
      id: 7,
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: uris, toolsListChanged: true }, _meta: META },
    },
    user,
    reading,
    at,
  );
async function session(user = 'alice') {
  const hello = await send(
    'POST',
    {},
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    user,
  );
  const headers = { 'mcp-session-id': String(hello.res.headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
  await hello.ended;
  return {
    async call(method: string, params: object, at = fixture) {
      const answer = await send('POST', headers, { jsonrpc: '2.0', id: 2, method, params }, user, true, at);
      await answer.ended;
      return answer.messages[0];
    },
    stream: (lastEventId?: string, at = fixture) =>
      send('GET', { ...headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) }, undefined, user, true, at),
    end: async () => (await send('DELETE', headers, undefined, user)).ended,
  };
}
const until = async (so: () => boolean) => {
  while (!so()) await new Promise((again) => setTimeout(again, 5));
};
const soon = () => new Promise((later) => setTimeout(later, 60));
const txs = ({ notices }: Heard) => notices.map(({ tx_id }) => tx_id);

test('the first message lists the accepted subscriptions, and notifications contain the id of the request', async () => {
  const { mcpResources, write } = logged();
  fixture = await startFixture({ mcpResources });
  const heard = await listen(['notes://all', 'notes://none', 'notes://all']);
  write(2);
  await until(() => heard.notices.length === 2);
  const meta = { 'io.modelcontextprotocol/subscriptionId': 7 };
  expect(heard.messages[0]).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { resourceSubscriptions: ['notes://all'] }, _meta: meta },
  });
  expect(heard.messages[1]?.params).toEqual({
    uri: 'notes://all',
    ...notice(1, 'notes://all'),
    _meta: { ...notice(1, 'notes://all'), ...meta },
  });
  expect(txs(heard)).toEqual([1, 2]);
});

test('for a person who may subscribe to nothing the stream ends at once, and resources/subscribe is refused', async () => {
  fixture = await startFixture({ mcpResources: logged().mcpResources });
  const heard = await listen(['notes://all'], { user: 'bob' });
  await heard.ended;
  expect(heard.messages).toMatchObject([{ params: { notifications: {} } }, { id: 7, result: { resultType: 'complete' } }]);
  expect(await (await session('bob')).call('resources/subscribe', { uri: 'notes://all' })).toMatchObject({
    error: { code: -32602, data: { code: 'INSUFFICIENT_PERMISSIONS', retryable: false } },
  });
});

test('a client that does not read is disconnected, and its buffer stays bounded', async () => {
  const { mcpResources, asked, write } = logged();
  fixture = await startFixture({ mcpResources, limits: { heartbeatMs: 400 } });
  // The notifications have a hundred long ids each, more than any buffer holds.
  write(
    5_000,
    Array.from({ length: 100 }, (_, n) => `${n}`.padStart(40, 'x')),
  );
  const heard = await listen(
    URIS.map((uri) => `${uri}?after_tx_id=0`),
    { reading: false },
  );
  heard.res.pause();
  const rest = await Promise.all([1, 2, 3].map(() => listen(URIS)));
  expect(rest.map(({ messages }) => messages[0]?.error)).toEqual([undefined, undefined, undefined]);
  // The slots of the client are free once it is disconnected.
  for (;;) {
    const another = await listen(URIS);
    await until(() => another.messages.length > 0);
    if (another.messages[0]?.error === undefined) break;
  }
  expect(asked.filter((after) => after < 5_000).length).toBeLessThan(40);
});

test('an outage of the store loses no notification, and a lost right ends the stream', async () => {
  const { mcpResources, write, fail } = logged();
  fixture = await startFixture({ mcpResources });
  const heard = await listen(['notes://log']);
  write(1);
  await until(() => heard.notices.length === 1);
  fail(failure('SERVICE_UNAVAILABLE', 'Away.'));
  write(3);
  await soon();
  expect(txs(heard)).toEqual([1]);
  fail(undefined);
  await until(() => heard.notices.length === 4);
  expect(txs(heard)).toEqual([1, 2, 3, 4]);
  fail(failure('INSUFFICIENT_PERMISSIONS', 'No more.'));
  await heard.ended;
  expect(heard.messages.at(-1)).toMatchObject({ id: 7, result: { resultType: 'complete' } });
});

test('subscriptions and streams of a person are limited, and ended ones no longer count', async () => {
  fixture = await startFixture({ mcpResources: logged().mcpResources });
  const many = Array.from({ length: 9 }, (_, n) => `notes://x${n}`);
  const refused = await listen(many);
  await refused.ended;
  expect(refused.messages[0]?.error).toMatchObject({ code: -32603, data: { code: 'RATE_LIMITED', retryable: true } });
  const four = await Promise.all(Array.from({ length: 4 }, () => listen(URIS)));
  const fifth = await listen(['notes://all']);
  await fifth.ended;
  expect(fifth.messages[0]?.error?.data.code).toBe('RATE_LIMITED');
  const own = await session();
  expect((await own.call('resources/subscribe', { uri: 'notes://all' }))?.error?.data.code).toBe('RATE_LIMITED');
  expect((await listen(URIS, { user: 'carol' })).res.statusCode).toBe(200);
  const [first, ...rest] = four;
  first?.res.destroy();
  await soon();
  expect((await own.call('resources/subscribe', { uri: 'notes://all' }))?.result).toEqual({});
  expect((await own.call('resources/subscribe', { uri: 'notes://all' }))?.result).toEqual({});
  await own.end();
  for (const each of rest) each.res.destroy();
  await soon();
  const six = await Promise.all(Array.from({ length: 6 }, () => listen(['notes://all'])));
  expect(six.map(({ res }) => res.statusCode)).toEqual(Array(6).fill(200));
  expect((await listen(['notes://all'])).res.statusCode).toBe(429);
});

test('subscriptions of a person are counted over all replicas, and those of a session once', async () => {
  const { mcpResources, write } = logged();
  const kept = openSqliteKeyValue(':memory:');
  fixture = await startFixture({ mcpResources, kept });
  const away = await startFixture({ mcpResources, kept });
  other = away;
  const refusedAt = async (at: Fixture) => {
    const { messages, ended } = await listen(['notes://all'], { at });
    await ended;
    return messages[0]?.error?.data.code;
  };
  const own = await session();
  for (const uri of URIS) await own.call('resources/subscribe', { uri });
  // The session still counts as two subscriptions, although its stream is at the other replica.
  const stream = await own.stream(undefined, away);
  const [first, ...rest] = await Promise.all([fixture, away, fixture].map((at) => listen(URIS, { at })));
  expect([await refusedAt(fixture), await refusedAt(away)]).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
  const second = await session();
  for (const at of [fixture, away])
    expect((await second.call('resources/subscribe', { uri: 'notes://all' }, at))?.error?.data.code).toBe('RATE_LIMITED');
  write(1);
  await until(() => [stream, ...rest].every(({ notices }) => notices.length === 2));
  first?.res.destroy();
  await soon();
  expect(await second.call('resources/subscribe', { uri: 'notes://all' }, away)).toMatchObject({ result: {} });
  await own.call('resources/unsubscribe', { uri: 'notes://log' });
  for (const at of [away, fixture]) expect((await listen(['notes://all'], { at })).res.statusCode).toBe(200);
  await own.end();
});

test('streams are counted over all replicas', async () => {
  const kept = openSqliteKeyValue(':memory:');
  const mcpResources = logged().mcpResources;
  fixture = await startFixture({ mcpResources, kept });
  const away = await startFixture({ mcpResources, kept });
  other = away;
  const six = await Promise.all([fixture, away, fixture, away, fixture, away].map((at) => listen(['notes://all'], { at })));
  expect(six.map(({ res }) => res.statusCode)).toEqual(Array(6).fill(200));
  expect((await listen(['notes://all'], { at: away })).res.statusCode).toBe(429);
  await fixture.handler.close();
  // The slots of a stopped replica are free at once.
  expect((await listen(['notes://all'], { at: away })).res.statusCode).toBe(200);
});

test('a session resumes after its last event, even in the middle of a transaction', async () => {
  const { mcpResources, write } = logged();
  fixture = await startFixture({ mcpResources });
  const own = await session();
  for (const uri of URIS) await own.call('resources/subscribe', { uri });
  const one = await own.stream();
  write(3);
  await until(() => one.notices.length === 6);
  // The client resumes as if it had received only the first notification of the second transaction.
  one.res.destroy();
  write(1);
  const two = await own.stream(one.ids[2]);
  await until(() => two.notices.length === 5);
  expect(two.notices.map(({ tx_id, resource_uri }) => [tx_id, resource_uri])).toEqual([
    [2, 'notes://log'],
    [3, 'notes://all'],
    [3, 'notes://log'],
    [4, 'notes://all'],
    [4, 'notes://log'],
  ]);
  // Without Last-Event-ID, the stream resumes after the last notification that the server has sent.
  const three = await own.stream();
  await two.ended;
  write(1);
  await until(() => three.notices.length === 2);
  expect(txs(three)).toEqual([5, 5]);
});

test('notifications wait until the session opens a stream, and stop when the subscription ends', async () => {
  const { mcpResources, write } = logged();
  fixture = await startFixture({ mcpResources });
  const own = await session();
  await own.call('resources/subscribe', { uri: 'notes://all' });
  write(2);
  const heard = await own.stream();
  await until(() => heard.notices.length === 2);
  await own.call('resources/unsubscribe', { uri: 'notes://all' });
  write(2);
  await own.call('resources/subscribe', { uri: 'notes://log?after_tx_id=1' });
  await until(() => heard.notices.length === 5);
  write(1);
  await until(() => heard.notices.length === 6);
  expect(heard.notices.map(({ tx_id, resource_uri }) => [tx_id, resource_uri])).toEqual([
    [1, 'notes://all'],
    [2, 'notes://all'],
    [2, 'notes://log'],
    [3, 'notes://log'],
    [4, 'notes://log'],
    [5, 'notes://log'],
  ]);
});

test('a newer stream of a session replaces the older one, and ends with the session', async () => {
  const { mcpResources, write } = logged();
  fixture = await startFixture({ mcpResources });
  const own = await session();
  await own.call('resources/subscribe', { uri: 'notes://all' });
  const heard = await own.stream();
  const again = await own.stream();
  await heard.ended;
  write(1);
  await until(() => again.notices.length === 1);
  expect(heard.notices).toEqual([]);
  await own.end();
  await again.ended;
  expect((await own.stream()).res.statusCode).toBe(404);
});

test('a stream ends within a heartbeat after its token was revoked', async () => {
  fixture = await startFixture({ mcpResources: logged().mcpResources, limits: { heartbeatMs: 50 } });
  const [heard, own] = [await listen(['notes://all']), await session()];
  const stream = await own.stream();
  fixture.revoked.add('alice');
  await Promise.all([heard.ended, stream.ended]);
  expect(heard.messages).toHaveLength(1);
});

/** Sends requests on one connection without waiting for responses. */
function pipeline(bodies: readonly object[], user = 'alice'): Socket {
  const head = (length: number) =>
    [
      'POST /mcp HTTP/1.1',
      `Host: localhost:${fixture.port}`,
      `Authorization: Bearer ${user}`,
      'Accept: application/json, text/event-stream',
      'Content-Type: application/json',
      'Mcp-Protocol-Version: 2026-07-28',
      'Mcp-Method: subscriptions/listen',
      `Content-Length: ${length}`,
    ].join('\r\n');
  const socket = connect(fixture.port, '127.0.0.1');
  for (const body of bodies) {
    const text = JSON.stringify(body);
    socket.write(`${head(text.length)}\r\n\r\n${text}`);
  }
  return socket.on('error', () => {});
}
const listening = (uris: readonly string[]) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'subscriptions/listen',
  params: { notifications: { resourceSubscriptions: uris }, _meta: META },
});

test('a pipelined stream that has ended causes no uncaught error at the next heartbeat', async () => {
  const errors: Error[] = [];
  const note = (error: Error) => errors.push(error);
  process.on('uncaughtException', note);
  fixture = await startFixture({ mcpResources: logged().mcpResources, limits: { heartbeatMs: 30 } });
  const socket = pipeline([listening(['notes://all']), listening([])]);
  await new Promise((later) => setTimeout(later, 200));
  socket.destroy();
  process.off('uncaughtException', note);
  expect(errors).toEqual([]);
});
