/** Fuzz tests of MCP messages of all revisions: no server error, and the same response with and without the fast path. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { leakIn } from '../../src/testing/tool-caller.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { type Fixture, startFixture } from '../unit/mcp-fixture.ts';
import { fuzz, hostileJson, hostileText } from './fuzz.ts';

type Json = Record<string, unknown>;
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT = 'io.modelcontextprotocol/clientInfo';
const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2099-01-01', '1', ''];
const METHODS = [
  'tools/call',
  'tools/call',
  'tools/call',
  'tools/list',
  'ping',
  'initialize',
  'server/discover',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
  'tasks/get',
  'tasks/cancel',
  'tasks/list',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'notifications/cancelled',
  'notifications/initialized',
  'notifications/progress',
  'nope',
  '__proto__',
  '',
];

const id = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<unknown>(1, 0, -1, 'a', '', 'ü\u2028') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 1.5, true, {}, [], 2 ** 53, 1e21, undefined) },
);
const meta = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      [VERSION]: fc.constantFrom(...REVISIONS),
      [CLIENT]: fc.constant({ name: 'f', version: '1' }),
      [CAPABILITIES]: fc.constant({}),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      { [VERSION]: hostileJson, [CLIENT]: hostileJson, [CAPABILITIES]: hostileJson, progressToken: hostileJson },
      { requiredKeys: [] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        [VERSION]: fc.constant('2026-07-28'),
        [CAPABILITIES]: fc.constant({}),
        progressToken: fc.oneof(id, hostileJson),
        'io.modelcontextprotocol/logLevel': hostileJson,
        traceparent: hostileText,
      },
      { requiredKeys: [VERSION, CAPABILITIES] },
    ),
  },
  { weight: 1, arbitrary: hostileJson },
);
const paramsFor = (names: readonly string[]) =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record(
        {
          name: fc.oneof(fc.constantFrom(...names), hostileJson),
          arguments: fc.oneof(fc.constant({}), hostileJson),
          _meta: meta,
          uri: fc.oneof(hostileText, fc.constantFrom('journey://adr/1', 'file:///etc/passwd', 'knowledge://x')),
          cursor: hostileJson,
          level: fc.oneof(fc.constantFrom('debug', 'emergency'), hostileJson),
          ref: hostileJson,
          argument: hostileJson,
          requestState: hostileJson,
          inputResponses: hostileJson,
          task: hostileJson,
          protocolVersion: fc.constantFrom(...REVISIONS),
          capabilities: hostileJson,
          clientInfo: hostileJson,
          notifications: hostileJson,
        },
        { requiredKeys: ['_meta'] },
      ),
    },
    { weight: 1, arbitrary: hostileJson },
  );
const messageOf = (names: readonly string[]) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record(
        {
          jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: hostileJson }),
          id,
          method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: hostileJson }),
          params: paramsFor(names),
          result: hostileJson,
          error: hostileJson,
        },
        { requiredKeys: ['jsonrpc', 'method', 'params', 'id'] },
      ),
    },
    { weight: 1, arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), method: fc.constantFrom(...METHODS), params: paramsFor(names) }) },
    { weight: 1, arbitrary: hostileJson },
  );
const envelopeOf = (names: readonly string[]) =>
  fc.record({
    body: fc.oneof({ weight: 6, arbitrary: messageOf(names) }, { weight: 1, arbitrary: fc.array(messageOf(names), { maxLength: 3 }) }),
    revision: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom<string | undefined>(...REVISIONS, undefined) },
      { weight: 1, arbitrary: hostileText },
    ),
    /** Whether the headers `mcp-method` and `mcp-name` match the message, as the newest revision requires. */
    names: fc.constantFrom('right', 'right', 'right', 'none', 'wrong'),
    accept: fc.constantFrom('application/json, text/event-stream', 'application/json', 'text/event-stream', '*/*', ''),
  });
type Envelope = typeof envelopeOf extends (names: never) => fc.Arbitrary<infer T> ? T : never;

const sendable = (text: string) => /^[\t\x20-\x7e]*$/.test(text);
function headersOf({ body, revision, names, accept }: Envelope): Record<string, string> {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
  const name = params?.name;
  const header = (key: string, value: unknown): Json => (typeof value === 'string' && sendable(value) ? { [key]: value } : {});
  return {
    'content-type': 'application/json',
    'x-request-id': 'same-for-both',
    accept,
    ...header('mcp-protocol-version', revision),
    ...(names === 'right' && { ...header('mcp-method', method), ...header('mcp-name', name) }),
    ...(names === 'wrong' && { 'mcp-method': 'tools/list', 'mcp-name': 'other' }),
  } as Record<string, string>;
}

/** The whole response, or the beginning of a stream that stays open. */
async function posted(url: string, headers: Record<string, string>, body: string): Promise<{ status: number; type: string; text: string }> {
  const over = new AbortController();
  const response = await fetch(url, { method: 'POST', headers, body, signal: over.signal });
  const type = response.headers.get('content-type') ?? '';
  let text = '';
  const late = setTimeout(() => over.abort(), 1_500);
  try {
    for await (const part of response.body ?? []) text += Buffer.from(part as Uint8Array).toString();
  } catch {
    // Only an event stream may stay open that long.
    expect([type.startsWith('text/event-stream'), response.status]).toEqual([true, 200]);
  } finally {
    clearTimeout(late);
  }
  return { status: response.status, type, text };
}
const messagesIn = ({ type, text }: { type: string; text: string }): Json[] =>
  (type.includes('event-stream')
    ? text
        .split('\n')
        .filter((line) => line.startsWith('data: ') && line.length > 6)
        .map((line) => JSON.parse(line.slice(6)) as Json)
    : text === ''
      ? []
      : [JSON.parse(text) as Json]
  ).flat();

let testServer: TestServer;
let fast: Fixture;
let slow: Fixture;
beforeAll(async () => {
  testServer = await openTestServer();
  [fast, slow] = [
    await startFixture({ fastPath: true, limits: { approvalMs: 100 } }),
    await startFixture({ fastPath: false, limits: { approvalMs: 100 } }),
  ];
}, 300_000);
afterAll(async () => {
  await Promise.all([fast?.close(), slow?.close()]);
  expect(testServer?.logged.filter((entry) => entry.includes('"level":"error"'))).toEqual([]);
  await testServer?.close();
});

const TOOLS = ['tasks_list_tasks', 'tasks_add_task', 'list_tasks', 'hr_update_salary', 'nope'];
fuzz('the gateway and a domain server answer any message with JSON-RPC or an error of the product', {
  input: fc.record({ server: fc.constantFrom('gateway', 'tasks'), envelope: envelopeOf(TOOLS) }),
  runs: 500,
  seconds: 40,
  async holds({ server, envelope }) {
    const token = await testServer.token('eve.thompson', { mcp: true, ...(server !== 'gateway' && { server }) });
    const reply = await posted(
      `${testServer.address(server)}/mcp`,
      { ...headersOf(envelope), authorization: `Bearer ${token}` },
      JSON.stringify(envelope.body) ?? '',
    );
    expect([reply.status, reply.status < 500]).toEqual([reply.status, true]);
    // A response may quote what the caller sent.
    const leak = leakIn(reply.text.slice(0, 20_000));
    if (leak !== undefined) expect(JSON.stringify(envelope)).toContain(leak.slice(0, leak.indexOf(' in ')));
    for (const message of messagesIn(reply)) {
      if (message['status'] === 'error') expect(message).toMatchObject({ code: expect.any(String), message: expect.any(String) });
      else {
        expect(message['jsonrpc']).toBe('2.0');
        expect('result' in message || 'error' in message || 'method' in message).toBe(true);
        if ('error' in message) expect((message['error'] as Json)['code']).not.toBe(-32603);
      }
    }
    expect((await testServer.send('GET', '/health', { server })).status).toBe(200);
  },
});

/** JSON text with sorted keys. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

const NOTES = ['notes_echo', 'notes_echo', 'notes_fail', 'notes_break', 'notes_raise', 'nope'];
fuzz('the fast path gives the same response as the SDK, and runs the same tools', {
  input: envelopeOf(NOTES),
  runs: 600,
  seconds: 30,
  async holds(envelope) {
    const outcomes: string[] = [];
    for (const fixture of [fast, slow]) {
      fixture.calls.length = 0;
      const reply = await posted(
        fixture.url,
        { ...headersOf(envelope), authorization: 'Bearer alice' },
        JSON.stringify(envelope.body) ?? '',
      );
      const ran = fixture.calls.map(({ name, args, by, clientName }) => ({ name, args, by, clientName }));
      outcomes.push(`${reply.status} ${canonical(messagesIn(reply))} ran ${canonical(ran)}`);
    }
    expect(outcomes[0]).toBe(outcomes[1]);
  },
});
