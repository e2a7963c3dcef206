/** `prepare` reads; it has no writer. */
// tsc: Property 'change' does not exist on type 'SqlReader'
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
  output: employee,
  async prepare({ employee_id }, { sql }) {
    const now = await sql.change(employee, sql`update hr.pay set salary = 1 where employee_id = ${employee_id} returning *`);
    return { summary: now.first_name, subject: { label: now.first_name, id: employee_id }, changes: [] };
  },
  execute: ({ employee_id }, { sql, output }) => sql.change(output, sql`select * from hr.people where employee_id = ${employee_id}`),
});
