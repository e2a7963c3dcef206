/** MCP resources and prompts of facilities. */
import { line, prose, z } from 'tamshai';
import { facilities } from './domain.ts';
import { room, roomNotFound } from './schemas.ts';
import { bookRoom } from './tools/book-room.ts';
import { listRooms } from './tools/list-rooms.ts';

export const roomPage = facilities.resource({
  uri: 'facilities://rooms/{name}',
  name: 'room',
  title: 'A room',
  description: 'One room by its name: where it is, how many seats it has, its equipment.',
  version: 1,
  roles: ['employee', 'facilities-read', 'executive'],
  audience: 'house',
  input: z.object({ name: line(100).describe('The name of the room') }),
  errors: { ROOM_NOT_FOUND: roomNotFound },
  async text({ name }, { sql, fail }) {
    const { building, floor, seats, equipment } =
      (await sql.maybeOne(room, sql`select * from facilities.room_list where lower(name) = lower(${name})`)) ??
      fail('ROOM_NOT_FOUND', { name });
    const lines = [`Building: ${building}, floor ${floor}`, `Seats: ${seats}`, `Equipment: ${equipment.join(', ') || 'none'}`];
    return [`# ${name}`, '', ...lines.map((each) => `- ${each}`), ''].join('\n');
  },
});

export const planMeeting = facilities.prompt({
  name: 'plan-a-meeting',
  title: 'Plan a meeting',
  description: 'Finds a suitable room and books it.',
  roles: ['employee'],
  arguments: z.object({
    people: line(20).describe('How many people come'),
    when: line(100).describe('The day and the hours'),
    purpose: prose(200).describe('What the meeting is about'),
  }),
  tools: [listRooms, bookRoom],
  render: ({ people, when, purpose }, { tool }) =>
    [
      `I would like to meet with ${people} people, ${when}, about: ${purpose}.`,
      `1. Call ${tool(listRooms)} with min_seats ${people}, and choose the smallest room that fits.`,
      `2. Call ${tool(bookRoom)} for that room. If it answers ROOM_TAKEN, try the next room.`,
      'An answer with status pending_confirmation has booked nothing yet: give me its link.',
    ].join('\n'),
});
