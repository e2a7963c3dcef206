import { asc, z } from 'tamshai';
import { fleet } from '../domain.ts';
import { vehicle } from '../schemas.ts';

export const listVehicles = fleet.list({
  name: 'list_vehicles',
  title: 'Vehicles',
  description: 'Pool vehicles with plate, model and seats. It is how a plate becomes the id of a vehicle.',
  plural: 'vehicles',
  roles: ['employee', 'fleet-write', 'executive'],
  input: z.object({
    electric: z.boolean().optional().describe('Only electric vehicles, or only others'),
    in_service: z.boolean().optional().describe('Only vehicles that can be used, or only those that cannot'),
  }),
  item: vehicle,
  order: asc('plate', '_id'),
  examples: [
    { question: 'Which cars do we have?', as: 'max.schulze', input: {} },
    { question: 'Which of our vehicles are electric?', as: 'aylin.kaya', input: { electric: true } },
    { question: 'What do our vehicles cost?', as: 'lena.fischer', input: {} },
  ],

  find: (given, { documents }) => documents.from('vehicles', documents.given(given)),
});
