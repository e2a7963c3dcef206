/** An example whose input does not match the input schema. */
// tsc: 'id' does not exist in type '{ employee_id: string; }
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
  examples: [{ question: 'Show me an example', as: 'nina.patel', input: { id: 'x' } }],
  run: async ({ employee_id }) => ({ name: employee_id }),
});
