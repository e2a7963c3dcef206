/** Sample benefit plans and bank accounts of employees. */
import type { SamplePerson } from '../../sample-company/directory.ts';
import type { Country } from '../withholding.ts';
import { countryOf } from './tax.ts';
import { at, between, chance, pick } from '../../sample-company/random.ts';
import { shifted } from '../../sample-company/days.ts';

export interface Enrolment {
  readonly type: 'MEDICAL' | 'DENTAL' | 'VISION' | 'HSA' | 'RETIREMENT' | 'LIFE';
  readonly plan: string;
  readonly preTax: boolean;
  readonly from: string;
  readonly to: string | null;
  /** Cents per regular pay date. */
  readonly own: number;
  readonly employer: number;
}
export interface Account {
  readonly priority: number;
  readonly bank: string;
  readonly account: string;
  readonly routing: string;
  readonly allocation: 'PERCENT' | 'FIXED' | 'REMAINDER';
  /** Percent or dollars; ignored for a remainder. */
  readonly value: number;
}
/** Yearly salaries in dollars with their start dates; the last one is current. */
export interface Agreement {
  readonly from: string;
  readonly salary: number;
}

const PERIODS = 24;
/** The yearly limit of retirement contributions, in dollars. */
const MOST_RETIREMENT = 23_500;

/** The first day of the month after the hire date. */
const nextMonth = (day: string): string => `${shifted(`${day.slice(0, 8)}28`, 4).slice(0, 8)}01`;
const later = (a: string, b: string) => (a > b ? a : b);

const health: Record<Country, readonly (readonly [string, number, number])[]> = {
  US: [
    ['Summit PPO', 145_00, 420_00],
    ['Summit High Deductible', 72_50, 390_00],
    ['Summit HMO', 98_25, 405_00],
  ],
  GB: [['Private medical cover', 38_40, 61_10]],
  DE: [],
  SG: [['Group medical cover', 29_90, 74_60]],
};

/** All plans of a person, including ended ones. Retirement contributions depend on the salary. */
export function enrolmentsOf(person: SamplePerson, hired: string, agreements: readonly Agreement[], since: string): Enrolment[] {
  const { n, title } = person;
  const country = countryOf(person);
  const from = later(since, nextMonth(hired));
  const list: Enrolment[] = [];
  const add = (type: Enrolment['type'], plan: string, own: number, employer: number, preTax = true) =>
    list.push({ type, plan, preTax, from, to: null, own, employer });
  const plans = health[country];
  if (plans.length > 0) {
    const [plan, own, employer] = pick(plans, n, 51);
    const family = chance(n, 52) < 0.4;
    add('MEDICAL', family ? `${plan} (family)` : plan, family ? own * 2 : own, family ? employer * 2 : employer, country === 'US');
    if (plan === 'Summit High Deductible') add('HSA', 'Health savings account', between(2, 8, n, 53) * 12_50, 25_00);
  }
  const intern = title.endsWith('Intern');
  if (country === 'US' && !intern) {
    if (chance(n, 54) < 0.85) add('DENTAL', 'Bright Dental', 11_75, 14_20);
    if (chance(n, 55) < 0.7) add('VISION', 'ClearView Vision', 4_15, 3_60);
  }
  if (country !== 'SG' && !intern && (person.known || chance(n, 56) < 0.9)) {
    const plan = { US: '401(k) plan', GB: 'Workplace pension', DE: 'Company pension' }[country];
    const percent = between(3, 8, n, 57);
    for (const [which, { from: begun, salary }] of agreements.entries()) {
      const ends = agreements[which + 1]?.from;
      if (ends !== undefined && ends <= from) continue;
      const own = Math.round((Math.min(MOST_RETIREMENT, (salary * percent) / 100) * 100) / PERIODS);
      const employer = Math.round((Math.min(MOST_RETIREMENT, (salary * Math.min(percent, 4)) / 100) * 100) / PERIODS);
      list.push({
        type: 'RETIREMENT',
        plan,
        preTax: true,
        from: later(from, begun),
        to: ends === undefined ? null : shifted(ends, -1),
        own,
        employer,
      });
    }
  }
  if (!intern && chance(n, 58) < 0.25) add('LIFE', 'Term life insurance', between(1, 4, n, 59) * 4_25, 2_00, false);
  return list;
}

const banks: Record<Country, readonly string[]> = {
  US: ['First Harbor Bank', 'Lakeside Credit Union', 'Meridian Bank', 'Prairie National Bank'],
  GB: ['Thames and County Bank', 'Northgate Building Society'],
  DE: ['Stadtbank Berlin', 'Spreewald Bank'],
  SG: ['Lion City Bank', 'Straits Savings Bank'],
};
const digits = (n: number, kind: number) => String(between(0, 9_999, n, kind)).padStart(4, '0');

export function accountsOf(person: SamplePerson): Account[] {
  const { n } = person;
  const names = banks[countryOf(person)];
  const one = (priority: number, allocation: Account['allocation'], value: number): Account => {
    const which = (between(0, names.length - 1, n, 61) + priority - 1) % names.length;
    return {
      priority,
      bank: at(names, which),
      account: digits(n * 4 + priority, 62),
      // All accounts of a bank have the same routing number.
      routing: digits(which + 100 * names.length, 63),
      allocation,
      value,
    };
  };
  const lot = chance(n, 64);
  if (lot < 0.2) return [one(1, 'FIXED', between(2, 12, n, 65) * 25), one(2, 'REMAINDER', 100)];
  if (lot < 0.35) return [one(1, 'PERCENT', between(1, 4, n, 65) * 5), one(2, 'REMAINDER', 100)];
  return [one(1, 'REMAINDER', 100)];
}
