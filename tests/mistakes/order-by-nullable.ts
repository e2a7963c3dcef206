/** An order by a column that may be null. */
// tsc: Type '"manager_id"' is not assignable to type 'Sortable<
import { z } from 'zod';
import { asc } from '../../src/declare/order.ts';
import { hr } from '../../domains/hr/domain.ts';
import { employee, employeeId, employeeNotFound } from '../../domains/hr/schemas.ts';

export const tool = hr.list({
  name: 'list_example',
  title: 'Example',
  description: 'An example.',
  plural: 'employees',
  roles: ['hr-read'],
  input: z.object({}),
  item: employee,
  order: asc('manager_id', 'employee_id'),
  find: (_, { sql }) => sql`select * from hr.people`,
});
