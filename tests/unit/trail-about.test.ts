/** Each process keeps its own records, so a page of the trail says whose it is. */
import { expect, test } from 'vitest';
import { cursors } from '../../src/core/cursor.ts';
import { trail } from '../../src/gateway/trail.ts';

const about = (shared: boolean, elsewhere: string[]) =>
  trail([], cursors([Buffer.alloc(32, 1)]), () => Promise.reject(new Error('not asked')), { instance: 'gateway-1', shared, elsewhere })
    .about;

test('one process for everything has it all', () => {
  expect(about(false, [])).toEqual({ recordedBy: 'gateway-1', elsewhere: [] });
});

test.each([
  [true, [], 'other gateways'],
  [true, ['hr', 'tax'], 'other gateways, hr, tax'],
  [false, ['hr'], 'hr'],
])('one among several says who has the rest (%s, %j)', (shared, elsewhere, named) => {
  const { recordedBy, warning, elsewhere: told } = about(shared, elsewhere);
  expect([recordedBy, told]).toEqual(['gateway-1', elsewhere]);
  expect(warning).toContain(`recorded by others (${named})`);
});
