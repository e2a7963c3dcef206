/** Whole lives of budgets, invoices, expense reports and pay runs, with an MCP client, from the first record to the ledger. */
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Answer } from '../../src/declare/answer.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

type Row = Record<string, unknown>;
const [bob, eve, nina, frank, paula] = ['bob.martinez', 'eve.thompson', 'nina.patel', 'frank.davis', 'paula.reyes'] as const;
const cents = (value: unknown) => Math.round(Number(value) * 100);

let testServer: TestServer;
const clients = new Map<string, Client>();
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer.close());

async function ask(who: string, name: string, input: object = {}): Promise<Answer> {
  const client = clients.get(who) ?? (await testServer.mcp(who, { era: 'modern' }));
  clients.set(who, client);
  return (await client.callTool({ name, arguments: { ...input } })).structuredContent as unknown as Answer;
}
async function read(who: string, name: string, input: object = {}): Promise<Row> {
  const answer = await ask(who, name, input);
  if (answer.status !== 'success') throw new Error(`${name}: ${JSON.stringify(answer)}`);
  return answer.data as Row;
}
const rows = async (who: string, name: string, input: object = {}) => (await read(who, name, input)) as unknown as Row[];
async function done(who: string, name: string, input: object = {}): Promise<Row> {
  const answer = await ask(who, name, input);
  if (answer.status !== 'pending_confirmation') throw new Error(`${name}: ${JSON.stringify(answer)}`);
  const { body } = await testServer.decide(who, answer.confirmationId, true);
  const { status, data } = body as { status: string; data: Row };
  if (status !== 'success') throw new Error(`${name}: ${JSON.stringify(body)}`);
  return data;
}
const code = (answer: Answer) => (answer.status === 'error' ? answer.code : answer.status);

const now = () => testServer.clock.now().toISOString().slice(0, 10);
const yearNow = () => Number(now().slice(0, 4));

test('a budget is drafted, submitted, rejected, changed, submitted again, approved, spent and compared by quarter', async () => {
  const year = yearNow() + 2;
  const draft = await done(nina, 'finance_create_budget', {
    department: 'engineering',
    fiscal_year: year,
    lines: [
      { category: 'SOFTWARE', amount: 1200 },
      { category: 'TRAVEL', month: `${year}-10`, amount: 300.5 },
      { category: 'TRAVEL', month: `${year}-11`, amount: 99.5 },
    ],
  });
  const { budget_id } = draft as { budget_id: string };
  expect(draft).toMatchObject({ department: 'Engineering', status: 'DRAFT', allocated_amount: 1600 });
  expect(
    code(
      await ask(nina, 'finance_create_budget', { department: 'Engineering', fiscal_year: year, lines: [{ category: 'OTHER', amount: 1 }] }),
    ),
  ).toBe('BUDGET_EXISTS');
  expect(
    code(await ask(nina, 'finance_create_budget', { department: 'Sales', fiscal_year: year, lines: [{ category: 'OTHER', amount: 1 }] })),
  ).toBe('DEPARTMENT_NOT_FOUND');
  await done(nina, 'finance_submit_budget', { budget_id });
  expect(code(await ask(nina, 'finance_update_budget', { budget_id, lines: [{ category: 'TRAVEL', amount: 1 }] }))).toBe(
    'BUDGET_NOT_CHANGEABLE',
  );
  expect(await done(bob, 'finance_reject_budget', { budget_id, rejection_reason: 'Travel is too high for us' })).toMatchObject({
    status: 'REJECTED',
    rejection_reason: 'Travel is too high for us',
  });
  expect(
    await done(nina, 'finance_update_budget', { budget_id, lines: [{ category: 'TRAVEL', month: `${year}-10`, amount: 200 }] }),
  ).toMatchObject({ status: 'REJECTED', allocated_amount: 1499.5, updated_by_name: 'Nina Patel' });
  await done(nina, 'finance_submit_budget', { budget_id });
  expect(await done(bob, 'finance_approve_budget', { budget_id })).toMatchObject({ status: 'APPROVED', allocated_amount: 1499.5 });
  expect(code(await ask(bob, 'finance_close_budget', { budget_id }))).toBe('BUDGET_NOT_ACTIVE');
  const quarter = await read(bob, 'finance_get_budget', { department: 'Engineering', period: `${year}-Q4` });
  expect(quarter).toMatchObject({ allocated_amount: 599.5, period: `${year}-Q4` });
  expect((quarter['by_month'] as Row[]).map((each) => each['allocated_amount'])).toEqual([300, 199.5, 100]);
  // The rejection stays in the audit log after the budget was submitted again.
  const rejected = await testServer.owner("select count(*)::int as n from finance.audit where body like '%Travel is too high for us%'");
  expect(rejected[0]?.['n']).toBeGreaterThan(0);
});

test('an invoice is recorded, approved by a second person, paid by a third, and counted in its month, quarter and year', async () => {
  const period = now().slice(0, 7);
  const before = await read(bob, 'finance_get_budget', { department: 'Legal', period });
  const invoice = await done(eve, 'finance_create_invoice', {
    vendor: 'apex legal partners',
    amount: 321.09,
    description: 'Advice',
    department: 'legal',
    category: 'services',
  });
  expect(invoice).toMatchObject({ status: 'PENDING', waits_for: 'APPROVAL', department: 'Legal', vendor_name: 'Apex Legal Partners' });
  const { invoice_id } = invoice as { invoice_id: string };
  expect(code(await ask(eve, 'finance_approve_invoice', { invoice_id }))).toBe('SEPARATION_OF_DUTIES');
  await done(bob, 'finance_approve_invoice', { invoice_id });
  for (const who of [eve, bob]) expect(code(await ask(who, 'finance_pay_invoice', { invoice_id }))).toBe('SEPARATION_OF_DUTIES');
  // A third person with the right: the sample company has two, so the first signature is moved to a clerk.
  await testServer.owner(
    "update finance.invoices set submitted_by = gen_random_uuid(), submitted_by_name = 'Some Clerk' where invoice_id = $1",
    [invoice_id],
  );
  expect(await done(eve, 'finance_pay_invoice', { invoice_id, payment_reference: 'W-1' })).toMatchObject({ status: 'PAID' });
  expect(await read(bob, 'finance_get_invoice', { invoice_id })).toMatchObject({ status: 'PAID', waits_for: null });
  const [entry] = await rows(bob, 'finance_list_spending', { department: 'Legal', period, source: 'INVOICE', limit: 50 }).then((all) =>
    all.filter((row) => row['source_id'] === invoice_id),
  );
  expect(entry).toMatchObject({ amount: 321.09, category: 'SERVICES', description: 'Apex Legal Partners: Advice', entry_date: now() });
  const after = await read(bob, 'finance_get_budget', { department: 'Legal', period });
  expect(cents(after['spent_amount']) - cents(before['spent_amount'])).toBe(32_109);

  const second = await done(eve, 'finance_create_invoice', { vendor: 'New Vendor', amount: 5, description: 'Pens', department: 'HR' });
  expect(second['vendor_id']).toMatch(/^V-\d{4}$/);
  expect(
    await done(bob, 'finance_reject_invoice', { invoice_id: second['invoice_id'], rejection_reason: 'Nobody ordered pens' }),
  ).toMatchObject({
    status: 'REJECTED',
    rejected_by_name: 'Bob Martinez',
  });
  expect(code(await ask(bob, 'finance_approve_invoice', { invoice_id: second['invoice_id'] }))).toBe('INVOICE_NOT_PENDING');
});

test('a rejected expense report is corrected by its owner, approved and reimbursed', async () => {
  const report_id = '0fe00000-0000-4000-8000-000000000005';
  expect(code(await ask(nina, 'finance_resubmit_expense_report', { report_id, items: [{ description: 'x', amount: 1 }] }))).toBe(
    'EXPENSE_REPORT_NOT_FOUND',
  );
  const again = await done(frank, 'finance_resubmit_expense_report', {
    report_id,
    items: [
      { category: 'TRANSPORT', description: 'Taxi', amount: 15 },
      { category: 'MEALS', description: 'Lunch', amount: 12.34 },
    ],
    total: 27.34,
  });
  expect(again).toMatchObject({ status: 'SUBMITTED', total: 27.34, item_count: 2, rejection_reason: null });
  await done(nina, 'finance_approve_expense_report', { report_id });
  expect(await done(bob, 'finance_reimburse_expense_report', { report_id })).toMatchObject({ status: 'REIMBURSED', total: 27.34 });
  const entries = await rows(bob, 'finance_list_spending', { source: 'EXPENSE_REPORT', limit: 50 });
  expect(entries.filter((row) => row['source_id'] === report_id)).toMatchObject([{ category: 'TRAVEL', amount: 27.34 }]);
  expect(code(await ask(frank, 'finance_resubmit_expense_report', { report_id, items: [{ description: 'x', amount: 1 }] }))).toBe(
    'EXPENSE_REPORT_NOT_REJECTED',
  );
});

test('a pay run gives everyone a stub, reaches the ledger once and is counted in the budgets', async () => {
  const [latest] = await rows(paula, 'payroll_list_pay_runs', { limit: 1 });
  const answer = await ask(paula, 'payroll_run_payroll');
  if (answer.status !== 'pending_confirmation') throw new Error(JSON.stringify(answer));
  const second = await ask(paula, 'payroll_run_payroll');
  if (second.status !== 'pending_confirmation') throw new Error(JSON.stringify(second));
  const [first, other] = await Promise.all(
    [answer, second].map(
      async ({ confirmationId }) => (await testServer.decide(paula, confirmationId, true)).body as { status: string; data: Row },
    ),
  );
  // The second card is refused, or it is the same ticket and returns the same result.
  expect([first?.status, other?.status]).toContain('success');
  if (first?.status === other?.status) expect(first).toEqual(other);
  const run = (first?.status === 'success' ? first.data : other?.data) as Row;
  const made = await testServer.owner('select count(*)::int as n from payroll.pay_runs where pay_date > $1', [latest?.['pay_date']]);
  expect(made).toEqual([{ n: 1 }]);
  expect(String(run['pay_date']) > String(latest?.['pay_date'])).toBe(true);
  expect(run['employee_count']).toBe(latest?.['employee_count']);
  expect(cents(run['gross']) - cents(run['total_taxes']) - cents(run['total_deductions'])).toBe(cents(run['net']));
  expect(code(await ask(paula, 'payroll_run_payroll', { pay_date: run['pay_date'] }))).toBe('PAY_RUN_EXISTS');

  const { pay_run_id, pay_date } = run;
  const stubs = await testServer.owner(
    'select s.employee_id, p.gross, p.net from payroll.pay_stubs s join payroll.stub_pay p using (pay_stub_id) where s.pay_run_id = $1',
    [pay_run_id],
  );
  expect(stubs.length).toBe(run['employee_count']);
  expect(stubs.reduce((sum, row) => sum + cents(row['gross']), 0)).toBe(cents(run['gross']));
  expect(stubs.reduce((sum, row) => sum + cents(row['net']), 0)).toBe(cents(run['net']));
  const [own] = await rows(frank, 'payroll_list_pay_stubs', { limit: 1 });
  expect(own).toMatchObject({ pay_run_id, pay_date });

  const cost = cents(run['gross']) + cents(run['employer_taxes']) + cents(run['employer_benefits']);
  const period = String(pay_date).slice(0, 7);
  const entries = async () =>
    (await rows(bob, 'finance_list_spending', { source: 'PAY_RUN', period, limit: 50 })).filter((row) => row['source_id'] === pay_run_id);
  await expect.poll(async () => (await entries()).length, { timeout: 20_000 }).toBe(8);
  expect((await entries()).reduce((sum, row) => sum + cents(row['amount']), 0)).toBe(cost);
  const budgets = await rows(bob, 'finance_list_budgets', { period });
  const ledger = await testServer.owner('select sum(amount)::text as sum from finance.ledger where to_char(entry_date, $1) = $2', [
    'YYYY-MM',
    period,
  ]);
  expect(budgets.reduce((sum, row) => sum + cents(row['spent_amount']), 0)).toBe(cents(ledger[0]?.['sum']));
  // Every run of the sample came by the feed as well, and none of them is entered twice.
  const twice = await testServer.owner(
    "select source_id, department from finance.ledger where source = 'PAY_RUN' group by 1, 2 having count(*) > 1",
  );
  expect(twice).toEqual([]);
});

test('a raise in hr is paid with the next run, and a raise of a later day is not', async () => {
  const frankId = '0e000000-0000-4000-8000-000000000009';
  await testServer.owner('update hr.pay set salary = 96000 where employee_id = $1', [frankId]);
  await testServer.owner('insert into hr.planned_pay (employee_id, effective_date, planned_salary) values ($1, $2, 480000)', [
    frankId,
    `${yearNow() + 1}-12-31`,
  ]);
  await expect
    .poll(
      async () =>
        (
          await testServer.owner('select salary::float8 as salary from payroll.salaries where employee_id = $1 order by effective_from', [
            frankId,
          ])
        ).map((row) => row['salary']),
      {
        timeout: 20_000,
      },
    )
    .toEqual([96_000, 480_000]);
  const run = await done(paula, 'payroll_run_payroll');
  const [stub] = await rows(frank, 'payroll_list_pay_stubs', { limit: 1 });
  expect(stub).toMatchObject({ pay_run_id: run['pay_run_id'], gross: 4000 });
});
