import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { anyCase, day, line, prose } from '../../../src/declare/fields.ts';
import { changedFields, isBackwards, isOpenStage, searchText, wantedFields, weighted } from '../deals.ts';
import { sales } from '../domain.ts';
import { ownerFields, sellerCalled } from '../owners.ts';
import { dealLabel, isOpen, opportunityById } from '../rules.ts';
import {
  closeDatePast,
  nothingToChange,
  openStages,
  opportunity,
  opportunityId,
  opportunityNotFound,
  ownerErrors,
  ownerName,
  sum,
} from '../schemas.ts';

export const updateOpportunity = sales.write({
  name: 'update_opportunity',
  title: 'Change a deal',
  description:
    'Change an open deal: stage, value, expected closing day, owner, name or notes. A stage moves forward at any time, and backwards ' +
    'with a reason. close_opportunity closes a deal as won or lost.',
  roles: ['sales-write', 'executive'],
  aliases: ['update_deal'],
  effect: 'changes',
  input: z.object({
    opportunity_id: opportunityId,
    stage: anyCase(openStages).optional().describe('The new open stage'),
    value: sum.optional().describe('In {currency}'),
    close_date: day.optional().describe('The day on which it is expected to close'),
    probability: z.int().min(0).max(100).optional().describe('Percent; by default that of the new stage'),
    owner: ownerName.optional(),
    deal_name: line(200).min(1).optional().describe('The new name'),
    notes: prose(1000).optional().describe("Added to the deal's notes"),
    reason: prose(500).optional().describe('Why; required to move a deal backwards'),
  }),
  inputAliases: { deal_id: 'opportunity_id' },
  output: opportunity,
  errors: {
    OPPORTUNITY_NOT_FOUND: opportunityNotFound,
    OPPORTUNITY_ALREADY_CLOSED: {
      message: 'The deal is closed, so it cannot be changed.',
      hint: 'Create a new deal with create_opportunity if the customer buys again.',
    },
    NOTHING_TO_CHANGE: nothingToChange,
    REASON_REQUIRED: { message: 'A deal moves backwards only with a reason.', hint: 'Give a reason, or a later stage.' },
    CLOSE_DATE_PAST: closeDatePast,
    ...ownerErrors,
  },
  examples: [
    {
      question: 'Move Globex Analytics Rollout to negotiation',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000002', stage: 'NEGOTIATION' },
    },
    {
      question: 'Change the value of Initech Security Upgrade to $70,000',
      as: 'eve.thompson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000003', value: 70_000 },
    },
    {
      question: 'Move Acme Cloud Migration back to discovery because their budget is on hold',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000001', stage: 'DISCOVERY', reason: 'Their budget is on hold' },
    },
    {
      question: 'Move Umbrella Data Platform back to prospecting',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000004', stage: 'PROSPECTING' },
      expects: 'REASON_REQUIRED',
    },
  ],
  summary: ({ deal_name, stage }) => `Changed the deal ${deal_name}; its stage is ${stage}`,

  async prepare(input, { documents, today, company, fail }) {
    const { opportunity_id, stage, value, close_date, owner, reason } = input;
    const found = (await opportunityById(documents, opportunity_id)) ?? fail('OPPORTUNITY_NOT_FOUND', { opportunity_id });
    if (!isOpenStage(found.stage)) throw fail('OPPORTUNITY_ALREADY_CLOSED', { stage: found.stage, close_date: found.close_date });
    if (stage !== undefined && isBackwards(found.stage, stage) && !reason?.trim()) throw fail('REASON_REQUIRED', { stage: found.stage });
    if (close_date !== undefined && close_date !== found.close_date && close_date < today) throw fail('CLOSE_DATE_PAST', { close_date });
    const seller = owner === undefined ? undefined : await sellerCalled(documents, owner, fail);
    const { probability, ...wanted } = wantedFields(found, input, seller);
    const { owner_id, ...shown } = changedFields(found, { ...wanted, probability });
    if (Object.keys(shown).length === 0 && owner_id === undefined) throw fail('NOTHING_TO_CHANGE', { opportunity_id });
    const formats = { value: 'money', close_date: 'date', probability: 'number' } as const;
    return {
      summary: `Change the deal ${found.deal_name} with ${found.customer_name}`,
      subject: { label: dealLabel(found, company), id: opportunity_id },
      changes: Object.entries(shown).flatMap(([field, to]) =>
        changed(found, { [field]: to }, formats[field as keyof typeof formats] ?? 'text'),
      ),
      reason,
      patch: {
        ...shown,
        ...(seller && owner_id !== undefined && ownerFields(seller)),
        ...(shown.close_date !== undefined && { expected_close_date: shown.close_date }),
        ...(shown.deal_name !== undefined && { search: searchText(shown.deal_name, found.customer_name) }),
        weighted_value: weighted(value ?? found.value, probability ?? found.probability),
      },
    };
  },

  execute: ({ opportunity_id }, { documents, plan, now, output }) =>
    documents.change(output, 'opportunities', documents.where({ _id: opportunity_id, stage: isOpen }), {
      ...plan.patch,
      updated_at: now.toISOString(),
    }),
});
