/** What a tool takes is what its schema says, at every door; anything else is a sentence about the input, never trouble. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ErrorAnswer } from '../../src/core/errors.ts';
import { persona } from '../../src/sample/people.ts';
import { openTestServer, type TestServer } from '../test-server.ts';
import type { Input, Ready } from './arrange.ts';
import {
  byName,
  codeOf,
  type Door,
  Doors,
  leakIn,
  type Outcome,
  type Property,
  propertiesOf,
  ready,
  tellsOfItself,
  tools,
} from './calls.ts';

let testServer: TestServer;
let doors: Doors;
beforeAll(async () => {
  testServer = await openTestServer();
  doors = new Doors(testServer);
}, 120_000);
afterAll(async () => {
  expect(testServer?.logged.filter((entry) => entry.includes('"level":"error"'))).toEqual([]);
  await testServer?.close();
});

const DOORS: Door[] = ['rest', 'mcp', 'direct'];
const isText = ({ type, enum: options, format }: Property) => type === 'string' && options === undefined && format === undefined;

/** Values that no field of this kind takes. Undefined leaves the field out. */
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

/** Hidden in a text: what a reader of a card or a list would not see, or would see elsewhere. */
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

/** What was said here before may be found again: a ticket says what its customer wrote. */
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
    // What waits from the tools before would be too much for one person.
    testServer.clock.pass(301);
    doors.forget();
    good = await ready(testServer, tool);
  });
  const call = (door: Door, input: unknown) => doors.call(door, good.as, tool, input);
  /** Refused at every door in the same words, which name no inside. */
  async function refused(input: unknown, what: string): Promise<ErrorAnswer> {
    const outcomes = await Promise.all(DOORS.map((door) => call(door, input)));
    const [first] = outcomes;
    expect([what, outcomes.map(({ answer }) => codeOf(answer))]).toEqual([what, DOORS.map(() => 'VALIDATION_ERROR')]);
    expect(outcomes.map(({ status }) => status)).toEqual([400, 200, 400]);
    for (const { answer, text } of outcomes) {
      expect(answer).toEqual(first?.answer);
      expect([what, leakIn(text.replaceAll('received undefined', ''))]).toEqual([what, undefined]);
    }
    return first?.answer as ErrorAnswer;
  }

  it('takes its own example at every door', async () => {
    for (const door of DOORS) {
      const { as, input } = await ready(testServer, tool);
      expect(codeOf((await doors.call(door, as, tool, input)).answer)).toBe(tool.kind === 'write' ? 'pending_confirmation' : 'success');
    }
  });

  it('takes no key that it does not name', async () => {
    for (const key of ['no_such_input', 'userId', 'roles', 'userContext', 'approved_by', 'sql', '$where', ' ', '']) {
      if (propertiesOf(tool).some(([name]) => name === key)) continue;
      const pinned = Object.keys(tool.domain.pinned ?? {}).includes(key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`));
      if (pinned) continue;
      // A domain server knows userContext as the gateway's word, and refuses it from anyone else.
      if (key === 'userContext') continue;
      const { message } = await refused({ ...good.input, [key]: 'x' }, key);
      expect(message).toContain(JSON.stringify(key));
    }
    const long = await refused({ ...good.input, ['k'.repeat(10_000)]: 1 }, 'a key of 10 kB');
    expect(JSON.stringify(long).length).toBeLessThan(1_000);
  });

  it('takes a key in camelCase, and never both', async () => {
    for (const [key, value] of Object.entries(good.input)) {
      const twin = camel(key);
      if (twin === key) continue;
      const { [key]: _, ...rest } = good.input;
      await refused({ ...good.input, [twin]: value }, `${key} and ${twin}`);
      if (tool.kind === 'act') continue;
      // The same answer; for a write the same waiting ticket.
      expect(plain(await call('rest', { ...rest, [twin]: value }))).toEqual(plain(await call('rest', good.input)));
    }
    for (const [alias, key] of Object.entries(tool.inputAliases)) {
      const { [key]: value, ...rest } = good.input;
      if (value === undefined) continue;
      expect(codeOf((await call('rest', { ...rest, [alias]: value })).answer)).not.toBe('VALIDATION_ERROR');
      await refused({ ...good.input, [alias]: value }, `${key} and ${alias}`);
    }
  });

  it('takes nothing of another type, out of range, or out of the calendar', async () => {
    for (const [key, property] of propertiesOf(tool)) {
      for (const value of wrongFor(property)) {
        const { message } = await refused({ ...good.input, [key]: value }, `${key} = ${JSON.stringify(value).slice(0, 80)}`);
        expect(message.length).toBeGreaterThan(5);
      }
    }
  });

  it('bounds every text and number, so that nothing larger reaches a store', () => {
    for (const [key, property] of propertiesOf(tool)) {
      if (isText(property)) expect([key, property.maxLength]).toEqual([key, expect.any(Number)]);
      if (property.type === 'integer' || property.type === 'number') expect([key, property.maximum]).toEqual([key, expect.any(Number)]);
      if (property.type === 'array') expect([key, (property as { maxItems?: number }).maxItems]).toEqual([key, expect.any(Number)]);
    }
  });

  it('takes no text that shows something else than it says', async () => {
    for (const [key] of propertiesOf(tool).filter(([name, each]) => isText(each) && name !== 'cursor')) {
      for (const [what, hidden] of Object.entries(UNSEEN))
        await refused({ ...good.input, [key]: `Anna${hidden}Bell` }, `${key} with ${what}`);
    }
  });

  it('takes every other text as text, whatever it says to a database', async () => {
    for (const [key, property] of propertiesOf(tool).filter(([name, each]) => isText(each) && name !== 'cursor')) {
      for (const text of INJECTIONS.filter(({ length }) => length <= (property.maxLength ?? 0))) {
        for (const door of DOORS) {
          const { as, input } = tool.kind === 'act' ? await ready(testServer, tool) : good;
          const { status, answer, text: body } = await doors.call(door, as, tool, { ...input, [key]: text });
          expect([text, status < 500, tellsOfItself(tool, answer) ? undefined : leakIn(withoutInjections(body))]).toEqual([
            text,
            true,
            undefined,
          ]);
          expect([text, codeOf(answer)]).not.toEqual([text, 'INTERNAL_ERROR']);
          // Nothing is called like that, so nothing may come back; words that are looked for are words all the same.
          if (
            tool.kind === 'list' &&
            answer.status === 'success' &&
            key !== 'query' &&
            !(tool.domain.name === 'journey' && key === 'topic')
          )
            expect([text, (answer.data as unknown[]).length]).toEqual([text, 0]);
        }
      }
      // Only so many changes may wait for one person.
      if (tool.kind === 'write') testServer.clock.pass(301);
    }
  });

  it('takes its input as the body, or under "input" alone', async () => {
    for (const door of ['rest', 'direct'] as const) {
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
        const { status, answer } = await doors.call(door, as, tool, body);
        expect([JSON.stringify(body), status, codeOf(answer)]).toEqual([JSON.stringify(body), 400, 'VALIDATION_ERROR']);
      }
      expect(codeOf((await doors.call(door, as, tool, { input })).answer)).toBe(tool.kind === 'write' ? 'pending_confirmation' : 'success');
    }
  });

  it.each(Object.keys(tool.domain.pinned ?? {}))('%s is not the caller’s to choose', async (key) => {
    const { as, input } = await ready(testServer, tool);
    const own =
      tool.domain.pinned?.[key]?.({ ...persona(as), principal: '', employeeId: undefined, organizationId: undefined, roles: new Set() }) ??
      [];
    for (const door of DOORS) {
      for (const value of [
        persona('eve.thompson').sub === own[0] ? persona('bob.martinez').sub : persona('eve.thompson').sub,
        'eve.thompson',
        '',
        null,
        [own[0]],
        { $ne: null },
      ]) {
        for (const name of [key, camel(key)])
          expect([value, codeOf((await doors.call(door, as, tool, { ...input, [name]: value })).answer)]).toEqual([value, 'USER_MISMATCH']);
      }
    }
    const again = await ready(testServer, tool);
    expect(codeOf((await doors.call('rest', again.as, tool, { ...again.input, [key]: persona(again.as).username })).answer)).toBe(
      'success',
    );
  });
});

describe('what is not even JSON as we take it', () => {
  const BODIES: Record<string, string | Buffer> = {
    'no JSON': '{',
    nothing: '',
    'a NUL': '{"title":"a\\u0000b"}',
    'half a character': '{"title":"\\ud800"}',
    'a poisoned key': '{"__proto__":{"admin":true}}',
    'another one': '{"constructor":1}',
    'a number beyond numbers': '{"limit":1e400}',
    'a byte order mark': '\ufeff{}',
    'broken UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    deep: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
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
  it.each(Object.entries(BODIES))('%s is 400 at every door', async (_what, body) => {
    for (const server of servers) {
      const own = tools.find(({ domain }) => domain.name === server)?.name;
      for (const reply of [
        await testServer.send('POST', `/api/tools/${server}/${own}`, { token: await doors.token('eve.thompson'), raw: body }),
        await testServer.send('POST', `/tools/${own}`, { token: await doors.token('eve.thompson', { server }), raw: body, server }),
        await testServer.rpc(
          await doors.token('eve.thompson', { mcp: true }),
          'tools/call',
          { name: `${server}_${own}` },
          { raw: inMessage(body) },
        ),
        await testServer.rpc(
          await doors.token('eve.thompson', { mcp: true, server }),
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
  it('too large is 413, packed is 415, and so is another type', async () => {
    const token = await doors.token('eve.thompson');
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

it('nothing of all this was written, dropped or slept', async () => {
  const { input } = { input: {} as Input };
  for (const tool of tools.filter(({ kind }) => kind === 'list')) {
    const answer = (await doors.call('rest', (await ready(testServer, tool)).as, tool, input)).answer;
    expect([tool.name, codeOf(answer)]).toEqual([tool.name, 'success']);
  }
});
