/** The tax summary equals the sums of the rows, on any day and for any period. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import * as tax from '../../domains/tax/index.ts';
import { code, type Data, databases, openTestRuntime, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';

interface Estimate {
  readonly year: number;
  readonly quarter: number;
  readonly state: string;
  readonly due_date: string;
  readonly extended_to: string | null;
  readonly cents: number;
  readonly paid: number;
}
interface Filing {
  readonly year: number;
  readonly state: string;
  readonly due_date: string;
  readonly extended_to: string | null;
  readonly filed: boolean;
  readonly total: number;
  readonly prepaid: number;
  readonly paid: number;
}
const STATES = ['US', 'CA', 'NY', 'TX'];
const shifted = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
const dueOf = (year: number, quarter: number) =>
  [`${year}-04-15`, `${year}-06-15`, `${year}-09-15`, `${year + 1}-01-15`][quarter - 1] ?? '';

const cents = fc.integer({ min: 1, max: 999_999_999_99 });
const part = fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
const extension = fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined });
const extended = (due: string, days: number | undefined) => (days === undefined ? null : shifted(due, days));

const estimates = fc.uniqueArray(
  fc
    .record({
      year: fc.integer({ min: 2025, max: 2026 }),
      quarter: fc.integer({ min: 1, max: 4 }),
      state: fc.constantFrom(...STATES),
      cents,
      part,
      days: extension,
    })
    .map(({ days, part: share, ...each }): Estimate => {
      const due_date = dueOf(each.year, each.quarter);
      return { ...each, due_date, extended_to: extended(due_date, days), paid: Math.floor(each.cents * share) };
    }),
  { maxLength: 24, selector: ({ year, quarter, state }) => `${year}${quarter}${state}` },
);
const filings = fc.uniqueArray(
  fc
    .record({
      year: fc.integer({ min: 2024, max: 2026 }),
      state: fc.constantFrom(...STATES),
      total: cents,
      prepaid: cents,
      part,
      filed: fc.boolean(),
      days: extension,
    })
    .map(({ days, part: share, ...each }): Filing => {
      const due_date = `${each.year + 1}-04-15`;
      const paid = each.filed ? Math.floor(Math.max(0, each.total - each.prepaid) * share) : 0;
      return { ...each, due_date, extended_to: extended(due_date, days), paid };
    }),
  { maxLength: 10, selector: ({ year, state }) => `${year}${state}` },
);

interface Item {
  readonly year: number;
  readonly quarter: number | undefined;
  readonly state: string;
  readonly due: string;
  readonly deadline: string;
  readonly settled: boolean;
  readonly owed: bigint;
  readonly paid: bigint;
}
const itemsOf = (some: readonly Estimate[], returns: readonly Filing[]): Item[] => [
  ...some.map(({ year, quarter, state, due_date, extended_to, cents: owed, paid }) => ({
    year,
    quarter,
    state,
    due: due_date,
    deadline: extended_to ?? due_date,
    settled: paid === owed,
    owed: BigInt(owed),
    paid: BigInt(paid),
  })),
  ...returns.map(({ year, state, due_date, extended_to, filed, total, prepaid, paid }) => {
    const owed = filed ? Math.max(0, total - prepaid) : 0;
    return {
      year,
      quarter: undefined,
      state,
      due: due_date,
      deadline: extended_to ?? due_date,
      settled: filed && paid === owed,
      owed: BigInt(owed),
      paid: BigInt(paid),
    };
  }),
];
const sum = (items: readonly Item[], value: (item: Item) => bigint) => Number(items.reduce((all, item) => all + value(item), 0n)) / 100;

/** Computes the summary without the product's code, in whole cents. */
function expected(items: readonly Item[], today: string, year: number, quarter: number | undefined) {
  const own = items.filter((item) => item.year === year && (quarter === undefined || item.quarter === quarter));
  const earlier = items.filter(
    (item) => item.year < year || (item.year === year && (quarter === undefined || (item.quarter ?? 5) <= quarter)),
  );
  const late = earlier.filter(({ settled, deadline }) => !settled && deadline < today);
  const due = own.filter((item) => item.due <= today);
  const [dueCents, paidCents] = [(item: Item) => item.owed, (item: Item) => item.paid].map((value) =>
    due.reduce((all, item) => all + value(item), 0n),
  );
  return {
    liability: sum(own, ({ owed }) => owed),
    paid: sum(own, ({ paid }) => paid),
    remaining: sum(own, ({ owed, paid }) => owed - paid),
    due_to_date: Number(dueCents) / 100,
    paid_of_due: Number(paidCents) / 100,
    overdue_count: late.length,
    overdue_amount: sum(late, ({ owed, paid }) => owed - paid),
    compliance: late.length > 0 ? 'non_compliant' : (paidCents ?? 0n) * 10n < (dueCents ?? 0n) * 8n ? 'at_risk' : 'compliant',
    states: new Set(own.map(({ state }) => state)),
    deadlines: items
      .filter(({ settled, deadline }) => !settled && deadline >= today)
      .map(({ deadline }) => deadline)
      .toSorted(),
  };
}

describe.each(databases)('the tax summary on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(tax) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const summary = async (input: object = {}) => testRuntime.data('tom.becker', 'tax', 'get_tax_summary', input);
  const on = (day: string) => testRuntime.clock.set(new Date(`${day}T15:00:00Z`));
  async function replace(some: readonly Estimate[], returns: readonly Filing[]): Promise<void> {
    await testRuntime.owner('truncate tax.quarterly_estimates, tax.annual_filings');
    await testRuntime.owner(
      `insert into tax.quarterly_estimates (year, quarter, state, due_date, extended_to, estimated_amount, paid_amount, last_paid_on)
       select year, quarter, state, due_date, extended_to, cents / 100, paid / 100, case when paid > 0 then due_date end
       from json_to_recordset($1::json) as e (year int, quarter int, state text, due_date date, extended_to date, cents numeric,
       paid numeric)`,
      [JSON.stringify(some)],
    );
    await testRuntime.owner(
      `insert into tax.annual_filings (tax_year, state, form, title, due_date, extended_to, status, filed_on, total_tax, prepaid,
        balance_paid, ein_last4, prepared_by)
       select year, state, 'Form', 'Return', due_date, extended_to, case when filed then 'filed' else 'not_started' end,
       case when filed then due_date - 1 end,
         case when filed then total / 100 end, prepaid / 100, paid / 100, '0123', 'Tom Becker'
       from json_to_recordset($1::json) as f (year int, state text, due_date date, extended_to date, filed boolean, total numeric,
       prepaid numeric, paid numeric)`,
      [JSON.stringify(returns)],
    );
  }

  describe('over the sample', () => {
    test('totals of a year, a quarter and each state add up', async () => {
      for (const year of [2025, 2026]) {
        const whole = await summary({ period: String(year) });
        const parts = await Promise.all([1, 2, 3, 4].map((quarter) => summary({ period: `${year}-Q${quarter}` })));
        const returns = await testRuntime.data('tom.becker', 'tax', 'list_annual_filings', { year });
        const whole_cents = (value: unknown) => Math.round(Number(value) * 100);
        const total = (rows: readonly Record<string, unknown>[], field: string) =>
          rows.reduce((all, row) => all + whole_cents(row[field]), 0);
        for (const [field, balance] of [
          ['liability', 'balance_due'],
          ['paid', 'balance_paid'],
        ] as const) {
          expect(total(parts, field) + total(returns, balance)).toBe(whole_cents(whole[field]));
        }
        for (const each of [whole, ...parts]) {
          expect(whole_cents(each['liability']) - whole_cents(each['paid'])).toBe(whole_cents(each['remaining']));
          for (const field of ['liability', 'paid', 'remaining'])
            expect(total(each['by_state'] as Data, field)).toBe(whole_cents(each[field]));
          expect(Number(each['liability'])).toBeGreaterThan(0);
        }
        for (const quarter of [1, 2, 3, 4]) {
          const { metadata } = (await testRuntime.call('tom.becker', 'tax', 'list_quarterly_estimates', {
            year,
            quarter,
          })) as SuccessAnswer;
          const { liability, paid, remaining } = parts[quarter - 1] as Data;
          expect(metadata?.summary).toMatchObject({ estimated: liability, paid, remaining });
        }
      }
    });

    test('the prepaid amount of a return equals the paid estimates of its year', async () => {
      const rows = await testRuntime.owner(
        `select f.filing_id from tax.annual_filings f join (select year, state, sum(paid_amount) as paid from tax.quarterly_estimates
          group by year, state) e
         on e.year = f.tax_year and e.state = f.state and f.form <> 'Form 940' where f.prepaid <> e.paid`,
      );
      expect(rows).toEqual([]);
    });

    test('is for this fiscal year by default, and a period can be spelled in several ways', async () => {
      const year = await summary();
      expect(year).toMatchObject({ period: '2026', as_of: '2026-11-16', compliance: 'non_compliant' });
      for (const period of ['2026', ' 2026 ', 'FY2026', 'fy 2026']) expect(await summary({ period })).toEqual(year);
      const quarter = await summary({ period: '2026-Q4' });
      expect(quarter).toMatchObject({ period: '2026-Q4' });
      for (const period of ['Q4 2026', 'q4 2026', '2026 q4', '2026Q4', 'Q4-2026', 'Q4/2026'])
        expect([period, await summary({ period })]).toEqual([period, quarter]);
    });

    test('refuses a malformed period, and a period without records with PERIOD_NOT_FOUND', async () => {
      for (const period of [
        '2026-Q5',
        'Q0 2026',
        '2026-Q',
        '2026-13',
        '2026-10',
        '26',
        '1999',
        '2026-02-30',
        'this year',
        '',
        ' ',
        'Q4',
        '2026-Q44',
        2026,
        null,
        {},
        "' or true --",
        'x'.repeat(21),
      ]) {
        const answer = await testRuntime.call('tom.becker', 'tax', 'get_tax_summary', { period });
        expect([period, code(answer)]).toEqual([period, 'VALIDATION_ERROR']);
      }
      expect(await testRuntime.call('tom.becker', 'tax', 'get_tax_summary', { period: '2026-Q5' })).toMatchObject({
        message: expect.stringContaining('2026-Q4'),
      });
      expect(await testRuntime.call('tom.becker', 'tax', 'get_tax_summary', { period: 'Q1 2031' })).toMatchObject({
        code: 'PERIOD_NOT_FOUND',
        details: { period: '2031-Q1', years: [2024, 2025, 2026] },
      });
    });

    test('counts deadlines and overdue days from the current day', async () => {
      const next = async (day: string) => {
        on(day);
        const { deadlines, overdue } = (await summary()) as unknown as Record<'deadlines' | 'overdue', Record<string, unknown>[]>;
        return { first: deadlines[0], late: overdue.filter((each) => each['title'] === 'Q4 2026 estimated payment') };
      };
      expect((await next('2026-11-16')).first).toMatchObject({
        state: 'FL',
        title: 'Q3 2026 estimated payment',
        due_date: '2026-11-29',
        days_left: 13,
      });
      expect((await next('2026-12-16')).first).toMatchObject({
        state: 'US',
        title: 'Q4 2026 estimated payment',
        due_date: '2027-01-15',
        days_left: 30,
      });
      // In the new year, the next deadline still belongs to the previous tax year.
      expect(await next('2027-01-15')).toMatchObject({ first: { due_date: '2027-01-15', days_left: 0 }, late: [] });
      const { first, late } = await next('2027-01-16');
      expect(first).toMatchObject({
        kind: 'annual_return',
        title: 'Form 940 for 2026',
        due_date: '2027-01-31',
        days_left: 15,
        amount: null,
      });
      expect(late.length).toBeGreaterThan(5);
      expect(late[0]).toMatchObject({ state: 'US', due_date: '2027-01-15', days_overdue: 1 });
      expect(await summary()).toMatchObject({ period: '2027', liability: 0, by_state: [], compliance: 'non_compliant' });
      on('2026-11-16');
      const { recent_filings } = (await summary()) as unknown as { recent_filings: { filed_on: string }[] };
      expect(recent_filings.length).toBe(5);
      expect(recent_filings.map(({ filed_on }) => filed_on)).toEqual(
        recent_filings
          .map(({ filed_on }) => filed_on)
          .toSorted()
          .toReversed(),
      );
      expect(recent_filings.every(({ filed_on }) => filed_on <= '2026-11-16')).toBe(true);
      testRuntime.clock.set(SAMPLE_DAY);
    });

    test('has the same overdue obligations as the lists', async () => {
      const { overdue } = (await summary()) as unknown as { overdue: { id: string }[] };
      const lists = await Promise.all([
        testRuntime.data('tom.becker', 'tax', 'list_quarterly_estimates', { year: 2025 }),
        testRuntime.data('tom.becker', 'tax', 'list_quarterly_estimates', { year: 2026 }),
        testRuntime.data('tom.becker', 'tax', 'list_annual_filings'),
      ]);
      const late = lists.flat().filter((row) => row['overdue']);
      expect(overdue.map(({ id }) => id).toSorted()).toEqual(late.map((row) => String(row['estimate_id'] ?? row['filing_id'])).toSorted());
      expect(late.length).toBe(2);
    });
  });

  describe('over other rows', () => {
    const one = (change: Partial<Estimate>): Estimate => ({
      year: 2026,
      quarter: 3,
      state: 'US',
      due_date: '2026-09-15',
      extended_to: null,
      cents: 100_00,
      paid: 0,
      ...change,
    });
    test.each<[string, string, readonly Estimate[]]>([
      ['compliant', 'everything that was due is paid', [one({ paid: 100_00 }), one({ quarter: 4, due_date: '2027-01-15' })]],
      ['compliant', 'nothing was due', [one({ quarter: 4, due_date: '2027-01-15' })]],
      ['compliant', 'due later by an extension, and 80 % is paid', [one({ extended_to: '2026-12-01', paid: 80_00 })]],
      ['at_risk', 'due later by an extension, and a cent less than 80 % is paid', [one({ extended_to: '2026-12-01', paid: 79_99 })]],
      ['at_risk', 'due today', [one({ due_date: '2026-11-16' })]],
      ['compliant', 'due tomorrow', [one({ due_date: '2026-11-17' })]],
      ['non_compliant', 'a cent is missing since yesterday', [one({ due_date: '2026-11-15', paid: 99_99 })]],
      ['non_compliant', 'the extension has passed', [one({ extended_to: '2026-11-15', paid: 99_99 })]],
      ['non_compliant', 'something of an earlier period is overdue', [one({ year: 2025, due_date: '2025-09-15' }), one({ paid: 100_00 })]],
      ['compliant', 'something of a later period is overdue', [one({ paid: 100_00 }), one({ year: 2027, due_date: '2026-11-01' })]],
    ])('is %s if: %s', async (compliance, _why, rows) => {
      await replace(rows, []);
      expect(await summary({ period: '2026' })).toMatchObject({ compliance });
    });

    test('lists a return as overdue if its deadline has passed and it is not filed or not fully paid', async () => {
      const filed: Filing = {
        year: 2025,
        state: 'CA',
        due_date: '2026-04-15',
        extended_to: null,
        filed: true,
        total: 500_00,
        prepaid: 400_00,
        paid: 100_00,
      };
      const position = async (change: Partial<Filing>) => {
        await replace([one({ paid: 100_00 })], [{ ...filed, ...change }]);
        const { compliance, overdue } = (await summary()) as unknown as { compliance: string; overdue: { amount: number | null }[] };
        return [compliance, overdue.map(({ amount }) => amount)];
      };
      expect(await position({})).toEqual(['compliant', []]);
      expect(await position({ paid: 40_00 })).toEqual(['non_compliant', [60]]);
      expect(await position({ filed: false, paid: 0 })).toEqual(['non_compliant', [null]]);
      expect(await position({ filed: false, paid: 0, extended_to: '2026-12-15' })).toEqual(['compliant', []]);
      expect(await position({ prepaid: 600_00, paid: 0 })).toEqual(['compliant', []]);
    });

    test('equals an independent sum in whole cents for random rows', { timeout: 240_000 }, async () => {
      const moments = fc.record({
        today: fc.integer({ min: 0, max: 900 }).map((days) => shifted('2025-01-01', days)),
        year: fc.integer({ min: 2024, max: 2027 }),
        quarter: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      });
      await fc.assert(
        fc.asyncProperty(estimates, filings, fc.array(moments, { minLength: 3, maxLength: 6 }), async (some, returns, asked) => {
          await replace(some, returns);
          const items = itemsOf(some, returns);
          for (const { today, year, quarter } of asked) {
            on(today);
            const period = quarter === undefined ? String(year) : `Q${quarter} ${year}`;
            const answer = await testRuntime.call('bob.martinez', 'tax', 'get_tax_summary', { period });
            const { states, deadlines, ...figures } = expected(items, today, year, quarter);
            if (states.size === 0) {
              expect(code(answer)).toBe('PERIOD_NOT_FOUND');
              continue;
            }
            const data = (answer as SuccessAnswer).data as Record<string, Data>;
            expect(data).toMatchObject(figures);
            expect(new Set(data['by_state']?.map((row) => row['state']))).toEqual(states);
            expect(data['deadlines']?.map((row) => row['due_date'])).toEqual(deadlines.slice(0, 12));
            expect(data['overdue']?.length).toBe(Math.min(12, figures.overdue_count));
            const { metadata } = (await testRuntime.call('bob.martinez', 'tax', 'list_quarterly_estimates', {
              year,
              ...(quarter && { quarter }),
            })) as SuccessAnswer;
            const own = items.filter(
              (item) => item.year === year && item.quarter !== undefined && (quarter === undefined || item.quarter === quarter),
            );
            expect(metadata?.summary).toEqual({
              estimated: sum(own, ({ owed }) => owed),
              paid: sum(own, ({ paid }) => paid),
              remaining: sum(own, ({ owed, paid }) => owed - paid),
              overdue: sum(
                own.filter(({ settled, deadline }) => !settled && deadline < today),
                ({ owed, paid }) => owed - paid,
              ),
            });
          }
        }),
        { numRuns: 25 },
      );
      testRuntime.clock.set(SAMPLE_DAY);
    });
  });
});
