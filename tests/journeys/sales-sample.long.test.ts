/** The sales sample: deterministic, with everything that sample questions need, on any day and at any size. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { spelledPlainly } from '../../src/declare/spelling.ts';
import { sales } from '../../domains/sales/domain.ts';
import { monthFrom, monthTo } from '../../domains/sales/periods.ts';
import { DEFAULT_COMPANY } from '../../src/declare/company.ts';
import { quarterAt } from '../../src/declare/fiscal.ts';
import { customer, lead, openStages, opportunity } from '../../domains/sales/schemas.ts';
import { directory } from '../../domains/sample-company/directory.ts';
import { organizations } from '../../domains/sample-company/people.ts';
import { salesSample } from '../../domains/sales/sample/index.ts';

type Row = Record<string, unknown>;
const DAYS = ['2026-11-16', '2026-01-01', '2026-03-31', '2026-09-30', '2026-12-31', '2028-02-29'] as const;
const at9 = (day: string) => new Date(`${day}T09:00:00Z`);

function rowsOf(name: string, day: string, employees = 500): Row[] {
  const collection = salesSample({ employees, today: at9(day) }).find((each) => each.name === name);
  if (!collection) throw new Error(`no collection ${name}`);
  return [...collection.documents()];
}
const cents = (value: unknown) => Math.round(Number(value) * 100);
const isOpen = (row: Row) => (openStages as readonly unknown[]).includes(row['stage']);

test('the sample is the same each time, and has exactly the collections that the domain declares', () => {
  const digest = (today: Date) => {
    const hash = createHash('sha256');
    for (const each of salesSample({ employees: 500, today })) for (const row of each.documents()) hash.update(JSON.stringify(row));
    return hash.digest('hex');
  };
  expect(digest(new Date('2026-11-16T23:59:00Z'))).toBe(digest(at9('2026-11-16')));
  expect(digest(at9('2026-11-17'))).not.toBe(digest(at9('2026-11-16')));
  const names = salesSample({ employees: 500, today: at9('2026-11-16') }).map(({ name }) => name);
  expect(names.toSorted()).toEqual(Object.keys(sales.spec.collections ?? {}).toSorted());
});

test('with a million employees the generators return their first rows within a minute, and no collection exceeds 30,000 rows', () => {
  const started = performance.now();
  for (const collection of salesSample({ employees: 1_000_000, today: at9('2026-11-16') })) {
    let n = 0;
    for (const row of collection.documents()) {
      expect(row['_id']).toBeTruthy();
      if (++n === 10) break;
    }
    expect(n).toBe(10);
    // The number of sales rows is capped, because a loader may hold all documents in memory.
    expect(collection.estimate).toBeLessThan(30_000);
  }
  expect(performance.now() - started).toBeLessThan(60_000);
});

test.each([100, 101, 150, 333, 20_001])('%i employees give more than thirty rows of each kind, with unique ids', (employees) => {
  for (const name of ['customers', 'opportunities', 'leads', 'quotas']) {
    const rows = rowsOf(name, '2026-11-16', employees);
    expect(rows.length).toBeGreaterThan(30);
    expect(new Set(rows.map((row) => row['_id'])).size).toBe(rows.length);
  }
});

test('ten times the employees give at least eight times the rows, with unique ids and customer names', () => {
  for (const name of ['customers', 'opportunities', 'leads']) {
    const [small, large] = [rowsOf(name, '2026-11-16'), rowsOf(name, '2026-11-16', 5000)];
    expect(large.length).toBeGreaterThan(small.length * 8);
    expect(new Set(large.map((row) => row['_id'])).size).toBe(large.length);
  }
  const customers = rowsOf('customers', '2026-11-16', 5000);
  expect(new Set(customers.map((row) => row['name'])).size).toBe(customers.length);
});

describe.each(DAYS)('on %s', (day) => {
  const customers = rowsOf('customers', day);
  const deals = rowsOf('opportunities', day);
  const leads = rowsOf('leads', day);
  const quotas = rowsOf('quotas', day);

  test('has a few hundred customers, deals and leads, which match the schemas of the tools', () => {
    for (const rows of [customers, deals, leads]) expect(rows.length).toSatisfy((count: number) => count >= 150 && count <= 900);
    for (const row of customers) customer.strict().parse(omit(row, 'plain_name', 'name_search'));
    for (const row of deals) opportunity.strict().parse(omit(row, 'search', 'owner_search'));
    for (const row of leads) lead.strict().parse(omit(row, 'search', 'owner_search'));
    for (const rows of [customers, deals, leads, quotas]) expect(new Set(rows.map((row) => row['_id'])).size).toBe(rows.length);
    expect(new Set(customers.map((row) => row['name'])).size).toBe(customers.length);
    expect(new Set(deals.map((row) => row['deal_name'])).size).toBe(deals.length);
  });

  test('owners of deals, leads, quotas and customers are employees of the Sales department', () => {
    const people = directory(500);
    const sellers = new Map(
      Array.from({ length: 500 }, (_, n) => people.person(n))
        .filter(({ department }) => department === 'Sales')
        .map(({ id, first, last, email }) => [id, [`${first} ${last}`, email]]),
    );
    for (const row of [...deals, ...leads, ...quotas]) {
      expect([row['owner_name'], row['owner']]).toEqual(sellers.get(String(row['owner_id'])));
      expect(row['owner_search']).toBe(spelledPlainly(String(row['owner_name'])));
    }
    for (const row of customers)
      expect(sellers.get(String(row['account_owner_id']))).toEqual([row['account_owner_name'], row['account_owner']]);
    const liams = (row: Row) => row['owner_name'] === "Liam O'Brien";
    expect(deals.filter((row) => liams(row) && isOpen(row)).length).toBeGreaterThan(4);
    expect(leads.filter(liams).length).toBeGreaterThan(4);
    for (const status of ['QUALIFIED', 'NEW']) expect(leads.some((row) => liams(row) && row['status'] === status)).toBe(true);
  });

  test('has the customers and deals that sample questions name', () => {
    const named = (name: string) => customers.filter((row) => String(row['name']).startsWith(name));
    const known = 'Acme,Globex,Initech,Umbrella Health,Stark Manufacturing,Wayne Logistics,Hooli Software,Vandelay Imports,Soylent Foods';
    for (const name of [...known.split(','), 'Wonka Confectionery']) expect([name, named(name).length]).toEqual([name, 1]);
    for (const { id, name } of Object.values(organizations)) expect(customers.find((row) => row['_id'] === id)?.['name']).toBe(name);
    const open = (name: string) => deals.filter((row) => row['customer_id'] === named(name)[0]?.['_id'] && isOpen(row)).length;
    for (const name of ['Globex', 'Initech']) expect(open(name)).toBeGreaterThan(0);
    for (const name of ['Soylent Foods', 'Wonka Confectionery']) expect(open(name)).toBe(0);
    const stages = Object.fromEntries(deals.slice(0, 8).map((row) => [row['deal_name'], row['stage']]));
    expect(stages).toEqual({
      'Acme Cloud Migration': 'NEGOTIATION',
      'Globex Analytics Rollout': 'PROPOSAL',
      'Initech Security Upgrade': 'DISCOVERY',
      'Umbrella Data Platform': 'NEGOTIATION',
      'Stark Factory Automation': 'QUALIFICATION',
      'Hooli Enterprise Renewal': 'PROPOSAL',
      'Wayne Fleet Tracking': 'PROSPECTING',
      'Vandelay Import Portal': 'CLOSED_WON',
    });
    expect(customers.filter((row) => /health/i.test(String(row['industry']))).length).toBeGreaterThan(3);
    expect(customers.filter((row) => Number(row['annual_revenue']) > 50_000_000).length).toBeGreaterThan(10);
    for (const source of ['REFERRAL', 'WEB']) expect(leads.filter((row) => row['source'] === source).length).toBeGreaterThan(10);
    expect(leads.filter((row) => Number(row['score']) > 80).length).toBeGreaterThan(10);
  });

  test('has open deals for this month, this quarter and later, quotas for the next quarter, and won deals of last year', () => {
    const closing = (from: string, to: string) =>
      deals.filter((row) => String(row['close_date']) >= from && String(row['close_date']) <= to);
    expect(closing(monthFrom(day), monthTo(day)).filter(isOpen).length).toBeGreaterThan(5);
    expect(closing(day, monthTo(day)).filter(isOpen).length).toBeGreaterThan(5);
    const { from, to } = quarterAt(day, DEFAULT_COMPANY);
    expect(
      new Set(
        closing(from, to)
          .filter(isOpen)
          .map((row) => row['stage']),
      ).size,
    ).toBeGreaterThan(2);
    const next = quotas.filter((row) => row['quarter'] === quarterAt(day, DEFAULT_COMPANY, 1).label);
    expect(next.length).toBeGreaterThan(5);
    expect(closing(to, '9999').filter(isOpen).length).toBeGreaterThan(20);
    const last = deals.filter(
      (row) => row['stage'] === 'CLOSED_WON' && String(row['close_date']) >= `${Number(day.slice(0, 4)) - 1}-01-01`,
    );
    expect(last.length).toBeGreaterThan(100);
    // Last year the team sold between half of its quota and 1.3 times its quota.
    const year = String(Number(day.slice(0, 4)) - 1);
    const sold = last.filter((row) => String(row['close_date']).startsWith(year)).reduce((all, row) => all + cents(row['value']), 0);
    const wanted = quotas.filter((row) => String(row['quarter']).startsWith(year)).reduce((all, row) => all + cents(row['amount']), 0);
    expect(sold / wanted).toSatisfy((share: number) => share > 0.5 && share < 1.3);
  });

  test('the fields of each deal agree with each other and with its customer', () => {
    const byId = new Map(customers.map((row) => [row['_id'], row]));
    for (const row of deals) {
      const of = byId.get(row['customer_id']);
      expect(of?.['name']).toBe(row['customer_name']);
      expect(cents(row['weighted_value'])).toBe(Math.round((cents(row['value']) * Number(row['probability'])) / 100));
      expect(row['probability']).toSatisfy((percent: number) => Number.isInteger(percent) && percent >= 0 && percent <= 100);
      expect(cents(row['value']) / 100).toBe(row['value']);
      expect(String(row['created_at']) <= String(row['updated_at']) && String(row['created_at']) < `${day}T09`).toBe(true);
      if (isOpen(row)) {
        expect([row['closed_at'], row['actual_value'], row['close_reason']]).toEqual([null, null, null]);
        expect(row['close_date']).toBe(row['expected_close_date']);
        expect(of?.['status']).not.toBe('CHURNED');
      } else {
        expect(String(row['closed_at']).slice(0, 10)).toBe(row['close_date']);
        expect(String(row['close_date']) <= day).toBe(true);
        expect(row['actual_value']).toBe(row['stage'] === 'CLOSED_WON' ? row['value'] : null);
        if (row['stage'] === 'CLOSED_WON') expect(of?.['status']).not.toBe('PROSPECT');
      }
    }
    expect(quotas.length).toBe(new Set(quotas.map((row) => `${row['owner_id']} ${row['quarter']}`)).size);
  });
});

function omit(row: Row, ...keys: string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key)));
}
