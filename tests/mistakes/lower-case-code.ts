/** An error code that is not upper case. */
// tsc: an error code is upper case, such as EMPLOYEE_NOT_FOUND
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
  errors: { employee_not_found: employeeNotFound },
  run: async ({ employee_id }) => ({ name: employee_id }),
});
