/** Every tool accepts exactly what its schema says, at every endpoint. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorAnswer } from '../../src/declare/errors.ts';
import { persona } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import type { Input, Ready } from './arrange.ts';
import {
  codeOf,
  concurrently,
  type Endpoint,
  ToolCaller,
  leakIn,
  type Outcome,
  type Property,
  propertiesOf,
} from '../../src/testing/tool-caller.ts';
import { byName, ready, tellsOfItself, tools } from './calls.ts';

let testServer: TestServer;
let toolCaller: ToolCaller;
beforeAll(async () => {
  testServer = await openTestServer();
  toolCaller = new ToolCaller(testServer);
}, 120_000);
afterAll(async () => {
  expect(testServer?.logged.filter((entry) => entry.includes('"level":"error"'))).toEqual([]);
  await testServer?.close();
});

const ENDPOINTS: Endpoint[] = ['rest', 'mcp', 'direct'];
const isText = ({ type, enum: options, format }: Property) => type === 'string' && options === undefined && format === undefined;

/** Values that a field with this schema refuses. */
function wrongFor(property: Property): unknown[] {
  const { type, format, enum: options, minimum, exclusiveMinimum, maximum, maxLength, minLength, multipleOf } = property;
  const anything = [null, [], {}, { $ne: null }, { $gt: '' }];
  const whatever = type === 'array' ? anything.filter((value) => !Array.isArray(value)) : type === 'object' ? [null, [], 'text'] : anything;
  if (options) return [...whatever, 'no-such-choice', '', 7, true, `${String(options[0])}!`];
  if (type === 'boolean') return [...whatever, 'true', 'false', 1, 0, ''];
  if (type === 'integer' || type === 'number') {
    const numbers: unknown[] = [...whatever, '50', '', true, [50]];
    if (minimum !== undefined) numbers.push(minimum - 1, -1e9);
    if (exclusiveMinimum !== undefined) numbers.push(exclusiveMinimum, -1e9);
    if (maximum !== undefined) numbers.push(maximum + 1, ...[2 ** 31, 2 ** 53, 1e21].filter((large) => large > maximum));
    if (type === 'integer') numbers.push(50.5, 1e-7, 2 ** 53);
    if (multipleOf !== undefined) numbers.push(1 + multipleOf / 10);
    return numbers;
  }
  if (type === 'string') {
    const texts: unknown[] = [...whatever, 5, true, ['text']];
    if (format === 'date')
      texts.push('2026-02-30', '2026-13-01', '2026-2-3', '16/11/2026', '2026-11-16T00:00:00Z', '', 'today', '0000-00-00', '99999-01-01');
    if (format === 'uuid')
      texts.push(
        '',
        'abc',
        '../../etc/passwd',
        '{0e000000-0000-4000-8000-000000000009}',
        '0e000000-0000-4000-8000-00000000000',
        "0e000000-0000-4000-8000-000000000009' or true --",
        'null',
      );
    if (maxLength !== undefined) texts.push('x'.repeat(maxLength + 1), 'é'.repeat(maxLength + 1));
    if ((minLength ?? 0) > 0) texts.push('');
    return texts;
  }
  return whatever;
}

/** Characters that the reader of a card or a list does not see, or that reorder the text around them. */
const UNSEEN = {
  'a direction override': '\u202e',
  'an isolate': '\u2066',
  'tag characters': '\u{e0041}\u{e0042}',
  'a control character': '\u0007',
  'an escape sequence': '\u001b[31m',
};
const INJECTIONS = [
  "' or '1'='1",
  "'; drop table hr.employees; --",
  '1; select pg_sleep(5)',
  '") union select null--',
  '\\',
  '%',
  '_',
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '$1',
  '../../../etc/passwd',
  '$$; reset role; $$',
  '=HYPERLINK("http://evil.example")',
  'a'.repeat(90),
];

/** Removes the injected texts from a body, because an answer may repeat earlier input. */
const withoutInjections = (body: string) =>
  INJECTIONS.reduce(
    (left, text) =>
      left.replaceAll(JSON.stringify(text).slice(1, -1), '').replaceAll(JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1), ''),
    body,
  );
const plain = ({ answer }: Outcome): unknown => JSON.parse(JSON.stringify(answer).replace(/"nextCursor":"[^"]+"/, '"nextCursor":"…"'));
const camel = (key: string) => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

describe.each(byName)('%s', (_name, tool) => {
  let good: Ready;
  beforeAll(async () => {
    // Lets pending tickets expire, because their number for one person is limited.
    testServer.clock.pass(301);
    toolCaller.forget();
    good = await ready(testServer, tool);
  });
  const call = (endpoint: Endpoint, input: unknown) => toolCaller.call(endpoint, good.as, tool, input);
  /** Expects the same validation error at every endpoint, without internals. */
  async function refused(input: unknown, what: string): Promise<ErrorAnswer> {
    const outcomes = await Promise.all(ENDPOINTS.map((endpoint) => call(endpoint, input)));
    const [first] = outcomes;
    expect([what, outcomes.map(({ answer }) => codeOf(answer))]).toEqual([what, ENDPOINTS.map(() => 'VALIDATION_ERROR')]);
    expect(outcomes.map(({ status }) => status)).toEqual([400, 200, 400]);
    for (const { answer, text } of outcomes) {
      expect(answer).toEqual(first?.answer);
      expect([what, leakIn(text.replaceAll('received undefined', ''))]).toEqual([what, undefined]);
    }
    return first?.answer as ErrorAnswer;
  }

  it('accepts its own example at every endpoint', async () => {
    for (const endpoint of ENDPOINTS) {
      const { as, input } = await ready(testServer, tool);
      expect(codeOf((await toolCaller.call(endpoint, as, tool, input)).answer)).toBe(
        tool.kind === 'write' ? 'pending_confirmation' : 'success',
      );
    }
  });

  it('refuses undeclared keys', async () => {
    const declared = propertiesOf(tool).map(([name]) => name);
    const pinned = Object.keys(tool.domain.pinned ?? {});
    const keys = ['no_such_input', 'userId', 'roles', 'approved_by', 'sql', '$where', ' ', ''].filter(
      (key) => !declared.includes(key) && !pinned.includes(key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)),
    );
    await concurrently(keys, async (key) => {
      const { message } = await refused({ ...good.input, [key]: 'x' }, key);
      expect(message).toContain(JSON.stringify(key));
    });
    const long = await refused({ ...good.input, ['k'.repeat(10_000)]: 1 }, 'a key of 10 kB');
    expect(JSON.stringify(long).length).toBeLessThan(1_000);
  });

  it('accepts a key in camelCase, and refuses both spellings at once', async () => {
    for (const [key, value] of Object.entries(good.input)) {
      const twin = camel(key);
      if (twin === key) continue;
      const { [key]: _, ...rest } = good.input;
      await refused({ ...good.input, [twin]: value }, `${key} and ${twin}`);
      if (tool.kind === 'act') continue;
      // The same answer, or for a write the same pending ticket.
      expect(plain(await call('rest', { ...rest, [twin]: value }))).toEqual(plain(await call('rest', good.input)));
    }
    for (const [alias, key] of Object.entries(tool.inputAliases)) {
      const { [key]: value, ...rest } = good.input;
      if (value === undefined) continue;
      expect(codeOf((await call('rest', { ...rest, [alias]: value })).answer)).not.toBe('VALIDATION_ERROR');
      await refused({ ...good.input, [alias]: value }, `${key} and ${alias}`);
    }
  });

  it('refuses values of another type, values out of range, and dates that do not exist', async () => {
    const wrong = propertiesOf(tool).flatMap(([key, property]) => wrongFor(property).map((value) => ({ key, value })));
    await concurrently(wrong, async ({ key, value }) => {
      const { message } = await refused({ ...good.input, [key]: value }, `${key} = ${JSON.stringify(value).slice(0, 80)}`);
      expect(message.length).toBeGreaterThan(5);
    });
  });

  it('declares a limit for every text, number and list', () => {
    for (const [key, property] of propertiesOf(tool)) {
      if (isText(property)) expect([key, property.maxLength]).toEqual([key, expect.any(Number)]);
      if (property.type === 'integer' || property.type === 'number') expect([key, property.maximum]).toEqual([key, expect.any(Number)]);
      if (property.type === 'array') expect([key, (property as { maxItems?: number }).maxItems]).toEqual([key, expect.any(Number)]);
    }
  });

  it('refuses text with hidden or reordering characters', async () => {
    // A text that is no id of a record is the id of no record.
    const isId = (name: string) => tool.kind === 'history' && name === 'id';
    const texts = propertiesOf(tool).filter(([name, each]) => isText(each) && name !== 'cursor' && !isId(name));
    const wrong = texts.flatMap(([key]) => Object.entries(UNSEEN).map(([what, hidden]) => ({ key, what, hidden })));
    await concurrently(wrong, ({ key, what, hidden }) => refused({ ...good.input, [key]: `Anna${hidden}Bell` }, `${key} with ${what}`));
  });

  it('treats every other text as text, also when it is database syntax', async () => {
    for (const [key, property] of propertiesOf(tool).filter(([name, each]) => isText(each) && name !== 'cursor')) {
      const texts = INJECTIONS.filter(({ length }) => length <= (property.maxLength ?? 0));
      const attempt = async (text: string) => {
        // Each endpoint gets a third of the texts: answers.test.ts proves that all of them answer alike.
        const endpoint = ENDPOINTS[INJECTIONS.indexOf(text) % ENDPOINTS.length] ?? 'rest';
        const { as, input } = tool.kind === 'act' ? await ready(testServer, tool) : good;
        const { status, answer, text: body } = await toolCaller.call(endpoint, as, tool, { ...input, [key]: text });
        expect([text, status < 500, tellsOfItself(tool, answer) ? undefined : leakIn(withoutInjections(body))]).toEqual([
          text,
          true,
          undefined,
        ]);
        expect([text, codeOf(answer)]).not.toEqual([text, 'INTERNAL_ERROR']);
        // A filter finds no row with such a name. A full-text search may match single words.
        const isFilter = tool.kind === 'list' && key !== 'query' && !(tool.domain.name === 'journey' && key === 'topic');
        if (isFilter && answer.status === 'success') expect([text, (answer.data as unknown[]).length]).toEqual([text, 0]);
      };
      // Concurrent acts of one person could conflict.
      await concurrently(texts, attempt, tool.kind === 'act' ? 1 : undefined);
      // Lets pending tickets expire, because their number for one person is limited.
      if (tool.kind === 'write') testServer.clock.pass(301);
    }
  });

  it('accepts its input as the body, or under "input" alone', async () => {
    for (const endpoint of ['rest', 'direct'] as const) {
      const { as, input } = await ready(testServer, tool);
      const wrong = [
        { input, extra: 1 },
        { input, ...input, another: 1 },
        { input: [input] },
        { input: 'text' },
        { input: 5 },
        [input],
        'text',
        5,
        true,
        [[]],
      ];
      for (const body of wrong) {
        const { status, answer } = await toolCaller.call(endpoint, as, tool, body);
        expect([JSON.stringify(body), status, codeOf(answer)]).toEqual([JSON.stringify(body), 400, 'VALIDATION_ERROR']);
      }
      expect(codeOf((await toolCaller.call(endpoint, as, tool, { input })).answer)).toBe(
        tool.kind === 'write' ? 'pending_confirmation' : 'success',
      );
    }
  });

  it.each(Object.keys(tool.domain.pinned ?? {}))('%s is refused unless it names the caller', async (key) => {
    const { as, input } = await ready(testServer, tool);
    const own =
      tool.domain.pinned?.[key]?.({ ...persona(as), principal: '', employeeId: undefined, organizationId: undefined, roles: new Set() }) ??
      [];
    for (const endpoint of ENDPOINTS) {
      for (const value of [
        persona('eve.thompson').sub === own[0] ? persona('bob.martinez').sub : persona('eve.thompson').sub,
        'eve.thompson',
        '',
        null,
        [own[0]],
        { $ne: null },
      ]) {
        for (const name of [key, camel(key)])
          expect([value, codeOf((await toolCaller.call(endpoint, as, tool, { ...input, [name]: value })).answer)]).toEqual([
            value,
            'USER_MISMATCH',
          ]);
      }
    }
    const again = await ready(testServer, tool);
    expect(codeOf((await toolCaller.call('rest', again.as, tool, { ...again.input, [key]: persona(again.as).username })).answer)).toBe(
      'success',
    );
  });
});

describe('a body that is not acceptable JSON', () => {
  const BODIES: Record<string, string | Buffer> = {
    'no JSON': '{',
    'an empty body': '',
    'a NUL': '{"title":"a\\u0000b"}',
    'a lone surrogate': '{"title":"\\ud800"}',
    '__proto__ as a key': '{"__proto__":{"admin":true}}',
    'constructor as a key': '{"constructor":1}',
    'a number that is infinite': '{"limit":1e400}',
    'a byte order mark': '\ufeff{}',
    'broken UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    'deep nesting': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    'many keys': `{${Array.from({ length: 3_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
    'a long text': `{"title":"${'x'.repeat(70_000)}"}`,
    NaN: '{"limit":NaN}',
    'two values': '{} {}',
    'single quotes': "{'a':1}",
  };
  const inMessage = (body: string | Buffer): string | Buffer => {
    const start = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tasks_add_task","arguments":');
    return Buffer.concat([start, Buffer.from(body), Buffer.from('}}')]);
  };
  const servers = [...new Set(tools.map(({ domain }) => domain.name))];
  it.each(Object.entries(BODIES))('%s is 400 at every endpoint', async (_what, body) => {
    for (const server of servers) {
      const own = tools.find(({ domain }) => domain.name === server)?.name;
      for (const reply of [
        await testServer.send('POST', `/api/tools/${server}/${own}`, { token: await toolCaller.token('eve.thompson'), raw: body }),
        await testServer.send('POST', `/tools/${own}`, { token: await toolCaller.token('eve.thompson', { server }), raw: body, server }),
        await testServer.rpc(
          await toolCaller.token('eve.thompson', { mcp: true }),
          'tools/call',
          { name: `${server}_${own}` },
          { raw: inMessage(body) },
        ),
        await testServer.rpc(
          await toolCaller.token('eve.thompson', { mcp: true, server }),
          'tools/call',
          { name: own },
          { raw: inMessage(body), server },
        ),
      ]) {
        expect([reply.status, leakIn(reply.text)]).toEqual([400, undefined]);
        expect(JSON.parse(reply.text)).toMatchObject({ status: 'error', code: 'VALIDATION_ERROR', retryable: false });
      }
    }
  });
  it('a body that is too large gets 413, and a compressed body or another type gets 415', async () => {
    const token = await toolCaller.token('eve.thompson');
    const path = '/api/tools/tasks/add_task';
    const send = (headers: Record<string, string>, raw: string) => testServer.send('POST', path, { token, raw, headers });
    expect((await send({}, `{"title":"${'x'.repeat(257 * 1024)}"}`)).status).toBe(413);
    for (const encoding of ['gzip', 'br', 'deflate']) expect((await send({ 'content-encoding': encoding }, '{}')).status).toBe(415);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/json; charset=utf-16',
    ]) {
      const { status, body } = await send({ 'content-type': type }, '{"title":"x"}');
      expect([type, status, codeOf(body)]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });
});

it('every list still succeeds after these requests', async () => {
  const { input } = { input: {} as Input };
  for (const tool of tools.filter(({ kind }) => kind === 'list')) {
    const answer = (await toolCaller.call('rest', (await ready(testServer, tool)).as, tool, input)).answer;
    expect([tool.name, codeOf(answer)]).toEqual([tool.name, 'success']);
  }
});
