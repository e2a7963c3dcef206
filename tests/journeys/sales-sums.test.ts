/** Forecast, pipeline and customer totals equal the sums of the rows, to the cent. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, SuccessAnswer } from '../../src/declare/answer.ts';
import type { Document } from '../../src/declare/documents.ts';
import * as sales from '../../domains/sales/index.ts';
import { openStages } from '../../domains/sales/schemas.ts';
import { code, openTestRuntime, type TestRuntime } from '../test-runtime.ts';
import { documentDatabases } from '../test-runtime-documents.ts';

const carol = 'carol.johnson';
type Row = Record<string, unknown>;
const cents = (value: unknown) => Math.round(Number(value) * 100);
const sum = (rows: readonly Row[], key: string) => rows.reduce((all, row) => all + cents(row[key]), 0);
const isOpen = (row: Row) => (openStages as readonly unknown[]).includes(row['stage']);
/** Whether the value is a number with at most two decimals. */
const isAmount = (value: unknown) => typeof value === 'number' && cents(value) / 100 === value;

describe.each(documentDatabases)('sums on %s', (_name, documents) => {
  let testRuntime: TestRuntime;
  let deals: Row[];
  let quotas: Row[];
  const stored = (collection: string) => testRuntime.documents('sales').find(collection, {}, { sort: { _id: 1 }, limit: 5000, hide: [] });
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ documents, tools: Object.values(sales) });
  }, 120_000);
  beforeEach(async () => {
    deals = (await stored('opportunities')).filter((row) => row['removed'] !== true);
    quotas = await stored('quotas');
  });
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const within = (rows: readonly Row[], from: string, to: string) =>
    rows.filter((row) => String(row['close_date']) >= from && String(row['close_date']) <= to);

  const periods = [
    ['2025-Q1', '2025-01-01', '2025-03-31'],
    ['Q3 2026', '2026-07-01', '2026-09-30'],
    ['2026-Q4', '2026-10-01', '2026-12-31'],
    ['2027-Q1', '2027-01-01', '2027-03-31'],
    ['2026', '2026-01-01', '2026-12-31'],
    ['2031-Q2', '2031-04-01', '2031-06-30'],
  ] as const;

  test.each(periods)(
    'the forecast for %s equals the sums of quotas and deals, and the reps add up to the team',
    async (asked, from, to) => {
      const forecast = await testRuntime.data(carol, 'sales', 'get_forecast', { period: asked });
      const its = within(deals, from, to);
      const inStages = (...stages: string[]) => its.filter((row) => stages.includes(String(row['stage'])));
      const label = String(forecast['period']);
      expect([forecast['start_date'], forecast['end_date']]).toEqual([from, to]);
      expect(label).toMatch(/^\d{4}(-Q[1-4])?$/);
      expect({
        quota: cents(forecast['quota']),
        commit: cents(forecast['commit']),
        best_case: cents(forecast['best_case']),
        pipeline: cents(forecast['pipeline']),
        closed: cents(forecast['closed']),
      }).toEqual({
        quota: sum(
          quotas.filter((row) => String(row['quarter']).startsWith(label)),
          'amount',
        ),
        commit: sum(inStages('NEGOTIATION'), 'value'),
        best_case: sum(inStages('NEGOTIATION', 'PROPOSAL'), 'value'),
        pipeline: sum(its.filter(isOpen), 'value'),
        closed: sum(inStages('CLOSED_WON'), 'value'),
      });
      const reps = forecast['reps'] as Row[];
      expect(forecast['rep_count']).toBe(reps.length);
      for (const key of ['quota', 'commit', 'best_case', 'pipeline', 'closed']) {
        expect([key, sum(reps, key)]).toEqual([key, cents(forecast[key])]);
        for (const row of [forecast, ...reps]) expect([key, isAmount(row[key])]).toEqual([key, true]);
      }
      for (const row of [forecast, ...reps]) {
        const share = cents(row['quota']) === 0 ? null : Math.round((cents(row['closed']) / cents(row['quota'])) * 1000) / 10;
        expect(row['attainment_percent']).toBe(share);
      }
      expect(reps.map((row) => row['closed'])).toEqual(reps.map((row) => Number(row['closed'])).toSorted((a, b) => b - a));
      if (asked === '2031-Q2') expect(reps).toEqual([]);
      else expect(reps.length).toBeGreaterThan(5);
    },
  );

  test('the forecast of a year is the sum of its quarters', async () => {
    const year = await testRuntime.data(carol, 'sales', 'get_forecast', { period: '2026' });
    const quarters = await Promise.all([1, 2, 3, 4].map((n) => testRuntime.data(carol, 'sales', 'get_forecast', { period: `2026-Q${n}` })));
    for (const key of ['quota', 'commit', 'best_case', 'pipeline', 'closed'])
      expect([key, sum(quarters, key)]).toEqual([key, cents(year[key])]);
  });

  test('one person’s forecast equals their line in the team’s forecast', async () => {
    const all = await testRuntime.data(carol, 'sales', 'get_forecast', { period: '2026-Q4' });
    for (const rep of all['reps'] as Row[]) {
      for (const owner of [rep['owner'], rep['owner_name'], rep['owner_id']]) {
        const { reps, ...own } = await testRuntime.data(carol, 'sales', 'get_forecast', { period: 'Q4 2026', owner });
        expect(reps).toEqual([rep]);
        for (const key of ['quota', 'commit', 'best_case', 'pipeline', 'closed', 'attainment_percent']) expect(own[key]).toBe(rep[key]);
      }
    }
    expect(code(await testRuntime.call(carol, 'sales', 'get_forecast', { owner: 'Nobody Here' }))).toBe('OWNER_NOT_FOUND');
    expect(code(await testRuntime.call(carol, 'sales', 'get_forecast', { owner: '%' }))).toBe('OWNER_NOT_FOUND');
    // Without a period, the forecast is for this quarter.
    expect(await testRuntime.data(carol, 'sales', 'get_forecast')).toEqual(all);
  });

  test.each(periods.filter(([asked]) => asked !== '2026'))(
    'the pipeline of %s equals the sums of the open deals in each stage',
    async (asked, from, to) => {
      const { stages, total } = (await testRuntime.data(carol, 'sales', 'get_pipeline', { quarter: asked })) as unknown as {
        stages: Row[];
        total: Row;
      };
      expect(stages.map((row) => row['stage'])).toEqual(openStages);
      for (const row of stages) {
        const its = within(deals, from, to).filter((deal) => deal['stage'] === row['stage']);
        const weighted = its.reduce((all, deal) => all + Math.round((cents(deal['value']) * Number(deal['probability'])) / 100), 0);
        expect([row['count'], cents(row['value']), cents(row['weighted_value'])]).toEqual([its.length, sum(its, 'value'), weighted]);
      }
      expect(total['count']).toBe(stages.reduce((all, row) => all + Number(row['count']), 0));
      for (const key of ['value', 'weighted_value']) {
        expect(cents(total[key])).toBe(sum(stages, key));
        for (const row of [total, ...stages]) expect(isAmount(row[key])).toBe(true);
      }
    },
  );

  test('the pipeline of this quarter is the same in get_pipeline, get_forecast and list_opportunities', async () => {
    const { total } = (await testRuntime.data(carol, 'sales', 'get_pipeline')) as unknown as { total: Row };
    const forecast = await testRuntime.data(carol, 'sales', 'get_forecast');
    const list = (await testRuntime.call(carol, 'sales', 'list_opportunities', {
      stage: 'OPEN',
      closing_from: '2026-10-01',
      closing_to: '2026-12-31',
      limit: 1,
    })) as SuccessAnswer;
    expect(total['value']).toBe(forecast['pipeline']);
    expect(list.metadata?.summary).toEqual(total);
    expect(Number(total['count'])).toBeGreaterThan(20);
  });

  test('a customer’s totals equal the sums of the deals, for every customer', async () => {
    const customers = await stored('customers');
    for (const { _id } of customers) {
      const found = await testRuntime.data(carol, 'sales', 'get_customer', { customer_id: _id });
      const own = deals.filter((row) => row['customer_id'] === _id);
      const [open, won, lost] = [
        own.filter(isOpen),
        own.filter((row) => row['stage'] === 'CLOSED_WON'),
        own.filter((row) => row['stage'] === 'CLOSED_LOST'),
      ];
      const totals = found['totals'] as Row;
      expect([totals['open_deals'], totals['won_deals'], totals['lost_deals']]).toEqual([open.length, won.length, lost.length]);
      expect([cents(totals['open_value']), cents(totals['won_value']), cents(totals['lost_value'])]).toEqual(
        [open, won, lost].map((rows) => sum(rows, 'value')),
      );
      const shown = found['open_deals'] as Row[];
      expect(shown.map((row) => String(row['_id'])).toSorted()).toEqual(open.map((row) => String(row['_id'])).toSorted());
      expect(shown.map((row) => row['value'])).toEqual(open.map((row) => Number(row['value'])).toSorted((a, b) => b - a));
    }
  }, 60_000);

  test('a list’s summary covers all pages, also of an empty list', async () => {
    const summary = async (input: object) =>
      ((await testRuntime.call(carol, 'sales', 'list_opportunities', { ...input, limit: 1 })) as SuccessAnswer).metadata?.summary as Row;
    for (const [input, which] of [
      [{}, () => true],
      [{ stage: 'CLOSED_WON' }, (row: Row) => row['stage'] === 'CLOSED_WON'],
      [{ owner: 'liam' }, (row: Row) => row['owner_name'] === "Liam O'Brien"],
    ] as const) {
      const its = deals.filter(which);
      const { count, value, weighted_value } = await summary(input);
      expect([count, cents(value), cents(weighted_value)]).toEqual([its.length, sum(its, 'value'), sum(its, 'weighted_value')]);
      expect([isAmount(value), isAmount(weighted_value)]).toEqual([true, true]);
    }
    expect(await summary({ name: 'no such thing' })).toEqual({ count: 0, value: 0, weighted_value: 0 });
  });

  test('sums lose no cents to floating-point arithmetic', async () => {
    const before = await testRuntime.data(carol, 'sales', 'get_pipeline', { quarter: '2030-Q1' });
    expect((before as unknown as { total: Row }).total).toEqual({ count: 0, value: 0, weighted_value: 0 });
    const [model] = deals.filter(isOpen);
    await testRuntime.documents('sales').transaction(async (session) => {
      for (let n = 0; n < 130; n++) {
        const value = n < 100 ? 0.1 : 333_333_333.33;
        await session.insert('opportunities', {
          ...model,
          _id: `0d700000-0000-4000-8000-${String(n).padStart(12, '0')}`,
          stage: 'PROPOSAL',
          value,
          probability: 33,
          weighted_value: Math.round(value * 33) / 100,
          close_date: '2030-02-01',
          row_version: 1,
        } as Document);
      }
    });
    const { total, stages } = (await testRuntime.data(carol, 'sales', 'get_pipeline', { quarter: '2030-Q1' })) as unknown as {
      total: Row;
      stages: Row[];
    };
    expect(total['count']).toBe(130);
    expect(total['value']).toBe(10_000_000_009.9);
    expect(stages.find((row) => row['stage'] === 'PROPOSAL')?.['value']).toBe(total['value']);
    expect(total['weighted_value']).toBe((100 * 3 + 30 * 11_000_000_000) / 100);
    const forecast = await testRuntime.data(carol, 'sales', 'get_forecast', { period: '2030-Q1' });
    expect([forecast['pipeline'], forecast['best_case'], forecast['commit']]).toEqual([total['value'], total['value'], 0]);
  });

  test('a won deal moves from the pipeline to closed, at its actual value', async () => {
    const id = '0d000000-0000-4000-8000-000000000001';
    const figures = async () => {
      const [forecast, pipeline] = [
        await testRuntime.data(carol, 'sales', 'get_forecast'),
        await testRuntime.data(carol, 'sales', 'get_pipeline'),
      ];
      const acme = await testRuntime.data(carol, 'sales', 'get_customer', { customer_id: '0a000000-0000-4000-8000-000000000001' });
      const totals = acme['totals'] as Row;
      return [
        forecast['closed'],
        forecast['pipeline'],
        forecast['commit'],
        (pipeline as unknown as { total: Row }).total['value'],
        totals['won_value'],
        totals['open_value'],
      ].map(cents);
    };
    const before = await figures();
    const done: Answer | { status: string } = await testRuntime.done(carol, 'sales', 'close_opportunity', {
      opportunity_id: id,
      outcome: 'won',
      actual_value: 185_000.01,
    });
    expect(done).toMatchObject({
      status: 'success',
      data: { value: 185_000.01, actual_value: 185_000.01, weighted_value: 185_000.01, probability: 100 },
    });
    const after = await figures();
    expect(after.map((value, which) => value - (before[which] ?? 0))).toEqual([
      18_500_001, -18_000_000, -18_000_000, -18_000_000, 18_500_001, -18_000_000,
    ]);
  });
});
