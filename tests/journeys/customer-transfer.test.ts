/** After a transfer of the lead, the built-in sign-in gives the role only to the new lead. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer?.close());

const [jane, bob] = ['jane.smith@acme.example', 'bob.developer@acme.example'];
const rolesOf = async (user: string) => [
  ...((await testServer.tamshai.modules.identity.accounts.present('customer', persona(user).sub))?.roles ?? []),
];
const contacts = async (user: string) => {
  const token = await testServer.token(user, { roles: ['lead-customer'] });
  const { body } = await testServer.send<{ status: string; code?: string }>('POST', '/api/tools/support/customer_list_contacts', {
    token,
    body: {},
  });
  return body.code ?? body.status;
};

test('the lead role follows the record of the organisation', async () => {
  expect([await rolesOf(jane), await rolesOf(bob)]).toEqual([['lead-customer'], ['basic-customer']]);
  expect([await contacts(jane), await contacts(bob)]).toEqual(['success', 'INSUFFICIENT_PERMISSIONS']);
  const { confirmationId } = await testServer.ask(jane, 'support', 'customer_transfer_lead', { contact_id: persona(bob).sub });
  expect((await testServer.decide(jane, confirmationId, true)).body.status).toBe('success');
  expect([await rolesOf(jane), await rolesOf(bob)]).toEqual([['basic-customer'], ['lead-customer']]);
  // The verifier caches a verified token for at most ten seconds.
  testServer.clock.pass(11);
  expect([await contacts(jane), await contacts(bob)]).toEqual(['INSUFFICIENT_PERMISSIONS', 'success']);
});
