import { prose, z } from 'tamshai';
import { fleet } from '../domain.ts';
import { vehicle, vehicleId, vehicleNotFound } from '../schemas.ts';

export const setVehicleService = fleet.write({
  name: 'set_vehicle_service',
  title: 'Take a vehicle in or out of service',
  description: 'Take a vehicle out of service, or put it back into service.',
  roles: ['fleet-write', 'executive'],
  effect: 'changes',
  input: z.object({
    vehicle_id: vehicleId,
    in_service: z.boolean().describe('True if people may use the vehicle'),
    reason: prose(500).optional().describe('Shown on the approval card'),
  }),
  output: vehicle,
  errors: {
    VEHICLE_NOT_FOUND: vehicleNotFound,
    VEHICLE_UNCHANGED: { message: 'The vehicle already has this state.', hint: 'Nothing has to be done.' },
  },
  examples: [
    {
      question: 'Take HH-NW 101 out of service, the brakes squeak',
      as: 'lena.fischer',
      input: { vehicle_id: '0c100000-0000-4000-8000-000000000001', in_service: false, reason: 'The brakes squeak' },
    },
    {
      question: 'Put HH-NW 102 back into service',
      as: 'max.schulze',
      input: { vehicle_id: '0c100000-0000-4000-8000-000000000002', in_service: true },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ vehicle_id, in_service, reason }, { documents, fail }) {
    const found =
      (await documents.maybeOne(vehicle, 'vehicles', documents.where({ _id: vehicle_id }))) ?? fail('VEHICLE_NOT_FOUND', { vehicle_id });
    if (found.in_service === in_service) throw fail('VEHICLE_UNCHANGED');
    return {
      summary: in_service ? `Put ${found.plate} back into service` : `Take ${found.plate} out of service`,
      subject: { label: `${found.plate}, ${found.model}`, id: vehicle_id },
      changes: [{ field: 'in_service', from: found.in_service, to: in_service }],
      reason,
    };
  },

  execute: ({ vehicle_id, in_service }, { documents, output }) =>
    documents.change(output, 'vehicles', documents.where({ _id: vehicle_id, in_service: !in_service }), { in_service }),
});
