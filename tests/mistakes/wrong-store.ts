/** A store that the domain does not use. */
// tsc: Property 'documents' does not exist
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
  run: async ({ employee_id }, { documents, fail }) => (await documents.get(employee_id)) ?? fail('VALIDATION_ERROR'),
});
