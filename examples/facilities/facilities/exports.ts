/** The roles of the facilities domain, for use in other domains. */
import { defineRoles } from 'tamshai';

export const facilitiesRoles = defineRoles({
  'facilities-read': { means: 'reads every room and every booking' },
  'facilities-write': { means: 'changes rooms, and sees what they cost', includes: ['facilities-read'] },
});
