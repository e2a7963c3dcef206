import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { amount, companyText, day, money, prose, sensitive, storedDay, storedId } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { inDecember } from '../example-days.ts';
import { daysBefore, isAbove } from '../rules.ts';
import { employee, employeeId, employeeNotFound } from '../schemas.ts';

/** Every caller of this tool may see pay, so the salary has no mask here. */
const paid = employee.extend({ salary: amount });

export const updateSalary = hr.write({
  name: 'update_salary',
  title: 'Change a salary',
  description:
    "Change an active employee's annual salary. The record shows the new salary immediately after the approval. The history keeps " +
    'the old salary and the effective date.',
  roles: ['hr-write', 'executive'],
  effect: 'changes',
  input: z.object({
    employee_id: employeeId,
    new_salary: sensitive(money.max(10_000_000).describe('Annual, in {currency}')),
    effective_date: day.optional().describe('First day of the new salary; by default today'),
    reason: prose(500).optional().describe('Shown on the approval card and stored in the history'),
  }),
  output: z.object({ employee_id: storedId, name: companyText, salary: amount, effective_date: storedDay }),
  errors: {
    EMPLOYEE_NOT_FOUND: employeeNotFound,
    SALARY_UNCHANGED: { message: 'The employee already has this salary.', hint: 'Do nothing, or give another new_salary.' },
    EFFECTIVE_DATE_OUT_OF_RANGE: {
      message: 'The effective date is before the hire date or more than a year ahead.',
      hint: 'Give an effective_date from the hire date to a year from today, or leave it out for today.',
    },
  },
  examples: [
    {
      question: "Increase Sarah Kim's salary to $120,000",
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000008', new_salary: 120_000 },
    },
    {
      question: 'Give Marcus Johnson a raise to 135k from 1 December for his promotion',
      as: 'eve.thompson',
      input: (today) => ({
        employee_id: '0e000000-0000-4000-8000-000000000007',
        new_salary: 135_000,
        effective_date: inDecember(today, 1),
        reason: 'Promotion',
      }),
    },
    {
      question: 'Set my salary to 400,000',
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000002', new_salary: 400_000 },
      expects: 'SEPARATION_OF_DUTIES',
    },
    {
      question: 'Pay Sarah Kim ten dollars a year more',
      as: 'nina.patel',
      input: { employee_id: '0e000000-0000-4000-8000-000000000008', new_salary: 100_010 },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ employee_id, new_salary, effective_date }, { sql, me, today, fail }) {
    if (employee_id === me.employeeId) throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot change your own salary.' });
    const person =
      (await sql.maybeOne(paid, sql`select * from hr.people where employee_id = ${employee_id}`)) ??
      fail('EMPLOYEE_NOT_FOUND', { employee_id });
    if (await isAbove(sql, employee_id, me.employeeId)) {
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot change the salary of someone above you in the chain of command.' });
    }
    if (person.salary === new_salary) throw fail('SALARY_UNCHANGED');
    const effective = effective_date ?? today;
    if (effective < person.hire_date || effective > daysBefore(today, -366))
      throw fail('EFFECTIVE_DATE_OUT_OF_RANGE', { hire_date: person.hire_date });
    const name = `${person.first_name} ${person.last_name}`;
    return {
      summary: `Change the salary of ${name}`,
      subject: { label: `${name}, ${person.job_title}, ${person.department}`, id: employee_id },
      changes: [
        ...changed(person, { salary: new_salary }, 'money'),
        { field: 'effective_date', from: null, to: effective, format: 'date' },
      ],
      name,
      old: person.salary,
      effective,
    };
  },

  async execute({ employee_id, new_salary, reason }, { sql, plan }) {
    const { name, old, effective } = plan;
    const { salary } = await sql.change(
      paid.pick({ salary: true }),
      sql`update hr.pay set salary = ${new_salary} where employee_id = ${employee_id} and salary = ${old} returning salary`,
    );
    await sql.change(
      z.object({ employee_id: storedId }),
      sql`
        insert into hr.salary_history (employee_id, old_salary, new_salary, effective_date, reason)
        values (${employee_id}, ${old}, ${new_salary}, ${effective}, ${reason}) returning employee_id`,
    );
    return { employee_id, name, salary, effective_date: effective };
  },
});
