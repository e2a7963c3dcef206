/** A masked field is no default order, and no key of an order that the engine cannot refuse: the order would reveal what the mask hides. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { asc, desc, type Order } from '../../src/declare/order.ts';
import { hr } from '../../domains/hr/domain.ts';
import { employee } from '../../domains/hr/schemas.ts';

const declare = (order: Record<string, Order<string>> | Order<string>) =>
  hr.list({
    name: 'list_by_phone',
    title: 'Example',
    description: 'An example.',
    plural: 'employees',
    roles: ['hr-read'],
    input: z.object({}),
    item: employee,
    order: order as Order<'employee_id'>,
    find: (_, { sql }) => sql`select * from hr.people`,
  });

test('a masked field is refused as the order, or the default order, when the tool is declared', () => {
  expect(() => declare(asc('phone', 'employee_id'))).toThrow('list_by_phone: ordered by the masked field phone');
  expect(() => declare({ phone: asc('phone', 'employee_id'), name: asc('last_name', 'employee_id') })).toThrow(
    'list_by_phone: ordered by the masked field phone',
  );
});

test('an order by a masked field can be chosen, and says which keys can be null', () => {
  const { orders } = declare({ name: asc('last_name', 'employee_id'), salary: desc('salary', 'employee_id') });
  expect(orders['salary']).toMatchObject({ direction: 'desc', keys: ['salary', 'employee_id'], nullable: ['salary'] });
  expect(orders['name']?.nullable).toEqual([]);
});

test('the last key of an order cannot be null', () => {
  expect(() => declare({ name: asc('employee_id'), manager: asc('manager_id') })).toThrow('manager_id can be null');
});
