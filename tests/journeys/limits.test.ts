/** Rate limits of people and of failed sign-ins, and limits for slow or large requests. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer({ TAMSHAI_RATE_PER_MINUTE: '30', TAMSHAI_FAILED_AUTH_PER_SECOND: '5' });
}, 120_000);
afterAll(() => testServer.close());

/** Waits for the next minute if the current one ends soon, because the rate limit counts calls per minute. */
async function withinOneMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 8_000) await new Promise((resolve) => setTimeout(resolve, left + 50));
}

describe('one person', () => {
  test('has one rate limit for all surfaces', async () => {
    await withinOneMinute();
    const client = await testServer.mcp('sarah.kim');
    const answers: number[] = [];
    for (let n = 0; n < 12; n++) {
      answers.push((await testServer.rest('sarah.kim', 'tasks', 'list_tasks')).status);
      answers.push((await testServer.direct('sarah.kim', 'tasks', 'list_tasks')).status);
      const { structuredContent } = await client.callTool({ name: 'tasks_list_tasks', arguments: {} });
      answers.push((structuredContent as { code?: string }).code === 'RATE_LIMITED' ? 429 : 200);
    }
    expect(answers.filter((status) => status === 200)).toHaveLength(30);
    expect(answers.filter((status) => status === 429)).toHaveLength(6);
    const refused = await testServer.rest('sarah.kim', 'tasks', 'list_tasks');
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED', retryable: true } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await testServer.rest('nina.patel', 'tasks', 'list_tasks')).status).toBe(200);
  });
});

describe('requests that call no tool', () => {
  test('are limited too: decisions on unknown tickets, and reads of the API', async () => {
    await withinOneMinute();
    const token = await testServer.token('dan.williams');
    const decide = () => testServer.send('POST', '/api/confirm/00000000-0000-4000-8000-000000000000', { token, body: { approved: true } });
    const statuses: number[] = [];
    for (let n = 0; n < 34; n++) statuses.push((await decide()).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    for (const path of ['/api/audit', '/api/audit/calls-main/1', '/api/confirmations', '/api/user/info', '/api/user/mcp-tools']) {
      expect(await testServer.send('GET', path, { token })).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    }
    expect((await testServer.rest('dan.williams', 'tasks', 'list_tasks')).status).toBe(200);
  });

  test('unknown tool names count as calls', async () => {
    await withinOneMinute();
    const statuses: number[] = [];
    for (let n = 0; n < 34; n++)
      statuses.push((await testServer.rest('frank.davis', n % 2 === 0 ? 'tasks' : 'nowhere', 'no_such_tool')).status);
    expect([statuses.filter((status) => status === 404).length, statuses.filter((status) => status === 429).length]).toEqual([30, 4]);
    expect((await testServer.rest('frank.davis', 'tasks', 'list_tasks')).status).toBe(429);
  });

  test('have a separate limit: a person whose program has used up the calls can still decide', async () => {
    await withinOneMinute();
    const asked = await testServer.ask('alice.chen', 'hr', 'update_salary', {
      employee_id: '0e000000-0000-4000-8000-000000000008',
      new_salary: 131_313,
    });
    let last = 200;
    for (let n = 0; n < 40 && last !== 429; n++) last = (await testServer.rest('alice.chen', 'tasks', 'list_tasks')).status;
    expect(last).toBe(429);
    expect(await testServer.decide('alice.chen', asked.confirmationId, false)).toMatchObject({
      status: 200,
      body: { status: 'cancelled' },
    });
  });
});

describe('a client with failed sign-ins', () => {
  test('is rate limited, while requests with a valid token from the same address succeed', async () => {
    const token = await testServer.token('bob.martinez');
    const statuses = await Promise.all(
      Array.from({ length: 40 }, () =>
        testServer.send('POST', '/api/tools/tasks/list_tasks', { token: 'nonsense', body: {} }).then(({ status }) => status),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    const good = await Promise.all(
      Array.from({ length: 5 }, () => testServer.send('POST', '/api/tools/tasks/list_tasks', { token, body: {} })),
    );
    expect(good.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });
});

/** Returns the text that a raw connection receives before it is closed, and the time until then. */
function raw(port: number, write: (socket: ReturnType<typeof connect>) => void): Promise<{ text: string; ms: number }> {
  return new Promise((resolve) => {
    const started = Date.now();
    let text = '';
    const socket = connect(port, '127.0.0.1', () => write(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ text, ms: Date.now() - started }));
  });
}

describe('a connection', () => {
  test('whose headers never end is closed, and does not block other connections', async () => {
    const { gateway = 0 } = testServer.tamshai.ports;
    const dripping = Array.from({ length: 50 }, () =>
      raw(gateway, (socket) => {
        socket.write('POST /api/tools/tasks/list_tasks HTTP/1.1\r\nHost: localhost\r\n');
        const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('X-A: b\r\n')), 500);
      }),
    );
    const probe = await testServer.send('GET', '/health');
    expect(probe.status).toBe(200);
    for (const { ms } of await Promise.all(dripping)) expect(ms).toBeLessThan(20_000);
  }, 180_000);

  test('whose body is too large, compressed or not JSON gets our error message', async () => {
    const token = await testServer.token('tom.becker');
    const path = '/api/tools/tasks/add_task';
    expect(await testServer.send('POST', path, { token, raw: JSON.stringify({ title: 'x'.repeat(300_000) }) })).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE' },
    });
    expect(await testServer.send('POST', path, { token, body: { title: 'x' }, headers: { 'content-encoding': 'gzip' } })).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
    expect(await testServer.send('POST', path, { token, raw: 'title=x', headers: { 'content-type': 'text/plain' } })).toMatchObject({
      status: 415,
      body: { code: 'UNSUPPORTED_MEDIA_TYPE' },
    });
    expect(await testServer.send('POST', path, { token, raw: '['.repeat(100_000) })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
    expect(await testServer.send('POST', path, { token, raw: '{"title":' })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_ERROR' },
    });
  });
});
