/** Generated sample data of the HR domain: deterministic, consistent, and with the people that examples name, at any size and date. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { workingDays } from '../../domains/hr/rules.ts';
import { departmentNames, offices } from '../../domains/sample-company/departments.ts';
import { directory, type SamplePerson } from '../../domains/sample-company/directory.ts';
import { sampleContext } from '../../src/declare/sample.ts';
import { sampleCompany } from '../../domains/sample-company/index.ts';
import { hrSample } from '../../domains/hr/sample/index.ts';
import { asciiName } from '../../domains/sample-company/names.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import type { Cell } from '../../src/declare/sample.ts';

const TODAY = new Date('2026-11-16T09:00:00Z');
type Row = Record<string, Cell>;
const id = (username: string) => persona(username).sub;
const shifted = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

function rowsOf(name: string, employees = 500, today = TODAY): Row[] {
  const table = hrSample(sampleContext(sampleCompany, { employees, today })).find((each) => each.name === `hr.${name}`);
  if (!table) throw new Error(`no table ${name}`);
  return Array.from(table.rows(), (row) => Object.fromEntries(table.columns.map((column, which) => [column, row[which] ?? null])));
}
const everyone = (size: number): SamplePerson[] => Array.from({ length: size }, (_, n) => directory(size).person(n));
const fullName = ({ first, last }: SamplePerson) => `${first} ${last}`;
const numberOf = (list: readonly string[], part: string) => list.filter((each) => each === part).length;

/** The number of direct and indirect reports of each person. */
function sizes(size: number): Int32Array {
  const company = directory(size);
  const below = new Int32Array(size);
  for (let n = size - 1; n > 0; n--) {
    const manager = company.managerOf(n) ?? -1;
    // A manager always precedes the reports, so a sum that starts at the end is complete.
    if (manager < 0 || manager >= n) throw new Error(`${n} comes before ${manager}`);
    below[manager] = (below[manager] ?? 0) + (below[n] ?? 0) + 1;
  }
  return below;
}

const isPlanned = (row: Readonly<Record<string, unknown>>): boolean => String(row['effective_date'] ?? '') > '2026-11-16';

describe('the generated company', () => {
  test('has the same rows on the same day', () => {
    const digest = (today: Date) => {
      const hash = createHash('sha256');
      for (const table of hrSample(sampleContext(sampleCompany, { employees: 500, today })))
        for (const row of table.rows()) hash.update(JSON.stringify(row));
      return hash.digest('hex');
    };
    expect(digest(new Date('2026-11-16T23:59:00Z'))).toBe(digest(TODAY));
    expect(digest(new Date('2026-11-17T00:00:00Z'))).not.toBe(digest(TODAY));
  });

  test('has the same people for a whole year', () => {
    for (const name of ['employees', 'chain', 'pay', 'contact', 'identity', 'salary_history']) {
      // A planned raise was requested some days ago.
      const past = (rows: ReturnType<typeof rowsOf>) => rows.filter((row) => !isPlanned(row));
      expect(past(rowsOf(name, 500, new Date('2026-01-01T00:00:00Z')))).toEqual(past(rowsOf(name)));
    }
  });

  test('is generated lazily: the first ten rows of a million employees need no complete generation', () => {
    const started = performance.now();
    for (const table of hrSample(sampleContext(sampleCompany, { employees: 1_000_000, today: TODAY }))) {
      const rows = table.rows()[Symbol.iterator]();
      for (let n = 0; n < 10; n++) {
        const { value, done } = rows.next();
        // Departments and grades do not grow with the company.
        if (done === true) break;
        expect(value).toHaveLength(table.columns.length);
      }
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('has row estimates that are good enough for a progress bar', () => {
    for (const table of hrSample(sampleContext(sampleCompany, { employees: 5000, today: TODAY }))) {
      const rows = [...table.rows()].length;
      expect(rows / table.estimate, table.name).toBeGreaterThan(0.7);
      expect(rows / table.estimate, table.name).toBeLessThan(1.4);
    }
  });
});

describe.each([100, 500, 20_011])('a company of %i', (size) => {
  const people = everyone(size);
  const named = (name: string) => people.filter((each) => fullName(each) === name);

  test('contains every sample person with their own id', () => {
    expect(people).toHaveLength(size);
    expect(new Set(people.map((each) => each.id)).size).toBe(size);
    for (const { name, sub, email, title } of personas.filter(({ realm }) => realm === 'staff')) {
      expect(named(name)).toMatchObject([{ id: sub, email, title }]);
    }
  });

  test('contains the people that examples name', () => {
    const where = (name: string) =>
      named(name)
        .map(({ department }) => department)
        .sort();
    expect(where('Priya Nair')).toEqual(['Finance']);
    expect(where('Priya Sharma')).toEqual(['Marketing']);
    expect(where('Daniel Lee')).toEqual(['Engineering', 'Operations']);
    expect(where('José García')).toEqual(['Support']);
    expect(where("Liam O'Brien")).toEqual(['Sales']);
    expect(where('Omar Haddad')).toEqual(['Legal']);
    expect(where('Grace Okafor')).toEqual(['Marketing']);
    const departments = {
      'alice.chen': 'HR',
      'bob.martinez': 'Finance',
      'carol.johnson': 'Sales',
      'dan.williams': 'Support',
      'nina.patel': 'Engineering',
      'marcus.johnson': 'Engineering',
      'sarah.kim': 'Engineering',
    };
    for (const [username, department] of Object.entries(departments))
      expect(people.find((each) => each.id === id(username))).toMatchObject({ department });
  });

  test('has unambiguous first names for the people that examples name', () => {
    const first = people.map((each) => asciiName(each.first));
    for (const name of 'eve alice bob carol dan nina marcus sarah frank paula tom liam omar grace jose'.split(' ')) {
      expect([name, numberOf(first, name)]).toEqual([name, 1]);
      const others = first.filter((each) => each.includes(name) && each !== name);
      expect([name, others.filter((each) => each !== 'daniel')]).toEqual([name, []]);
    }
    const unknownPeople = new Set(people.filter(({ known }) => !known).map((each) => asciiName(each.last)));
    for (const part of /eve|alice|bob|carol|dan|nina|marcus|sarah|frank|paula|tom|liam|omar|grace|jose|priya|kim|chen|patel|reyes|becker|lee$|nair|garcia/.source.split(
      '|',
    )) {
      expect([part, [...unknownPeople].filter((each) => new RegExp(part).test(each))]).toEqual([part, []]);
    }
    expect(numberOf(first, 'priya')).toBe(2);
    expect(numberOf(first, 'daniel')).toBe(2);
    expect(
      people
        .filter((each) => /johnson/i.test(each.last))
        .map(fullName)
        .sort(),
    ).toEqual(['Carol Johnson', 'Marcus Johnson']);
  });

  test('has valid addresses, numbers and salaries', () => {
    expect(new Set(people.map(({ email }) => email)).size).toBe(size);
    expect(people.filter(({ email }) => !/^[a-z]+\.[a-z]+\d*@tamshai\.example$/.test(email))).toEqual([]);
    expect(people.filter(({ salary }) => salary % 500 !== 0 || salary < 40_000 || salary > 500_000)).toEqual([]);
    const managerEarns = people.filter(({ manager, salary }) => manager !== undefined && (people[manager]?.salary ?? 0) > salary).length;
    expect(managerEarns / size).toBeGreaterThan(0.9);
    const identity = rowsOf('identity', size).map(({ ssn }) => String(ssn));
    expect(new Set(identity).size).toBe(size);
    expect(identity.filter((ssn) => !/^9\d\d-\d\d-\d{4}$/.test(ssn))).toEqual([]);
    const contact = rowsOf('contact', size);
    expect(contact.filter(({ phone }) => !/^\+1-\d{3}-555-01\d\d$/.test(String(phone)))).toEqual([]);
    expect(contact.filter(({ home_address }) => String(home_address).length < 12)).toEqual([]);
  });

  test('has a hire date on a working day before this year for everyone', () => {
    const odd = rowsOf('employees', size).filter(({ hire_date, created_at }) => {
      const day = String(hire_date);
      return workingDays(day, day) !== 1 || day >= '2026-01-01' || created_at !== `${day}T09:00:00Z`;
    });
    expect(odd).toEqual([]);
  });

  test('has the expected reporting lines', () => {
    const bossOf = (name: string) => named(name).map(({ manager }) => fullName(people[manager ?? -1] as SamplePerson));
    for (const name of ['Marcus Johnson', 'Sarah Kim', 'Frank Davis']) expect(bossOf(name)).toEqual(['Nina Patel']);
    const below = sizes(size);
    const under = (name: string) => below[named(name)[0]?.n ?? -1];
    for (const name of ['Marcus Johnson', 'Sarah Kim', 'Frank Davis', 'Paula Reyes', 'Tom Becker']) expect(under(name)).toBe(0);
    for (const name of ['Dan Williams', 'Alice Chen', 'Carol Johnson', 'Bob Martinez']) expect(under(name)).toBeGreaterThan(0);
    expect(under('Nina Patel')).toBe(10);
    expect(under('Eve Thompson')).toBe(size - 1);
    expect(people.filter(({ manager }) => manager === undefined).map(fullName)).toEqual(['Eve Thompson']);
    expect(
      people.some((each) => each.title.includes('Accountant') && fullName(people[each.manager ?? 0] as SamplePerson) === 'Bob Martinez'),
    ).toBe(true);
    const nina = new Set(
      rowsOf('chain', size)
        .filter((row) => row['manager_id'] === id('nina.patel'))
        .map((row) => row['employee_id']),
    );
    for (const name of ["Liam O'Brien", 'Omar Haddad', 'Alice Chen']) expect(nina.has(named(name)[0]?.id ?? null)).toBe(false);
    // A generated person has the title of a manager exactly if somebody reports to them.
    const unknownPeople = people.filter(({ known }) => !known);
    expect(unknownPeople.filter(({ n, title }) => /Manager|Director|President/.test(title) !== (below[n] ?? 0) > 0)).toEqual([]);
  });

  test('has a chain table that matches the managers', () => {
    const boss = new Map(people.map((each) => [each.id, each.manager === undefined ? null : people[each.manager]?.id]));
    const above = new Map<Cell, Cell[]>();
    for (const row of rowsOf('chain', size)) {
      const list = above.get(row['employee_id'] ?? '') ?? [];
      list.push(row['manager_id'] ?? '');
      above.set(row['employee_id'] ?? '', list);
    }
    const wrong = people.filter((each) => {
      const expected: string[] = [];
      for (let up = boss.get(each.id); up; up = boss.get(up)) expected.push(up);
      return (above.get(each.id) ?? []).join() !== expected.join();
    });
    expect(wrong).toEqual([]);
  });
});

describe('the structure of the company', () => {
  const people = everyone(500);
  test('has all departments, offices and jobs', () => {
    const count = (name: string) => people.filter(({ department }) => department === name).length;
    expect(new Set(people.map(({ department }) => department))).toEqual(new Set(departmentNames));
    expect(count('Engineering')).toBeGreaterThan(100);
    expect(count('Operations')).toBeGreaterThan(40);
    expect(count('Legal')).toBeLessThan(50);
    expect([...new Set(people.map(({ office }) => office.name))].sort()).toEqual([
      'Austin',
      'Berlin',
      'London',
      'New York',
      'San Francisco',
      'Singapore',
    ]);
    expect(offices.reduce((sum, { share }) => sum + share, 0)).toBe(100);
    for (const part of ['Engineer', 'Recruiter', 'Accountant', 'Account Executive']) {
      expect(people.filter(({ title }) => title.includes(part)).length, part).toBeGreaterThan(1);
    }
    const depth = Math.max(...rowsOf('chain').map((row) => Number(row['depth'])));
    expect(depth).toBeGreaterThanOrEqual(4);
    expect(depth).toBeLessThanOrEqual(6);
  });

  test('contains no salary in an id, an email address or a timestamp', () => {
    const shown = rowsOf('employees')
      .map((row) => `${row['employee_id']} ${row['email']} ${row['created_at']}`)
      .join();
    expect(people.filter(({ salary }) => shown.includes(String(salary)))).toEqual([]);
  });

  test('has teams of all sizes in a company of a million people', () => {
    const below = sizes(1_000_000);
    const some = (from: number, to: number) => below.reduce((sum, each) => (each >= from && each <= to ? sum + 1 : sum), 0);
    expect(some(8, 12)).toBeGreaterThan(10_000);
    expect(some(700, 1500)).toBeGreaterThan(100);
    expect(some(40_000, 60_000)).toBeGreaterThan(1);
    const company = directory(1_000_000);
    expect(company.person(2)).toMatchObject({ id: id('bob.martinez') });
    expect(below[2]).toBe(49_999);
  });

  test('has a million unique email addresses', () => {
    const company = directory(1_000_000);
    const seen = new Set<string>();
    for (let n = 0; n < 1_000_000; n++) seen.add(company.person(n).email);
    expect(seen.size).toBe(1_000_000);
  }, 60_000);

  test('requires at least 100 people', () => {
    for (const size of [0, 99, 500.5, Number.NaN]) expect(() => directory(size)).toThrow('at least 100');
  });
});

describe('time off and reviews', () => {
  const staff = personas.filter(({ realm }) => realm === 'staff').map(({ sub }) => sub);
  /** Days throughout two years, one of them a leap year, and days around New Year. */
  const days = [
    ...Array.from({ length: 46 }, (_, nth) => shifted('2027-01-03', nth * 16)),
    '2026-12-31',
    '2027-01-01',
    '2028-02-29',
    '2026-10-31',
    '2026-11-01',
  ];
  const size = 100;

  test.each(days)('are consistent on %s', (day) => {
    const today = new Date(`${day}T12:00:00Z`);
    const year = Number(day.slice(0, 4));
    const requests = rowsOf('time_off_requests', size, today);
    const balances = rowsOf('time_off_balances', size, today);
    const hired = new Map(rowsOf('employees', size, today).map((row) => [row['employee_id'], String(row['hire_date'])]));
    const balance = new Map(balances.map((row) => [`${row['employee_id']} ${row['fiscal_year']} ${row['type_code']}`, row]));
    expect(balance.size).toBe(balances.length);

    // Everyone has balances for this year and the last. Each balance equals the sum of the requests.
    for (const person of hired.keys()) for (const each of [year - 1, year]) expect(balance.has(`${person} ${each} PARENTAL`)).toBe(true);
    const sums = new Map<string, { used: number; pending: number }>();
    for (const row of requests) {
      const key = `${row['employee_id']} ${String(row['start_date']).slice(0, 4)} ${row['type_code']}`;
      expect(balance.has(key), key).toBe(true);
      const sum = sums.get(key) ?? { used: 0, pending: 0 };
      if (row['status'] === 'approved') sum.used += Number(row['days']);
      if (row['status'] === 'pending') sum.pending += Number(row['days']);
      sums.set(key, sum);
    }
    for (const [key, row] of balance) {
      expect({ used: row['used'], pending: row['pending'] }).toEqual(sums.get(key) ?? { used: 0, pending: 0 });
      const available = Number(row['entitlement']) + Number(row['carryover']) - Number(row['used']) - Number(row['pending']);
      expect(available).toBeGreaterThanOrEqual(staff.includes(String(row['employee_id'])) && row['fiscal_year'] === year ? 5 : 0);
      expect(row['fiscal_year'] === year + 1 ? row['carryover'] : 0).toBe(0);
    }

    // Requests lie within one year and after the hire date, are not created in the future, and are decided by another person.
    const taken = new Map<Cell, string[]>();
    for (const row of requests) {
      const [start, end] = [String(row['start_date']), String(row['end_date'])];
      expect(row['days']).toBe(workingDays(start, end));
      expect(start.slice(0, 4)).toBe(end.slice(0, 4));
      expect(start > (hired.get(row['employee_id'] ?? '') ?? '')).toBe(true);
      expect(String(row['created_at']).slice(0, 10) <= day).toBe(true);
      const decided = row['status'] === 'approved' || row['status'] === 'rejected';
      expect([row['approver_id'] !== null, row['decided_at'] !== null]).toEqual([decided, decided]);
      expect(row['approver_id']).not.toBe(row['employee_id']);
      if (decided)
        expect(String(row['decided_at']).slice(0, 10) <= day && String(row['decided_at']) >= String(row['created_at'])).toBe(true);
      taken.set(row['employee_id'] ?? '', [...(taken.get(row['employee_id'] ?? '') ?? []), `${start} ${end}`]);
    }
    for (const list of taken.values())
      list.sort().reduce((before, each) => (expect(each.slice(0, 10) > before.slice(11)).toBe(true), each));

    // Sample people have no current requests except two pending ones, so that examples can create new ones.
    const theirs = requests.filter((row) => staff.includes(String(row['employee_id'])) && String(row['end_date']) >= shifted(day, -31));
    expect(theirs.map((row) => [row['employee_id'], row['status']])).toEqual([
      [id('marcus.johnson'), 'pending'],
      [id('sarah.kim'), 'pending'],
    ]);
    for (const row of theirs) {
      expect(String(row['start_date']) > shifted(day, 30)).toBe(true);
      expect(String(row['start_date']).slice(5, 7) === '12' || String(row['end_date']).slice(5, 7) === '12').toBe(false);
    }

    const reviews = rowsOf('performance_reviews', size, today);
    const due = reviews.filter((row) => row['status'] === 'due' && row['reviewer_id'] === id('nina.patel'));
    expect(due.map((row) => row['employee_id'])).toEqual(expect.arrayContaining([id('marcus.johnson'), id('sarah.kim')]));
    for (const row of reviews) {
      expect(row['period']).toMatch(/^20\d\d-H[12]$/);
      expect(row['reviewer_id']).not.toBe(null);
      expect(row['rating'] !== null).toBe(row['status'] === 'submitted' || row['status'] === 'acknowledged');
    }
  });

  test('have every status in a company of 500', () => {
    const statuses = (name: string) => new Set(rowsOf(name).map((row) => row['status']));
    expect(statuses('time_off_requests')).toEqual(new Set(['pending', 'approved', 'rejected', 'cancelled']));
    expect(statuses('performance_reviews')).toEqual(new Set(['due', 'draft', 'submitted', 'acknowledged']));
    expect(rowsOf('time_off_balances')).toHaveLength(500 * 7 * 3);
    const history = rowsOf('salary_history');
    const pay = new Map(rowsOf('pay').map((row) => [row['employee_id'], row['salary']]));
    expect(history.length).toBeGreaterThan(100);
    for (const row of history.filter((each) => !isPlanned(each))) {
      expect(row['new_salary']).toBe(pay.get(row['employee_id'] ?? ''));
      expect(Number(row['old_salary'])).toBeLessThan(Number(row['new_salary']));
      expect(row['changed_by']).not.toBe(row['employee_id']);
    }
  });
});
