/** A domain without the version of the declaration API that it is written for. */
// tsc: the domain does not say that it is written for version 1 of the declaration API (engine: 1)
import { defineDomain } from '../../src/declare/define.ts';

export const rooms = defineDomain({
  name: 'rooms',
  title: 'Rooms',
  home: import.meta.url,
  port: 3200,
  store: 'sql',
  audiences: { everyone: { roles: ['employee'], sees: 'every room' } },
});
