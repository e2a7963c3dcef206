import { z } from 'zod';
import { formatMoney, sumOf } from '../../../src/declare/money.ts';
import { total } from '../../../src/declare/documents.ts';
import { amount } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { sales } from '../domain.ts';
import { customerById, isOpen } from '../rules.ts';
import { customer, customerId, customerNotFound, opportunity, openStages } from '../schemas.ts';

/** The largest number of deals in the answer. The totals include all deals. */
const SHOWN = 50;

const perStage = z.object({ stage: opportunity.shape.stage, count: z.int(), value: amount });
const sums = z.object({
  open_deals: z.int(),
  open_value: amount,
  won_deals: z.int(),
  won_value: amount,
  lost_deals: z.int(),
  lost_value: amount,
});

export const getCustomer = sales.read({
  name: 'get_customer',
  title: 'One customer',
  description:
    `One customer with contact, account owner and open deals (at most ${SHOWN}, the most valuable first), and the totals ` +
    'of open, won and lost deals.',
  roles: ['sales-read', 'executive'],
  input: z.object({ customer_id: customerId }),
  output: customer.extend({ open_deals: z.array(opportunity), totals: sums }),
  errors: { CUSTOMER_NOT_FOUND: customerNotFound },
  examples: [
    { question: 'Tell me about Globex', as: 'carol.johnson', input: { customer_id: '0a000000-0000-4000-8000-000000000002' } },
    {
      question: 'How much have we sold to Acme so far?',
      as: 'eve.thompson',
      input: { customer_id: '0a000000-0000-4000-8000-000000000001' },
    },
    { question: 'Who is our contact at Initech?', as: 'carol.johnson', input: { customer_id: '0a000000-0000-4000-8000-000000000003' } },
    {
      question: 'Show me the customer with this id',
      as: 'carol.johnson',
      input: { customer_id: '0a000000-0000-4000-8000-999999999999' },
      expects: 'CUSTOMER_NOT_FOUND',
    },
    {
      question: 'Tell me about Wayne Logistics',
      as: 'frank.davis',
      input: { customer_id: '0a000000-0000-4000-8000-000000000006' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],
  summary: ({ name, totals }, company) =>
    `${name}: ${totals.open_deals} open deals worth ` +
    `${formatMoney(totals.open_value, company)}, ${formatMoney(totals.won_value, company)} won`,

  async run({ customer_id }, { documents, fail }) {
    const found = (await customerById(documents, customer_id)) ?? fail('CUSTOMER_NOT_FOUND', { customer_id });
    const open_deals = await documents.many(opportunity, 'opportunities', documents.where({ customer_id, stage: isOpen }), {
      order: desc('value', '_id'),
      limit: SHOWN,
    });
    const stages = await documents.groups(perStage, 'opportunities', documents.where({ customer_id }), {
      by: ['stage'],
      totals: { count: total.count, value: total.sum('value') },
    });
    const among = (wanted: readonly string[]) => {
      const those = stages.filter(({ stage }) => wanted.includes(stage));
      return [those.reduce((all, { count }) => all + count, 0), sumOf(those.map(({ value }) => value))] as const;
    };
    const [[open, open_value], [won, won_value], [lost, lost_value]] = [among(openStages), among(['CLOSED_WON']), among(['CLOSED_LOST'])];
    return { ...found, open_deals, totals: { open_deals: open, open_value, won_deals: won, won_value, lost_deals: lost, lost_value } };
  },
});
