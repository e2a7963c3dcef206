/** Keeps the names and the employment of the people on the payroll up to date. */
import { peopleChanges } from '../../src/declare/engine-contracts.ts';
import { payroll } from './domain.ts';

/** Writes only rows that differ. It adds no person: a person without agreed pay is not on the payroll. */
export const copyOfPeople = payroll.follow(peopleChanges, {
  audience: 'feed',
  apply: (changes, { sql }) => [
    sql`
      update payroll.employees set employee_name = coalesce(p.name, employee_name), active = p.active
      from json_to_recordset(${JSON.stringify(changes)}::json) as p ("employeeId" uuid, name text, active boolean)
      where employee_id = "employeeId"
        and (employee_name, employees.active) is distinct from (coalesce(p.name, employee_name), p.active)`,
  ],
});
