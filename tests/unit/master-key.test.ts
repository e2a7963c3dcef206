/** A master key that may have been seen is replaced: what waits, and what was read so far, goes on. */
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { start, type Tamshai } from '../../src/app/compose.ts';
import { readConfig } from '../../src/app/config.ts';
import { openKeys } from '../../src/identity/keys.ts';
import { persona } from '../../src/sample/people.ts';
import { openSite, SERVERS, type Site } from '../site.ts';
import { type Visitor, visit } from '../visitor.ts';

const fresh = () => randomBytes(32).toString('base64url');

/** The same folder, started again with other keys. */
async function again(site: Site, masterKey: string): Promise<{ running: Tamshai; visitor: Visitor }> {
  const config = readConfig({ ...site.environment, TAMSHAI_MASTER_KEY: masterKey });
  const running = await start(config, { servers: SERVERS, clock: site.clock, log: { info() {}, warn() {}, error() {} } });
  const keys = openKeys(site.folder, { masterKey });
  return { running, visitor: visit({ base: running.base, ports: running.ports, keys, clock: site.clock }) };
}

it('a new master key opens what the old one sealed while that stands beside it, and nothing of it afterwards', async () => {
  const [old, next] = [fresh(), fresh()];
  const site = await openSite({ TAMSHAI_MASTER_KEY: old });
  onTestFinished(() => site.close());
  const raise = (user: string) => ({ employee_id: persona(user).employeeId, new_salary: 91_234.5, reason: 'A new key' });
  const first = await site.ask('alice.chen', 'hr', 'update_salary', raise('sarah.kim'));
  const second = await site.ask('alice.chen', 'hr', 'update_salary', raise('marcus.johnson'));
  const { body: page } = await site.rest('alice.chen', 'hr', 'list_employees', { limit: 5 });
  const cursor = page.status === 'success' ? page.metadata?.nextCursor : undefined;
  await site.tamshai.close();
  await expect(again(site, next)).rejects.toThrow(/give the new and the old one with a comma between/);

  const both = await again(site, `${next},${old}`);
  onTestFinished(() => both.running.close());
  const { visitor } = both;
  const waiting = await visitor.send<{ data: { confirmationId: string }[] }>('GET', '/api/confirmations', {
    token: await visitor.token('alice.chen'),
  });
  const ids = [first, second].map(({ confirmationId }) => confirmationId);
  expect(new Set(waiting.body.data.map(({ confirmationId }) => confirmationId))).toEqual(new Set(ids));
  const further = await visitor.rest('alice.chen', 'hr', 'list_employees', { limit: 5, cursor });
  expect(further.body).toMatchObject({ status: 'success', metadata: { returnedCount: 5 } });
  const decided = await visitor.decide('alice.chen', first.confirmationId, true);
  expect([decided.status, decided.body]).toMatchObject([200, { status: 'success' }]);
  expect((await visitor.decide('alice.chen', first.confirmationId, true)).text).toBe(decided.text);
  const token = await visitor.token('eve.thompson');
  expect((await visitor.send<{ data: { ok: boolean } }>('GET', '/api/audit/verify', { token })).body.data.ok).toBe(true);
  await both.running.close();

  const alone = await again(site, next);
  onTestFinished(() => alone.running.close());
  expect((await alone.visitor.decide('alice.chen', second.confirmationId, true)).status).toBe(404);
});
