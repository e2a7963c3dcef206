import { z } from 'tamshai';
import { facilities } from '../domain.ts';
import { room, roomId, roomNotFound } from '../schemas.ts';

export const getRoom = facilities.read({
  name: 'get_room',
  title: 'Room',
  description: 'One room by id: seats, equipment and, for a rented room, the lease.',
  roles: ['employee', 'facilities-read', 'executive'],
  audience: 'house',
  input: z.object({ room_id: roomId }),
  output: room,
  errors: { ROOM_NOT_FOUND: roomNotFound },
  examples: [
    { question: 'What does the room Elbe cost us?', as: 'lena.fischer', input: { room_id: '0b000000-0000-4000-8000-000000000001' } },
    { question: 'What equipment is in Elbe?', as: 'aylin.kaya', input: { room_id: '0b000000-0000-4000-8000-000000000001' } },
    {
      question: 'Show me a room that does not exist',
      as: 'max.schulze',
      input: { room_id: '0b000000-0000-4000-8000-000000009999' },
      expects: 'ROOM_NOT_FOUND',
    },
  ],
  summary: ({ name, building, seats }) => `${name}, ${building}, ${seats} seats`,

  run: async ({ room_id }, { sql, output, fail }) =>
    (await sql.maybeOne(output, sql`select * from facilities.room_list where room_id = ${room_id}`)) ?? fail('ROOM_NOT_FOUND', { room_id }),
});
