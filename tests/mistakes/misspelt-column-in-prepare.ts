/** One misspelt field in `prepare` gives one message, not a cascade. */
// tsc: Did you mean 'first_name'?
import { z } from 'zod';
import { hr } from '../../domains/hr/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = hr.write({
  name: 'change_example',
  title: 'Example',
  description: 'An example.',
  effect: 'changes',
  roles: ['hr-write'],
  input: z.object({ employee_id: employeeId }),
  output: z.object({ days: z.number() }),
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  async prepare({ employee_id }, { sql, fail }) {
    const now =
      (await sql.maybeOne(employee, sql`select * from hr.people where employee_id = ${employee_id}`)) ?? fail('EMPLOYEE_NOT_FOUND');
    return { summary: now.first_nam, subject: { label: 'Example', id: employee_id }, changes: [], days: 3 };
  },
  execute: async (_, { plan }) => ({ days: plan.days }),
});
