/** Faults of the audit log and of PostgreSQL: affected calls get our error in time, other calls succeed, and nothing is half-written. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import { type FaultyConnection, openFaultyConnection } from '../faulty-connection.ts';
import { type FreshDatabase, freshDatabase, SHARED_KEY } from '../fresh-database.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { DOMAINS, openTestServer } from '../test-server.ts';
import { storesFor } from '../stores.ts';

const DRIVER_WORDS = /ECONN|terminat|timeout exceeded|password|postgres|127\.0\.0\.1|select |at \/|\bsql\b/i;
const sarah = persona('sarah.kim').employeeId ?? '';

describe('with the audit log down', () => {
  test('a call that cannot be recorded gets an error instead of its answer', async () => {
    const testServer = await openTestServer();
    try {
      expect((await testServer.rest('sarah.kim', 'tasks', 'list_tasks')).status).toBe(200);
      await testServer.tamshai.modules.tools.runtime.audit.close();
      const refused = await testServer.rest('sarah.kim', 'hr', 'get_employee', { employee_id: sarah });
      expect(refused).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE', retryable: true } });
      expect(refused.text).not.toContain('Sarah');
    } finally {
      await testServer.close();
    }
  }, 120_000);
});

const url = process.env['TAMSHAI_TEST_DATABASE_URL'];
// Only in the run on servers.
const servers = storesFor<string | undefined>(undefined, ...(url === undefined ? [] : [url])).filter((each) => each !== undefined);
describe.each(servers)('with PostgreSQL behind a faulty connection', (server) => {
  let database: FreshDatabase;
  let link: FaultyConnection;
  let testServer: TestServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tamshai-faults-'));
    database = await freshDatabase(server, DOMAINS, SHARED_KEY, folder);
    const { hostname, port } = new URL(database.url);
    link = await openFaultyConnection({ host: hostname, port: Number(port) });
    const through = new URL(database.url);
    through.port = String(link.port);
    // Only hr uses the faulty connection. Everything else must work.
    testServer = await openTestServer({ TAMSHAI_MASTER_KEY: SHARED_KEY, DATABASE_URL: database.url, HR_DATABASE_URL: through.href });
  }, 120_000);
  afterAll(async () => {
    await testServer.close();
    await link.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const read = () => testServer.rest('sarah.kim', 'hr', 'get_employee', { employee_id: sarah });
  const salary = async () =>
    (await database.owner.query<{ salary: string }>('select salary from hr.pay where employee_id = $1', [sarah])).rows[0]?.salary;

  test.each([
    ['cut', { SERVICE_UNAVAILABLE: 503 }],
    ['silent', { TIMEOUT: 504, SERVICE_UNAVAILABLE: 503 }],
  ] as const)(
    '%s: every call gets our error in time, other domains are not affected, and calls succeed afterwards',
    async (mode, allowed: Readonly<Record<string, number>>) => {
      expect((await read()).status).toBe(200);
      link.set(mode);
      const started = Date.now();
      const answers = await Promise.all([read(), read(), read()]);
      for (const answer of answers) {
        expect(answer.status).toBe(allowed[(answer.body as { code: string }).code]);
        expect(answer.body).toMatchObject({ retryable: true });
        expect(answer.text).not.toMatch(DRIVER_WORDS);
      }
      expect(Date.now() - started).toBeLessThan(12_000);
      expect((await testServer.rest('sarah.kim', 'tasks', 'list_tasks')).status).toBe(200);
      link.set('pass');
      await expect.poll(async () => (await read()).status, { timeout: 15_000, interval: 300 }).toBe(200);
      expect(testServer.logged.join('\n')).not.toMatch(/only-for-tests|password/i);
    },
    180_000,
  );

  test('a connection cut during an approval: nothing is written, and a second approval succeeds', async () => {
    await expect
      .poll(async () => (await testServer.rest('alice.chen', 'hr', 'get_employee', { employee_id: sarah })).status, {
        timeout: 15_000,
        interval: 300,
      })
      .toBe(200);
    const before = await salary();
    const pending = await testServer.ask('alice.chen', 'hr', 'update_salary', { employee_id: sarah, new_salary: 123_456 });
    link.set('cut');
    const refused = await testServer.decide('alice.chen', pending.confirmationId, true);
    expect([refused.status, refused.body]).toEqual([503, expect.objectContaining({ retryable: true })]);
    expect(await salary()).toBe(before);
    link.set('pass');
    await expect
      .poll(async () => (await testServer.decide('alice.chen', pending.confirmationId, true)).status, { timeout: 15_000, interval: 500 })
      .toBe(200);
    expect(Number(await salary())).toBe(123_456);
    const { rows } = await database.owner.query('select 1 from hr.salary_history where employee_id = $1 and new_salary = 123456', [sarah]);
    expect(rows).toHaveLength(1);
  }, 180_000);
});
