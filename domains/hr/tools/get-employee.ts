import { z } from 'zod';
import { hr } from '../domain.ts';
import { employee, employeeId, employeeNotFound } from '../schemas.ts';

export const getEmployee = hr.read({
  name: 'get_employee',
  title: 'Employee record',
  description:
    'One active employee by id: job, department, location, manager, hire date, and pay and contact data where the caller may see them.',
  roles: ['employee', 'manager', 'hr-read', 'executive'],
  input: z.object({ employee_id: employeeId }),
  output: employee,
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  examples: [
    {
      question: "Open Dan Williams's profile",
      phrases: [
        'Look up Dan Williams',
        'Show me Dan Williams',
        'Details about employee Dan Williams',
        'What do we have on Dan Williams?',
        'Pull up the file of Dan Williams',
        'Employee information for Dan Williams',
        'When was Dan Williams hired?',
        'How long has Dan Williams been with us?',
        "Dan Williams's hire date",
        'Personnel file of Dan Williams',
      ],
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000005' },
    },
    { question: "Show me Sarah Kim's record", as: 'nina.patel', input: { employee_id: '0e000000-0000-4000-8000-000000000008' } },
    {
      question: 'What does Marcus Johnson earn?',
      phrases: [
        'How much does Marcus Johnson make?',
        "What is Marcus Johnson's salary?",
        "Marcus Johnson's compensation",
        'How well is Marcus Johnson paid?',
        'What are we paying Marcus Johnson?',
        "Marcus Johnson's annual pay",
        "What's the base pay of Marcus Johnson?",
        'How much money does Marcus Johnson get a year?',
      ],
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000007' },
    },
    {
      question: 'When did I start working here?',
      phrases: [
        'Who is my boss?',
        "Who's my manager?",
        'Who is my manager?',
        'Who do I report to?',
        'What is my job title?',
        'How much do I earn?',
        'What is my salary?',
        'Show my employee record',
        'How long have I been with the company?',
        'What day was I hired?',
        "What's my current base salary?",
        'Which department am I in?',
        'My profile',
        'When is my work anniversary?',
        'How many years have I been employed here?',
      ],
      as: 'frank.davis',
      input: { employee_id: '0e000000-0000-4000-8000-000000000009' },
    },
    {
      question: 'Pull up the phone number and home address of Tom Becker',
      phrases: [
        "What is Tom Becker's phone number?",
        'Where does Tom Becker live?',
        'How can I reach Tom Becker by phone?',
        "Give me Tom Becker's mobile",
        "What's the cell number of Tom Becker?",
        'What street does Tom Becker live on?',
      ],
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
