/** Property tests of sums over any amounts: shares of a budget, items of a report, months of revenue, payments and spending. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import { money } from '../../src/declare/fields.ts';
import { DEFAULT_COMPANY } from '../../src/declare/company.ts';
import { formatMoney, sumOf, toCents } from '../../src/declare/money.ts';
import { shared } from '../../domains/finance/cents.ts';
import * as finance from '../../domains/finance/index.ts';
import { byBudgetCategory } from '../../domains/finance/rules.ts';
import { expenseCategories } from '../../domains/finance/schemas.ts';
import { code, type Data, databases, openTestRuntime, type TestRuntime } from '../test-runtime.ts';
import { newBudget, newInvoice, newReport } from './finance-rows.ts';

const [eve, bob, marcus] = ['eve.thompson', 'bob.martinez', 'marcus.johnson'] as const;
type Row = Record<string, unknown>;
/** Amounts in cents, up to ten billion USD. */
const cents = fc.integer({ min: 0, max: 1_000_000_000_000 });
const few = fc.integer({ min: 1, max: 99_999_999 });
const total = (amounts: readonly unknown[]) => amounts.reduce<number>((sum, amount) => sum + Math.round(Number(amount) * 100), 0);

describe('cents', () => {
  test('every whole number of cents is a valid amount, and conversions do not change it', () => {
    fc.assert(
      fc.property(cents, (n) => {
        expect(money.safeParse(n / 100).success).toBe(true);
        expect(toCents(n / 100)).toBe(n);
        expect(JSON.parse(JSON.stringify(n / 100))).toBe(n / 100);
        expect(formatMoney(n / 100, DEFAULT_COMPANY).replace(/[,.]| USD/g, '')).toBe(String(n).padStart(3, '0'));
      }),
      { numRuns: 2000 },
    );
  });
  test('an amount with a third decimal is refused', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000 }), fc.integer({ min: 1, max: 9 }), (n, tenths) => {
        expect(money.safeParse(Number(`${Math.floor(n / 100)}.${String(n % 100).padStart(2, '0')}${tenths}`)).success).toBe(false);
      }),
    );
  });
  test('sumOf is exact to the cent', () => {
    fc.assert(
      fc.property(fc.array(few, { maxLength: 100 }), (parts) => {
        expect(toCents(sumOf(parts.map((n) => n / 100)))).toBe(parts.reduce((a, b) => a + b, 0));
      }),
    );
  });
  test('shares add up to the total, and each differs from its exact share by at most a cent', () => {
    fc.assert(
      fc.property(cents, fc.array(cents, { minLength: 1, maxLength: 12 }), (whole, parts) => {
        const shares = shared(
          whole / 100,
          parts.map((n) => n / 100),
        ).map(toCents);
        const sum = parts.reduce((a, b) => a + b, 0);
        expect(shares.reduce((a, b) => a + b, 0)).toBe(whole);
        for (const [n, share] of shares.entries()) {
          const due = sum === 0 ? whole / parts.length : Number((BigInt(whole) * BigInt(parts[n] ?? 0) * 1000n) / BigInt(sum)) / 1000;
          expect(Math.abs(share - due)).toBeLessThanOrEqual(1.001);
          expect(share).toBeGreaterThanOrEqual(0);
        }
        if (whole === sum) expect(shares).toEqual(parts);
      }),
      { numRuns: 1000 },
    );
  });
  test('expense items grouped by budget line add up to the sum of the items, and each line occurs once', () => {
    const item = fc.record({ category: fc.constantFrom(...expenseCategories), n: few });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 50 }), (items) => {
        const counted = byBudgetCategory(
          items.map(({ category, n }) => ({ category, amount: n / 100, date: '2026-01-01', description: 'x', receipt: null })),
        );
        expect(total(counted.map(({ amount }) => amount))).toBe(items.reduce((sum, { n }) => sum + n, 0));
        expect(new Set(counted.map(({ category }) => category)).size).toBe(counted.length);
      }),
    );
  });
});

describe.each(databases)('sums on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(finance) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const dataOf = (answer: unknown) => (answer as SuccessAnswer).data as Row;

  test('the total of a report is the sum of its items, and another total is refused', async () => {
    const item = fc.record({ category: fc.constantFrom(...expenseCategories), n: fc.integer({ min: 1, max: 100_000_000 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 40 }), async (given) => {
        const items = given.map(({ category, n }, which) => ({ category, amount: n / 100, description: `Item ${which}` }));
        const sum = given.reduce((all, { n }) => all + n, 0);
        const input = { month: '2026-11', items, total: sum / 100 };
        const report = dataOf(await testRuntime.done(marcus, 'finance', 'submit_expense_report', input));
        expect(toCents(Number(report['total']))).toBe(sum);
        expect(total((report['items'] as Data).map((each) => each['amount']))).toBe(sum);
        expect(code(await testRuntime.call(marcus, 'finance', 'submit_expense_report', { ...input, total: (sum + 1) / 100 }))).toBe(
          'ITEMS_DO_NOT_ADD_UP',
        );
      }),
      { numRuns: 15 },
    );
    const answer = (await testRuntime.call(marcus, 'finance', 'list_expense_reports', { limit: 3 })) as SuccessAnswer;
    const all = await testRuntime.owner(
      'select sum(i.amount)::text as sum, count(distinct i.report_id)::int as n from finance.expense_items i where i.employee_id = $1',
      ['0e000000-0000-4000-8000-000000000007'],
    );
    expect(answer.metadata?.summary).toEqual({ count: all[0]?.['n'], total: Number(all[0]?.['sum']) });
  }, 180_000);

  test('the lines of an approved budget add up to the approved amount', async () => {
    await fc.assert(
      fc.asyncProperty(cents, async (n) => {
        const budget_id = await newBudget(testRuntime, 'PENDING_APPROVAL');
        const budget = dataOf(await testRuntime.done(eve, 'finance', 'approve_budget', { budget_id, approved_amount: n / 100 }));
        expect(toCents(Number(budget['allocated_amount']))).toBe(n);
        const lines = await testRuntime.owner('select allocated_amount::text as amount from finance.budget_lines where budget_id = $1', [
          budget_id,
        ]);
        expect(total(lines.map((line) => line['amount']))).toBe(n);
        await testRuntime.owner('delete from finance.budget_lines where budget_id = $1', [budget_id]);
        await testRuntime.owner('delete from finance.budgets where budget_id = $1', [budget_id]);
      }),
      { numRuns: 15 },
    );
  }, 180_000);

  test('a budget whose lines are all zero can be approved, and still shows unplanned spending', async () => {
    const budget_id = await newBudget(testRuntime, 'PENDING_APPROVAL');
    await testRuntime.owner('update finance.budget_lines set allocated_amount = 0 where budget_id = $1', [budget_id]);
    const unplanned = `insert into finance.ledger (entry_date, department, category, amount, source, description)
      select make_date(fiscal_year, 6, 1), department, 'TRAINING', 5, 'OPENING', 'Unplanned' from finance.budgets where budget_id = $1`;
    await testRuntime.owner(unplanned, [budget_id]);
    const budget = dataOf(await testRuntime.done(eve, 'finance', 'approve_budget', { budget_id, approved_amount: 900 }));
    expect(budget).toMatchObject({ allocated_amount: 900, spent_amount: 5 });
  });

  test('each payment adds its amount once to the spending of the company, and lowers the remaining amount', async () => {
    const summary = async () =>
      ((await testRuntime.call(eve, 'finance', 'list_budgets', { fiscal_year: 2026, limit: 1 })) as SuccessAnswer).metadata
        ?.summary as Record<string, number>;
    const start = await summary();
    let paid = 0;
    await fc.assert(
      fc.asyncProperty(few, fc.boolean(), async (n, isInvoice) => {
        if (isInvoice) {
          const invoice_id = await newInvoice(testRuntime, 'APPROVED');
          await testRuntime.owner('update finance.invoices set amount = $2 where invoice_id = $1', [invoice_id, n / 100]);
          expect(code(await testRuntime.done(bob, 'finance', 'pay_invoice', { invoice_id }))).toBe('success');
        } else {
          const report_id = await newReport(testRuntime, 'APPROVED', marcus);
          await testRuntime.owner('update finance.expense_items set amount = $2 where report_id = $1 and n = 1', [report_id, n / 100]);
          expect(code(await testRuntime.done(bob, 'finance', 'reimburse_expense_report', { report_id }))).toBe('success');
          paid += 2525;
        }
        paid += n;
        const now = await summary();
        expect(toCents(now['spent'] ?? 0)).toBe(toCents(start['spent'] ?? 0) + paid);
        expect(toCents(now['remaining'] ?? 0)).toBe(toCents(start['remaining'] ?? 0) - paid);
        expect(now['allocated']).toBe(start['allocated']);
      }),
      { numRuns: 15 },
    );
  }, 180_000);

  test('each month of revenue starts where the month before ended, and get_arr agrees with the last month', async () => {
    const months = fc.array(
      fc.record({ new_arr: few, expansion_arr: few, contraction_arr: few, churn_arr: few, plus: fc.nat(50), minus: fc.nat(50) }),
      {
        minLength: 1,
        maxLength: 24,
      },
    );
    const keys = ['new_arr', 'expansion_arr', 'contraction_arr', 'churn_arr'] as const;
    await fc.assert(
      fc.asyncProperty(months, fc.integer({ min: 5_000_000_000, max: 9_000_000_000 }), async (given, opening) => {
        await testRuntime.owner('delete from finance.arr_months');
        await testRuntime.owner('update finance.arr_opening set arr = $1, subscriptions = 2000', [opening / 100]);
        const rows = given.map((each, n) => {
          const month = `${2025 + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`;
          return {
            ...Object.fromEntries(keys.map((key) => [key, each[key] / 100])),
            month,
            as_of_date: `${month}-28`,
            new_subscriptions: each.plus,
            lost_subscriptions: each.minus,
          };
        });
        await testRuntime.owner(
          'insert into finance.arr_months select * from json_populate_recordset(null::finance.arr_months, $1::json)',
          [JSON.stringify(rows)],
        );
        const answer = (await testRuntime.call(bob, 'finance', 'get_arr_movement', { months: 24 })) as SuccessAnswer;
        let arr = opening;
        let subscriptions = 2000;
        for (const [n, row] of (answer.data as Data).entries()) {
          const [plus, more, less, lost] = keys.map((key) => given[n]?.[key] ?? 0) as [number, number, number, number];
          expect(toCents(Number(row['starting_arr']))).toBe(arr);
          arr += plus + more - less - lost;
          subscriptions += (given[n]?.plus ?? 0) - (given[n]?.minus ?? 0);
          expect(toCents(Number(row['ending_arr']))).toBe(arr);
          expect(toCents(Number(row['net_new_arr']))).toBe(plus + more - less - lost);
        }
        expect(dataOf(await testRuntime.call(bob, 'finance', 'get_arr', {}))).toMatchObject({
          arr: arr / 100,
          active_subscriptions: subscriptions,
        });
        expect(answer.metadata?.summary).toMatchObject({
          starting_arr: opening / 100,
          ending_arr: arr / 100,
          net_new_arr: (arr - opening) / 100,
        });
      }),
      { numRuns: 20 },
    );
  }, 180_000);
});
