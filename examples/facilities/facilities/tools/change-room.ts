import { changed, line, prose, z } from 'tamshai';
import { facilities } from '../domain.ts';
import { room, roomId, roomNotFound } from '../schemas.ts';

export const changeRoom = facilities.write({
  name: 'change_room',
  title: 'Change a room',
  description: 'Change the number of seats or the equipment of a room.',
  roles: ['facilities-write', 'executive'],
  effect: 'changes',
  input: z.object({
    room_id: roomId,
    seats: z.int().min(1).max(1000).optional().describe('The new number of seats'),
    equipment: z.array(line(60).min(1)).max(20).optional().describe('The whole new list of equipment'),
    reason: prose(500).optional().describe('Shown on the approval card'),
  }),
  output: room,
  errors: {
    ROOM_NOT_FOUND: roomNotFound,
    ROOM_UNCHANGED: {
      message: 'The room already has these seats and this equipment.',
      hint: 'Do nothing, or give other seats or equipment.',
    },
  },
  examples: [
    { question: 'Weser has 8 seats now', as: 'lena.fischer', input: { room_id: '0b000000-0000-4000-8000-000000000002', seats: 8 } },
    {
      question: 'Set the equipment of Elbe to a projector and a whiteboard',
      as: 'greta.vogel',
      input: { room_id: '0b000000-0000-4000-8000-000000000001', equipment: ['Projector', 'Whiteboard'] },
    },
    {
      question: 'Change the seats of Elbe to 40',
      as: 'emre.yildiz',
      input: { room_id: '0b000000-0000-4000-8000-000000000001', seats: 40 },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],
  summary: ({ name, seats, equipment }) => `${name} has ${seats} seats and ${equipment.join(', ') || 'no equipment'}`,

  async prepare({ room_id, seats, equipment, reason }, { sql, fail }) {
    const found =
      (await sql.maybeOne(room, sql`select * from facilities.room_list where room_id = ${room_id}`)) ?? fail('ROOM_NOT_FOUND', { room_id });
    const next = { seats: seats ?? found.seats, equipment: equipment ?? found.equipment };
    const before = { seats: found.seats, equipment: found.equipment.join(', ') };
    const changes = changed(before, { seats: next.seats, equipment: next.equipment.join(', ') });
    if (changes.length === 0) throw fail('ROOM_UNCHANGED');
    return {
      summary: `Change the room ${found.name}`,
      subject: { label: `${found.name}, ${found.building}`, id: room_id },
      changes,
      reason,
      next,
    };
  },

  async execute({ room_id }, { sql, plan, output }) {
    await sql.change(
      output.pick({ room_id: true }),
      sql`update facilities.rooms set seats = ${plan.next.seats}, equipment = ${plan.next.equipment} where room_id = ${room_id} returning room_id`,
    );
    return sql.one(output, sql`select * from facilities.room_list where room_id = ${room_id}`);
  },
});
