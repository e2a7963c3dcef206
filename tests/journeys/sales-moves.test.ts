/** Every transition of a deal and a customer, legal and illegal, by every role, requested and approved. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import type { Person } from '../../src/declare/people.ts';
import type { Row } from '../../src/declare/rows.ts';
import * as sales from '../../domains/sales/index.ts';
import { openStages } from '../../domains/sales/schemas.ts';
import { code, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';
import { documentDatabases } from '../test-runtime-documents.ts';
import { type DealState, dealStates, newCustomer, newDeal, stored, touch } from './sales-rows.ts';

const [eve, carol] = ['eve.thompson', 'carol.johnson'] as const;
interface Actor {
  readonly as: string;
  readonly who: Person;
  readonly writes: boolean;
}
const actor = (as: string, username: string, writes: boolean, ...roles: string[]): Actor => ({
  as,
  who: person(username, { roles: ['employee', ...roles] }),
  writes,
});
const actors: readonly Actor[] = [
  actor('an executive', eve, true, 'executive'),
  actor('sales-write', carol, true, 'sales-write'),
  actor('sales-read', 'tom.becker', false, 'sales-read'),
  actor('a manager who may only read sales', 'nina.patel', false, 'manager', 'sales-read'),
  actor('an employee', 'marcus.johnson', false),
  actor(
    'hr, finance, support, payroll and tax',
    'paula.reyes',
    false,
    'hr-write',
    'finance-write',
    'support-write',
    'payroll-write',
    'tax-write',
  ),
  { as: 'a customer', who: person('jane.smith@acme.example'), writes: false },
];
const isOpen = (state: DealState) => (openStages as readonly string[]).includes(state);

describe.each(documentDatabases)('transitions on %s', (_name, documents) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ documents, tools: Object.values(sales) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  /** Requests a change and approves its card, if any. The row then has the values `becomes`, or is unchanged after a refusal. */
  async function attempt(
    one: Actor,
    tool: string,
    collection: 'customers' | 'opportunities',
    id: string,
    input: object,
    becomes: Row,
  ): Promise<string> {
    const before = await stored(testRuntime, collection, id);
    const answer = await testRuntime.call(one.who, 'sales', tool, input);
    expect(await stored(testRuntime, collection, id)).toEqual(before);
    if (answer.status !== 'pending_confirmation') {
      if (answer.status === 'error') expect(answer.suggestedAction).toMatch(/\S.{10,}\.$/);
      return code(answer);
    }
    const done = await testRuntime.approve(one.who, answer.confirmationId);
    const after = await stored(testRuntime, collection, id);
    expect(code(done)).toBe('success');
    expect(after).toMatchObject({ ...becomes, row_version: Number(before['row_version']) + 1 });
    // A second approval returns the same result and changes nothing.
    expect(await testRuntime.approve(one.who, answer.confirmationId)).toEqual(done);
    expect(await stored(testRuntime, collection, id)).toEqual(after);
    return 'done';
  }

  const moves = [
    [
      'close_opportunity',
      { outcome: 'won' },
      'OPPORTUNITY_ALREADY_CLOSED',
      { stage: 'CLOSED_WON', value: 1234.56, actual_value: 1234.56, weighted_value: 1234.56, probability: 100, close_date: '2026-11-16' },
    ],
    [
      'close_opportunity',
      { outcome: 'won', actual_value: 2000.5 },
      'OPPORTUNITY_ALREADY_CLOSED',
      { stage: 'CLOSED_WON', value: 2000.5, actual_value: 2000.5, expected_close_date: '2029-05-10' },
    ],
    [
      'close_opportunity',
      { outcome: 'lost', reason: 'Price' },
      'OPPORTUNITY_ALREADY_CLOSED',
      { stage: 'CLOSED_LOST', value: 1234.56, actual_value: null, weighted_value: 0, probability: 0, close_reason: 'Price' },
    ],
    [
      'delete_opportunity',
      { reason: 'Twice there' },
      'OPPORTUNITY_NOT_OPEN',
      { removed: true, stage: expect.any(String), deletion_reason: 'Twice there' },
    ],
  ] as const;
  describe.each(moves)('%s %j', (tool, rest, whenClosed, becomes) => {
    test.each(dealStates)('of a deal in the state %s has the right outcome for every role', async (state) => {
      const seen: Record<string, string> = {};
      const wanted: Record<string, string> = {};
      for (const one of actors) {
        const id = await newDeal(testRuntime, state);
        seen[one.as] = await attempt(one, tool, 'opportunities', id, { opportunity_id: id, ...rest }, becomes);
        wanted[one.as] = !one.writes
          ? 'INSUFFICIENT_PERMISSIONS'
          : state === 'DELETED'
            ? 'OPPORTUNITY_NOT_FOUND'
            : isOpen(state)
              ? 'done'
              : whenClosed;
      }
      expect(seen).toEqual(wanted);
    });
  });

  const customersWith: readonly (readonly [string, readonly DealState[], string])[] = [
    ['no deals', [], 'done'],
    ['closed deals', ['CLOSED_WON', 'CLOSED_LOST'], 'done'],
    ['a deleted deal', ['DELETED'], 'done'],
    ...openStages.map((stage) => [`an open deal in ${stage}`, ['CLOSED_WON', stage], 'CUSTOMER_HAS_OPEN_DEALS'] as const),
  ];
  test.each(customersWith)('delete_customer of a customer with %s has the right outcome for every role', async (_with, deals, outcome) => {
    for (const one of actors) {
      const id = await newCustomer(testRuntime);
      const theirs = await Promise.all(deals.map((state) => newDeal(testRuntime, state, id)));
      const before = await Promise.all(theirs.map((deal) => stored(testRuntime, 'opportunities', deal)));
      const came = await attempt(
        one,
        'delete_customer',
        'customers',
        id,
        { customer_id: id, reason: 'Gone' },
        { removed: true, deletion_reason: 'Gone' },
      );
      expect([one.as, came]).toEqual([one.as, one.writes ? outcome : 'INSUFFICIENT_PERMISSIONS']);
      expect(await Promise.all(theirs.map((deal) => stored(testRuntime, 'opportunities', deal)))).toEqual(before);
      if (came === 'done')
        expect(code(await testRuntime.call(carol, 'sales', 'get_customer', { customer_id: id }))).toBe('CUSTOMER_NOT_FOUND');
    }
  });
  test('a deleted customer is no longer found', async () => {
    const id = await newCustomer(testRuntime, true);
    for (const tool of ['get_customer', 'delete_customer'])
      expect(code(await testRuntime.call(carol, 'sales', tool, { customer_id: id }))).toBe('CUSTOMER_NOT_FOUND');
  });

  test('the refusal names the final stage, and the number of open deals', async () => {
    const id = await newDeal(testRuntime, 'CLOSED_WON');
    expect(await testRuntime.call(carol, 'sales', 'close_opportunity', { opportunity_id: id, outcome: 'lost' })).toMatchObject({
      message: 'The deal is already closed.',
      details: { stage: 'CLOSED_WON', close_date: '2026-11-10' },
      retryable: false,
    });
    const customer_id = await newCustomer(testRuntime);
    for (const state of ['PROPOSAL', 'NEGOTIATION', 'CLOSED_LOST'] as const) await newDeal(testRuntime, state, customer_id);
    expect(await testRuntime.call(carol, 'sales', 'delete_customer', { customer_id })).toMatchObject({ details: { open_deals: 2 } });
  });

  test('close_opportunity refuses an actual value for a lost deal, other outcomes and invalid values', async () => {
    const opportunity_id = await newDeal(testRuntime, 'PROPOSAL');
    for (const input of [
      { outcome: 'lost', actual_value: 5 },
      { outcome: 'negotiation' },
      { outcome: 'WON' },
      {},
      { outcome: 'won', stage: 'NEGOTIATION' },
      { outcome: 'won', actual_value: -1 },
      { outcome: 'won', actual_value: 1.001 },
      { outcome: 'won', notes: 'x'.repeat(1001) },
      { outcome: 'lost', reason: 'x'.repeat(501) },
    ])
      expect([input, code(await testRuntime.call(carol, 'sales', 'close_opportunity', { opportunity_id, ...input }))]).toEqual([
        input,
        'VALIDATION_ERROR',
      ]);
    expect(code(await testRuntime.call(carol, 'sales', 'close_opportunity', { opportunity_id, outcome: 'won', actual_value: 0 }))).toBe(
      'pending_confirmation',
    );
  });

  test('the card shows old and new values, and the answer equals the row in a list', async () => {
    const opportunity_id = await newDeal(testRuntime, 'NEGOTIATION');
    const input = { opportunity_id, outcome: 'won', actual_value: 1500, reason: 'Fast', notes: 'Signed on Friday' };
    const { message, confirmationData, confirmationId } = await testRuntime.ask(carol, 'sales', 'close_opportunity', input);
    expect(message).toBe('Close the deal Test Deal with Test Customer as won, at 1,500.00 USD? Nothing has changed yet.');
    expect(confirmationData).toMatchObject({
      action: 'close_opportunity',
      mcpServer: 'sales',
      subject: { id: opportunity_id, label: 'Test Deal: Test Customer, 1,234.56 USD, owned by Some Seller' },
      reason: 'Fast',
      destructive: false,
      changes: [
        { field: 'stage', from: 'NEGOTIATION', to: 'CLOSED_WON' },
        { field: 'value', from: 1234.56, to: 1500, format: 'money', currency: 'USD' },
        { field: 'close_date', from: '2029-05-10', to: '2026-11-16', format: 'date' },
        { field: 'notes', from: null, to: 'Signed on Friday' },
      ],
    });
    const done = (await testRuntime.approve(carol, confirmationId)) as SuccessAnswer;
    const { data } = (await testRuntime.call(carol, 'sales', 'list_opportunities', {
      name: 'test deal',
      min_value: 1500,
      max_value: 1500,
    })) as SuccessAnswer;
    expect(data).toEqual([done.data]);
    expect(done.data).toMatchObject({
      closed_by_name: 'Carol Johnson',
      closed_at: '2026-11-16T09:00:00.000Z',
      close_reason: 'Fast',
      notes: 'Signed on Friday',
    });

    const customer_id = await newCustomer(testRuntime);
    await newDeal(testRuntime, 'CLOSED_WON', customer_id);
    const card = await testRuntime.ask(carol, 'sales', 'delete_customer', { customer_id });
    expect(card.message).toMatch(/^Delete the customer Test Customer\? The data stays in the database for audits/);
    expect(card.confirmationData).toMatchObject({
      destructive: true,
      changes: [
        { field: 'status', from: 'ACTIVE', to: 'Deleted' },
        { field: 'closed_deals', from: 1, to: 1 },
      ],
    });
  });

  test('no tool and no sum includes a deleted deal, and the row stays in the store', async () => {
    const customer_id = await newCustomer(testRuntime);
    const [id, other] = [await newDeal(testRuntime, 'PROPOSAL', customer_id), await newDeal(testRuntime, 'PROPOSAL', customer_id)];
    const seen = async () => {
      const answer = (await testRuntime.call(carol, 'sales', 'list_opportunities', {
        name: 'test',
        closing_from: '2029-05-10',
        closing_to: '2029-05-10',
        stage: 'PROPOSAL',
      })) as SuccessAnswer;
      const pipeline = (await testRuntime.data(carol, 'sales', 'get_pipeline', { quarter: '2029-Q2' })) as unknown as {
        total: { count: number };
      };
      const forecast = await testRuntime.data(carol, 'sales', 'get_forecast', { period: '2029-Q2' });
      const customer = (await testRuntime.data(carol, 'sales', 'get_customer', { customer_id })) as unknown as {
        open_deals: Row[];
        totals: Row;
      };
      const summary = answer.metadata?.summary as { count: number };
      return [
        summary.count,
        pipeline.total.count,
        Math.round(Number(forecast['pipeline']) * 100),
        customer.open_deals.length,
        customer.totals['open_deals'],
      ].map(Number);
    };
    const before = await seen();
    expect(code(await testRuntime.done(carol, 'sales', 'delete_opportunity', { opportunity_id: id }))).toBe('success');
    expect((await seen()).map((value, which) => value - (before[which] ?? 0))).toEqual([-1, -1, -123_456, -1, -1]);
    expect(await stored(testRuntime, 'opportunities', id)).toMatchObject({
      deal_name: 'Test Deal',
      value: 1234.56,
      removed: true,
      deleted_by_name: 'Carol Johnson',
    });
    expect(await stored(testRuntime, 'opportunities', other)).not.toHaveProperty('removed');
  });

  describe('between request and approval', () => {
    const writes = [
      ['close_opportunity', 'opportunities', { outcome: 'won' }],
      ['delete_opportunity', 'opportunities', {}],
      ['delete_customer', 'customers', {}],
    ] as const;
    const subject = async (collection: 'customers' | 'opportunities') =>
      collection === 'customers'
        ? { customer_id: await newCustomer(testRuntime) }
        : { opportunity_id: await newDeal(testRuntime, 'PROPOSAL') };

    test.each(writes)('%s: any change of the row prevents the write', async (tool, collection, rest) => {
      const ids = await subject(collection);
      const [id = ''] = Object.values(ids);
      const { confirmationId } = await testRuntime.ask(carol, 'sales', tool, { ...ids, ...rest });
      await touch(testRuntime, collection, id);
      const before = await stored(testRuntime, collection, id);
      expect(code(await testRuntime.approve(carol, confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      expect(await stored(testRuntime, collection, id)).toEqual(before);
    });

    test.each(writes)(
      '%s: nothing changes if another person approves, if the requester has lost the role, or after a denial',
      async (tool, collection, rest) => {
        const ids = await subject(collection);
        const [id = ''] = Object.values(ids);
        const before = await stored(testRuntime, collection, id);
        const { confirmationId } = await testRuntime.ask(carol, 'sales', tool, { ...ids, ...rest });
        expect(await testRuntime.approve(eve, confirmationId)).toMatchObject({ status: 'error' });
        expect(await stored(testRuntime, collection, id)).toEqual(before);
        expect(code(await testRuntime.approve(person(carol, { roles: ['employee', 'sales-read'] }), confirmationId))).toBe(
          'INSUFFICIENT_PERMISSIONS',
        );
        expect(await stored(testRuntime, collection, id)).toEqual(before);
        const again = await testRuntime.ask(carol, 'sales', tool, { ...ids, ...rest, reason: 'Again' });
        expect(await testRuntime.decide(carol, again.confirmationId, false)).toMatchObject({ status: 'cancelled' });
        expect(await stored(testRuntime, collection, id)).toEqual(before);
        expect(code(await testRuntime.approve(carol, again.confirmationId))).not.toBe('success');
        expect(await stored(testRuntime, collection, id)).toEqual(before);
      },
    );

    test('of several cards for one deal only the first that is approved takes effect', async () => {
      const opportunity_id = await newDeal(testRuntime, 'NEGOTIATION');
      const won = await testRuntime.ask(carol, 'sales', 'close_opportunity', { opportunity_id, outcome: 'won' });
      const lost = await testRuntime.ask(eve, 'sales', 'close_opportunity', { opportunity_id, outcome: 'lost' });
      const gone = await testRuntime.ask(eve, 'sales', 'delete_opportunity', { opportunity_id });
      expect(code(await testRuntime.approve(eve, lost.confirmationId))).toBe('success');
      expect(code(await testRuntime.approve(carol, won.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      expect(code(await testRuntime.approve(eve, gone.confirmationId))).toBe('CHANGED_SINCE_APPROVAL');
      expect(await stored(testRuntime, 'opportunities', opportunity_id)).toMatchObject({ stage: 'CLOSED_LOST', row_version: 2 });
    });

    test('a new deal prevents the deletion of its customer', async () => {
      const customer_id = await newCustomer(testRuntime);
      const { confirmationId } = await testRuntime.ask(carol, 'sales', 'delete_customer', { customer_id });
      await newDeal(testRuntime, 'PROSPECTING', customer_id);
      expect(await testRuntime.approve(carol, confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'CUSTOMER_HAS_OPEN_DEALS' },
      });
      expect(await stored(testRuntime, 'customers', customer_id)).not.toHaveProperty('removed');
    });
  });
});

describe.each(documentDatabases)('concurrent changes on %s', (_name, documents) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ documents, tools: Object.values(sales), replicas: 3 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  test('twenty approvals of one card on three replicas have one effect and one result', async () => {
    const opportunity_id = await newDeal(testRuntime, 'NEGOTIATION');
    const { confirmationId } = await testRuntime.ask(carol, 'sales', 'close_opportunity', {
      opportunity_id,
      outcome: 'won',
      actual_value: 99.99,
    });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => testRuntime.approve(carol, confirmationId, n)));
    const [first] = answers;
    expect(first).toMatchObject({ status: 'success', data: { value: 99.99 } });
    for (const answer of answers) expect(answer).toEqual(first);
    expect(await stored(testRuntime, 'opportunities', opportunity_id)).toMatchObject({ stage: 'CLOSED_WON', row_version: 2 });
    const chains = await testRuntime.documents('sales').chains.chains();
    expect(chains.reduce((all, { count }) => all + count, 0)).toBe(1);
  });

  test('of ten concurrent approvals to close one deal one succeeds, and the others conflict', async () => {
    const opportunity_id = await newDeal(testRuntime, 'NEGOTIATION');
    const tickets = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        testRuntime.ask(n % 2 ? carol : eve, 'sales', 'close_opportunity', {
          opportunity_id,
          outcome: n % 3 ? 'won' : 'lost',
          notes: `Ticket ${n}`,
        }),
      ),
    );
    const codes = await Promise.all(
      tickets.map(async ({ confirmationId }, n) => code(await testRuntime.approve(n % 2 ? carol : eve, confirmationId, n))),
    );
    expect(codes.toSorted()).toEqual([...Array<string>(9).fill('CHANGED_SINCE_APPROVAL'), 'success']);
    expect(await stored(testRuntime, 'opportunities', opportunity_id)).toMatchObject({ row_version: 2 });
  });
});
