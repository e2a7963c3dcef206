/** The roles of the hr domain, for use in other domains. */
import { defineRoles } from '../../src/declare/roles.ts';

export const hrRoles = defineRoles({
  'hr-read': { means: 'reads every employee record, without pay and private data' },
  'hr-write': { means: 'changes employee records, pay and time off', includes: ['hr-read'] },
});
