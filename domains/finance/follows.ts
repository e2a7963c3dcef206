/** Keeps finance.people, the finance copy of all employees, up to date, and enters pay runs in the ledger. */
import { peopleChanges } from '../../src/declare/engine-contracts.ts';
import { payRunCosts } from '../payroll/exports.ts';
import { finance } from './domain.ts';
import { payRunTitle } from './rules.ts';

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

/** Enters each pay run once, whatever departments it has when it is read again. */
export const ledgerOfPayRuns = finance.follow(payRunCosts, {
  audience: 'feed',
  apply: (changes, { sql }) => [
    sql`
      insert into finance.ledger (entry_date, department, category, amount, source, source_id, description, people)
      select r."payDate", d.department, 'PAYROLL', d.amount, 'PAY_RUN', r."payRunId", r.description, d.people
      from json_to_recordset(${JSON.stringify(
        changes.map((each) => ({ ...each, description: payRunTitle(each.runType, each.payDate) })),
      )}::json) as r ("payRunId" uuid, "payDate" date, description text, departments json)
      cross join lateral json_to_recordset(r.departments) as d (department text, people int, amount numeric)
      where not exists (select from finance.ledger l where l.source = 'PAY_RUN' and l.source_id = r."payRunId")`,
  ],
});
