/** The knowledge tools with MCP clients of both generations: one line of text, structured content, and errors with hints. */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const TOOLS = ['store', 'update', 'delete', 'query', 'relate', 'query_graph', 'undo', 'history'];
const LISTS = ['query', 'query_graph', 'history'];
type Schema = Parameters<AjvJsonSchemaValidator['getValidator']>[0];
interface Result {
  readonly content: readonly [
    { type: 'text'; text: string },
    { type: 'resource'; resource: { uri: string; mimeType: string; text: string } },
  ];
  readonly structuredContent: Record<string, unknown>;
  readonly isError?: boolean;
}
interface AnyClient {
  readonly version: string | undefined;
  readonly schemas: ReadonlyMap<string, Schema>;
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  close(): Promise<void>;
}
type Connect = (address: string, token: string) => Promise<AnyClient>;

const requestInit = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const schemasOf = (tools: readonly { name: string; outputSchema?: unknown }[]) =>
  new Map(tools.map(({ name, outputSchema }) => [name, outputSchema as Schema]));
const second =
  (mode: 'auto' | 'legacy'): Connect =>
  async (address, token) => {
    const client = new Client2({ name: 'knowledge test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new Http2(new URL(address), { requestInit: requestInit(token) }));
    return {
      version: client.getNegotiatedProtocolVersion(),
      schemas: schemasOf((await client.listTools()).tools),
      call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as unknown as Result,
      close: () => client.close(),
    };
  };
const first: Connect = async (address, token) => {
  const client = new Client1({ name: 'knowledge test', version: '1' });
  const transport = new Http1(new URL(address), { requestInit: requestInit(token) });
  await client.connect(transport as Parameters<Client1['connect']>[0]);
  return {
    version: transport.protocolVersion,
    schemas: schemasOf((await client.listTools()).tools),
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as unknown as Result,
    close: () => client.close(),
  };
};

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer?.close());

const endpoints = [
  [
    'the gateway',
    'knowledge_',
    async (user: string) => [`${testServer.tamshai.base}/mcp`, await testServer.token(user, { mcp: true })] as const,
  ],
  [
    'its own server',
    '',
    async (user: string) =>
      [
        `http://localhost:${testServer.tamshai.ports['knowledge']}/mcp`,
        await testServer.token(user, { mcp: true, server: 'knowledge' }),
      ] as const,
  ],
] as const;
const clients = [
  ['SDK 2', second('auto'), '2026-07-28'],
  ['SDK 2 in legacy mode', second('legacy'), '2025-11-25'],
  ['SDK 1', first, '2025-11-25'],
] as const;

describe.each(endpoints)('at %s', (_door, prefix, endpoint) => {
  describe.each(clients)('with %s', (_client, connect, version) => {
    let client: AnyClient;
    beforeAll(async () => {
      client = await connect(...(await endpoint('marcus.johnson')));
      expect(client.version).toBe(version);
    });
    afterAll(() => client?.close());

    const validator = new AjvJsonSchemaValidator();
    /** Calls a tool. Checks that the reply has one line of text, and structured content of the published schema, also as a resource. */
    async function call(tool: string, args: Record<string, unknown> = {}): Promise<Result> {
      const result = await client.call(prefix + tool, args);
      const [line, embedded, ...more] = result.content;
      expect(more).toEqual([]);
      expect(line).toEqual({ type: 'text', text: expect.stringMatching(/^\S[^\r\n]*\S$/) });
      expect(embedded).toEqual({
        type: 'resource',
        resource: { uri: expect.any(String), mimeType: 'application/json', text: expect.any(String) },
      });
      const {
        status,
        data: items,
        metadata,
      } = result.structuredContent as { status: string; data: unknown; metadata?: { nextCursor?: string } };
      const page = LISTS.includes(tool) && status === 'success';
      expect(JSON.parse(embedded.resource.text)).toEqual(
        page ? { items, next_cursor: metadata?.nextCursor ?? null, status, metadata } : result.structuredContent,
      );
      const schema = client.schemas.get(prefix + tool);
      if (schema === undefined) throw new Error(`${tool} publishes no schema`);
      expect(validator.getValidator(schema)(result.structuredContent).errorMessage).toBeUndefined();
      expect(result.isError ?? false).toBe(result.structuredContent['status'] === 'error');
      return result;
    }
    const lineOf = ({ content: [{ text }] }: Result) => text;
    const dataOf = ({ structuredContent }: Result) => {
      expect(structuredContent).toMatchObject({ status: 'success' });
      return structuredContent['data'] as Record<string, unknown>;
    };

    test('every tool answers with structured content that matches its published schema, and with one line of text', async () => {
      expect([...client.schemas.keys()].filter((name) => name.startsWith(prefix) && TOOLS.includes(name.slice(prefix.length))).length).toBe(
        TOOLS.length,
      );
      const topic = `Tides by ${prefix}${version}${Math.random()}`;
      const stored = await call('store', { topic, content: 'Twice a day.', tags: ['sea'], confidence: 0.9 });
      const { id, tx_id } = dataOf(stored) as { id: string; tx_id: number };
      expect(lineOf(stored)).toBe(`Recorded “${topic}” as ${id}.`);
      const updated = await call('update', { id, content: 'Twice a day and a little more.' });
      expect(lineOf(updated)).toBe(`Changed “${topic}” (${id}).`);
      const found = await call('query', { topic });
      expect(lineOf(found)).toBe(`Found 1 entry matching "${topic}".`);
      expect(dataOf(found)).toMatchObject([
        { id, topic, content: 'Twice a day and a little more.', confidence: 0.9, tags: ['sea'], mine: true },
      ]);
      const related = await call('relate', { subject: id, predicate: 'part of', object: topic });
      const triple = (dataOf(related)['triple'] as { id: string }).id;
      expect(lineOf(related)).toBe(`Recorded “${id} part of ${topic}” (${triple}).`);
      const graph = await call('query_graph', { subject: id });
      expect([lineOf(graph), dataOf(graph)]).toMatchObject(['Found 1 triple.', [{ id: triple, predicate: 'part_of' }]]);
      const removed = await call('delete', { id });
      expect([lineOf(removed), dataOf(removed)]).toMatchObject([
        `Deleted ${id} and the triples about it: ${triple}.`,
        { id, deleted: true, also_deleted: [triple] },
      ]);
      const gone = Number(dataOf(removed)['tx_id']);
      const undone = await call('undo', { tx_id: gone });
      expect([lineOf(undone), dataOf(undone)]).toMatchObject([`Undid change ${gone}; that is change ${gone + 1}.`, { undid: gone }]);
      const history = await call('history', { id });
      expect(lineOf(history)).toBe('Found 4 changes.');
      expect((dataOf(history) as unknown as { action: string; tx_id: number }[]).map(({ action }) => action)).toEqual([
        'undo',
        'delete',
        'update',
        'store',
      ]);
      expect((dataOf(history) as unknown as { tx_id: number }[]).at(-1)?.tx_id).toBe(tx_id);
    });

    test('the reply to the example of the specification is as specified', async () => {
      const { content, structuredContent } = await call('query', { topic: 'deployment' });
      const [line, { type, resource }] = content;
      expect(line).toEqual({ type: 'text', text: 'Found 2 entries matching "deployment".' });
      expect([type, Object.keys(resource), resource.uri, resource.mimeType]).toEqual([
        'resource',
        ['uri', 'mimeType', 'text'],
        'knowledge://entries?topic=deployment',
        'application/json',
      ]);
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      const items = [
        {
          id: expect.stringMatching(/^e-\d+$/),
          topic: 'deployment',
          content: 'Use blue-green deploys for zero-downtime releases.',
          confidence: 0.92,
          recorded_at: time,
        },
        {
          id: expect.stringMatching(/^e-\d+$/),
          topic: 'deployment rollback',
          content: 'Rollback within 5 min if error rate exceeds 1%.',
          confidence: 0.85,
          recorded_at: time,
        },
      ];
      expect(JSON.parse(resource.text)).toMatchObject({ items, next_cursor: null });
      expect(structuredContent).toMatchObject({ status: 'success', data: items, metadata: { hasMore: false, returnedCount: 2 } });
      expect(structuredContent['metadata']).not.toHaveProperty('nextCursor');
    });

    test('the arguments are in the resource URI, and the next page is requested with the returned cursor', async () => {
      const asked = { query: 'Wer & was?', tags: ['a b', 'c'], minConfidence: 0.5, limit: 1 };
      const uri = 'knowledge://entries?query=Wer+%26+was%3F&tags=a+b&tags=c&min_confidence=0.5&limit=1';
      expect((await call('query', asked)).content[1].resource.uri).toBe(uri);
      for (const [tool, address] of [
        ['query', 'knowledge://entries'],
        ['query_graph', 'knowledge://graph/triples'],
        ['history', 'knowledge://history/transactions'],
      ] as const) {
        const pageOf = async (args: object) => {
          const { resource } = (await call(tool, { ...args })).content[1];
          expect(resource.uri.split('?')[0]).toBe(address);
          return JSON.parse(resource.text) as { items: { id?: string; tx_id: number }[]; next_cursor: string | null };
        };
        const one = await pageOf({ limit: 1 });
        const two = await pageOf({ limit: 1, cursor: one.next_cursor });
        expect(two.items).toHaveLength(1);
        expect(two.items).not.toEqual(one.items);
      }
    });

    test("a change of a colleague's entry needs an approval, and the line of text has the link", async () => {
      const { structuredContent, content } = await call('update', { id: 'e-2', content: 'Rollback within 10 min.' });
      expect(structuredContent).toMatchObject({ status: 'pending_confirmation', confirmationId: expect.any(String) });
      expect(content[0].text).toContain((structuredContent['confirmationData'] as { approvalUrl: string }).approvalUrl);
    });

    test.each([
      ['store', { topic: '', content: 'x' }, 'VALIDATION_ERROR'],
      ['store', { topic: 'x' }, 'VALIDATION_ERROR'],
      ['update', { id: 'e-999999', content: 'x' }, 'ENTRY_NOT_FOUND'],
      ['delete', { id: 'nonsense' }, 'ENTRY_NOT_FOUND'],
      ['query', { min_confidence: 2 }, 'VALIDATION_ERROR'],
      ['query', { cursor: 'made-up' }, 'INVALID_CURSOR'],
      ['relate', { subject: 'search-service', predicate: 'owned_by', object: 'Nobody' }, 'TRIPLE_CONFLICT'],
      ['query_graph', { subject: 5 }, 'VALIDATION_ERROR'],
      ['undo', { tx_id: 999_999 }, 'TRANSACTION_NOT_FOUND'],
      ['history', { action: 'destroy' }, 'VALIDATION_ERROR'],
    ])('%s %j fails with its code, a message, a hint and retryable false', async (tool, args, code) => {
      const { structuredContent, isError, content } = await call(tool, args);
      expect([structuredContent, isError]).toMatchObject([
        { status: 'error', code, message: expect.stringMatching(/\S/), retryable: false },
        true,
      ]);
      expect(content[0].text).toContain(structuredContent['suggestedAction']);
      expect(JSON.stringify(structuredContent)).not.toMatch(/select |insert |at \S+\.ts|postgres|stack/i);
    });

    test('a failing store is reported as retryable', async () => {
      await testServer.owner(
        "create function knowledge.full() returns trigger language plpgsql as $$ begin raise exception 'no space left on " +
          "/dev/sda1' using errcode = '53100'; end $$",
      );
      await testServer.owner(
        'create trigger full_disk before insert on knowledge.transactions for each row execute function knowledge.full()',
      );
      try {
        const { structuredContent } = await call('store', { topic: 'x', content: 'Not now.' });
        expect(structuredContent).toMatchObject({
          status: 'error',
          code: 'SERVICE_UNAVAILABLE',
          message: expect.stringMatching(/\S/),
          retryable: true,
        });
        expect(JSON.stringify(structuredContent)).not.toMatch(/sda1|space/);
      } finally {
        await testServer.owner('drop function knowledge.full cascade');
      }
      expect(dataOf(await call('store', { topic: 'x', content: 'Now.' }))).toMatchObject({ topic: 'x' });
    });
  });
});

test('/api/user/mcp-tools says which tools need an approval, and when they write at once', async () => {
  const { body } = await testServer.send('GET', '/api/user/mcp-tools', { token: await testServer.token('alice.chen') });
  const { servers } = (
    body as unknown as {
      data: { servers: { name: string; tools: { name: string; needsApproval: boolean; atOnceWhen: string | null }[] }[] };
    }
  ).data;
  const of = (server: string, tool: string) => {
    const found = servers.find(({ name }) => name === server)?.tools.find(({ name }) => name === tool);
    return [found?.needsApproval, found?.atOnceWhen];
  };
  expect(of('knowledge', 'store')).toEqual([false, null]);
  expect(of('knowledge', 'query')).toEqual([false, null]);
  expect(of('knowledge', 'update')).toEqual([true, 'you recorded the entry yourself']);
  expect(of('hr', 'update_salary')).toEqual([true, null]);
});
