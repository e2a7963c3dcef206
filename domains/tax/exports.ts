/** The roles of the tax domain, for use in other domains. */
import { defineRoles } from '../../src/declare/roles.ts';

export const taxRoles = defineRoles({
  'tax-read': { means: 'reads all tax records' },
  'tax-write': { means: 'changes tax records', includes: ['tax-read'] },
});
