/** A list cannot be ordered by a masked field: the order would reveal what the mask hides. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { asc } from '../../src/declare/order.ts';
import { hr } from '../../domains/hr/domain.ts';
import { employee } from '../../domains/hr/schemas.ts';

test('a masked field is refused as an order when the tool is declared', () => {
  const declare = () =>
    hr.list({
      name: 'list_by_phone',
      title: 'Example',
      description: 'An example.',
      plural: 'employees',
      roles: ['hr-read'],
      input: z.object({}),
      item: employee,
      order: asc('phone', 'employee_id'),
      find: (_, { sql }) => sql`select * from hr.people`,
    });
  expect(declare).toThrow('list_by_phone: ordered by the masked field phone');
});
