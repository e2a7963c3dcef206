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
    "The company directory, for everyone: turns a name into an employee_id, with department, job title, work e-mail, location and the manager's name. Nothing private.",
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
    {
      question: "What is Priya Nair's job title?",
      phrases: [
        'What does Priya Nair do?',
        "What is Priya Nair's position?",
        "What is Priya Nair's role here?",
        'Which job does Priya Nair hold?',
        'What does Priya Nair work as?',
      ],
      as: 'frank.davis',
      input: { name: 'Priya Nair' },
    },
    {
      question: 'Which office is Grace Okafor based in?',
      phrases: [
        'Which team does Grace Okafor belong to?',
        'Is Grace Okafor in Marketing?',
        'Where does Grace Okafor work?',
        'Where is Grace Okafor based?',
        'Which department is Grace Okafor in?',
        'In which city does Grace Okafor sit?',
        'What location is Grace Okafor at?',
        'Which division is Grace Okafor part of?',
        'Where can I find Grace Okafor?',
      ],
      as: 'nina.patel',
      input: { name: 'Grace Okafor' },
    },
    {
      question: 'Who is Priya?',
      phrases: [
        'Is there somebody called Priya?',
        'Do we have a Priya?',
        'Does anyone named Priya work with us?',
        "I'm looking for a colleague called Priya",
        "Who's this Priya?",
      ],
      as: 'frank.davis',
      input: { name: 'Priya' },
    },
    {
      question: 'What is the work e-mail of Jose Garcia?',
      phrases: [
        'How do I reach Jose Garcia by mail?',
        "Jose Garcia's email address",
        'How can I write to Jose Garcia?',
        'What address do I email Jose Garcia at?',
        'How do I get in touch with Jose Garcia?',
      ],
      as: 'marcus.johnson',
      input: { name: 'jose garcia' },
    },
    {
      question: "Find O'Brien in the company directory",
      phrases: ["Search the staff directory for O'Brien", "Is O'Brien in the address book?"],
      as: 'sarah.kim',
      input: { name: "O'Brien" },
    },
    { question: 'Who works in the legal department?', as: 'tom.becker', input: { department: 'legal' } },
    {
      question: "Who is Sarah Kim's boss?",
      phrases: [
        'Who does Sarah Kim report to?',
        "Who is Sarah Kim's manager?",
        'Who manages Sarah Kim?',
        'Who supervises Sarah Kim?',
        "Who leads Sarah Kim's team?",
        'Whose team is Sarah Kim on?',
        "Name Sarah Kim's line manager",
      ],
      as: 'paula.reyes',
      input: { name: 'Sarah Kim' },
    },
  ],

  find: ({ name, department }, { sql }) => sql`
    select * from hr.directory where true
    ${sql.when(name, () => named(sql, name ?? ''))}
    ${sql.when(department, () => spelled(sql, 'department', department ?? ''))}`,
});
