/** `act` in a domain that does not say why it may write without an approval. */
// tsc: this domain does not say why it may write without approval (actsAtOnce)
import { z } from 'zod';
import { finance } from '../../domains/finance/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = finance.act({
  name: 'change_example',
  title: 'Example',
  description: 'An example.',
  effect: 'changes',
  roles: ['finance-write'],
  input: z.object({ employee_id: employeeId }),
  output: employee,
  execute: ({ employee_id }, { sql, output }) => sql.change(output, sql`select * from hr.people where employee_id = ${employee_id}`),
});
