/** Rules and queries shared by the support tools. */
import type { z } from 'zod';
import { is } from '../../src/declare/filter.ts';
import type { Filter } from '../../src/declare/filter.ts';
import type { SearchReader, SearchWords } from '../../src/declare/search.ts';
import type { Me } from '../../src/declare/tool.ts';
import {
  type contact,
  type fullCustomerTicket,
  type Organization,
  organization,
  type priorities,
  type storedCustomerTicket,
  type tiers,
  unresolved,
} from './schemas.ts';

type Collections = 'tickets' | 'articles' | 'organizations';
type Priority = (typeof priorities)[number];
type Tier = (typeof tiers)[number];

export const MINUTE = 60_000;
/** A ticket with less time left is at risk. */
const AT_RISK = 120 * MINUTE;

/** SLA hours by priority and customer tier. */
const HOURS: Readonly<Record<Priority, Readonly<Record<Tier, number>>>> = {
  critical: { enterprise: 4, business: 8, startup: 12, free: 24 },
  high: { enterprise: 8, business: 16, startup: 24, free: 48 },
  medium: { enterprise: 24, business: 48, startup: 72, free: 96 },
  low: { enterprise: 96, business: 120, startup: 144, free: 168 },
};
export const deadlineOf = (created: Date, priority: Priority, tier: Tier): string =>
  new Date(created.getTime() + HOURS[priority][tier] * 60 * MINUTE).toISOString();

/** `breached` and `atRisk` also match solved tickets, so callers combine them with `waiting`. */
export const sla = {
  waiting: (search: SearchWords<Collections>): Filter => search.where({ status: is.oneOf(unresolved) }),
  breached: (search: SearchWords<Collections>, now: Date): Filter => search.where({ sla_deadline: is.below(now.toISOString()) }),
  atRisk: (search: SearchWords<Collections>, now: Date): Filter =>
    search.all(
      search.where({ sla_deadline: is.atLeast(now.toISOString()) }),
      search.where({ sla_deadline: is.below(new Date(now.getTime() + AT_RISK).toISOString()) }),
    ),
  of: (deadline: string, now: Date) => {
    const left = Date.parse(deadline) - now.getTime();
    const status = left < 0 ? ('breached' as const) : left < AT_RISK ? ('at_risk' as const) : ('within' as const);
    return { minutes_remaining: Math.floor(left / MINUTE), sla_status: status };
  },
};
/** Percent with one decimal; 100 if there is nothing to count. */
export const percent = (part: number, of: number): number => (of === 0 ? 100 : Math.round((part / of) * 1000) / 10);

type Stored = z.output<typeof storedCustomerTicket>;
export const forCustomer = ({ contact_name, assigned_to_name, ...rest }: Stored): z.output<typeof fullCustomerTicket> => ({
  ...rest,
  opened_by: contact_name,
  agent: assigned_to_name,
});

/** The caller's organisation, or null if the caller does not lead it. */
export const ledBy = (search: SearchReader<Collections>, { organizationId }: Me): Promise<Organization | null> =>
  organizationId === undefined ? Promise.resolve(null) : search.get(organization, 'organizations', organizationId);
export const NOT_THE_LEAD = { message: 'Only the lead contact of your organisation may do this.' };

export const contactsOf = ({ contacts, lead_contact_id }: Organization): z.output<typeof contact>[] =>
  contacts.map((each) => ({ ...each, role: each.contact_id === lead_contact_id ? 'lead' : 'contact' }));
