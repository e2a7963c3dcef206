import { z } from 'zod';
import { companyText, storedId } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';
import { hr } from '../domain.ts';

export const listDepartments = hr.list({
  name: 'list_departments',
  title: 'Departments',
  description: 'The departments of the company, each with its head and the number of employees. For everyone.',
  plural: 'departments',
  roles: ['employee'],
  audience: 'directory',
  input: z.object({}),
  item: z.object({
    department: companyText,
    head_id: storedId.nullable().describe('employee_id of the head; null if there is none'),
    head_name: companyText.nullable(),
    employees: z.int().describe('Active employees'),
  }),
  order: asc('department'),
  examples: [
    { question: 'Which departments do we have?', as: 'frank.davis', input: {} },
    { question: 'List the departments and their heads', as: 'marcus.johnson', input: {} },
    { question: 'Who runs each department?', as: 'tom.becker', input: {} },
    { question: 'Who are the department heads?', as: 'eve.thompson', input: {} },
  ],

  find: (_input, { sql }) => sql`select * from hr.department_list`,
});
