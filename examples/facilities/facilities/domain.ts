/** Declares the facilities domain: rooms, leases and bookings. Each audience is a database role (see sql/policies.sql). */
import { defineDomain } from 'tamshai';
import { facilitiesRoles } from './exports.ts';

export const facilities = defineDomain({
  name: 'facilities',
  title: 'Facilities',
  engine: 1,
  home: import.meta.url,
  port: 3120,
  store: 'sql',
  roles: facilitiesRoles,
  audiences: {
    everyone: { roles: ['facilities-read', 'facilities-write', 'executive'], sees: 'every room and every booking' },
    staff: { roles: ['employee'], sees: 'their own bookings', linked: true },
    // No role has this audience. The tools about rooms select it for every caller.
    house: { roles: [], sees: 'every room; the rent only with the role for it' },
  },
  masks: {
    rent: { hides: 'the monthly rent of a room', shownTo: ['facilities-write', 'executive'], andOwner: false },
  },
});
