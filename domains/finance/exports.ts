/** The roles of the finance domain, for use in other domains. */
import { defineRoles } from '../../src/declare/roles.ts';

export const financeRoles = defineRoles({
  'finance-read': { means: 'reads budgets, invoices, expense reports and revenue' },
  'finance-write': { means: 'approves and pays', includes: ['finance-read'] },
});
