import { asc, day, z } from 'tamshai';
import { facilities } from '../domain.ts';
import { booking, roomId } from '../schemas.ts';

export const listBookings = facilities.list({
  name: 'list_bookings',
  title: 'Room bookings',
  description: 'Bookings from today on, in order of time: all of them for facilities and executives, your own otherwise.',
  plural: 'bookings',
  roles: ['employee', 'facilities-read', 'executive'],
  input: z.object({
    room_id: roomId.optional(),
    from: day.optional().describe('First day; by default today'),
    to: day.optional().describe('Last day'),
  }),
  item: booking,
  order: asc('day', 'from_hour', 'booking_id'),
  examples: [
    { question: 'Which rooms have I booked?', as: 'katharina.wolf', input: {} },
    { question: 'Who booked Elbe?', as: 'lena.fischer', input: { room_id: '0b000000-0000-4000-8000-000000000001' } },
    { question: 'All room bookings', as: 'greta.vogel', input: {} },
  ],

  find: ({ room_id, from, to }, { sql, today }) => sql`
    select * from facilities.booking_list where day >= ${from ?? today}::date
    ${sql.when(to, () => sql`day <= ${to}::date`)}
    ${sql.given({ room_id })}`,
});
