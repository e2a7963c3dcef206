import { z } from 'zod';
import { formatMoney } from '../../../src/declare/money.ts';
import { amount, prose, storedId, storedTime, untrusted } from '../../../src/declare/fields.ts';
import { sales } from '../domain.ts';
import { dealLabel, isOpen, opportunityById } from '../rules.ts';
import { openStages, opportunityId, opportunityNotFound } from '../schemas.ts';

export const deleteOpportunity = sales.write({
  name: 'delete_opportunity',
  title: 'Delete a deal',
  description:
    'Delete an open deal, for example one that was entered by mistake. No tool shows it any more, and the database keeps it for ' +
    'the audit. Deals that were won or lost cannot be deleted. The customer stays.',
  roles: ['sales-write', 'executive'],
  effect: 'removes',
  input: z.object({
    opportunity_id: opportunityId,
    reason: prose(500).optional().describe('Shown on the approval card and stored with the record'),
  }),
  inputAliases: { deal_id: 'opportunity_id' },
  output: z.object({ _id: storedId, deal_name: untrusted, customer_name: untrusted, value: amount, deleted_at: storedTime }),
  errors: {
    OPPORTUNITY_NOT_FOUND: opportunityNotFound,
    OPPORTUNITY_NOT_OPEN: {
      message: 'The deal is closed.',
      hint: 'Only open deals can be deleted; find them with list_opportunities and stage OPEN.',
    },
  },
  examples: [
    {
      question: 'Delete the Wayne Fleet Tracking opportunity, it was entered by mistake',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000007', reason: 'It was entered by mistake' },
    },
    {
      question: 'Remove the Stark Factory Automation deal from the pipeline',
      as: 'eve.thompson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000005' },
    },
    {
      question: 'Drop Initech Security Upgrade, it is a duplicate',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000003', reason: 'It is a duplicate' },
    },
    {
      question: 'Delete the Vandelay Import Portal deal',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000008' },
      expects: 'OPPORTUNITY_NOT_OPEN',
    },
  ],

  async prepare({ opportunity_id }, { documents, fail, company }) {
    const found = (await opportunityById(documents, opportunity_id)) ?? fail('OPPORTUNITY_NOT_FOUND', { opportunity_id });
    if (!(openStages as readonly string[]).includes(found.stage)) throw fail('OPPORTUNITY_NOT_OPEN', { stage: found.stage });
    return {
      summary: `Delete the deal ${found.deal_name} with ${found.customer_name}, worth ${formatMoney(found.value, company)}`,
      subject: { label: dealLabel(found, company), id: opportunity_id },
      changes: [
        { field: 'stage', from: found.stage, to: 'Deleted' },
        { field: 'value', from: found.value, to: null, format: 'money' },
        { field: 'expected_close_date', from: found.expected_close_date, to: null, format: 'date' },
      ],
    };
  },

  async execute({ opportunity_id, reason }, { documents, me, now, output }) {
    const deleted_at = now.toISOString();
    const gone = await documents.remove(
      output.omit({ deleted_at: true }),
      'opportunities',
      documents.where({ _id: opportunity_id, stage: isOpen }),
      { deleted_at, deleted_by: me.principal, deleted_by_name: me.name, deletion_reason: reason ?? null },
    );
    return { ...gone, deleted_at };
  },
});
