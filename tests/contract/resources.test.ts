/** Resources and prompts have the same checks, the same error shape and the same audit records as tools. */
import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { opens } from '../../src/engine/access.ts';
import { errorAnswer } from '../../src/derive/answers.ts';
import type { ErrorAnswer } from '../../src/declare/errors.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { builtIn } from '../registry.ts';

const { resources, prompts, feeds, tools } = builtIn;
/** Placeholder values for the variables of a URI template. */
const addressOf = (uri: string) => uri.replace(/\{[^}]+\}/g, 'x');
const paged = resources.filter((resource) => resource.paged);

let testServer: TestServer;
let staff: string;
beforeAll(async () => {
  testServer = await openTestServer();
  staff = await testServer.token('marcus.johnson', { mcp: true });
});
afterAll(() => testServer.close());

interface Reply {
  readonly error: { readonly code: number; readonly message: string; readonly data: ErrorAnswer } | undefined;
  readonly result: Record<string, unknown> | undefined;
}
async function ask(
  method: string,
  params: Record<string, unknown>,
  token = staff,
  requestId: string = randomUUID(),
  server?: string,
): Promise<Reply> {
  const named = (params['name'] ?? params['uri']) as string | undefined;
  const plain = named === undefined || /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(named);
  const name = plain ? named : `=?base64?${Buffer.from(named).toString('base64')}?=`;
  const headers = { 'x-request-id': requestId, ...(name !== undefined && { 'mcp-name': name }) };
  return (await testServer.rpc<Record<string, unknown>>(token, method, params, { headers, server })) as unknown as Reply;
}
const read = (uri: string, token?: string, requestId?: string) => ask('resources/read', { uri }, token, requestId);
const pageIn = ({ result, error }: Reply) => {
  if (result === undefined) throw new Error(JSON.stringify(error));
  return JSON.parse((result['contents'] as { text: string }[])[0]?.text ?? '') as { items: unknown[]; next_cursor: string | null };
};
function refused({ error, result }: Reply, code: string): void {
  expect(result).toBeUndefined();
  expect(errorAnswer.strict().parse(error?.data)).toMatchObject({ status: 'error', code });
  expect(error?.code).toBe(error?.data.retryable ? -32603 : -32602);
  expect(error?.message).toBe(error?.data.message);
  expect(JSON.stringify(error)).not.toMatch(/select |node_modules|postgres|pglite|sqlite|ENOENT|\.ts:/i);
}
const recorded = async (requestId: string) => {
  const token = await testServer.token('eve.thompson');
  const { body } = await testServer.send<{ data: { requestId: string }[] }>('GET', '/api/audit?limit=50', { token });
  return body.data.filter((record) => record.requestId === requestId);
};

describe.each(resources.map((resource) => [resource.uri, resource] as const))('%s', (uri, resource) => {
  test('records each read with the number of rows', async () => {
    const requestId = randomUUID();
    const reply = await read(addressOf(uri), staff, requestId);
    const rows = resource.paged ? pageIn(reply).items.length : undefined;
    const [record, ...more] = await recorded(requestId);
    expect(more).toEqual([]);
    expect(record).toMatchObject({ server: resource.domain.name, tool: uri, surface: 'mcp', username: 'marcus.johnson' });
    expect(record).toMatchObject(
      reply.error ? { decision: 'refused', code: reply.error.data.code } : { decision: 'allowed', ...(rows && { rows }) },
    );
    if (reply.error) refused(reply, reply.error.data.code);
    else expect(reply.result).toMatchObject({ contents: [{ uri: addressOf(uri), mimeType: resource.mimeType }] });
  });

  test('refuses customers, is not listed for them, and the attempt is recorded', async () => {
    const customer = await testServer.token('jane.smith@acme.example', { mcp: true });
    const requestId = randomUUID();
    refused(await read(addressOf(uri), customer, requestId), 'INSUFFICIENT_PERMISSIONS');
    expect(await recorded(requestId)).toMatchObject([{ decision: 'refused', code: 'INSUFFICIENT_PERMISSIONS', tool: uri }]);
    expect((await ask('resources/list', {}, customer)).result).toMatchObject({ resources: [] });
    expect((await ask('resources/templates/list', {}, customer)).result).toMatchObject({ resourceTemplates: [] });
  });

  test('refuses undeclared parameters', async () => {
    refused(await read(`${addressOf(uri)}?colour=red`), 'VALIDATION_ERROR');
    if (!resource.paged) refused(await read(`${addressOf(uri)}?limit=5`), 'VALIDATION_ERROR');
  });

  test('is listed by its own server and by the gateway, with its version', async () => {
    const token = await testServer.token('marcus.johnson', { mcp: true, server: resource.domain.name });
    const kind = resource.variables.length > 0 ? 'resources/templates/list' : 'resources/list';
    for (const [who, server] of [
      [staff, undefined],
      [token, resource.domain.name],
    ] as const) {
      const { result } = await ask(kind, {}, who, undefined, server);
      const all = (result?.['resources'] ?? result?.['resourceTemplates']) as Record<string, unknown>[];
      expect(all.find((each) => each['uri'] === uri || each['uriTemplate'] === uri)).toMatchObject({
        name: resource.name,
        description: resource.description,
        mimeType: resource.mimeType,
        mime_type: resource.mimeType,
        version: resource.version,
        _meta: { mime_type: resource.mimeType, version: resource.version },
      });
    }
  });
});

describe.each(paged.map(({ uri }) => [uri]))('pages of %s', (uri) => {
  test.each(['0', '51', '-1', '1e1', '1.5', 'abc', '', '999999999999', '5&limit=6', '05', '%00'])(
    'a limit of %s is refused',
    async (limit) => {
      refused(await read(`${uri}?limit=${limit}`), 'VALIDATION_ERROR');
    },
  );

  test('a cursor is valid only for its own resource and person', async () => {
    const { next_cursor: cursor } = pageIn(await read(`${uri}?limit=1`));
    if (cursor === null) throw new Error('there is only one page');
    expect(pageIn(await read(`${uri}?cursor=${cursor}`)).items.length).toBeGreaterThan(0);
    refused(await read(`${uri}?cursor=${cursor}`, await testServer.token('sarah.kim', { mcp: true })), 'INVALID_CURSOR');
    for (const other of paged.filter((each) => each.uri !== uri)) refused(await read(`${other.uri}?cursor=${cursor}`), 'INVALID_CURSOR');
    const damaged = `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`;
    for (const bad of [damaged, cursor.slice(0, -1), `${cursor}A`, '', 'x', '12', '%F0%9F%98%80'])
      refused(await read(`${uri}?cursor=${bad}`), 'INVALID_CURSOR');
    refused(await read(`${uri}?cursor=${cursor}&cursor=${cursor}`), 'VALIDATION_ERROR');
    // A cursor of a tool's list is refused by a resource, and the reverse.
    const { body } = await testServer.rest('marcus.johnson', 'knowledge', 'query', { limit: 1 });
    refused(await read(`${uri}?cursor=${body.status === 'success' ? body.metadata?.nextCursor : ''}`), 'INVALID_CURSOR');
    expect((await testServer.rest('marcus.johnson', 'knowledge', 'query', { cursor })).body).toMatchObject({ code: 'INVALID_CURSOR' });
  });
});

test.each([
  'knowledge://entries/',
  'knowledge://entries/../graph/triples',
  'knowledge://graph',
  'KNOWLEDGE://entries',
  'knowledge://entries#x',
  'knowledge:/entries',
  'knowledge://Entries',
  'knowledge://entries%2f',
  ' knowledge://entries',
  'knowledge://user@entries',
  'file:///etc/passwd',
  'http://localhost/',
  'knowledge',
  'x',
  'journey://decisions/../../package.json',
  'journey://decisions/%2e%2e',
  'journey://decisions/%2e%2e%2f%2e%2e%2fpackage.json',
  'journey://decisions/..%5c..%5cx',
  'journey://decisions/x%00.md',
  'journey://decisions/%',
  'journey://decisions/',
  'journey://lessons/../../.env',
  'journey://decisions/{adr-id}/x',
  `journey://failures/${'x'.repeat(9000)}`,
  'prompts/ingest-memory',
  'knowledge://entries#subscribe',
])('no resource has the address %j', async (uri) => {
  const requestId = randomUUID();
  const reply = await read(uri, staff, requestId);
  refused(reply, 'RESOURCE_NOT_FOUND');
  expect(await recorded(requestId)).toMatchObject([{ decision: 'refused', code: 'RESOURCE_NOT_FOUND' }]);
});

test.each(
  tools.flatMap((tool) =>
    tool.kind !== 'list' || tool.resource === undefined ? [] : [[`${tool.domain.name}.${tool.name}`, tool, tool.resource] as const],
  ),
)('rows of %s are items of a resource that its callers may read', (_name, { roles }, uri) => {
  const resource = resources.find((each) => each.uri === uri);
  expect([uri, resource?.paged]).toEqual([uri, true]);
  for (const role of roles) expect(resource && opens(resource.tool, new Set([role]))).toBe(true);
});

test('?servers= restricts resources and prompts, in reads and in lists', async () => {
  const uri = 'knowledge://entries';
  const of = (query: string, method: string, params: Record<string, string>) =>
    testServer.rpc<Record<string, unknown[]>>(staff, method, params, {
      query,
      headers: { 'mcp-name': params['uri'] ?? params['name'] ?? '' },
    });
  expect((await of('?servers=hr', 'resources/list', {})).result?.['resources']).toEqual([]);
  expect((await of('?servers=hr', 'prompts/list', {})).result?.['prompts']).toEqual([]);
  expect((await of('?servers=hr', 'resources/read', { uri })).error).toMatchObject({ data: { code: 'RESOURCE_NOT_FOUND' } });
  expect((await of('?servers=hr', 'prompts/get', { name: 'ingest-memory' })).error).toMatchObject({ data: { code: 'PROMPT_NOT_FOUND' } });
  expect((await of('?servers=knowledge', 'resources/read', { uri })).error).toBeUndefined();
});

describe('prompts', () => {
  const given = (name: string) =>
    Object.fromEntries(
      Object.entries(prompts.find((each) => each.name === name)?.arguments.shape ?? {}).map(([key]) => [key, 'vpn access']),
    );

  test.each(prompts.map((prompt) => [prompt.name, prompt] as const))(
    '%s names only tools that its readers may use, and describes no write as done',
    async (name, prompt) => {
      for (const role of prompt.roles)
        for (const tool of prompt.tools) expect([tool.name, opens(tool, new Set([role]))]).toEqual([tool.name, true]);
      const { result } = await ask('prompts/get', { name, arguments: given(name) });
      const [message] = (result as { messages: { role: string; content: { text: string } }[] }).messages;
      expect(message?.role).toBe('user');
      const named = [...(message?.content.text ?? '').matchAll(/\bknowledge_[a-z_]+/g)].map(([tool]) => tool.slice('knowledge_'.length));
      expect(new Set(named)).toEqual(new Set(prompt.tools.map((tool) => tool.name)));
      if (prompt.tools.some(({ kind }) => kind === 'act' || kind === 'write'))
        expect(message?.content.text).toContain('Nothing has been written so far');
      expect(message?.content.text).not.toMatch(/\b(has been|was|were|have been) (stored|recorded|saved|updated|deleted|corrected)\b/i);
    },
  );

  test('are recorded, refused with the same error shape, and hidden from customers', async () => {
    const requestId = randomUUID();
    await ask('prompts/get', { name: 'retrieve-context', arguments: { question: 'Why?' } }, staff, requestId);
    expect(await recorded(requestId)).toMatchObject([{ decision: 'allowed', server: 'knowledge', tool: 'prompts/retrieve-context' }]);
    refused(await ask('prompts/get', { name: 'retrieve-context', arguments: {} }), 'VALIDATION_ERROR');
    refused(await ask('prompts/get', { name: 'retrieve-context', arguments: { question: 'x', qualified: 'true' } }), 'VALIDATION_ERROR');
    refused(await ask('prompts/get', { name: 'retrieve-context', arguments: { question: 'x\u202e' } }), 'VALIDATION_ERROR');
    refused(await ask('prompts/get', { name: 'no-such' }), 'PROMPT_NOT_FOUND');
    const customer = await testServer.token('jane.smith@acme.example', { mcp: true });
    expect((await ask('prompts/list', {}, customer)).result).toMatchObject({ prompts: [] });
    refused(await ask('prompts/get', { name: 'retrieve-context', arguments: { question: 'x' } }, customer), 'INSUFFICIENT_PERMISSIONS');
  });

  test('complete nothing for people without the role, for unknown names and for long values', async () => {
    const customer = await testServer.token('jane.smith@acme.example', { mcp: true });
    const argument = { name: 'topic', value: '' };
    refused(
      await ask('completion/complete', { ref: { type: 'ref/prompt', name: 'retrieve-context' }, argument }, customer),
      'INSUFFICIENT_PERMISSIONS',
    );
    refused(await ask('completion/complete', { ref: { type: 'ref/prompt', name: 'no-such' }, argument }), 'PROMPT_NOT_FOUND');
    refused(
      await ask('completion/complete', { ref: { type: 'ref/resource', uri: 'journey://no-such/{topic}' }, argument }),
      'RESOURCE_NOT_FOUND',
    );
    refused(
      await ask('completion/complete', {
        ref: { type: 'ref/prompt', name: 'retrieve-context' },
        argument: { name: 'topic', value: 'x'.repeat(2000) },
      }),
      'VALIDATION_ERROR',
    );
    const all = await ask('completion/complete', { ref: { type: 'ref/prompt', name: 'retrieve-context' }, argument });
    expect((all.result as { completion: { values: string[] } }).completion.values.length).toBeLessThanOrEqual(100);
  });
});

describe('older protocol revisions', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])('%s supports resources and prompts in a session', async (version) => {
    const post = async (message: object, session?: string) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${staff}`,
        ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': version }),
      };
      const reply = await request(`${testServer.address()}/mcp`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
      const text = await reply.body.text();
      const data = /^data: (\{.*)$/m.exec(text)?.[1] ?? text;
      return {
        session: reply.headers['mcp-session-id'] as string,
        ...(data === '' ? {} : (JSON.parse(data) as { result?: Record<string, unknown>; error?: { data: ErrorAnswer } })),
      };
    };
    const hello = await post({
      id: 1,
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 't', version: '1' } },
    });
    expect(hello.result).toMatchObject({
      protocolVersion: version,
      capabilities: { resources: { subscribe: true }, prompts: {}, completions: {} },
    });
    const call = (method: string, params: object = {}) => post({ id: 2, method, params }, hello.session);
    await post({ method: 'notifications/initialized' }, hello.session);
    expect((await call('resources/list')).result?.['resources']).toHaveLength(
      resources.filter(({ variables }) => variables.length === 0).length,
    );
    expect((await call('resources/read', { uri: 'knowledge://entries?limit=2' })).result).toMatchObject({
      contents: [{ mimeType: 'application/json' }],
    });
    expect((await call('prompts/list')).result?.['prompts']).toHaveLength(prompts.length);
    expect((await call('resources/subscribe', { uri: 'knowledge://entries' })).result).toEqual({});
    expect((await call('resources/unsubscribe', { uri: 'knowledge://entries' })).result).toEqual({});
    for (const { uri } of resources.filter((each) => !feeds.some((feed) => feed.resources.includes(each)))) {
      expect((await call('resources/subscribe', { uri: addressOf(uri) })).error?.data).toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
        message: 'This resource has no subscriptions.',
      });
    }
  });
});
