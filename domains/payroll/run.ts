/** Computes the stubs of a regular pay run from the salaries, tax elections and benefits that are in force. */
import { z } from 'zod';
import { fromCents, toCents } from '../../src/declare/money.ts';
import type { SqlReader } from '../../src/declare/sql.ts';
import { countryFrom, type Line, withheld } from './withholding.ts';

/** Regular pay dates a year. */
const PERIODS = 24;
const DAY = 86_400_000;

export interface PayDate {
  readonly pay_date: string;
  readonly period_start: string;
  readonly period_end: string;
}

const election = z.object({
  level: z.enum(['federal', 'state', 'local']),
  region: z.string(),
  filing: z.string(),
  allowances: z.int(),
  extra: z.number(),
  code: z.string(),
});
const plan = z.object({ type: z.string(), pre_tax: z.boolean(), own: z.number(), employer: z.number() });
const payable = z.object({
  employee_id: z.string(),
  department: z.string(),
  /** In force on the pay date; null if there is none. */
  salary: z.number().nullable(),
  /** The first day of any salary. */
  since: z.string().nullable(),
  elections: z.array(election),
  plans: z.array(plan),
  /** Earned earlier in the calendar year. */
  earned: z.number(),
});
type Payable = z.output<typeof payable>;

export interface Stub {
  readonly employee_id: string;
  readonly department: string;
  readonly earnings: readonly Line[];
  readonly taxes: readonly Line[];
  readonly deductions: readonly Line[];
  readonly employerTaxes: number;
  readonly employerBenefits: number;
}

/** Everyone who is on the payroll and works here. */
const payables = (sql: SqlReader, { pay_date, period_start }: PayDate): Promise<Payable[]> =>
  sql.many(
    payable,
    sql`
      select e.employee_id, e.department, s.salary, f.since, w.elections, b.plans, y.earned
      from payroll.people e
      left join lateral (
        select salary from payroll.salaries where employee_id = e.employee_id and effective_from <= ${pay_date}::date
        order by effective_from desc limit 1) s on true
      cross join lateral (select min(effective_from) as since from payroll.salaries where employee_id = e.employee_id) f
      cross join lateral (
        select coalesce(json_agg(json_build_object('level', level, 'region', region, 'filing', filing_status, 'allowances', allowances,
          'extra', coalesce(extra_amount, 0), 'code', line_code) order by array_position(array['federal', 'state', 'local'], level)), '[]')
          as elections
        from payroll.elections where employee_id = e.employee_id) w
      cross join lateral (
        select coalesce(json_agg(json_build_object('type', type, 'pre_tax', pre_tax, 'own', coalesce(employee_amount, 0),
          'employer', coalesce(employer_amount, 0)) order by type), '[]') as plans
        from payroll.benefits
        where employee_id = e.employee_id and frequency = 'PER_PAY_PERIOD' and effective_from <= ${period_start}::date
          and (effective_to is null or effective_to >= ${period_start}::date)) b
      cross join lateral (
        select coalesce(sum(p.gross), 0) as earned from payroll.pay_stubs d join payroll.stub_pay p on p.pay_stub_id = d.pay_stub_id
        where d.employee_id = e.employee_id and d.pay_date between date_trunc('year', ${pay_date}::date)::date and ${pay_date}::date) y
      order by e.employee_id`,
  );

const total = (lines: readonly Line[]): number => lines.reduce((sum, [, cents]) => sum + cents, 0);

/** Somebody whose first salary begins during the period is paid for its remaining working days. */
function share({ period_start, period_end }: PayDate, since: string | null): number {
  const workdays = (from: string) => {
    let count = 0;
    for (let day = Date.parse(from); day <= Date.parse(period_end); day += DAY) if (new Date(day).getUTCDay() % 6 !== 0) count++;
    return count;
  };
  if (since === null || since <= period_start) return 1;
  return since > period_end ? 0 : workdays(since) / Math.max(1, workdays(period_start));
}

function stubOf(one: Payable, date: PayDate): Stub | undefined {
  const gross = Math.round((toCents(one.salary ?? 0) / PERIODS) * share(date, one.since));
  if (gross <= 0) return undefined;
  const deductions = one.plans.map(({ type, own }): Line => [type, toCents(own)]);
  const preTax = one.plans.reduce((sum, { pre_tax, own }) => sum + (pre_tax ? toCents(own) : 0), 0);
  const country = countryFrom(one.elections);
  const elections = one.elections.map(({ extra, ...rest }) => ({ ...rest, extra: toCents(extra) }));
  const paid = { gross, taxable: Math.max(0, gross - preTax), before: toCents(one.earned), bonus: false };
  const { taxes, employer } = country === undefined ? { taxes: [], employer: 0 } : withheld(country, elections, paid);
  return {
    employee_id: one.employee_id,
    department: one.department,
    earnings: [['SALARY', gross]],
    taxes: taxes.filter(([, cents]) => cents > 0),
    deductions: deductions.filter(([, cents]) => cents > 0),
    employerTaxes: employer,
    employerBenefits: one.plans.reduce((sum, each) => sum + toCents(each.employer), 0),
  };
}

export interface Run {
  readonly stubs: readonly Stub[];
  /** People on the payroll without a salary on the pay date, and people who are paid without tax elections. */
  readonly unpaid: number;
  readonly untaxed: number;
}
export async function computeRun(sql: SqlReader, date: PayDate): Promise<Run> {
  const people = await payables(sql, date);
  const stubs = people.flatMap((one) => stubOf(one, date) ?? []);
  const paid = new Set(stubs.map(({ employee_id }) => employee_id));
  const untaxed = people.filter((one) => paid.has(one.employee_id) && countryFrom(one.elections) === undefined).length;
  return { stubs, unpaid: people.length - stubs.length, untaxed };
}

export function totalsOf(stubs: readonly Stub[]) {
  const sums = { gross: 0, taxes: 0, deductions: 0, employerTaxes: 0, employerBenefits: 0 };
  for (const each of stubs) {
    sums.gross += total(each.earnings);
    sums.taxes += total(each.taxes);
    sums.deductions += total(each.deductions);
    sums.employerTaxes += each.employerTaxes;
    sums.employerBenefits += each.employerBenefits;
  }
  return {
    gross: fromCents(sums.gross),
    total_taxes: fromCents(sums.taxes),
    total_deductions: fromCents(sums.deductions),
    net: fromCents(sums.gross - sums.taxes - sums.deductions),
    employer_taxes: fromCents(sums.employerTaxes),
    employer_benefits: fromCents(sums.employerBenefits),
  };
}

/** What the run costs each department. */
export function costsOf(stubs: readonly Stub[]): { department: string; people: number; amount: number }[] {
  const costs = new Map<string, { people: number; cents: number }>();
  for (const { department, earnings, employerTaxes, employerBenefits } of stubs) {
    const { people, cents } = costs.get(department) ?? { people: 0, cents: 0 };
    costs.set(department, { people: people + 1, cents: cents + total(earnings) + employerTaxes + employerBenefits });
  }
  return [...costs].map(([department, { people, cents }]) => ({ department, people, amount: fromCents(cents) }));
}

const codes = (lines: readonly Line[]) => lines.map(([code]) => code);
const amounts = (lines: readonly Line[]) => lines.map(([, cents]) => fromCents(cents));
/** A stub as a row for the database. */
export const rowOf = ({ employee_id, earnings, taxes, deductions, employerTaxes, employerBenefits }: Stub) => ({
  employee_id,
  earning_codes: codes(earnings),
  earning_amounts: amounts(earnings),
  tax_codes: codes(taxes),
  tax_amounts: amounts(taxes),
  deduction_codes: codes(deductions),
  deduction_amounts: amounts(deductions),
  employer_taxes: fromCents(employerTaxes),
  employer_benefits: fromCents(employerBenefits),
});
