/** Looks up whether a customer is the lead contact of their organisation. A new lead contact becomes effective with the next token. */
import { z } from 'zod';
import { filters } from '../declare/filter.ts';
import type { Store } from '../engine/store.ts';
import type { StoreKind } from '../declare/store-kinds.ts';
import type { Clock } from '../engine/ports.ts';
import type { UpstreamClient } from '../gateway/upstream-client.ts';
import type { Persona } from '../declare/sample.ts';
import type { SigningKey } from '../identity/keys.ts';
import { createServerRequest } from './server-request.ts';

const organization = z.object({ lead_contact_id: z.string().nullish() });

/** Undefined if the organisation is unknown or support does not answer. */
export type LeadOf = (customer: Pick<Persona, 'sub' | 'organizationId'>) => Promise<boolean | undefined>;

/** Asks a remote support server. */
export function createRemoteLeads(support: UpstreamClient | undefined, key: SigningKey, clock: Clock): LeadOf {
  const ask = createServerRequest(support, { server: 'support', title: 'Support', key, clock });
  return async ({ sub, organizationId }) => {
    if (organizationId === undefined) return undefined;
    const leads = await ask('/lead', { sub, organizationId }, 'sign-in', z.boolean().nullable()).catch(() => null);
    return leads ?? undefined;
  };
}

export function leadsIn(store: Store<StoreKind> | undefined): LeadOf {
  return async (customer) => {
    if (store?.kind !== 'search' || customer.organizationId === undefined) return undefined;
    const { sub, organizationId } = customer;
    const person = {
      principal: `customer:${sub}`,
      sub,
      realm: 'customer' as const,
      username: '',
      name: '',
      email: '',
      employeeId: undefined,
      organizationId,
      roles: new Set<never>(),
    };
    try {
      const found = await (store as Store<'search'>).read({ domain: 'support', audience: 'own', person, shows: [] }, ({ search }) =>
        search.maybeOne(organization, 'organizations', filters.where({ organization_id: organizationId })),
      );
      return found === null ? undefined : found.lead_contact_id === sub;
    } catch {
      return undefined;
    }
  };
}
