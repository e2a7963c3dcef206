/** A changed row or role between a finance card and its approval prevents the write. The database refuses illegal changes by itself too. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/declare/people.ts';
import { sql, type SqlText } from '../../src/declare/sql.ts';
import type { Store } from '../../src/engine/store.ts';
import * as finance from '../../domains/finance/index.ts';
import { z } from 'zod';
import { code, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';
import { newBudget, newInvoice, newReport, stored } from './finance-rows.ts';

const [eve, bob, nina, marcus, sarah] = ['eve.thompson', 'bob.martinez', 'nina.patel', 'marcus.johnson', 'sarah.kim'] as const;
const REASON = 'It has to be done again';
const rejecting = { rejection_reason: REASON };
const expenses = { month: '2026-11', items: [{ description: 'Taxi', amount: 42.5 }] };

type Table = Parameters<typeof stored>[1];
interface Case {
  readonly tool: string;
  readonly who: string;
  /** Creates the row and returns its id. */
  make(testRuntime: TestRuntime): Promise<string>;
  readonly table: Table;
  readonly input: (id: string) => object;
  /** Each statement changes data that the card shows. $1 is the id. */
  readonly touches: readonly string[];
}
const budget = (state: Parameters<typeof newBudget>[1]) => (testRuntime: TestRuntime) => newBudget(testRuntime, state);
const invoice = (state: Parameters<typeof newInvoice>[1]) => (testRuntime: TestRuntime) => newInvoice(testRuntime, state);
const report = (state: Parameters<typeof newReport>[1]) => (testRuntime: TestRuntime) => newReport(testRuntime, state, sarah);
const budgetTouches = [
  'update finance.budgets set comments = comments where budget_id = $1',
  "update finance.budget_lines set allocated_amount = allocated_amount where budget_id = $1 and category = 'TRAVEL'",
  "insert into finance.budget_lines (budget_id, category, fiscal_month, allocated_amount) values ($1, 'TRAINING', 3, 0)",
  "delete from finance.budget_lines where budget_id = $1 and category = 'OTHER'",
];
const invoiceTouches = [
  'update finance.invoices set amount = amount where invoice_id = $1',
  "update finance.invoices set vendor_name = 'Another Vendor' where invoice_id = $1",
];
const reportTouches = [
  'update finance.expense_reports set department = department where report_id = $1',
  'update finance.expense_items set amount = amount where report_id = $1 and n = 2',
  'insert into finance.expense_items (report_id, n, employee_id, item_date, category, description, amount) select $1, 9, ' +
    "employee_id, item_date, category, 'More', 0.01 from finance.expense_items where report_id = $1 and n = 1",
  'delete from finance.expense_items where report_id = $1 and n = 3',
];
/** Years that have begun. The sample has budgets from 2025 on. */
let past = 2025;
const activeBudget = (testRuntime: TestRuntime) => newBudget(testRuntime, 'APPROVED', { year: --past });
const cases: readonly Case[] = [
  {
    tool: 'update_budget',
    who: nina,
    make: budget('REJECTED'),
    table: 'budgets',
    input: (budget_id) => ({ budget_id, lines: [{ category: 'SOFTWARE', amount: 5 }] }),
    touches: budgetTouches,
  },
  { tool: 'close_budget', who: bob, make: activeBudget, table: 'budgets', input: (budget_id) => ({ budget_id }), touches: budgetTouches },
  {
    tool: 'reject_invoice',
    who: bob,
    make: invoice('PENDING'),
    table: 'invoices',
    input: (invoice_id) => ({ invoice_id, ...rejecting }),
    touches: invoiceTouches,
  },
  {
    tool: 'submit_budget',
    who: nina,
    make: budget('DRAFT'),
    table: 'budgets',
    input: (budget_id) => ({ budget_id }),
    touches: budgetTouches,
  },
  {
    tool: 'approve_budget',
    who: bob,
    make: budget('PENDING_APPROVAL'),
    table: 'budgets',
    input: (budget_id) => ({ budget_id }),
    touches: budgetTouches,
  },
  {
    tool: 'reject_budget',
    who: bob,
    make: budget('PENDING_APPROVAL'),
    table: 'budgets',
    input: (budget_id) => ({ budget_id, ...rejecting }),
    touches: budgetTouches,
  },
  {
    tool: 'delete_budget',
    who: eve,
    make: budget('DRAFT'),
    table: 'budgets',
    input: (budget_id) => ({ budget_id }),
    touches: budgetTouches,
  },
  {
    tool: 'approve_invoice',
    who: bob,
    make: invoice('PENDING'),
    table: 'invoices',
    input: (invoice_id) => ({ invoice_id }),
    touches: invoiceTouches,
  },
  {
    tool: 'pay_invoice',
    who: bob,
    make: invoice('APPROVED'),
    table: 'invoices',
    input: (invoice_id) => ({ invoice_id }),
    touches: invoiceTouches,
  },
  {
    tool: 'delete_invoice',
    who: eve,
    make: invoice('REJECTED'),
    table: 'invoices',
    input: (invoice_id) => ({ invoice_id }),
    touches: invoiceTouches,
  },
  {
    tool: 'approve_expense_report',
    who: nina,
    make: report('SUBMITTED'),
    table: 'expense_reports',
    input: (report_id) => ({ report_id }),
    touches: reportTouches,
  },
  {
    tool: 'reject_expense_report',
    who: nina,
    make: report('SUBMITTED'),
    table: 'expense_reports',
    input: (report_id) => ({ report_id, ...rejecting }),
    touches: reportTouches,
  },
  {
    tool: 'reimburse_expense_report',
    who: bob,
    make: report('APPROVED'),
    table: 'expense_reports',
    input: (report_id) => ({ report_id }),
    touches: reportTouches,
  },
  {
    tool: 'delete_expense_report',
    who: bob,
    make: report('DRAFT'),
    table: 'expense_reports',
    input: (report_id) => ({ report_id }),
    touches: reportTouches,
  },
];

describe.each(databases)('changes between card and decision on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(finance) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const spending = async () => testRuntime.owner('select sum(amount)::text as sum, count(*)::int as rows from finance.ledger');

  test('every write tool of finance has a case', () => {
    const writes = Object.values(finance).filter(({ kind }) => kind === 'write');
    expect(writes.map(({ name }) => name).toSorted()).toEqual(
      [...cases.map(({ tool }) => tool), 'submit_expense_report', 'resubmit_expense_report', 'create_budget', 'create_invoice'].toSorted(),
    );
  });

  describe.each(cases.map((each) => [each.tool, each] as const))('%s', (tool, { who, make, table, input, touches }) => {
    test.each(touches.map((text) => [text]))('is refused after: %s', async (text) => {
      const row = await make(testRuntime);
      const card = await testRuntime.ask(who, 'finance', tool, input(row));
      await testRuntime.owner(text, [row]);
      const [before, spent] = [await stored(testRuntime, table, row), await spending()];
      expect(await testRuntime.approve(who, card.confirmationId)).toMatchObject({ code: 'CHANGED_SINCE_APPROVAL' });
      expect([await stored(testRuntime, table, row), await spending()]).toEqual([before, spent]);
      // Only a new ticket, with the current values, can be approved.
      expect(code(await testRuntime.approve(who, card.confirmationId))).not.toBe('success');
      expect(code(await testRuntime.done(who, 'finance', tool, input(row)))).toBe('success');
    });

    test('a denial changes nothing, and repeated or concurrent approvals change the row once', async () => {
      const row = await make(testRuntime);
      const before = [await stored(testRuntime, table, row), await spending()];
      const denied = await testRuntime.ask(who, 'finance', tool, input(row));
      expect(code(await testRuntime.decide(who, denied.confirmationId, false))).toBe('cancelled');
      expect([await stored(testRuntime, table, row), await spending()]).toEqual(before);
      const card = await testRuntime.ask(who, 'finance', tool, input(row));
      const answers = await Promise.all(Array.from({ length: 5 }, () => testRuntime.approve(who, card.confirmationId)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(code(answers[0] as never)).toBe('success');
      const { row_version } = await stored(testRuntime, table, row);
      expect(Number(row_version)).toBe(2);
      expect(code(await testRuntime.approve(eve === who ? bob : eve, card.confirmationId))).not.toBe('success');
    });

    test('of two cards for one row, the second is refused after the first was approved', async () => {
      const row = await make(testRuntime);
      const other = who === eve ? bob : eve;
      const [first, second] = [
        await testRuntime.ask(who, 'finance', tool, input(row)),
        await testRuntime.ask(other, 'finance', tool, input(row)),
      ];
      expect(code(await testRuntime.approve(who, first.confirmationId))).toBe('success');
      const [after, spent] = [await stored(testRuntime, table, row), await spending()];
      expect(code(await testRuntime.approve(other, second.confirmationId))).toMatch(/^(CHANGED_SINCE_APPROVAL|SEPARATION_OF_DUTIES)$/);
      expect([await stored(testRuntime, table, row), await spending()]).toEqual([after, spent]);
    });

    test('the approval is refused if the approver lost the role or the employee record', async () => {
      const row = await make(testRuntime);
      const before = await stored(testRuntime, table, row);
      for (const [change, gives] of [
        [{ roles: ['employee', 'finance-read'] }, 'INSUFFICIENT_PERMISSIONS'],
        [{ employeeId: undefined }, 'IDENTITY_NOT_LINKED'],
      ] as const) {
        const card = await testRuntime.ask(who, 'finance', tool, input(row));
        expect(code(await testRuntime.approve(person(who, change), card.confirmationId))).toBe(gives);
        expect(await stored(testRuntime, table, row)).toEqual(before);
      }
    });
  });

  test('a row that became the approver’s own row after the card was shown is not written', async () => {
    const turns: [string, string, string, string, object][] = [
      ['approve_budget', 'budgets', await newBudget(testRuntime, 'PENDING_APPROVAL'), 'submitted_by = $2', {}],
      ['reject_budget', 'budgets', await newBudget(testRuntime, 'PENDING_APPROVAL'), 'submitted_by = $2', rejecting],
      ['delete_budget', 'budgets', await newBudget(testRuntime, 'DRAFT'), 'created_by = $2', {}],
      ['approve_invoice', 'invoices', await newInvoice(testRuntime, 'PENDING'), 'submitted_by = $2', {}],
      ['pay_invoice', 'invoices', await newInvoice(testRuntime, 'APPROVED'), 'approved_by = $2', {}],
      ['delete_invoice', 'invoices', await newInvoice(testRuntime, 'PENDING'), 'submitted_by = $2', {}],
      ['approve_expense_report', 'expense_reports', await newReport(testRuntime, 'SUBMITTED', sarah), 'employee_id = $2', {}],
      ['reimburse_expense_report', 'expense_reports', await newReport(testRuntime, 'APPROVED', sarah), 'approved_by = $2', {}],
      ['delete_expense_report', 'expense_reports', await newReport(testRuntime, 'DRAFT', sarah), 'employee_id = $2', {}],
    ];
    for (const [tool, table, row, change, more] of turns) {
      const key = { budgets: 'budget_id', invoices: 'invoice_id', expense_reports: 'report_id' }[table] ?? '';
      const card = await testRuntime.ask(bob, 'finance', tool, { [key]: row, ...more });
      await testRuntime.owner(`update finance.${table} set ${change} where ${key} = $1`, [row, id(bob)]);
      const before = await stored(testRuntime, table as Table, row);
      expect([tool, code(await testRuntime.approve(bob, card.confirmationId))]).toEqual([tool, 'SEPARATION_OF_DUTIES']);
      expect(await stored(testRuntime, table as Table, row)).toEqual(before);
    }
  });

  describe('submit_expense_report', () => {
    const reports = () => testRuntime.owner('select count(*)::int as n from finance.expense_reports');
    const ask = () => testRuntime.ask(marcus, 'finance', 'submit_expense_report', expenses);

    test('is refused if the person’s record changed or another report was submitted after the card was shown', async () => {
      for (const text of [
        'update finance.people set name = name where employee_id = $1',
        "update finance.people set department = 'Legal' where employee_id = $1",
        `insert into finance.expense_reports (employee_id, employee_name, department, month, submitted_at)
         select employee_id, name, department, '2026-11', now() from finance.people where employee_id = $1`,
      ]) {
        const card = await ask();
        await testRuntime.owner(text, [id(marcus)]);
        const before = await reports();
        expect(await testRuntime.approve(marcus, card.confirmationId)).toMatchObject({ code: 'CHANGED_SINCE_APPROVAL' });
        expect(await reports()).toEqual(before);
      }
      await testRuntime.owner("update finance.people set department = 'Engineering' where employee_id = $1", [id(marcus)]);
      const card = await ask();
      await testRuntime.owner('update finance.people set active = false where employee_id = $1', [id(marcus)]);
      expect(await testRuntime.approve(marcus, card.confirmationId)).toMatchObject({ details: { because: 'EMPLOYEE_NOT_FOUND' } });
      await testRuntime.owner('update finance.people set active = true where employee_id = $1', [id(marcus)]);
    });

    test('a denial changes nothing, and concurrent approvals change the row once', async () => {
      const before = Number((await reports())[0]?.['n']);
      expect(code(await testRuntime.decide(marcus, (await ask()).confirmationId, false))).toBe('cancelled');
      const { confirmationId } = await ask();
      const answers = await Promise.all(Array.from({ length: 5 }, () => testRuntime.approve(marcus, confirmationId)));
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(code(answers[0] as never)).toBe('success');
      expect(Number((await reports())[0]?.['n'])).toBe(before + 1);
    });
  });

  describe('the database itself refuses', () => {
    /** Runs a statement as the write role of an audience, without the rules of the tools. */
    async function forced(who: Person, audience: string, statement: SqlText): Promise<string> {
      const store = testRuntime.runtime.stores['finance'] as Store<'sql'>;
      try {
        await store.executeOnce(
          { domain: 'finance', audience, person: who, shows: [] },
          { id: undefined, tool: 'none' },
          async ({ writing }) => {
            await writing.sql.changeMany(z.object({}), statement);
            throw new Error('it was let through');
          },
        );
        return 'committed';
      } catch (error) {
        return error instanceof Error && 'code' in error ? String(error.code) : String((error as Error).message);
      }
    }
    const REFUSED = /^(CHANGED_SINCE_APPROVAL|INSUFFICIENT_PERMISSIONS|42501)$/;
    const by = (who: string) => sql`${id(who)}::uuid`;

    test('illegal changes of budgets: of status, in another person’s name, or of the caller’s own row', async () => {
      const [draft, pending, own, approved] = [
        await newBudget(testRuntime, 'DRAFT'),
        await newBudget(testRuntime, 'PENDING_APPROVAL'),
        await newBudget(testRuntime, 'PENDING_APPROVAL', { author: bob }),
        await newBudget(testRuntime, 'APPROVED'),
      ];
      const approving = sql`status = 'APPROVED', approved_by = ${by(bob)}, approved_by_name = 'B', approved_at = now()`;
      const everyone: [string, SqlText][] = [
        ['a draft approved', sql`update finance.budgets set ${approving} where budget_id = ${draft} returning 1 as x`],
        [
          'approved in another name',
          sql`update finance.budgets set status = 'APPROVED', approved_by = ${by(eve)}, approved_by_name = 'E', approved_at = now()
            where budget_id = ${pending} returning 1 as x`,
        ],
        ['one’s own approved', sql`update finance.budgets set ${approving} where budget_id = ${own} returning 1 as x`],
        [
          'an approved one reopened',
          sql`update finance.budgets set status = 'DRAFT', approved_by = null, approved_at = null where budget_id = ${approved}
            returning 1 as x`,
        ],
        [
          'an approved one deleted',
          sql`update finance.budgets set deleted_by = ${by(bob)}, deleted_at = now() where budget_id = ${approved} returning 1 as x`,
        ],
        [
          'the lines of an approved one',
          sql`update finance.budget_lines set allocated_amount = 1 where budget_id = ${approved} returning 1 as x`,
        ],
        ['the lines of one’s own', sql`update finance.budget_lines set allocated_amount = 1 where budget_id = ${own} returning 1 as x`],
        ['another department', sql`update finance.budgets set department = 'HR' where budget_id = ${pending} returning 1 as x`],
        ['another submitter', sql`update finance.budgets set submitted_by = ${by(eve)} where budget_id = ${own} returning 1 as x`],
        [
          'a submission taken over',
          sql`update finance.budgets set submitted_by = ${by(bob)} where budget_id = ${pending} returning 1 as x`,
        ],
        [
          'a submitter rewritten while approving',
          sql`update finance.budgets set ${approving}, submitted_by = ${by(eve)} where budget_id = ${pending} returning 1 as x`,
        ],
        ['a row taken away', sql`delete from finance.budgets where budget_id = ${draft} returning 1 as x`],
        [
          'a new budget',
          sql`insert into finance.budgets (department, fiscal_year, created_by, created_by_name) values ('HR', 2099, ${by(eve)}, 'E')
            returning 1 as x`,
        ],
      ];
      for (const [what, statement] of everyone)
        expect([what, await forced(person(bob), 'everyone', statement)]).toEqual([what, expect.stringMatching(REFUSED)]);
      const [sales] = await testRuntime.owner("select budget_id from finance.budgets where department = 'Sales' and status = 'DRAFT'");
      const submitting = sql`status = 'PENDING_APPROVAL', submitted_by = ${by(nina)}, submitted_by_name = 'N', submitted_at = now()`;
      const team: [string, SqlText][] = [
        ['another department’s', sql`update finance.budgets set ${submitting} where budget_id = ${sales?.['budget_id']} returning 1 as x`],
        ['approved by a manager', sql`update finance.budgets set status = 'APPROVED' where budget_id = ${pending} returning 1 as x`],
        [
          'deleted by a manager',
          sql`update finance.budgets set deleted_by = ${by(nina)}, deleted_at = now() where budget_id = ${draft} returning 1 as x`,
        ],
        ['an invoice', sql`update finance.invoices set amount = 0 returning 1 as x`],
        ['the ledger', sql`update finance.ledger set amount = 0 returning 1 as x`],
        ['the chain', sql`insert into finance.chain values (${by(nina)}, ${by(eve)}) returning 1 as x`],
        ['people', sql`update finance.people set department = 'Legal' returning 1 as x`],
      ];
      for (const [what, statement] of team)
        expect([what, await forced(person(nina), 'team', statement)]).toEqual([what, expect.stringMatching(REFUSED)]);
      // The legal statements succeed, so the refusals above come from the rules and not from the connection.
      expect(
        await forced(person(nina), 'team', sql`update finance.budgets set ${submitting} where budget_id = ${draft} returning 1 as x`),
      ).toBe('it was let through');
      expect(
        await forced(person(bob), 'everyone', sql`update finance.budgets set ${approving} where budget_id = ${pending} returning 1 as x`),
      ).toBe('it was let through');
    });

    test('illegal changes of invoices: approval and payment by one person, a skipped step, or a second payment', async () => {
      const [pending, approved, mine, approvedByMe, paid] = [
        await newInvoice(testRuntime, 'PENDING'),
        await newInvoice(testRuntime, 'APPROVED'),
        await newInvoice(testRuntime, 'PENDING', { author: bob }),
        await newInvoice(testRuntime, 'APPROVED', { approver: bob }),
        await newInvoice(testRuntime, 'PAID'),
      ];
      const paying = sql`status = 'PAID', paid_by = ${by(bob)}, paid_by_name = 'B', payment_date = now()::date`;
      const approving = sql`status = 'APPROVED', approved_by = ${by(bob)}, approved_by_name = 'B', approved_at = now()`;
      const statements: [string, SqlText][] = [
        ['paid without approval', sql`update finance.invoices set ${paying} where invoice_id = ${pending} returning 1 as x`],
        [
          'approved and paid at once',
          sql`update finance.invoices set ${paying}, approved_by = ${by(eve)}, approved_by_name = 'E', approved_at = now()
            where invoice_id = ${pending} returning 1 as x`,
        ],
        ['one’s own approved', sql`update finance.invoices set ${approving} where invoice_id = ${mine} returning 1 as x`],
        ['paid by who approved', sql`update finance.invoices set ${paying} where invoice_id = ${approvedByMe} returning 1 as x`],
        [
          'the approver swapped',
          sql`update finance.invoices set approved_by = ${by(eve)} where invoice_id = ${approvedByMe} returning 1 as x`,
        ],
        ['an approval taken over', sql`update finance.invoices set ${approving} where invoice_id = ${approved} returning 1 as x`],
        [
          'an approver rewritten while paying',
          sql`update finance.invoices set ${paying}, approved_by = ${by(eve)} where invoice_id = ${approved} returning 1 as x`,
        ],
        ['paid again', sql`update finance.invoices set ${paying} where invoice_id = ${paid} returning 1 as x`],
        ['another amount', sql`update finance.invoices set amount = 1 where invoice_id = ${pending} returning 1 as x`],
        [
          'one’s own deleted',
          sql`update finance.invoices set deleted_by = ${by(bob)}, deleted_at = now() where invoice_id = ${mine} returning 1 as x`,
        ],
      ];
      for (const [what, statement] of statements)
        expect([what, await forced(person(bob), 'everyone', statement)]).toEqual([what, expect.stringMatching(REFUSED)]);
      expect(
        await forced(person(bob), 'everyone', sql`update finance.invoices set ${approving} where invoice_id = ${pending} returning 1 as x`),
      ).toBe('it was let through');
    });

    test('illegal changes of expense reports: of the caller’s own, of a person who is not below, or in another person’s name', async () => {
      const [own, sarahs, approvedByMe, elsewhere] = [
        await newReport(testRuntime, 'SUBMITTED', bob),
        await newReport(testRuntime, 'SUBMITTED', sarah),
        await newReport(testRuntime, 'APPROVED', sarah, { approver: bob }),
        await newReport(testRuntime, 'SUBMITTED', 'carol.johnson'),
      ];
      const approving = (who: string) => sql`status = 'APPROVED', approved_by = ${by(who)}, approved_by_name = 'X', approved_at = now()`;
      const reimbursing = sql`status = 'REIMBURSED', reimbursed_by = ${by(bob)}, reimbursed_by_name = 'B', reimbursed_at = now()`;
      const statements: [string, string, string, SqlText][] = [
        [
          'one’s own approved',
          bob,
          'everyone',
          sql`update finance.expense_reports set ${approving(bob)} where report_id = ${own} returning 1 as x`,
        ],
        [
          'one’s own approved in another name',
          bob,
          'everyone',
          sql`update finance.expense_reports set ${approving(eve)} where report_id = ${own} returning 1 as x`,
        ],
        [
          'reimbursed by who approved',
          bob,
          'everyone',
          sql`update finance.expense_reports set ${reimbursing} where report_id = ${approvedByMe} returning 1 as x`,
        ],
        [
          'reimbursed unapproved',
          bob,
          'everyone',
          sql`update finance.expense_reports set ${reimbursing} where report_id = ${sarahs} returning 1 as x`,
        ],
        ['items changed', bob, 'everyone', sql`update finance.expense_items set amount = 1 where report_id = ${sarahs} returning 1 as x`],
        [
          'someone else’s team',
          nina,
          'team',
          sql`update finance.expense_reports set ${approving(nina)} where report_id = ${elsewhere} returning 1 as x`,
        ],
        [
          'reimbursed by a manager',
          nina,
          'team',
          sql`update finance.expense_reports set reimbursed_by = ${by(nina)} where report_id = ${approvedByMe} returning 1 as x`,
        ],
        [
          'for someone else',
          marcus,
          'self',
          sql`insert into finance.expense_reports (employee_id, employee_name, department, month, submitted_at) values (${by(sarah)},
            'S', 'E', '2026-11', now()) returning 1 as x`,
        ],
        [
          'approved at birth',
          marcus,
          'self',
          sql`insert into finance.expense_reports (employee_name, department, month, submitted_at, status)
            values ('M', 'E', '2026-11', now(), 'APPROVED') returning 1 as x`,
        ],
        [
          'an item in another’s report',
          marcus,
          'self',
          sql`insert into finance.expense_items (report_id, n, item_date, category, description, amount) values (${sarahs}, 7, now(),
            'OTHER', 'x', 1) returning 1 as x`,
        ],
        ['one’s own changed', marcus, 'self', sql`update finance.expense_reports set status = 'APPROVED' returning 1 as x`],
      ];
      for (const [what, who, audience, statement] of statements)
        expect([what, await forced(person(who), audience, statement)]).toEqual([what, expect.stringMatching(REFUSED)]);
      expect(
        await forced(
          person(nina),
          'team',
          sql`update finance.expense_reports set ${approving(nina)} where report_id = ${sarahs} returning 1 as x`,
        ),
      ).toBe('it was let through');
    });
  });
});
