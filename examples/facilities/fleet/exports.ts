/** The roles of the fleet domain, for use in other domains. */
import { defineRoles } from 'tamshai';

export const fleetRoles = defineRoles({
  'fleet-write': { means: 'manages vehicles, and sees what they cost and every trip' },
});
