/** A field that `input` does not have. */
// tsc: Property 'employeeId' does not exist on type '{ employee_id: string; }'
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
  run: async ({ employeeId: id }, { sql, output, fail }) =>
    (await sql.maybeOne(output, sql`select * from hr.people where employee_id = ${id}`)) ?? fail('VALIDATION_ERROR'),
});
