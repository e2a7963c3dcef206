/** Keeps finance.people, the finance copy of all employees, up to date. */
import { peopleChanges } from '../../src/declare/engine-contracts.ts';
import { finance } from './domain.ts';

/** Writes only rows that differ: an update raises the row version, and then open tickets about the row cannot be executed. */
export const copyOfPeople = finance.follow(peopleChanges, {
  audience: 'feed',
  apply(changes, { sql }) {
    const changed = sql`json_to_recordset(${JSON.stringify(changes)}::json)
      as p ("employeeId" uuid, name text, department text, "managerId" uuid, active boolean)`;
    return [
      sql`
        insert into finance.people (employee_id, name, department, manager_id, active)
        select "employeeId", name, department, "managerId", active from ${changed} where name is not null
        on conflict (employee_id) do update set name = excluded.name, department = excluded.department,
          manager_id = excluded.manager_id, active = excluded.active
        where (people.name, people.department, people.manager_id, people.active)
          is distinct from (excluded.name, excluded.department, excluded.manager_id, excluded.active)`,
      sql`update finance.people set active = false from ${changed} where p.name is null and employee_id = "employeeId" and people.active`,
    ];
  },
});
