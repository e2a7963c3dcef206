/** An audience that the domain does not declare. */
// tsc: Type '"everybody"' is not assignable to type '"directory" | "everyone" | "feed" | "reports" | "salaries" | "self"'
import { z } from 'zod';
import { hr } from '../../domains/hr/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = hr.read({
  name: 'get_example',
  title: 'Example',
  description: 'An example.',
  roles: ['hr-read'],
  audience: 'everybody',
  input: z.object({ employee_id: employeeId }),
  output: z.object({ name: z.string() }),
  run: async ({ employee_id }) => ({ name: employee_id }),
});
