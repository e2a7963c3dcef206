/** The contracts that the engine itself needs. A domain that keeps employees or customers provides them. */
import { z } from 'zod';
import { defineChangeFeed, defineContract } from './contracts.ts';

/** Sign-in asks whether an employee still works here. Without a provider, no account is linked to an employee record. */
export const employment = defineContract('employment', 1, {
  stateOf: {
    input: z.strictObject({ employeeId: z.uuid() }),
    output: z.enum(['active', 'terminated', 'unknown']),
  },
});

/** Domains that keep a copy of people follow this feed. Each change holds the current values of one person. */
export const peopleChanges = defineChangeFeed(
  'people-changes',
  1,
  z.object({
    n: z.int().min(1),
    employeeId: z.uuid(),
    /** Null if the person was deleted. */
    name: z.string().nullable(),
    department: z.string().nullable(),
    managerId: z.uuid().nullable(),
    active: z.boolean(),
  }),
);

/**
 * Sign-in asks for the roles of a customer, because only the provider knows who leads the organisation. Null if the organisation is
 * unknown.
 */
export const customerLead = defineContract('customer-lead', 1, {
  rolesOf: {
    input: z.strictObject({ sub: z.string().max(255), organizationId: z.string().max(64) }),
    output: z.array(z.string()).nullable(),
  },
});
