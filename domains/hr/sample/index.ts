/** Sample data of hr, in the order of the foreign keys. */
import type { SampleContext, SampleEmployee, SampleRow, SampleTable } from '../../../src/declare/sample.ts';
import { shifted } from '../../sample-company/days.ts';
import { between, chance, pick } from '../../sample-company/random.ts';
import { gradeOf, grades, headsOf } from './grades.ts';
import { reviewsOf } from './reviews.ts';
import { balancesOf, calendarOf, requestsOf, waits } from './time-off.ts';

/** The largest number of people with reviews, balances and requests. Without a limit, these rows would dominate a large sample. */
const WITH_DETAILS = 20_000;

/** The person whose planned raise an example shows: Grace Okafor. */
const PLANNED = 23;

const at9 = (day: string) => `${day}T09:00:00Z`;
const numbered = (block: string, n: number) => `${block}-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** No real social security number begins with 9. */
export function ssnOf({ n }: Pick<SampleEmployee, 'n'>): string {
  const digits = String((n * 61_803_399 + 12_345_678) % 100_000_000).padStart(8, '0');
  return `9${digits.slice(0, 2)}-${digits.slice(2, 4)}-${digits.slice(4)}`;
}

/** The salary before last year's raise, and the date of the raise; undefined if there was none. */
export function raiseOf(
  { n, salary, tenure }: Pick<SampleEmployee, 'n' | 'salary' | 'tenure'>,
  lastYear: number,
): { before: number; day: string } | undefined {
  if (tenure < 400 || chance(n, 31) > 0.4) return undefined;
  const before = salary - Math.max(500, Math.round((salary * between(2, 8, n, 32)) / 100 / 500) * 500);
  return { before, day: `${lastYear}-${pick(['04-01', '10-01'], n, 33)}` };
}

export function hrSample({ company, directory: people, today, settings }: SampleContext): readonly SampleTable[] {
  const { size: employees, known = 0 } = people;
  const calendar = calendarOf(today, settings);
  const chief = people.idOf(0);
  /** The person who changes salaries. The head of the company changes the salary of that person. */
  const hr = company.people.find(({ roles }) => roles.includes('hr-write'))?.employeeId ?? chief;
  const every = Math.ceil(employees / WITH_DETAILS);

  function* all(): Iterable<SampleEmployee> {
    for (let n = 0; n < employees; n++) yield people.person(n);
  }
  function* detailed(): Iterable<SampleEmployee> {
    for (let n = 0; n < employees; n++) if (n < known || n % every === 0) yield people.person(n);
  }
  // Consecutive people usually have the same manager, so the last manager is cached.
  let boss: SampleEmployee | undefined;
  const bossOf = ({ manager }: SampleEmployee): SampleEmployee | undefined => {
    if (boss?.n !== manager) boss = manager === undefined ? undefined : people.person(manager);
    return boss;
  };
  const table = (
    name: string,
    columns: string,
    from: () => Iterable<SampleEmployee>,
    rowsOf: (person: SampleEmployee) => Iterable<SampleRow>,
    each = 1,
  ): SampleTable => ({
    name: `hr.${name}`,
    columns: columns.split(' '),
    // The sample contains the rows that the triggers would write.
    withoutTriggers: name === 'employees',
    estimate: Math.ceil((from === all ? employees : employees / every) * each),
    *rows() {
      for (const person of from()) yield* rowsOf(person);
    },
  });

  function* above(person: SampleEmployee): Iterable<SampleRow> {
    let depth = 1;
    for (let up = person.manager; up !== undefined; up = people.managerOf(up))
      yield [people.idOf(up), person.last, person.first, person.id, depth++];
  }
  function employeeRow(person: SampleEmployee): SampleRow {
    const manager = bossOf(person);
    const day = person.hired;
    return [
      person.id,
      person.first,
      person.last,
      person.email,
      person.department,
      person.title,
      person.location,
      manager?.id ?? null,
      manager ? `${manager.first} ${manager.last}` : null,
      day,
      true,
      at9(day),
      at9(day),
      gradeOf(person.salary),
    ];
  }
  function* raises(person: SampleEmployee): Iterable<SampleRow> {
    const { id, n, salary } = person;
    const raise = raiseOf(person, calendar.years[0] ?? 0);
    const by = id === hr ? chief : hr;
    if (!raise || by === id) return;
    const { before, day } = raise;
    const reason = pick(['Annual review', 'Promotion', 'Market adjustment'], n, 34);
    yield [numbered('0d000000', n + 1), id, before, salary, day, reason, by, at9(shifted(day, -10))];
  }
  /** Raises that are planned for the next first of January, for a few people who had no raise last year. */
  const nextYear = `${Number(calendar.today.slice(0, 4)) + 1}-01-01`;
  function plannedOf(person: SampleEmployee): number | undefined {
    const { n, salary, tenure } = person;
    const isChosen = n === PLANNED || (person.known !== true && tenure >= 400 && chance(n, 36) < 0.15);
    if (!isChosen || person.id === hr || raiseOf(person, calendar.years[0] ?? 0)) return undefined;
    return salary + Math.max(500, Math.round((salary * between(3, 7, n, 37)) / 100 / 500) * 500);
  }
  function* plans(person: SampleEmployee): Iterable<SampleRow> {
    const planned = plannedOf(person);
    if (planned !== undefined) yield [person.id, nextYear, planned];
  }
  function* planning(person: SampleEmployee): Iterable<SampleRow> {
    const planned = plannedOf(person);
    if (planned === undefined) return;
    yield [
      numbered('0d000000', person.n + 1),
      person.id,
      person.salary,
      planned,
      nextYear,
      'Annual review',
      hr,
      at9(shifted(calendar.today, -12)),
    ];
  }
  function* reviews(person: SampleEmployee): Iterable<SampleRow> {
    const reviewer = bossOf(person)?.id ?? null;
    for (const [which, each] of reviewsOf(person, calendar.today).entries()) {
      const id = numbered('0f000000', person.n * 10 + which + 1);
      yield [id, person.id, each.period, reviewer, each.status, each.due, each.rating, each.goals, each.strengths, each.improvements];
    }
  }
  function* balances(person: SampleEmployee): Iterable<SampleRow> {
    for (const each of balancesOf(person, calendar, requestsOf(person, calendar))) {
      yield [person.id, each.year, each.type, each.entitlement, each.used, each.pending, each.carryover];
    }
  }
  function* requests(person: SampleEmployee): Iterable<SampleRow> {
    const approver = bossOf(person)?.id ?? null;
    for (const [which, each] of requestsOf(person, calendar).entries()) {
      // The two pending requests of Nina's team have fixed ids, which examples use.
      const id =
        waits(person.id) && each.status === 'pending' ? person.id.replace(/^0e/, '0b') : numbered('0b000000', person.n * 100 + which + 1);
      const note = each.status === 'rejected' ? 'Too many of the team are away then.' : null;
      yield [
        id,
        person.id,
        each.type,
        each.start,
        each.end,
        each.days,
        each.status,
        each.notes,
        each.decided === null ? null : approver,
        note,
        each.decided === null ? null : at9(each.decided),
        at9(each.asked),
      ];
    }
  }

  return [
    table(
      'employees',
      'employee_id first_name last_name email department job_title location manager_id manager_name hire_date active created_at ' +
        'updated_at grade',
      all,
      (person) => [employeeRow(person)],
    ),
    { name: 'hr.grade_levels', columns: ['grade', 'title', 'salary_min', 'salary_max'], estimate: grades.length, rows: () => grades },
    { name: 'hr.departments', columns: ['name', 'head_id'], estimate: 10, rows: () => headsOf(all()) },
    table('chain', 'manager_id last_name first_name employee_id depth', all, above, Math.log10(employees) + 0.3),
    table('people_log', 'employee_id', all, ({ id }) => [[id]]),
    table('pay', 'employee_id salary', all, (person) => [[person.id, person.salary]]),
    table('planned_pay', 'employee_id effective_date planned_salary', detailed, plans, 0.1),
    table('contact', 'employee_id phone home_address', all, (person) => [[person.id, person.phone, person.address]]),
    table('identity', 'employee_id ssn', all, (person) => [[person.id, ssnOf(person)]]),
    table(
      'salary_history',
      'history_id employee_id old_salary new_salary effective_date reason changed_by changed_at',
      detailed,
      function* (person) {
        yield* raises(person);
        yield* planning(person);
      },
      0.4,
    ),
    table(
      'performance_reviews',
      'review_id employee_id period reviewer_id status due_date rating goals_met_percent strengths improvements',
      detailed,
      reviews,
      3,
    ),
    {
      name: 'hr.time_off_years',
      columns: ['fiscal_year', 'opened_by'],
      estimate: calendar.years.length,
      rows: () => calendar.years.map((year) => [year, hr]),
    },
    table(
      'time_off_balances',
      'employee_id fiscal_year type_code entitlement used pending carryover',
      detailed,
      balances,
      7 * calendar.years.length,
    ),
    table(
      'time_off_requests',
      'request_id employee_id type_code start_date end_date days status notes approver_id approver_notes decided_at created_at',
      detailed,
      requests,
      4,
    ),
  ];
}
