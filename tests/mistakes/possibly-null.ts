/** `fail` in a statement does not narrow; `throw fail(…)` does. */
// tsc: 'now' is possibly 'null'
import { z } from 'zod';
import { hr } from '../../domains/hr/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = hr.read({
  name: 'get_example',
  title: 'Example',
  description: 'An example.',
  roles: ['hr-read'],
  input: z.object({ employee_id: employeeId }),
  output: z.object({ name: z.string() }),
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  async run({ employee_id }, { sql, fail }) {
    const now = await sql.maybeOne(employee, sql`select * from hr.people where employee_id = ${employee_id}`);
    if (!now) fail('EMPLOYEE_NOT_FOUND');
    return { name: now.first_name };
  },
});
