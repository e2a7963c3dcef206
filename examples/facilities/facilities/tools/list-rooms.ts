import { asc, line, z } from 'tamshai';
import { facilities } from '../domain.ts';
import { room } from '../schemas.ts';

export const listRooms = facilities.list({
  name: 'list_rooms',
  title: 'Rooms',
  description: 'Meeting rooms with building, floor, seats and equipment, by name. Use it to find the room_id for a name.',
  plural: 'rooms',
  roles: ['employee', 'facilities-read', 'executive'],
  audience: 'house',
  input: z.object({
    name: line(100).min(1).optional().describe('The name of the room'),
    building: line(100).min(1).optional().describe('The name of the building'),
    min_seats: z.int().min(1).max(1000).optional().describe('Only rooms with at least this many seats'),
  }),
  item: room,
  order: asc('name', 'room_id'),
  examples: [
    { question: 'Which meeting rooms do we have?', as: 'max.schulze', input: {} },
    { question: 'Rooms with at least 10 seats', as: 'greta.vogel', input: { min_seats: 10 } },
    { question: 'Show me the rooms in Werk Nord', as: 'emre.yildiz', input: { building: 'Werk Nord' } },
  ],

  find: ({ name, building, min_seats }, { sql }) => sql`
    select * from facilities.room_list where true
    ${sql.when(name, () => sql`lower(name) = lower(${name})`)}
    ${sql.when(building, () => sql`lower(building) = lower(${building})`)}
    ${sql.when(min_seats, () => sql`seats >= ${min_seats}::int`)}`,
});
