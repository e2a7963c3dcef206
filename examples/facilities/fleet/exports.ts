/** What other domains may use of the fleet domain. */
import { defineRoles } from 'tamshai';

export const fleetRoles = defineRoles({
  'fleet-write': { means: 'manages vehicles, and sees what they cost and every trip' },
});
