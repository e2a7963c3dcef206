/** What hr provides to the engine and to other domains: the employment of a person, and a feed of changed people. */
import { z } from 'zod';
import { employment, peopleChanges } from '../../src/declare/engine-contracts.ts';
import { storedId } from '../../src/declare/fields.ts';
import { hr } from './domain.ts';
import { salaryChanges } from './exports.ts';

export const employmentProvision = hr.provide(employment, {
  systemAudience: 'directory',
  calls: {
    stateOf: async ({ employeeId }, { sql }) => {
      const row = z.object({ state: employment.calls.stateOf.output });
      return (await sql.one(row, sql`select hr.employment(${employeeId}::uuid) as state`)).state;
    },
  },
});

const PAGE = 500;
const log = z.object({
  last: z.number().nullable(),
  n: z.number().nullable(),
  employee_id: storedId.nullable(),
  name: z.string().nullable(),
  department: z.string().nullable(),
  manager_id: storedId.nullable(),
  active: z.boolean().nullable(),
});

export const peopleChangesProvision = hr.provide(peopleChanges, {
  systemAudience: 'feed',
  calls: {
    async after({ after }, { sql }) {
      // One statement reads people and numbers at the same moment. The first row always exists and has the newest number.
      const rows = await sql.many(
        log,
        sql`
          select m.last, l.n, l.employee_id, e.first_name || ' ' || e.last_name as name, e.department, e.manager_id, e.active
          from (select max(n) as last from hr.people_log) m
          left join (select n, employee_id from hr.people_log where n > ${after}::bigint order by n limit ${PAGE}::int) l on true
          left join hr.employees e on e.employee_id = l.employee_id
          order by l.n`,
      );
      const changes = rows.flatMap(({ n, employee_id, name, department, manager_id, active }) =>
        n === null || employee_id === null
          ? []
          : [{ n, employeeId: employee_id, name, department, managerId: manager_id, active: active === true }],
      );
      return { last: rows[0]?.last ?? 0, changes };
    },
  },
});

const payLog = z.object({
  last: z.number().nullable(),
  n: z.number().nullable(),
  employee_id: storedId.nullable(),
  salaries: z.array(z.object({ from: z.string(), salary: z.number() })).nullable(),
});

export const salaryChangesProvision = hr.provide(salaryChanges, {
  systemAudience: 'salaries',
  calls: {
    async after({ after }, { sql }) {
      const rows = await sql.many(
        payLog,
        sql`
          select m.last, l.n, l.employee_id, s.salaries
          from (select max(n) as last from hr.pay_log) m
          left join (select n, employee_id from hr.pay_log where n > ${after}::bigint order by n limit ${PAGE}::int) l on true
          left join lateral (
            select json_agg(json_build_object('from', a.day, 'salary', a.salary) order by a.day) as salaries
            from (
              select e.hire_date as day, p.salary from hr.pay p join hr.employees e on e.employee_id = p.employee_id
              where p.employee_id = l.employee_id
                and not exists (select from hr.planned_pay n where n.employee_id = p.employee_id and n.effective_date <= e.hire_date)
              union all
              select effective_date, planned_salary from hr.planned_pay where employee_id = l.employee_id
            ) a
          ) s on true
          order by l.n`,
      );
      const changes = rows.flatMap(({ n, employee_id, salaries }) =>
        n === null || employee_id === null ? [] : [{ n, employeeId: employee_id, salaries: salaries ?? [] }],
      );
      return { last: rows[0]?.last ?? 0, changes };
    },
  },
});
