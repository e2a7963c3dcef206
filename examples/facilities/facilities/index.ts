/** The facilities domain with its tools, resources, sample data and SQL files. */
import { facilities as domain } from './domain.ts';
import { planMeeting, roomPage } from './resources.ts';
import { facilitiesSample } from './sample/index.ts';
import { bookRoom } from './tools/book-room.ts';
import { changeRoom } from './tools/change-room.ts';
import { getRoom } from './tools/get-room.ts';
import { listBookings } from './tools/list-bookings.ts';
import { listRooms } from './tools/list-rooms.ts';

export const facilities = domain.install({
  tools: [listRooms, getRoom, listBookings, bookRoom, changeRoom],
  resources: [roomPage, planMeeting],
  sample: facilitiesSample,
});
