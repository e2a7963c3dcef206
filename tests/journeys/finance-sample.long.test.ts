/** The finance sample: deterministic, with the rows that sample questions need, on any day and at any size. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { departmentNames } from '../../domains/sample-company/departments.ts';
import { financeSample } from '../../domains/finance/sample/index.ts';
import { payrollSample } from '../../domains/payroll/sample/index.ts';
import { loadSample } from '../../src/server/sample.ts';
import { persona } from '../../domains/sample-company/people.ts';
import type { Cell } from '../../src/declare/sample.ts';
import { migrate } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

type Row = Record<string, Cell>;
const DAYS = ['2026-11-16', '2026-01-01', '2026-03-31', '2026-12-31', '2028-02-29'] as const;
const dayOf = (day: string) => new Date(`${day}T09:00:00Z`);

function rowsOf(name: string, day: string, employees = 500): Row[] {
  const table = financeSample({ employees, today: dayOf(day) }).find((each) => each.name === `finance.${name}`);
  if (!table) throw new Error(`no table ${name}`);
  return Array.from(table.rows(), (row) => Object.fromEntries(table.columns.map((column, which) => [column, row[which] ?? null])));
}
const cents = (value: unknown) => Math.round(Number(value) * 100);

test('the sample is the same at any time of a day, and differs on another day', () => {
  const digest = (today: Date) => {
    const hash = createHash('sha256');
    for (const table of financeSample({ employees: 500, today })) for (const row of table.rows()) hash.update(JSON.stringify(row));
    return hash.digest('hex');
  };
  expect(digest(new Date('2026-11-16T23:59:00Z'))).toBe(digest(dayOf('2026-11-16')));
  expect(digest(dayOf('2026-11-17'))).not.toBe(digest(dayOf('2026-11-16')));
});

test('with a million employees, the first ten rows of each table are generated without the rest', () => {
  for (const table of financeSample({ employees: 1_000_000, today: dayOf('2026-11-16') })) {
    let n = 0;
    for (const row of table.rows()) {
      expect(row).toHaveLength(table.columns.length);
      if (++n === 10) break;
    }
  }
});

describe.each(DAYS)('on %s', (day) => {
  const year = Number(day.slice(0, 4));
  test('the sample has the budgets that sample questions need', () => {
    const budgets = rowsOf('budgets', day);
    const inState = (department: string, status: string) =>
      budgets.filter((row) => row['department'] === department && row['status'] === status).length;
    for (const department of ['Engineering', 'HR', 'Sales']) expect([department, inState(department, 'DRAFT')]).toEqual([department, 1]);
    for (const department of ['Legal', 'Marketing', 'Operations'])
      expect([department, inState(department, 'PENDING_APPROVAL')]).toEqual([department, 1]);
    expect(inState('Support', 'REJECTED')).toBe(1);
    const deciders = ['bob.martinez', 'eve.thompson'].map((who) => persona(who).sub);
    for (const row of budgets.filter(({ status }) => status === 'PENDING_APPROVAL')) expect(deciders).not.toContain(row['submitted_by']);
    const ledger = rowsOf('ledger', day);
    for (const fiscal_year of [year - 1, year]) {
      for (const department of departmentNames) {
        expect(budgets.filter((row) => row['department'] === department && row['fiscal_year'] === fiscal_year)).toMatchObject([
          { status: fiscal_year < year && day > `${year}-01-20` ? 'CLOSED' : 'APPROVED' },
        ]);
        expect(ledger.some((row) => row['department'] === department && String(row['entry_date']).startsWith(String(fiscal_year)))).toBe(
          true,
        );
      }
    }
  });

  test('the sample has the invoices that sample questions need', () => {
    const invoices = rowsOf('invoices', day);
    const states = (vendor: string) => invoices.filter((row) => row['vendor_name'] === vendor).map((row) => String(row['status']));
    const count = (vendor: string, status: string) => states(vendor).filter((each) => each === status).length;
    for (const vendor of ['CloudNine Hosting', 'Zenith Office Supplies', 'Metro Facilities', 'Sunrise Catering', 'Delta Travel'])
      expect([vendor, count(vendor, 'PENDING')]).toEqual([vendor, 1]);
    expect(count('PixelForge Design', 'PENDING')).toBe(2);
    for (const vendor of ['Northwind Logistics', 'BrightPath Consulting']) expect([vendor, count(vendor, 'APPROVED')]).toEqual([vendor, 1]);
    expect([count('Apex Legal Partners', 'REJECTED'), count('Apex Legal Partners', 'PENDING')]).toEqual([1, 0]);
    expect(new Set(states('Orbit Telecom'))).toEqual(new Set(['PAID']));
    expect(count('Quantum Security', 'PENDING') + count('Quantum Security', 'APPROVED')).toBeGreaterThan(0);
    const harbor = invoices.filter((row) => row['vendor_name'] === 'Harbor Insurance' && row['status'] === 'PAID');
    expect(harbor.some((row) => String(row['invoice_date']) >= `${year}-01-01` && String(row['payment_date']) <= day)).toBe(true);
    expect(invoices.some((row) => ['PENDING', 'APPROVED'].includes(String(row['status'])) && String(row['due_date']) < day)).toBe(true);
    for (const row of invoices) expect(String(row['invoice_date']) <= day && String(row['payment_date'] ?? day) <= day).toBe(true);
  });

  test('the sample has the expense reports that sample questions need', () => {
    const reports = rowsOf('expense_reports', day);
    const inState = (who: string, status: string) =>
      reports.filter((row) => row['employee_id'] === persona(who).sub && row['status'] === status);
    for (const [who, status] of [
      ['marcus.johnson', 'SUBMITTED'],
      ['sarah.kim', 'SUBMITTED'],
      ['sarah.kim', 'APPROVED'],
      ['carol.johnson', 'APPROVED'],
      ['frank.davis', 'REJECTED'],
      ['dan.williams', 'DRAFT'],
    ] as const)
      expect([who, status, inState(who, status).length]).toEqual([who, status, 1]);
    const items = rowsOf('expense_items', day);
    const months = new Map(reports.map((row) => [row['report_id'], String(row['month'])]));
    for (const row of items)
      expect(String(row['item_date']).slice(0, 7) === months.get(row['report_id'] ?? '') && String(row['item_date']) <= day).toBe(true);
    expect(new Set(items.map((row) => row['report_id'])).size).toBe(reports.length);
  });

  test('the ledger has exactly the paid invoices, the reimbursed reports and the pay runs', () => {
    const ledger = rowsOf('ledger', day);
    const of = (source: string) => ledger.filter((row) => row['source'] === source);
    const totals = (rows: readonly (readonly [key: unknown, amount: unknown])[]) => {
      const sums = new Map<string, number>();
      for (const [key, amount] of rows) sums.set(String(key), (sums.get(String(key)) ?? 0) + cents(amount));
      return sums;
    };
    const dated = (key: string, row: Row, day: unknown) => `${row[key]} ${row['department']} ${day}`;
    const paid = rowsOf('invoices', day).filter(({ status }) => status === 'PAID');
    expect(totals(of('INVOICE').map((row) => [`${dated('source_id', row, row['entry_date'])} ${row['category']}`, row['amount']]))).toEqual(
      totals(paid.map((row) => [`${dated('invoice_id', row, row['payment_date'])} ${row['category']}`, row['amount']])),
    );
    const reports = new Map(
      rowsOf('expense_reports', day)
        .filter(({ status }) => status === 'REIMBURSED')
        .map((row) => [row['report_id'], dated('report_id', row, String(row['reimbursed_at']).slice(0, 10))]),
    );
    const items = rowsOf('expense_items', day).filter((row) => reports.has(row['report_id'] ?? ''));
    expect(totals(of('EXPENSE_REPORT').map((row) => [dated('source_id', row, row['entry_date']), row['amount']]))).toEqual(
      totals(items.map((row) => [reports.get(row['report_id'] ?? ''), row['amount']])),
    );
    const stubs = (name: string) => {
      const table = payrollSample({ employees: 500, today: dayOf(day) }).find((each) => each.name === `payroll.${name}`);
      return Array.from(table?.rows() ?? [], (row) =>
        Object.fromEntries((table?.columns ?? []).map((column, n) => [column, row[n] ?? null])),
      );
    };
    expect(totals(of('PAY_RUN').map((row) => [row['source_id'], row['amount']]))).toEqual(
      totals(
        stubs('run_totals').flatMap((row) => ['gross', 'employer_taxes', 'employer_benefits'].map((key) => [row['pay_run_id'], row[key]])),
      ),
    );
    expect(new Set(ledger.map((row) => row['entry_id'])).size).toBe(ledger.length);
    for (const row of ledger) expect(String(row['entry_date']) <= day).toBe(true);
  });

  test('the months of each budget line differ by at most a cent, and the last month of revenue ends today', () => {
    const lines = new Map<string, number[]>();
    for (const row of rowsOf('budget_lines', day)) {
      const key = `${row['budget_id']} ${row['category']}`;
      lines.set(key, [...(lines.get(key) ?? []), cents(row['allocated_amount'])]);
    }
    for (const months of lines.values()) expect([months.length, Math.max(...months) - Math.min(...months) <= 1]).toEqual([12, true]);
    const months = rowsOf('arr_months', day);
    expect(months.at(-1)).toMatchObject({ month: day.slice(0, 7), as_of_date: day });
    expect(months[0]).toMatchObject({ month: `${year - 2}-01` });
  });
});

test('the database accepts every row, on the first and on the last day of a year, and loads the sample only once', async () => {
  for (const day of ['2026-01-01', '2026-12-31']) {
    const database = await openPglite();
    await migrate(database.owner, migrationsOf(builtIn, ['finance']));
    const load = () =>
      loadSample(database.owner, { registry: builtIn, domains: ['finance'], employees: 200, today: dayOf(day), onProgress: () => {} });
    expect(await load()).toBe(true);
    expect(await load()).toBe(false);
    await database.close();
  }
}, 180_000);
