/** Every change of status of budgets, invoices and expense reports, legal and illegal, by every role, requested and approved. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Person } from '../../src/declare/people.ts';
import * as finance from '../../domains/finance/index.ts';
import { code, databases, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';
import {
  type BudgetState,
  CLERK,
  type InvoiceState,
  idOf,
  newBudget,
  newInvoice,
  newReport,
  type ReportState,
  stored,
} from './finance-rows.ts';

const [eve, bob, carol, nina, marcus, sarah] = [
  'eve.thompson',
  'bob.martinez',
  'carol.johnson',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
] as const;
const REASON = 'It has to be done again';

interface Actor {
  readonly as: string;
  readonly who: Person;
  readonly roles: readonly string[];
}
const actor = (as: string, username: string, ...roles: string[]): Actor => ({
  as,
  who: person(username, { roles: ['employee', ...roles] }),
  roles,
});
/** All rows belong to Engineering. Nina is a manager there. Carol is a manager in Sales. */
const actors: readonly Actor[] = [
  actor('an executive', eve, 'executive'),
  actor('finance-write', bob, 'finance-write'),
  actor('finance-read', 'tom.becker', 'finance-read'),
  actor('the manager', nina, 'manager'),
  actor('another manager', carol, 'manager'),
  actor('an employee', marcus),
  actor('a manager who may only read finance', nina, 'manager', 'finance-read'),
  actor('payroll, tax, hr, sales and support', 'paula.reyes', 'payroll-write', 'tax-write', 'hr-write', 'sales-write', 'support-write'),
];
const may = ({ roles }: Actor, ...wanted: string[]) => roles.some((role) => wanted.includes(role));
const decides = (one: Actor) => may(one, 'finance-write', 'executive');

describe.each(databases)('changes of status on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(finance) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  /** Requests a change and approves its card, if any. After a success the row has the values `becomes`; otherwise it is unchanged. */
  async function attempt(
    one: Actor,
    tool: string,
    table: Parameters<typeof stored>[1],
    id: string,
    input: object,
    becomes: Record<string, unknown>,
  ) {
    const before = await stored(testRuntime, table, id);
    const answer = await testRuntime.call(one.who, 'finance', tool, input);
    if (answer.status !== 'pending_confirmation') {
      expect(await stored(testRuntime, table, id)).toEqual(before);
      if (answer.status === 'error') expect(answer.suggestedAction).toMatch(/\S.{10,}\.$/);
      return code(answer);
    }
    expect(await stored(testRuntime, table, id)).toEqual(before);
    const done = await testRuntime.approve(one.who, answer.confirmationId);
    const after = await stored(testRuntime, table, id);
    if (code(done) === 'success') expect(after).toMatchObject(becomes);
    else expect(after).toEqual(before);
    return code(done);
  }

  describe('budgets', () => {
    const tools = ['submit_budget', 'approve_budget', 'reject_budget', 'delete_budget'] as const;
    const states: BudgetState[] = ['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'DELETED'];
    const table = tools.flatMap((tool) => states.map((state) => [tool, state] as const));

    const run = async (one: Actor, tool: (typeof tools)[number], state: BudgetState, author: string = CLERK.name) => {
      const budget_id = await newBudget(testRuntime, state, { author });
      const me = one.who.employeeId;
      const becomes = {
        submit_budget: { status: 'PENDING_APPROVAL', submitted_by: me, rejected_by: null, rejection_reason: null },
        approve_budget: { status: 'APPROVED', approved_by: me },
        reject_budget: { status: 'REJECTED', rejected_by: me, rejection_reason: REASON, approved_by: null },
        delete_budget: { status: 'DRAFT', deleted_by: me },
      }[tool];
      const got = await attempt(
        one,
        tool,
        'budgets',
        budget_id,
        { budget_id, ...(tool === 'reject_budget' && { rejection_reason: REASON }) },
        becomes,
      );
      await testRuntime.owner('delete from finance.budget_lines where budget_id = $1', [budget_id]);
      await testRuntime.owner('delete from finance.budgets where budget_id = $1', [budget_id]);
      return got;
    };
    const legal = {
      submit_budget: { from: ['DRAFT', 'REJECTED'], else: 'BUDGET_NOT_SUBMITTABLE' },
      approve_budget: { from: ['PENDING_APPROVAL'], else: 'BUDGET_NOT_PENDING' },
      reject_budget: { from: ['PENDING_APPROVAL'], else: 'BUDGET_NOT_PENDING' },
      delete_budget: { from: ['DRAFT'], else: 'BUDGET_NOT_DRAFT' },
    };
    const expected = (one: Actor, tool: (typeof tools)[number], state: BudgetState, own: boolean): string => {
      if (!decides(one) && !(tool === 'submit_budget' && may(one, 'manager'))) return 'INSUFFICIENT_PERMISSIONS';
      if (state === 'DELETED' || one.as === 'another manager') return 'BUDGET_NOT_FOUND';
      if (!legal[tool].from.includes(state)) return legal[tool].else;
      return own && tool !== 'submit_budget' ? 'SEPARATION_OF_DUTIES' : 'success';
    };

    test.each(table)('%s of a budget in status %s has the right outcome for every role', async (tool, state) => {
      for (const one of actors) expect([one.as, await run(one, tool, state)]).toEqual([one.as, expected(one, tool, state, false)]);
      for (const username of [bob, eve]) {
        const one = actors.find(({ who }) => who.username === username) as Actor;
        expect([`${one.as}, their own`, await run(one, tool, state, username)]).toEqual([
          `${one.as}, their own`,
          expected(one, tool, state, true),
        ]);
      }
    });
  });

  describe('invoices', () => {
    const tools = ['approve_invoice', 'pay_invoice', 'delete_invoice'] as const;
    const states: InvoiceState[] = ['PENDING', 'APPROVED', 'PAID', 'REJECTED', 'DELETED'];
    const table = tools.flatMap((tool) => states.map((state) => [tool, state] as const));

    const run = async (
      one: Actor,
      tool: (typeof tools)[number],
      state: InvoiceState,
      people: { author?: string; approver?: string } = {},
    ) => {
      const invoice_id = await newInvoice(testRuntime, state, people);
      const me = one.who.employeeId;
      const becomes = {
        approve_invoice: { status: 'APPROVED', approved_by: me, paid_by: null },
        pay_invoice: { status: 'PAID', paid_by: me, approved_by: idOf('dan.williams') },
        delete_invoice: { status: state, deleted_by: me },
      }[tool];
      return attempt(one, tool, 'invoices', invoice_id, { invoice_id }, becomes);
    };
    const expected = (one: Actor, tool: (typeof tools)[number], state: InvoiceState): string => {
      if (!decides(one)) return 'INSUFFICIENT_PERMISSIONS';
      if (state === 'DELETED') return 'INVOICE_NOT_FOUND';
      if (tool === 'approve_invoice') return state === 'PENDING' ? 'success' : 'INVOICE_NOT_PENDING';
      if (tool === 'delete_invoice') return state === 'PENDING' || state === 'REJECTED' ? 'success' : 'INVOICE_NOT_DELETABLE';
      return state === 'APPROVED' ? 'success' : state === 'PAID' ? 'INVOICE_ALREADY_PAID' : 'INVOICE_NOT_APPROVED';
    };

    test.each(table)('%s of an invoice in status %s has the right outcome for every role', async (tool, state) => {
      for (const one of actors) expect([one.as, await run(one, tool, state)]).toEqual([one.as, expected(one, tool, state)]);
      for (const username of [bob, eve]) {
        const one = actors.find(({ who }) => who.username === username) as Actor;
        expect([`${one.as}, handed in by them`, await run(one, tool, state, { author: username })]).toEqual([
          `${one.as}, handed in by them`,
          state === 'DELETED' ? 'INVOICE_NOT_FOUND' : 'SEPARATION_OF_DUTIES',
        ]);
        if (state !== 'APPROVED' && state !== 'PAID') continue;
        expect([`${one.as}, approved by them`, await run(one, tool, state, { approver: username })]).toEqual([
          `${one.as}, approved by them`,
          tool === 'pay_invoice' && state === 'APPROVED' ? 'SEPARATION_OF_DUTIES' : expected(one, tool, state),
        ]);
      }
    });
  });

  describe('expense reports', () => {
    const tools = ['approve_expense_report', 'reject_expense_report', 'reimburse_expense_report', 'delete_expense_report'] as const;
    const states: ReportState[] = ['DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED', 'REIMBURSED', 'DELETED'];
    const table = tools.flatMap((tool) => states.map((state) => [tool, state] as const));

    const run = async (
      one: Actor,
      tool: (typeof tools)[number],
      state: ReportState,
      whose: string = sarah,
      approver: string = CLERK.name,
    ) => {
      const report_id = await newReport(testRuntime, state, whose, { approver });
      const me = one.who.employeeId;
      const becomes = {
        approve_expense_report: { status: 'APPROVED', approved_by: me, rejected_by: null },
        reject_expense_report: { status: 'REJECTED', rejected_by: me, rejection_reason: REASON, approved_by: null },
        reimburse_expense_report: { status: 'REIMBURSED', reimbursed_by: me },
        delete_expense_report: { status: state, deleted_by: me },
      }[tool];
      return attempt(
        one,
        tool,
        'expense_reports',
        report_id,
        { report_id, ...(tool === 'reject_expense_report' && { rejection_reason: REASON }) },
        becomes,
      );
    };
    const expected = (one: Actor, tool: (typeof tools)[number], state: ReportState): string => {
      const deciding = tool === 'approve_expense_report' || tool === 'reject_expense_report';
      if (!decides(one) && !(deciding && may(one, 'manager'))) return 'INSUFFICIENT_PERMISSIONS';
      if (state === 'DELETED' || one.as === 'another manager') return 'EXPENSE_REPORT_NOT_FOUND';
      if (deciding) return state === 'SUBMITTED' ? 'success' : 'EXPENSE_REPORT_NOT_SUBMITTED';
      if (tool === 'delete_expense_report') return state === 'DRAFT' || state === 'REJECTED' ? 'success' : 'EXPENSE_REPORT_NOT_DELETABLE';
      return state === 'APPROVED'
        ? 'success'
        : state === 'REIMBURSED'
          ? 'EXPENSE_REPORT_ALREADY_REIMBURSED'
          : 'EXPENSE_REPORT_NOT_APPROVED';
    };

    test.each(table)('%s of an expense report in status %s has the right outcome for every role', async (tool, state) => {
      for (const one of actors) expect([one.as, await run(one, tool, state)]).toEqual([one.as, expected(one, tool, state)]);
      for (const username of [bob, eve, nina]) {
        const one = actors.find(({ who }) => who.username === username) as Actor;
        const refused = expected(one, tool, 'SUBMITTED') === 'INSUFFICIENT_PERMISSIONS';
        const own = refused ? 'INSUFFICIENT_PERMISSIONS' : state === 'DELETED' ? 'EXPENSE_REPORT_NOT_FOUND' : 'SEPARATION_OF_DUTIES';
        expect([`${one.as}, their own`, await run(one, tool, state, username)]).toEqual([`${one.as}, their own`, own]);
        if (state !== 'APPROVED') continue;
        expect([`${one.as}, approved by them`, await run(one, tool, state, sarah, username)]).toEqual([
          `${one.as}, approved by them`,
          tool === 'reimburse_expense_report' && !refused ? 'SEPARATION_OF_DUTIES' : expected(one, tool, state),
        ]);
      }
    });

    test('a manager at any level decides on an expense report, but not after its author has left the team', async () => {
      const [boss] = await testRuntime.owner('select p.manager_id from finance.people p where p.employee_id = $1', [idOf(nina)]);
      const above = { ...person(nina, { roles: ['employee', 'manager'] }), employeeId: String(boss?.['manager_id']) };
      const report_id = await newReport(testRuntime, 'SUBMITTED', sarah);
      const card = await testRuntime.ask(above, 'finance', 'approve_expense_report', { report_id });
      await testRuntime.owner('delete from finance.chain where manager_id = $1 and employee_id = $2', [above.employeeId, idOf(sarah)]);
      expect(await testRuntime.approve(above, card.confirmationId)).toMatchObject({
        code: 'CHANGED_SINCE_APPROVAL',
        details: { because: 'EXPENSE_REPORT_NOT_FOUND' },
      });
      expect(await stored(testRuntime, 'expense_reports', report_id)).toMatchObject({ status: 'SUBMITTED' });
      await testRuntime.owner('insert into finance.chain (manager_id, employee_id) values ($1, $2)', [above.employeeId, idOf(sarah)]);
      expect(code(await testRuntime.done(above, 'finance', 'approve_expense_report', { report_id }))).toBe('success');
    });
  });

  test('every write tool answers not found for an unknown id', async () => {
    const id = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
    for (const tool of Object.values(finance).filter(({ kind }) => kind === 'write')) {
      const key = Object.keys(tool.input.shape).find((name) => name.endsWith('_id'));
      if (key === undefined) continue;
      const input = {
        [key]: id,
        ...('items' in tool.input.shape && { items: [{ description: 'Taxi', amount: 1 }] }),
        ...('lines' in tool.input.shape && { lines: [{ category: 'TRAVEL', amount: 1 }] }),
        ...('rejection_reason' in tool.input.shape && { rejection_reason: REASON }),
      };
      expect([tool.name, code(await testRuntime.call(eve, 'finance', tool.name, input))]).toEqual([
        tool.name,
        expect.stringMatching(/_NOT_FOUND$/),
      ]);
    }
  });
});
