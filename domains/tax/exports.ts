/** What other domains may use of the tax domain. */
import { defineRoles } from '../../src/declare/roles.ts';

export const taxRoles = defineRoles({
  'tax-read': { means: 'reads all tax records' },
  'tax-write': { means: 'changes tax records', includes: ['tax-read'] },
});
