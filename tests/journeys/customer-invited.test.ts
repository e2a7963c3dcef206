/** The first call of an invited person activates their contact, exactly once and only if they signed in with the invited address. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/declare/people.ts';
import * as support from '../../domains/support/index.ts';
import { code, type Data, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';
import { searchStores } from '../test-runtime-search.ts';

const jane = 'jane.smith@acme.example';
const KOFI = 'kofi.mensah@acme.example';
/** A person who signed in at an external provider, with a new subject id. */
function newcomer(email: string, more: Partial<Person> = {}): Person {
  const sub = randomUUID();
  return {
    ...person('bob.developer@acme.example'),
    sub,
    principal: `https://people.example|${sub}`,
    email,
    username: email,
    name: 'New Comer',
    ...more,
  };
}

describe.each(searchStores)('invited contacts on %s', (_name, search) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ search, tools: Object.values(support), replicas: 2 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  /** The audit records of accepted invitations in the support store. */
  async function noted(): Promise<object[]> {
    const { audit } = testRuntime.search('support');
    const found: object[] = [];
    for (const { chain } of await audit.chains())
      for await (const { body } of audit.records(chain)) {
        const record = JSON.parse(body) as { tool: string; code: string | null };
        // A store without transactions also records intents and failed attempts. These records have a code.
        if (record.tool === 'accept_invitation' && record.code === null) found.push(record);
      }
    return found;
  }
  const contact = async (email: string) =>
    (await testRuntime.data(jane, 'support', 'customer_list_contacts')).filter((row) => row['email'] === email) as Data;
  const come = async (who: Person, n = 0) => code(await testRuntime.call(who, 'support', 'customer_list_tickets', {}, n));
  const invite = async (email: string) =>
    expect(code(await testRuntime.done(jane, 'support', 'customer_invite_contact', { email }))).toBe('success');

  test('a sign-in with another or unverified address, of another organisation or of an existing contact activates nothing', async () => {
    const globex = person('mike.manager@globex.example').organizationId;
    const outsiders = [
      newcomer('kofi.mensah@acme.example.evil.example'),
      newcomer(''),
      newcomer(KOFI, { organizationId: globex }),
      newcomer(KOFI, { organizationId: undefined }),
      newcomer(KOFI, { sub: 'not-an-id-that-tools-take' }),
      { ...person('bob.developer@acme.example'), email: KOFI },
    ];
    for (const who of outsiders) {
      expect(await come(who)).toBe('success');
      expect(await contact(KOFI)).toMatchObject([{ status: 'invited', contact_id: '0c100000-0000-4000-8000-000000000002' }]);
    }
  });

  test("concurrent first calls on two replicas activate the contact once, with the account's id, and leave one audit record", async () => {
    const kofi = newcomer('Kofi.Mensah@acme.example');
    expect(code(await testRuntime.call(jane, 'support', 'customer_transfer_lead', { contact_id: kofi.sub }))).toBe('CONTACT_NOT_FOUND');
    expect(await Promise.all([come(kofi), come(kofi, 1), come(kofi), come(kofi, 1)])).toEqual(Array(4).fill('success'));
    expect(await contact(KOFI)).toMatchObject([{ status: 'active', contact_id: kofi.sub, name: 'Kofi Mensah', role: 'contact' }]);
    expect(await come(kofi)).toBe('success');
    expect(await noted()).toMatchObject([{ principal: kofi.principal, server: 'support', decision: 'allowed' }]);
  });

  test('an invited contact can become the lead only after their first call', async () => {
    await invite('dana.lee@acme.example');
    const dana = newcomer('dana.lee@acme.example', { roles: person(jane).roles });
    const [{ contact_id: before } = {}] = await contact('dana.lee@acme.example');
    expect(code(await testRuntime.call(jane, 'support', 'customer_transfer_lead', { contact_id: before }))).toBe('CONTACT_NOT_ACTIVE');
    expect(await come(dana)).toBe('success');
    expect(code(await testRuntime.done(jane, 'support', 'customer_transfer_lead', { contact_id: dana.sub }))).toBe('success');
    expect(code(await testRuntime.call(dana, 'support', 'customer_list_contacts'))).toBe('success');
    expect(code(await testRuntime.call(jane, 'support', 'customer_list_contacts'))).toBe('INSUFFICIENT_PERMISSIONS');
    expect(code(await testRuntime.done(dana, 'support', 'customer_transfer_lead', { contact_id: person(jane).sub }))).toBe('success');
  });

  test('of two accounts with the same address that call concurrently, one becomes the contact', async () => {
    await invite('lee.one@acme.example');
    const [one, two] = [newcomer('lee.one@acme.example'), newcomer('lee.one@acme.example')];
    expect(await Promise.all([come(one), come(two, 1)])).toEqual(['success', 'success']);
    const seats = await contact('lee.one@acme.example');
    expect(seats.length).toBe(1);
    expect([one.sub, two.sub]).toContain(seats[0]?.['contact_id']);
  });

  test('a person who called before the invitation becomes active with the first call a minute later', async () => {
    const early = newcomer('early.bird@acme.example');
    expect(await come(early)).toBe('success');
    await invite('early.bird@acme.example');
    testRuntime.clock.set(new Date(testRuntime.clock.now().getTime() + 61_000));
    expect(await come(early)).toBe('success');
    expect(await contact('early.bird@acme.example')).toMatchObject([{ status: 'active', contact_id: early.sub }]);
  });
});
