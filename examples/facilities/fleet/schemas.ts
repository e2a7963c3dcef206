/** Schemas that the tools of fleet share. */
import { amount, companyText, idOf, masked, storedDay, storedId, untrusted, z } from 'tamshai';

export const vehicleId = idOf('Give the _id of a vehicle from list_vehicles').describe('_id from list_vehicles');

export const vehicle = z.object({
  _id: storedId,
  plate: companyText,
  model: companyText,
  seats: z.int(),
  electric: z.boolean(),
  monthly_rate: masked('leasing', amount),
  in_service: z.boolean(),
});

export const trip = z.object({
  _id: storedId,
  vehicle_id: storedId,
  plate: companyText,
  driver_id: storedId,
  driver_name: companyText,
  day: storedDay,
  destination: untrusted,
  kilometres: z.int(),
});

export const vehicleNotFound = { message: 'There is no such vehicle.', hint: 'Find the vehicle with list_vehicles.' };
