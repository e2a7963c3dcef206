import { day, prose, z } from 'tamshai';
import { facilities } from '../domain.ts';
import { booking, room, roomId, roomNotFound } from '../schemas.ts';

const hour = z.object({ hour: z.int() });
const nextWeek = (today: string) => new Date(Date.parse(today) + 7 * 86_400_000).toISOString().slice(0, 10);

export const bookRoom = facilities.write({
  name: 'book_room',
  title: 'Book a room',
  description: 'Book a free room for yourself, for whole hours of one day.',
  roles: ['employee'],
  effect: 'adds',
  input: z
    .object({
      room_id: roomId,
      day: day.describe('The day of the meeting'),
      from_hour: z.int().min(0).max(23).describe('The hour at which it begins, 0 to 23'),
      to_hour: z.int().min(1).max(24).describe('The hour at which it ends, 1 to 24'),
      purpose: prose(200).describe('What the room is for; facilities reads it'),
    })
    .refine(({ from_hour, to_hour }) => from_hour < to_hour, 'to_hour must be after from_hour'),
  output: booking,
  errors: {
    ROOM_NOT_FOUND: roomNotFound,
    DAY_HAS_PASSED: { message: 'That day has passed.', hint: 'Give a day from today on.' },
    ROOM_TAKEN: { message: 'The room is taken at that time.', hint: 'Choose another hour, or another room from list_rooms.' },
  },
  examples: [
    {
      question: 'Book Elbe next week from 9 to 11 for the roadmap review',
      as: 'katharina.wolf',
      input: (today) => ({
        room_id: '0b000000-0000-4000-8000-000000000001',
        day: nextWeek(today),
        from_hour: 9,
        to_hour: 11,
        purpose: 'Roadmap review',
      }),
    },
    {
      question: 'I need the room Weser on 3 January 2020 from 8 to 9 for a call',
      as: 'max.schulze',
      input: { room_id: '0b000000-0000-4000-8000-000000000002', day: '2020-01-03', from_hour: 8, to_hour: 9, purpose: 'Call' },
      expects: 'DAY_HAS_PASSED',
    },
  ],
  summary: ({ room_name, day: on, from_hour, to_hour }) => `${room_name} is yours on ${on} from ${from_hour} to ${to_hour}`,

  async prepare({ room_id, day: on, from_hour, to_hour, purpose }, { sql, today, fail }) {
    const found =
      (await sql.maybeOne(room, sql`select * from facilities.room_list where room_id = ${room_id}`)) ?? fail('ROOM_NOT_FOUND', { room_id });
    if (on < today) throw fail('DAY_HAS_PASSED', { day: on });
    const [taken] = await sql.many(
      hour,
      sql`
        select hour from facilities.taken_hours
        where room_id = ${room_id} and day = ${on}::date and hour >= ${from_hour}::int and hour < ${to_hour}::int order by hour limit 1`,
    );
    if (taken) throw fail('ROOM_TAKEN', { day: on, hour: taken.hour });
    return {
      summary: `Book ${found.name} on ${on} from ${from_hour} to ${to_hour}`,
      subject: { label: `${found.name}, ${found.building}`, id: room_id },
      changes: [
        { field: 'day', from: null, to: on, format: 'date' },
        { field: 'from_hour', label: 'From', from: null, to: from_hour },
        { field: 'to_hour', label: 'To', from: null, to: to_hour },
        { field: 'purpose', from: null, to: purpose },
      ],
    };
  },

  async execute({ room_id, day: on, from_hour, to_hour, purpose }, { sql, me, output }) {
    const { booking_id } = await sql.change(
      output.pick({ booking_id: true }),
      sql`
        insert into facilities.bookings (room_id, booked_by, day, from_hour, to_hour, purpose)
        values (${room_id}, ${me.name}, ${on}, ${from_hour}, ${to_hour}, ${purpose}) returning booking_id`,
    );
    await sql.changeMany(
      hour,
      sql`
        insert into facilities.taken_hours (room_id, day, hour, booking_id)
        select ${room_id}::uuid, ${on}::date, h, ${booking_id}::uuid from generate_series(${from_hour}::int, ${to_hour}::int - 1) h
        returning hour`,
    );
    return sql.one(output, sql`select * from facilities.booking_list where booking_id = ${booking_id}`);
  },
});
