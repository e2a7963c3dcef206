/** Tests the booking rules of this company on a real server with the sample company. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestServer, type TestServer } from 'tamshai/testing';
import config from '../tamshai.config.ts';

const ELBE = '0b000000-0000-4000-8000-000000000001';
let server: TestServer;
beforeAll(async () => {
  server = await openTestServer(config);
}, 120_000);
afterAll(() => server?.close());

const inDays = (days: number) => new Date(server.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
const booking = (from_hour: number, to_hour: number) => ({ room_id: ELBE, day: inDays(20), from_hour, to_hour, purpose: 'Review' });

test('of two people who want the same hour, one gets the room', async () => {
  const first = await server.ask('max.schulze', 'facilities', 'book_room', booking(9, 11));
  const second = await server.ask('aylin.kaya', 'facilities', 'book_room', booking(10, 12));
  const decided = await Promise.all([
    server.decide('max.schulze', first.confirmationId, true),
    server.decide('aylin.kaya', second.confirmationId, true),
  ]);
  expect(decided.map(({ body }) => body.status).toSorted()).toEqual(['error', 'success']);
  const third = await server.rest('katharina.wolf', 'facilities', 'book_room', booking(10, 11));
  expect(third.body).toMatchObject({ status: 'error', code: 'ROOM_TAKEN' });
});

test('people see their own bookings, and facilities sees all of them', async () => {
  const count = async (user: string) => (await server.rest(user, 'facilities', 'list_bookings', { from: inDays(0) })).body;
  const all = (await count('lena.fischer')) as { data: { booked_by: string }[] };
  const own = (await count('katharina.wolf')) as { data: { booked_by: string }[] };
  expect(new Set(own.data.map(({ booked_by }) => booked_by))).toEqual(new Set(['Katharina Wolf']));
  expect(all.data.length).toBeGreaterThan(own.data.length);
});
