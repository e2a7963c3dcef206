/** A company's own domain on SQL, with sample rows. */
import { z } from 'zod';
import { defineDomain } from '../../../src/declare/define.ts';
import { companyText } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';
import type { SampleContext, SampleTable } from '../../../src/declare/sample.ts';

const domain = defineDomain({
  name: 'rooms',
  title: 'Meeting rooms',
  engine: 1,
  home: import.meta.url,
  port: 3121,
  store: 'sql',
  audiences: { everyone: { roles: ['employee'], sees: 'every room' } },
});

const listRooms = domain.list({
  name: 'list_rooms',
  title: 'Meeting rooms',
  description: 'All meeting rooms.',
  plural: 'rooms',
  roles: ['employee'],
  input: z.object({}),
  item: z.object({ room_id: z.int(), name: companyText, seats: z.int(), contact: companyText }),
  order: asc('room_id'),
  find: (_input, { sql }) => sql`select * from rooms.rooms`,
});

/** One room for each employee. */
export const roomsSample = ({ directory }: SampleContext): readonly SampleTable[] => [
  {
    name: 'rooms.rooms',
    columns: ['room_id', 'name', 'seats', 'contact'],
    estimate: directory.size,
    rows: () =>
      Array.from({ length: directory.size }, (_, n) => [
        n + 1,
        `Room ${n + 1}`,
        4,
        `${directory.person(n).first} ${directory.person(n).last}`,
      ]),
  },
];

export const rooms = domain.install({ tools: [listRooms], sample: { rows: roomsSample } });
