import { z } from 'zod';
import { formatMoney } from '../../../src/declare/money.ts';
import { sales } from '../domain.ts';
import { opportunityById } from '../rules.ts';
import { opportunity, opportunityId, opportunityNotFound } from '../schemas.ts';

export const getOpportunity = sales.read({
  name: 'get_opportunity',
  title: 'One deal',
  description: 'One deal (opportunity) with customer, value, stage, probability, owner, closing day and notes.',
  roles: ['sales-read', 'executive'],
  aliases: ['get_deal'],
  input: z.object({ opportunity_id: opportunityId }),
  inputAliases: { deal_id: 'opportunity_id' },
  output: opportunity,
  errors: { OPPORTUNITY_NOT_FOUND: opportunityNotFound },
  examples: [
    {
      question: 'What is the state of the Acme Cloud Migration deal?',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000001' },
    },
    {
      question: 'Open the deal Umbrella Data Platform',
      as: 'eve.thompson',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000004' },
    },
    {
      question: 'Show me the deal with this id',
      as: 'carol.johnson',
      input: { opportunity_id: '0d000000-0000-4000-8000-999999999999' },
      expects: 'OPPORTUNITY_NOT_FOUND',
    },
    {
      question: 'What do we know about the Hooli Enterprise Renewal deal?',
      as: 'frank.davis',
      input: { opportunity_id: '0d000000-0000-4000-8000-000000000006' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],
  summary: ({ deal_name, customer_name, value, stage }, company) =>
    `${deal_name} with ${customer_name}: ${formatMoney(value, company)}, stage ${stage}`,

  run: async ({ opportunity_id }, { documents, fail }) =>
    (await opportunityById(documents, opportunity_id)) ?? fail('OPPORTUNITY_NOT_FOUND', { opportunity_id }),
});
