/** The finance sample: deterministic, with the rows that sample questions need, on any day and at any size. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { departmentNames } from '../../domains/sample-company/departments.ts';
import { financeSample } from '../../domains/finance/sample/index.ts';
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

test('with a million employees, the first ten rows of each table except finance.spending are generated without the rest', () => {
  for (const table of financeSample({ employees: 1_000_000, today: dayOf('2026-11-16') }).filter(
    ({ name }) => name !== 'finance.spending',
  )) {
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
    const spending = rowsOf('spending', day);
    for (const fiscal_year of [year - 1, year]) {
      for (const department of departmentNames) {
        expect(budgets.filter((row) => row['department'] === department && row['fiscal_year'] === fiscal_year)).toMatchObject([
          { status: 'APPROVED' },
        ]);
        expect(
          spending.some((row) => row['department'] === department && row['fiscal_year'] === fiscal_year && Number(row['amount']) > 0),
        ).toBe(true);
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

  test('the paid invoices of a budget line add up to at most its spending, and the last month of revenue ends today', () => {
    const spent = new Map(
      rowsOf('spending', day).map((row) => [`${row['department']}|${row['fiscal_year']}|${row['category']}`, cents(row['amount'])]),
    );
    const paid = new Map<string, number>();
    for (const row of rowsOf('invoices', day).filter(({ status }) => status === 'PAID')) {
      const key = `${row['department']}|${String(row['payment_date']).slice(0, 4)}|${row['category']}`;
      paid.set(key, (paid.get(key) ?? 0) + cents(row['amount']));
    }
    for (const [key, amount] of paid) expect([key, amount <= (spent.get(key) ?? 0)]).toEqual([key, true]);
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
