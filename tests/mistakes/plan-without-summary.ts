/** The plan lacks its summary. */
// tsc: Property 'summary' is missing
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
  async prepare({ employee_id }) {
    return { sumary: 'Example', subject: { label: 'Example', id: employee_id }, changes: [], days: 3 };
  },
  execute: async (_, { plan }) => ({ days: plan.days }),
});
