/** Payroll figures add up to the cent: lines to stubs, stubs to runs and years, months to quarters and years. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import * as hr from '../../domains/hr/index.ts';
import * as payroll from '../../domains/payroll/index.ts';
import { payrollSample } from '../../domains/payroll/sample/index.ts';
import type { Cell } from '../../src/declare/sample.ts';
import { type Data, databases, employeeIdOf as id, openTestRuntime, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';

const cents = (amount: unknown): number => {
  const whole = Math.round(Number(amount) * 100);
  // Without this check, a third decimal would be rounded away and a wrong sum could match.
  if (Math.abs(whole / 100 - Number(amount)) > 1e-9) throw new Error(`${amount} has more than two decimals`);
  return whole;
};
const sumOf = (amounts: Iterable<unknown>): number => [...amounts].reduce((total: number, each) => total + cents(each), 0);
const tally = (rows: readonly Record<string, unknown>[], key: string): number => sumOf(rows.map((row) => row[key]));

describe('the sample, on any day', () => {
  type Named = Record<string, Cell>;
  const tablesOn = (today: Date) =>
    Object.fromEntries(
      payrollSample({ employees: 100, today }).map(({ name, columns, rows }) => [
        name.replace('payroll.', ''),
        [...rows()].map((row): Named => Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null]))),
      ]),
    );
  const inside = (cell: Cell | undefined) =>
    String(cell)
      .slice(1, -1)
      .split(',')
      .filter((part) => part !== '');
  const total = (row: Named, key: string) => sumOf(inside(row[key]));
  const days = fc.date({ min: new Date('2024-01-01'), max: new Date('2033-12-31'), noInvalidDate: true });

  test('stubs add up to their run, and every past pay day has a regular run', () => {
    fc.assert(
      fc.property(days, (now) => {
        const today = now.toISOString().slice(0, 10);
        const { pay_runs = [], run_totals = [], pay_stubs = [], stub_pay = [], pay_calendar = [] } = tablesOn(now);
        const runOf = new Map(pay_stubs.map((stub) => [stub['pay_stub_id'], stub['pay_run_id']]));
        expect(new Set(pay_stubs.map((stub) => stub['pay_stub_id'])).size).toBe(pay_stubs.length);
        expect(stub_pay.length).toBe(pay_stubs.length);
        const sums = new Map(
          run_totals.map((run) => [run['pay_run_id'], { gross: 0, taxes: 0, deductions: 0, employer: 0, benefits: 0, people: 0 }]),
        );
        for (const stub of stub_pay) {
          const sum = sums.get(runOf.get(stub['pay_stub_id']) ?? null);
          const [gross, taxes, deductions] = ['earning', 'tax', 'deduction'].map((kind) => {
            expect(inside(stub[`${kind}_codes`]).length).toBe(inside(stub[`${kind}_amounts`]).length);
            return total(stub, `${kind}_amounts`);
          }) as [number, number, number];
          expect(gross - taxes - deductions).toBeGreaterThan(0);
          if (!sum) throw new Error('a stub of no run');
          sum.gross += gross;
          sum.taxes += taxes;
          sum.deductions += deductions;
          sum.employer += cents(stub['employer_taxes']);
          sum.benefits += cents(stub['employer_benefits']);
          sum.people++;
        }
        for (const run of run_totals) {
          const sum = sums.get(run['pay_run_id'] ?? null);
          expect([
            cents(run['gross']),
            cents(run['total_taxes']),
            cents(run['total_deductions']),
            cents(run['net']),
            cents(run['employer_taxes']),
            cents(run['employer_benefits']),
          ]).toEqual([
            sum?.gross,
            sum?.taxes,
            sum?.deductions,
            (sum?.gross ?? 0) - (sum?.taxes ?? 0) - (sum?.deductions ?? 0),
            sum?.employer,
            sum?.benefits,
          ]);
          expect(pay_runs.find((each) => each['pay_run_id'] === run['pay_run_id'])?.['employee_count']).toBe(sum?.people);
        }
        const regular = pay_runs.filter((run) => run['run_type'] === 'REGULAR').map((run) => String(run['pay_date']));
        expect(regular).toEqual(pay_calendar.map((each) => String(each['pay_date'])).filter((date) => date <= today));
        expect(regular.length).toBeGreaterThanOrEqual(24);
        expect(pay_calendar.some((each) => String(each['pay_date']) > today)).toBe(true);
        for (const date of pay_runs.map((run) => String(run['pay_date']))) {
          expect(date <= today).toBe(true);
          expect([1, 2, 3, 4, 5]).toContain(new Date(date).getUTCDay());
        }
      }),
      { numRuns: 12 },
    );
  }, 180_000);

  test('the deductions of a stub equal the costs of the plans', () => {
    fc.assert(
      fc.property(days, (now) => {
        const today = now.toISOString().slice(0, 10);
        const { pay_runs = [], pay_stubs = [], stub_pay = [], enrolments = [], enrolment_amounts = [] } = tablesOn(now);
        const latest = pay_runs.findLast((run) => run['run_type'] === 'REGULAR');
        const costs = new Map(enrolment_amounts.map((each) => [each['enrolment_id'], cents(each['employee_amount'])]));
        const payOf = new Map(stub_pay.map((stub) => [stub['pay_stub_id'], stub]));
        for (const stub of pay_stubs.filter((each) => each['pay_run_id'] === latest?.['pay_run_id'])) {
          const plans = enrolments.filter(
            (each) =>
              each['employee_id'] === stub['employee_id'] &&
              String(each['effective_from']) <= String(latest?.['period_start']) &&
              (each['effective_to'] === null || String(each['effective_to']) >= today),
          );
          const deducted = total(payOf.get(stub['pay_stub_id'] ?? null) ?? {}, 'deduction_amounts');
          expect(deducted).toBe(plans.reduce((sum, each) => sum + (costs.get(each['enrolment_id'] ?? null) ?? 0), 0));
        }
      }),
      { numRuns: 6 },
    );
  }, 180_000);
});

describe.each(databases)('the figures on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  let stubs: Data;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: [...Object.values(hr), ...Object.values(payroll)] });
    stubs = (await testRuntime.owner(
      'select pay_stub_id, employee_id, pay_run_id, pay_date::text as pay_date from payroll.pay_stubs order by 1',
    )) as Data;
  }, 240_000);
  afterAll(async () => {
    expect(testRuntime?.problems).toEqual([]);
    await testRuntime?.close();
  });
  const paula = 'paula.reyes';
  const ask = (tool: string, input: object = {}) => testRuntime.data(paula, 'payroll', tool, input);
  async function pages(tool: string, input: object): Promise<Data> {
    const rows: Record<string, unknown>[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const answer = (await testRuntime.call(paula, 'payroll', tool, { ...input, ...(cursor && { cursor }) })) as SuccessAnswer;
      rows.push(...(answer.data as Data));
      cursor = answer.metadata?.nextCursor;
    }
    return rows as Data;
  }

  test('every regular run pays all employees who were hired by the end of its period', async () => {
    expect(stubs.length).toBeGreaterThan(20_000);
    expect(
      await testRuntime.owner(`select r.pay_date from payroll.pay_runs r where r.run_type = 'REGULAR'
        and r.employee_count <> (select count(*) from hr.employees e where e.hire_date <= r.period_end)`),
    ).toEqual([]);
  });

  test('the lines of any stub add up to its totals, and the stubs of the year so far to its year-to-date amounts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(stubs.length - 1), async (which) => {
        const { pay_stub_id, employee_id, pay_date } = stubs[which] as Record<string, string>;
        const stub = await ask('get_pay_stub', { pay_stub_id });
        const lines = (key: string) => tally(stub[key] as unknown as Data, 'amount');
        expect([lines('earnings'), lines('taxes'), lines('deductions')]).toEqual(
          [stub['gross'], stub['total_taxes'], stub['total_deductions']].map(cents),
        );
        expect(lines('earnings') - lines('taxes') - lines('deductions')).toBe(cents(stub['net']));
        const year = await pages('list_pay_stubs', { employee_id, pay_date_from: `${pay_date?.slice(0, 4)}-01-01`, pay_date_to: pay_date });
        expect(year[0]).toMatchObject({ pay_date, employee_id });
        const { gross, taxes, deductions, net } = stub['ytd'] as Record<string, number>;
        expect([gross, taxes, deductions, net].map(cents)).toEqual(
          ['gross', 'total_taxes', 'total_deductions', 'net'].map((key) => tally(year, key)),
        );
      }),
      { numRuns: 40 },
    );
  }, 120_000);

  test('every run is the sum of its stubs', async () => {
    expect(
      await testRuntime.owner(`select r.pay_run_id from payroll.run_totals r join payroll.pay_runs using (pay_run_id) join (
          select pay_run_id, count(*) as people, sum(gross) as gross, sum(total_taxes) as taxes, sum(total_deductions) as deductions,
          sum(net) as net,
            sum(employer_taxes) as employer_taxes, sum(employer_benefits) as employer_benefits
          from payroll.stub_pay p join payroll.pay_stubs s using (pay_stub_id) group by 1) s using (pay_run_id)
        where (r.gross, r.total_taxes, r.total_deductions, r.net, r.employer_taxes, r.employer_benefits, employee_count)
          <> (s.gross, s.taxes, s.deductions, s.net, s.employer_taxes, s.employer_benefits, s.people)`),
    ).toEqual([]);
    const [bonus] = await ask('list_pay_runs', { run_type: 'BONUS' });
    const own = await pages('list_pay_stubs', { pay_run_id: bonus?.['pay_run_id'] });
    expect(own.length).toBe(bonus?.['employee_count']);
    for (const key of ['gross', 'total_taxes', 'total_deductions', 'net']) expect(tally(own, key)).toBe(cents(bonus?.[key]));
  });

  test('a stub that does not add up cannot be written', async () => {
    const { pay_stub_id } = stubs[0] as Record<string, string>;
    const write = (text: string) => testRuntime.owner(`update payroll.stub_pay set ${text} where pay_stub_id = $1`, [pay_stub_id]);
    for (const total of ['gross', 'total_taxes', 'total_deductions', 'net']) await expect(write(`${total} = 1`)).rejects.toThrow();
    await expect(write("earning_codes = earning_codes || 'BONUS'")).rejects.toThrow();
    await expect(testRuntime.owner('update payroll.run_totals set net = net + 0.01')).rejects.toThrow();
  });

  test('months and runs add up to quarters and years, and months to the year to date', async () => {
    const keys = ['gross', 'net', 'taxes', 'deductions', 'employer_taxes', 'employer_benefits'] as const;
    const figures = (row: Record<string, unknown>) => keys.map((key) => cents(row[key]));
    const plus = (rows: readonly number[][]) => keys.map((_, at) => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0));
    for (const year of [2025, 2026]) {
      const months: number[][] = [];
      for (let month = 1; month <= 12; month++) {
        const summary = await ask('get_payroll_summary', { period: `${year}-${String(month).padStart(2, '0')}` });
        expect(cents(summary['gross']) - cents(summary['taxes']) - cents(summary['deductions'])).toBe(cents(summary['net']));
        months.push(figures(summary));
        expect(figures(summary['ytd'] as Record<string, unknown>)).toEqual(plus(months));
      }
      const quarters = await Promise.all([1, 2, 3, 4].map((quarter) => ask('get_payroll_summary', { period: `${year}-Q${quarter}` })));
      for (const [at, quarter] of quarters.entries()) expect(figures(quarter)).toEqual(plus(months.slice(at * 3, at * 3 + 3)));
      const whole = await ask('get_payroll_summary', { period: String(year) });
      expect(figures(whole)).toEqual(plus(months));
      expect(figures(whole['ytd'] as Record<string, unknown>)).toEqual(plus(months));
      const runs = await pages('list_pay_runs', { pay_date_from: `${year}-01-01`, pay_date_to: `${year}-12-31` });
      expect(whole['pay_runs']).toBe(runs.length);
      expect([tally(runs, 'gross'), tally(runs, 'net'), tally(runs, 'total_taxes'), tally(runs, 'total_deductions')]).toEqual(
        figures(whole).slice(0, 4),
      );
      expect(whole['employee_count']).toBe(500);
    }
  }, 120_000);

  test('names, tax numbers and pay agree with the hr data, including the salary history', async () => {
    expect(
      await testRuntime.owner(`select e.employee_id from hr.employees e join hr.identity i using (employee_id)
        full join payroll.employees p using (employee_id)
        where (p.employee_name, p.department, p.tax_number_last4) is distinct
        from (e.first_name || ' ' || e.last_name, e.department, right(i.ssn, 4))`),
    ).toEqual([]);
    const paid = `select s.employee_id, r.period_start, p.earning_amounts[1] as paid from payroll.stub_pay p
      join payroll.pay_stubs s using (pay_stub_id) join payroll.pay_runs r using (pay_run_id) where r.run_type = 'REGULAR'`;
    const earned = `select e.employee_id, e.hire_date, coalesce(
        (select h.old_salary from hr.salary_history h where h.employee_id = e.employee_id
        and h.effective_date > r.period_start), y.salary) as salary, r.period_start
      from hr.employees e join hr.pay y using (employee_id) cross join (select period_start from payroll.pay_runs
      where run_type = 'REGULAR') r`;
    expect(
      await testRuntime.owner(`select count(*)::int as wrong from (${paid}) p join (${earned}) e using (employee_id, period_start)
        where e.hire_date <= e.period_start and p.paid <> round(e.salary / 24, 2)`),
    ).toEqual([{ wrong: 0 }]);
    const [raised] = await testRuntime.owner('select count(*)::int as n from hr.salary_history where effective_date > $1', ['2025-01-01']);
    expect(Number(raised?.['n'])).toBeGreaterThan(50);
  });

  test('the withholdings of the year equal the tax lines of the stubs', async () => {
    const year = SAMPLE_DAY.toISOString().slice(0, 4);
    for (const who of ['marcus.johnson', 'carol.johnson', 'alice.chen', 'tom.becker']) {
      const taxes = (await testRuntime.data(who, 'payroll', 'get_tax_withholdings')) as Record<string, unknown>;
      const sum = async (code: string) =>
        (
          await testRuntime.owner(
            `select coalesce(sum(amount), 0)::float8 as paid from payroll.tax_lines where employee_id = $1 and code = $2
              and pay_date >= $3`,
            [id(who), code, `${year}-01-01`],
          )
        )[0]?.['paid'];
      const { federal, state, local } = taxes as Record<string, Record<string, unknown> | null>;
      expect(federal?.['withheld_year_to_date']).toBe((await sum('FEDERAL')) || (await sum('INCOME_TAX')));
      expect(state?.['withheld_year_to_date'] ?? 0).toBe(await sum('STATE'));
      expect(local?.['withheld_year_to_date'] ?? 0).toBe(await sum('LOCAL'));
    }
  });

  test('the amount paid to a contractor this year equals the sum of the payments', async () => {
    const rows = await pages('list_contractors', {});
    expect(rows.length).toBe(24);
    const paid = await testRuntime.owner(
      `select c.contractor_id, coalesce(sum(a.amount) filter (where p.paid_on >= '2026-01-01'), 0)::float8 as paid
        from payroll.contractors c
       left join payroll.contractor_payments p using (contractor_id) left join payroll.contractor_amounts a using (payment_id) group by 1`,
    );
    for (const { contractor_id, paid: sum } of paid)
      expect(rows.find((row) => row['contractor_id'] === contractor_id)?.['paid_year_to_date']).toBe(sum);
    const [first, second] = await Promise.all(['2026-Q1', '2025'].map((period) => ask('get_payroll_summary', { period })));
    expect(first?.['contractor_count']).toBeGreaterThan(10);
    expect(cents(second?.['contractor_payments'])).toBeGreaterThan(0);
  });
});
