/** Declares the tasks domain: a personal task list for staff and customers. */
import { defineDomain } from '../../src/declare/define.ts';
import { sqlTaskRepository } from './repository.ts';
import { taskUseCases } from './use-cases.ts';
import { supportRoles } from '../support/exports.ts';

export const tasks = defineDomain({
  name: 'tasks',
  title: 'My tasks',
  engine: 1,
  home: import.meta.url,
  port: 3108,
  store: 'sql',
  rolesOf: [supportRoles],
  audiences: { self: { roles: ['employee', 'lead-customer', 'basic-customer'], sees: 'their own tasks' } },
  // A caller who sends user_id may only send one of their own ids.
  pinned: { user_id: (person) => [person.sub, person.principal, person.username, ...(person.employeeId ? [person.employeeId] : [])] },
  actsAtOnce: 'A personal to-do list affects only its owner.',
  handles: ({ sql, me }) => taskUseCases(sqlTaskRepository(sql, me.principal)),
});

export const anyone = ['employee', 'lead-customer', 'basic-customer'] as const;
