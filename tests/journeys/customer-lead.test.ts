/** The lead of an organisation: the record of the organisation names exactly one, and only an approved transfer changes it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Person } from '../../src/declare/people.ts';
import { execute, findResult } from '../../src/engine/approvals/writes.ts';
import * as support from '../../domains/support/index.ts';
import { code, type Data, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';
import { searchStores } from '../test-runtime-search.ts';

const lead = (username: string): Person => person(username, { roles: ['lead-customer'] });
const [jane, bob] = [lead('jane.smith@acme.example'), lead('bob.developer@acme.example')];
const ingrid: Person = {
  ...jane,
  sub: '0c100000-0000-4000-8000-000000000001',
  principal: 'https://people.example|0c100000-0000-4000-8000-000000000001',
  name: 'Ingrid Solheim',
  username: 'ingrid.solheim@acme.example',
  email: 'ingrid.solheim@acme.example',
};
const people = [jane, bob, ingrid];
const KOFI = '0c100000-0000-4000-8000-000000000002';

describe.each(searchStores)('the lead of an organisation on %s', (_name, search) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ search, tools: Object.values(support), replicas: 2 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  /** Calls a lead's tool as all three people with a lead's token. The call succeeds only for the lead that the record names. */
  async function leads(): Promise<Person[]> {
    const answers = await Promise.all(
      people.map(async (who) => [who, code(await testRuntime.call(who, 'support', 'customer_list_contacts'))] as const),
    );
    return answers.filter(([, answer]) => answer === 'success').map(([who]) => who);
  }
  const theLead = async (): Promise<Person> => {
    const [one, ...more] = await leads();
    if (!one || more.length > 0) throw new Error('not exactly one lead');
    return one;
  };
  const contacts = async (who: Person): Promise<Data> => testRuntime.data(who, 'support', 'customer_list_contacts');
  const give = (from: Person, to: Person) => testRuntime.done(from, 'support', 'customer_transfer_lead', { contact_id: to.sub });
  beforeEach(async () => {
    const now = await theLead();
    if (now !== jane) expect(code(await give(now, jane))).toBe('success');
  });

  test('the card names the new lead and what the caller loses, and nothing changes before the approval', async () => {
    const card = await testRuntime.ask(jane, 'support', 'customer_transfer_lead', { contact_id: bob.sub });
    expect(card.confirmationData).toMatchObject({
      subject: { id: bob.organizationId, label: 'Acme Corporation: Bob Developer (bob.developer@acme.example)' },
      changes: [
        { field: 'lead', from: 'Jane Smith', to: 'Bob Developer' },
        {
          field: 'your_access',
          from: 'All tickets and contacts of Acme Corporation',
          to: 'Your own tickets and those shared with the organisation',
        },
      ],
    });
    expect(await leads()).toEqual([jane]);
    expect(code(await testRuntime.decide(jane, card.confirmationId, false))).toBe('cancelled');
    expect(await leads()).toEqual([jane]);
  });

  test('after a transfer only the new lead has the rights of a lead, even if another token still has the role', async () => {
    const count = async (who: Person) => {
      let rows = 0;
      for (let cursor: string | undefined, first = true; first || cursor; first = false) {
        const answer = await testRuntime.call(who, 'support', 'customer_list_tickets', cursor ? { cursor } : {});
        if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
        rows += (answer.data as Data).length;
        cursor = answer.metadata?.nextCursor;
      }
      return rows;
    };
    const [all, some] = [await count(jane), await count(bob)];
    expect(all).toBeGreaterThan(some);
    expect(await give(jane, bob)).toMatchObject({
      status: 'success',
      data: { lead_contact_id: bob.sub, lead_name: 'Bob Developer', organization_name: 'Acme Corporation' },
    });
    // Jane's older token and Bob's new one both have the role of a lead.
    expect(await leads()).toEqual([bob]);
    expect(await count(bob)).toBe(all);
    expect(await count(jane)).toBeLessThan(all);
    for (const [tool, input] of [
      ['customer_transfer_lead', { contact_id: jane.sub }],
      ['customer_invite_contact', { email: 'new@acme.example' }],
    ] as const) {
      expect(await testRuntime.call(jane, 'support', tool, input)).toMatchObject({
        code: 'INSUFFICIENT_PERMISSIONS',
        message: 'Only the lead contact of your organisation may do this.',
      });
      // Without the role in the token, the record alone is not enough.
      expect(code(await testRuntime.call('bob.developer@acme.example', 'support', tool, input))).toBe('INSUFFICIENT_PERMISSIONS');
    }
    expect((await contacts(bob)).map((row) => [row['name'], row['role'], row['status']])).toEqual([
      ['Bob Developer', 'lead', 'active'],
      ['Ingrid Solheim', 'contact', 'active'],
      ['Jane Smith', 'contact', 'active'],
      ['Kofi Mensah', 'contact', 'invited'],
    ]);
    // For a colleague's private ticket, a former lead gets the same answer as for an unknown id.
    const [other] = (await testRuntime.data(bob, 'support', 'customer_list_tickets', { limit: 50 })).filter(
      (row) => row['visibility'] === 'private' && row['opened_by'] === 'Ingrid Solheim',
    );
    expect(code(await testRuntime.call(jane, 'support', 'customer_get_ticket', { ticket_id: other?.['ticket_id'] }))).toBe(
      'TICKET_NOT_FOUND',
    );
    expect(code(await testRuntime.call(bob, 'support', 'customer_get_ticket', { ticket_id: other?.['ticket_id'] }))).toBe('success');
  });

  test('a card of the former lead cannot be approved after another transfer', async () => {
    const card = await testRuntime.ask(jane, 'support', 'customer_transfer_lead', { contact_id: ingrid.sub });
    const invite = await testRuntime.ask(jane, 'support', 'customer_invite_contact', { email: 'late@acme.example' });
    await give(jane, bob);
    for (const { confirmationId } of [card, invite])
      expect(code(await testRuntime.approve(jane, confirmationId))).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await leads()).toEqual([bob]);
    expect((await contacts(bob)).some((row) => row['email'] === 'late@acme.example')).toBe(false);
  });

  test('of two concurrent transfers one succeeds, and afterwards there is exactly one lead', async () => {
    for (let round = 0; round < 6; round++) {
      const from = await theLead();
      const [one, two] = people.filter((who) => who !== from);
      if (!one || !two) throw new Error('three people');
      const cards = await Promise.all(
        [one, two].map((to) => testRuntime.ask(from, 'support', 'customer_transfer_lead', { contact_id: to.sub })),
      );
      let over = false;
      const watching = (async () => {
        const seen: number[] = [];
        while (!over) seen.push((await leads()).length);
        return seen;
      })();
      const codes = (await Promise.all(cards.map(({ confirmationId }, n) => testRuntime.approve(from, confirmationId, n)))).map(code);
      over = true;
      expect(codes.filter((each) => each === 'success').length).toBe(1);
      for (const each of codes) expect(['success', 'CHANGED_SINCE_APPROVAL', 'INSUFFICIENT_PERMISSIONS']).toContain(each);
      // The three requests run at different moments, so they may see two leads while the lead changes, but never three.
      for (const count of await watching) expect(count).toBeLessThanOrEqual(2);
      expect([one, two]).toContain(await theLead());
    }
  }, 60_000);

  test('ten concurrent approvals of one card on two replicas make one transfer', async () => {
    const { confirmationId } = await testRuntime.ask(jane, 'support', 'customer_transfer_lead', { contact_id: bob.sub });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => testRuntime.approve(jane, confirmationId, n % 2)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 'success' });
    expect(await leads()).toEqual([bob]);
  });

  test('a former lead without the role still gets the result of the transfer', async () => {
    const { confirmationId } = await testRuntime.ask(jane, 'support', 'customer_transfer_lead', { contact_id: bob.sub });
    const ticket = await testRuntime.runtime.tickets.find(confirmationId, jane);
    const answer = await testRuntime.approve(jane, confirmationId);
    const former = person('jane.smith@acme.example', { roles: ['basic-customer'] });
    // A repeated approval, after a lost response or on another replica, runs with the current roles.
    expect(await execute(testRuntime.runtime, ticket, { person: former, origin: 'web', requestId: 'again' })).toEqual(answer);
    expect(await findResult(testRuntime.runtime, ticket, former)).toEqual(answer);
    const other = await testRuntime.ask(bob, 'support', 'customer_transfer_lead', { contact_id: jane.sub });
    const waiting = await testRuntime.runtime.tickets.find(other.confirmationId, bob);
    const demoted = { ...bob, roles: new Set(['basic-customer'] as const) };
    const refused = execute(testRuntime.runtime, waiting, { person: demoted, origin: 'web', requestId: 'never' });
    await expect(refused).rejects.toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  });

  test('only another active contact of the same organisation can become the lead', async () => {
    const ask = async (contact_id: string) => code(await testRuntime.call(jane, 'support', 'customer_transfer_lead', { contact_id }));
    expect(await ask(jane.sub)).toBe('ALREADY_LEAD');
    expect(await ask(KOFI)).toBe('CONTACT_NOT_ACTIVE');
    expect(await ask(person('mike.manager@globex.example').sub)).toBe('CONTACT_NOT_FOUND');
    expect(await ask('not an id')).toBe('VALIDATION_ERROR');
  });

  test('an invitation needs approval and adds one contact, and the same address cannot be invited again', async () => {
    const input = { email: 'Dana.Lee@Acme.example' };
    const card = await testRuntime.ask(jane, 'support', 'customer_invite_contact', input);
    expect(card.message).toBe('Invite dana.lee@acme.example to the portal of Acme Corporation? Nothing has changed yet.');
    expect((await contacts(jane)).some((row) => row['email'] === 'dana.lee@acme.example')).toBe(false);
    expect(await testRuntime.approve(jane, card.confirmationId)).toMatchObject({
      status: 'success',
      data: { email: 'dana.lee@acme.example', name: 'Dana Lee', role: 'contact', status: 'invited', invited_by: 'Jane Smith' },
    });
    expect((await contacts(jane)).filter((row) => row['email'] === 'dana.lee@acme.example').length).toBe(1);
    expect(code(await testRuntime.call(jane, 'support', 'customer_invite_contact', { email: 'DANA.LEE@acme.example' }))).toBe(
      'CONTACT_ALREADY_EXISTS',
    );
    expect(code(await testRuntime.call(jane, 'support', 'customer_invite_contact', { email: 'nobody' }))).toBe('VALIDATION_ERROR');
  });

  test('the card says if an address is not at the mail domain of the organisation', async () => {
    const { message, confirmationId } = await testRuntime.ask(jane, 'support', 'customer_invite_contact', {
      email: 'mallory@evil.example',
    });
    expect(message).toContain('mallory@evil.example, whose address is not at acme.example,');
    expect(code(await testRuntime.decide(jane, confirmationId, false))).toBe('cancelled');
  });

  test('of two concurrent invitations each one that succeeds adds exactly one contact', async () => {
    const cards = await Promise.all(
      ['one@acme.example', 'two@acme.example'].map((email) => testRuntime.ask(jane, 'support', 'customer_invite_contact', { email })),
    );
    const codes = (await Promise.all(cards.map(({ confirmationId }, n) => testRuntime.approve(jane, confirmationId, n)))).map(code);
    const emails = (await contacts(jane)).map((row) => String(row['email']));
    for (const [n, email] of ['one@acme.example', 'two@acme.example'].entries())
      expect([codes[n], emails.filter((each) => each === email).length]).toEqual([codes[n], codes[n] === 'success' ? 1 : 0]);
    expect(codes).toContain('success');
    expect(new Set(emails).size).toBe(emails.length);
  });

  test('contacts can be read page by page', async () => {
    const all = (await contacts(jane)).map((row) => row['contact_id']);
    const paged: unknown[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const answer = await testRuntime.call(jane, 'support', 'customer_list_contacts', { limit: 2, ...(cursor && { cursor }) });
      if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
      paged.push(...(answer.data as Data).map((row) => row['contact_id']));
      cursor = answer.metadata?.nextCursor;
    }
    expect(paged).toEqual(all);
  });
});
