/** Who sees whose payroll, and which amounts and digits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/declare/answer.ts';
import { HIDDEN } from '../../src/declare/fields.ts';
import type { Person } from '../../src/declare/people.ts';
import * as payroll from '../../domains/payroll/index.ts';
import { type Data, code, databases, employeeIdOf as id, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const [eve, alice, bob, nina, marcus, sarah, paula, tom] = [
  'eve.thompson',
  'alice.chen',
  'bob.martinez',
  'nina.patel',
  'marcus.johnson',
  'sarah.kim',
  'paula.reyes',
  'tom.becker',
] as const;
/** A person who sees all rows, but only their own pay. */
const reader = person(alice, { roles: ['employee', 'hr-read'] });
const NOBODY = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const stubOf = (who: string) => id(who).replace(/^0e/, '05');

/** Calls whose answers contain amounts of Sarah or of everyone. */
const ABOUT: readonly (readonly [string, object])[] = [
  ['list_pay_runs', {}],
  ['list_pay_runs', { run_type: 'OFF_CYCLE' }],
  ['list_pay_stubs', { employee_id: id(sarah) }],
  ['list_pay_stubs', { pay_date_from: '2026-11-01' }],
  ['get_pay_stub', { pay_stub_id: stubOf(sarah) }],
  ['list_contractors', {}],
  ['get_tax_withholdings', { employee_id: id(sarah) }],
  ['get_benefits', { employee_id: id(sarah), include_ended: true }],
  ['get_direct_deposit', { employee_id: id(sarah) }],
  ['get_payroll_summary', { period: '2026-10' }],
  ['get_payroll_summary', { period: '2025' }],
];
const AMOUNTS =
  /^(gross|net|taxes|deductions|earnings|total_\w+|employer_\w+|employee_amount|amount|ytd|rate|paid_year_to_date|extra_amount|last_withheld|withheld_year_to_date|value|contractor_payments)$/;

type Found = [key: string, value: unknown][];
/** Every amount in an answer, at any depth. */
function amountsIn(value: unknown): Found {
  if (Array.isArray(value)) return value.flatMap(amountsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]): Found => {
    const deeper = amountsIn(each);
    return AMOUNTS.test(key) && deeper.length === 0 ? [[key, each]] : deeper;
  });
}
const dataOf = (answer: Answer) => (answer.status === 'success' ? answer.data : undefined);

describe.each(databases)('access to payroll on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(payroll) });
  }, 240_000);
  afterAll(async () => {
    expect(testRuntime?.problems).toEqual([]);
    await testRuntime?.close();
  });
  type Who = Person | string;
  const call = (who: Who, tool: string, input: object = {}) => testRuntime.call(who, 'payroll', tool, input);
  const data = (who: Who, tool: string, input: object = {}) => testRuntime.data(who, 'payroll', tool, input);

  test('payroll, HR and executives see everyone, and other employees only themselves', async () => {
    const everyone: Who[] = [paula, alice, eve, reader, person(tom, { roles: ['payroll-read'] }), person(tom, { roles: ['executive'] })];
    for (const who of everyone) {
      expect(new Set((await data(who, 'list_pay_stubs')).map((row) => row['employee_id'])).size).toBe(50);
      for (const [tool, input] of ABOUT) expect([tool, code(await call(who, tool, input))]).toEqual([tool, 'success']);
    }
    for (const who of [nina, bob, tom, marcus, 'dan.williams', 'carol.johnson', 'frank.davis']) {
      const own = await data(who, 'list_pay_stubs');
      expect(own.length).toBeGreaterThan(20);
      expect(own.every((row) => row['employee_id'] === id(who) && typeof row['net'] === 'number')).toBe(true);
      expect(await data(who, 'list_pay_stubs', { employee_id: id(sarah) })).toEqual([]);
      for (const tool of ['get_tax_withholdings', 'get_benefits', 'get_direct_deposit']) {
        expect(code(await call(who, tool))).toBe('success');
        expect(code(await call(who, tool, { employee_id: id(who) }))).toBe('success');
        expect(code(await call(who, tool, { employee_id: id(sarah) }))).toBe('EMPLOYEE_NOT_FOUND');
      }
      expect(code(await call(who, 'get_pay_stub', { pay_stub_id: stubOf(who) }))).toBe('success');
      expect(code(await call(who, 'get_pay_stub', { pay_stub_id: stubOf(sarah) }))).toBe('PAY_STUB_NOT_FOUND');
      for (const tool of ['list_pay_runs', 'list_contractors', 'get_payroll_summary'])
        expect(code(await call(who, tool))).toBe('INSUFFICIENT_PERMISSIONS');
    }
    for (const tool of Object.values(payroll)) {
      const given = tool.name === 'get_pay_stub' ? { pay_stub_id: stubOf(sarah) } : {};
      expect(code(await call('jane.smith@acme.example', tool.name, given))).toBe('INSUFFICIENT_PERMISSIONS');
      expect(code(await call(person(tom, { roles: ['manager', 'tax-read', 'finance-write'] }), tool.name, given))).toBe(
        'INSUFFICIENT_PERMISSIONS',
      );
    }
  }, 180_000);

  test('a caller without an employee record gets IDENTITY_NOT_LINKED for their own payroll', async () => {
    const unlinked = person(marcus, { employeeId: undefined });
    expect(code(await call(unlinked, 'list_pay_stubs'))).toBe('IDENTITY_NOT_LINKED');
    const lead = person(paula, { employeeId: undefined });
    for (const tool of ['get_tax_withholdings', 'get_benefits', 'get_direct_deposit']) {
      expect(code(await call(lead, tool))).toBe('IDENTITY_NOT_LINKED');
      expect(code(await call(lead, tool, { employee_id: id(sarah) }))).toBe('success');
    }
  });

  test('the ids of a foreign, a deleted and an unknown employee give the same answer', async () => {
    const [gone] = (await testRuntime.owner(
      "select employee_id from payroll.employees where department = 'Legal' order by 1 desc limit 1",
    )) as Data;
    const left = String(gone?.['employee_id']);
    const [stub] = (await testRuntime.owner('select pay_stub_id from payroll.pay_stubs where employee_id = $1 limit 1', [left])) as Data;
    await testRuntime.owner('update payroll.employees set active = false where employee_id = $1', [left]);
    for (const who of [paula, marcus]) {
      const ids = [left, NOBODY, ...(who === marcus ? [id(eve)] : [])];
      for (const tool of ['get_tax_withholdings', 'get_benefits', 'get_direct_deposit', 'list_pay_stubs']) {
        const bodies = await Promise.all(
          ids.map(async (employee_id) => JSON.stringify(await call(who, tool, { employee_id })).replaceAll(employee_id, 'ID')),
        );
        expect([...new Set(bodies)]).toEqual([expect.stringContaining(tool === 'list_pay_stubs' ? '"data":[]' : 'EMPLOYEE_NOT_FOUND')]);
      }
      const stubs = [String(stub?.['pay_stub_id']), NOBODY, ...(who === marcus ? [stubOf(eve)] : [])];
      const bodies = await Promise.all(
        stubs.map(async (pay_stub_id) => JSON.stringify(await call(who, 'get_pay_stub', { pay_stub_id })).replaceAll(pay_stub_id, 'ID')),
      );
      expect([...new Set(bodies)]).toEqual([expect.stringContaining('list_pay_stubs')]);
    }
    await testRuntime.owner('update payroll.employees set active = true where employee_id = $1', [left]);
  });

  test('a reader who may not see pay sees their own amounts, and all others masked, including totals', async () => {
    for (const [tool, input] of ABOUT) {
      const answer = await call(reader, tool, input);
      const amounts = amountsIn(dataOf(answer)).filter(([, value]) => value !== null);
      expect([tool, amounts.length > 0]).toEqual([tool, true]);
      const others = tool === 'list_pay_stubs' && !('employee_id' in input) ? await withoutOwn(answer) : amounts;
      expect([tool, others.filter(([, value]) => value !== HIDDEN)]).toEqual([tool, []]);
      const open = amountsIn(dataOf(await call(paula, tool, input)));
      expect([tool, open.filter(([, value]) => value === HIDDEN)]).toEqual([tool, []]);
    }
    for (const [tool, input] of [
      ['list_pay_stubs', { employee_id: id(alice) }],
      ['get_pay_stub', { pay_stub_id: stubOf(alice) }],
      ['get_tax_withholdings', {}],
      ['get_benefits', {}],
      ['get_direct_deposit', {}],
    ] as const) {
      const own = await data(reader, tool, input);
      expect(amountsIn(own).filter(([, value]) => typeof value !== 'number')).toEqual([]);
      expect(own).toEqual(await data(paula, tool, tool === 'get_pay_stub' ? input : { employee_id: id(alice) }));
    }
  });
  const withoutOwn = async (answer: Answer) => amountsIn((dataOf(answer) as Data).filter((row) => row['employee_id'] !== id(alice)));

  test('no answer contains a masked amount', async () => {
    const hidden = new Set<unknown>();
    const collect = (rows: Data) => {
      for (const row of rows) for (const value of Object.values(row)) if (Number(value) >= 1) hidden.add(Number(value));
    };
    for (const [table, columns] of [
      ['stub_pay', 'gross::float8, net::float8, total_taxes::float8, total_deductions::float8, employer_taxes::float8'],
      [
        'stub_pay',
        'earning_amounts[1]::float8 as a, tax_amounts[1]::float8 as b, tax_amounts[2]::float8 as c, deduction_amounts[1]::float8 as d',
      ],
      ['enrolment_amounts', 'employee_amount::float8, employer_amount::float8'],
    ] as const)
      collect((await testRuntime.owner(`select ${columns} from payroll.${table} where employee_id = $1`, [id(sarah)])) as Data);
    collect(
      (await testRuntime.owner(
        'select gross::float8, net::float8, total_taxes::float8, employer_benefits::float8 from payroll.run_totals',
      )) as Data,
    );
    expect(hidden.size).toBeGreaterThan(150);
    for (const who of [reader, nina, bob, marcus] as Who[]) {
      const answersOf: unknown[] = [];
      for (const [tool, input] of ABOUT) {
        const answer = await call(who, tool, input);
        const rows = dataOf(answer);
        // Rows of other people are left out, because their amounts may equal Sarah's.
        answersOf.push(tool === 'list_pay_stubs' && Array.isArray(rows) ? rows.filter((row) => row.employee_id === id(sarah)) : answer);
      }
      const numbers = new Set<unknown>();
      JSON.stringify(answersOf, (_key, value: unknown) => (typeof value === 'number' ? void numbers.add(value) : value));
      expect([...numbers].filter((value) => hidden.has(value) && Number(value) > 50)).toEqual([]);
    }
  });

  test('no answer depends on a masked amount', async () => {
    const blind: Who[] = [reader, nina, marcus, bob, tom];
    const own = blind.map((who) => (typeof who === 'string' ? id(who) : (who.employeeId ?? '')));
    const answersOf = async (who: Who) => {
      const answers: Answer[] = [];
      for (const [tool, input] of [
        ...ABOUT,
        ...['get_tax_withholdings', 'get_benefits', 'get_direct_deposit', 'list_pay_stubs'].map((tool) => [tool, {}] as const),
      ])
        answers.push(await call(who, tool, input));
      return JSON.stringify(answers).replace(/"nextCursor":"[^"]+"/g, '');
    };
    const before = await Promise.all(blind.map(answersOf));
    const seen = await answersOf(paula);
    await testRuntime.owner(
      `update payroll.stub_pay set earning_amounts[1] = earning_amounts[1] + 1234.56, tax_amounts = array_fill(7.89,
        array[cardinality(tax_amounts)]),
         deduction_amounts = array_fill(0.01, array[cardinality(deduction_amounts)]), employer_taxes = 1, employer_benefits = 2
         where employee_id <> all ($1)`,
      [own],
    );
    await testRuntime.owner(
      'update payroll.run_totals set gross = gross * 3 + 1, net = gross * 3 + 1 - total_taxes - total_deductions, ' +
        'employer_taxes = 5, employer_benefits = 6',
    );
    await testRuntime.owner('update payroll.withholding_extras set extra_amount = extra_amount + 11 where employee_id <> all ($1)', [own]);
    await testRuntime.owner(
      'update payroll.enrolment_amounts set employee_amount = 1, employer_amount = 99999 where employee_id <> all ($1)',
      [own],
    );
    await testRuntime.owner('update payroll.account_shares set value = value / 2 where employee_id <> all ($1)', [own]);
    await testRuntime.owner('update payroll.contractor_rates set rate = rate + 1');
    await testRuntime.owner('update payroll.contractor_amounts set amount = amount + 1');
    for (const [at, who] of blind.entries()) expect(await answersOf(who)).toBe(before[at]);
    expect(await answersOf(paula)).not.toBe(seen);
  }, 180_000);

  test('everyone sees only four digits of account, routing and tax numbers, and the database stores no more', async () => {
    for (const who of [paula, eve, alice, reader] as Who[]) {
      for (const row of await data(who, 'get_direct_deposit', { employee_id: id(sarah) }))
        expect([row['account_last4'], row['routing_last4']]).toEqual([expect.stringMatching(/^\d{4}$/), expect.stringMatching(/^\d{4}$/)]);
      expect((await data(who, 'get_tax_withholdings', { employee_id: id(sarah) }))['tax_number_last4']).toMatch(/^\d{4}$/);
      for (const row of await data(who, 'list_contractors')) expect(row['tax_number_last4']).toMatch(/^\d{4}$/);
    }
    expect(JSON.stringify(await call('frank.davis', 'get_direct_deposit'))).not.toMatch(/\d{8,}/);
    for (const [table, column] of [
      ['accounts', 'account_last4'],
      ['accounts', 'routing_last4'],
      ['employees', 'tax_number_last4'],
      ['contractors', 'tax_number_last4'],
    ])
      await expect(testRuntime.owner(`update payroll.${table} set ${column} = '123456789'`)).rejects.toThrow();
  });

  describe('groups of fewer than five people', () => {
    const runs = async (who: Who) => await data(who, 'list_pay_runs', { run_type: 'OFF_CYCLE' });

    test('have run totals only for callers who may see pay', async () => {
      expect((await runs(paula)).map((row) => [row['employee_count'], typeof row['gross']])).toEqual([
        [1, 'number'],
        [2, 'number'],
      ]);
      expect((await runs(reader)).map((row) => [row['employee_count'], row['gross'], row['net']])).toEqual([
        [1, HIDDEN, HIDDEN],
        [2, HIDDEN, HIDDEN],
      ]);
    });

    test('have no summary for anyone', async () => {
      const people = await testRuntime.owner('select employee_id from payroll.employees order by 1 limit 5');
      const pay = (n: number) => `09000000-0000-4000-8000-00000000000${n}`;
      await testRuntime.owner(
        `insert into payroll.pay_runs values ('${pay(9)}', 'OFF_CYCLE', 'PAID', '2019-05-07', '2019-05-01', '2019-05-07', 1)`,
      );
      await testRuntime.owner(`insert into payroll.run_totals values ('${pay(9)}', 300, 60, 30, 210, 12, 5)`);
      const summaries: Record<string, unknown>[] = [];
      for (const [n, row] of people.entries()) {
        await testRuntime.owner(`insert into payroll.pay_stubs values ('${pay(n)}', '${pay(9)}', $1, '2019-05-07')`, [row['employee_id']]);
        summaries.push(await data(paula, 'get_payroll_summary', { period: '2019-05' }));
        if (n < 4) expect(await data(eve, 'get_payroll_summary', { period: '2019' })).toMatchObject({ gross: HIDDEN, ytd: HIDDEN });
      }
      for (const [n, summary] of summaries.entries()) {
        const amounts = amountsIn(summary).filter(([key]) => key !== 'contractor_payments');
        expect(summary).toMatchObject({
          employee_count: n + 1,
          pay_runs: 1,
          note: n < 4 ? expect.stringContaining('Totals of fewer than 5 people') : null,
        });
        expect(amounts.every(([, value]) => (n < 4 ? value === HIDDEN : typeof value === 'number'))).toBe(true);
      }
      expect(summaries[4]).toMatchObject({ gross: 300, net: 210, taxes: 60, ytd: { gross: 300 } });
      expect(await data(reader, 'get_payroll_summary', { period: '2019-05' })).toMatchObject({ gross: HIDDEN, ytd: HIDDEN, note: null });
    });
  });
});
