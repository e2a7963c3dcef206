/** Regression tests for inputs that were once not validated or not recorded. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { readConfig } from '../registry.ts';

const SARAH = '0e000000-0000-4000-8000-000000000008';
let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
});
afterAll(() => testServer.close());

describe('amounts', () => {
  it.each([0.1 + 0.2, 5e-324, 1e-7, 1.005, 100_000.001])('%d has more than two decimals and is refused', async (new_salary) => {
    const { body } = await testServer.rest('alice.chen', 'hr', 'update_salary', { employee_id: SARAH, new_salary });
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR', message: 'An amount has at most two decimals' });
  });
  it.each([0.07, 0.29, 1.1, 4.35, 123_456.78, 9_999_999.99, 1e7, -0])('%d is accepted', async (new_salary) => {
    const { body } = await testServer.rest('alice.chen', 'hr', 'update_salary', {
      employee_id: SARAH,
      new_salary,
      outside_band_reason: 'A trial of amounts',
    });
    expect(body.status).toBe('pending_confirmation');
  });
});

it('a year that the database cannot store is a validation error', async () => {
  for (const key of ['start_date_from', 'start_date_to']) {
    const { body } = await testServer.rest('sarah.kim', 'hr', 'list_time_off_requests', { [key]: '0000-01-01' });
    expect(body).toMatchObject({ code: 'VALIDATION_ERROR' });
  }
});

it('an audit chain with an invalid name is not found, and nothing is logged as a problem', async () => {
  const token = await testServer.token('eve.thompson');
  for (const chain of ['a%00b', '%E2%80%AE', 'x'.repeat(5000)]) {
    expect((await testServer.send('GET', `/api/audit/${chain}/1`, { token })).body).toMatchObject({ code: 'NOT_FOUND' });
  }
  expect(testServer.logged.filter((line) => !line.includes('"level":"info"'))).toEqual([]);
});

it.each(['rest', 'direct'] as const)('a body with a key beside "input" is refused and recorded: %s', async (endpoint) => {
  const before = await newest();
  const { status } = await testServer[endpoint]('frank.davis', 'hr', 'find_employees', { input: {}, probe: endpoint });
  expect(status).toBe(400);
  const after = await newest();
  expect(after).not.toEqual(before);
  expect(after).toMatchObject({ username: 'frank.davis', tool: 'find_employees', decision: 'refused', code: 'VALIDATION_ERROR' });
});

async function newest() {
  const { body } = await testServer.send<{ data: object[] }>('GET', '/api/audit?limit=1', {
    token: await testServer.token('eve.thompson'),
  });
  return body.data[0];
}

it('the built-in sign-in, which has no passwords, refuses a public address', () => {
  for (const url of ['https://tamshai.example', 'http://10.0.0.1:3100', 'https://localhost.evil.example']) {
    expect(() => readConfig({ TAMSHAI_PUBLIC_URL: url })).toThrow(/has no passwords/);
    expect(readConfig({ TAMSHAI_PUBLIC_URL: url, OIDC_ISSUER: 'https://id.example' }).base).toBe(url);
  }
  expect(readConfig({ TAMSHAI_PUBLIC_URL: 'http://[::1]:3100' }).base).toBe('http://[::1]:3100');
});
