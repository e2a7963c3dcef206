/** A call that is refused before its input is parsed is audited like any other, for every tool at every endpoint. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRecord } from '../../src/engine/ports.ts';
import { signGrant } from '../../src/identity/internal.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { builtIn } from '../registry.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer.close());

const { tools } = builtIn;
const SECRET = 'never-to-be-kept';
interface Refused {
  readonly raw: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly code?: string;
}
const BODIES: Record<string, Refused> = {
  'broken JSON': { raw: `{"title":"${SECRET}"` },
  'a lone surrogate': { raw: `{"title":"\\ud800 ${SECRET}"}` },
  '__proto__ as a key': { raw: `{"__proto__":{"title":"${SECRET}"}}` },
  'broken UTF-8': { raw: Buffer.concat([Buffer.from(`{"${SECRET}":"`), Buffer.from([0xff]), Buffer.from('"}')]) },
  'another content type': { raw: `{"title":"${SECRET}"}`, headers: { 'content-type': 'text/plain' }, code: 'UNSUPPORTED_MEDIA_TYPE' },
  'no content type': { raw: `{"title":"${SECRET}"}`, headers: { 'content-type': '' }, code: 'UNSUPPORTED_MEDIA_TYPE' },
  compressed: { raw: `{"title":"${SECRET}"}`, headers: { 'content-encoding': 'gzip' }, code: 'UNSUPPORTED_MEDIA_TYPE' },
  'too large': { raw: `{"title":"${SECRET}${'x'.repeat(257 * 1024)}"}`, code: 'PAYLOAD_TOO_LARGE' },
  'too deep': { raw: `{"title":"${SECRET}","a":${'['.repeat(40)}${']'.repeat(40)}}` },
};
const kinds = Object.entries(BODIES);

/** All audit records of one request, from every chain. */
const recordsOf = async (requestId: string): Promise<AuditRecord[]> => {
  const found = await Promise.all(testServer.tamshai.modules.audit.sources.map((source) => source.newest({ limit: 40 })));
  return found
    .flat()
    .map(({ body }) => JSON.parse(body) as AuditRecord)
    .filter((record) => record.requestId === requestId);
};

async function expectRecorded(requestId: string, wanted: Partial<AuditRecord>): Promise<void> {
  const records = await recordsOf(requestId);
  expect(records).toMatchObject([{ username: 'eve.thompson', decision: 'refused', rows: 0, ...wanted }]);
  expect(JSON.stringify(records)).not.toContain(SECRET);
  expect(Object.keys(JSON.parse(records[0]?.input ?? '') as object)).toContain('bytes');
}

const endpoints = {
  rest: async (server: string, tool: string, { raw, headers }: Refused, id: string) =>
    testServer.send('POST', `/api/tools/${server}/${tool}`, {
      token: await testServer.token('eve.thompson'),
      raw,
      headers: { ...headers, 'x-request-id': id },
    }),
  direct: async (server: string, tool: string, { raw, headers }: Refused, id: string) =>
    testServer.send('POST', `/tools/${tool}`, {
      token: await testServer.token('eve.thompson', { server }),
      raw,
      headers: { ...headers, 'x-request-id': id },
      server,
    }),
  mcp: async (server: string, tool: string, { raw, headers }: Refused, id: string) =>
    testServer.rpc(
      await testServer.token('eve.thompson', { mcp: true }),
      'tools/call',
      { name: `${server}_${tool}` },
      { raw, headers: { ...headers, 'x-request-id': id } },
    ),
  'mcp direct': async (server: string, tool: string, { raw, headers }: Refused, id: string) =>
    testServer.rpc(
      await testServer.token('eve.thompson', { mcp: true, server }),
      'tools/call',
      { name: tool },
      { raw, headers: { ...headers, 'x-request-id': id }, server },
    ),
} as const;
const SURFACES = { rest: 'rest', direct: 'direct', mcp: 'mcp', 'mcp direct': 'direct' } as const;

describe.each(Object.entries(endpoints))('at %s', (endpoint, send) => {
  it('every tool refuses and records an unreadable body', async () => {
    for (const [i, tool] of tools.entries()) {
      const [kind, body] = kinds[i % kinds.length] as (typeof kinds)[number];
      const id = randomUUID();
      const reply = await send(tool.domain.name, tool.name, body, id);
      const code = body.code ?? 'VALIDATION_ERROR';
      expect([tool.name, kind, [400, 413, 415].includes(reply.status), JSON.parse(reply.text)]).toMatchObject([
        tool.name,
        kind,
        true,
        { status: 'error', code },
      ]);
      await expectRecorded(id, { server: tool.domain.name, tool: tool.name, code, surface: SURFACES[endpoint as keyof typeof SURFACES] });
    }
  });

  it.each(kinds)('%s is recorded once, with its size and without its text', async (_kind, body) => {
    const id = randomUUID();
    await send('tasks', 'add_task', body, id);
    await expectRecorded(id, { server: 'tasks', tool: 'add_task', code: body.code ?? 'VALIDATION_ERROR' });
  });
});

describe('other endpoints record', () => {
  it.each(kinds.map(([, body]) => body).concat([{ raw: '{"approved":"yes"}' }, { raw: '' }]))('a decision: body %j', async (body) => {
    const id = randomUUID();
    const { confirmationId } = await testServer.ask('eve.thompson', 'hr', 'update_salary', {
      employee_id: '0e000000-0000-4000-8000-000000000008',
      new_salary: 141_414,
    });
    const token = await testServer.token('eve.thompson', { approve: true });
    await testServer.send('POST', `/api/confirm/${confirmationId}`, {
      token,
      raw: body.raw,
      headers: { ...body.headers, 'x-request-id': id },
    });
    expect(await recordsOf(id)).toMatchObject([
      { username: 'eve.thompson', tool: 'confirm', decision: 'refused', confirmationId, code: body.code ?? 'VALIDATION_ERROR' },
    ]);
    expect(JSON.stringify(await recordsOf(id))).not.toContain(SECRET);
  });

  it('an execution with a valid grant and an unreadable body', async () => {
    const { verifier } = testServer.tamshai.modules.identity;
    const caller = await verifier.verify(await testServer.token('eve.thompson'), [`${testServer.tamshai.base}/api`]);
    const id = randomUUID();
    const grant = { confirmationId: randomUUID(), tool: 'update_salary', input: '{}', card: '{}', settle: false };
    const token = signGrant(testServer.keys.gateway.current, { ...grant, server: 'hr', caller, requestId: id }, testServer.clock);
    const reply = await testServer.send('POST', '/execute', {
      token,
      server: 'hr',
      raw: `{"confirmationId":"${SECRET}`,
      headers: { 'x-request-id': id },
    });
    expect(reply.status).toBe(400);
    await expectRecorded(id, { server: 'hr', tool: 'update_salary', code: 'VALIDATION_ERROR' });
  });

  it.each([
    ['arguments that are no object', { name: 'tasks_list_tasks', arguments: 'x' }],
    ['no name', { arguments: {} }],
    ['a name that is a number', { name: 7 }],
  ])('a tool call that the protocol refuses: %s', async (_what, params) => {
    const id = randomUUID();
    const token = await testServer.token('eve.thompson', { mcp: true });
    const reply = await testServer.rpc(token, 'tools/call', params, { headers: { 'x-request-id': id } });
    expect(reply.error?.code).toBeLessThan(0);
    await expect
      .poll(() => recordsOf(id))
      .toMatchObject([{ username: 'eve.thompson', decision: 'refused', code: 'VALIDATION_ERROR', surface: 'mcp' }]);
  });

  it('nothing for a single unreadable body without a sign-in', async () => {
    const id = randomUUID();
    await testServer.send('POST', '/api/tools/tasks/add_task', { raw: '{', headers: { 'x-request-id': id } });
    expect(await recordsOf(id)).toEqual([]);
  });
});

describe('the rate limit', () => {
  let limited: TestServer;
  beforeAll(async () => {
    limited = await openTestServer({ TAMSHAI_RATE_PER_MINUTE: '20' });
  }, 120_000);
  afterAll(() => limited.close());

  it('counts requests with unreadable bodies as calls', async () => {
    const left = 60_000 - (Date.now() % 60_000);
    if (left < 8_000) await new Promise((resolve) => setTimeout(resolve, left + 50));
    const token = await limited.token('eve.thompson');
    const mcp = await limited.token('eve.thompson', { mcp: true });
    const statuses: number[] = [];
    for (let n = 0; n < 15; n++) {
      statuses.push((await limited.send('POST', '/api/tools/tasks/add_task', { token, raw: '{' })).status);
      statuses.push((await limited.rpc(mcp, 'tools/call', { name: 'tasks_add_task' }, { raw: '{' })).status);
    }
    expect([statuses.filter((status) => status === 400).length, statuses.filter((status) => status === 429).length]).toEqual([20, 10]);
    expect((await limited.rest('eve.thompson', 'tasks', 'list_tasks')).status).toBe(429);
  });
});
