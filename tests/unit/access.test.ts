/** Access control: which roles may call a tool, with which audience, and which masks are lifted for them. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { audienceFor, hiddenFrom, opens, sessionFor } from '../../src/engine/access.ts';
import type { Person, Role } from '../../src/declare/people.ts';
import { hr } from '../../domains/hr/domain.ts';

type HrRole = 'employee' | 'manager' | 'hr-read' | 'hr-write' | 'executive';
const toolFor = (...roles: readonly [HrRole, ...HrRole[]]) =>
  hr.read({
    name: 'get_example',
    title: 'Example',
    description: 'An example.',
    roles,
    input: z.object({}),
    output: z.object({}),
    run: async () => ({}),
  });
const person = (roles: readonly Role[]): Person => ({
  principal: 'staff:x',
  sub: 'x',
  realm: 'staff',
  username: 'x',
  name: 'X',
  email: '',
  employeeId: '00000000-0000-4000-8000-000000000001',
  organizationId: undefined,
  roles: new Set(roles),
});

test('only a person with one of the roles of a tool can call the tool', () => {
  expect(opens(toolFor('hr-read'), new Set<Role>(['hr-read']))).toBe(true);
  expect(opens(toolFor('hr-read'), new Set<Role>(['employee', 'manager', 'finance-read', 'executive']))).toBe(false);
  expect(() => sessionFor(toolFor('hr-write'), person(['employee', 'manager', 'hr-read']), 'r')).toThrow(
    'You do not have permission to use get_example. Your roles: employee, hr-read, manager.',
  );
});

test('the audience follows the role that allows the call, not the widest role that the person holds', () => {
  expect(audienceFor(toolFor('manager'), new Set<Role>(['manager', 'hr-read', 'executive']))).toBe('reports');
  expect(audienceFor(toolFor('employee', 'manager', 'hr-read'), new Set<Role>(['employee', 'manager', 'hr-read']))).toBe('everyone');
  expect(audienceFor(toolFor('employee', 'manager', 'hr-read'), new Set<Role>(['employee', 'manager']))).toBe('reports');
  expect(audienceFor(toolFor('employee', 'manager', 'hr-read'), new Set<Role>(['employee']))).toBe('self');
});

test('an account without an employee record is refused if the audience depends on that record', () => {
  expect(() => sessionFor(toolFor('manager'), { ...person(['manager']), employeeId: undefined }, 'r')).toThrow(
    'Your account is not linked to an active employee record.',
  );
  expect(sessionFor(toolFor('hr-read'), { ...person(['hr-read']), employeeId: undefined }, 'r').audience).toBe('everyone');
});

test('a mask is lifted for the roles that it names', () => {
  const tool = toolFor('employee', 'hr-read', 'hr-write');
  expect(sessionFor(tool, person(['employee', 'hr-read']), 'r').shows).toEqual([]);
  expect(sessionFor(tool, person(['employee', 'hr-write']), 'r').shows).toEqual(['pay', 'planned_pay', 'contact', 'ssn']);
  expect(hiddenFrom(tool, person(['employee', 'finance-read'])).map(({ mask }) => mask)).toEqual(['planned_pay', 'contact', 'ssn']);
});
