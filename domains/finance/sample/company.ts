/** People, dates and amounts shared by the finance sample data. */
import { type Company as CompanySettings, DEFAULT_COMPANY, dayIn } from '../../../src/declare/company.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { type DepartmentName, departmentNames } from '../../sample-company/departments.ts';
import { type Directory, directory, KNOWN_PEOPLE, type SamplePerson } from '../../sample-company/directory.ts';
import { dayOf } from '../../sample-company/days.ts';

export const categories = ['SOFTWARE', 'SERVICES', 'TRAVEL', 'FACILITIES', 'EQUIPMENT', 'TRAINING', 'OTHER'] as const;
export type Category = (typeof categories)[number];

export interface FinanceSampleOptions {
  /** The number of employees. */
  readonly employees: number;
  readonly today: Date;
  readonly settings?: CompanySettings;
}

export interface Hand {
  readonly id: string;
  readonly name: string;
}
export interface Company {
  readonly people: Directory;
  readonly today: string;
  /** The calendar year. */
  readonly year: number;
  readonly fiscalYear: number;
  readonly settings: CompanySettings;
  /** Budgets and invoices grow with the company by this factor. */
  readonly scale: number;
  readonly heads: Readonly<Record<DepartmentName, Hand>>;
  readonly chief: Hand;
  readonly cfo: Hand;
  readonly accountant: Hand;
  readonly seniorAccountant: Hand;
  readonly analyst: Hand;
  readonly buyer: Hand;
}

export const handOf = ({ id, first, last }: SamplePerson): Hand => ({ id, name: `${first} ${last}` });

export function companyOf({ employees, today, settings = DEFAULT_COMPANY }: FinanceSampleOptions): Company {
  const people = directory(employees);
  const known = Array.from({ length: KNOWN_PEOPLE }, (_, n) => people.person(n));
  const holder = (title: string): Hand => {
    const found = known.find((person) => person.title === title);
    if (!found) throw new RangeError(`Nobody has the job title ${title}.`);
    return handOf(found);
  };
  const day = dayIn(settings.timeZone, today);
  const titles: Record<DepartmentName, string> = {
    Engineering: 'VP of Engineering',
    HR: 'VP of Human Resources',
    Finance: 'Chief Financial Officer',
    Sales: 'VP of Sales',
    Support: 'Director of Customer Support',
    Marketing: 'VP of Marketing',
    Operations: 'Chief Operating Officer',
    Legal: 'General Counsel',
  };
  return {
    people,
    today: day,
    year: Number(day.slice(0, 4)),
    fiscalYear: fiscalYearOf(day, settings),
    settings,
    scale: employees / 500,
    heads: Object.fromEntries(departmentNames.map((name) => [name, holder(titles[name])])) as Record<DepartmentName, Hand>,
    chief: holder('Chief Executive Officer'),
    cfo: holder('Chief Financial Officer'),
    accountant: holder('Accountant'),
    seniorAccountant: holder('Senior Accountant'),
    analyst: holder('Financial Analyst'),
    buyer: holder('Procurement Specialist'),
  };
}

export const numbered = (block: string, n: number): string => `${block}-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const at10 = (day: string): string => `${day}T10:00:00Z`;
export const earlier = (a: string, b: string): string => (a < b ? a : b);
export const later = (a: string, b: string): string => (a > b ? a : b);
/** Cents to dollars. */
export const dollars = (cents: number): number => Math.round(cents) / 100;

/** The months from January of a year to the month of a day. */
export function monthsFrom(year: number, day: string): string[] {
  const months: string[] = [];
  for (let n = 0; ; n++) {
    const month = `${year + Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`;
    if (month > day.slice(0, 7)) return months;
    months.push(month);
  }
}
/** The month that is `back` months before the month of a day. */
export function monthBefore(day: string, back: number): string {
  const n = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 - back;
  return `${Math.floor(n / 12)}-${String((n % 12) + 1).padStart(2, '0')}`;
}
export function lastDayOf(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return dayOf(Date.UTC(year, number, 0));
}

/** Payments by department, month and category, in cents. */
export class Totals {
  readonly #cents = new Map<string, number>();
  add(department: string, day: string, category: Category, cents: number): void {
    const key = `${department}|${day.slice(0, 7)}|${category}`;
    this.#cents.set(key, (this.#cents.get(key) ?? 0) + cents);
  }
  of(department: string, month: string, category: Category): number {
    return this.#cents.get(`${department}|${month}|${category}`) ?? 0;
  }
}

/** The elapsed share of a month. Budgets are spent evenly. */
export const monthGone = (month: string, today: string): number =>
  today.slice(0, 7) > month ? 1 : Number(today.slice(8)) / Number(lastDayOf(month).slice(8));
