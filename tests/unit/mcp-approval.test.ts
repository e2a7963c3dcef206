/** MCP elicitation of approvals: the server sends the client the URL of the approval page, and the client's own answer approves nothing. */
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openState, sealState } from '../../src/transports/mcp/seal.ts';
import { type Fixture, key, startFixture } from './mcp-fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.close());
beforeEach(() => {
  fixture.calls.length = 0;
  fixture.tickets.clear();
});

type Action = 'accept' | 'decline' | 'cancel';
interface Asked {
  mode?: string | undefined;
  message: string;
  url?: string;
}
type OnAsk = (asked: Asked) => Action | Promise<Action>;
interface Result {
  structuredContent?: unknown;
  content?: unknown;
  isError?: boolean | undefined;
}
type Modes = { form?: Record<string, never>; url?: Record<string, never> };

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});
const info = { name: 'test', version: '1' };
const requestInit = { headers: { authorization: 'Bearer alice' } };

const second = (mode: 'auto' | 'legacy') => async (elicitation: Modes, onAsk: OnAsk) => {
  const client = new Client2(info, { capabilities: { elicitation }, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', async ({ params }) => ({ action: await onAsk(params as Asked) }));
  await client.connect(new Http2(new URL(fixture.url), { requestInit }));
  open.push(() => client.close());
  return (name: string, args: Record<string, unknown>): Promise<Result> => client.callTool({ name, arguments: args });
};
const first = async (elicitation: Modes, onAsk: OnAsk) => {
  const client = new Client1(info, { capabilities: { elicitation } });
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ action: await onAsk(params as Asked) }));
  await client.connect(new Http1(new URL(fixture.url), { requestInit }) as Parameters<Client1['connect']>[0]);
  open.push(() => client.close());
  return (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args }) as Promise<Result>;
};

const done = { status: 'success', data: { raised: true } } as const;
const idOf = (url = '') => url.split('/').at(-1) ?? '';

describe.each([
  ['2026-07-28', second('auto')],
  ['2025-11-25, SDK 2', second('legacy')],
  ['2025-11-25, SDK 1', first],
])('%s, a client that opens URLs', (_, connect) => {
  it('gets the URL of the approval page, and then the result of the ticket', async () => {
    const asked: Asked[] = [];
    const call = await connect({ url: {} }, (request) => {
      asked.push(request);
      fixture.decide(idOf(request.url), { state: 'done', answer: done });
      return 'accept';
    });
    const result = await call('notes_raise', { n: 1 });
    expect(asked).toMatchObject([{ mode: 'url', message: 'Raise the note.' }]);
    expect(asked[0]?.url).toBe(`http://localhost:3100/approvals/${[...fixture.tickets.keys()][0]}`);
    expect(result.structuredContent).toEqual(done);
    expect(fixture.calls).toHaveLength(1);
  });

  it.each(['accept', 'decline', 'cancel'] as const)(
    'that answers "%s" before the decision gets the pending answer again',
    async (action) => {
      const call = await connect({ url: {} }, () => action);
      const result = await call('notes_raise', { n: 2 });
      expect(result.structuredContent).toMatchObject({ status: 'pending_confirmation' });
      expect((result.content as { text: string }[])[0]?.text).toContain('/approvals/');
      expect([...fixture.tickets.values()]).toMatchObject([{ state: 'waiting' }]);
      expect(fixture.calls).toHaveLength(1);
    },
  );

  it('that answers "decline" after the person approved gets the result', async () => {
    const call = await connect({ url: {} }, ({ url }) => {
      fixture.decide(idOf(url), { state: 'done', answer: done });
      return 'decline';
    });
    expect((await call('notes_raise', { n: 3 })).structuredContent).toEqual(done);
  });

  it.each([
    ['denied', 'ALREADY_DECIDED'],
    ['expired', 'CONFIRMATION_NOT_FOUND'],
    ['unknown', 'CONFIRMATION_NOT_FOUND'],
  ] as const)('that answers "accept" for a ticket that is %s gets an error', async (state, code) => {
    const call = await connect({ url: {} }, ({ url }) => {
      fixture.decide(idOf(url), { state });
      return 'accept';
    });
    const result = await call('notes_raise', { n: 4 });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ status: 'error', code });
  });

  it('gets no elicitation for a read', async () => {
    const call = await connect({ url: {} }, () => {
      throw new Error('asked');
    });
    expect((await call('notes_echo', {})).structuredContent).toMatchObject({ status: 'success' });
  });

  it('that supports only forms gets no elicitation, but the pending answer with the link', async () => {
    const call = await connect({ form: {} }, () => {
      throw new Error('asked');
    });
    const result = await call('notes_raise', { n: 5 });
    expect(result.structuredContent).toMatchObject({ status: 'pending_confirmation' });
  });
});

it('a 2025 client that fails to show the page gets the pending answer', async () => {
  const call = await first({ url: {} }, () => {
    throw new Error('no browser');
  });
  expect((await call('notes_raise', { n: 6 })).structuredContent).toMatchObject({ status: 'pending_confirmation' });
});

it("a person's decision completes the call of a 2025 client that never answers the elicitation", async () => {
  const call = await first({ url: {} }, ({ url }) => {
    fixture.decide(idOf(url), { state: 'done', answer: done });
    return new Promise(() => undefined);
  });
  expect((await call('notes_raise', { n: 7 })).structuredContent).toEqual(done);
});

it('a session of an older revision gets no URL elicitation, even if the client declares support', async () => {
  const headers = { ...requestInit.headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = (body: object, more: Record<string, string> = {}) =>
    fetch(fixture.url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
  const params = { protocolVersion: '2025-06-18', capabilities: { elicitation: { url: {} } }, clientInfo: info };
  const session = (await post({ id: 0, method: 'initialize', params })).headers.get('mcp-session-id') ?? '';
  const called = await post({ id: 1, method: 'tools/call', params: { name: 'notes_raise', arguments: {} } }, { 'mcp-session-id': session });
  expect(await called.json()).toMatchObject({ id: 1, result: { structuredContent: { status: 'pending_confirmation' } } });
});

describe('2026-07-28, the request state', () => {
  const meta = (elicitation: object = { url: {} }) => ({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation },
  });
  const accepted = { approval: { action: 'accept' } };
  async function post(params: { name: string; arguments: object } & Record<string, unknown>, token = 'alice') {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': params.name,
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: meta(), ...params } });
    const res = await fetch(fixture.url, { method: 'POST', headers, body });
    return (await res.json()) as { result?: Record<string, unknown> & { requestState?: string }; error?: { code: number } };
  }
  const ask = (n: number) => ({ name: 'notes_raise', arguments: { n, m: 0 } });

  it('is required: a call that contains the answer "accept" but no request state gets the elicitation', async () => {
    const { result } = await post({ ...ask(1), inputResponses: accepted });
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { approval: { method: 'elicitation/create', params: { mode: 'url' } } },
    });
    expect([...fixture.tickets.values()]).toMatchObject([{ state: 'waiting' }]);
    expect(fixture.calls).toHaveLength(1);
  });

  it('is valid for the same person, tool and input, with its keys in any order', async () => {
    const { result } = await post(ask(2));
    const requestState = result?.requestState ?? '';
    fixture.decide([...fixture.tickets.keys()][0] ?? '', { state: 'done', answer: done });
    const again = await post({ name: 'notes_raise', arguments: { m: 0, n: 2 }, requestState, inputResponses: accepted });
    expect(again.result).toMatchObject({ resultType: 'complete', structuredContent: done });
    expect(fixture.calls).toHaveLength(1);
  });

  it('is refused if it is forged or for another person, tool or input, and no tool runs', async () => {
    const requestState = (await post(ask(3))).result?.requestState ?? '';
    const [confirmationId = ''] = [...fixture.tickets.keys()];
    fixture.decide(confirmationId, { state: 'done', answer: done });
    fixture.calls.length = 0;
    const binding = { principal: 'https://id.example|alice', tool: 'notes_raise', args: ask(3).arguments };
    const forged = sealState(key('another key'), binding, { confirmationId, expiresAt: 4e12 });
    const [version, , code] = requestState.split('.');
    const moved = `${version}.${Buffer.from(JSON.stringify([confirmationId, 4e12])).toString('base64url')}.${code}`;
    const tries = [
      post({ ...ask(3), requestState, inputResponses: accepted }, 'bob'),
      post({ ...ask(4), requestState, inputResponses: accepted }),
      post({ name: 'notes_echo', arguments: ask(3).arguments, requestState, inputResponses: accepted }),
      post({ ...ask(3), requestState: forged }),
      post({ ...ask(3), requestState: moved }),
      post({ ...ask(3), requestState: `${requestState}.x` }),
      post({ ...ask(3), requestState: '' }),
      post({ ...ask(3), requestState: 5 }),
    ];
    for (const { error, result } of await Promise.all(tries)) {
      expect(error?.code).toBe(-32602);
      expect(result).toBeUndefined();
    }
    expect(fixture.calls).toHaveLength(0);
  });

  it('gives CONFIRMATION_NOT_FOUND after five minutes, but still returns the result of a ticket that was approved', async () => {
    const requestState = (await post(ask(5))).result?.requestState ?? '';
    const [confirmationId = ''] = [...fixture.tickets.keys()];
    fixture.now += 301_000;
    expect((await post({ ...ask(5), requestState })).result).toMatchObject({
      isError: true,
      structuredContent: { code: 'CONFIRMATION_NOT_FOUND' },
    });
    fixture.decide(confirmationId, { state: 'done', answer: done });
    expect((await post({ ...ask(5), requestState })).result).toMatchObject({ structuredContent: done });
  });

  it('of a ticket that is being executed returns the pending answer', async () => {
    const requestState = (await post(ask(6))).result?.requestState ?? '';
    const [[confirmationId, { pending }] = ['', { pending: undefined }]] = [...fixture.tickets];
    if (pending === undefined) throw new Error('no ticket');
    fixture.decide(confirmationId, { state: 'executing', answer: pending });
    expect((await post({ ...ask(6), requestState })).result).toMatchObject({ structuredContent: { status: 'pending_confirmation' } });
  });

  it('contains the confirmation id and the expiry, and nothing of the input', () => {
    const binding = { principal: 'p', tool: 't', args: { salary: 123_456 } };
    const sealed = sealState(key('k'), binding, { confirmationId: 'c', expiresAt: 1 });
    expect(Buffer.from(sealed.split('.')[1] ?? '', 'base64url').toString()).toBe('["c",1]');
    expect(openState(key('k'), binding, sealed)).toEqual({ confirmationId: 'c', expiresAt: 1 });
    expect(openState(key('k'), { ...binding, args: { salary: 123_457 } }, sealed)).toBeUndefined();
  });
});

it('a call waits up to settleMs for the decision', async () => {
  const patient = await startFixture({ limits: { settleMs: 5_000 }, clock: { now: () => new Date() } });
  const client = new Client2(info, { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: 'auto' } });
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    setTimeout(() => patient.decide(idOf((params as Asked).url), { state: 'done', answer: done }), 100);
    return { action: 'accept' };
  });
  await client.connect(new Http2(new URL(patient.url), { requestInit }));
  expect((await client.callTool({ name: 'notes_raise', arguments: {} })).structuredContent).toEqual(done);
  await client.close();
  await patient.close();
});
