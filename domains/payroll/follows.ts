/** Keeps the names, the departments and the employment of the people on the payroll up to date. */
import { peopleChanges } from '../../src/declare/engine-contracts.ts';
import { salaryChanges } from '../hr/exports.ts';
import { payroll } from './domain.ts';

/** Writes only rows that differ. It adds no person: a person without agreed pay is not on the payroll. */
export const copyOfPeople = payroll.follow(peopleChanges, {
  audience: 'feed',
  apply: (changes, { sql }) => [
    sql`
      update payroll.employees set employee_name = coalesce(p.name, employee_name), department = coalesce(p.department, employees.department),
        active = p.active
      from json_to_recordset(${JSON.stringify(changes)}::json) as p ("employeeId" uuid, name text, department text, active boolean)
      where employee_id = "employeeId" and (employee_name, employees.department, employees.active)
        is distinct from (coalesce(p.name, employee_name), coalesce(p.department, employees.department), p.active)`,
  ],
});

/** Replaces the salaries of each changed person on the payroll. */
export const copyOfSalaries = payroll.follow(salaryChanges, {
  audience: 'feed',
  apply(changes, { sql }) {
    const changed = sql`json_to_recordset(${JSON.stringify(changes)}::json) as c ("employeeId" uuid, salaries json)`;
    return [
      sql`delete from payroll.salaries s using ${changed} where s.employee_id = c."employeeId"`,
      sql`
        insert into payroll.salaries (employee_id, effective_from, salary)
        select c."employeeId", a."from", a.salary
        from ${changed} cross join lateral json_to_recordset(c.salaries) as a ("from" date, salary numeric)
        where exists (select from payroll.employees e where e.employee_id = c."employeeId")`,
    ];
  },
});
