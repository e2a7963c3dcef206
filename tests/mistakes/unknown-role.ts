/** A role that the domain does not have. */
// tsc: Type '"hr-admin"' is not assignable to type '"employee" | "executive" | "hr-read" | "hr-write" | "manager"'
import { z } from 'zod';
import { hr } from '../../domains/hr/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = hr.read({
  name: 'get_example',
  title: 'Example',
  description: 'An example.',
  roles: ['hr-admin'],
  input: z.object({ employee_id: employeeId }),
  output: employee,
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  run: async ({ employee_id }, { sql, output, fail }) =>
    (await sql.maybeOne(output, sql`select * from hr.people where employee_id = ${employee_id}`)) ?? fail('EMPLOYEE_NOT_FOUND'),
});
