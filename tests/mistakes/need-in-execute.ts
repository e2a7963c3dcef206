/** `execute` runs in a transaction, which must not wait for another domain. */
// tsc: Property 'needs' does not exist on type
import { z } from 'zod';
import { defineContract } from '../../src/declare/contracts.ts';
import { defineDomain } from '../../src/declare/define.ts';

const people = defineContract('people', 1, { find: { input: z.object({ id: z.string() }), output: z.string().nullable() } });
const rooms = defineDomain({
  name: 'rooms',
  title: 'Rooms',
  engine: 1,
  home: import.meta.url,
  port: 3200,
  store: 'sql',
  needs: { people },
  audiences: { everyone: { roles: ['employee'], sees: 'every room' } },
});

export const tool = rooms.write({
  name: 'change_example',
  title: 'Example',
  description: 'An example.',
  effect: 'changes',
  roles: ['employee'],
  input: z.object({ id: z.string() }),
  output: z.object({ name: z.string().nullable() }),
  prepare: async ({ id }) => ({ summary: 'Change it', subject: { label: id, id }, changes: [] }),
  execute: async ({ id }, { needs }) => ({ name: await needs.people.find({ id }) }),
});
