import { z } from 'zod';
import { formatMoney } from '../../../src/declare/money.ts';
import { prose } from '../../../src/declare/fields.ts';
import { sales } from '../domain.ts';
import { customerById, dealLabel, isOpen, opportunityById } from '../rules.ts';
import { closedStages, customer, opportunity, opportunityId, opportunityNotFound, sum } from '../schemas.ts';

const isClosed = (stage: string) => (closedStages as readonly string[]).includes(stage);

export const closeOpportunity = sales.write({
  name: 'close_opportunity',
  title: 'Close a deal',
  description:
    'Close an open deal as won or lost: its stage becomes CLOSED_WON or CLOSED_LOST, with the date of today. A won deal counts ' +
    'with its actual value, and makes a prospect an active customer. A closed deal cannot be opened again. update_opportunity moves ' +
    'a deal between open stages.',
  roles: ['sales-write', 'executive'],
  aliases: ['close_deal'],
  effect: 'changes',
  input: z
    .object({
      opportunity_id: opportunityId,
      outcome: z.enum(['won', 'lost']).describe('How it ended'),
      actual_value: sum.optional().describe('The actual value of a won deal, in {currency}; by default its value'),
      reason: prose(500).optional().describe('Why it was won or lost'),
      notes: prose(1000).optional().describe("Added to the deal's notes"),
    })
    .refine(({ outcome, actual_value }) => outcome === 'won' || actual_value === undefined, 'actual_value is for won deals only'),
  inputAliases: { deal_id: 'opportunity_id', loss_reason: 'reason' },
  output: opportunity,
  errors: {
    OPPORTUNITY_NOT_FOUND: opportunityNotFound,
    OPPORTUNITY_ALREADY_CLOSED: {
      message: 'The deal is already closed.',
      hint: 'Do nothing; details has the stage and the date. Find open deals with list_opportunities and stage OPEN.',
    },
  },
  examples: [
    {
      question: 'Mark the Acme Cloud Migration deal as won at $185,000',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000001', outcome: 'won', actual_value: 185_000 },
    },
    {
      question: 'We lost the Globex Analytics Rollout to a competitor',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000002', outcome: 'lost', reason: 'Went with a competitor' },
    },
    {
      question: 'Close Umbrella Data Platform as won',
      as: 'eve.thompson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000004', outcome: 'won' },
    },
    {
      question: 'Set Vandelay Import Portal to lost',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000008', outcome: 'lost' },
      expects: 'OPPORTUNITY_ALREADY_CLOSED',
    },
    {
      question: 'The Hooli Enterprise Renewal is won',
      as: 'dan.williams',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000006', outcome: 'won' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ opportunity_id, outcome, actual_value, reason, notes }, { documents, today, fail, company }) {
    const found = (await opportunityById(documents, opportunity_id)) ?? fail('OPPORTUNITY_NOT_FOUND', { opportunity_id });
    if (isClosed(found.stage)) throw fail('OPPORTUNITY_ALREADY_CLOSED', { stage: found.stage, close_date: found.close_date });
    const won = outcome === 'won';
    const value = won ? (actual_value ?? found.value) : found.value;
    const stage = won ? 'CLOSED_WON' : 'CLOSED_LOST';
    const account = won ? await customerById(documents, found.customer_id) : null;
    const becomesActive = account?.status === 'PROSPECT';
    const written = notes === undefined ? found.notes : [found.notes, notes].filter(Boolean).join('\n');
    return {
      summary: `Close the deal ${found.deal_name} with ${found.customer_name} as ${outcome}, ${won ? 'at' : 'worth'} ${formatMoney(value, company)}`,
      subject: { label: dealLabel(found, company), id: opportunity_id },
      changes: [
        { field: 'stage', from: found.stage, to: stage },
        { field: 'value', from: found.value, to: value, format: 'money' },
        { field: 'close_date', from: found.close_date, to: today, format: 'date' },
        ...(notes === undefined ? [] : [{ field: 'notes', from: found.notes, to: written }]),
        ...(becomesActive ? [{ field: 'customer_status', from: 'PROSPECT', to: 'ACTIVE' }] : []),
      ],
      reason,
      activates: becomesActive ? found.customer_id : null,
      patch: {
        stage,
        value,
        probability: won ? 100 : 0,
        weighted_value: won ? value : 0,
        actual_value: won ? value : null,
        close_date: today,
        notes: written,
      },
    };
  },

  async execute({ opportunity_id, reason }, { documents, plan, me, now, output }) {
    const updated_at = now.toISOString();
    if (plan.activates !== null)
      await documents.change(customer, 'customers', documents.where({ _id: plan.activates }), { status: 'ACTIVE', updated_at });
    return documents.change(output, 'opportunities', documents.where({ _id: opportunity_id, stage: isOpen }), {
      ...plan.patch,
      close_reason: reason ?? null,
      closed_at: updated_at,
      closed_by: me.principal,
      closed_by_name: me.name,
      updated_at,
    });
  },
});
