/** The stored fields of the customer and of the first deal that a lead becomes. */
import { nameFields } from './customers.ts';
import { searchText, usualProbability, weighted } from './deals.ts';
import { accountOwnerFields, ownerFields } from './owners.ts';
import type { Lead } from './rules.ts';

export const customerOf = (lead: Lead, industry: string) => ({
  name: lead.company,
  ...nameFields(lead.company, lead.company),
  company: lead.company,
  industry,
  contact_name: lead.name,
  email: lead.email,
  phone: null,
  status: 'PROSPECT',
  tier: 'free',
  annual_revenue: null,
  address: null,
  ...accountOwnerFields(lead),
});

interface FirstDeal {
  /** The name of the customer. */
  readonly account: string;
  readonly deal_name: string;
  readonly value: number;
  readonly close_date: string;
  readonly currency: string;
}
/** A converted lead is qualified, so its deal begins in that stage. */
export function firstDeal(lead: Lead, { account, deal_name, value, close_date, currency }: FirstDeal) {
  const stage = 'QUALIFICATION';
  const probability = usualProbability(stage);
  return {
    customer_name: account,
    deal_name,
    search: searchText(deal_name, account),
    value,
    currency,
    stage,
    probability,
    weighted_value: weighted(value, probability),
    expected_close_date: close_date,
    close_date,
    ...ownerFields(lead),
    notes: null,
    actual_value: null,
    close_reason: null,
    closed_at: null,
    closed_by_name: null,
  };
}
