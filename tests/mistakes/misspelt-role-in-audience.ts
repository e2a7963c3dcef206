/** An audience names a role that neither the engine nor the domain nor a set in `rolesOf` declares. */
// tsc: Type '"janitr"' is not assignable to type '"employee" | "executive" | "janitor" | "manager"'. Did you mean '"janitor"'?
import { defineDomain } from '../../src/declare/define.ts';
import { defineRoles } from '../../src/declare/roles.ts';

export const facilities = defineDomain({
  name: 'facilities',
  title: 'Facilities',
  engine: 1,
  port: 3120,
  store: 'sql',
  roles: defineRoles({ janitor: { means: 'cleans' } }),
  audiences: { all: { roles: ['janitor', 'janitr'], sees: 'every room' } },
});
