import { desc, day, is, z } from 'tamshai';
import { fleet } from '../domain.ts';
import { trip } from '../schemas.ts';

export const listTrips = fleet.list({
  name: 'list_trips',
  title: 'Trips',
  description: 'Trips with pool vehicles, the newest first: all of them for fleet managers and executives, your own otherwise.',
  plural: 'trips',
  roles: ['employee', 'fleet-write', 'executive'],
  input: z.object({ from: day.optional().describe('First day'), to: day.optional().describe('Last day') }),
  item: trip,
  order: desc('day', '_id'),
  examples: [
    { question: 'Which trips did I make?', as: 'max.schulze', input: {} },
    { question: 'All trips with pool cars', as: 'greta.vogel', input: {} },
  ],

  find: ({ from, to }, { documents }) => documents.from('trips', documents.given({ day: is.between(from, to) })),
});
