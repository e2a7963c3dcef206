/** `changed` with a field that the row does not have. */
// tsc: Did you mean to write 'salary'?
import { z } from 'zod';
import { changed } from '../../src/declare/define.ts';
import { hr } from '../../domains/hr/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = hr.write({
  name: 'change_example',
  title: 'Example',
  description: 'An example.',
  effect: 'changes',
  roles: ['hr-write'],
  input: z.object({ employee_id: employeeId, new_salary: z.number() }),
  output: employee,
  async prepare({ employee_id, new_salary }, { sql }) {
    const now = await sql.one(employee, sql`select * from hr.people where employee_id = ${employee_id}`);
    return {
      summary: now.first_name,
      subject: { label: now.first_name, id: employee_id },
      changes: changed(now, { sallary: new_salary }),
    };
  },
  execute: ({ employee_id }, { sql, output }) => sql.change(output, sql`select * from hr.people where employee_id = ${employee_id}`),
});
