/** Sample rows of facilities: six rooms, two of them rented, and some bookings for the coming days. */
import type { Sample, SampleTable } from 'tamshai';

const id = (block: string, n: number) => `${block}-0000-4000-8000-${String(n).padStart(12, '0')}`;
const room = (n: number) => id('0b000000', n);

const rooms = [
  [room(1), 'Elbe', 'Speicher 3', 2, 14, '{Projector,Whiteboard,"Video bar"}'],
  [room(2), 'Weser', 'Speicher 3', 2, 6, '{Whiteboard}'],
  [room(3), 'Alster', 'Speicher 3', 1, 4, '{}'],
  [room(4), 'Saale', 'Werk Nord', 0, 20, '{Projector,Microphones}'],
  [room(5), 'Spree', 'Werk Nord', 1, 8, '{"Video bar"}'],
  [room(6), 'Havel', 'Werk Nord', 1, 10, '{Whiteboard,"Video bar"}'],
] as const;

/** Room, employee (number in the directory), days from today, first and last hour, purpose. */
const bookings = [
  [1, 0, 1, 9, 10, 'Quartalszahlen'],
  [1, 2, 2, 13, 15, 'Begehung mit dem Vermieter'],
  [2, 4, 1, 10, 11, 'Sprint Planning'],
  [2, 4, 8, 10, 11, 'Sprint Planning'],
  [3, 5, 3, 14, 15, 'Bewerbungsgespräch'],
  [4, 1, 5, 9, 12, 'Erste-Hilfe-Kurs'],
  [5, 6, 4, 16, 17, 'Code Review'],
] as const;

const later = (today: Date, days: number) => new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10);

export const facilitiesSample: Sample = {
  rows({ directory, today }): readonly SampleTable[] {
    const booked = bookings
      .filter(([, person]) => person < directory.size)
      .map(([which, person, days, from, to, purpose], n) => {
        const { id: employee, first, last } = directory.person(person);
        return {
          booking: id('0b100000', n + 1),
          room: room(which),
          employee,
          name: `${first} ${last}`,
          day: later(today, days),
          from,
          to,
          purpose,
        };
      });
    return [
      {
        name: 'facilities.rooms',
        columns: ['room_id', 'name', 'building', 'floor', 'seats', 'equipment'],
        estimate: rooms.length,
        rows: () => rooms,
      },
      {
        name: 'facilities.leases',
        columns: ['room_id', 'landlord', 'ends_on'],
        estimate: 3,
        rows: () => [1, 2, 3].map((n) => [room(n), 'Hanseatische Speicher AG', '2031-03-31']),
      },
      {
        name: 'facilities.rents',
        columns: ['room_id', 'monthly_rent'],
        estimate: 3,
        rows: () => [
          [room(1), 1840],
          [room(2), 720.5],
          [room(3), 480],
        ],
      },
      {
        name: 'facilities.bookings',
        columns: ['booking_id', 'room_id', 'employee_id', 'booked_by', 'day', 'from_hour', 'to_hour', 'purpose'],
        estimate: booked.length,
        rows: () =>
          booked.map(({ booking, room: where, employee, name, day, from, to, purpose }) => [
            booking,
            where,
            employee,
            name,
            day,
            from,
            to,
            purpose,
          ]),
      },
      {
        name: 'facilities.taken_hours',
        columns: ['room_id', 'day', 'hour', 'booking_id'],
        estimate: booked.length,
        rows: () =>
          booked.flatMap(({ booking, room: where, day, from, to }) =>
            Array.from({ length: to - from }, (_, n) => [where, day, from + n, booking]),
          ),
      },
    ];
  },
};
