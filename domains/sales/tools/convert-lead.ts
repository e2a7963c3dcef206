import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { day, line, storedId } from '../../../src/declare/fields.ts';
import { is } from '../../../src/declare/filter.ts';
import { customerOf, firstDeal } from '../conversion.ts';
import { ensureNewName } from '../customers.ts';
import { sales } from '../domain.ts';
import { customerById, leadById } from '../rules.ts';
import {
  because,
  closeDatePast,
  customer,
  customerExists,
  customerId,
  customerNotFound,
  lead,
  leadId,
  leadNotFound,
  opportunity,
  sum,
} from '../schemas.ts';

export const convertLead = sales.write({
  name: 'convert_lead',
  title: 'Convert a lead',
  description: 'Make a lead a customer with a first open deal, in one step. With customer_id, the deal belongs to that customer instead.',
  roles: ['sales-write', 'executive'],
  effect: 'changes',
  input: z.object({
    lead_id: leadId,
    value: sum.describe('The value of the first deal, in {currency}'),
    close_date: day.describe('The day on which the deal is expected to close'),
    deal_name: line(200).min(1).optional().describe('By default the name of the company'),
    industry: line(100).min(1).optional().describe('Of a new customer, such as Healthcare; by default Other'),
    customer_id: customerId.optional().describe('An existing customer, if the lead belongs to one'),
    reason: because,
  }),
  output: z.object({ lead, customer, opportunity, customer_id: storedId, opportunity_id: storedId }),
  errors: {
    LEAD_NOT_FOUND: leadNotFound,
    LEAD_NOT_OPEN: {
      message: 'The lead is converted or disqualified.',
      hint: 'Use the customer in details, or set a disqualified lead to CONTACTED with update_lead first.',
    },
    CUSTOMER_NOT_FOUND: customerNotFound,
    CUSTOMER_EXISTS: { ...customerExists, hint: 'Give the customer_id in details, so that the deal belongs to this customer.' },
    CLOSE_DATE_PAST: closeDatePast,
  },
  examples: [
    {
      question: 'Convert the lead Sven Andersen with a deal of $30,000 that closes on 31 December',
      as: 'carol.johnson',
      input: (today) => ({
        lead_id: '0b100000-0000-4000-8000-000000000001',
        value: 30_000,
        close_date: `${today.slice(0, 4)}-12-31`,
      }),
    },
    {
      question: 'Make the lead Hoa Ton a customer, first deal 12,500 by 30 June next year, industry Design',
      as: 'eve.thompson',
      input: (today) => ({
        lead_id: '0b100000-0000-4000-8000-000000000011',
        value: 12_500,
        close_date: `${Number(today.slice(0, 4)) + 1}-06-30`,
        industry: 'Design',
      }),
    },
    {
      question: 'Convert the lead George Marlow with a deal of $5,000 that closes on 31 December',
      as: 'carol.johnson',
      input: (today) => ({ lead_id: '0b100000-0000-4000-8000-000000000008', value: 5000, close_date: `${today.slice(0, 4)}-12-31` }),
      expects: 'LEAD_NOT_OPEN',
    },
  ],
  summary: ({ lead: { name }, customer: { name: account } }) => `Converted the lead ${name}; the customer is ${account}`,

  async prepare({ lead_id, value, close_date, deal_name, industry = 'Other', customer_id }, { documents, today, company, fail }) {
    const found = (await leadById(documents, lead_id)) ?? fail('LEAD_NOT_FOUND', { lead_id });
    if (found.status === 'CONVERTED' || found.status === 'DISQUALIFIED')
      throw fail('LEAD_NOT_OPEN', { status: found.status, customer_id: found.customer_id });
    if (close_date < today) throw fail('CLOSE_DATE_PAST', { close_date });
    const existing =
      customer_id === undefined ? null : ((await customerById(documents, customer_id)) ?? fail('CUSTOMER_NOT_FOUND', { customer_id }));
    if (existing === null) await ensureNewName(documents, found.company, { fail });
    const account = existing?.name ?? found.company;
    const deal = deal_name ?? found.company;
    const { owner_name, name } = found;
    return {
      summary: `Convert the lead ${name} of ${found.company} into ${existing ? 'a deal with' : 'the customer'} ${account}`,
      subject: { label: `${name}, ${found.company}`, id: lead_id },
      changes: [
        { field: 'status', from: found.status, to: 'CONVERTED' },
        { field: 'customer', from: existing?.name ?? null, to: account },
        { field: 'deal_name', from: null, to: deal },
        { field: 'value', from: null, to: value, format: 'money' },
        { field: 'close_date', from: null, to: close_date, format: 'date' },
        { field: 'owner_name', from: null, to: owner_name },
      ],
      existing,
      customer: customerOf(found, industry),
      deal: firstDeal(found, { account, deal_name: deal, value, close_date, currency: company.currency }),
    };
  },

  async execute({ lead_id }, { documents, plan, now }) {
    const times = { created_at: now.toISOString(), updated_at: now.toISOString() };
    const account = plan.existing ?? (await documents.insert(customer, 'customers', { _id: randomUUID(), ...plan.customer, ...times }));
    const deal = await documents.insert(opportunity, 'opportunities', {
      _id: randomUUID(),
      customer_id: account._id,
      ...plan.deal,
      ...times,
    });
    const ids = { customer_id: account._id, opportunity_id: deal._id };
    const isWaiting = documents.where({ _id: lead_id, status: is.oneOf(['NEW', 'CONTACTED', 'QUALIFIED']) });
    const converted = await documents.change(lead, 'leads', isWaiting, { status: 'CONVERTED', ...ids, updated_at: times.updated_at });
    return { lead: converted, customer: account, opportunity: deal, ...ids };
  },
});
