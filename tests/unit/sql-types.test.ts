/** How values of PostgreSQL reach a tool: numbers and booleans as such, days and ids as text, arrays as arrays of these. */
import { expect, test } from 'vitest';
import { types } from '../../src/storage/sql/database.ts';

test.each([
  ['text[]', 1009, '{Projector,"Video bar",NULL}', ['Projector', 'Video bar', null]],
  ['text[] without elements', 1009, '{}', []],
  ['uuid[]', 2951, '{0b000000-0000-4000-8000-000000000001}', ['0b000000-0000-4000-8000-000000000001']],
  ['date[]', 1182, '{2026-11-18}', ['2026-11-18']],
  ['int4[]', 1007, '{1,NULL,-3}', [1, null, -3]],
  ['numeric[]', 1231, '{12.50,0}', [12.5, 0]],
  ['bool[]', 1000, '{t,f}', [true, false]],
  ['numeric', 1700, '720.50', 720.5],
  ['date', 1082, '2026-11-18', '2026-11-18'],
])('%s', (_name, oid, stored, expected) => {
  expect((types.getTypeParser(oid, 'text') as (value: string) => unknown)(stored)).toEqual(expected);
});
