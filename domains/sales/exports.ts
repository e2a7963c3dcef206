/** The roles of the sales domain, for use in other domains. */
import { defineRoles } from '../../src/declare/roles.ts';

export const salesRoles = defineRoles({
  'sales-read': { means: 'reads customers, deals, leads and quotas' },
  'sales-write': { means: 'changes deals and customers', includes: ['sales-read'] },
});
