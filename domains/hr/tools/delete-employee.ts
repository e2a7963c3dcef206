import { z } from 'zod';
import { companyText, prose, storedId, storedTime } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { activeManager, countReports, fullName, managerCycle, moveTeam, planTeamMove, takesOver } from '../moves.ts';
import { isAbove } from '../rules.ts';
import { employee, employeeId, employeeNotFound } from '../schemas.ts';

export const deleteEmployee = hr.write({
  name: 'delete_employee',
  title: 'Delete an employee',
  description:
    'End the employment of a person. No tool shows the person any more, and the person cannot sign in. The database keeps the record ' +
    'for the audit. If people report to this person, move_reports_to names who takes them over.',
  roles: ['hr-write', 'executive'],
  effect: 'removes',
  input: z.object({
    employee_id: employeeId,
    move_reports_to: employeeId.optional().describe('employee_id of the person who takes over everyone who reports to this employee'),
    reason: prose(500).optional().describe('Shown on the approval card and stored with the record'),
  }),
  output: z.object({ employee_id: storedId, name: companyText, active: z.literal(false), terminated_at: storedTime }),
  errors: {
    EMPLOYEE_NOT_FOUND: employeeNotFound,
    CANNOT_DELETE_SELF: {
      message: 'You cannot delete your own employee record.',
      hint: 'Ask another person with hr-write to do it.',
      status: 403,
    },
    HAS_REPORTS: {
      message: 'People report to this employee.',
      hint: 'Say in move_reports_to who takes them over; see them with list_employees and this manager_id.',
    },
    MANAGER_CYCLE: managerCycle,
  },
  examples: [
    { question: 'Delete employee Frank Davis', as: 'alice.chen', input: { employee_id: '0e000000-0000-4000-8000-000000000009' } },
    {
      question: 'Please terminate Marcus Johnson, he resigned',
      as: 'eve.thompson',
      input: { employee_id: '0e000000-0000-4000-8000-000000000007', reason: 'Resigned' },
    },
    {
      question: 'Remove my own employee record',
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000002' },
      expects: 'CANNOT_DELETE_SELF',
    },
    {
      question: 'Fire Nina Patel',
      as: 'eve.thompson',
      input: { employee_id: '0e000000-0000-4000-8000-000000000006' },
      expects: 'HAS_REPORTS',
    },
    {
      question: 'Delete the CEO',
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000001' },
      expects: 'SEPARATION_OF_DUTIES',
    },
  ],

  summary: ({ name }) => `${name} has been deleted.`,
  async prepare({ employee_id, move_reports_to }, { sql, me, fail }) {
    if (employee_id === me.employeeId) throw fail('CANNOT_DELETE_SELF');
    const person =
      (await sql.maybeOne(employee, sql`select * from hr.people where employee_id = ${employee_id}`)) ??
      fail('EMPLOYEE_NOT_FOUND', { employee_id });
    if (await isAbove(sql, employee_id, me.employeeId)) {
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot delete someone above you in the chain of command.' });
    }
    const count = await countReports(sql, employee_id);
    if (count > 0 && move_reports_to === undefined) throw fail('HAS_REPORTS', { direct_reports_count: count });
    if (move_reports_to === employee_id) throw fail('MANAGER_CYCLE');
    const successor =
      move_reports_to === undefined
        ? undefined
        : ((await activeManager(sql, move_reports_to)) ?? fail('EMPLOYEE_NOT_FOUND', { employee_id: move_reports_to }));
    const team = successor && (await planTeamMove(sql, person, successor));
    const name = fullName(person);
    return {
      summary: `Delete employee ${name} (${person.email})`,
      subject: { label: `${name}, ${person.job_title}, ${person.department}`, id: employee_id },
      changes: [{ field: 'active', label: 'Employment', from: 'Active', to: 'Terminated' }, ...takesOver(successor, team)],
      team,
    };
  },

  async execute({ employee_id, reason }, { sql, plan, output }) {
    if (plan.team !== undefined) await moveTeam(sql, plan.team);
    return sql.change(
      output,
      sql`
        update hr.employees set active = false, terminated_at = clock_timestamp(), termination_reason = ${reason}
        where employee_id = ${employee_id} and active
        returning employee_id, first_name || ' ' || last_name as name, active, terminated_at`,
    );
  },
});
