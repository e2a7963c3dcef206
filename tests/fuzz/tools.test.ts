/** Fuzz tests of all tools with mutated inputs, cursors and confirmations: no server error, valid answers, and no masked value shown. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ListMetadata } from '../../src/declare/answer.ts';
import { answerOf } from '../../src/derive/answers.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { type Canary, canariesIn, mayShow, plantCanaries } from '../contract/canaries.ts';
import type { Ready } from '../contract/arrange.ts';
import { codeOf, type Endpoint, ToolCaller, leakIn, type Outcome, type Property, propertiesOf } from '../../src/testing/tool-caller.ts';
import { EVERYONE, ready, tellsOfItself, tools } from '../contract/calls.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { byteChange, changedText, fuzz, hostileJson, hostileText } from './fuzz.ts';

let testServer: TestServer;
let toolCaller: ToolCaller;
let canaries: Canary[];
const good = new Map<Tool, Ready>();
const lists = tools.filter(({ kind }) => kind === 'list');
/** A cursor of each list with more than two rows, and its owner. */
const cursors: { readonly tool: Tool; readonly as: string; readonly cursor: string }[] = [];

beforeAll(async () => {
  testServer = await openTestServer();
  toolCaller = new ToolCaller(testServer);
  canaries = await plantCanaries(testServer, 31);
  for (const tool of tools) good.set(tool, await ready(testServer, tool));
  for (const tool of lists) {
    const { as } = good.get(tool) as Ready;
    const { answer } = await toolCaller.call('rest', as, tool, { limit: 2 });
    const { nextCursor } = (answer as { metadata?: ListMetadata }).metadata ?? {};
    if (nextCursor !== undefined) cursors.push({ tool, as, cursor: nextCursor });
  }
  expect(cursors.length).toBeGreaterThan(8);
}, 300_000);
afterAll(async () => {
  expect(testServer?.logged.filter((entry) => entry.includes('"level":"error"'))).toEqual([]);
  await testServer?.close();
});

/** Values at and around the limits of the field's schema. */
function near({ type, format, enum: options, minimum = 0, maximum = 10, maxLength = 10 }: Property): fc.Arbitrary<unknown> {
  if (options !== undefined) return fc.constantFrom<unknown>(...options, 'no-such-choice');
  if (format === 'uuid') return fc.oneof(fc.uuid(), fc.constantFrom(...canaries.slice(0, 40).map(({ owner }) => owner)));
  if (format === 'date') return fc.constantFrom('2026-11-16', '2026-02-29', '0001-01-01', '9999-12-31', '1900-01-01', '2026-11-31');
  if (type === 'integer' || type === 'number')
    return fc.constantFrom(minimum, minimum - 1, maximum, maximum + 1, (minimum + maximum) / 2, 0.005, 1e-7);
  if (type === 'boolean') return fc.boolean();
  if (type === 'string')
    return fc.oneof(
      hostileText,
      fc.constantFrom('a'.repeat(maxLength), 'é'.repeat(maxLength), '😀'.repeat(maxLength / 2), 'a'.repeat(maxLength + 1)),
    );
  if (type === 'array') return fc.array(hostileJson, { maxLength: 5 });
  return hostileJson;
}
const camel = (key: string) => key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

type Edit = {
  readonly kind: 'near' | 'any' | 'drop' | 'twin' | 'add';
  readonly key: number;
  readonly seed: number;
  readonly value: unknown;
  readonly name: string;
};
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('near', 'near', 'near', 'any', 'drop', 'twin', 'add'),
  key: fc.nat({ max: 30 }),
  seed: fc.integer(),
  value: hostileJson,
  name: fc.oneof(
    hostileText,
    fc.constantFrom('__proto__', 'toString', 'input', 'userContext', 'user_id', 'limit', 'cursor', 'sort', 'fields'),
  ),
});

function edited(tool: Tool, edits: readonly Edit[]): Record<string, unknown> {
  const input: Record<string, unknown> = { ...good.get(tool)?.input };
  const properties = propertiesOf(tool);
  for (const { kind, key: at, seed, value, name } of edits) {
    const [key, property] = properties[at % Math.max(1, properties.length)] ?? [name, {}];
    if (kind === 'near') [input[key]] = fc.sample(near(property), { seed, numRuns: 1 });
    else if (kind === 'any') input[key] = value;
    else if (kind === 'drop') delete input[key];
    else if (kind === 'twin') input[camel(key)] = value;
    else Object.defineProperty(input, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return input;
}

const MAY_BE_BUSY = new Set([503, 504]);
/** Checks that hold for every answer of every tool. */
function expectSound(tool: Tool, user: string, { status, answer, text, error }: Outcome): void {
  expect(status < 500 || MAY_BE_BUSY.has(status)).toBe(true);
  expect(canariesIn(canaries, [text]).filter((canary) => !mayShow({ user }, canary))).toEqual([]);
  if (answer === undefined) {
    // Refused before a tool ran: by the MCP SDK, or as a malformed body.
    expect(error ?? JSON.parse(text)).toBeDefined();
    return;
  }
  expect(codeOf(answer)).not.toMatch(/^(?:INTERNAL_ERROR|DATABASE_ERROR|TIMEOUT)$/);
  const { success, error: problem } = answerOf(tool).safeParse(answer);
  expect([success, problem?.issues]).toEqual([true, undefined]);
  if (answer.status === 'error' && !tellsOfItself(tool, answer))
    expect(leakIn(JSON.stringify({ code: answer.code, hint: answer.suggestedAction }))).toBeUndefined();
}

const PEOPLE = EVERYONE;
const ENDPOINTS: Endpoint[] = ['rest', 'mcp', 'direct', 'direct-mcp'];
fuzz('tools answer mutated inputs according to their schema, and reveal no masked value', {
  input: fc.record({
    tool: fc.constantFrom(...tools),
    who: fc.option(fc.constantFrom(...PEOPLE)),
    endpoint: fc.constantFrom(...ENDPOINTS),
    edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
  }),
  runs: 1_200,
  seconds: 45,
  async holds({ tool, who, endpoint, edits }) {
    const user = who ?? good.get(tool)?.as ?? 'eve.thompson';
    const outcome = await toolCaller.call(endpoint, user, tool, edited(tool, edits));
    // The number of pending changes per person is limited, so time passes until they expire.
    if (codeOf(outcome.answer) === 'pending_confirmation') testServer.clock.pass(30);
    expectSound(tool, user, outcome);
  },
});

const cursorChange = fc.oneof(
  byteChange.map((change) => (cursor: string) => changedText(cursor, change)),
  fc.constantFrom<(cursor: string) => string>(
    (cursor) => `${cursor}=`,
    (cursor) => `${cursor}==`,
    (cursor) => ` ${cursor}`,
    (cursor) => `${cursor}\n`,
    (cursor) => Buffer.from(cursor, 'base64url').toString('base64'),
    (cursor) => Buffer.from(cursor, 'base64url').toString('hex'),
    (cursor) => cursor.toUpperCase(),
    (cursor) => cursor + cursor,
    (cursor) => `${cursor.slice(0, -1)}${cursor.at(-1) === 'A' ? 'B' : 'A'}`,
    () => '',
    () => 'A',
    () => 'A'.repeat(37),
    () => 'A'.repeat(4_000),
  ),
  hostileText.map((text) => () => text),
);

fuzz('a mutated cursor is never accepted', {
  input: fc.record({ at: fc.nat(), mutate: cursorChange }),
  runs: 250,
  async holds({ at, mutate }) {
    const each = cursors[at % cursors.length];
    if (each === undefined) throw new Error('no cursor');
    const cursor = mutate(each.cursor);
    if (cursor === each.cursor) return;
    const outcome = await toolCaller.call('rest', each.as, each.tool, { limit: 2, cursor });
    expectSound(each.tool, each.as, outcome);
    expect(['INVALID_CURSOR', 'VALIDATION_ERROR']).toContain(codeOf(outcome.answer));
  },
});

fuzz('a cursor is valid for its own person and tool alone', {
  input: fc.record({ from: fc.nat(), to: fc.constantFrom(...lists), who: fc.constantFrom(...PEOPLE) }),
  runs: 250,
  async holds({ from, to, who }) {
    const each = cursors[from % cursors.length];
    if (each === undefined) throw new Error('no cursor');
    const outcome = await toolCaller.call('rest', who, to, { limit: 2, cursor: each.cursor });
    expectSound(to, who, outcome);
    if (who === each.as && to === each.tool) expect(codeOf(outcome.answer)).toBe('success');
    else expect(codeOf(outcome.answer)).not.toBe('success');
  },
});

/** A mutated id, another body or another person's token must not decide a change. */
fuzz('a decision requires the right id, body and person', {
  input: fc.record({
    change: fc.option(fc.oneof(byteChange, hostileText)),
    body: fc.option(fc.oneof(hostileJson, fc.record({ approved: hostileJson }), fc.record({ approved: fc.boolean(), extra: hostileJson }))),
    who: fc.option(fc.constantFrom(...PEOPLE)),
    approve: fc.boolean(),
  }),
  runs: 150,
  async holds({ change, body, who, approve }) {
    const { confirmationId } = await testServer.ask('eve.thompson', 'sales', 'delete_opportunity', await opportunity());
    const id = change === null ? confirmationId : typeof change === 'string' ? change : changedText(confirmationId, change);
    const sent = body ?? { approved: true };
    const isWhole = JSON.stringify(sent) === '{"approved":true}' || JSON.stringify(sent) === '{"approved":false}';
    const isRight = id === confirmationId && isWhole && (who ?? 'eve.thompson') === 'eve.thompson' && approve;
    if (isRight) return;
    const token = await testServer.token(who ?? 'eve.thompson', approve ? { approve: true } : {});
    const { status, text } = await testServer.send('POST', `/api/confirm/${encodeURIComponent(wellFormed(id))}`, { token, body: sent });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(leakIn(text)).toBeUndefined();
    const waiting = await testServer.send<{ data: { confirmationId: string }[] }>('GET', '/api/confirmations', {
      token: await testServer.token('eve.thompson'),
    });
    expect(waiting.body.data.map((each) => each.confirmationId)).toContain(confirmationId);
  },
});
const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, '\ufffd');

let found: Record<string, unknown> | undefined;
async function opportunity(): Promise<Record<string, unknown>> {
  testServer.clock.pass(30);
  const tool = tools.find((each) => qualifiedName(each) === 'sales_delete_opportunity') as Tool;
  found ??= (await ready(testServer, tool)).input;
  return { ...found, reason: `No longer wanted ${randomUUID()}.` };
}
