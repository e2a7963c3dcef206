import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { companyText, line, storedId } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { gradeInputs, jobErrors, nothingToChange } from '../job.ts';
import { activeManager, fullName, managerCycle, moveTeam, planTeamMove, takesOver } from '../moves.ts';
import { checkGrade, salarySteps } from '../pay.ts';
import { departmentNamed, isAbove, isEmailTaken } from '../rules.ts';
import { cardReason, departmentName, employee, employeeId, workEmail } from '../schemas.ts';

const job = employee.pick({ job_title: true, department: true, location: true, manager_id: true, grade: true, email: true });

export const updateEmployee = hr.write({
  name: 'update_employee',
  title: 'Change a job',
  description:
    'Change the job title, department, location, reporting line, grade or work e-mail of an active employee. People below the employee ' +
    'move along, unless move_reports_to names who takes them over. Pay has update_salary.',
  roles: ['hr-write', 'executive'],
  effect: 'changes',
  input: z.object({
    employee_id: employeeId,
    job_title: line(100).min(1).optional().describe('Job title'),
    department: departmentName.optional().describe('Department, from list_departments'),
    location: line(100).min(1).optional().describe('Office'),
    reports_to: employeeId.optional().describe('employee_id of the manager'),
    email: workEmail.optional().describe('Work e-mail'),
    move_reports_to: employeeId.optional().describe('employee_id of the person who takes over everyone who reports to this employee'),
    ...gradeInputs,
    reason: cardReason,
  }),
  inputAliases: { manager_id: 'reports_to' },
  output: z.object({ employee_id: storedId, name: companyText, ...job.shape, manager_name: companyText.nullable() }),
  errors: {
    ...jobErrors,
    MANAGER_CYCLE: managerCycle,
    NOTHING_TO_CHANGE: nothingToChange,
  },
  examples: [
    {
      question: 'Move Sarah Kim to Marketing',
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000008', department: 'Marketing' },
    },
    {
      question: 'Promote Marcus Johnson to Senior Software Engineer',
      as: 'eve.thompson',
      input: { employee_id: '0e000000-0000-4000-8000-000000000007', job_title: 'Senior Software Engineer' },
    },
    {
      question: 'Let Tom Becker report to Carol Johnson',
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000011', reports_to: '0e000000-0000-4000-8000-000000000004' },
    },
    {
      question: 'Let Nina Patel report to Sarah Kim',
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000006', reports_to: '0e000000-0000-4000-8000-000000000008' },
      expects: 'MANAGER_CYCLE',
    },
  ],

  async prepare(
    { employee_id, reports_to: manager_id, move_reports_to, outside_band_reason, reason: _, ...asked },
    { sql, me, today, fail },
  ) {
    if (employee_id === me.employeeId) throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot change your own job.' });
    const found = async (id: string) => (await activeManager(sql, id)) ?? fail('EMPLOYEE_NOT_FOUND', { employee_id: id });
    const person =
      (await sql.maybeOne(employee, sql`select * from hr.people where employee_id = ${employee_id}`)) ??
      fail('EMPLOYEE_NOT_FOUND', { employee_id });
    if (await isAbove(sql, employee_id, me.employeeId))
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot change the job of someone above you in the chain of command.' });
    const named = Object.fromEntries(Object.entries({ ...asked, manager_id }).filter(([, value]) => value !== undefined)) as Partial<
      z.output<typeof job>
    >;
    if (named.department !== undefined)
      named.department = (await departmentNamed(sql, named.department)) ?? fail('DEPARTMENT_NOT_FOUND', { department: named.department });
    if (named.email !== undefined && (await isEmailTaken(sql, named.email, employee_id))) throw fail('EMAIL_TAKEN');
    const next = { ...job.parse(person), ...named };

    const { today: salary } = await salarySteps(sql, employee_id, today);
    const grade = next.grade === person.grade ? undefined : next.grade;
    const { lines } = await checkGrade(sql, { grade, salary, outside_band_reason, isNamed: true }, fail);

    if (move_reports_to === employee_id || next.manager_id === employee_id) throw fail('MANAGER_CYCLE');
    const successor = move_reports_to === undefined ? undefined : await found(move_reports_to);
    const team = successor && (await planTeamMove(sql, person, successor));
    const manager = named.manager_id === undefined ? undefined : await found(named.manager_id ?? '');
    if (manager && team === undefined && (await isAbove(sql, employee_id, manager.employee_id))) throw fail('MANAGER_CYCLE');
    const to = manager && next.manager_id !== person.manager_id ? fullName(manager) : undefined;
    const newBoss = { field: 'manager_id', label: 'Manager', from: person.manager_name, to };
    const same = { manager_id: next.manager_id };
    const changes = [...changed({ ...person, ...same }, next), ...(to === undefined ? [] : [newBoss]), ...takesOver(successor, team)];
    if (changes.length === 0) throw fail('NOTHING_TO_CHANGE');
    return {
      summary: `Change the job of ${fullName(person)}`,
      subject: { label: `${fullName(person)}, ${person.job_title}, ${person.department}`, id: employee_id },
      changes: [...changes, ...lines],
      next,
      team,
    };
  },

  async execute({ employee_id }, { sql, plan, output }) {
    const { job_title, department, location, manager_id, grade, email } = plan.next;
    if (plan.team !== undefined) await moveTeam(sql, plan.team);
    await sql.change(
      z.object({ employee_id: storedId }),
      sql`
        update hr.employees set job_title = ${job_title}, department = ${department}, location = ${location}, manager_id = ${manager_id},
          grade = ${grade}, email = ${email}
        where employee_id = ${employee_id} and active returning employee_id`,
    );
    return sql.one(output, sql`select *, first_name || ' ' || last_name as name from hr.people where employee_id = ${employee_id}`);
  },
});
