/** Results of the payroll tools: every example, pages, pay days, periods and validation errors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorAnswer } from '../../src/declare/errors.ts';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import * as payroll from '../../domains/payroll/index.ts';
import { code, type Data, databases, employeeIdOf as id, openTestRuntime, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';

const [marcus, sarah, paula] = ['marcus.johnson', 'sarah.kim', 'paula.reyes'] as const;
const TODAY = SAMPLE_DAY.toISOString().slice(0, 10);

describe.each(databases)('the payroll tools on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(payroll) });
  }, 240_000);
  afterAll(async () => {
    expect(testRuntime?.problems).toEqual([]);
    await testRuntime?.close();
  });
  const call = (who: string, tool: string, input: object = {}) => testRuntime.call(who, 'payroll', tool, input);
  const data = (who: string, tool: string, input: object = {}) => testRuntime.data(who, 'payroll', tool, input);
  const listed = async (who: string, tool: string, input: object = {}) => (await call(who, tool, input)) as SuccessAnswer;

  test.each(Object.values(payroll).flatMap((tool) => tool.examples.map((example) => [example.question, tool.name, example] as const)))(
    '“%s” is answered by %s as declared',
    async (_ask, tool, { as, input, expects = tool === 'run_payroll' ? 'pending_confirmation' : 'success' }) => {
      const answer = await call(as, tool, input(TODAY));
      expect([code(answer), answer]).toEqual([expects, expect.anything()]);
      if (answer.status === 'success' && Array.isArray(answer.data)) expect(answer.data.length).toBeGreaterThan(0);
    },
  );

  test('the metadata has the next pay day, which changes after that day', async () => {
    const { metadata, data: rows } = await listed(marcus, 'list_pay_stubs', { limit: 1 });
    expect(metadata).toMatchObject({ next_pay_date: '2026-11-30', summary: { next_pay_date: '2026-11-30' } });
    expect((rows as Data)[0]).toMatchObject({ pay_date: '2026-11-13', employee_name: 'Marcus Johnson' });
    expect((await listed(paula, 'list_pay_runs', { limit: 1 })).metadata).toMatchObject({ next_pay_date: '2026-11-30' });
    expect(await data(paula, 'get_payroll_summary')).toMatchObject({ period: '2026-11', next_pay_date: '2026-11-30' });
    for (const [now, next] of [
      ['2026-11-30', '2026-11-30'],
      ['2026-12-01', '2026-12-15'],
      ['2028-03-01', null],
    ] as const) {
      testRuntime.clock.set(new Date(`${now}T09:00:00Z`));
      expect((await listed(marcus, 'list_pay_stubs', { limit: 1 })).metadata?.['next_pay_date']).toBe(next);
    }
    testRuntime.clock.set(SAMPLE_DAY);
  });

  test('pay runs and pay stubs are listed newest first, and the pages together contain each pay stub exactly once', async () => {
    const runs = await data(paula, 'list_pay_runs', { limit: 3 });
    expect(runs.map((row) => row['pay_date'])).toEqual(['2026-11-13', '2026-10-30', '2026-10-15']);
    const whole = (await data(sarah, 'list_pay_stubs')).map((row) => row['pay_stub_id']);
    const seen: unknown[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const page = await listed(sarah, 'list_pay_stubs', { limit: 7, ...(cursor && { cursor }) });
      seen.push(...(page.data as Data).map((row) => row['pay_stub_id']));
      cursor = page.metadata?.nextCursor;
    }
    expect(seen).toEqual(whole);
    expect(new Set(seen).size).toBe(seen.length);
    expect(await data(sarah, 'get_pay_stub', { payStubId: String(whole[0]).toUpperCase() })).toMatchObject({ pay_stub_id: whole[0] });
  });

  test('periods are accepted as people write them', async () => {
    for (const [period, label, start_date, end_date] of [
      ['2026-10', '2026-10', '2026-10-01', '2026-10-31'],
      ['2024-02', '2024-02', '2024-02-01', '2024-02-29'],
      ['2026-Q4', '2026-Q4', '2026-10-01', '2026-12-31'],
      ['Q4 2026', '2026-Q4', '2026-10-01', '2026-12-31'],
      ['q1 2026', '2026-Q1', '2026-01-01', '2026-03-31'],
      ['2026', '2026', '2026-01-01', '2026-12-31'],
    ])
      expect(await data(paula, 'get_payroll_summary', { period })).toMatchObject({ period: label, start_date, end_date });
    expect(await data(paula, 'get_payroll_summary', { period: '2031' })).toMatchObject({ gross: 0, employee_count: 0, pay_runs: 0 });
    for (const [period, says] of [
      ['2026-Q5', 'There is no quarter Q5'],
      ['Q0 2026', 'There is no quarter Q0'],
      ['2026-13', 'There is no month 13'],
      ['2026-00', 'There is no month 00'],
      ...['', 'last month', '2026-1', '26', '2026-10-05', '1999', '2026Q44'].map((text) => [text, 'Give a period as'] as const),
    ] as const) {
      const answer = (await call(paula, 'get_payroll_summary', { period })) as ErrorAnswer;
      expect([period, answer.code, answer.message]).toEqual([period, 'VALIDATION_ERROR', expect.stringContaining(says)]);
    }
    for (const period of [2026, null, [], { $ne: null }, 'x'.repeat(21)])
      expect(code(await call(paula, 'get_payroll_summary', { period }))).toBe('VALIDATION_ERROR');
  });

  test('malformed ids, days and keys are validation errors', async () => {
    for (const [tool, input] of [
      ['get_pay_stub', {}],
      ['get_pay_stub', { pay_stub_id: 'abc' }],
      ['get_benefits', { employee_id: `{${id(sarah)}}` }],
      ['get_benefits', { include_ended: 'yes' }],
      ['list_pay_stubs', { pay_date_from: '2026-02-30' }],
      ['list_pay_stubs', { limit: 51 }],
      ['list_pay_runs', { run_type: 'regular' }],
      ['list_contractors', { min_rate: 100 }],
      ['get_direct_deposit', { employee_id: id(sarah), employeeId: id(sarah) }],
    ] as const)
      expect([tool, code(await call(paula, tool, input))]).toEqual([tool, 'VALIDATION_ERROR']);
  });

  test('list_contractors filters by name, department and status, and matches wildcards in a name literally', async () => {
    const names = async (input: object) => (await data(paula, 'list_contractors', input)).map((row) => row['name']);
    expect(await names({ name: 'brennan' })).toEqual(['Katya Brennan']);
    for (const name of ['%', '_', '\\']) expect(await names({ name })).toEqual([]);
    const [active, ended] = [await names({ status: 'active' }), await names({ status: 'ended' })];
    expect(new Set([...active, ...ended])).toEqual(new Set(await names({})));
    expect(active.length + ended.length).toBe(24);
    expect(ended.length).toBeGreaterThan(2);
    expect(await names({ department: 'LEGAL' })).toEqual(['Ingrid Castellano']);
  });
});
