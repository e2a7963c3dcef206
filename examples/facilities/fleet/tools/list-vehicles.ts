import { asc, z } from 'tamshai';
import { fleet } from '../domain.ts';
import { vehicle } from '../schemas.ts';

export const listVehicles = fleet.list({
  name: 'list_vehicles',
  title: 'Vehicles',
  description: 'Pool vehicles with plate, model and seats. Use it to find the id for a plate.',
  plural: 'vehicles',
  roles: ['employee', 'fleet-write', 'executive'],
  input: z.object({
    electric: z.boolean().optional().describe('true: only electric vehicles; false: only others'),
    in_service: z.boolean().optional().describe('true: only vehicles in service; false: only vehicles out of service'),
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
