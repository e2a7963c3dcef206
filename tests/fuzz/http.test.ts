/** Fuzz tests of HTTP requests on raw sockets: no server error, one response per request (no smuggling), and no leaked internals. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { leakIn } from '../../src/testing/tool-caller.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { byteChange, changed, fuzz, hostileJson, hostileText } from './fuzz.ts';
import { exchange, type RawAnswer } from './raw-http.ts';

let testServer: TestServer;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  testServer = await openTestServer();
}, 300_000);
afterAll(async () => {
  expect(testServer?.logged.filter((entry) => entry.includes('"level":"error"'))).toEqual([]);
  await testServer?.close();
});

const SERVERS = ['gateway', 'tasks'] as const;
const portOf = (server: string) => Number(testServer.tamshai.ports[server]);
let until = 0;
async function tokenFor(server: string, mcp: boolean): Promise<string> {
  if (Date.now() > until) {
    for (const each of SERVERS)
      for (const use of [false, true])
        tokens[`${each} ${use}`] = await testServer.token('eve.thompson', { mcp: use, ...(each !== 'gateway' && { server: each }) });
    until = Date.now() + 120_000;
  }
  return tokens[`${server} ${mcp}`] ?? '';
}

const UNAVAILABLE = new Set([503, 504]);
const isPage = (target: string) => /^\/(?:$|\?|approve|approvals|signin|signout|docs|oidc|assets|app)/.test(target);

function expectSound({ status, headers, body }: RawAnswer, target: string, isHead = false): void {
  expect(status < 500 || UNAVAILABLE.has(status)).toBe(true);
  expect(body).not.toContain('BEGIN PRIVATE');
  expect(leakIn(body.slice(0, 20_000))).toBeUndefined();
  if (status < 400 || isHead || isPage(target)) return;
  expect(headers['content-type']).toMatch(/^application\/json/);
  const said = JSON.parse(Buffer.from(body, 'latin1').toString()) as Record<string, unknown>;
  // The MCP SDK's own refusals are JSON-RPC errors.
  if (target.startsWith('/mcp') && said['jsonrpc'] === '2.0')
    expect(said).toMatchObject({ error: { code: expect.any(Number), message: expect.any(String) } });
  else
    expect(said).toMatchObject({
      status: 'error',
      code: expect.any(String),
      message: expect.any(String),
      suggestedAction: expect.any(String),
    });
}

const isAlive = async () => {
  for (const server of SERVERS) expect((await testServer.send('GET', '/health', { server })).status).toBe(200);
};

const METHODS = [
  'GET',
  'POST',
  'POST',
  'POST',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'PROPFIND',
  'get',
  'GARBAGE',
  'G\u0000T',
  '',
];
const TARGETS = [
  '/health',
  '/ready',
  '/mcp',
  '/mcp?servers=hr',
  '/mcp?servers=',
  '/api/tools/tasks/list_tasks',
  '/api/tools/tasks/add_task',
  '/api/user/info',
  '/api/audit?limit=1e9',
  '/api/audit?cursor=A',
  '/api/confirm/x',
  '/api/query',
  '/tools/list_tasks',
  '/execute',
  '/changes',
  '/nothing',
  '/',
  '/approve/x',
  '*',
  '//evil.example/health',
  'http://evil.example/health',
  '/%',
  '/%00',
  '/%ff',
  '/api/tools/%2e%2e/%2e%2e',
  '/api//tools/tasks/list_tasks',
  '/health#x',
  '/health?x=%',
  '/\u00e9',
  `/${'a'.repeat(5_000)}`,
  `/health?${'a'.repeat(70_000)}`,
  '/oidc/staff/auth?client_id=%00',
];
const target = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TARGETS) },
  { weight: 1, arbitrary: hostileText.map((text) => `/${text}`) },
);
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/0.9',
  'HTTP/1.1 ',
  'http/1.1',
  'HTTP/1.',
  '',
];
const headerLine = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        'X-Request-Id',
        'Accept',
        'Cookie',
        'Origin',
        'Authorization',
        'Mcp-Session-Id',
        'Mcp-Protocol-Version',
        'Traceparent',
        'X-Forwarded-For',
        'Range',
        'If-None-Match',
      ),
      hostileText,
    )
    .map(([name, value]) => `${name}: ${value}`),
  fc.constantFrom(
    'Host: evil.example',
    'Connection: upgrade',
    'Upgrade: websocket',
    'Connection: keep-alive, Host',
    'Expect: 100-continue',
    'Expect: 200-ok',
    'Content-Encoding: gzip',
    'Content-Type: text/plain',
    'Content-Type: application/json; charset=utf-16',
    'X-A: a\r\n folded',
    'X-A : space',
    ': no name',
    'No colon',
    'X-\u0000: nul',
    'X-N: \u0000',
    'X-H: \u0080\u00ff',
    'X-R: a\rb',
    'X-L: a\nX-M: b',
    `X-Huge: ${'h'.repeat(70_000)}`,
    'Authorization: Basic eDp4',
    'Authorization: Bearer a.b.c',
    'Authorization: Bearer a.b.c\r\nAuthorization: Bearer d.e.f',
    'traceparent: 00-00000000000000000000000000000000-0000000000000000-01',
    'Cookie: __Host-tamshai=a; tamshai=b; =; ;;',
  ),
);

/** Long bodies have names, so that failure reports stay short. */
const BODIES = new Map(
  Object.entries({
    deep: '['.repeat(20_000),
    'many keys': `{${Array.from({ length: 2_500 }, (_, n) => `"k${n}":1`).join(',')}}`,
    'a key twice': '{"a":1,"a":2}',
    '__proto__ as a key': '{"__proto__":{"a":1}}',
    'a number that is infinite': '{"limit":1e999}',
    'minus zero': '{"limit":-0}',
    'a lone surrogate': '{"title":"\\ud800"}',
    'a byte order mark': '\u00ef\u00bb\u00bf{}',
    'too large': `"${'x'.repeat(300_000)}"`,
  }),
);

/** A well-framed request with hostile parts. */
const request = fc.record({
  server: fc.constantFrom(...SERVERS),
  method: fc.constantFrom(...METHODS),
  target,
  version: fc.constantFrom(...VERSIONS),
  hasToken: fc.boolean(),
  headers: fc.array(headerLine, { maxLength: 4 }),
  body: fc.oneof(
    fc.constant(''),
    hostileJson.map((value) => JSON.stringify(value) ?? ''),
    hostileText,
    fc.constantFrom(...BODIES.keys()),
    fc
      .tuple(
        fc.constantFrom('{"title":"x"}', '{"input":{"limit":5}}', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'),
        byteChange,
      )
      .map(([json, change]) => changed(Buffer.from(json), change).toString('latin1')),
  ),
});

fuzz('any request head and body gets a proper response, and the process survives', {
  input: request,
  runs: 300,
  seconds: 30,
  async holds({ server, method, target: at, version, hasToken, headers, body }) {
    const bytes = Buffer.from(BODIES.get(body) ?? body, 'latin1');
    const token = hasToken ? [`Authorization: Bearer ${await tokenFor(server, at.startsWith('/mcp'))}`] : [];
    const lines = [
      `Host: localhost:${portOf(server)}`,
      'Content-Type: application/json',
      'Connection: close',
      ...token,
      `Content-Length: ${bytes.length}`,
      ...headers,
    ];
    const head = Buffer.from(`${method} ${at} ${version}\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    const { answers, rest } = await exchange(portOf(server), Buffer.concat([head, bytes]), () => method === 'HEAD');
    // `Connection: close` allows one response at most, even where a header line contains a second request.
    expect(answers.length).toBeLessThanOrEqual(1);
    for (const answer of answers) expectSound(answer, at, method === 'HEAD');
    if (answers.length === 0) expect(rest).toBe('');
    await isAlive();
  },
});

/** A request inside a body: a response to it means that the body was parsed as a request. */
const WITHIN = 'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n';
const framing = fc.record({
  server: fc.constantFrom(...SERVERS),
  target: fc.constantFrom('/api/tools/tasks/list_tasks', '/mcp', '/nothing', '/health', '/tools/list_tasks', '/execute'),
  method: fc.constantFrom('POST', 'POST', 'GET', 'PUT', 'DELETE'),
  lengths: fc.array(
    fc.constantFrom(
      'right',
      '0',
      '5',
      '+5',
      '-1',
      '0x5',
      '5 ',
      ' 5',
      '5,5',
      '5, 6',
      '05',
      '1e1',
      '',
      '99999999999999999999',
      '5\u0000',
      '\u0665',
    ),
    { maxLength: 2 },
  ),
  encodings: fc.array(
    fc.constantFrom(
      'chunked',
      'Chunked',
      'identity',
      'chunked, identity',
      'identity, chunked',
      'gzip, chunked',
      'xchunked',
      ' chunked',
      'chunked\t',
      '"chunked"',
      'chunked, chunked',
      '\u000bchunked',
      'chunked;a=1',
      '',
    ),
    { maxLength: 2 },
  ),
  encodingName: fc.constantFrom(
    'Transfer-Encoding',
    'transfer-encoding',
    'Transfer-Encoding ',
    'Transfer_Encoding',
    'Transfer-Encoding\t',
    '\tTransfer-Encoding',
    'X: y\r\n Transfer-Encoding',
    'X: y\nTransfer-Encoding',
    'X: y\rTransfer-Encoding',
  ),
  chunking: fc.constantFrom(
    'none',
    'plain',
    'extension',
    'long extension',
    'quoted extension',
    'trailer',
    'hostile trailer',
    'bare LF',
    'leading zeros',
    'overflow',
    'negative',
    'no end',
    'space',
  ),
  within: fc.constantFrom('', '{}', WITHIN, `0\r\n\r\n${WITHIN}`),
});

function chunked(text: string, how: string): string {
  const size = text.length.toString(16);
  const end = '0\r\n\r\n';
  const some = text === '' ? '' : `${size}\r\n${text}\r\n`;
  const ways: Record<string, string> = {
    none: text,
    plain: some + end,
    extension: `${size};a=b\r\n${text}\r\n${end}`,
    'long extension': `${size};a=${'b'.repeat(20_000)}\r\n${text}\r\n${end}`,
    'quoted extension': `${size};a="\r\n\r\n${WITHIN}"\r\n${text}\r\n${end}`,
    trailer: `${some}0\r\nX-Trailer: a\r\n\r\n`,
    'hostile trailer': `${some}0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer x\r\n\r\n`,
    'bare LF': `${size}\n${text}\n0\n\n`,
    'leading zeros': `${'0'.repeat(40)}${size}\r\n${text}\r\n${end}`,
    overflow: `fffffffffffffffff\r\n${text}\r\n${end}`,
    negative: `-1\r\n${text}\r\n${end}`,
    'no end': some,
    space: ` ${size} \r\n${text}\r\n${end}`,
  };
  return ways[how] ?? text;
}

fuzz('no framing of a body turns one request into two', {
  input: framing,
  runs: 250,
  seconds: 40,
  async holds({ server, target: at, method, lengths, encodings, encodingName, chunking, within }) {
    const body = chunked(within, chunking);
    const headers = [
      `Host: localhost:${portOf(server)}`,
      'Content-Type: application/json',
      ...lengths.map((length) => `Content-Length: ${length === 'right' ? Buffer.byteLength(body, 'latin1') : length}`),
      ...encodings.map((encoding) => `${encodingName}: ${encoding}`),
    ];
    const last = `GET /health HTTP/1.1\r\nHost: localhost:${portOf(server)}\r\nX-Request-Id: last\r\nConnection: close\r\n\r\n`;
    const text = `${method} ${at} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}${last}`;
    const { answers } = await exchange(portOf(server), Buffer.from(text, 'latin1'));
    for (const answer of answers) expectSound(answer, at);
    // Without Content-Length and Transfer-Encoding there is no body: the bytes are the next request.
    const hasBody = lengths.length > 0 || encodings.length > 0;
    const isAmbiguous =
      lengths.length > 1 || encodings.length > 1 || (lengths.length > 0 && encodings.length > 0) || /[\s_]/.test(encodingName);
    if (hasBody && !isAmbiguous && lengths[0] === 'right') expect(answers.length).toBeLessThanOrEqual(2);
    if (lengths.length > 0 && encodings.length > 0 && /^transfer-encoding$/i.test(encodingName))
      expect(answers.length).toBeLessThanOrEqual(1);
    if (lengths.length > 1 && new Set(lengths).size > 1) expect(answers.length).toBeLessThanOrEqual(1);
    await isAlive();
  },
});

fuzz('pipelined requests get their responses in order', {
  input: fc.tuple(
    fc.constantFrom(...SERVERS),
    fc.array(fc.tuple(fc.constantFrom('/health', '/nothing', '/api/user/info', '/mcp'), fc.constantFrom('', '{}', '{"a":', WITHIN)), {
      minLength: 1,
      maxLength: 6,
    }),
  ),
  runs: 80,
  seconds: 20,
  async holds([server, all]) {
    const head = (at: string, body: string, n: number) =>
      `POST ${at} HTTP/1.1\r\nHost: localhost:${portOf(server)}\r\nContent-Type: application/json\r\nX-Request-Id: ` +
      `r-${n}\r\nContent-Length: ${body.length}\r\n${n === all.length - 1 ? 'Connection: close\r\n' : ''}\r\n${body}`;
    const { answers } = await exchange(portOf(server), Buffer.from(all.map(([at, body], n) => head(at, body, n)).join('')));
    // A refusal may close the connection, but no request may be skipped or answered out of order.
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.length).toBeLessThanOrEqual(all.length);
    for (const [n, answer] of answers.entries()) {
      expectSound(answer, all[n]?.[0] ?? '');
      if (answer.headers['x-request-id'] !== undefined) expect(answer.headers['x-request-id']).toBe(`r-${n}`);
    }
    if (answers.length < all.length) expect(answers.at(-1)?.headers['connection']).toBe('close');
  },
});
