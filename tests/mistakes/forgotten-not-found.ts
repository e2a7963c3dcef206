/** `run` returns the result of `maybeOne`, which may be null, without a check. */
// tsc: Type 'null' is not assignable to type
import { z } from 'zod';
import { hr } from '../../domains/hr/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = hr.read({
  name: 'get_example',
  title: 'Example',
  description: 'An example.',
  roles: ['hr-read'],
  input: z.object({ employee_id: employeeId }),
  output: employee,
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  run: async ({ employee_id }, { sql, output }) => sql.maybeOne(output, sql`select * from hr.people where employee_id = ${employee_id}`),
});
