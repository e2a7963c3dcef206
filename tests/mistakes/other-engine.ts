/** A domain that is written for another version of the declaration API. */
// tsc: the domain does not say that it is written for version 1 of the declaration API (engine: 1)
import { defineDomain } from '../../src/declare/define.ts';

export const rooms = defineDomain({
  name: 'rooms',
  title: 'Rooms',
  engine: 2,
  home: import.meta.url,
  port: 3200,
  store: 'sql',
  audiences: { everyone: { roles: ['employee'], sees: 'every room' } },
});
