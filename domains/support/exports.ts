/** The roles of the support domain, for use in other domains. */
import { defineRoles } from '../../src/declare/roles.ts';

export const supportRoles = defineRoles({
  'support-read': { means: 'reads every ticket and article' },
  'support-write': { means: 'changes tickets', includes: ['support-read'] },
  'lead-customer': { realm: 'customer', means: 'leads a customer organisation: its tickets and contacts' },
  'basic-customer': { realm: 'customer', means: 'belongs to a customer organisation: own and shared tickets' },
});
