/** Schemas that the tools of facilities share. */
import { amount, companyText, idOf, masked, storedDay, storedId, untrusted, z } from 'tamshai';

export const roomId = idOf('Give the room_id of a room from list_rooms').describe('room_id from list_rooms');
export const bookingId = idOf('Give the booking_id of a booking from list_bookings').describe('booking_id from list_bookings');

/** A mask also works inside an object: everybody sees the lease, but few people see the rent. */
const lease = z.object({ landlord: companyText, ends_on: storedDay, monthly_rent: masked('rent', amount) });

export const room = z.object({
  room_id: storedId,
  name: companyText,
  building: companyText,
  floor: z.int(),
  seats: z.int(),
  equipment: z.array(companyText),
  lease: lease.nullable().describe('Null if the company owns the building'),
});

export const booking = z.object({
  booking_id: storedId,
  room_id: storedId,
  room_name: companyText,
  booked_by: companyText,
  day: storedDay,
  from_hour: z.int(),
  to_hour: z.int(),
  purpose: untrusted,
});

export const roomNotFound = { message: 'There is no such room.', hint: 'Find the room_id with list_rooms.' };
