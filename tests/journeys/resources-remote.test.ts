/** Resources of a remote domain server: the gateway reads and subscribes with signed identities of the caller. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../src/engine/caller.ts';
import { createRemoteBackend, type ToolBackend } from '../../src/gateway/backends.ts';
import { createUpstreamClient } from '../../src/gateway/upstream-client.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

let testServer: TestServer;
let far: ToolBackend;
let marcus: Caller;
let customer: Caller;
beforeAll(async () => {
  testServer = await openTestServer();
  const { tools, identity } = testServer.tamshai.modules;
  const { runtime } = tools;
  const { registry, clock, log } = runtime;
  const between = createUpstreamClient({ server: 'knowledge', url: testServer.address('knowledge'), log, deadlineMs: 30_000 });
  testServer.later(() => between.close());
  const feed = registry.feeds.find(({ domain }) => domain.name === 'knowledge');
  const key = testServer.keys.gateway.current;
  far = createRemoteBackend({
    server: 'knowledge',
    title: 'What we know',
    upstream: between,
    registry,
    feed,
    key,
    clock,
    log,
    approvalUrl: runtime.approvalUrl,
  });
  const callerOf = async (user: string) => identity.verifier.verify(await testServer.token(user), [`${testServer.tamshai.base}/api`]);
  [marcus, customer] = [await callerOf('marcus.johnson'), await callerOf('jane.smith@acme.example')];
}, 600_000);
afterAll(() => testServer.close());

/** The audit record of one call, without time, duration and id. */
async function onRecord(requestId: string): Promise<object[]> {
  const records: object[] = [];
  for (const source of testServer.tamshai.modules.audit.sources)
    for (const { body } of await source.newest({ principal: marcus.person.principal, limit: 20 })) {
      const { at: _at, ms: _ms, checkpoint: _checkpoint, requestId: own, ...rest } = JSON.parse(body) as Record<string, unknown>;
      if (own === requestId) records.push(rest);
    }
  return records;
}
/** The answer without its cursor, which differs each time. */
const plain = (answer: unknown) => JSON.parse(JSON.stringify(answer).replace(/"next_cursor":"[^"]+"/, '"next_cursor":"…"')) as unknown;

const read = (tool: string, input: object, caller = marcus) =>
  far.call({ server: 'knowledge', tool, input, caller, surface: 'mcp', requestId: 'far' });

test('a remote resource is read page by page, and refused with the same error codes as a local one', async () => {
  const first = await read('knowledge://entries', { limit: 2 });
  if (first.status !== 'success') throw new Error(JSON.stringify(first));
  const page = first.data as { items: unknown[]; next_cursor: string };
  expect(page).toMatchObject({ resource_uri: 'knowledge://entries', as_of_tx_id: expect.any(Number) });
  expect(page.items).toHaveLength(2);
  expect(await read('knowledge://entries', { cursor: page.next_cursor })).toMatchObject({ status: 'success' });
  expect(await read('knowledge://entries', { cursor: 'x' })).toMatchObject({ code: 'INVALID_CURSOR' });
  expect(await read('knowledge://entries', {}, customer)).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  expect(await read('knowledge://nothing', {})).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  expect(await read('prompts/retrieve-context#topic', { value: 'deploy' })).toMatchObject({ status: 'success' });
});

/** An object with this number of levels. */
const deep = (levels: number): object => (levels === 1 ? {} : { a: deep(levels - 1) });
const odd: readonly (readonly [string, unknown])[] = [
  ['a NUL', { limit: '\0' }],
  ['a lone surrogate', { limit: '\ud800' }],
  ['the deepest nesting that the gateway accepts', deep(32)],
  ['many keys', Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, 1]))],
  ['300 kB of text', Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`k${n}`, 'x'.repeat(60_000)]))],
  ['numbers with a long text form', { limit: Array.from({ length: 50_000 }, () => 1e20) }],
  ['special property names', JSON.parse('{"__proto__":{"limit":1},"constructor":1}')],
  ['a list', [1, 2]],
  ['null', null],
];

test('a remote server answers and records invalid input like a local one, and such input does not open the circuit', async () => {
  const here = testServer.tamshai.modules.tools.backend('knowledge');
  // There are more invalid calls than the failures that would open the circuit.
  for (let round = 0; round < 2; round++)
    for (const [n, [what, input]] of odd.entries()) {
      const ask = async (backend: ToolBackend, requestId: string) => {
        const answer = await backend.call({
          server: 'knowledge',
          tool: 'knowledge://entries',
          input,
          caller: marcus,
          surface: 'mcp',
          requestId,
        });
        return [what, answer, await onRecord(requestId)];
      };
      const near = await ask(here, `near-${n}-${round}`);
      expect(near[2]).toMatchObject([{ username: 'marcus.johnson', tool: 'knowledge://entries' }]);
      const away = await ask(far, `far-${n}-${round}`);
      expect([away[0], plain(away[1]), away[2]]).toEqual([near[0], plain(near[1]), near[2]]);
      expect([what, far.available()]).toEqual([what, true]);
    }
  for (const name of ['x'.repeat(20_000), `${'é'.repeat(150)}\ud83d`, `${'x'.repeat(199)}😀`, '../../x', 'a\0b'])
    expect([name.slice(0, 20), await read(name, {}), far.available()]).toMatchObject([
      name.slice(0, 20),
      { status: 'error', code: 'TOOL_NOT_FOUND' },
      true,
    ]);
  expect(await read('knowledge://entries', { limit: 2 })).toMatchObject({ status: 'success' });
});

test('the gateway gets changes from the remote server only for people who may read them', async () => {
  const begun = await read('knowledge://entries#subscribe', {});
  if (begun.status !== 'success') throw new Error(JSON.stringify(begun));
  const after = begun.data as number;
  const next = far.changes({ caller: marcus, after });
  const { body } = await testServer.rest('sarah.kim', 'knowledge', 'store', { topic: 'far away', content: 'Told across.' });
  if (body.status !== 'success') throw new Error(JSON.stringify(body));
  const stored = body.data as { id: string; tx_id: number };
  expect(await next).toEqual([
    { resource_uri: 'knowledge://entries', tx_id: stored.tx_id, change_type: 'upsert', changed_ids: [stored.id] },
    { resource_uri: 'knowledge://history/transactions', tx_id: stored.tx_id, change_type: 'upsert', changed_ids: [String(stored.tx_id)] },
  ]);
  await expect(far.changes({ caller: customer, after })).rejects.toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  const { status } = await testServer.send('POST', '/changes', {
    server: 'knowledge',
    token: await testServer.token('marcus.johnson', { server: 'knowledge' }),
    body: { after: 0 },
  });
  expect(status).toBe(401);
});

test('an approved change with a very large card is executed on the remote server', async () => {
  const { runtime } = testServer.tamshai.modules.tools;
  const { registry, clock, log } = runtime;
  const between = createUpstreamClient({ server: 'finance', url: testServer.address('finance'), log, deadlineMs: 30_000 });
  testServer.later(() => between.close());
  const key = testServer.keys.gateway.current;
  const finance = createRemoteBackend({
    server: 'finance',
    title: 'Finance',
    upstream: between,
    registry,
    key,
    clock,
    log,
    approvalUrl: runtime.approvalUrl,
  });
  const month = clock.now().toISOString().slice(0, 7);
  const items = Array.from({ length: 100 }, (_, n) => ({ description: `${n}${'費'.repeat(196)}`, receipt: '領'.repeat(200), amount: 1 }));
  const { confirmationId } = await testServer.ask('marcus.johnson', 'finance', 'submit_expense_report', { month, items });
  const ticket = await runtime.tickets.find(confirmationId, marcus.person);
  expect(JSON.stringify(ticket.input).length).toBeGreaterThan(40_000);
  const answer = await finance.execute(ticket, marcus, 'approved-there');
  expect([answer.status, finance.available()]).toEqual(['success', true]);
});

test('a caller that is not the gateway has the ordinary size limits, in every encoding', async () => {
  const url = `${testServer.address('knowledge')}/tools/query`;
  const token = await testServer.token('marcus.johnson', { server: 'knowledge' });
  const much = JSON.stringify({ topic: 'x'.repeat(300_000) });
  const inPieces = () =>
    new ReadableStream<Uint8Array>({
      start(to) {
        for (let at = 0; at < much.length; at += 10_000) to.enqueue(Buffer.from(much.slice(at, at + 10_000)));
        to.close();
      },
    });
  const posted = async (body: string | ReadableStream<Uint8Array>, authorization: string) => {
    const headers = { 'content-type': 'application/json', authorization };
    const answer = await fetch(url, { method: 'POST', headers, body, ...(typeof body !== 'string' && { duplex: 'half' }) } as RequestInit);
    return [answer.status, ((await answer.json()) as { code: string }).code];
  };
  for (const body of [() => much, inPieces]) expect(await posted(body(), `Bearer ${token}`)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  for (const text of [String.raw`{"topic":"\u0000"}`, JSON.stringify(deep(33)), '{"__proto__":1}'])
    expect(await posted(text, `Bearer ${token}`)).toEqual([400, 'VALIDATION_ERROR']);
  // The server verifies a caller that claims to be the gateway before it reads the body.
  const header = Buffer.from('{"alg":"EdDSA","typ":"tamshai-identity+jwt","kid":"x"}').toString('base64url');
  for (const body of [() => much, inPieces, () => '{'])
    expect(await posted(body(), `Bearer ${header}.e30.${'A'.repeat(86)}`)).toEqual([401, 'UNAUTHENTICATED']);
});
