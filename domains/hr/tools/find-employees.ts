import { z } from 'zod';
import { companyText, storedEmail, storedId } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';
import { hr } from '../domain.ts';
import { named, spelled } from '../rules.ts';
import { departmentName, namePart } from '../schemas.ts';

export const findEmployees = hr.list({
  name: 'find_employees',
  title: 'Company directory',
  description:
    'The company directory, for everyone: turns a name into an employee_id, with department, job title, work e-mail, location ' +
    "and the manager's name. Nothing private.",
  plural: 'people',
  roles: ['employee'],
  audience: 'directory',
  input: z.object({ name: namePart.optional(), department: departmentName.optional() }),
  item: z.object({
    employee_id: storedId,
    name: companyText,
    first_name: companyText,
    last_name: companyText,
    department: companyText,
    job_title: companyText,
    email: storedEmail,
    location: companyText,
    manager_name: companyText.nullable(),
  }),
  order: asc('last_name', 'first_name', 'employee_id'),
  examples: [
    { question: "What is Priya Nair's job title?", as: 'frank.davis', input: { name: 'Priya Nair' } },
    { question: 'Which office is Grace Okafor based in?', as: 'nina.patel', input: { name: 'Grace Okafor' } },
    { question: 'Who is Priya?', as: 'frank.davis', input: { name: 'Priya' } },
    { question: 'What is the work e-mail of Jose Garcia?', as: 'marcus.johnson', input: { name: 'jose garcia' } },
    { question: "Find O'Brien in the company directory", as: 'sarah.kim', input: { name: "O'Brien" } },
    { question: 'Who works in the legal department?', as: 'tom.becker', input: { department: 'legal' } },
    { question: "Who is Sarah Kim's boss?", as: 'paula.reyes', input: { name: 'Sarah Kim' } },
  ],

  find: ({ name, department }, { sql }) => sql`
    select * from hr.directory where true
    ${sql.when(name, () => named(sql, name ?? ''))}
    ${sql.when(department, () => spelled(sql, 'department', department ?? ''))}`,
});
