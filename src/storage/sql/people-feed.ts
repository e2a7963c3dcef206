/** The feed of changed people from hr, and the copies in other domains. Each side uses its own database and role. */
import type { PeopleCopy, PeopleFeed, PersonChange } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';
import type { SqlDatabase, SqlSession } from './database.ts';
import { toFailure, isConflict } from './errors.ts';

export const PAGE = 500;
const ATTEMPTS = 5;
/** If a top manager changes, a trigger updates the reporting chain of everyone below. No person waits for this, but it must end. */
const DEADLINE_MS = 300_000;

/** One statement, so that people and numbers are consistent. The first row always exists and holds the newest number. */
const CHANGES = `with s as materialized (select set_config('app.principal', 'people-feed', true) as a)
  select q.* from s cross join lateral (
    select m.last, l.n, l.employee_id, e.first_name || ' ' || e.last_name as name, e.department, e.manager_id, e.active
    from (select max(n) as last from hr.people_log) m
    left join (select n, employee_id from hr.people_log where n > $1::bigint order by n limit ${PAGE}) l on true
    left join hr.employees e on e.employee_id = l.employee_id
    where s.a is not null order by l.n offset 0
  ) q`;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const changeOf = (row: Row): PersonChange => ({
  n: Number(row['n']),
  employeeId: String(row['employee_id']),
  name: textOf(row['name']),
  department: textOf(row['department']),
  managerId: textOf(row['manager_id']),
  active: row['active'] === true,
});

export const createSqlPeopleFeed = (database: SqlDatabase): PeopleFeed => ({
  async after(n) {
    try {
      const rows = await database.read('hr_feed', { text: CHANGES, values: [n] });
      return { last: Number(rows[0]?.['last'] ?? 0), people: rows.filter((row) => row['n'] != null).map(changeOf) };
    } catch (error) {
      throw toFailure(error);
    }
  },
});

const GIVEN = `json_to_recordset($1::json) as p ("employeeId" uuid, name text, department text, "managerId" uuid, active boolean)`;
/** Writes a page, and only rows that differ: each update raises the row version and invalidates waiting approvals. */
const COPYING: Readonly<Record<string, readonly string[]>> = {
  finance: [
    `insert into finance.people (employee_id, name, department, manager_id, active)
      select "employeeId", name, department, "managerId", active from ${GIVEN} where name is not null
      on conflict (employee_id) do update set name = excluded.name, department = excluded.department, manager_id = excluded.manager_id, active = excluded.active
      where (people.name, people.department, people.manager_id, people.active) is distinct from (excluded.name, excluded.department, excluded.manager_id, excluded.active)`,
    `update finance.people set active = false from ${GIVEN} where p.name is null and employee_id = "employeeId" and people.active`,
  ],
  payroll: [
    `update payroll.employees set employee_name = coalesce(p.name, employee_name), active = p.active from ${GIVEN}
      where employee_id = "employeeId" and (employee_name, employees.active) is distinct from (coalesce(p.name, employee_name), p.active)`,
  ],
};

/** Undefined for a domain without a copy. */
export function createSqlPeopleCopy(database: SqlDatabase, domain: string): PeopleCopy | undefined {
  const copying = COPYING[domain];
  if (copying === undefined) return undefined;
  const first = {
    text: `select set_config('app.principal', 'people-feed', true), set_config('statement_timeout', '${DEADLINE_MS}', true)`,
    values: [],
  };
  const positionIn = async (session: SqlSession, lock = '') => {
    const [row] = await session.query(`select n from ${domain}.feed where source = 'hr' ${lock}`);
    if (row === undefined) throw new Error('no position');
    return Number(row['n']);
  };
  const transaction = async <T>(body: (session: SqlSession) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.transaction(`${domain}_feed`, first, body);
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw toFailure(error);
      }
    }
  };
  return {
    domain,
    position: () => transaction((session) => positionIn(session)),
    take: (people, from, to) =>
      transaction(async (session) => {
        const now = await positionIn(session, 'for update');
        if (now !== from) return now;
        const page = [JSON.stringify(people)];
        if (people.length > 0) for (const text of copying) await session.query(text, page, DEADLINE_MS);
        await session.query(`update ${domain}.feed set n = $1::bigint where source = 'hr'`, [to]);
        return to;
      }),
  };
}
