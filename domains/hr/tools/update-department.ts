import { z } from 'zod';
import { companyText, storedId } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { cardReason, departmentName, departmentNotFound, employee, employeeId, employeeNotFound } from '../schemas.ts';

const department = z.object({
  department: companyText,
  head_id: storedId.nullable(),
  head_name: companyText.nullable(),
  employees: z.int(),
});

export const updateDepartment = hr.write({
  name: 'update_department',
  title: 'Change the head of a department',
  description: 'Name the head of a department. The reporting lines stay: update_employee changes the manager of a person.',
  roles: ['hr-write', 'executive'],
  effect: 'changes',
  input: z.object({
    department: departmentName,
    head_id: employeeId.describe('employee_id of the new head, from find_employees'),
    reason: cardReason,
  }),
  output: department,
  errors: {
    DEPARTMENT_NOT_FOUND: departmentNotFound,
    EMPLOYEE_NOT_FOUND: employeeNotFound,
    ALREADY_HEAD: { message: 'This person is already the head of the department.', hint: 'Do nothing, or name another person.' },
  },
  examples: [
    {
      question: 'Make Omar Haddad the head of the Legal department',
      as: 'alice.chen',
      input: { department: 'Legal', head_id: '0e1a0000-0000-4000-8000-000000000023' },
    },
    {
      question: 'Nina Patel becomes head of Engineering',
      as: 'eve.thompson',
      input: { department: 'Engineering', head_id: '0e000000-0000-4000-8000-000000000006' },
    },
    {
      question: 'Appoint Sarah Kim as head of the Moon department',
      as: 'alice.chen',
      input: { department: 'Moon', head_id: '0e000000-0000-4000-8000-000000000008' },
      expects: 'DEPARTMENT_NOT_FOUND',
    },
    {
      question: 'I want to be the head of Support',
      as: 'frank.davis',
      input: { department: 'Support', head_id: '0e000000-0000-4000-8000-000000000009' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ department: named, head_id }, { sql, fail }) {
    const current =
      (await sql.maybeOne(department, sql`select * from hr.department_list where department_key = lower(${named})`)) ??
      fail('DEPARTMENT_NOT_FOUND', { department: named });
    const head =
      (await sql.maybeOne(employee, sql`select * from hr.people where employee_id = ${head_id}`)) ??
      fail('EMPLOYEE_NOT_FOUND', { employee_id: head_id });
    if (current.head_id === head_id) throw fail('ALREADY_HEAD');
    const name = `${head.first_name} ${head.last_name}`;
    return {
      summary: `Make ${name} the head of ${current.department}`,
      subject: { label: current.department, id: current.department },
      changes: [{ field: 'head_name', label: 'Head', from: current.head_name, to: name }],
      key: current.department,
    };
  },

  async execute({ head_id }, { sql, plan, output }) {
    await sql.change(
      z.object({ name: companyText }),
      sql`update hr.departments set head_id = ${head_id} where department_key = lower(${plan.key}) returning name`,
    );
    return sql.one(output, sql`select * from hr.department_list where department_key = lower(${plan.key})`);
  },
});
