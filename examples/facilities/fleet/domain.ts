/** Declares the fleet domain: pool vehicles and trips, stored as documents. */
import { defineDomain, filters, NONE, type Person } from 'tamshai';
import { fleetRoles } from './exports.ts';

/** A person without an employee record sees no trips: an undefined filter value would match every row. */
const own = ({ employeeId }: Person) => (employeeId === undefined ? NONE : filters.where({ driver_id: employeeId }));

export const fleet = defineDomain({
  name: 'fleet',
  title: 'Fleet',
  engine: 1,
  home: import.meta.url,
  port: 3121,
  store: 'documents',
  roles: fleetRoles,
  audiences: {
    everyone: { roles: ['fleet-write', 'executive'], sees: 'every vehicle and every trip' },
    staff: { roles: ['employee'], sees: 'every vehicle, and their own trips' },
  },
  masks: {
    leasing: { hides: 'the monthly rate of a vehicle', shownTo: ['fleet-write', 'executive'], andOwner: false },
  },
  collections: {
    vehicles: {
      rows: { everyone: 'all', staff: 'all' },
      writers: ['everyone'],
      masks: { leasing: ['monthly_rate'] },
      indexes: [['plate']],
    },
    trips: { rows: { everyone: 'all', staff: own }, writers: ['everyone', 'staff'], indexes: [['day'], ['driver_id', 'day']] },
  },
});
