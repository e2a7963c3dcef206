/** The answer lacks a field of `output`. */
// tsc: Property 'pto_balance' is missing
import { z } from 'zod';
import { hr } from '../../domains/hr/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = hr.read({
  name: 'get_example',
  title: 'Example',
  description: 'An example.',
  roles: ['hr-read'],
  input: z.object({ employee_id: employeeId }),
  output: z.object({ employee_id: z.uuid(), pto_balance: z.number() }),
  async run({ employee_id }) {
    return { employee_id, balance: 15 };
  },
});
