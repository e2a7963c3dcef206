/** The roles of the payroll domain, for use in other domains. */
import { defineRoles } from '../../src/declare/roles.ts';

export const payrollRoles = defineRoles({
  'payroll-read': { means: "reads everyone's payroll" },
  'payroll-write': { means: 'changes payroll', includes: ['payroll-read'] },
});
