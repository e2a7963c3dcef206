/** Roles: the engine or one domain declares each role, and a token carries only roles of its realm. */
import { describe, expect, test } from 'vitest';
import { createRoleTable, defineRoles } from '../../src/declare/roles.ts';
import { builtIn } from '../registry.ts';

const facilities = defineRoles({
  'room-read': { means: 'reads rooms' },
  'room-write': { means: 'changes rooms', includes: ['room-read'] },
  'room-admin': { means: 'changes rooms and buildings', includes: ['room-write'] },
  guest: { means: 'books a room', realm: 'customer' },
});
const table = createRoleTable([{ name: 'facilities', roles: facilities }]);

describe('the roles of a token', () => {
  test('include what they imply, at any depth', () => {
    expect([...table.resolve('staff', ['room-admin'])].toSorted()).toEqual(['room-admin', 'room-read', 'room-write']);
  });
  test('x-write includes x-read only if it is declared with `includes`, not by its name', () => {
    const plain = createRoleTable([{ name: 'x', roles: defineRoles({ 'x-read': { means: '' }, 'x-write': { means: '' } }) }]);
    expect([...plain.resolve('staff', ['x-write'])]).toEqual(['x-write']);
  });
  test('unknown roles, and roles of the other realm, are dropped', () => {
    expect([...table.resolve('staff', ['guest', 'root', 'ROOM-READ', '__proto__', 'employee'])]).toEqual(['employee']);
    expect([...table.resolve('customer', ['employee', 'room-read', 'guest'])]).toEqual(['guest']);
  });
  test('`user` means `employee`', () => expect([...table.resolve('staff', ['user'])]).toEqual(['employee']));
});

describe('a configuration', () => {
  test('in which two domains declare one role is refused, and both are named', () => {
    expect(() =>
      createRoleTable([
        { name: 'rooms', roles: facilities },
        { name: 'cars', roles: defineRoles({ guest: { means: 'rents a car' } }) },
      ]),
    ).toThrow("The role 'guest' is declared by rooms and by cars");
  });
  test('cannot declare a role of the engine again', () => {
    expect(() => createRoleTable([{ name: 'x', roles: defineRoles({ executive: { means: '' } }) }])).toThrow(
      "The role 'executive' is declared by the engine and by x",
    );
  });
  test.each(['', 'Room', 'room_read', '-read', 'a b', 'é'])('a role cannot be called %j', (name) => {
    expect(() => defineRoles({ [name]: { means: '' } })).toThrow('is not a valid name');
  });
});

test('every role that a built-in domain names is declared by the engine or by a built-in domain', () => {
  const named = builtIn.domains.flatMap(({ audiences, masks = {} }) => [
    ...Object.values(audiences).flatMap(({ roles }) => roles),
    ...Object.values(masks).flatMap(({ shownTo }) => shownTo),
  ]);
  expect(named.filter((role) => !builtIn.roles.names.includes(role))).toEqual([]);
});
