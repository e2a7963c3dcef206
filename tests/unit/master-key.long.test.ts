/** Rotation of the master key: pending tickets and cursors stay valid. */
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { start, type Tamshai } from '../../src/server/compose.ts';
import { openKeys } from '../../src/identity/keys.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer, SERVERS } from '../test-server.ts';
import { type TestClient, connectTestClient } from '../../src/testing/test-client.ts';
import { readConfig } from '../registry.ts';

const fresh = () => randomBytes(32).toString('base64url');

/** Starts the product again on the same data folder with other master keys. */
async function again(testServer: TestServer, masterKey: string): Promise<{ running: Tamshai; testClient: TestClient }> {
  const config = readConfig({ ...testServer.environment, TAMSHAI_MASTER_KEY: masterKey });
  const running = await start(config, { servers: SERVERS, clock: testServer.clock, log: { info() {}, warn() {}, error() {} } });
  const keys = openKeys(testServer.folder, { masterKey });
  return {
    running,
    testClient: connectTestClient({ base: running.base, ports: running.ports, keys, people: personas, clock: testServer.clock }),
  };
}

it('older tickets and cursors are valid as long as both master keys are set', async () => {
  const [old, next] = [fresh(), fresh()];
  const testServer = await openTestServer({ TAMSHAI_MASTER_KEY: old });
  onTestFinished(() => testServer.close());
  const raise = (user: string) => ({ employee_id: persona(user).employeeId, new_salary: 91_234.5, reason: 'A new key' });
  const first = await testServer.ask('alice.chen', 'hr', 'update_salary', raise('sarah.kim'));
  const second = await testServer.ask('alice.chen', 'hr', 'update_salary', raise('marcus.johnson'));
  const { body: page } = await testServer.rest('alice.chen', 'hr', 'list_employees', { limit: 5 });
  const cursor = page.status === 'success' ? page.metadata?.nextCursor : undefined;
  await testServer.tamshai.close();
  await expect(again(testServer, next)).rejects.toThrow(/give the new and the old one with a comma between/);

  const both = await again(testServer, `${next},${old}`);
  onTestFinished(() => both.running.close());
  const { testClient } = both;
  const waiting = await testClient.send<{ data: { confirmationId: string }[] }>('GET', '/api/confirmations', {
    token: await testClient.token('alice.chen'),
  });
  const ids = [first, second].map(({ confirmationId }) => confirmationId);
  expect(new Set(waiting.body.data.map(({ confirmationId }) => confirmationId))).toEqual(new Set(ids));
  const further = await testClient.rest('alice.chen', 'hr', 'list_employees', { limit: 5, cursor });
  expect(further.body).toMatchObject({ status: 'success', metadata: { returnedCount: 5 } });
  const decided = await testClient.decide('alice.chen', first.confirmationId, true);
  expect([decided.status, decided.body]).toMatchObject([200, { status: 'success' }]);
  expect((await testClient.decide('alice.chen', first.confirmationId, true)).text).toBe(decided.text);
  const token = await testClient.token('eve.thompson');
  expect((await testClient.send<{ data: { ok: boolean } }>('GET', '/api/audit/verify', { token })).body.data.ok).toBe(true);
  await both.running.close();

  const alone = await again(testServer, next);
  onTestFinished(() => alone.running.close());
  expect((await alone.testClient.decide('alice.chen', second.confirmationId, true)).status).toBe(404);
});
