import { z } from 'zod';
import { amount, companyText, day, line, money, sensitive, storedDay, storedEmail, storedId } from '../../../src/declare/fields.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { hr } from '../domain.ts';
import { gradeInputs, hiring, jobErrors } from '../job.ts';
import { activeManager, fullName } from '../moves.ts';
import { checkGrade, writeSalary } from '../pay.ts';
import { daysBefore, departmentNamed, isEmailTaken } from '../rules.ts';
import { cardReason, departmentName, employeeId, workEmail } from '../schemas.ts';
import { giveBalances, openYears } from '../time-off.ts';

const created = z.object({ employee_id: storedId });
export const createEmployee = hr.write({
  name: 'create_employee',
  title: 'Hire an employee',
  description:
    'Add a new employee with job, manager, salary and time-off balances. The salary counts from the hire date on. Employees add phone ' +
    'and address with update_contact.',
  roles: ['hr-write', 'executive'],
  effect: 'adds',
  input: z.object({
    first_name: line(100).min(1).describe('First name'),
    last_name: line(100).min(1).describe('Last name'),
    email: workEmail.describe('Work e-mail, which nobody else has'),
    job_title: line(100).min(1).describe('Job title'),
    department: departmentName.describe('Department, from list_departments'),
    location: line(100).min(1).describe('Office, such as Berlin'),
    reports_to: employeeId.describe('employee_id of the manager'),
    hire_date: day.optional().describe('First day at work; by default today'),
    salary: sensitive(money.max(10_000_000).describe('Annual, in {currency}')),
    ...gradeInputs,
    reason: cardReason,
  }),
  inputAliases: { manager_id: 'reports_to' },
  output: z.object({
    employee_id: storedId,
    name: companyText,
    email: storedEmail,
    department: companyText,
    job_title: companyText,
    manager_id: storedId,
    hire_date: storedDay,
    salary: amount.describe('From the hire date on'),
  }),
  errors: {
    ...jobErrors,
    HIRE_DATE_OUT_OF_RANGE: { message: 'The hire date is more than a year away.', hint: 'Leave hire_date out for today.' },
  },
  examples: [
    {
      question:
        'Hire Nora Ellis as a Software Engineer in Engineering under Nina Patel for $105,000, e-mail nora.ellis@tamshai.example, in Austin',
      as: 'alice.chen',
      input: hiring('Nora Ellis', ['Software Engineer', 'Engineering', 'Austin', 105_000], 6),
    },
    {
      question: 'Add the new recruiter Ravi Menon to HR in London, reporting to Alice Chen, salary 72,000, ravi.menon@tamshai.example',
      as: 'eve.thompson',
      input: hiring('Ravi Menon', ['Recruiter', 'HR', 'London', 72_000], 2),
    },
    {
      question: 'Hire my friend Zed Young as an intern in Engineering, Austin, zed.young@tamshai.example, 48,000, under Nina Patel',
      as: 'frank.davis',
      input: hiring('Zed Young', ['Engineering Intern', 'Engineering', 'Austin', 48_000], 6),
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ reports_to: manager_id, outside_band_reason, ...given }, { sql, today, company, fail }) {
    const { email, grade, salary, hire_date = today } = given;
    const department = (await departmentNamed(sql, given.department)) ?? fail('DEPARTMENT_NOT_FOUND', { department: given.department });
    const manager = (await activeManager(sql, manager_id)) ?? fail('EMPLOYEE_NOT_FOUND', { employee_id: manager_id });
    if (hire_date < daysBefore(today, 366) || hire_date > daysBefore(today, -366)) throw fail('HIRE_DATE_OUT_OF_RANGE');
    if (await isEmailTaken(sql, email)) throw fail('EMAIL_TAKEN');
    const { isOutside, lines } = await checkGrade(sql, { grade, salary, outside_band_reason, isNamed: true }, fail);
    const from = fiscalYearOf(hire_date, company);
    const years = await openYears(sql, from);
    const name = fullName(given);
    const row = { ...given, department, hire_date, grade: grade ?? null };
    const shown = { ...row, manager_id: fullName(manager) };
    const card = (['email', 'job_title', 'department', 'location', 'manager_id', 'grade'] as const)
      .filter((field) => shown[field] !== null)
      .map((field) => ({ field, ...(field === 'manager_id' && { label: 'Manager' }), from: null, to: shown[field] }));
    return {
      summary: `Hire ${name} as ${given.job_title} in ${department}`,
      subject: { label: `${name}, ${given.job_title}, ${department}`, id: email },
      changes: [
        ...card,
        { field: 'hire_date', from: null, to: hire_date, format: 'date' },
        { field: 'salary', from: null, to: salary, format: 'money' },
        ...lines,
        ...(years.length === 0 ? [] : [{ field: 'time_off', label: 'Time-off balances', from: null, to: years.join(', ') }]),
      ],
      row,
      name,
      isOutside,
      isLater: hire_date > today,
      from: years.length === 0 ? undefined : from,
    };
  },

  async execute({ reports_to: manager_id, salary, outside_band_reason }, { sql, plan }) {
    const { row, name, isLater, isOutside, from } = plan;
    const { employee_id } = await sql.change(
      created,
      sql`
        insert into hr.employees (first_name, last_name, email, department, job_title, location, manager_id, hire_date, grade)
        values (${row.first_name}, ${row.last_name}, ${row.email}, ${row.department}, ${row.job_title}, ${row.location}, ${manager_id},
          ${row.hire_date}, ${row.grade}) returning employee_id`,
    );
    const outside = isOutside ? outside_band_reason : undefined;
    const first = { effective: row.hire_date, old: null, isPlanned: isLater, replaces: false, inForce: undefined, hasBase: false };
    await writeSalary(sql, { ...first, employee_id, salary, reason: 'Hired', outside_band_reason: outside });
    if (from !== undefined) await giveBalances(sql, employee_id, from);
    const { email, department, job_title, hire_date } = row;
    return { employee_id, name, email, department, job_title, manager_id, hire_date, salary };
  },
});
