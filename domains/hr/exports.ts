/** The roles and the salary feed of the hr domain, for use in other domains. */
import { z } from 'zod';
import { defineChangeFeed } from '../../src/declare/contracts.ts';
import { defineRoles } from '../../src/declare/roles.ts';

export const hrRoles = defineRoles({
  'hr-read': { means: 'reads every employee record, without pay and private data' },
  'hr-write': { means: 'changes employee records, pay and time off', includes: ['hr-read'] },
});

/** Payroll follows this feed. Each change has all agreed salaries of one employee, also those of days to come. */
export const salaryChanges = defineChangeFeed(
  'salary-changes',
  1,
  z.object({
    n: z.int().min(1),
    employeeId: z.uuid(),
    /** A yearly salary is in force from its day until that of the next one. */
    salaries: z.array(z.object({ from: z.iso.date(), salary: z.number() })),
  }),
);
