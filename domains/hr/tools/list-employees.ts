import { z } from 'zod';
import { line } from '../../../src/declare/fields.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { anywhere } from '../../../src/declare/sql.ts';
import { hr } from '../domain.ts';
import { named, spelled } from '../rules.ts';
import { departmentName, employee, employeeId, namePart } from '../schemas.ts';

export const listEmployees = hr.list({
  name: 'list_employees',
  title: 'Employees',
  description:
    'Active employees that you may see, by default by last name. HR and executives see all, a manager sees the people who report to ' +
    'them. Every filter is optional.',
  plural: 'employees',
  roles: ['manager', 'hr-read', 'executive'],
  input: z.object({
    name: namePart.optional(),
    department: departmentName.optional(),
    location: line(100)
      .min(1)
      .optional()
      .describe('Office, such as Berlin; case does not matter')
      .meta({ examples: ['Austin', 'Berlin', 'London', 'New York', 'San Francisco', 'Singapore'] }),
    manager_id: employeeId.optional().describe('Only the direct reports of this employee'),
    job_title: line(100)
      .min(1)
      .optional()
      .describe('Any part of the job title')
      .meta({ examples: ['Engineer', 'Recruiter', 'Accountant', 'Account Executive'] }),
  }),
  item: employee,
  order: {
    name: asc('last_name', 'first_name', 'employee_id'),
    newest: desc('hire_date', 'employee_id'),
    highest_salary: desc('salary', 'employee_id'),
  },
  examples: [
    { question: 'List all employees', as: 'alice.chen', input: {} },
    { question: 'Who works in Engineering?', as: 'alice.chen', input: { department: 'Engineering' } },
    { question: 'How many people do we have in the Berlin office?', as: 'eve.thompson', input: { location: 'Berlin' } },
    { question: 'How big is the Marketing department?', as: 'alice.chen', input: { department: 'Marketing' } },
    { question: "Show me everyone's salary", as: 'frank.davis', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
    { question: 'Show me my team', as: 'nina.patel', input: {} },
    {
      question: 'Which accountants report to Bob Martinez?',
      as: 'alice.chen',
      input: { job_title: 'accountant', manager_id: '0e000000-0000-4000-8000-000000000003' },
    },
    { question: 'Who are our recruiters?', as: 'alice.chen', input: { job_title: 'recruiter' } },
    { question: 'Look up Kim in my organisation', as: 'nina.patel', input: { name: 'Kim' } },
    { question: 'Who are our 5 newest employees?', as: 'alice.chen', input: { sort: 'newest', limit: 5 } },
    { question: 'Who are the 3 newest people in Sales?', as: 'eve.thompson', input: { department: 'Sales', sort: 'newest', limit: 3 } },
    { question: 'Who of my team has the highest salary?', as: 'nina.patel', input: { sort: 'highest_salary' }, expects: 'FIELD_HIDDEN' },
  ],

  // hr.staff has an index on department_key and does not read hr.chain, so it is faster for callers who see everyone.
  find: ({ name, department, location, manager_id, job_title }, { sql, audience }) => sql`
    select * from ${audience === 'everyone' ? sql`hr.staff` : sql`hr.team`} where true ${sql.given({ manager_id })}
    ${sql.when(name, () => named(sql, name ?? ''))}
    ${sql.when(department, () =>
      audience === 'everyone'
        ? sql`department_key =
      lower(${department})`
        : spelled(sql, 'department', department ?? ''),
    )}
    ${sql.when(location, () => spelled(sql, 'location', location ?? ''))}
    ${sql.when(job_title, () => sql`job_title ilike ${anywhere(job_title ?? '')}`)}`,
});
