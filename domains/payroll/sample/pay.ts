/** Computes the pay of each person in each run, in cents. */
import { directory, type SamplePerson } from '../../sample-company/directory.ts';
import { raiseOf } from '../../hr/sample/index.ts';
import { corrections, type SampleRun } from './calendar.ts';
import { type Agreement, type Enrolment, enrolmentsOf } from './plans.ts';
import { type Line, withheld } from '../withholding.ts';
import { countryOf, electionsOf } from './tax.ts';
import { between, chance } from '../../sample-company/random.ts';
import { hiredOn } from '../../sample-company/days.ts';

export interface SampleStub {
  readonly run: SampleRun;
  readonly earnings: readonly Line[];
  readonly taxes: readonly Line[];
  readonly deductions: readonly Line[];
  readonly employerTaxes: number;
  readonly employerBenefits: number;
}
export interface OnPayroll {
  readonly person: SamplePerson;
  readonly hired: string;
  readonly agreements: readonly Agreement[];
  readonly enrolments: readonly Enrolment[];
}

const PERIODS = 24;
const DAY = 86_400_000;
export const sum = (lines: readonly Line[]): number => lines.reduce((total, [, cents]) => total + cents, 0);

export function onPayroll(person: SamplePerson, thisYear: number): OnPayroll {
  const hired = hiredOn(person, `${thisYear}-01-01`);
  const raise = raiseOf(person, thisYear - 1);
  const agreements = raise
    ? [
        { from: hired, salary: raise.before },
        { from: raise.day, salary: person.salary },
      ]
    : [{ from: hired, salary: person.salary }];
  return { person, hired, agreements, enrolments: enrolmentsOf(person, hired, agreements, `${thisYear - 1}-01-01`) };
}

/** The largest number of people on the payroll. Without a limit, stubs would dominate a large sample. */
const ON_PAYROLL = 10_000;
/** One in so many employees is on the payroll, and everyone who can sign in. */
export const everyNth = (employees: number): number => Math.ceil(employees / ON_PAYROLL);

export function* peopleOnPayroll(employees: number, thisYear: number): Iterable<OnPayroll> {
  const people = directory(employees);
  for (let n = 0; n < employees; n++) {
    const person = people.person(n);
    if (person.known || n % everyNth(employees) === 0) yield onPayroll(person, thisYear);
  }
}

/** A person hired during a period is paid for its remaining working days. */
function share({ start, end }: SampleRun, hired: string): number {
  const days = (from: string) => {
    let count = 0;
    for (let day = Date.parse(from); day <= Date.parse(end); day += DAY) if (new Date(day).getUTCDay() % 6 !== 0) count++;
    return count;
  };
  return hired <= start ? 1 : days(hired) / days(start);
}

const salaryOn = (agreements: readonly Agreement[], day: string): number =>
  agreements.findLast(({ from }) => from <= day)?.salary ?? agreements[0]?.salary ?? 0;

/** Corrections: commissions or allowances of earlier months. */
const corrected = ({ n, first, last }: SamplePerson, { date }: SampleRun): number =>
  corrections.some(({ day, names }) => date.slice(5, 7) === day.slice(0, 2) && names.includes(`${first} ${last}`))
    ? between(400, 2_400, n, 71) * 100 + 37
    : 0;

function earned({ person, hired, agreements }: OnPayroll, run: SampleRun): Line | undefined {
  if (run.type === 'OFF_CYCLE') {
    const cents = corrected(person, run);
    return cents > 0 ? ['CORRECTION', cents] : undefined;
  }
  const salary = salaryOn(agreements, run.type === 'REGULAR' ? run.start : run.date) * 100;
  if (run.type === 'REGULAR') return hired <= run.end ? ['SALARY', Math.round((salary / PERIODS) * share(run, hired))] : undefined;
  // A bonus is for the previous year, for people who worked at least half of it.
  const there = hired <= `${run.end.slice(0, 4)}-06-30` && !person.title.endsWith('Intern') && chance(person.n, 72) < 0.9;
  return there ? ['BONUS', Math.round((salary * between(8, 24, person.n + run.index, 73)) / 20_000) * 100] : undefined;
}

/** All stubs of a person in the order of the runs. Earlier pay of a year affects later taxes. */
export function* stubsOf(one: OnPayroll, runs: readonly SampleRun[]): Iterable<SampleStub> {
  const country = countryOf(one.person);
  const elections = electionsOf(one.person);
  let year = '';
  let before = 0;
  for (const run of runs) {
    const earning = earned(one, run);
    if (!earning) continue;
    const gross = earning[1];
    if (year !== run.date.slice(0, 4)) [year, before] = [run.date.slice(0, 4), 0];
    const plans =
      run.type === 'REGULAR' ? one.enrolments.filter(({ from, to }) => from <= run.start && (to === null || to >= run.start)) : [];
    const deductions = plans.map(({ type, own }): Line => [type, own]);
    const preTax = plans.reduce((total, { preTax: counts, own }) => total + (counts ? own : 0), 0);
    const { taxes, employer } = withheld(country, elections, {
      gross,
      taxable: Math.max(0, gross - preTax),
      before,
      bonus: run.type !== 'REGULAR',
    });
    yield {
      run,
      earnings: [earning],
      taxes: taxes.filter(([, cents]) => cents > 0),
      deductions: deductions.filter(([, cents]) => cents > 0),
      employerTaxes: employer,
      employerBenefits: plans.reduce((total, each) => total + each.employer, 0),
    };
    before += gross;
  }
}
