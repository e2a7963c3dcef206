/** The ledger of spending: actuals of any period are its sums, payments enter it once, and managers see payroll by quarter. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import { sql, type SqlText } from '../../src/declare/sql.ts';
import type { Store } from '../../src/engine/store.ts';
import * as finance from '../../domains/finance/index.ts';
import { code, type Data, databases, employeeIdOf as id, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { newInvoice, newReport, stored } from './finance-rows.ts';

const [eve, bob, nina, marcus] = ['eve.thompson', 'bob.martinez', 'nina.patel', 'marcus.johnson'] as const;
type Row = Record<string, unknown>;
const cents = (value: unknown) => Math.round(Number(value) * 100);
const sum = (rows: readonly Row[], key: string) => rows.reduce((all, row) => all + cents(row[key]), 0);

describe.each(databases)('the ledger on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(finance) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const list = async (who: Who, tool: string, input: object = {}) => {
    const answer = (await testRuntime.call(who, 'finance', tool, input)) as SuccessAnswer;
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
    return { rows: answer.data as Data, summary: answer.metadata?.summary as Row, next: answer.metadata?.nextCursor };
  };
  async function ledger(who: Who, input: object = {}): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await list(who, 'list_spending', { ...input, limit: 50, ...(cursor && { cursor }) });
      rows.push(...page.rows);
      cursor = page.next;
    }
    return rows;
  }

  test.each(['2026', '2026-Q4', 'Q3 2026', '2026-11', '2025-Q2', '2024'])(
    'the actuals of %s agree in get_budget, list_budgets and list_spending, and are the sum of the stored entries',
    async (period) => {
      const [from, to] = {
        '2026': ['2026-01-01', '2026-12-31'],
        '2026-Q4': ['2026-10-01', '2026-12-31'],
        'Q3 2026': ['2026-07-01', '2026-09-30'],
        '2026-11': ['2026-11-01', '2026-11-30'],
        '2025-Q2': ['2025-04-01', '2025-06-30'],
        '2024': ['2024-01-01', '2024-12-31'],
      }[period] as [string, string];
      const budgets = await list(bob, 'list_budgets', { period });
      expect(budgets.rows.length).toBe(period === '2024' ? 0 : 8);
      expect(sum(budgets.rows, 'spent_amount')).toBe(cents(budgets.summary['spent']));
      expect(sum(budgets.rows, 'allocated_amount')).toBe(cents(budgets.summary['allocated']));
      for (const row of budgets.rows) {
        const { department } = row;
        const [total] = await testRuntime.owner(
          'select coalesce(sum(amount), 0)::text as sum from finance.ledger where department = $1 and entry_date between $2 and $3',
          [department, from, to],
        );
        expect(cents(row['spent_amount'])).toBe(cents(total?.['sum']));
        const entries = await ledger(bob, { department, period });
        expect(sum(entries, 'amount')).toBe(cents(row['spent_amount']));
        expect(entries.every(({ entry_date }) => String(entry_date) >= from && String(entry_date) <= to)).toBe(true);
        expect((await list(bob, 'list_spending', { department, period, limit: 1 })).summary).toEqual({
          count: entries.length,
          amount: row['spent_amount'],
        });
        const { by_category, by_month, note, ...budget } = (await testRuntime.data(bob, 'finance', 'get_budget', {
          department,
          period,
        })) as Row;
        expect([budget, note]).toEqual([row, null]);
        for (const part of [by_category, by_month] as Data[])
          for (const key of ['allocated_amount', 'spent_amount', 'remaining_amount']) expect(sum(part, key)).toBe(cents(row[key]));
        for (const each of by_month as Data)
          expect(String(each['month']) >= from.slice(0, 7) && String(each['month']) <= to.slice(0, 7)).toBe(true);
      }
    },
  );

  test('the quarters and the months of a year add up to the year', async () => {
    const amounts = async (period: string) => {
      const { rows } = await list(bob, 'list_budgets', { period, department: 'Sales' });
      return rows.map((row) => [cents(row['allocated_amount']), cents(row['spent_amount'])]);
    };
    const whole = await amounts('2025');
    const add = (all: number[][][]) => [all.reduce(([a = 0, s = 0], [row]) => [a + (row?.[0] ?? 0), s + (row?.[1] ?? 0)], [0, 0])];
    expect(add(await Promise.all([1, 2, 3, 4].map((n) => amounts(`2025-Q${n}`))))).toEqual(whole);
    expect(add(await Promise.all(Array.from({ length: 12 }, (_, n) => amounts(`2025-${String(n + 1).padStart(2, '0')}`))))).toEqual(whole);
  });

  test('every entry names a source that exists, and the sources are filtered', async () => {
    for (const source of ['INVOICE', 'EXPENSE_REPORT', 'PAY_RUN']) {
      const { rows } = await list(bob, 'list_spending', { source: source.toLowerCase(), limit: 5 });
      expect(rows.length).toBe(5);
      for (const row of rows) expect(row).toMatchObject({ source, source_id: expect.any(String), entry_date: expect.any(String) });
    }
    for (const [from, key] of [
      ['INVOICE', 'invoices i where i.invoice_id = l.source_id and i.amount = l.amount and i.payment_date = l.entry_date'],
      ['EXPENSE_REPORT', 'expense_reports r where r.report_id = l.source_id and r.reimbursed_at::date = l.entry_date'],
    ])
      expect(
        await testRuntime.owner(
          `select count(*)::int as n from finance.ledger l where source = '${from}' and not exists (select from finance.${key})`,
        ),
      ).toEqual([{ n: 0 }]);
    for (const input of [{ source: 'GIFT' }, { period: '2026-Q5' }, { period: '2026-13' }, { period: 'soon' }, { category: 'SALARY' }])
      expect(code(await testRuntime.call(bob, 'finance', 'list_spending', input))).toBe('VALIDATION_ERROR');
    expect(code(await testRuntime.call(bob, 'finance', 'get_budget', { department: 'HR', period: '2026', year: 2026 }))).toBe(
      'VALIDATION_ERROR',
    );
  });

  describe('a manager', () => {
    const payroll = (rows: readonly Row[]) => rows.filter(({ category }) => category === 'PAYROLL');

    test('sees the payroll of the department as one sum for each quarter that has ended, never of a month or a run', async () => {
      const entries = payroll(await ledger(nina));
      expect(entries.length).toBe(7);
      for (const { entry_date, amount, source_id, description } of entries) {
        const last = String(entry_date);
        const first = `${last.slice(0, 5)}${String(Number(last.slice(5, 7)) - 2).padStart(2, '0')}-01`;
        expect([source_id, description]).toEqual([null, `Payroll from ${first} to ${last}`]);
        const [runs] = await testRuntime.owner(
          `select sum(amount)::text as sum from finance.ledger
           where source = 'PAY_RUN' and department = 'Engineering' and entry_date between $1 and $2`,
          [first, last],
        );
        expect(cents(amount)).toBe(cents(runs?.['sum']));
      }
      for (const period of ['2026-09', '2026-08', '2026-Q4', '2026-11']) expect(payroll(await ledger(nina, { period }))).toEqual([]);
      expect(payroll(await ledger(nina, { period: '2026-Q3' })).length).toBe(1);
      expect(payroll(await ledger(nina, { period: '2026' })).length).toBe(3);
      const months = (await testRuntime.data(nina, 'finance', 'get_budget', { department: 'Engineering', period: '2026' })) as Row;
      expect(months['note']).toContain('whole quarters');
      const other = sum(await ledger(nina, { period: '2026' }), 'amount') - sum(payroll(await ledger(nina, { period: '2026' })), 'amount');
      expect(sum(months['by_month'] as Data, 'spent_amount')).toBe(other);
      for (const period of ['2026', '2026-Q3', '2026-Q4', '2026-11']) {
        const { rows } = await list(nina, 'list_budgets', { period });
        expect(sum(await ledger(nina, { period }), 'amount')).toBe(cents(rows[0]?.['spent_amount']));
      }
    });

    test('gets the sum of a quarter on the day after its end, and none of fewer than five people', async () => {
      const q4 = async () => payroll(await ledger(nina, { period: '2026-Q4' })).length;
      testRuntime.clock.set(new Date('2026-12-31T09:00:00Z'));
      expect(await q4()).toBe(0);
      testRuntime.clock.set(new Date('2027-01-01T09:00:00Z'));
      expect(await q4()).toBe(1);
      const people = (n: string) =>
        testRuntime.owner(
          `update finance.ledger set people = ${n} where source = 'PAY_RUN' and department = 'Engineering' and entry_date >= '2026-10-01'`,
        );
      await people('4');
      expect(await q4()).toBe(0);
      await people('5');
      expect(await q4()).toBe(1);
      testRuntime.clock.set(SAMPLE_DAY);
    });

    test('sees no other department, and no names of people', async () => {
      const entries = await ledger(nina);
      expect(new Set(entries.map(({ department }) => department))).toEqual(new Set(['Engineering']));
      expect(await ledger(nina, { department: 'Sales' })).toEqual([]);
      const names = (await testRuntime.owner('select name from finance.people')).map((row) => String(row['name']));
      expect(entries.filter(({ description }) => names.some((name) => String(description).includes(name)))).toEqual([]);
    });
  });

  test('two payments of one invoice at the same moment have one effect, and so have two reimbursements', async () => {
    const people = [person('tom.becker', { roles: ['employee', 'finance-write'] }), bob, eve];
    const invoice_id = await newInvoice(testRuntime, 'APPROVED');
    const report_id = await newReport(testRuntime, 'APPROVED', marcus);
    for (const [tool, input, entries] of [
      ['pay_invoice', { invoice_id }, 1],
      ['reimburse_expense_report', { report_id }, 2],
    ] as const) {
      const cards = await Promise.all(people.map((who) => testRuntime.ask(who, 'finance', tool, input)));
      const answers = await Promise.all(cards.map((card, n) => testRuntime.approve(people[n] ?? bob, card.confirmationId)));
      expect(answers.map(code).toSorted()).toEqual(['CHANGED_SINCE_APPROVAL', 'CHANGED_SINCE_APPROVAL', 'success']);
      expect(
        await testRuntime.owner('select amount::float8 as amount from finance.ledger where source_id = $1', [Object.values(input)[0]]),
      ).toHaveLength(entries);
    }
  });

  test('the database refuses an entry without its payment, with another amount or by someone else, and every change', async () => {
    const forced = async (who: string, statement: SqlText): Promise<string> => {
      const store = testRuntime.runtime.stores['finance'] as Store<'sql'>;
      try {
        await store.executeOnce(
          { domain: 'finance', audience: 'everyone', person: person(who), shows: [] },
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
    };
    const [waiting, paid] = [await newInvoice(testRuntime, 'APPROVED'), await newInvoice(testRuntime, 'APPROVED')];
    await testRuntime.owner(
      "update finance.invoices set status = 'PAID', paid_by = $2, paid_by_name = 'B', payment_date = '2026-11-16' where invoice_id = $1",
      [paid, id(bob)],
    );
    const entry = (invoice: string, amount: number, date = '2026-11-16') => sql`
      insert into finance.ledger (entry_date, department, category, amount, source, source_id, description)
      values (${date}::date, 'Engineering', 'SERVICES', ${amount}::numeric, 'INVOICE', ${invoice}::uuid, 'x') returning 1 as x`;
    const run = sql`
      insert into finance.ledger (entry_date, department, category, amount, source, source_id, description, people)
      values ('2026-11-16', 'Sales', 'PAYROLL', 5, 'PAY_RUN', gen_random_uuid(), 'x', 9) returning 1 as x`;
    const REFUSED = /^(CHANGED_SINCE_APPROVAL|INSUFFICIENT_PERMISSIONS|42501)$/;
    for (const [what, who, statement] of [
      ['an unpaid invoice', bob, entry(waiting, 1234.56)],
      ['another amount', bob, entry(paid, 1)],
      ['another day', bob, entry(paid, 1234.56, '2026-10-01')],
      ['paid by someone else', eve, entry(paid, 1234.56)],
      ['a pay run', bob, run],
      ['a changed entry', bob, sql`update finance.ledger set amount = 1 returning 1 as x`],
      ['a deleted entry', bob, sql`delete from finance.ledger returning 1 as x`],
    ] as const)
      expect([what, await forced(who, statement)]).toEqual([what, expect.stringMatching(REFUSED)]);
    expect(await forced(bob, entry(paid, 1234.56))).toBe('it was let through');
    expect(await stored(testRuntime, 'invoices', waiting)).toMatchObject({ status: 'APPROVED' });
  });
});
