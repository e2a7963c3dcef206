/** Finance from end to end: budgets, an invoice that two people sign, expenses from submission to reimbursement, and invalid input. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, CancelledAnswer, SuccessAnswer } from '../../src/declare/answer.ts';
import * as finance from '../../domains/finance/index.ts';
import { code, type Data, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';
import { newBudget } from './finance-rows.ts';

const [eve, bob, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'bob.martinez',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;
type Row = Record<string, unknown>;
const dataOf = (answer: Answer | CancelledAnswer) => (answer as SuccessAnswer).data as Row;

describe.each(databases)('finance journeys on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(finance) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const ask = async (who: Who, tool: string, input: unknown = {}) => code(await testRuntime.call(who, 'finance', tool, input));
  const first = async (who: Who, tool: string, input: object) => {
    const rows = (await testRuntime.data(who, 'finance', tool, input)) as Data;
    expect(rows.length).toBe(1);
    return rows[0] as Row;
  };
  const spentOn = async (department: string) => {
    const full = (await testRuntime.data(bob, 'finance', 'get_budget', { department })) as Row;
    return Object.fromEntries([
      ['all', full['spent_amount']],
      ...(full['by_category'] as Data).map((each) => [String(each['category']), each['spent_amount']]),
    ]) as Record<string, number>;
  };
  const plus = (a: number | undefined, b: number) => Math.round(((a ?? 0) + b) * 100) / 100;

  test('the CEO compares budget and actual spending of the whole company', async () => {
    const answer = (await testRuntime.call(eve, 'finance', 'list_budgets', { fiscal_year: 2026 })) as SuccessAnswer;
    const rows = answer.data as Data;
    expect(rows.map((row) => row['department'])).toEqual([
      'Engineering',
      'Finance',
      'HR',
      'Legal',
      'Marketing',
      'Operations',
      'Sales',
      'Support',
    ]);
    const { allocated, spent, remaining } = (answer.metadata?.summary ?? {}) as Record<string, number>;
    expect(spent).toBeGreaterThan(1_000_000);
    expect(plus(spent, remaining ?? 0)).toBe(allocated);
    expect(rows.every((row) => row['status'] === 'ACTIVE' && Number(row['utilization_percent']) > 50)).toBe(true);
  });

  test('an invoice is approved by one person, paid by another, and counted in the spending of the department', async () => {
    const before = await spentOn('Engineering');
    const { invoice_id, amount } = await first(bob, 'list_invoices', { vendor: 'CloudNine', status: 'pending' });
    const card = await testRuntime.ask(bob, 'finance', 'approve_invoice', { invoice_id, approver_notes: 'As ordered' });
    expect(card.message).toBe('Approve the invoice of CloudNine Hosting for 18,450.00 USD? Nothing has changed yet.');
    expect(card.confirmationData).toMatchObject({
      mcpServer: 'finance',
      userId: id(bob),
      reason: 'As ordered',
      destructive: false,
      subject: { id: invoice_id, label: 'CloudNine Hosting: Managed hosting, 18,450.00 USD, for Engineering, due 2026-12-07' },
      changes: [
        { field: 'status', from: 'PENDING', to: 'APPROVED' },
        { field: 'amount', from: 18_450, to: 18_450, format: 'money', currency: 'USD' },
        { field: 'submitted_by_name', label: 'Submitted by', from: 'Daniel Lee', to: 'Daniel Lee' },
      ],
    });
    expect(dataOf(await testRuntime.approve(bob, card.confirmationId))).toMatchObject({
      status: 'APPROVED',
      approved_by: id(bob),
      approved_by_name: 'Bob Martinez',
      approver_notes: 'As ordered',
      paid_by: null,
    });
    expect(await spentOn('Engineering')).toEqual(before);
    expect(await testRuntime.call(bob, 'finance', 'pay_invoice', { invoice_id })).toMatchObject({
      code: 'SEPARATION_OF_DUTIES',
      message: 'You cannot pay an invoice that you approved.',
      suggestedAction: expect.stringContaining('another person'),
    });
    const paid = await testRuntime.done(eve, 'finance', 'pay_invoice', {
      invoice_id,
      payment_date: '2026-11-15',
      payment_reference: 'WIRE-8841',
    });
    expect(dataOf(paid)).toMatchObject({
      status: 'PAID',
      paid_by: id(eve),
      payment_date: '2026-11-15',
      payment_reference: 'WIRE-8841',
      overdue: false,
    });
    const after = await spentOn('Engineering');
    expect(after).toEqual({ ...before, all: plus(before['all'], Number(amount)), SOFTWARE: plus(before['SOFTWARE'], Number(amount)) });
    for (const who of [eve, person('tom.becker', { roles: ['employee', 'finance-write'] })])
      expect(await testRuntime.call(who, 'finance', 'pay_invoice', { invoice_id })).toMatchObject({
        code: 'INVOICE_ALREADY_PAID',
        details: { payment_date: '2026-11-15', payment_reference: 'WIRE-8841' },
      });
    expect(await spentOn('Engineering')).toEqual(after);
    expect(
      await first(bob, 'list_invoices', { vendor: 'CloudNine', status: 'PAID', min_amount: 18_450, max_amount: 18_450 }),
    ).toMatchObject({ invoice_id });
  });

  test('a payment counts as spending in the year of its date, even without a budget line', async () => {
    const { invoice_id } = await first(bob, 'list_invoices', { vendor: 'Northwind', status: 'APPROVED' });
    for (const payment_date of ['2026-10-25', '2026-12-18', '2027-11-16', '2020-01-01'])
      expect([payment_date, await ask(bob, 'pay_invoice', { invoice_id, payment_date })]).toEqual([
        payment_date,
        'PAYMENT_DATE_OUT_OF_RANGE',
      ]);
    for (const payment_date of ['2026-02-30', '2026-13-01', 'tomorrow', ''])
      expect(await ask(bob, 'pay_invoice', { invoice_id, payment_date })).toBe('VALIDATION_ERROR');
    for (const payment_date of ['2026-10-26', '2026-12-17', undefined])
      expect(await ask(bob, 'pay_invoice', { invoice_id, payment_date })).toBe('pending_confirmation');
    testRuntime.clock.set(new Date('2027-01-02T09:00:00Z'));
    expect(code(await testRuntime.done(bob, 'finance', 'pay_invoice', { invoice_id }))).toBe('success');
    testRuntime.clock.set(new Date('2026-11-16T09:00:00Z'));
    expect(
      await testRuntime.owner(
        `select department, entry_date::text, category, amount::float8 as amount, source, source_id
         from finance.ledger where entry_date > '2026-12-31'`,
      ),
    ).toEqual([
      { department: 'Operations', entry_date: '2027-01-02', category: 'OTHER', amount: 9640.2, source: 'INVOICE', source_id: invoice_id },
    ]);
    // Without a budget line for this payment, the actual spending still includes it.
    await testRuntime.owner(
      "delete from finance.budget_lines where category = 'OTHER' and budget_id = '0fb00000-0000-4000-8000-000000000007'",
    );
    const full = (await testRuntime.data(bob, 'finance', 'get_budget', { department: 'Operations', year: 2027 })) as Row;
    expect((full['by_category'] as Data).find((each) => each['category'] === 'OTHER')).toEqual({
      category: 'OTHER',
      allocated_amount: 0,
      spent_amount: 9640.2,
      remaining_amount: -9640.2,
      utilization_percent: null,
    });
  });

  test('expenses are submitted, approved by the manager and reimbursed by finance', async () => {
    const items = [
      { category: 'transport', description: 'Taxi', amount: 42.5 },
      { category: 'MEALS', description: 'Client lunch', amount: 88, date: '2026-11-12', receipt: 'lunch.jpg' },
      { description: 'Something else', amount: 0.01 },
    ];
    const card = await testRuntime.ask(marcus, 'finance', 'submit_expense_report', { month: '2026-11', items, total: 130.51 });
    expect(card.message).toBe('Submit expenses of 2026-11, 130.51 USD in total? Nothing has changed yet.');
    expect(card.confirmationData.subject).toEqual({ label: 'Marcus Johnson, Engineering: 3 items', id: id(marcus) });
    expect(card.confirmationData.changes).toMatchObject([
      { label: '2026-11-16 transport', from: null, to: 'Taxi: 42.50 USD, no receipt' },
      { label: '2026-11-12 meals', from: null, to: 'Client lunch: 88.00 USD' },
      { label: '2026-11-16 other', from: null, to: 'Something else: 0.01 USD, no receipt' },
      { label: 'Reported for 2026-11 in all', from: 0, to: 130.51, format: 'money', currency: 'USD' },
    ]);
    const made = dataOf(await testRuntime.approve(marcus, card.confirmationId));
    const { report_id } = made;
    expect(made).toMatchObject({
      employee_id: id(marcus),
      employee_name: 'Marcus Johnson',
      department: 'Engineering',
      status: 'SUBMITTED',
      total: 130.51,
      item_count: 3,
      items: [
        { date: '2026-11-16', category: 'TRANSPORT', amount: 42.5, receipt: null },
        { date: '2026-11-12', category: 'MEALS', amount: 88, receipt: 'lunch.jpg' },
        { date: '2026-11-16', category: 'OTHER', amount: 0.01, receipt: null },
      ],
    });
    // The card of a second, equal report shows the total for the month with both reports.
    expect(
      (await testRuntime.ask(marcus, 'finance', 'submit_expense_report', { month: '2026-11', items })).confirmationData.changes.at(-1),
    ).toMatchObject({
      from: 130.51,
      to: 261.02,
    });
    expect(await testRuntime.data(marcus, 'finance', 'get_expense_report', { month: '2026-11' })).toMatchObject({
      report_id,
      other_report_ids: [],
    });
    expect(await ask(sarah, 'get_expense_report', { report_id })).toBe('EXPENSE_REPORT_NOT_FOUND');

    const waiting = (await testRuntime.data(nina, 'finance', 'list_expense_reports', { status: 'submitted' })) as Data;
    expect(waiting.map((row) => row['report_id'])).toContain(report_id);
    expect(await ask(bob, 'reimburse_expense_report', { report_id })).toBe('EXPENSE_REPORT_NOT_APPROVED');
    const before = await spentOn('Engineering');
    const approval = await testRuntime.ask(nina, 'finance', 'approve_expense_report', { report_id, approver_notes: 'Thanks' });
    expect(approval.message).toBe(
      'Approve the expense report of Marcus Johnson for 2026-11, 130.51 USD in total? Nothing has changed yet.',
    );
    expect(dataOf(await testRuntime.approve(nina, approval.confirmationId))).toMatchObject({
      status: 'APPROVED',
      approved_by_name: 'Nina Patel',
      approver_notes: 'Thanks',
    });
    expect(await ask(nina, 'reimburse_expense_report', { report_id })).toBe('INSUFFICIENT_PERMISSIONS');
    expect(
      dataOf(await testRuntime.done(bob, 'finance', 'reimburse_expense_report', { report_id, payment_reference: 'EXP-1' })),
    ).toMatchObject({
      status: 'REIMBURSED',
      reimbursed_by: id(bob),
      payment_reference: 'EXP-1',
      total: 130.51,
    });
    expect(await spentOn('Engineering')).toEqual({
      ...before,
      all: plus(before['all'], 130.51),
      TRAVEL: plus(before['TRAVEL'], 130.5),
      OTHER: plus(before['OTHER'], 0.01),
    });
    expect(await testRuntime.call(eve, 'finance', 'reimburse_expense_report', { report_id })).toMatchObject({
      code: 'EXPENSE_REPORT_ALREADY_REIMBURSED',
      details: { payment_reference: 'EXP-1' },
    });
  });

  test('a budget is submitted, rejected, submitted again and approved for a lower amount, which is divided among its lines', async () => {
    const budget_id = '0fb00000-0000-4000-8000-000000000001';
    expect(dataOf(await testRuntime.done(nina, 'finance', 'submit_budget', { budget_id, comments: 'Two new teams' }))).toMatchObject({
      status: 'PENDING_APPROVAL',
      submitted_by_name: 'Nina Patel',
      comments: 'Two new teams',
    });
    expect(
      dataOf(await testRuntime.done(bob, 'finance', 'reject_budget', { budget_id, rejection_reason: 'Only one new team, please' })),
    ).toMatchObject({
      status: 'REJECTED',
      approved_by: null,
      rejection_reason: 'Only one new team, please',
    });
    expect(await ask(eve, 'approve_budget', { budget_id })).toBe('BUDGET_NOT_PENDING');
    const again = await testRuntime.ask(nina, 'finance', 'submit_budget', { budget_id });
    expect(again.confirmationData.changes).toMatchObject([
      { from: 'REJECTED', to: 'PENDING_APPROVAL' },
      {},
      { field: 'rejection_reason', to: null },
    ]);
    await testRuntime.approve(nina, again.confirmationId);
    const card = await testRuntime.ask(eve, 'finance', 'approve_budget', {
      department: 'engineering',
      amount: 3_000_000.01,
      notes: 'Less travel',
    });
    expect(card.message).toContain('Approve the Engineering budget for 2027 at 3,000,000.01 USD; 3,426,000.00 USD was requested?');
    expect(card.confirmationData.reason).toBe('Less travel');
    const lines = card.confirmationData.changes.filter(({ label }) => label.startsWith('For '));
    expect(lines.length).toBe(7);
    expect(Math.round(lines.reduce((sum, { to }) => sum + Number(to) * 100, 0))).toBe(300_000_001);
    expect(dataOf(await testRuntime.approve(eve, card.confirmationId))).toMatchObject({
      status: 'APPROVED',
      allocated_amount: 3_000_000.01,
      approved_by: id(eve),
    });
    const full = (await testRuntime.data(nina, 'finance', 'get_budget', { department: 'Engineering', year: 2027 })) as Row;
    expect(
      Object.fromEntries(
        (full['by_category'] as Data).map((each) => [`For ${String(each['category']).toLowerCase()}`, each['allocated_amount']]),
      ),
    ).toEqual(Object.fromEntries(lines.map(({ label, to }) => [label, to])));
  });

  test('approve_budget by department finds the pending budget, and requires the year if several are pending', async () => {
    expect(await ask(bob, 'approve_budget', { department: 'LEGAL', amount: 450_000 })).toBe('pending_confirmation');
    expect(await ask(bob, 'approve_budget', { department: 'Legal', fiscal_year: 2027 })).toBe('pending_confirmation');
    expect(await ask(bob, 'approve_budget', { department: 'Legal', budget_id: '0fb00000-0000-4000-8000-000000000008' })).toBe(
      'pending_confirmation',
    );
    expect(await ask(bob, 'approve_budget', { department: 'Sales', budget_id: '0fb00000-0000-4000-8000-000000000008' })).toBe(
      'BUDGET_NOT_FOUND',
    );
    expect(await testRuntime.call(bob, 'finance', 'approve_budget', { department: 'Legal', fiscal_year: 2026 })).toMatchObject({
      code: 'BUDGET_NOT_PENDING',
      details: { status: 'ACTIVE', fiscal_year: 2026 },
    });
    const [one, two] = [await newBudget(testRuntime, 'PENDING_APPROVAL'), await newBudget(testRuntime, 'PENDING_APPROVAL')];
    const answer = await testRuntime.call(bob, 'finance', 'approve_budget', { department: 'Engineering' });
    expect(answer).toMatchObject({ code: 'BUDGET_AMBIGUOUS', details: { fiscal_years: [expect.any(Number), expect.any(Number)] } });
    const years = (answer as unknown as { details: { fiscal_years: number[] } }).details.fiscal_years;
    expect(code(await testRuntime.done(bob, 'finance', 'approve_budget', { department: 'Engineering', fiscalYear: years[0] }))).toBe(
      'success',
    );
    expect(await ask(bob, 'approve_budget', { department: 'Engineering' })).toBe('pending_confirmation');
    expect([one, two].length).toBe(2);
    for (const input of [
      {},
      { approved_amount: 5 },
      { fiscal_year: 2027 },
      { department: 'Legal', amount: 5, approved_amount: 5 },
      { department: 'Legal', amount: -1 },
    ])
      expect([input, await ask(bob, 'approve_budget', input)]).toEqual([input, 'VALIDATION_ERROR']);
  });

  test('no tool shows a deleted row, and the row stays in the database', async () => {
    const invoice = { invoice_id: '0f1c0000-0000-4000-8000-000000000010' };
    const report = { report_id: '0fe00000-0000-4000-8000-000000000005' };
    const budget = { budget_id: '0fb00000-0000-4000-8000-000000000002' };
    const card = await testRuntime.ask(bob, 'finance', 'delete_invoice', { ...invoice, reason: 'It was a duplicate' });
    expect(card.confirmationData).toMatchObject({ destructive: true, reason: 'It was a duplicate' });
    expect(card.message).toBe(
      'Delete the invoice of Apex Legal Partners for 6,800.00 USD? The data stays in the database for audits, but no tool can ' +
        'restore the record. Nothing has changed yet.',
    );
    expect(code(await testRuntime.approve(bob, card.confirmationId))).toBe('success');
    expect(code(await testRuntime.done(bob, 'finance', 'delete_expense_report', { ...report, reason: 'Submitted by mistake' }))).toBe(
      'success',
    );
    expect(code(await testRuntime.done(eve, 'finance', 'delete_budget', budget))).toBe('success');
    for (const [tool, input] of [
      ['approve_invoice', invoice],
      ['pay_invoice', invoice],
      ['delete_invoice', invoice],
      ['get_expense_report', report],
      ['approve_expense_report', report],
      ['reject_expense_report', { ...report, rejection_reason: 'It is not there any more' }],
      ['reimburse_expense_report', report],
      ['delete_expense_report', report],
      ['submit_budget', budget],
      ['approve_budget', budget],
      ['reject_budget', { ...budget, rejection_reason: 'It is not there any more' }],
      ['delete_budget', budget],
      ['get_budget', { department: 'HR', year: 2027 }],
    ] as const)
      expect([tool, await ask(eve, tool, input)]).toEqual([tool, expect.stringMatching(/_NOT_FOUND$/)]);
    expect(await testRuntime.data(bob, 'finance', 'list_invoices', { vendor: 'Apex', status: 'REJECTED' })).toEqual([]);
    expect(await testRuntime.data(frank, 'finance', 'list_expense_reports', { status: 'REJECTED' })).toEqual([]);
    expect(await testRuntime.data(bob, 'finance', 'list_budgets', { department: 'HR', status: 'DRAFT' })).toEqual([]);
    expect(
      await testRuntime.owner('select deletion_reason, deleted_by from finance.invoices where invoice_id = $1', [invoice.invoice_id]),
    ).toEqual([{ deletion_reason: 'It was a duplicate', deleted_by: id(bob) }]);
    // The department can have a new budget for the same year.
    await testRuntime.owner(
      "insert into finance.budgets (department, fiscal_year, created_by, created_by_name) values ('HR', 2027, $1, 'Alice')",
      [id('alice.chen')],
    );
    expect(await ask(bob, 'get_budget', { department: 'HR', year: 2027 })).toBe('success');
  });

  describe('invalid input is refused, and nothing is written', () => {
    const state = async () =>
      testRuntime.owner(
        `select (select count(*) from finance.expense_reports)::int as reports, (select count(*) from finance.expense_items)::int as items,
          (select sum(amount) from finance.ledger)::text as spent, (select sum(row_version) from finance.budgets)::text as budgets,
          (select sum(row_version) from finance.invoices)::text as invoices`,
      );
    const item = { description: 'Taxi', amount: 10 };
    const reports: [string, object, string][] = [
      ['no items', { month: '2026-11', items: [] }, 'VALIDATION_ERROR'],
      ['items missing', { month: '2026-11' }, 'VALIDATION_ERROR'],
      ['too many items', { month: '2026-11', items: Array.from({ length: 101 }, () => item) }, 'VALIDATION_ERROR'],
      ['month 0', { month: '2026-00', items: [item] }, 'VALIDATION_ERROR'],
      ['month 13', { month: '2026-13', items: [item] }, 'VALIDATION_ERROR'],
      ['a month as a number', { month: 11, items: [item] }, 'VALIDATION_ERROR'],
      ['a quarter', { month: '2026-Q5', items: [item] }, 'VALIDATION_ERROR'],
      ['a future month', { month: '2026-12', items: [item] }, 'MONTH_IN_FUTURE'],
      ['30 February', { month: '2026-02', items: [{ ...item, date: '2026-02-30' }] }, 'VALIDATION_ERROR'],
      ['a day of another month', { month: '2026-10', items: [item, { ...item, date: '2026-09-30' }] }, 'ITEM_DATE_OUT_OF_RANGE'],
      ['a future day', { month: '2026-11', items: [{ ...item, date: '2026-11-17' }] }, 'ITEM_DATE_OUT_OF_RANGE'],
      ['three decimals', { month: '2026-11', items: [{ ...item, amount: 10.001 }] }, 'VALIDATION_ERROR'],
      ['a floating-point remainder', { month: '2026-11', items: [{ ...item, amount: 0.1 + 0.2 }] }, 'VALIDATION_ERROR'],
      ['a negative amount', { month: '2026-11', items: [{ ...item, amount: -1 }] }, 'VALIDATION_ERROR'],
      ['an amount of 0', { month: '2026-11', items: [{ ...item, amount: 0 }] }, 'VALIDATION_ERROR'],
      ['an infinite amount', { month: '2026-11', items: [{ ...item, amount: JSON.parse('1e400') as number }] }, 'VALIDATION_ERROR'],
      ['text for an amount', { month: '2026-11', items: [{ ...item, amount: '10' }] }, 'VALIDATION_ERROR'],
      ['no description', { month: '2026-11', items: [{ amount: 10 }] }, 'VALIDATION_ERROR'],
      ['an unknown category', { month: '2026-11', items: [{ ...item, category: 'YACHT' }] }, 'VALIDATION_ERROR'],
      ['an unknown key', { month: '2026-11', items: [{ ...item, approved: true }] }, 'VALIDATION_ERROR'],
      ['hidden characters', { month: '2026-11', items: [{ ...item, description: 'Ta\u202exi' }] }, 'VALIDATION_ERROR'],
      ['a total that is too high', { month: '2026-11', items: [item, item], total: 20.01 }, 'ITEMS_DO_NOT_ADD_UP'],
      ['a total that is too low', { month: '2026-11', items: [item, item], total: 19.99 }, 'ITEMS_DO_NOT_ADD_UP'],
      ['the id of another employee', { month: '2026-11', items: [item], employee_id: id(sarah) }, 'VALIDATION_ERROR'],
    ];
    test.each(reports)('an expense report with %s', async (_what, input, gives) => {
      const before = await state();
      const answer = await testRuntime.call(marcus, 'finance', 'submit_expense_report', input);
      expect(answer).toMatchObject({
        status: 'error',
        code: gives,
        suggestedAction: expect.stringMatching(/\S.{10,}\.$/),
        retryable: false,
      });
      expect(await state()).toEqual(before);
    });

    test.each([
      ['three decimals', 450_000.001],
      ['a negative number', -1],
      ['infinity', JSON.parse('1e400') as number],
      ['not a number', Number.NaN],
      ['more than ten billion', 10_000_000_000.01],
      ['text', '450000'],
      ['null', null],
    ])('an approved amount: %s', async (_what, approved_amount) => {
      const before = await state();
      for (const key of ['approved_amount', 'amount', 'approvedAmount'])
        expect(await testRuntime.call(bob, 'finance', 'approve_budget', { department: 'Marketing', [key]: approved_amount })).toMatchObject(
          {
            code: 'VALIDATION_ERROR',
            message: expect.stringMatching(/amount|decimals|USD/i),
          },
        );
      expect(await state()).toEqual(before);
    });

    test.each([
      ['too short', 'Too high'],
      ['too long', 'x'.repeat(501)],
      ['missing', undefined],
      ['with hidden characters', 'It is \u202e too expensive'],
    ])('a rejection reason: %s', async (_what, rejection_reason) => {
      for (const [tool, input] of [
        ['reject_budget', { budget_id: '0fb00000-0000-4000-8000-000000000006' }],
        ['reject_expense_report', { report_id: '0fe00000-0000-4000-8000-000000000001' }],
      ] as const)
        expect(await ask(bob, tool, { ...input, rejection_reason })).toBe('VALIDATION_ERROR');
    });

    test('malformed ids', async () => {
      for (const tool of Object.values(finance).filter(({ kind }) => kind === 'write')) {
        const key = Object.keys(tool.input.shape).find((name) => name.endsWith('_id'));
        if (key === undefined) continue;
        for (const value of ['', 'abc', '{0fb00000-0000-4000-8000-000000000006}', 7, null, ['0fb00000-0000-4000-8000-000000000006']])
          expect(await ask(bob, tool.name, { [key]: value, rejection_reason: 'x'.repeat(20) })).toBe('VALIDATION_ERROR');
      }
    });
  });

  test('the audit chain in the database records who changed which status', async () => {
    await testRuntime.done(bob, 'finance', 'approve_invoice', { invoice_id: '0f1c0000-0000-4000-8000-000000000002' });
    const bodies = (await testRuntime.owner('select body from finance.audit order by chain, n')).map(
      (row) => JSON.parse(String(row['body'])) as Row,
    );
    expect(bodies.at(-1)).toMatchObject({
      server: 'finance',
      tool: 'approve_invoice',
      username: bob,
      decision: 'approved',
      changes: [{ field: 'status', from: 'PENDING', to: 'APPROVED' }, { field: 'amount', from: 2316.75 }, { field: 'submitted_by_name' }],
    });
  });
});
