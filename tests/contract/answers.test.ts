/** Tool results match their published schema, are the same at every endpoint, and contain no internals. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packageFolder } from '../../src/server/package.ts';
import { audienceFor } from '../../src/engine/access.ts';
import type { Answer } from '../../src/declare/answer.ts';
import { createQualifier } from '../../src/derive/qualify.ts';
import { statusOf, toolFailure } from '../../src/declare/errors.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import type { Tool } from '../../src/declare/tool.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { type Input, unfindable } from './arrange.ts';
import { codeOf, ToolCaller, leakIn, type Outcome, ownPropertiesOf, SURFACES, today } from '../../src/testing/tool-caller.ts';
import { byName, callersOf, ready, tellsOfItself } from './calls.ts';
import { builtIn } from '../registry.ts';
import { rolesIn } from '../registry.ts';

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

const qualifier = createQualifier(builtIn);
const schemas = new AjvJsonSchemaValidator();
type Schema = Parameters<typeof schemas.getValidator>[0];
interface Published {
  readonly answer: Schema;
  readonly mcp: { readonly outputSchema: Schema };
}
const published = (tool: Tool) =>
  JSON.parse(readFileSync(join(packageFolder, 'contracts', 'tools', tool.domain.name, `${tool.name}.json`), 'utf8')) as Published;
const problem = (schema: Schema, value: unknown) => schemas.getValidator(schema)(value).errorMessage;

/** Replaces what differs between two equal answers: the cursor, which is encrypted anew each time, and the numbers of new rows. */
const same = (answer: Answer) =>
  JSON.parse(
    JSON.stringify(answer)
      .replace(/"nextCursor":"[^"]+"/, '"nextCursor":"…"')
      .replace(/"(task_id|tx_id|id)":\d+/g, '"$1":0')
      .replace(/"e-\d+"/g, '"e-0"'),
  );
/** A tool that acts at once creates a new row each time: only its id, its timestamp and the number in its message differ. */
const sameAct = (answer: Answer) =>
  JSON.parse(
    JSON.stringify(same(answer))
      .replace(/"message":"[^"]*"/, (message) => message.replace(/\d+/g, '0'))
      .replace(/"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"|"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"new"'),
  );

describe.each(byName)('%s', (_name, tool) => {
  // The tickets of earlier tools end, because a person has at most twenty.
  beforeEach(() => testServer.clock.pass(301));
  const contract = published(tool);
  const expected = (gives: string | undefined) => gives ?? (tool.kind === 'write' ? 'pending_confirmation' : 'success');

  function check(what: string, { answer, status, text, result, requestId }: Outcome): void {
    expect([what, tellsOfItself(tool, answer) ? undefined : leakIn(text)]).toEqual([what, undefined]);
    expect([what, problem(contract.answer, answer)]).toEqual([what, undefined]);
    if (result === undefined) {
      expect(JSON.parse(text)).toEqual(answer);
      const code = codeOf(answer);
      const own = code in tool.errors ? toolFailure(code, tool.errors).status : statusOf(code);
      expect([what, status]).toEqual([what, answer.status === 'error' ? own : 200]);
      return;
    }
    expect([what, problem(contract.mcp.outputSchema, answer)]).toEqual([what, undefined]);
    const [line, resource, ...more] = result.content;
    expect([what, status, result.isError ?? false, more]).toEqual([what, 200, answer.status === 'error', []]);
    const embedded = JSON.parse(resource?.resource?.text ?? '') as unknown;
    expect(resource).toMatchObject({ type: 'resource', resource: { mimeType: 'application/json', uri: expect.any(String) } });
    if (tool.kind === 'list' && tool.resource !== undefined && answer.status === 'success') {
      const { status: done, data: items, metadata } = answer;
      expect(embedded).toEqual({ items, next_cursor: metadata?.nextCursor ?? null, status: done, metadata });
      expect(resource?.resource?.uri.split('?')[0]).toBe(tool.resource);
    } else {
      expect(embedded).toEqual(answer);
      expect(resource?.resource?.uri).toBe(`tamshai://answers/${requestId}`);
    }
    expect(line?.text).toMatch(/^\S[^\n]*\S$/);
    expect(result._meta.requestId).toBe(requestId);
    if (answer.status === 'pending_confirmation') expect(line?.text).toContain(answer.confirmationData.approvalUrl);
    if (answer.status === 'success' && answer.metadata?.hasMore) expect(line?.text).toContain('TRUNCATION WARNING');
    if (answer.status === 'error') expect(line?.text).toContain(answer.suggestedAction);
  }
  async function everywhere(what: string, as: string, input: () => Input | Promise<Input>, gives: string): Promise<void> {
    const answers: Answer[] = [];
    const qualified: Answer[] = [];
    await testServer.clock.stoppedFor(async () => {
      for (const endpoint of SURFACES) {
        const outcome = await toolCaller.call(endpoint, as, tool, await input());
        expect([what, endpoint, codeOf(outcome.answer)]).toEqual([what, endpoint, gives]);
        check(`${what} by ${endpoint}`, outcome);
        (endpoint === 'mcp' ? qualified : answers).push(outcome.answer);
      }
    });
    // A repeated write returns the ticket of the first call, so its answers are equal too, including the card.
    const plain = tool.kind === 'act' ? sameAct : same;
    for (const answer of answers) expect(plain(answer)).toEqual(plain(answers[0] as Answer));
    // Hints for MCP clients of the gateway use qualified tool names.
    for (const answer of qualified) expect(plain(answer)).toEqual(plain(qualifier.answer(answers[0] as Answer, tool.domain.name)));
    for (const answer of [...answers, ...qualified].filter((each) => each.status === 'error')) {
      expect(answer).toMatchObject({
        status: 'error',
        code: expect.stringMatching(/^[A-Z_]+$/),
        message: expect.stringMatching(/\S/),
        suggestedAction: expect.stringMatching(/\S.*\.$/),
        retryable: false,
      });
    }
  }

  it.each(tool.examples.map((example) => [example.question, example] as const))('“%s”', async (ask, { as, input, expects }) => {
    await everywhere(ask, as, () => input(today(testServer)), expected(expects));
  });

  it('succeeds with at least one input', async () => {
    const { as } = await ready(testServer, tool);
    await everywhere('the ready call', as, async () => (await ready(testServer, tool)).input, expected(undefined));
  });

  /** One caller for each audience that may call the tool. */
  const callers = [...new Map(callersOf(tool).map(({ username, realm, roles }) => [audienceFor(tool, rolesIn(realm, roles)), username]))];
  const ids = ownPropertiesOf(tool).filter(([key, { format }]) => format === 'uuid' || key.endsWith('_id'));
  const code = Object.keys(tool.errors).find((each) => each.endsWith('_NOT_FOUND'));

  it.each(ids)('%s: an unknown id, a deleted row and a row of another person give the same answer', async (key) => {
    const kind = unfindable[`${tool.domain.name}.${key}`] ?? unfindable[key];
    if (!kind) expect.fail(`tests/contract/arrange.ts does not know ids called ${key}`);
    for (const [audience, as] of callers) {
      const seesAll = audience === Object.keys(tool.domain.audiences)[0] && Object.keys(tool.domain.audiences).length > 1;
      const others = await kind(testServer, as, seesAll);
      const bodies: string[] = [];
      for (const [which, id] of Object.entries(others)) {
        if (id === undefined) continue;
        const { input } = await ready(testServer, tool);
        const outcome = await toolCaller.call('rest', as, tool, { ...input, [key]: id });
        if (tool.kind === 'list') expect([as, which, outcome.answer]).toMatchObject([as, which, { status: 'success', data: [] }]);
        else expect([as, which, codeOf(outcome.answer)]).toEqual([as, which, expect.stringMatching(/_NOT_FOUND$/)]);
        check(`${which} ${key}`, outcome);
        bodies.push(outcome.text.replaceAll(JSON.stringify(id), 'ID'));
      }
      expect(bodies.length).toBeGreaterThan(1);
      expect(new Set(bodies).size, bodies.join('\n')).toBe(1);
    }
  });
  it('declares a not-found error where it takes an id', () => {
    if (ids.length > 0 && tool.kind !== 'list') expect(code).toBeDefined();
  });
});

describe('every response', () => {
  const GOOD = /^[\w-]{1,64}$/;
  it('carries a request id: the caller’s own when it is well-formed', async () => {
    const token = await toolCaller.token('frank.davis');
    const mcp = await toolCaller.token('frank.davis', { mcp: true });
    const ask = async (given: string) => [
      await testServer.send('POST', '/api/tools/tasks/list_tasks', { token, body: {}, headers: { 'x-request-id': given } }),
      await testServer.rpc(mcp, 'tools/call', { name: 'tasks_list_tasks', arguments: {} }, { headers: { 'x-request-id': given } }),
      await testServer.send('GET', '/api/no-such-page', { token, headers: { 'x-request-id': given } }),
    ];
    for (const { headers } of await ask('mine-1')) expect(headers['x-request-id']).toBe('mine-1');
    for (const given of ['', 'a b', 'x'.repeat(65), 'x'.repeat(10_000), '<script>', 'a"b', '../x', 'é']) {
      for (const { headers } of await ask(Buffer.from(given).toString('latin1'))) {
        expect(headers['x-request-id']).toMatch(GOOD);
        expect(headers['x-request-id']).not.toBe(given);
      }
    }
  });
  it('forbids caching by intermediaries', async () => {
    const token = await toolCaller.token('frank.davis');
    for (const path of ['/api/user/info', '/api/confirmations', '/api/audit', '/api/nothing', '/health']) {
      const { headers } = await testServer.send('GET', path, { token });
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    }
  });
  it('is a short JSON error without internals for unknown paths, wrong methods and malformed URLs', async () => {
    const token = await toolCaller.token('eve.thompson');
    for (const [method, path, expected] of [
      ['POST', '/api/tools/hr/no_such_tool', 404],
      ['POST', '/api/tools/nothing/at_all', 404],
      ['GET', '/api/tools/tasks/list_tasks', 405],
      ['GET', '/api/nothing', 404],
      ['DELETE', '/api/confirmations', 405],
      ['POST', '/api/tools/tasks/..%2f..%2fx', 404],
      ['POST', `/api/tools/tasks/${'x'.repeat(20_000)}`, 404],
      ['POST', '/api/tools/tasks/%zz', 400],
      ['GET', '/%ff', 400],
    ] as const) {
      const { status, body, text } = await testServer.send(method, path, { token, ...(method === 'POST' && { body: {} }) });
      expect([path.slice(0, 80), status, body?.status, leakIn(text)]).toEqual([path.slice(0, 80), expected, 'error', undefined]);
      expect(text.length).toBeLessThan(1_000);
    }
  });
  it('is the same for an MCP SDK client and for a plain HTTP request', async () => {
    const client = await testServer.mcp('nina.patel');
    const { tools: listed } = await client.listTools();
    expect(listed.length).toBeGreaterThan(5);
    for (const [name, tool] of byName.filter(([, each]) => each.kind === 'list' && each.examples.some(({ as }) => as === 'nina.patel'))) {
      const example = tool.examples.find(({ as, expects }) => as === 'nina.patel' && expects === undefined);
      if (!example) continue;
      // The client validates the answer against the listed outputSchema.
      const { structuredContent } = await client.callTool({ name, arguments: example.input(today(testServer)) });
      expect(same(structuredContent as unknown as Answer)).toEqual(
        same((await toolCaller.call('rest', 'nina.patel', tool, example.input(today(testServer)))).answer),
      );
    }
    expect(qualifiedName(byName[0]?.[1] as Tool)).toBe(byName[0]?.[0]);
  });
});
