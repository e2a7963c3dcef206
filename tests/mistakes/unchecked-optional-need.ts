/** An optional need has no client if no installed domain provides it. */
// tsc: 'needs.people' is possibly 'undefined'
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
  needs: { people: { optional: people, without: 'rooms show no names' } },
  audiences: { everyone: { roles: ['employee'], sees: 'every room' } },
});

export const tool = rooms.read({
  name: 'get_example',
  title: 'Example',
  description: 'An example.',
  roles: ['employee'],
  input: z.object({ id: z.string() }),
  output: z.object({ name: z.string().nullable() }),
  run: async ({ id }, { needs }) => ({ name: await needs.people.find({ id }) }),
});
