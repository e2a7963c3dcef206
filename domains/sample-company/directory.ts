/**
 * Employees and reporting lines of a sample company of any size. Each person is computed from a number, so a million people need no memory.
 * People of examples come first, then each department from the top down.
 */
import { type Department, type DepartmentName, departments, type Job, type Office, offices } from './departments.ts';
import { asciiName, nameOf, type SampleName } from './names.ts';
import { persona, WORK_EMAIL_DOMAIN } from './people.ts';
import { at, between, chance, pick } from './random.ts';

export interface SamplePerson {
  /** The position in the order of the rows, from 0. A manager comes before their reports. */
  readonly n: number;
  readonly id: string;
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly department: DepartmentName;
  readonly title: string;
  readonly office: Office;
  /** The manager's number; undefined for the CEO. */
  readonly manager: number | undefined;
  readonly salary: number;
  /** Days between the hire and the start of this year. The result is stable all year. */
  readonly tenure: number;
  /** A person of the examples and tests. */
  readonly known: boolean;
}

interface Known {
  readonly name?: string;
  readonly username?: string;
  readonly department: DepartmentName;
  readonly title: string;
  readonly boss?: string;
  /** The key by which `boss` refers to this person. */
  readonly key?: string;
  readonly office?: string;
  readonly salary: number;
}
const own = (username: string, department: DepartmentName, salary: number, office: string, boss?: string): Known => {
  const { title } = persona(username);
  return { username, key: username, department, title, salary, office, ...(boss !== undefined && { boss }) };
};
const team = (title: string, salary: number): Known => ({ department: 'Engineering', title, salary, boss: 'nina.patel' });

const known: readonly Known[] = [
  own('eve.thompson', 'Operations', 420_000, 'San Francisco'),
  own('alice.chen', 'HR', 245_000, 'San Francisco', 'eve.thompson'),
  own('bob.martinez', 'Finance', 310_000, 'New York', 'eve.thompson'),
  own('carol.johnson', 'Sales', 255_000, 'New York', 'eve.thompson'),
  own('dan.williams', 'Support', 188_000, 'Austin', 'eve.thompson'),
  {
    key: 'vp-engineering',
    department: 'Engineering',
    title: 'VP of Engineering',
    salary: 290_000,
    office: 'San Francisco',
    boss: 'eve.thompson',
  },
  { key: 'vp-marketing', department: 'Marketing', title: 'VP of Marketing', salary: 240_000, office: 'New York', boss: 'eve.thompson' },
  { key: 'coo', department: 'Operations', title: 'Chief Operating Officer', salary: 305_000, office: 'Austin', boss: 'eve.thompson' },
  { key: 'counsel', department: 'Legal', title: 'General Counsel', salary: 275_000, office: 'London', boss: 'eve.thompson' },
  {
    key: 'platform',
    department: 'Engineering',
    title: 'Director of Platform Engineering',
    salary: 218_500,
    office: 'Austin',
    boss: 'vp-engineering',
  },
  own('nina.patel', 'Engineering', 172_500, 'Austin', 'platform'),
  own('marcus.johnson', 'Engineering', 118_500, 'Austin', 'nina.patel'),
  own('sarah.kim', 'Engineering', 112_000, 'Austin', 'nina.patel'),
  own('frank.davis', 'Engineering', 48_500, 'Austin', 'nina.patel'),
  own('paula.reyes', 'Finance', 104_500, 'Austin', 'bob.martinez'),
  own('tom.becker', 'Finance', 109_500, 'Berlin', 'bob.martinez'),
  { name: 'Priya Nair', department: 'Finance', title: 'Financial Analyst', salary: 92_500, office: 'Singapore', boss: 'bob.martinez' },
  { name: 'Priya Sharma', department: 'Marketing', title: 'Content Strategist', salary: 84_500, office: 'London', boss: 'vp-marketing' },
  {
    name: 'Daniel Lee',
    department: 'Engineering',
    title: 'Site Reliability Engineer',
    salary: 141_500,
    office: 'New York',
    boss: 'platform',
  },
  { name: 'Daniel Lee', department: 'Operations', title: 'Procurement Specialist', salary: 71_500, office: 'San Francisco', boss: 'coo' },
  { name: 'José García', department: 'Support', title: 'Support Engineer', salary: 82_500, office: 'Austin', boss: 'dan.williams' },
  {
    name: "Liam O'Brien",
    department: 'Sales',
    title: 'Senior Account Executive',
    salary: 134_500,
    office: 'London',
    boss: 'carol.johnson',
  },
  { name: 'Omar Haddad', department: 'Legal', title: 'Senior Counsel', salary: 186_500, office: 'New York', boss: 'counsel' },
  { name: 'Grace Okafor', department: 'Marketing', title: 'Growth Analyst', salary: 88_500, office: 'London', boss: 'vp-marketing' },
  team('Senior Software Engineer', 151_500),
  team('Senior Software Engineer', 146_500),
  team('Software Engineer', 121_500),
  team('Software Engineer', 108_500),
  team('QA Engineer', 98_500),
  team('Site Reliability Engineer', 137_500),
  team('Data Engineer', 126_500),
  { department: 'Finance', title: 'Senior Accountant', salary: 103_500, boss: 'bob.martinez' },
  { department: 'Finance', title: 'Accountant', salary: 78_500, boss: 'bob.martinez' },
  { department: 'HR', title: 'Recruiter', salary: 76_500, boss: 'alice.chen' },
];
const heads: Record<DepartmentName, string> = {
  Engineering: 'vp-engineering',
  HR: 'alice.chen',
  Finance: 'bob.martinez',
  Sales: 'carol.johnson',
  Support: 'dan.williams',
  Marketing: 'vp-marketing',
  Operations: 'coo',
  Legal: 'counsel',
};
const numberOf = new Map(known.flatMap(({ key }, n) => (key === undefined ? [] : [[key, n] as const])));

export const FEWEST = 100;
export const KNOWN_PEOPLE = known.length;

export interface Directory {
  readonly size: number;
  person(n: number): SamplePerson;
  /** The number of a person's manager, without computing the person. */
  managerOf(n: number): number | undefined;
  idOf(n: number): string;
}

/** The generated people of one department: a tree with equal spans, filled from the top. */
interface Branch {
  readonly department: Department;
  readonly start: number;
  readonly count: number;
  readonly head: number;
}

function branches(size: number): Branch[] {
  const there = (name: DepartmentName) => known.filter((each) => each.department === name).length;
  const small = departments.slice(1).map((department) => Math.max(0, Math.round((size * department.share) / 100) - there(department.name)));
  const rest = size - known.length - small.reduce((sum, count) => sum + count, 0);
  let start = known.length;
  return departments.map((department, which) => {
    const count = which === 0 ? rest : at(small, which - 1);
    const branch = { department, start, count, head: numberOf.get(heads[department.name]) ?? 0 };
    start += count;
    return branch;
  });
}

const padded = (n: number) => String(n).padStart(12, '0');
const work = (mailbox: string) => `${mailbox}@${WORK_EMAIL_DOMAIN}`;
const salaryIn = ({ from, to }: Job, n: number) => between(from / 500, to / 500, n, 3) * 500;

function officeOf(n: number): Office {
  let place = chance(n, 1) * 100;
  return offices.find(({ share }) => (place -= share) < 0) ?? at(offices, 0);
}

export function directory(size: number): Directory {
  if (!Number.isInteger(size) || size < FEWEST) throw new RangeError(`The sample company has at least ${FEWEST} employees.`);
  const parts = branches(size);
  const branchOf = (n: number): Branch => {
    let which = parts.length - 1;
    while (at(parts, which).start > n) which--;
    return at(parts, which);
  };
  const idOf = (n: number) => {
    const username = known[n]?.username;
    return username === undefined ? `0e1a0000-0000-4000-8000-${padded(n + 1)}` : persona(username).sub;
  };
  const managerOf = (n: number): number | undefined => {
    const one = known[n];
    if (one) return one.boss === undefined ? undefined : numberOf.get(one.boss);
    const { start, head, department } = branchOf(n);
    const above = Math.floor((n - start) / department.span) - 1;
    return above < 0 ? head : start + above;
  };
  const jobOf = (n: number): Job => {
    const { start, count, department } = branchOf(n);
    let height = 0;
    for (let below = n - start; ; height++) {
      below = (below + 1) * department.span;
      if (below >= count) break;
    }
    // Levels above the declared titles use the highest title.
    return height === 0 ? pick(department.jobs, n, 2) : at(department.leaders, Math.min(height, department.leaders.length) - 1);
  };
  const knownPerson = (one: Known, n: number): SamplePerson => {
    const full = one.name ?? (one.username === undefined ? undefined : persona(one.username).name);
    const [first = '', last = ''] = full?.split(' ') ?? [];
    const twin = known.findIndex(({ name }) => name !== undefined && name === one.name) < n && one.name !== undefined;
    const name: SampleName =
      full === undefined ? nameOf(n) : { first, last, mailbox: `${asciiName(first)}.${asciiName(last)}${twin ? '2' : ''}` };
    return {
      n,
      id: idOf(n),
      first: name.first,
      last: name.last,
      email: work(name.mailbox),
      department: one.department,
      title: one.title,
      office: offices.find(({ name: place }) => place === one.office) ?? officeOf(n),
      manager: managerOf(n),
      salary: one.salary,
      known: true,
      tenure: one.username === 'frank.davis' ? 190 : one.boss === undefined ? 4300 : between(500, 3600, n, 4),
    };
  };
  return {
    size,
    managerOf,
    idOf,
    person(n) {
      const one = known[n];
      if (one) return knownPerson(one, n);
      const { first, last, mailbox } = nameOf(n);
      const job = jobOf(n);
      return {
        n,
        id: idOf(n),
        first,
        last,
        email: work(mailbox),
        department: branchOf(n).department.name,
        title: job.title,
        office: officeOf(n),
        manager: managerOf(n),
        salary: salaryIn(job, n),
        tenure: job.title.endsWith('Intern') ? between(20, 200, n, 4) : between(20, 4200, n, 4),
        known: false,
      };
    },
  };
}
