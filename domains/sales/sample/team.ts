/** Sample sales representatives, their quotas, and dates shared by the sales data. */
import { type Company, DEFAULT_COMPANY, dayIn } from '../../../src/declare/company.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import type { SampleDocument } from '../../../src/declare/sample.ts';
import { spelledPlainly } from '../../../src/declare/spelling.ts';
import { departmentNames } from '../../sample-company/departments.ts';
import { type Directory, directory, KNOWN_PEOPLE, type SamplePerson } from '../../sample-company/directory.ts';
import { at, between } from '../../sample-company/random.ts';

export interface SalesSampleOptions {
  /** How many people the company has. */
  readonly employees: number;
  readonly today: Date;
  readonly settings?: Company;
}
export interface Rep {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly senior: boolean;
}
export interface SalesTeam {
  readonly today: string;
  readonly fiscalYear: number;
  readonly settings: Company;
  /** Deals, customers and leads grow with the company by this factor. */
  readonly scale: number;
  /** The first one is used in examples. */
  readonly reps: readonly Rep[];
}

const REPS = 12;
/** Sales data stops growing at twenty thousand employees: the embedded store keeps documents in memory. */
const LARGEST = 40;
const SELLERS = /^(Senior )?Account Executive$/;

export function salesTeam({ employees, today, settings = DEFAULT_COMPANY }: SalesSampleOptions): SalesTeam {
  const day = dayIn(settings.timeZone, today);
  const scale = Math.min(employees / 500, LARGEST);
  return {
    today: day,
    fiscalYear: fiscalYearOf(day, settings),
    settings,
    scale,
    reps: repsOf(directory(employees), Math.max(5, Math.round(REPS * scale))),
  };
}

function repsOf(people: Directory, wanted: number): Rep[] {
  const reps: Rep[] = [];
  const consider = (n: number) => {
    const person = people.person(n);
    if (person.department === 'Sales' && SELLERS.test(person.title) && reps.length < wanted) reps.push(repOf(person));
    return person.department === 'Sales';
  };
  for (let n = 0; n < KNOWN_PEOPLE; n++) consider(n);
  for (let n = firstOfSales(people); n < people.size && reps.length < wanted && consider(n); n++);
  return reps;
}
const repOf = ({ id, first, last, email, title }: SamplePerson): Rep => ({
  id,
  name: `${first} ${last}`,
  email,
  senior: title.startsWith('Senior'),
});

/** Finds the first generated employee of Sales. Departments are contiguous, so a binary search is enough. */
function firstOfSales(people: Directory): number {
  const sales = departmentNames.indexOf('Sales');
  let [low, high] = [KNOWN_PEOPLE, people.size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (departmentNames.indexOf(people.person(middle).department) < sales) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const numbered = (block: string, n: number): string => `${block}-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** A time early in the day. Even today, it is usually in the past. */
export const timeOn = (day: string, n: number): string =>
  `${day}T0${between(6, 8, n, 90)}:${String(between(0, 59, n, 91)).padStart(2, '0')}:00.000Z`;
export const ownedBy = ({ id, name, email }: Rep) => ({ owner: email, owner_id: id, owner_name: name, owner_search: spelledPlainly(name) });

/** Quotas per person and quarter of last year, this year and next year. */
export function* quotas({ reps, fiscalYear }: SalesTeam): Iterable<SampleDocument> {
  for (let which = 0; which < 12 * reps.length; which++) {
    const rep = at(reps, Math.floor(which / 12));
    const quarter = `${fiscalYear - 1 + Math.floor((which % 12) / 4)}-Q${(which % 4) + 1}`;
    yield {
      _id: numbered('0d9a0000', which + 1),
      quarter,
      amount: (rep.senior ? 40_000 : 0) + between(30, 48, which, 92) * 5000,
      ...ownedBy(rep),
    };
  }
}
