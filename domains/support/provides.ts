/** What support provides to sign-in: the roles of a customer. */
import { z } from 'zod';
import { customerLead } from '../../src/declare/engine-contracts.ts';
import { support } from './domain.ts';

const organization = z.object({ lead_contact_id: z.string().nullish() });

export const customerLeadProvision = support.provide(customerLead, {
  systemAudience: 'signin',
  calls: {
    async rolesOf({ sub, organizationId }, { search }) {
      const found = await search.maybeOne(organization, 'organizations', search.where({ organization_id: organizationId }));
      if (found === null) return null;
      return [found.lead_contact_id === sub ? 'lead-customer' : 'basic-customer'];
    },
  },
});
