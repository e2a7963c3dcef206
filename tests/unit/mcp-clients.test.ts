/** MCP clients of both TypeScript SDK generations against the MCP endpoint: listing, results, errors and pending changes. */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from './mcp-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.close());

interface Result {
  content?: unknown;
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
}
interface AnyClient {
  readonly version: string | undefined;
  tools(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>): Promise<Result>;
  close(): Promise<void>;
}

const info = { name: 'Test client\u202e', version: '1.0.0' };
const requestInit = (token: string) => ({ headers: { authorization: `Bearer ${token}`, 'x-request-id': 'req-1' } });

const second =
  (mode: 'auto' | 'legacy') =>
  async (token = 'alice', url = fixture.url): Promise<AnyClient> => {
    const client = new Client2(info, { versionNegotiation: { mode } });
    await client.connect(new Http2(new URL(url), { requestInit: requestInit(token) }));
    return {
      version: client.getNegotiatedProtocolVersion(),
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    };
  };
const first = async (token = 'alice', url = fixture.url): Promise<AnyClient> => {
  const client = new Client1(info);
  const transport = new Http1(new URL(url), { requestInit: requestInit(token) });
  await client.connect(transport as Parameters<Client1['connect']>[0]);
  return {
    version: transport.protocolVersion,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args) => client.callTool({ name, arguments: args }) as Promise<Result>,
    close: () => client.close(),
  };
};

describe.each([
  ['SDK 2, auto', second('auto'), '2026-07-28'],
  ['SDK 2, legacy', second('legacy'), '2025-11-25'],
  ['SDK 1', first, '2025-11-25'],
])('%s', (_, connect, version) => {
  it(`negotiates ${version} and sees only the tools of its person`, async () => {
    const [alice, bob] = [await connect('alice'), await connect('bob')];
    expect(alice.version).toBe(version);
    expect(await alice.tools()).toContain('notes_secret');
    expect(await bob.tools()).toEqual(['notes_echo', 'notes_fail', 'notes_break', 'notes_raise', 'notes_wait']);
    await Promise.all([alice.close(), bob.close()]);
  });

  it('gets a text summary, and the answer as a resource and as structured content, from one run', async () => {
    const client = await connect();
    fixture.calls.length = 0;
    const args = { note: 'Größe "1" \n \u2028 😀', n: 1.5, list: [{ a: null }] };
    const result = await client.call('notes_echo', args);
    const answer = { status: 'success', data: { echo: args, umlaut: 'é "quoted" \u2028', by: 'alice' } };
    const [line, embedded] = result.content as [unknown, { resource: { text: string } }];
    expect(line).toEqual({ type: 'text', text: 'notes_echo did it' });
    expect(embedded).toMatchObject({ type: 'resource', resource: { uri: 'tamshai://answers/req-1', mimeType: 'application/json' } });
    expect(JSON.parse(embedded.resource.text)).toEqual(answer);
    expect(result.structuredContent).toEqual(answer);
    expect(result.isError ?? false).toBe(false);
    expect(result._meta).toMatchObject({ requestId: 'req-1' });
    expect(fixture.calls).toMatchObject([{ name: 'notes_echo', args, by: 'alice', clientName: 'Test client' }]);
    await client.close();
  });

  it('gets errors in the result, without internal details', async () => {
    const client = await connect('bob');
    const failed = await client.call('notes_fail', {});
    expect(failed.isError).toBe(true);
    expect(failed.structuredContent).toMatchObject({
      status: 'error',
      code: 'VALIDATION_ERROR',
      retryable: false,
      details: { field: 'note' },
    });
    const broken = await client.call('notes_break', {});
    expect(broken.isError).toBe(true);
    expect(broken.structuredContent).toMatchObject({ status: 'error', code: 'INTERNAL_ERROR', details: { requestId: 'req-1' } });
    expect(JSON.stringify(broken)).not.toMatch(/ECONNREFUSED|10\.0\.0\.7/);
    expect((await client.call('notes_secret', {})).structuredContent).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
    await client.close();
  });

  it('gets a pending change with its approval link', async () => {
    const client = await connect();
    fixture.calls.length = 0;
    const result = await client.call('notes_raise', { by: version });
    const pending = result.structuredContent as { status: string; confirmationId: string };
    expect(pending.status).toBe('pending_confirmation');
    expect((result.content as { text: string }[])[0]?.text).toContain(`http://localhost:3100/approvals/${pending.confirmationId}`);
    expect(result.isError ?? false).toBe(false);
    expect(fixture.calls).toHaveLength(1);
    await client.close();
  });

  it('gets an error for an unknown tool', async () => {
    const client = await connect();
    await expect(client.call('notes_none', {})).rejects.toThrow(/Unknown tool: notes_none/);
    await client.close();
  });

  it('is refused with an unknown token', async () => {
    await expect(connect('mallory')).rejects.toThrow();
  });

  it('can select servers, but not unknown ones', async () => {
    const client = await connect('alice', `${fixture.url}?servers=notes`);
    expect(await client.tools()).toContain('notes_echo');
    await client.close();
    await expect(connect('alice', `${fixture.url}?servers=none`)).rejects.toThrow();
  });
});

it('a running tool is aborted when its client disconnects', async () => {
  fixture.calls.length = 0;
  const abort = new AbortController();
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'notes_wait',
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
    },
  });
  const headers = {
    authorization: 'Bearer alice',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'notes_wait',
  };
  const asked = fetch(fixture.url, { method: 'POST', headers, body, signal: abort.signal }).catch(() => 'gone');
  await expect.poll(() => fixture.calls.length).toBe(1);
  expect(fixture.calls[0]?.signal.aborted).toBe(false);
  abort.abort();
  expect(await asked).toBe('gone');
  await expect.poll(() => fixture.calls[0]?.signal.aborted).toBe(true);
});
