/** Schemas shared by the sales tools: fields, rows and not-found errors. */
import { z } from 'zod';
import {
  amount,
  anyCase,
  companyText,
  idOf,
  line,
  money,
  prose,
  signInName,
  storedDay,
  storedEmail,
  storedId,
  storedTime,
  untrusted,
} from '../../src/declare/fields.ts';

export const opportunityId = idOf('Deal not found: a deal id is a UUID. Find it with list_opportunities.').describe(
  '_id from list_opportunities',
);
export const customerId = idOf('Customer not found: a customer id is a UUID. Find it with list_customers.').describe(
  '_id from list_customers',
);
export const leadId = idOf('Lead not found: a lead id is a UUID. Find it with list_leads.').describe('_id from list_leads');
export const ownerName = line(200).min(1).describe('The salesperson: e-mail address, employee id or any part of the name');
/** More than any real deal, and small enough for exact sums. */
export const sum = money.max(10_000_000_000, 'That is more than 10,000,000,000 {currency}');

export const opportunityNotFound = {
  message: 'Deal not found. Verify the deal ID is correct.',
  hint: 'Find the id with list_opportunities, by name or customer.',
};
export const customerNotFound = {
  message: 'Customer not found. Verify the customer ID is correct.',
  hint: 'Find the id with list_customers, by name.',
};

export const leadNotFound = {
  message: 'Lead not found. Verify the lead ID is correct.',
  hint: 'Find the id with list_leads, by name or company.',
};
export const nothingToChange = { message: 'The record already has these values.', hint: 'Name at least one field with a new value.' };
export const ownerErrors = {
  OWNER_NOT_FOUND: {
    message: 'No such person sells: nobody of that name has a quota or owns a deal, a customer or a lead.',
    hint: 'Give the e-mail address of a salesperson; get_forecast lists everyone who sells.',
  },
  OWNER_AMBIGUOUS: { message: 'Several salespeople match that name.', hint: 'Give the e-mail address of one of them; details has them.' },
};
export const closeDatePast = { message: 'The expected closing day is over.', hint: 'Give today or a later day.' };
export const customerExists = {
  message: 'There is already a customer of that name.',
  hint: 'Use the customer in details; change it with update_customer.',
};
export const because = prose(500).optional().describe('Shown on the approval card and stored with the record');

/** The order is that of the sales process. */
export const openStages = ['PROSPECTING', 'QUALIFICATION', 'DISCOVERY', 'PROPOSAL', 'NEGOTIATION'] as const;
export const closedStages = ['CLOSED_WON', 'CLOSED_LOST'] as const;
const stages = [...openStages, ...closedStages] as const;
export type Stage = (typeof stages)[number];
/** OPEN and CLOSED are not stages: they select groups of stages. */
export const stageFilter = anyCase([...stages, 'OPEN', 'CLOSED']);

export const opportunity = z.object({
  _id: storedId,
  deal_name: untrusted,
  customer_name: untrusted,
  value: amount.describe('The value of the deal; after it was won, the actual value'),
  currency: companyText,
  stage: z.enum(stages),
  probability: z.number().describe('Percent'),
  weighted_value: amount.describe('value × probability, to the cent'),
  close_date: storedDay.describe('The day it was closed; for an open deal, the expected day'),
  expected_close_date: storedDay,
  owner_name: companyText,
  owner: storedEmail,
  notes: untrusted.nullable(),
  actual_value: amount.nullable().describe('The actual value of a won deal'),
  close_reason: untrusted.nullable().describe('Why it was won or lost'),
  closed_at: storedTime.nullable(),
  closed_by_name: signInName.nullable(),
  customer_id: storedId,
  owner_id: storedId.describe("The owner's employee_id"),
  created_at: storedTime,
  updated_at: storedTime,
});

const tiers = ['enterprise', 'business', 'startup', 'free'] as const;
export const tierInput = anyCase(tiers);
const customerStates = ['PROSPECT', 'ACTIVE', 'CHURNED'] as const;
export const customerFilter = anyCase(customerStates);
export const customer = z.object({
  _id: storedId,
  name: untrusted,
  company: untrusted.describe('The registered name'),
  contact_name: untrusted.nullable(),
  email: storedEmail.nullable(),
  phone: untrusted.nullable(),
  industry: untrusted,
  status: z.enum(customerStates),
  tier: z.enum(tiers),
  annual_revenue: amount.nullable().describe("The customer's own yearly revenue"),
  address: z.object({ street: untrusted, city: untrusted, state: untrusted, zip: untrusted, country: untrusted }).nullable(),
  account_owner: storedEmail,
  account_owner_id: storedId.describe("The account owner's employee_id"),
  account_owner_name: companyText,
  created_at: storedTime,
  updated_at: storedTime,
});

const leadStates = ['NEW', 'CONTACTED', 'QUALIFIED', 'CONVERTED', 'DISQUALIFIED'] as const;
export type LeadState = (typeof leadStates)[number];
export const leadFilter = anyCase(leadStates);
const sources = ['WEB', 'REFERRAL', 'TRADE_SHOW', 'PARTNER', 'COLD_CALL', 'ADVERTISING', 'SOCIAL_MEDIA'] as const;
export const sourceFilter = anyCase(sources);
export const lead = z.object({
  _id: storedId,
  // Anyone can submit a lead form, so its text is untrusted.
  name: untrusted,
  company: untrusted,
  email: storedEmail,
  source: z.enum(sources),
  score: z.int().describe('0 to 100; a higher score means that the lead is more likely to buy'),
  status: z.enum(leadStates),
  owner: storedEmail,
  owner_id: storedId.describe("The owner's employee_id"),
  owner_name: companyText,
  created_at: storedTime,
  customer_id: storedId.optional().describe('The customer that the lead became'),
  opportunity_id: storedId.optional().describe('The deal that the lead became'),
});
