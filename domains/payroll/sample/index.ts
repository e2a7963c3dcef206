/** Sample data of payroll, in the order of the foreign keys. There are stubs for last year and this year. */
import type { SamplePerson } from '../../sample-company/directory.ts';
import { ssnOf } from '../../hr/sample/index.ts';
import { payDays, runsOf, type SampleRun } from './calendar.ts';
import { departmentCosts } from './costs.ts';
import { contractorsOf, paymentsTo } from './contractors.ts';
import { everyNth, type OnPayroll, peopleOnPayroll, type SampleStub, stubsOf, sum } from './pay.ts';
import { accountsOf } from './plans.ts';
import type { Line } from '../withholding.ts';
import { electionsOf } from './tax.ts';
import { personas } from '../../sample-company/people.ts';
import type { SampleRow, SampleTable } from '../../../src/declare/sample.ts';
import { dayOf } from '../../sample-company/days.ts';

export interface PayrollSampleOptions {
  /** The number of employees, including the personas. */
  readonly employees: number;
  readonly today: Date;
}

const numbered = (block: string, n: number) => `${block}-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** Cents to dollars. */
const money = (cents: number): number => cents / 100;
const list = (cells: readonly (string | number)[]) => `{${cells.join(',')}}`;
const codes = (lines: readonly Line[]) => list(lines.map(([code]) => code));
const amounts = (lines: readonly Line[]) => list(lines.map(([, cents]) => money(cents)));
const personaIds = new Set(personas.map(({ sub }) => sub));

class Totals {
  people = 0;
  gross = 0;
  taxes = 0;
  deductions = 0;
  employerTaxes = 0;
  employerBenefits = 0;
  add({ earnings, taxes, deductions, employerTaxes, employerBenefits }: SampleStub): void {
    this.people++;
    this.gross += sum(earnings);
    this.taxes += sum(taxes);
    this.deductions += sum(deductions);
    this.employerTaxes += employerTaxes;
    this.employerBenefits += employerBenefits;
  }
}

export function payrollSample({ employees, today: now }: PayrollSampleOptions): readonly SampleTable[] {
  const today = dayOf(now.getTime());
  const thisYear = Number(today.slice(0, 4));
  const runs = runsOf(today);
  const latest = runs.findLast(({ type }) => type === 'REGULAR');
  const contractors = contractorsOf(today);

  const all = () => peopleOnPayroll(employees, thisYear);
  const size = Math.ceil(employees / everyNth(employees));
  // The latest stub of each persona has a fixed id, which examples use.
  const stubId = ({ id, n }: SamplePerson, run: SampleRun): string =>
    run === latest && personaIds.has(id) ? id.replace(/^0e/, '05') : numbered('05100000', run.index * 10_000_000 + n + 1);

  /** Two tables need the totals, so they are computed once. */
  let known: ReadonlyMap<SampleRun, Totals> | undefined;
  function totals(): ReadonlyMap<SampleRun, Totals> {
    if (known) return known;
    const sums = new Map(runs.map((run) => [run, new Totals()]));
    for (const one of all()) for (const stub of stubsOf(one, runs)) sums.get(stub.run)?.add(stub);
    known = sums;
    return sums;
  }

  const table = (name: string, columns: string, estimate: number, rows: () => Iterable<SampleRow>): SampleTable => ({
    name: `payroll.${name}`,
    columns: columns.split(' '),
    estimate: Math.ceil(estimate),
    rows,
  });
  const each = (name: string, columns: string, per: number, rowsOf: (one: OnPayroll) => Iterable<SampleRow>) =>
    table(name, columns, size * per, function* () {
      for (const one of all()) yield* rowsOf(one);
    });

  return [
    each('employees', 'employee_id employee_name department tax_number_last4', 1, ({ person }) => [
      [person.id, `${person.first} ${person.last}`, person.department, ssnOf(person).slice(-4)],
    ]),
    table('pay_calendar', 'pay_date period_start period_end', 72, () =>
      [thisYear - 1, thisYear, thisYear + 1].flatMap(payDays).map(({ date, start, end }) => [date, start, end]),
    ),
    table('pay_runs', 'pay_run_id run_type status pay_date period_start period_end employee_count', runs.length, () =>
      runs.map((run) => [run.id, run.type, 'PAID', run.date, run.start, run.end, totals().get(run)?.people ?? 0]),
    ),
    table('run_totals', 'pay_run_id gross total_taxes total_deductions net employer_taxes employer_benefits', runs.length, () =>
      [...totals()].map(([{ id }, { gross, taxes, deductions, employerTaxes, employerBenefits }]) => [
        id,
        ...[gross, taxes, deductions, gross - taxes - deductions, employerTaxes, employerBenefits].map(money),
      ]),
    ),
    each('salaries', 'employee_id effective_from salary', 1.3, ({ person, agreements }) =>
      agreements.map(({ from, salary }) => [person.id, from, salary]),
    ),
    table('run_costs', 'pay_run_id department people amount', runs.length * 8, () =>
      departmentCosts({ employees, today: now }).map(({ run, department, people, cents }) => [run.id, department, people, money(cents)]),
    ),
    each('pay_stubs', 'pay_stub_id pay_run_id employee_id pay_date', runs.length, function* (one) {
      const { person } = one;
      for (const { run } of stubsOf(one, runs)) yield [stubId(person, run), run.id, person.id, run.date];
    }),
    each(
      'stub_pay',
      'pay_stub_id employee_id earning_codes earning_amounts tax_codes tax_amounts deduction_codes deduction_amounts ' +
        'employer_taxes employer_benefits',
      runs.length,
      function* (one) {
        const { person } = one;
        for (const { run, earnings, taxes, deductions, employerTaxes, employerBenefits } of stubsOf(one, runs)) {
          const lines = [earnings, taxes, deductions].flatMap((kind) => [codes(kind), amounts(kind)]);
          yield [stubId(person, run), person.id, ...lines, money(employerTaxes), money(employerBenefits)];
        }
      },
    ),
    each('withholdings', 'employee_id level region filing_status allowances line_code', 1.4, ({ person }) =>
      electionsOf(person).map(({ level, region, filing, allowances, code }) => [person.id, level, region, filing, allowances, code]),
    ),
    each('withholding_extras', 'employee_id level extra_amount', 1.4, ({ person }) =>
      electionsOf(person).map(({ level, extra }) => [person.id, level, money(extra)]),
    ),
    each(
      'enrolments',
      'enrolment_id employee_id type plan_name frequency pre_tax effective_from effective_to',
      3.5,
      ({ person, enrolments }) =>
        enrolments.map(({ type, plan, preTax, from, to }, which) => [
          numbered('05200000', person.n * 10 + which + 1),
          person.id,
          type,
          plan,
          'PER_PAY_PERIOD',
          preTax,
          from,
          to,
        ]),
    ),
    each('enrolment_amounts', 'enrolment_id employee_id employee_amount employer_amount', 3.5, ({ person, enrolments }) =>
      enrolments.map(({ own, employer }, which) => [
        numbered('05200000', person.n * 10 + which + 1),
        person.id,
        money(own),
        money(employer),
      ]),
    ),
    each('accounts', 'employee_id priority bank_name account_last4 routing_last4 allocation', 1.4, ({ person }) =>
      accountsOf(person).map(({ priority, bank, account, routing, allocation }) => [
        person.id,
        priority,
        bank,
        account,
        routing,
        allocation,
      ]),
    ),
    each('account_shares', 'employee_id priority value', 1.4, ({ person }) =>
      accountsOf(person).map(({ priority, value }) => [person.id, priority, value]),
    ),
    table(
      'contractors',
      'contractor_id name business_name service department email tax_form tax_number_last4 rate_unit start_date end_date',
      contractors.length,
      () =>
        contractors.map(({ id, name, business, service, department, email, form, taxNumber, unit, start, end }) => [
          id,
          name,
          business,
          service,
          department,
          email,
          form,
          taxNumber,
          unit,
          start,
          end,
        ]),
    ),
    table('contractor_rates', 'contractor_id rate', contractors.length, () => contractors.map(({ id, rate }) => [id, rate])),
    table('contractor_payments', 'payment_id contractor_id paid_on', contractors.length * 18, () =>
      [...paymentsTo(contractors, today)].map(({ id, contractor, day }) => [id, contractor, day]),
    ),
    table('contractor_amounts', 'payment_id amount', contractors.length * 18, () =>
      [...paymentsTo(contractors, today)].map(({ id, cents }) => [id, money(cents)]),
    ),
  ];
}
