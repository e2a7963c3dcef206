/** The request id of a call is in the response, the log, the audit log and the database session. No log line contains private text. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Person } from '../../src/declare/people.ts';
import type { SqlReader } from '../../src/declare/sql.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const ID = 'from-the-browser_42';
let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer({ TAMSHAI_LOG_LEVEL: 'info' });
});
afterAll(() => testServer.close());

const logged = (id: string) =>
  testServer.logged.filter((line) => line.includes(`"requestId":"${id}"`)).map((line) => JSON.parse(line) as Record<string, unknown>);
const auditLog = async (id: string) => {
  const { body } = await testServer.send<{ data: { requestId: string; tool: string }[] }>('GET', '/api/audit', {
    token: await testServer.token('eve.thompson'),
  });
  return body.data.filter(({ requestId }) => requestId === id);
};

test('the id that a caller sends is returned and recorded, by REST, by MCP and at a domain server', async () => {
  const rest = await testServer.send('POST', '/api/tools/hr/find_employees', {
    token: await testServer.token('frank.davis'),
    body: { limit: 1 },
    headers: { 'x-request-id': ID },
  });
  expect(rest.headers['x-request-id']).toBe(ID);
  expect(logged(ID)).toEqual([
    expect.objectContaining({
      level: 'info',
      server: 'hr',
      tool: 'find_employees',
      surface: 'rest',
      state: 'allowed',
      count: 1,
      message: 'call',
    }),
  ]);
  const mcp = await testServer.rpc(
    await testServer.token('frank.davis', { mcp: true }),
    'tools/call',
    { name: 'hr_find_employees', arguments: { limit: 1 } },
    { headers: { 'x-request-id': `${ID}-mcp` } },
  );
  expect([mcp.headers['x-request-id'], mcp.result?._meta.requestId]).toEqual([`${ID}-mcp`, `${ID}-mcp`]);
  const direct = await testServer.send('POST', '/tools/find_employees', {
    token: await testServer.token('frank.davis', { server: 'hr' }),
    body: {},
    server: 'hr',
    headers: { 'x-request-id': `${ID}-direct` },
  });
  expect(direct.headers['x-request-id']).toBe(`${ID}-direct`);
  for (const id of [ID, `${ID}-mcp`, `${ID}-direct`]) expect(await auditLog(id)).toHaveLength(1);
});

test.each(['a b', 'x'.repeat(65), 'é', '*/ drop', "'; --", '{}'])(
  'an invalid or too long request id (%j) is replaced by a new one',
  async (given) => {
    const { headers } = await testServer.send('POST', '/api/tools/hr/find_employees', {
      token: await testServer.token('frank.davis'),
      body: { limit: 1 },
      headers: { 'x-request-id': given },
    });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  },
);

test('the application name of the database session contains the request id only for that statement', async () => {
  const { runtime } = testServer.tamshai.modules.tools;
  const person: Person = {
    principal: 'test',
    sub: 'test',
    realm: 'staff',
    username: 'test',
    name: 'Test',
    email: '',
    employeeId: undefined,
    organizationId: undefined,
    roles: new Set(),
  };
  const store = runtime.stores['hr'];
  if (store?.kind !== 'sql') throw new Error('hr is not on SQL');
  const seen = async (requestId?: string) =>
    store.read({ domain: 'hr', audience: 'directory', person, shows: [], ...(requestId !== undefined && { requestId }) }, (handles) => {
      const { sql } = handles as { sql: SqlReader };
      return sql.one(z.object({ name: z.string() }), sql`select current_setting('application_name') as name`);
    });
  expect(await seen(ID)).toEqual({ name: `tamshai ${ID}` });
  expect(await seen()).toEqual({ name: 'tamshai' });
  expect(await testServer.owner("select current_setting('application_name') as name")).not.toEqual([{ name: `tamshai ${ID}` }]);
});

test('questions, inputs, tokens and names never get into a log line', async () => {
  const token = await testServer.token('alice.chen');
  const canary = 'zebra-canary';
  await testServer.send('POST', '/api/tools/hr/list_employees', { token, body: { name: canary, department: canary } });
  await testServer.send('POST', `/api/tools/hr/list_employees?question=${canary}`, {
    token,
    raw: `{"name": "${canary}`,
    headers: { cookie: canary, 'user-agent': canary, referer: canary },
  });
  await testServer.send('POST', `/api/tools/hr/${canary}`, { token, body: { [canary]: canary } });
  await testServer.send('POST', '/api/tools/hr/update_salary', { token, body: { employee_id: canary, new_salary: 1, reason: canary } });
  await testServer.send('GET', `/api/confirmations/${canary}`, { token });
  await testServer.rpc(await testServer.token('alice.chen', { mcp: true }), 'tools/call', {
    name: canary,
    arguments: { question: canary },
  });
  await testServer.send('POST', '/api/tools/hr/list_employees', { token: `${token}x`, body: {} });
  const all = testServer.logged.join('\n');
  expect(all).toContain('"message":"call"');
  for (const secret of [canary, token, token.slice(0, 40), 'alice', 'Bearer']) expect(all).not.toContain(secret);
});
