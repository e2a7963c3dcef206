/** Results of the finance tools and which rows each role sees: lists, filters, sums. Changes are in finance-moves and finance-journeys. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, SuccessAnswer } from '../../src/declare/answer.ts';
import { jsonSchema } from '../../src/derive/answers.ts';
import * as finance from '../../domains/finance/index.ts';
import { code, type Data, databases, employeeIdOf as id, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';

const [eve, bob, carol, dan, nina, marcus, sarah, frank] = [
  'eve.thompson',
  'bob.martinez',
  'carol.johnson',
  'dan.williams',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'frank.davis',
] as const;
const reader = person('tom.becker', { roles: ['employee', 'finance-read'] });
const NOBODY = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const TODAY = SAMPLE_DAY.toISOString().slice(0, 10);
const cents = (value: unknown) => Math.round(Number(value) * 100);
const sum = (rows: readonly Record<string, unknown>[], key: string) => rows.reduce((all, row) => all + cents(row[key]), 0);

describe.each(databases)('the finance tools on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(finance) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const ask = async (who: Who, tool: string, input: object = {}) => code(await testRuntime.call(who, 'finance', tool, input));
  const list = async (who: Who, tool: string, input: object = {}) => {
    const answer = (await testRuntime.call(who, 'finance', tool, input)) as SuccessAnswer;
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
    return { rows: answer.data as Data, summary: answer.metadata?.summary as Record<string, unknown>, metadata: answer.metadata };
  };
  async function pages(who: Who, tool: string, input: object = {}): Promise<Data> {
    const rows: Record<string, unknown>[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const { rows: page, metadata } = await list(who, tool, { ...input, ...(cursor && { cursor }) });
      rows.push(...page);
      cursor = metadata?.nextCursor;
    }
    return rows as Data;
  }

  test('every example gives its declared answer, and a repeated change gives the same card', async () => {
    const shown = (answer: Answer) => (answer.status === 'pending_confirmation' ? answer.confirmationData : answer);
    expect(Object.keys(finance).length).toBe(27);
    for (const tool of Object.values(finance)) {
      expect(tool.examples.length, tool.name).toBeGreaterThanOrEqual(3);
      for (const { question, as, input, expects } of tool.examples) {
        const answer = await testRuntime.call(as, 'finance', tool.name, input(TODAY));
        expect([tool.name, question, code(answer)]).toEqual([
          tool.name,
          question,
          expects ?? (tool.kind === 'write' ? 'pending_confirmation' : 'success'),
        ]);
        if (answer.status === 'pending_confirmation') {
          const again = await testRuntime.ask(as, 'finance', tool.name, input(TODAY));
          expect(isDeepStrictEqual(shown(again), shown(answer))).toBe(true);
          // A person may have only so many open tickets.
          for (const { confirmationId } of [answer, again]) await testRuntime.decide(as, confirmationId, false);
        }
        if (answer.status === 'success' && tool.kind === 'list') expect((answer.data as Data).length, question).toBeGreaterThan(0);
      }
    }
  });

  test('the roles are those of the specification', () => {
    const opensTo = Object.fromEntries(Object.values(finance).map(({ name, roles }) => [name, [...roles].sort().join(' ')]));
    const writers = 'executive finance-write';
    expect(opensTo).toEqual({
      get_budget: 'executive finance-read manager',
      list_budgets: 'executive finance-read manager',
      list_invoices: 'executive finance-read',
      list_spending: 'executive finance-read manager',
      get_expense_report: 'employee executive finance-read manager',
      list_expense_reports: 'employee executive finance-read manager',
      get_arr: 'executive finance-read',
      get_arr_movement: 'executive finance-read',
      submit_budget: `${writers} manager`,
      approve_budget: writers,
      reject_budget: writers,
      delete_budget: writers,
      approve_invoice: writers,
      get_invoice: 'executive finance-read',
      create_invoice: writers,
      reject_invoice: writers,
      create_budget: `${writers} manager`,
      update_budget: `${writers} manager`,
      close_budget: writers,
      resubmit_expense_report: 'employee',
      pay_invoice: writers,
      delete_invoice: writers,
      submit_expense_report: 'employee',
      approve_expense_report: `${writers} manager`,
      reject_expense_report: `${writers} manager`,
      reimburse_expense_report: writers,
      delete_expense_report: writers,
    });
  });

  describe('visible rows', () => {
    test('finance and executives see all budgets, managers those of their department, and others none', async () => {
      const all = await pages(bob, 'list_budgets');
      expect(all).toEqual(await pages(eve, 'list_budgets'));
      expect(all).toEqual(await pages(reader, 'list_budgets'));
      expect(new Set(all.map((row) => row['department'])).size).toBe(8);
      for (const [who, department] of [
        [nina, 'Engineering'],
        [carol, 'Sales'],
        [dan, 'Support'],
      ] as const) {
        const { rows, summary } = await list(who, 'list_budgets');
        // Managers get the payroll of the running quarter later.
        const spent = ['spent_amount', 'remaining_amount', 'utilization_percent'];
        const planned = (each: Data) => each.map((row) => Object.fromEntries(Object.entries(row).filter(([key]) => !spent.includes(key))));
        expect(planned(rows)).toEqual(planned(all.filter((row) => row['department'] === department) as Data));
        expect(cents(summary['spent'])).toBe(sum(rows, 'spent_amount'));
        expect((await list(who, 'list_budgets', { department: 'Legal' })).rows).toEqual([]);
        expect((await list(who, 'list_budgets', { department: 'Legal' })).summary).toEqual({ allocated: 0, spent: 0, remaining: 0 });
        expect(await ask(who, 'get_budget', { department: 'Legal' })).toBe('BUDGET_NOT_FOUND');
        expect(await ask(who, 'get_budget', { department: department.toUpperCase() })).toBe('success');
      }
      // A department that the caller may not see gives the same answer as one that does not exist.
      expect(JSON.stringify(await testRuntime.call(nina, 'finance', 'get_budget', { department: 'Legal' })).replaceAll('Legal', 'X')).toBe(
        JSON.stringify(await testRuntime.call(nina, 'finance', 'get_budget', { department: 'Moon' })).replaceAll('Moon', 'X'),
      );
      for (const who of [marcus, frank]) expect(await ask(who, 'list_budgets')).toBe('INSUFFICIENT_PERMISSIONS');
    });

    test('everyone sees their own expenses, managers those of people below, and finance and executives all', async () => {
      const all = await pages(bob, 'list_expense_reports');
      expect(all).toEqual(await pages(eve, 'list_expense_reports'));
      expect(all.length).toBeGreaterThan(500);
      for (const who of [marcus, frank, 'paula.reyes']) {
        const own = await pages(who, 'list_expense_reports');
        expect(own).toEqual(all.filter((row) => row['employee_id'] === id(who)));
        expect(await pages(who, 'list_expense_reports', { employee_id: id(sarah) })).toEqual([]);
      }
      for (const who of [nina, carol, dan]) {
        const below = new Set(
          (
            await testRuntime.owner(
              `with recursive tree as (select employee_id from finance.people where manager_id = $1 union all
                 select p.employee_id from finance.people p join tree t on p.manager_id = t.employee_id) select employee_id from tree`,
              [id(who)],
            )
          ).map((row) => String(row['employee_id'])),
        );
        expect(below.size).toBeGreaterThan(5);
        const seen = await pages(who, 'list_expense_reports');
        expect(seen).toEqual(all.filter((row) => below.has(String(row['employee_id'])) || row['employee_id'] === id(who)));
        const { summary } = await list(who, 'list_expense_reports');
        expect(summary).toEqual({ count: seen.length, total: sum(seen, 'total') / 100 });
      }
      expect(await ask(marcus, 'get_expense_report', { employee_id: id(sarah), month: '2026-10' })).toBe('EXPENSE_REPORT_NOT_FOUND');
      expect(await ask(carol, 'get_expense_report', { employee_id: id(sarah), month: '2026-10' })).toBe('EXPENSE_REPORT_NOT_FOUND');
      expect(await ask(nina, 'get_expense_report', { employee_id: id(sarah), month: '2026-10' })).toBe('success');
    });

    test('only finance and executives see invoices and revenue', async () => {
      for (const tool of ['list_invoices', 'get_arr', 'get_arr_movement']) {
        for (const who of [nina, carol, marcus, frank]) expect(await ask(who, tool)).toBe('INSUFFICIENT_PERMISSIONS');
        for (const who of [bob, eve, reader]) expect(await ask(who, tool)).toBe('success');
      }
    });

    test('tools that compare the caller with a row refuse a caller without an employee record', async () => {
      const unlinked = (roles: string[]) => person(bob, { roles, employeeId: undefined });
      for (const [tool, input] of [
        ['list_expense_reports', {}],
        ['get_expense_report', { month: '2026-10' }],
        ['list_budgets', {}],
        ['submit_expense_report', { month: '2026-11', items: [{ description: 'x', amount: 1 }] }],
      ] as const)
        expect([tool, await ask(unlinked(['employee', 'manager']), tool, input)]).toEqual([tool, 'IDENTITY_NOT_LINKED']);
      const writer = unlinked(['finance-write']);
      for (const [tool, input] of [
        ['submit_budget', { budget_id: '0fb00000-0000-4000-8000-000000000001' }],
        ['approve_budget', { department: 'Legal' }],
        ['reject_budget', { budget_id: '0fb00000-0000-4000-8000-000000000008', rejection_reason: 'Because it is so' }],
        ['delete_budget', { budget_id: '0fb00000-0000-4000-8000-000000000001' }],
        ['approve_invoice', { invoice_id: '0f1c0000-0000-4000-8000-000000000001' }],
        ['pay_invoice', { invoice_id: '0f1c0000-0000-4000-8000-000000000008' }],
        ['delete_invoice', { invoice_id: '0f1c0000-0000-4000-8000-000000000010' }],
        ['approve_expense_report', { report_id: '0fe00000-0000-4000-8000-000000000001' }],
        ['reject_expense_report', { report_id: '0fe00000-0000-4000-8000-000000000001', rejection_reason: 'Because it is so' }],
        ['reimburse_expense_report', { report_id: '0fe00000-0000-4000-8000-000000000003' }],
        ['delete_expense_report', { report_id: '0fe00000-0000-4000-8000-000000000005' }],
      ] as const)
        expect([tool, await ask(writer, tool, input)]).toEqual([tool, 'IDENTITY_NOT_LINKED']);
      expect(await ask(writer, 'list_budgets')).toBe('success');
    });

    test('every table forces row security, and each database role may read only the tables of its audience', async () => {
      for (const table of [
        'people',
        'chain',
        'budgets',
        'budget_lines',
        'ledger',
        'invoices',
        'expense_reports',
        'expense_items',
        'arr_months',
      ])
        expect(
          await testRuntime.owner(`select relforcerowsecurity as forced from pg_class where oid = 'finance.${table}'::regclass`),
        ).toEqual([{ forced: true }]);
      const may = await testRuntime.owner(
        `select t.name as table, r.name as role, has_table_privilege(r.name, 'finance.' || t.name, 'select') as reads
         from unnest(array['invoices', 'arr_months', 'arr_opening', 'budgets', 'ledger', 'expense_reports', 'people', 'chain']) t(name),
           unnest(array['finance_everyone', 'finance_team', 'finance_self']) r(name) order by 1, 2`,
      );
      expect(may.filter((row) => row['reads']).map((row) => `${String(row['table'])} ${String(row['role'])}`)).toEqual([
        'arr_months finance_everyone',
        'arr_opening finance_everyone',
        'budgets finance_everyone',
        'budgets finance_team',
        'chain finance_team',
        'expense_reports finance_everyone',
        'expense_reports finance_self',
        'expense_reports finance_team',
        'invoices finance_everyone',
        // Managers may read columns of the ledger, but not how many people a pay run paid.
        'ledger finance_everyone',
        'people finance_self',
        'people finance_team',
      ]);
    });
  });

  describe('budgets', () => {
    test('add up by category and in the summary of the list', async () => {
      const all = await pages(bob, 'list_budgets');
      for (const row of all) {
        expect(cents(row['remaining_amount'])).toBe(cents(row['allocated_amount']) - cents(row['spent_amount']));
        const full = await testRuntime.data(bob, 'finance', 'get_budget', { department: row['department'], year: row['fiscal_year'] });
        const { by_category, by_month, note, ...rest } = full as Record<string, unknown>;
        expect([rest, note]).toEqual([row, null]);
        for (const key of ['allocated_amount', 'spent_amount', 'remaining_amount'])
          expect([sum(by_category as Data, key), sum(by_month as Data, key)]).toEqual([cents(row[key]), cents(row[key])]);
        for (const each of [row, ...(by_category as Data)])
          expect(
            Math.abs(Number(each['utilization_percent']) - (100 * Number(each['spent_amount'])) / Number(each['allocated_amount'])),
          ).toBeLessThan(0.0051);
      }
      for (const filter of [
        {},
        { fiscal_year: 2026 },
        { department: 'sales' },
        { status: 'draft' },
        { fiscal_year: 2025, department: 'HR' },
      ]) {
        const { rows, summary } = await list(eve, 'list_budgets', filter);
        const parts = {
          allocated: sum(rows, 'allocated_amount'),
          spent: sum(rows, 'spent_amount'),
          remaining: sum(rows, 'remaining_amount'),
        };
        expect(Object.fromEntries(Object.entries(summary).map(([key, value]) => [key, cents(value)]))).toEqual(parts);
        // The summary covers all matching rows, not only those of the page.
        expect((await list(eve, 'list_budgets', { ...filter, limit: 1 })).summary).toEqual(summary);
      }
    });

    test('are filtered by status in any spelling', async () => {
      const all = await pages(bob, 'list_budgets');
      for (const status of ['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'ACTIVE', 'CLOSED', 'REJECTED']) {
        const rows = all.filter((row) => row['status'] === status);
        expect(rows.length).toBeGreaterThan(0);
        for (const spelled of [status, status.toLowerCase(), status.replace('_', ' '), status.replace('_', '-').toLowerCase()])
          expect((await list(bob, 'list_budgets', { status: spelled })).rows).toEqual(rows);
      }
      const years = (status: string) => new Set(all.filter((row) => row['status'] === status).map((row) => row['fiscal_year']));
      expect([years('ACTIVE'), years('CLOSED'), years('APPROVED')]).toEqual([new Set([2026]), new Set([2025]), new Set([2027])]);
      for (const status of ['', 'pendingapproval', 'DONE', 7, null])
        expect(await ask(bob, 'list_budgets', { status })).toBe('VALIDATION_ERROR');
      expect(await ask(bob, 'list_budgets', { fiscalYear: 2026 })).toBe('success');
      expect(await ask(bob, 'get_budget', { department: 'Legal', fiscal_year: 2025 })).toBe('success');
      for (const year of [1999, 2101, 2026.5, '2026'])
        expect(await ask(bob, 'get_budget', { department: 'Legal', year })).toBe('VALIDATION_ERROR');
      expect(await ask(bob, 'get_budget', { department: 'Legal', year: 2001 })).toBe('BUDGET_NOT_FOUND');
      expect(await ask(bob, 'get_budget', {})).toBe('VALIDATION_ERROR');
    });
  });

  describe('invoices', () => {
    test('are filtered by every filter, with the count and the sum of all matching invoices', async () => {
      const all = await pages(bob, 'list_invoices');
      const keys = all.map((row) => `${String(row['invoice_date'])} ${String(row['invoice_id'])}`);
      expect(keys).toEqual(keys.toSorted().reverse());
      expect(new Set(keys).size).toBe(keys.length);
      const cases: [object, (row: Record<string, unknown>) => boolean][] = [
        [{}, () => true],
        [{ status: 'paid' }, (row) => row['status'] === 'PAID'],
        [{ status: 'Pending' }, (row) => row['waits_for'] === 'APPROVAL'],
        [{ status: 'OVERDUE' }, (row) => row['waits_for'] !== null && String(row['due_date']) < TODAY],
        [{ vendor: 'pixelforge' }, (row) => row['vendor_name'] === 'PixelForge Design'],
        [{ vendor: 'Cloud Nine' }, (row) => row['vendor_name'] === 'CloudNine Hosting'],
        [{ vendor: 'office' }, (row) => String(row['vendor_name']).includes('Office')],
        [{ department: 'legal' }, (row) => row['department'] === 'Legal'],
        [{ startDate: '2026-01-01', endDate: '2026-03-31' }, (row) => /^2026-0[123]/.test(String(row['invoice_date']))],
        [{ min_amount: 5000, max_amount: 20_000 }, (row) => Number(row['amount']) >= 5000 && Number(row['amount']) <= 20_000],
        [{ min_amount: 18_450, max_amount: 18_450 }, (row) => row['amount'] === 18_450],
        [{ vendor: '%' }, () => false],
        [{ vendor: '_' }, () => false],
      ];
      for (const [filter, fits] of cases) {
        const expected = all.filter(fits);
        expect(await pages(bob, 'list_invoices', filter)).toEqual(expected);
        expect((await list(bob, 'list_invoices', { ...filter, limit: 1 })).summary).toEqual({
          count: expected.length,
          amount: sum(expected, 'amount') / 100,
        });
      }
      expect(all.filter((row) => row['overdue']).map((row) => row['vendor_name'])).toContain('Quantum Security');
      expect(
        all.every(
          (row) =>
            row['overdue'] === (row['waits_for'] !== null && String(row['due_date']) < TODAY) &&
            row['overdue'] === (row['status'] === 'OVERDUE'),
        ),
      ).toBe(true);
    });

    test('invalid filters are validation errors', async () => {
      for (const filter of [
        { min_amount: -1 },
        { min_amount: 1.001 },
        { max_amount: Number.POSITIVE_INFINITY },
        { min_amount: 5, max_amount: 4 },
        { start_date: '2026-02-30' },
        { start_date: '2026-13-01' },
        { start_date: '2026-03-02', end_date: '2026-03-01' },
        { status: 'LATE' },
        { vendor: '' },
        { vendor_name: 'Acme' },
        { start_date: '2026-01-01', startDate: '2026-01-01' },
      ])
        expect([filter, await ask(bob, 'list_invoices', filter)]).toEqual([filter, 'VALIDATION_ERROR']);
    });
  });

  describe('expense reports', () => {
    test('are found by id or by person and month, with items that add up to the total', async () => {
      const all = await pages(bob, 'list_expense_reports');
      for (const row of all.filter((_, n) => n % 20 === 0)) {
        const report = (await testRuntime.data(bob, 'finance', 'get_expense_report', { report_id: row['report_id'] })) as Record<
          string,
          unknown
        >;
        expect(report).toMatchObject(row);
        const items = report['items'] as Data;
        expect(sum(items, 'amount')).toBe(cents(row['total']));
        expect(items.length).toBe(row['item_count']);
        expect(items.every((item) => String(item['date']).startsWith(String(row['month'])))).toBe(true);
      }
      const submitted = { report_id: '0fe00000-0000-4000-8000-000000000001', status: 'SUBMITTED', month: '2026-10', total: 457.7 };
      expect(await testRuntime.data(marcus, 'finance', 'get_expense_report', { month: '2026-10' })).toMatchObject(submitted);
      for (const who of [marcus, nina, bob, eve, reader])
        for (const input of [
          { employeeId: id(marcus), month: '2026-10' },
          { reportId: submitted.report_id.toUpperCase() },
          { ...submitted, status: undefined, total: undefined, employee_id: id(marcus) },
        ])
          expect(await testRuntime.data(who, 'finance', 'get_expense_report', JSON.parse(JSON.stringify(input)))).toMatchObject(submitted);
      // All given fields must match.
      for (const input of [
        { report_id: submitted.report_id, month: '2026-09' },
        { report_id: submitted.report_id, employee_id: id(sarah) },
        { report_id: NOBODY },
        { employee_id: NOBODY, month: '2026-10' },
        { month: '2031-01' },
      ])
        expect(await ask(bob, 'get_expense_report', input)).toBe('EXPENSE_REPORT_NOT_FOUND');
      for (const input of [
        {},
        { employee_id: id(marcus) },
        { month: '2026-13' },
        { month: '2026-00' },
        { month: '2026-1' },
        { month: 10 },
        { month: 'October' },
        { report_id: 'abc' },
      ])
        expect([input, await ask(bob, 'get_expense_report', input)]).toEqual([input, 'VALIDATION_ERROR']);
    });

    test('of one person and month: the submitted one is returned, with the ids of the others', async () => {
      const [own] = await testRuntime.owner(
        `insert into finance.expense_reports (employee_id, employee_name, department, month, status, submitted_at)
         select employee_id, name, department, '2026-10', 'DRAFT', null from finance.people where employee_id = $1 returning report_id`,
        [id(marcus)],
      );
      const report = await testRuntime.data(marcus, 'finance', 'get_expense_report', { month: '2026-10' });
      expect(report).toMatchObject({ status: 'SUBMITTED', other_report_ids: [own?.['report_id']] });
      await testRuntime.owner('delete from finance.expense_reports where report_id = $1', [own?.['report_id']]);
    });

    test('are filtered by status, person and dates', async () => {
      const all = await pages(bob, 'list_expense_reports');
      for (const status of ['DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED', 'REIMBURSED'])
        for (const spelled of [status, status.toLowerCase()])
          expect(await pages(bob, 'list_expense_reports', { status: spelled })).toEqual(all.filter((row) => row['status'] === status));
      expect(await pages(bob, 'list_expense_reports', { employee_id: id(sarah) })).toEqual(
        all.filter((row) => row['employee_id'] === id(sarah)),
      );
      expect(await pages(bob, 'list_expense_reports', { start_date: '2026-10-01', end_date: '2026-10-31' })).toEqual(
        all.filter((row) => row['month'] === '2026-10'),
      );
      const dinner = await pages(nina, 'list_expense_reports', {
        employee_id: id(marcus),
        start_date: '2026-10-08',
        end_date: '2026-10-08',
      });
      expect(dinner.map((row) => row['report_id'])).toEqual(['0fe00000-0000-4000-8000-000000000001']);
      expect(await pages(marcus, 'list_expense_reports', { start_date: '2026-10-09' })).toEqual([]);
      expect(await ask(bob, 'list_expense_reports', { start_date: '2026-11-01', end_date: '2026-10-01' })).toBe('VALIDATION_ERROR');
    });
  });

  describe('recurring revenue', () => {
    const movement = (input: object = {}) => list(bob, 'get_arr_movement', input);

    test('every month starts where the month before ended, and the summary covers the whole period', async () => {
      for (const input of [{}, { months: 1 }, { months: 24 }, { year: 2025 }, { year: 2026 }, { year: 2025, months: 18 }]) {
        const { rows, summary } = await movement(input);
        for (const [n, row] of rows.entries()) {
          expect(cents(row['net_new_arr'])).toBe(
            cents(row['new_arr']) + cents(row['expansion_arr']) - cents(row['contraction_arr']) - cents(row['churn_arr']),
          );
          expect(cents(row['ending_arr'])).toBe(cents(row['starting_arr']) + cents(row['net_new_arr']));
          if (n > 0) expect(row['starting_arr']).toBe(rows[n - 1]?.['ending_arr']);
        }
        for (const key of ['new_arr', 'expansion_arr', 'contraction_arr', 'churn_arr', 'net_new_arr'])
          expect(cents(summary[key])).toBe(sum(rows, key));
        expect([summary['starting_arr'], summary['ending_arr']]).toEqual([rows[0]?.['starting_arr'], rows.at(-1)?.['ending_arr']]);
      }
      const periods = async (input: object) => (await movement(input)).rows.map((row) => row['period']);
      expect(await periods({ months: 6 })).toEqual(['2026-06', '2026-07', '2026-08', '2026-09', '2026-10', '2026-11']);
      expect(await periods({ year: 2025 })).toEqual(Array.from({ length: 12 }, (_, n) => `2025-${String(n + 1).padStart(2, '0')}`));
      expect((await periods({ year: 2026 }))[0]).toBe('2026-01');
      expect(await periods({ year: 2026, months: 2 })).toEqual(['2026-10', '2026-11']);
      expect(await periods({ year: 2025, months: 13 })).toContain('2024-12');
      expect((await periods({})).length).toBe(12);
      expect((await periods({ months: 24 })).length).toBe(24);
      expect(await movement({ year: 2001 })).toMatchObject({ rows: [], summary: { starting_arr: null, net_new_arr: 0, ending_arr: null } });
      for (const bad of [{ months: 0 }, { months: 25 }, { months: 1.5 }, { months: '6' }, { year: 1999 }, { year: 20_260 }])
        expect(await ask(bob, 'get_arr_movement', bad)).toBe('VALIDATION_ERROR');
    });

    test('get_arr returns the newest figures on or before the given day: of a month end, or of today in the current month', async () => {
      const { rows } = await movement({ months: 24 });
      for (const [n, row] of rows.entries()) {
        const arr = (await testRuntime.data(eve, 'finance', 'get_arr', { as_of_date: row['as_of_date'] })) as Record<string, unknown>;
        expect(arr).toMatchObject({ as_of_date: row['as_of_date'], arr: row['ending_arr'], net_new_arr: row['net_new_arr'] });
        expect(Math.abs(cents(arr['mrr']) - cents(arr['arr']) / 12)).toBeLessThanOrEqual(0.5);
        expect(Math.abs(cents(arr['arpu']) - cents(arr['arr']) / Number(arr['active_subscriptions']))).toBeLessThanOrEqual(0.5);
        if (n < 11) continue;
        const year = rows.slice(n - 11, n + 1);
        const base = cents(year[0]?.['starting_arr']);
        const kept = base - sum(year, 'contraction_arr') - sum(year, 'churn_arr');
        expect(arr['gross_revenue_retention']).toBeCloseTo((100 * kept) / base, 2);
        expect(arr['net_revenue_retention']).toBeCloseTo((100 * (kept + sum(year, 'expansion_arr'))) / base, 2);
      }
      const on = async (as_of_date?: string) =>
        ((await testRuntime.data(bob, 'finance', 'get_arr', as_of_date === undefined ? {} : { as_of_date })) as Record<string, unknown>)[
          'as_of_date'
        ];
      expect(await on('2026-06-30')).toBe('2026-06-30');
      expect(await on('2026-06-29')).toBe('2026-05-31');
      expect(await on('2026-07-14')).toBe('2026-06-30');
      expect(await on('2026-11-15')).toBe('2026-10-31');
      expect(await on()).toBe('2026-11-16');
      expect(await on('2099-12-31')).toBe('2026-11-16');
      expect(await testRuntime.call(bob, 'finance', 'get_arr', { as_of_date: '2020-01-01' })).toMatchObject({
        code: 'ARR_NOT_FOUND',
        details: { first_date: '2024-01-31' },
      });
      for (const as_of_date of ['2026-02-30', '2026-13-01', 'today', 20_260_630])
        expect(await ask(bob, 'get_arr', { as_of_date })).toBe('VALIDATION_ERROR');
    });
  });

  test('the published schemas list the statuses in upper case, and bound the items of a report', () => {
    const schemaOf = (name: string) => {
      const tool = Object.values(finance).find((each) => each.name === name);
      if (!tool) throw new Error(name);
      return jsonSchema(tool.kind === 'list' ? tool.ownInput : tool.input, 'input')['properties'] as Record<
        string,
        Record<string, unknown>
      >;
    };
    expect(schemaOf('list_invoices')['status']?.['enum']).toEqual(['PENDING', 'APPROVED', 'PAID', 'REJECTED', 'OVERDUE']);
    expect(schemaOf('list_budgets')['status']?.['enum']).toEqual(['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'ACTIVE', 'CLOSED', 'REJECTED']);
    expect(schemaOf('list_expense_reports')['status']?.['enum']).toEqual(['DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED', 'REIMBURSED']);
    expect(schemaOf('submit_expense_report')['items']).toMatchObject({
      minItems: 1,
      maxItems: 100,
      items: { additionalProperties: false },
    });
    expect(schemaOf('approve_budget')).toHaveProperty('approved_amount');
    expect(schemaOf('approve_budget')).not.toHaveProperty('amount');
  });
});
