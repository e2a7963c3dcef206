/** What other domains may use of the payroll domain. */
import { defineRoles } from '../../src/declare/roles.ts';

export const payrollRoles = defineRoles({
  'payroll-read': { means: "reads everyone's payroll" },
  'payroll-write': { means: 'changes payroll', includes: ['payroll-read'] },
});
