import { z } from 'zod';
import { hr } from '../domain.ts';
import { employee, employeeId, employeeNotFound } from '../schemas.ts';

export const getEmployee = hr.read({
  name: 'get_employee',
  title: 'Employee record',
  description: 'One active employee by id: job, department, location, manager and hire date, and pay and contact data if you may see them.',
  roles: ['employee', 'manager', 'hr-read', 'executive'],
  input: z.object({ employee_id: employeeId }),
  output: employee,
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  examples: [
    { question: "Open Dan Williams's profile", as: 'alice.chen', input: { employee_id: '0e000000-0000-4000-8000-000000000005' } },
    { question: "Show me Sarah Kim's record", as: 'nina.patel', input: { employee_id: '0e000000-0000-4000-8000-000000000008' } },
    { question: 'What does Marcus Johnson earn?', as: 'alice.chen', input: { employee_id: '0e000000-0000-4000-8000-000000000007' } },
    { question: 'When did I start working here?', as: 'frank.davis', input: { employee_id: '0e000000-0000-4000-8000-000000000009' } },
    {
      question: 'Pull up the phone number and home address of Tom Becker',
      as: 'eve.thompson',
      input: { employee_id: '0e000000-0000-4000-8000-000000000011' },
    },
    {
      question: "Show me Alice Chen's employee record",
      as: 'nina.patel',
      input: { employee_id: '0e000000-0000-4000-8000-000000000002' },
      expects: 'EMPLOYEE_NOT_FOUND',
    },
  ],
  summary: ({ first_name, last_name, job_title, department }) => `${first_name} ${last_name}, ${job_title}, ${department}`,

  run: async ({ employee_id }, { sql, output, fail }) =>
    (await sql.maybeOne(output, sql`select * from hr.people where employee_id = ${employee_id}`)) ??
    fail('EMPLOYEE_NOT_FOUND', { employee_id }),
});
