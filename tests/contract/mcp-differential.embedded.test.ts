/**
 * Differential test of the MCP fast path: every request, valid and invalid, goes to an endpoint with the fast path and to one that only
 * uses the SDK. Status, JSON and executed tools must agree. An update of the SDK that changes its answers fails here.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../unit/mcp-fixture.ts';

type Json = Record<string, unknown>;
interface Case {
  readonly name: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly method: string;
}

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT = 'io.modelcontextprotocol/clientInfo';
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
const RELATED_TASK = 'io.modelcontextprotocol/related-task';
const envelope: Json = { [VERSION]: '2026-07-28', [CLIENT]: { name: 'd', version: '1' }, [CAPABILITIES]: {} };
const without = <T extends object>(object: T, ...keys: string[]): Record<string, string> & Json =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key))) as Record<string, string> & Json;

const plain = {
  authorization: 'Bearer alice',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'x-request-id': 'same-for-both',
};
const modern = (method: string, name?: string): Record<string, string> => ({
  ...plain,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(name !== undefined && { 'mcp-name': name }),
});
const call = (over: object = {}, params: object = {}): Json => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'notes_echo', arguments: { a: 'ü"\n', b: [1, { c: null }] }, _meta: envelope, ...params },
  ...over,
});
const request = (method: string, params?: unknown): Json => ({ jsonrpc: '2.0', id: 5, method, ...(params !== undefined && { params }) });

const cases: Case[] = [];
const add = (name: string, headers: Record<string, string>, body: unknown, method = 'POST') =>
  void cases.push({ name, headers, body, method });

const H = modern('tools/call', 'notes_echo');
const variants = (prefix: string, headers: Record<string, string>, values: Record<string, unknown>) => {
  for (const [name, body] of Object.entries(values)) add(`${prefix}: ${name}`, headers, body);
};

variants('message', H, {
  good: call(),
  'id string': call({ id: 'a"b' }),
  'id zero': call({ id: 0 }),
  'id negative': call({ id: -1 }),
  'id fraction': call({ id: 1.5 }),
  'id null': call({ id: null }),
  'id missing': without(call(), 'id'),
  'id unsafe': call({ id: 2 ** 53 }),
  'id empty': call({ id: '' }),
  'id unicode': call({ id: 'ünï\u2028' }),
  'id boolean': call({ id: true }),
  'id object': call({ id: {} }),
  'jsonrpc 1.0': call({ jsonrpc: '1.0' }),
  'jsonrpc missing': without(call(), 'jsonrpc'),
  'extra key': call({ foo: 1 }),
  'method number': call({ method: 5 }),
  'with result': call({ result: {} }),
  'with error': call({ error: { code: 1, message: 'x' } }),
  'params array': call({ params: [] }),
  'params null': call({ params: null }),
  'params missing': without(call(), 'params'),
  batch: [call()],
  'batch of two': [call(), call({ id: 2 })],
  'batch empty': [],
  'bad JSON': '{',
  empty: '',
  null: 'null',
  number: '5',
  string: '"x"',
});
variants('params', H, {
  'no arguments': call({}, { arguments: undefined }),
  'arguments empty': call({}, { arguments: {} }),
  'arguments array': call({}, { arguments: [] }),
  'arguments null': call({}, { arguments: null }),
  'arguments string': call({}, { arguments: 'x' }),
  inputResponses: call({}, { inputResponses: {} }),
  'inputResponses accept': call({}, { inputResponses: { approval: { action: 'accept' } } }),
  'inputResponses bad': call({}, { inputResponses: 5 }),
  requestState: call({}, { requestState: 'x' }),
  'requestState bad': call({}, { requestState: 5 }),
  extra: call({}, { foo: 1 }),
  task: call({}, { task: { ttl: 5 } }),
});
variants('meta', H, {
  missing: call({}, { _meta: undefined }),
  string: call({}, { _meta: 'x' }),
  array: call({}, { _meta: [] }),
  null: call({}, { _meta: null }),
  empty: call({}, { _meta: {} }),
  'no version': call({}, { _meta: without(envelope, VERSION) }),
  'version number': call({}, { _meta: { ...envelope, [VERSION]: 5 } }),
  'no capabilities': call({}, { _meta: without(envelope, CAPABILITIES) }),
  'capabilities string': call({}, { _meta: { ...envelope, [CAPABILITIES]: 'x' } }),
  'capabilities null': call({}, { _meta: { ...envelope, [CAPABILITIES]: null } }),
  'no client': call({}, { _meta: without(envelope, CLIENT) }),
  'client bad': call({}, { _meta: { ...envelope, [CLIENT]: { name: 1 } } }),
  'client null': call({}, { _meta: { ...envelope, [CLIENT]: null } }),
  progress: call({}, { _meta: { ...envelope, progressToken: 7 } }),
  'progress string': call({}, { _meta: { ...envelope, progressToken: 'p' } }),
  'progress bad': call({}, { _meta: { ...envelope, progressToken: {} } }),
  'progress fraction': call({}, { _meta: { ...envelope, progressToken: 1.5 } }),
  'log level': call({}, { _meta: { ...envelope, [LOG_LEVEL]: 'info' } }),
  'log level bad': call({}, { _meta: { ...envelope, [LOG_LEVEL]: 'loud' } }),
  'related task': call({}, { _meta: { ...envelope, [RELATED_TASK]: { taskId: 't' } } }),
  'related task bad': call({}, { _meta: { ...envelope, [RELATED_TASK]: 5 } }),
  'own key': call({}, { _meta: { ...envelope, 'example.com/x': { y: 1 } } }),
  trace: call({}, { _meta: { ...envelope, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } }),
  'trace bad': call({}, { _meta: { ...envelope, traceparent: 5 } }),
  'elicitation bad': call({}, { _meta: { ...envelope, [CAPABILITIES]: { elicitation: { form: 5 } } } }),
  'url bad': call({}, { _meta: { ...envelope, [CAPABILITIES]: { elicitation: { url: 5 } } } }),
  large: call({}, { _meta: { ...envelope, pad: 'x'.repeat(5_000) } }),
});

for (const header of ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'accept', 'content-type', 'authorization']) {
  add(`without ${header}`, without(H, header), call());
}
const headers: Record<string, Record<string, string>> = {
  'name differs': { 'mcp-name': 'other' },
  'name empty': { 'mcp-name': '' },
  'name base64': { 'mcp-name': `=?base64?${btoa('notes_echo')}?=` },
  'name base64 bad': { 'mcp-name': '=?base64?***?=' },
  'method differs': { 'mcp-method': 'tools/list' },
  'method case': { 'mcp-method': 'Tools/Call' },
  'version 2025': { 'mcp-protocol-version': '2025-11-25' },
  'version 2024': { 'mcp-protocol-version': '2024-11-05' },
  'version future': { 'mcp-protocol-version': '2027-01-01' },
  'type charset': { 'content-type': 'application/json; charset=utf-8' },
  'type upper': { 'content-type': 'Application/JSON' },
  'type parameters': { 'content-type': 'application/json;charset="utf-8"' },
  'type text': { 'content-type': 'text/plain' },
  'type +json': { 'content-type': 'application/vnd.x+json' },
  'type jsonx': { 'content-type': 'application/jsonx' },
  'accept JSON only': { accept: 'application/json' },
  'accept any': { accept: '*/*' },
  'session ignored': { 'mcp-session-id': 'abc' },
  'origin foreign': { origin: 'http://evil.example' },
  'token unknown': { authorization: 'Bearer mallory' },
};
for (const [name, over] of Object.entries(headers)) add(`header: ${name}`, { ...H, ...over }, call());
add(
  'versions of the future',
  { ...H, 'mcp-protocol-version': '2027-01-01' },
  call({}, { _meta: { ...envelope, [VERSION]: '2027-01-01' } }),
);
add('versions that do not exist', { ...H, 'mcp-protocol-version': 'zzz' }, call({}, { _meta: { ...envelope, [VERSION]: 'zzz' } }));
add('versions of 2025', { ...H, 'mcp-protocol-version': '2025-11-25' }, call({}, { _meta: { ...envelope, [VERSION]: '2025-11-25' } }));

const NAMES = [
  'notes_fail',
  'notes_break',
  'notes_raise',
  'notes_secret',
  'nope',
  '__proto__',
  '',
  'é',
  5,
  null,
  undefined,
  ['notes_echo'],
];
for (const name of NAMES) {
  const inHeader = /^[\x21-\x7e]+$/.test(String(name)) ? modern('tools/call', String(name)) : modern('tools/call');
  add(`tool ${String(name)}`, inHeader, call({}, { name }));
  add(`tool ${String(name)} as bob`, { ...inHeader, authorization: 'Bearer bob' }, call({}, { name }));
}
const opensUrls = { _meta: { ...envelope, [CAPABILITIES]: { elicitation: { url: {} } } } };
add('a write, with elicitation by URL', modern('tools/call', 'notes_raise'), call({}, { name: 'notes_raise', ...opensUrls }));
add('a read, with elicitation by URL', H, call({}, opensUrls));
add(
  'a write, with forms',
  modern('tools/call', 'notes_raise'),
  call({}, { name: 'notes_raise', _meta: { ...envelope, [CAPABILITIES]: { elicitation: {} } } }),
);

const METHODS = [
  'tools/list',
  'server/discover',
  'ping',
  'initialize',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'nope/nope',
];
for (const method of [...METHODS, 'logging/setLevel', 'toString', '__proto__', 'completion/complete', 'subscriptions/listen']) {
  add(`modern ${method}`, modern(method), request(method, { _meta: envelope }));
  add(`modern ${method} with a stray parameter`, modern(method), request(method, { _meta: envelope, foo: 1 }));
  add(`modern notification ${method}`, modern(method), without(request(method, { _meta: envelope }), 'id'));
}
for (const cursor of ['abc', 5, null])
  add(`modern list, cursor ${cursor}`, modern('tools/list'), request('tools/list', { _meta: envelope, cursor }));
add('modern list as bob', { ...modern('tools/list'), authorization: 'Bearer bob' }, request('tools/list', { _meta: envelope }));

/** OWN, OTHER and URLS are placeholders for sessions of Alice, of Bob, and of Alice with a client that opens URLs. */
for (const session of [undefined, 'OWN', 'OTHER', 'unknown']) {
  const L = (over: Record<string, string> = {}) => ({
    ...plain,
    'mcp-protocol-version': '2025-11-25',
    ...(session !== undefined && { 'mcp-session-id': session }),
    ...over,
  });
  const bare = (over: object = {}, params: object = {}) => call(over, { _meta: undefined, ...params });
  const named = (name: string) => `2025, session ${session}: ${name}`;
  const legacy: Record<string, unknown> = {
    call: bare(),
    progress: bare({}, { _meta: { progressToken: 'p' } }),
    'progress bad': bare({}, { _meta: { progressToken: null } }),
    'meta string': bare({}, { _meta: 'x' }),
    'meta with a modern version': bare({}, { _meta: envelope }),
    'related task': bare({}, { _meta: { [RELATED_TASK]: { taskId: 't' } } }),
    'related task bad': bare({}, { _meta: { [RELATED_TASK]: 5 } }),
    'arguments array': bare({}, { arguments: [1] }),
    'arguments null': bare({}, { arguments: null }),
    'no arguments': bare({}, { arguments: undefined }),
    'unknown tool': bare({}, { name: 'nope' }),
    'failing tool': bare({}, { name: 'notes_fail' }),
    'breaking tool': bare({}, { name: 'notes_break' }),
    write: bare({}, { name: 'notes_raise' }),
    'id null': bare({ id: null }),
    'id fraction': bare({ id: 1.5 }),
    'id string': bare({ id: 'x' }),
    'params null': bare({ params: null }),
    task: bare({}, { task: { ttl: 5 } }),
    'task bad': bare({}, { task: 5 }),
    inputResponses: bare({}, { inputResponses: {} }),
    'requestState bad': bare({}, { requestState: 5 }),
    batch: [bare(), request('ping')],
    notification: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } },
    'notification of a write': without(bare({}, { name: 'notes_raise' }), 'id'),
    response: { jsonrpc: '2.0', id: 3, result: {} },
    'with result': bare({ result: {} }),
    'extra key': bare({ foo: 1 }),
    'list with cursor': request('tools/list', { cursor: 'x' }),
    'list with bad cursor': request('tools/list', { cursor: 4 }),
    'list with more': request('tools/list', { foo: 4 }),
  };
  for (const [name, body] of Object.entries(legacy)) add(named(name), L(), body);
  for (const version of ['2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07', '2099-01-01', '1.0', '']) {
    add(named(`version ${version}`), L({ 'mcp-protocol-version': version }), bare());
  }
  for (const header of ['mcp-protocol-version', 'accept', 'content-type']) add(named(`without ${header}`), without(L(), header), bare());
  for (const accept of ['application/json', 'text/event-stream', '*/*']) add(named(`accept ${accept}`), L({ accept }), bare());
  for (const method of ['tools/list', 'ping', 'prompts/list', 'server/discover', 'initialize', 'nope']) {
    add(named(method), L(), request(method));
    add(named(`${method} {}`), L(), request(method, {}));
  }
}
const inUrls = { ...plain, 'mcp-session-id': 'URLS' };
add('a read in a session that opens URLs', inUrls, call({}, { _meta: undefined }));
add('a write in a session that opens URLs, where nobody answers', inUrls, call({}, { name: 'notes_raise', _meta: undefined }));
for (const method of ['PUT', 'OPTIONS', 'GET', 'DELETE']) add(method, H, undefined, method);

let sdkServers = 0;
let fastPath: Fixture;
let sdkOnly: Fixture;
const sessions = new Map<Fixture, Record<string, string>>();

async function begin({ url }: Fixture, token: string, capabilities: object = {}): Promise<string> {
  const body = JSON.stringify({
    ...request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'd', version: '1' } }),
  });
  const res = await fetch(url, { method: 'POST', headers: { ...plain, authorization: `Bearer ${token}` }, body });
  await res.text();
  return res.headers.get('mcp-session-id') ?? '';
}

beforeAll(async () => {
  const counting = {
    capabilities: {},
    install: () => {
      sdkServers++;
    },
  };
  const limits = { approvalMs: 100 };
  fastPath = await startFixture({ fastPath: true, features: [counting], limits });
  sdkOnly = await startFixture({ fastPath: false, limits });
  for (const fixture of [fastPath, sdkOnly]) {
    sessions.set(fixture, {
      OWN: await begin(fixture, 'alice'),
      OTHER: await begin(fixture, 'bob'),
      URLS: await begin(fixture, 'alice', { elicitation: { url: {} } }),
    });
  }
});
afterAll(() => Promise.all([fastPath.close(), sdkOnly.close()]));

/** The same text for equal JSON, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

async function ask(fixture: Fixture, { headers: given, body, method }: Case): Promise<{ said: string; stream: boolean }> {
  const named = given['mcp-session-id'];
  const session = named !== undefined && { 'mcp-session-id': sessions.get(fixture)?.[named] ?? named };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { ...(!('content-type' in given) && { 'content-type': '' }), ...given, ...session };
  fixture.calls.length = 0;
  const res = await fetch(fixture.url, { method, headers, ...(body !== undefined && { body: text }) });
  const stream = res.headers.get('content-type')?.includes('event-stream') ?? false;
  const answer = await res.text();
  const parsed: unknown[] = stream
    ? answer
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => JSON.parse(line.slice(6)))
    : [answer === '' ? '' : JSON.parse(answer)];
  const ran = fixture.calls.map(({ name, args, by, clientName }) => ({ name, args, by, clientName }));
  return { said: `${res.status} ${canonical(parsed)} ran ${canonical(ran)}`, stream };
}

it('the fast path answers and executes exactly what the SDK does', async () => {
  const differ: string[] = [];
  const quick: string[] = [];
  for (const each of cases) {
    const before = sdkServers;
    const [fast, slow] = [await ask(fastPath, each), await ask(sdkOnly, each)];
    if (fast.said !== slow.said) differ.push(`${each.name}\n   fast ${fast.said.slice(0, 400)}\n   SDK ${slow.said.slice(0, 400)}`);
    if (fast.said.startsWith('200') && sdkServers === before && !fast.stream) quick.push(each.name);
  }
  expect(differ.join('\n')).toBe('');
  expect(cases.length).toBeGreaterThanOrEqual(250);
  // Both paths must have handled requests, or the comparison proves nothing.
  expect(quick.length).toBeGreaterThanOrEqual(40);
  expect(quick).toContain('message: good');
  expect(quick).toContain('2025, session OWN: call');
  expect(quick).toContain('a read in a session that opens URLs');
  expect(quick).not.toContain('a write, with elicitation by URL');
}, 60_000);
