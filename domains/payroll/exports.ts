/** The roles and the cost feed of the payroll domain, for use in other domains. */
import { z } from 'zod';
import { defineChangeFeed } from '../../src/declare/contracts.ts';
import { defineRoles } from '../../src/declare/roles.ts';

export const payrollRoles = defineRoles({
  'payroll-read': { means: "reads everyone's payroll" },
  'payroll-write': { means: 'changes payroll', includes: ['payroll-read'] },
});

/** The costs of each pay run by department, for domains that enter them in their books. */
export const payRunCosts = defineChangeFeed(
  'pay-run-costs',
  1,
  z.object({
    n: z.int().min(1),
    payRunId: z.uuid(),
    runType: z.enum(['REGULAR', 'BONUS', 'OFF_CYCLE']),
    payDate: z.iso.date(),
    /** Gross pay, and the taxes and benefits that the employer paid in addition. */
    departments: z.array(z.object({ department: z.string(), people: z.int().min(1), amount: z.number() })),
  }),
);
