import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { day, line, prose } from '../../../src/declare/fields.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { searchText, usualProbability, weighted } from '../deals.ts';
import { sales } from '../domain.ts';
import { ownerFields, sellerCalled } from '../owners.ts';
import { customerById } from '../rules.ts';
import { because, closeDatePast, customerId, customerNotFound, openStages, opportunity, ownerErrors, ownerName, sum } from '../schemas.ts';
import { anyCase } from '../../../src/declare/fields.ts';

export const createOpportunity = sales.write({
  name: 'create_opportunity',
  title: 'Create a deal',
  description: 'Create an open deal with a customer. It counts in pipeline and forecast immediately after the approval.',
  roles: ['sales-write', 'executive'],
  aliases: ['create_deal'],
  effect: 'adds',
  input: z.object({
    customer_id: customerId,
    deal_name: line(200).min(1).describe('What the deal is about'),
    value: sum.describe('In {currency}'),
    close_date: day.describe('The day on which it is expected to close'),
    stage: anyCase(openStages).optional().describe('By default PROSPECTING'),
    owner: ownerName
      .optional()
      .describe("The salesperson: e-mail address, employee id or any part of the name; by default the customer's account owner"),
    notes: prose(1000).optional().describe('Notes about the deal'),
    reason: because,
  }),
  output: opportunity,
  errors: { CUSTOMER_NOT_FOUND: customerNotFound, CLOSE_DATE_PAST: closeDatePast, ...ownerErrors },
  examples: [
    {
      question: 'Create a new deal with Acme: Data Archive, $48,000, closing on 18 December',
      as: 'carol.johnson',
      input: (today) => ({
        customer_id: '0a000000-0000-4000-8000-000000000001',
        deal_name: 'Data Archive',
        value: 48_000,
        close_date: `${Number(today.slice(0, 4)) + (today.slice(5) > '12-18' ? 1 : 0)}-12-18`,
      }),
    },
    {
      question: "Add an opportunity of 120k for Initech, Compliance Module, owned by Liam O'Brien, expected to close on 30 June next year",
      as: 'eve.thompson',
      input: (today) => ({
        customer_id: '0a000000-0000-4000-8000-000000000003',
        deal_name: 'Compliance Module',
        value: 120_000,
        close_date: `${Number(today.slice(0, 4)) + 1}-06-30`,
        owner: "Liam O'Brien",
      }),
    },
    {
      question: 'New deal with Globex, Training Program, $9,000, closing on 31 December, owner Santa Claus',
      as: 'carol.johnson',
      input: (today) => ({
        customer_id: '0a000000-0000-4000-8000-000000000002',
        deal_name: 'Training Program',
        value: 9000,
        close_date: `${today.slice(0, 4)}-12-31`,
        owner: 'Santa Claus',
      }),
      expects: 'OWNER_NOT_FOUND',
    },
  ],
  summary: ({ deal_name, customer_name, value }, company) =>
    `Created the deal ${deal_name} with ${customer_name}, worth ${formatMoney(value, company)}`,

  async prepare({ customer_id, deal_name, value, close_date, stage = 'PROSPECTING', owner, notes }, { documents, today, company, fail }) {
    const customer = (await customerById(documents, customer_id)) ?? fail('CUSTOMER_NOT_FOUND', { customer_id });
    if (close_date < today) throw fail('CLOSE_DATE_PAST', { close_date });
    const { account_owner, account_owner_id, account_owner_name } = customer;
    const seller =
      owner === undefined
        ? { owner: account_owner, owner_id: account_owner_id, owner_name: account_owner_name }
        : await sellerCalled(documents, owner, fail);
    const probability = usualProbability(stage);
    return {
      summary: `Create the deal ${deal_name} with ${customer.name}, worth ${formatMoney(value, company)}`,
      subject: { label: `${customer.name}: ${customer.industry}, account of ${account_owner_name}`, id: customer_id },
      changes: [
        { field: 'deal_name', from: null, to: deal_name },
        { field: 'value', from: null, to: value, format: 'money' },
        { field: 'stage', from: null, to: stage },
        { field: 'close_date', from: null, to: close_date, format: 'date' },
        { field: 'owner_name', from: null, to: seller.owner_name },
        ...(notes === undefined ? [] : [{ field: 'notes', from: null, to: notes }]),
      ],
      fields: {
        customer_id,
        customer_name: customer.name,
        deal_name,
        search: searchText(deal_name, customer.name),
        value,
        currency: company.currency,
        stage,
        probability,
        weighted_value: weighted(value, probability),
        expected_close_date: close_date,
        close_date,
        ...ownerFields(seller),
        notes: notes ?? null,
      },
    };
  },

  execute: (_input, { documents, plan, now, output }) =>
    documents.insert(output, 'opportunities', {
      _id: randomUUID(),
      ...plan.fields,
      actual_value: null,
      close_reason: null,
      closed_at: null,
      closed_by_name: null,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    }),
});
