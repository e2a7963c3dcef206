import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { amount, companyText, day, money, prose, sensitive, storedDay, storedId } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { inDecember } from '../example-days.ts';
import { checkGrade, outsideBand, plannedAfter, planSalary, salaryOn, salarySteps, writeSalary } from '../pay.ts';
import { daysBefore, isAbove } from '../rules.ts';
import { employee, employeeId, employeeNotFound } from '../schemas.ts';

export const updateSalary = hr.write({
  name: 'update_salary',
  title: 'Change a salary',
  description:
    "Change an active employee's annual salary from a day on. Before that day, only HR and executives see the new salary, as planned " +
    'pay in get_salary_history. The history keeps the old salary.',
  roles: ['hr-write', 'executive'],
  effect: 'changes',
  input: z.object({
    employee_id: employeeId,
    new_salary: sensitive(money.max(10_000_000).describe('Annual, in {currency}')),
    effective_date: day.optional().describe('First day of the new salary; by default today'),
    reason: prose(500).optional().describe('Shown on the approval card and stored in the history'),
    outside_band_reason: prose(500)
      .min(1)
      .optional()
      .describe("Why the salary is outside the band of the employee's grade; only needed if it is"),
  }),
  output: z.object({
    employee_id: storedId,
    name: companyText,
    salary: amount.describe('From effective_date on'),
    effective_date: storedDay,
  }),
  errors: {
    EMPLOYEE_NOT_FOUND: employeeNotFound,
    SALARY_UNCHANGED: { message: 'The employee already has this salary.', hint: 'Do nothing, or give another new_salary.' },
    EFFECTIVE_DATE_OUT_OF_RANGE: {
      message: 'The effective date is before the hire date or the last change of the salary, or more than a year ahead.',
      hint: 'Give an effective_date from earliest in details to a year from today, or leave it out for today.',
    },
    OUTSIDE_BAND: outsideBand,
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

  async prepare({ employee_id, new_salary, effective_date, outside_band_reason }, { sql, me, today, fail }) {
    if (employee_id === me.employeeId) throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot change your own salary.' });
    const person =
      (await sql.maybeOne(employee, sql`select * from hr.people where employee_id = ${employee_id}`)) ??
      fail('EMPLOYEE_NOT_FOUND', { employee_id });
    if (await isAbove(sql, employee_id, me.employeeId)) {
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot change the salary of someone above you in the chain of command.' });
    }
    const effective = effective_date ?? today;
    const steps = await salarySteps(sql, employee_id, today);
    const old = salaryOn(steps, effective);
    const earliest = [person.hire_date, steps.changedOn ?? ''].toSorted().at(-1) ?? '';
    if (effective < earliest || effective > daysBefore(today, -366)) throw fail('EFFECTIVE_DATE_OUT_OF_RANGE', { earliest });
    if (old === new_salary) throw fail('SALARY_UNCHANGED');
    const grade = { grade: person.grade, salary: new_salary, outside_band_reason, isNamed: false };
    const { isOutside, lines } = await checkGrade(sql, grade, (_code, details) => fail('OUTSIDE_BAND', details));
    const name = `${person.first_name} ${person.last_name}`;
    return {
      summary: effective > today ? `Change the salary of ${name} from ${effective}` : `Change the salary of ${name}`,
      subject: { label: `${name}, ${person.job_title}, ${person.department}`, id: employee_id },
      changes: [
        ...changed({ salary: old }, { salary: new_salary }, 'money'),
        { field: 'effective_date', from: null, to: effective, format: 'date' },
        ...plannedAfter(steps, effective),
        ...lines,
      ],
      name,
      old,
      effective,
      isOutside,
      ...planSalary(steps, effective, today),
    };
  },

  async execute({ employee_id, new_salary, reason, outside_band_reason }, { sql, plan }) {
    const { name, effective } = plan;
    const outside = plan.isOutside ? outside_band_reason : undefined;
    await writeSalary(sql, { ...plan, employee_id, salary: new_salary, reason, outside_band_reason: outside });
    return { employee_id, name, salary: new_salary, effective_date: effective };
  },
});
