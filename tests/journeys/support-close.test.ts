/** Closing a ticket needs an approval and a role, happens once, and fails if the ticket has changed since the card was shown. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/declare/people.ts';
import * as support from '../../domains/support/index.ts';
import { code, employeeIdOf, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { searchStores } from '../test-runtime-search.ts';
import { CUSTOMER_ROLES, STAFF_ROLES } from '../registry.ts';

const [eve, dan, bob] = ['eve.thompson', 'dan.williams', 'bob.developer@acme.example'] as const;
const id = (n: number) => `0b000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const resolution = 'Restarted the export worker; the customer confirmed that it works';

describe.each(searchStores)('closing tickets on %s', (_name, search) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ search, tools: Object.values(support), replicas: 2 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  let next = 20;
  /** Returns an open ticket that no other test uses. */
  async function fresh(): Promise<string> {
    for (;;) {
      const [row] = await testRuntime
        .data(dan, 'support', 'search_tickets', { status: 'open', limit: 50 })
        .then((rows) => rows.slice(next++ % 50));
      if (row && !used.has(String(row['ticket_id']))) {
        used.add(String(row['ticket_id']));
        return String(row['ticket_id']);
      }
    }
  }
  const used = new Set<string>([1, 2, 3, 4, 5, 6, 7].map(id));
  test('nothing changes before the approval or after a denial, and the card shows the change', async () => {
    const card = await testRuntime.ask(dan, 'support', 'close_ticket', {
      ticket_id: id(1),
      resolution,
      resolution_type: 'workaround',
      customer_notified: false,
    });
    expect(card.message).toBe('Close the ticket of Acme Corporation: Dashboard export to CSV times out? Nothing has changed yet.');
    expect(card.confirmationData).toMatchObject({
      action: 'close_ticket',
      mcpServer: 'support',
      userId: employeeIdOf(dan),
      subject: { id: id(1), label: 'Dashboard export to CSV times out (Acme Corporation, high)' },
      reason: resolution,
      changes: [
        { field: 'status', from: 'open', to: 'closed' },
        { field: 'resolution', from: null, to: resolution },
        { field: 'resolution_type', from: null, to: 'workaround' },
        { field: 'customer_notified', from: null, to: false },
      ],
    });
    expect((await testRuntime.data(bob, 'support', 'customer_get_ticket', { ticket_id: id(1) }))['status']).toBe('open');
    expect(code(await testRuntime.decide(dan, card.confirmationId, false))).toBe('cancelled');
    expect((await testRuntime.data(bob, 'support', 'customer_get_ticket', { ticket_id: id(1) }))['status']).toBe('open');
  });

  test('a tax number in the resolution is hidden in the audit log', async () => {
    const ticket_id = await fresh();
    const secret = '900-12-3456';
    const words = `Her number is ${secret}, and was corrected`;
    expect(code(await testRuntime.done(dan, 'support', 'close_ticket', { ticket_id, resolution: words }))).toBe('success');
    const [record] = (await testRuntime.runtime.stores['support']?.audit.newest({ limit: 1 })) ?? [];
    const { changes } = JSON.parse(record?.body ?? '{}') as { changes: unknown };
    expect(changes).toContainEqual({ field: 'resolution', from: null, to: 'Her number is *** (Hidden), and was corrected' });
    expect(changes).toContainEqual({ field: 'status', from: 'open', to: 'closed' });
    expect(record?.body).not.toContain(secret);
  });

  test('after the approval staff and customers see the ticket as closed, with its resolution', async () => {
    const done = await testRuntime.done(dan, 'support', 'close_ticket', { ticket_id: id(1), resolution });
    expect(done).toMatchObject({
      status: 'success',
      data: {
        ticket_id: id(1),
        status: 'closed',
        resolution,
        resolution_type: 'solved',
        customer_notified: true,
        resolved_by_name: 'Dan Williams',
        closed_by_name: 'Dan Williams',
        resolved_at: SAMPLE_DAY.toISOString(),
      },
    });
    expect(await testRuntime.data(bob, 'support', 'customer_get_ticket', { ticket_id: id(1) })).toMatchObject({
      status: 'closed',
      resolution,
      resolution_type: 'solved',
    });
    const found = await testRuntime.data(dan, 'support', 'search_tickets', {
      query: 'Dashboard export to CSV times out',
      status: 'closed',
    });
    expect(found.some((row) => row['ticket_id'] === id(1))).toBe(true);
  });

  test('a closed ticket can neither be closed again nor commented on', async () => {
    const again = await testRuntime.call(dan, 'support', 'close_ticket', { ticket_id: id(1), resolution });
    expect(again).toMatchObject({ code: 'TICKET_ALREADY_CLOSED', suggestedAction: expect.stringContaining('search_tickets') });
    expect(code(await testRuntime.call(bob, 'support', 'customer_add_comment', { ticket_id: id(1), comment: 'Thank you!' }))).toBe(
      'TICKET_CLOSED',
    );
  });

  test('closing a resolved ticket keeps the person and the time of the resolution', async () => {
    const [row] = await testRuntime.data(dan, 'support', 'search_tickets', { status: 'resolved', limit: 1 });
    const done = await testRuntime.done(eve, 'support', 'close_ticket', {
      ticket_id: row?.['ticket_id'],
      resolution: 'Silent for five working days',
    });
    expect(done).toMatchObject({
      data: {
        status: 'closed',
        closed_by_name: 'Eve Thompson',
        resolved_at: row?.['resolved_at'],
        resolved_by_name: row?.['resolved_by_name'],
      },
    });
  });

  test('nine approvals of one card on two replicas have one result', async () => {
    const ticket_id = await fresh();
    const { confirmationId } = await testRuntime.ask(dan, 'support', 'close_ticket', { ticket_id, resolution });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => testRuntime.approve(dan, confirmationId, n % 2)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 'success', data: { status: 'closed' } });
    expect(await testRuntime.approve(dan, confirmationId, 1)).toEqual(answers[0]);
  });

  test('of two people who close one ticket concurrently, one succeeds and the other gets a conflict', async () => {
    const ticket_id = await fresh();
    const [a, b] = [
      await testRuntime.ask(dan, 'support', 'close_ticket', { ticket_id, resolution }),
      await testRuntime.ask(eve, 'support', 'close_ticket', { ticket_id, resolution: 'Solved by a release' }),
    ];
    const codes = (await Promise.all([testRuntime.approve(dan, a.confirmationId, 0), testRuntime.approve(eve, b.confirmationId, 1)])).map(
      code,
    );
    expect(codes.toSorted()).toEqual(['CHANGED_SINCE_APPROVAL', 'success']);
  });

  test('a comment after the card was shown prevents the approval', async () => {
    const { confirmationId } = await testRuntime.ask(dan, 'support', 'close_ticket', {
      ticket_id: id(3),
      resolution: 'The certificate is renewed',
    });
    await testRuntime.data('sara.support@globex.example', 'support', 'customer_add_comment', {
      ticket_id: id(3),
      comment: 'It is broken again, please do not close.',
    });
    expect(code(await testRuntime.approve(dan, confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
    expect((await testRuntime.data('sara.support@globex.example', 'support', 'customer_get_ticket', { ticket_id: id(3) }))['status']).toBe(
      'open',
    );
  });

  test('only support-write and executives may close a ticket', async () => {
    const input = { ticket_id: id(4), resolution };
    for (const role of [...STAFF_ROLES, ...CUSTOMER_ROLES] as Role[]) {
      const customer = (CUSTOMER_ROLES as readonly Role[]).includes(role);
      const who = customer
        ? person('mike.manager@globex.example', { roles: [role] })
        : person('frank.davis', { roles: ['employee', role] });
      const may = role === 'support-write' || role === 'executive';
      expect([role, code(await testRuntime.call(who, 'support', 'close_ticket', input))]).toEqual([
        role,
        may ? 'pending_confirmation' : 'INSUFFICIENT_PERMISSIONS',
      ]);
    }
    const unlinked = person('frank.davis', { roles: ['support-write'], employeeId: undefined });
    expect(code(await testRuntime.call(unlinked, 'support', 'close_ticket', input))).toBe('IDENTITY_NOT_LINKED');
  });

  test('the input is validated, and an unknown ticket is not found', async () => {
    const ask = async (input: object) =>
      code(await testRuntime.call(dan, 'support', 'close_ticket', { ticket_id: id(4), resolution, ...input }));
    expect(await ask({ resolution: 'too short' })).toBe('VALIDATION_ERROR');
    expect(await ask({ resolution: 'x'.repeat(2001) })).toBe('VALIDATION_ERROR');
    expect(await ask({ resolution: 'x'.repeat(2000) })).toBe('pending_confirmation');
    expect(await ask({ resolution_type: 'nonsense' })).toBe('VALIDATION_ERROR');
    expect(await ask({ customer_notified: 'yes' })).toBe('VALIDATION_ERROR');
    expect(await ask({ ticket_id: '0b0fffff-0000-4000-8000-000000000001' })).toBe('TICKET_NOT_FOUND');
    expect(await ask({ status: 'closed' })).toBe('VALIDATION_ERROR');
  });
});
