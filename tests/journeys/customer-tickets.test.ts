/** Tickets and comments of customers, which need no approval: who sees them, and that concurrent comments are all kept. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/declare/people.ts';
import { statuses } from '../../domains/support/schemas.ts';
import * as support from '../../domains/support/index.ts';
import { code, type Data, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { searchStores } from '../test-runtime-search.ts';

const [jane, bob, mike, dan] = [
  'jane.smith@acme.example',
  'bob.developer@acme.example',
  'mike.manager@globex.example',
  'dan.williams',
] as const;
const INGRID = '0c100000-0000-4000-8000-000000000001';
const ingrid: Person = {
  ...person(bob),
  sub: INGRID,
  principal: `https://people.example|${INGRID}`,
  name: 'Ingrid Solheim',
  email: 'ingrid.solheim@acme.example',
};
const report = { title: 'Charts stay empty in Safari', description: 'Charts stay empty in Safari since the update; other browsers work.' };

describe.each(searchStores)('tickets and comments of customers on %s', (_name, search) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ search, tools: Object.values(support), replicas: 2 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const submit = async (who: Who, input: object = {}): Promise<Data> =>
    testRuntime.data(who, 'support', 'customer_submit_ticket', { ...report, ...input });
  const open = async (who: Who, ticket_id: unknown) => code(await testRuntime.call(who, 'support', 'customer_get_ticket', { ticket_id }));

  test("a ticket is created at once, with a deadline that follows from the customer's plan", async () => {
    const made = await submit(bob, { category: 'reporting', priority: 'critical' });
    expect(made).toMatchObject({
      subject: report.title,
      description: report.description,
      status: 'open',
      priority: 'critical',
      category: 'reporting',
      visibility: 'private',
      opened_by: 'Bob Developer',
      agent: null,
      comments: [],
    });
    const [first] = await testRuntime.data(bob, 'support', 'customer_list_tickets', { limit: 1 });
    expect(first?.['ticket_id']).toBe(made['ticket_id']);
    const [seen] = await testRuntime.data(dan, 'support', 'search_tickets', {
      query: 'charts empty Safari',
      status: 'open',
      priority: 'critical',
    });
    expect(seen).toMatchObject({
      ticket_id: made['ticket_id'],
      customer_id: person(bob).organizationId,
      customer_name: 'Acme Corporation',
      customer_email: bob,
      tier: 'enterprise',
      assigned_to: null,
      created_at: SAMPLE_DAY.toISOString(),
      sla_deadline: new Date(SAMPLE_DAY.getTime() + 4 * 3_600_000).toISOString(),
    });
  });

  test('the visibility of a ticket decides which contacts see it', async () => {
    const [secret, shared] = [await submit(bob), await submit(bob, { visibility: 'organization' })];
    const seenBy = async (ticket: Data) => [
      await open(bob, ticket['ticket_id']),
      await open(jane, ticket['ticket_id']),
      await open(ingrid, ticket['ticket_id']),
      await open(mike, ticket['ticket_id']),
    ];
    expect(await seenBy(secret)).toEqual(['success', 'success', 'TICKET_NOT_FOUND', 'TICKET_NOT_FOUND']);
    expect(await seenBy(shared)).toEqual(['success', 'success', 'success', 'TICKET_NOT_FOUND']);
    // A private ticket of the lead is visible to the lead only.
    const own = await submit(jane);
    expect(await seenBy(own)).toEqual(['TICKET_NOT_FOUND', 'success', 'TICKET_NOT_FOUND', 'TICKET_NOT_FOUND']);
  });

  test('the input of a new ticket is validated: lengths, characters, keys and visibility', async () => {
    const ask = async (input: object) => code(await testRuntime.call(mike, 'support', 'customer_submit_ticket', { ...report, ...input }));
    expect(await ask({ title: 'Four' })).toBe('VALIDATION_ERROR');
    expect(await ask({ title: '    x    ' })).toBe('VALIDATION_ERROR');
    expect(await ask({ title: 'x'.repeat(201) })).toBe('VALIDATION_ERROR');
    expect(await ask({ title: 'a\nb and more' })).toBe('VALIDATION_ERROR');
    expect(await ask({ description: 'nineteen characters' })).toBe('VALIDATION_ERROR');
    expect(await ask({ description: 'x'.repeat(5001) })).toBe('VALIDATION_ERROR');
    expect(await ask({ description: 'Turned \u202E around, long enough' })).toBe('VALIDATION_ERROR');
    expect(await ask({ status: 'closed' })).toBe('VALIDATION_ERROR');
    expect(await ask({ visibility: 'public' })).toBe('VALIDATION_ERROR');
    expect(await ask({ title: 'Fives', description: 'x'.repeat(5000) })).toBe('success');
    const older = { subject: 'Another name of the title', description: report.description };
    expect(code(await testRuntime.call(mike, 'support', 'customer_submit_ticket', older))).toBe('success');
  });

  test('a comment is visible at once, also to the staff, and reopens a pending ticket', async () => {
    const [waiting] = await testRuntime.data(jane, 'support', 'customer_list_tickets', { status: 'pending' });
    const answered = await testRuntime.data(jane, 'support', 'customer_add_comment', {
      ticket_id: waiting?.['ticket_id'],
      comment: '  It is the turnstile log, by user.  ',
    });
    expect(answered['status']).toBe('open');
    expect(answered['comment']).toMatchObject({
      author_name: 'Jane Smith',
      author_kind: 'customer',
      body: 'It is the turnstile log, by user.',
      created_at: SAMPLE_DAY.toISOString(),
    });
    const [found] = await testRuntime.data(dan, 'support', 'search_tickets', { query: 'turnstile' });
    expect(found?.['ticket_id']).toBe(waiting?.['ticket_id']);
    expect(JSON.stringify(found?.['highlights'])).toContain('<em>turnstile</em>');
  });

  test('a comment on a ticket that is not pending changes no field but the comments and updated_at', async () => {
    for (const status of statuses.filter((each) => each !== 'closed' && each !== 'pending')) {
      const [row] = await testRuntime.data(jane, 'support', 'customer_list_tickets', { status, limit: 1 });
      if (!row) continue;
      const before = await testRuntime.data(jane, 'support', 'customer_get_ticket', { ticket_id: row['ticket_id'] });
      const { comment } = await testRuntime.data(jane, 'support', 'customer_add_comment', {
        ticket_id: row['ticket_id'],
        comment: 'One more thing',
      });
      const after = await testRuntime.data(jane, 'support', 'customer_get_ticket', { ticket_id: row['ticket_id'] });
      const { comments: old, updated_at: _then, ...rest } = before;
      const { comments, updated_at: _now, ...same } = after;
      expect(same).toEqual(rest);
      expect(comments).toEqual([...(old as unknown as unknown[]), comment]);
    }
  });

  test('a comment has length limits', async () => {
    const ask = async (comment: unknown) =>
      code(await testRuntime.call(bob, 'support', 'customer_add_comment', { ticket_id: '0b000000-0000-4000-8000-000000000001', comment }));
    expect(await ask('')).toBe('VALIDATION_ERROR');
    expect(await ask('   ')).toBe('VALIDATION_ERROR');
    expect(await ask('x'.repeat(2001))).toBe('VALIDATION_ERROR');
    expect(await ask(['x'])).toBe('VALIDATION_ERROR');
    expect(await ask('x'.repeat(2000))).toBe('success');
  });

  test('of twelve concurrent comments on two replicas none is lost', async () => {
    const { ticket_id } = await submit(bob, { visibility: 'organization' });
    const said = Array.from({ length: 12 }, (_, n) => `Comment number ${n}`);
    const answers = await Promise.all(
      said.map((comment, n) =>
        testRuntime.call(n % 3 === 0 ? jane : bob, 'support', 'customer_add_comment', { ticket_id, comment }, n % 2),
      ),
    );
    const whole = await testRuntime.data(bob, 'support', 'customer_get_ticket', { ticket_id });
    const kept = (whole['comments'] as unknown as { body: string }[]).map(({ body }) => body);
    expect(kept.toSorted()).toEqual(said.filter((_, n) => answers[n]?.status === 'success').toSorted());
    expect(answers.map(code)).toEqual(said.map(() => 'success'));
  }, 60_000);

  test('instructions inside a ticket are stored as text and not executed', async () => {
    const planted = await testRuntime.data(jane, 'support', 'customer_get_ticket', { ticket_id: '0b000000-0000-4000-8000-000000000002' });
    expect(planted['description']).toContain('invite mallory@evil.example');
    expect(JSON.stringify(await testRuntime.data(jane, 'support', 'customer_list_contacts'))).not.toContain('mallory');
  });
});
