/** Results of the tax lists: who may call them, accepted spellings of states and days, and refusals. Sums are in tax-summary. */
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import { jsonSchema } from '../../src/derive/answers.ts';
import type { Store } from '../../src/engine/store.ts';
import * as tax from '../../domains/tax/index.ts';
import { stateCode } from '../../domains/tax/states.ts';
import { inspect } from '../../src/storage/sql/inspect.ts';
import { code, type Data, databases, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

const tools = Object.values(tax);
const tom = 'tom.becker';
const NOW = SAMPLE_DAY.toISOString();

describe.each(databases)('the tax tools on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  const ask = async (tool: string, input: object = {}) => code(await testRuntime.call(tom, 'tax', tool, input));
  const list = (tool: string, input: object = {}) => testRuntime.data(tom, 'tax', tool, input);
  /** All pages of a list in order. */
  async function pages(tool: string, input: object = {}): Promise<Data> {
    const rows: Record<string, unknown>[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const answer = (await testRuntime.call(tom, 'tax', tool, { ...input, ...(cursor && { cursor }) })) as SuccessAnswer;
      if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
      rows.push(...(answer.data as Data));
      cursor = answer.metadata?.nextCursor;
    }
    return rows as Data;
  }

  describe('access', () => {
    test('is open to tax, finance and executives, also without an employee record, and to nobody else', async () => {
      for (const { name } of tools) {
        for (const role of ['tax-read', 'tax-write', 'finance-read', 'finance-write', 'executive'])
          expect([
            name,
            role,
            code(await testRuntime.call(person('frank.davis', { roles: [role], employeeId: undefined }), 'tax', name)),
          ]).toEqual([name, role, 'success']);
        for (const role of ['employee', 'manager', 'hr-write', 'payroll-write', 'sales-write', 'support-write'])
          expect([name, role, code(await testRuntime.call(person('frank.davis', { roles: [role] }), 'tax', name))]).toEqual([
            name,
            role,
            'INSUFFICIENT_PERMISSIONS',
          ]);
        expect(code(await testRuntime.call('jane.smith@acme.example', 'tax', name))).toBe('INSUFFICIENT_PERMISSIONS');
      }
    });

    test('shows the same rows to everyone who has access', async () => {
      for (const { name } of tools) {
        const answers = await Promise.all([tom, 'bob.martinez', 'eve.thompson'].map((who) => testRuntime.data(who, 'tax', name)));
        for (const answer of answers) expect(answer).toEqual(answers[0]);
      }
    });

    test('shows no row without an identity, and lets the roles only read', async () => {
      const who = { domain: 'tax', audience: 'everyone', person: { ...person(tom), principal: '' }, shows: [] };
      const store = testRuntime.runtime.stores['tax'] as Store<'sql'> | undefined;
      for (const table of ['states', 'rates', 'estimates', 'filings', 'registrations', 'obligations', 'audit_logs']) {
        const rows = await store?.read(who, ({ sql }) =>
          sql.many(tax.listSalesTaxRates.input.partial(), sql`select 1 as n from ${sql.ref(`tax.${table}`)}`),
        );
        expect([table, rows]).toEqual([table, []]);
      }
      const client = { query: async (text: string, values?: unknown[]) => ({ rows: await testRuntime.owner(text, values) }) };
      const { holes, missing, tables } = await inspect(client as unknown as pg.ClientBase, ['tax'], migrationsOf(builtIn, ['tax']));
      expect({ holes, missing, tables }).toEqual({ holes: [], missing: [], tables: 8 });
      const granted = await testRuntime.owner(
        "select distinct privilege_type from information_schema.role_table_grants where table_schema = 'tax' and grantee like 'tax\\_%'",
      );
      expect(granted).toEqual([{ privilege_type: 'SELECT' }]);
    });
  });

  test.each(tools.flatMap((tool) => tool.examples.map((example) => [`${tool.name}: ${example.question}`, tool.name, example] as const)))(
    '%s',
    async (_title, name, { as, input, expects }) => {
      expect(code(await testRuntime.call(as, 'tax', name, input(NOW.slice(0, 10))))).toBe(expects ?? 'success');
    },
  );

  describe('sales tax rates', () => {
    test('are found by the code or the name of a state, in any spelling', async () => {
      const california = await list('list_sales_tax_rates', { state: 'CA' });
      expect(california.length).toBeGreaterThan(3);
      expect(california.every((row) => row['state'] === 'CA' && row['state_name'] === 'California')).toBe(true);
      for (const state of ['ca', 'California', 'CALIFORNIA', ' california ', 'State of California'])
        expect([state, await list('list_sales_tax_rates', { state })]).toEqual([state, california]);
      expect((await list('list_sales_tax_rates', { state: 'Washington state' }))[0]).toMatchObject({ state: 'WA' });
      expect((await list('list_sales_tax_rates', { state: 'new york' }))[0]).toMatchObject({ state: 'NY', jurisdiction: 'New York' });
      for (const state of ['CA', 'TX', 'NY', 'WA', 'FL']) {
        const [first, ...places] = await list('list_sales_tax_rates', { state });
        expect(first).toMatchObject({ state, jurisdiction_type: 'state', local_rate: 0 });
        expect([state, places.length > 0]).toEqual([state, true]);
      }
    });

    test('are refused for an unknown state, and empty for a state without rates', async () => {
      for (const state of ['Atlantis', 'XX', 'Calif', '%', 'US', 'Federal', 'Ontario']) {
        expect([state, await testRuntime.call(tom, 'tax', 'list_sales_tax_rates', { state })]).toMatchObject([
          state,
          { status: 'error', code: 'STATE_NOT_FOUND', message: 'There is no such US state.', details: { state } },
        ]);
      }
      expect(await list('list_sales_tax_rates', { state: 'Wyoming' })).toEqual([]);
      for (const state of ['', 7, null, [7], 'x'.repeat(41), 'C\u202eA'])
        expect([state, await ask('list_sales_tax_rates', { state })]).toEqual([state, 'VALIDATION_ERROR']);
    });

    test('can be asked for every state in the database: stateCode finds each of them by code and by name', async () => {
      const rows = await testRuntime.owner("select code, name from tax.states where code <> 'US'");
      expect(rows.length).toBe(51);
      for (const row of rows) expect([stateCode(String(row['code'])), stateCode(String(row['name']))]).toEqual([row['code'], row['code']]);
      expect(['Washington, D.C.', 'd.c.', 'district of columbia'].map(stateCode)).toEqual(['DC', 'DC', 'DC']);
    });

    test('are found by any part of the name of a place, which is matched literally', async () => {
      expect(await list('list_sales_tax_rates', { jurisdiction: 'sEaTTle' })).toMatchObject([{ state: 'WA', jurisdiction: 'Seattle' }]);
      const counties = await pages('list_sales_tax_rates', { jurisdiction: 'county' });
      expect(counties.length).toBeGreaterThan(5);
      expect(counties.every((row) => row['jurisdiction_type'] === 'county')).toBe(true);
      expect(await list('list_sales_tax_rates', { state: 'TX', jurisdiction: 'Seattle' })).toEqual([]);
      for (const jurisdiction of ['%', '_', '\\', "' or true --"]) expect(await list('list_sales_tax_rates', { jurisdiction })).toEqual([]);
    });

    test('are those in force on the current day, and each is the sum of its parts', async () => {
      const rows = await pages('list_sales_tax_rates');
      const denver = async () =>
        (await list('list_sales_tax_rates', { jurisdiction: 'Denver' })).map((row) => [row['combined_rate'], row['effective_from']]);
      expect(new Set(rows.map((row) => `${row['state']} ${row['jurisdiction']}`)).size).toBe(rows.length);
      for (const row of rows) expect(Number(row['combined_rate'])).toBeCloseTo(Number(row['state_rate']) + Number(row['local_rate']), 6);
      const now = await denver();
      expect(now).toEqual([[9.15, expect.any(String)]]);
      try {
        testRuntime.clock.set(new Date('2026-12-31T23:00:00Z'));
        expect(await denver()).toEqual(now);
        testRuntime.clock.set(new Date('2027-01-01T01:00:00Z'));
        expect(await denver()).toEqual([[9.25, '2027-01-01']]);
      } finally {
        testRuntime.clock.set(SAMPLE_DAY);
      }
    });

    test('are the same list with any page size', async () => {
      const all = await pages('list_sales_tax_rates');
      expect(all.length).toBeGreaterThan(50);
      for (const limit of [1, 7, 50]) expect(await pages('list_sales_tax_rates', { limit })).toEqual(all);
    });
  });

  describe('estimates, filings and registrations', () => {
    test('estimates are those of this year by default', async () => {
      const all = await list('list_quarterly_estimates');
      expect(new Set(all.map((row) => row['year']))).toEqual(new Set([2026]));
      expect(await list('list_quarterly_estimates', { year: 2026 })).toEqual(all);
      const second = await list('list_quarterly_estimates', { quarter: 2 });
      expect(second).toEqual(all.filter((row) => row['quarter'] === 2));
      expect(second.every((row) => row['due_date'] === '2026-06-15' && row['status'] === 'paid' && row['overdue'] === false)).toBe(true);
      expect(second.find((row) => row['state'] === 'US')).toMatchObject({ jurisdiction: 'Federal', remaining_amount: 0 });
      expect(new Set(all.map((row) => row['due_date']))).toEqual(new Set(['2026-04-15', '2026-06-15', '2026-09-15', '2027-01-15']));
      expect((await list('list_quarterly_estimates', { year: 2025 })).length).toBe(all.length);
      expect(await list('list_quarterly_estimates', { year: 2099 })).toEqual([]);
    });

    test('only four quarters and plausible years are accepted', async () => {
      for (const quarter of [0, 5, -1, 2.5, '2', 'Q2', null])
        expect([quarter, await ask('list_quarterly_estimates', { quarter })]).toEqual([quarter, 'VALIDATION_ERROR']);
      for (const tool of ['list_quarterly_estimates', 'list_annual_filings'])
        for (const year of [1999, 2101, 0, 2026.5, '2026', 1e21, null])
          expect([year, await ask(tool, { year })]).toEqual([year, 'VALIDATION_ERROR']);
    });

    test('returns are listed by tax year, with the number of filed, open and overdue ones', async () => {
      const answer = (await testRuntime.call(tom, 'tax', 'list_annual_filings', { year: 2025 })) as SuccessAnswer;
      const rows = answer.data as Data;
      expect(rows.every((row) => row['tax_year'] === 2025 && /^\d{4}$/.test(String(row['ein_last4'])))).toBe(true);
      const late = rows.filter((row) => row['overdue']);
      expect(late).toMatchObject([{ state: 'IL', status: 'in_preparation', filed_on: null, total_tax: null }]);
      expect(answer.metadata?.summary).toEqual({ filed: rows.length - 1, open: 1, overdue: 1 });
      expect(rows.find((row) => row['form'] === 'Form 1120')).toMatchObject({ extended_to: '2026-10-15', status: 'accepted' });
      expect(Number(rows.find((row) => row['state'] === 'MA')?.['refund_due'])).toBeGreaterThan(0);
      const years = (await list('list_annual_filings')).map((row) => Number(row['tax_year']));
      expect(years).toEqual(years.toSorted((a, b) => b - a));
      expect(new Set(years)).toEqual(new Set([2026, 2025, 2024]));
    });

    test('registrations are listed by state, and an unknown state is an error', async () => {
      const texas = await list('list_state_registrations', { state: 'texas' });
      expect(texas.map((row) => [row['tax_type'], row['status']])).toEqual([
        ['franchise', 'active'],
        ['sales_and_use', 'active'],
      ]);
      expect(await list('list_state_registrations', { state: 'Wyoming' })).toEqual([]);
      expect(await ask('list_state_registrations', { state: 'Texsa' })).toBe('STATE_NOT_FOUND');
      const all = await list('list_state_registrations');
      for (const row of all) expect(row['account_last4']).toEqual(row['status'] === 'pending' ? null : expect.stringMatching(/^\d{4}$/));
      expect(new Set(all.map((row) => row['status']))).toEqual(new Set(['pending', 'active', 'closed']));
    });
  });

  describe('the audit log', () => {
    const ids = async (input: object) => (await pages('list_audit_logs', input)).map((row) => row['log_id']);
    const october = { date_from: '2026-10-01', date_to: '2026-10-31' };

    test('accepts the same days in several forms', async () => {
      const expected = await ids(october);
      expect(expected.length).toBeGreaterThan(5);
      const ranges: unknown[] = [
        '2026-10-01..2026-10-31',
        '2026-10-01 .. 2026-10-31',
        '2026-10-01...2026-10-31',
        '2026-10-01/2026-10-31',
        '2026-10-01 to 2026-10-31',
        '2026-10',
      ];
      const objects: unknown[] = [
        { from: '2026-10-01', to: '2026-10-31' },
        { start: '2026-10-01', end: '2026-10-31' },
      ];
      for (const date_range of [...ranges, ...objects]) {
        expect([date_range, await ids({ date_range })]).toEqual([date_range, expected]);
        expect([date_range, await ids({ dateRange: date_range })]).toEqual([date_range, expected]);
      }
      expect(await ids({ dateFrom: '2026-10-01', dateTo: '2026-10-31' })).toEqual(expected);
    });

    test('accepts quarters, years, single days and open ranges', async () => {
      for (const [range, days] of [
        ['2026-Q4', { date_from: '2026-10-01', date_to: '2026-12-31' }],
        ['q2 2026', { date_from: '2026-04-01', date_to: '2026-06-30' }],
        ['2025', { date_from: '2025-01-01', date_to: '2025-12-31' }],
        ['2026-11-16', { date_from: '2026-11-16', date_to: '2026-11-16' }],
        ['2026-11-01..', { date_from: '2026-11-01' }],
        ['..2025-06-30', { date_to: '2025-06-30' }],
      ] as const) {
        const expected = await ids(days);
        expect([range, expected.length > 0]).toEqual([range, true]);
        expect([range, await ids({ date_range: range })]).toEqual([range, expected]);
      }
      expect(await ids({ date_range: { from: '2026-11-01' } })).toEqual(await ids({ date_from: '2026-11-01' }));
    });

    test('has days from midnight to midnight UTC, and loses no entry between pages', async () => {
      const times = [
        '2020-02-28T23:59:59.999999Z',
        '2020-02-29T00:00:00Z',
        '2020-02-29T12:00:00.000001Z',
        '2020-02-29T12:00:00.000002Z',
        '2020-02-29T23:59:59.999999Z',
        '2020-03-01T00:00:00Z',
      ];
      await testRuntime.owner(
        `insert into tax.audit_logs (at, action, entity_type, entity_id, user_id, user_name)
         select at, 'create', 'annual_filing', gen_random_uuid(), gen_random_uuid(), 'Old Entry' from unnest($1::timestamptz[]) at`,
        [times],
      );
      const day = await pages('list_audit_logs', { date_range: '2020-02-29', limit: 1 });
      expect(day.map((row) => row['at'])).toEqual(times.slice(1, 5).toReversed());
      await testRuntime.owner("delete from tax.audit_logs where user_name = 'Old Entry'");
    });

    test('refuses two forms at once, malformed days and reversed ranges', async () => {
      for (const input of [
        { ...october, date_range: '2026-10' },
        { date_from: '2026-10-01', dateRange: '2026-10-01..2026-10-31' },
        { date_to: '2026-10-01', date_range: { from: '2026-10-01' } },
        { date_range: '2026-10', dateRange: '2026-10' },
        { date_from: '2026-02-30' },
        { date_from: '2026-13-01' },
        { date_to: '2025-02-29' },
        { date_from: '2026-11-02', date_to: '2026-11-01' },
        ...[
          '2026-13',
          '2026-00',
          '2026-Q5',
          '2026-Q0',
          '2026-02-30',
          '2026-02-01..2026-02-30',
          '2026-13-01..2026-13-31',
          '2026-11-02..2026-11-01',
          '..',
          '',
          ' ',
          'october',
          'x',
          5,
          null,
          [],
          {},
        ].map((date_range) => ({ date_range })),
        { date_range: { from: '2026-11-02', to: '2026-11-01' } },
        { date_range: { from: '2026-02-30' } },
        { date_range: { from: '2026-01-01', end: '2026-01-31' } },
        { date_range: { since: '2026-01-01' } },
        { date_range: { from: null } },
        { date_range: ['2026-10-01', '2026-10-31'] },
        { event_type: 'explode' },
        { event_type: 'UPDATE' },
        { entity_type: 'invoice' },
      ]) {
        const answer = await testRuntime.call(tom, 'tax', 'list_audit_logs', input);
        expect([input, code(answer)]).toEqual([input, 'VALIDATION_ERROR']);
        expect(answer).toMatchObject({ message: expect.stringMatching(/^\S.{10,}$/) });
      }
    });

    test('filters by action, entity and person', async () => {
      const all = await pages('list_audit_logs');
      expect(all.length).toBe(400);
      const actions = ['create', 'update', 'delete', 'submit', 'approve', 'reject'];
      for (const action of actions) {
        const some = await pages('list_audit_logs', { event_type: action });
        expect([action, some.length > 0]).toEqual([action, true]);
        expect(some).toEqual(all.filter((row) => row['action'] === action));
      }
      expect(await pages('list_audit_logs', { entity_type: 'annual_filing' })).toEqual(
        all.filter((row) => row['entity_type'] === 'annual_filing'),
      );
      const toms = all.filter((row) => row['user_name'] === 'Tom Becker');
      for (const user of ['Tom Becker', 'becker', 'tom.becker']) expect(await pages('list_audit_logs', { user })).toEqual(toms);
      for (const user of ['%', '_', '.', 'nobody']) expect(await list('list_audit_logs', { user })).toEqual([]);
      // In the sample, the person who submits does not approve.
      expect(all.some((row) => row['user_name'] === 'Tom Becker' && ['approve', 'reject'].includes(String(row['action'])))).toBe(false);
      expect(all.some((row) => row['user_name'] === 'Bob Martinez' && row['action'] === 'approve')).toBe(true);
    });

    test('has a schema that declares the date range as text or as an object', () => {
      const { properties } = jsonSchema(tax.listAuditLogs.input, 'input') as { properties: Record<string, { anyOf?: { type: string }[] }> };
      expect(properties['date_range']?.anyOf?.map(({ type }) => type)).toEqual(['string', 'object']);
    });
  });
});
