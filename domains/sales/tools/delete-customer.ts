import { z } from 'zod';
import { prose, storedId, storedTime, untrusted } from '../../../src/declare/fields.ts';
import { sales } from '../domain.ts';
import { customerById, isOpen } from '../rules.ts';
import { customerId, customerNotFound } from '../schemas.ts';

export const deleteCustomer = sales.write({
  name: 'delete_customer',
  title: 'Delete a customer',
  description:
    'Delete a customer who has no open deals. No tool shows it any more, and the database keeps it for the audit. Deals that were ' +
    'won or lost stay and count as before.',
  roles: ['sales-write', 'executive'],
  effect: 'removes',
  input: z.object({
    customer_id: customerId,
    reason: prose(500).optional().describe('Shown on the approval card and stored with the record'),
  }),
  output: z.object({ _id: storedId, name: untrusted, deleted_at: storedTime }),
  errors: {
    CUSTOMER_NOT_FOUND: customerNotFound,
    CUSTOMER_HAS_OPEN_DEALS: {
      message: 'The customer still has open deals.',
      hint: 'Close or delete these deals first; find them with list_opportunities, the name of the customer and stage OPEN.',
    },
  },
  examples: [
    { question: 'Remove customer Soylent Foods', as: 'carol.johnson', input: { customer_id: '0a000000-0000-4000-8000-000000000009' } },
    {
      question: 'Delete Wonka Confectionery, they went out of business',
      as: 'eve.thompson',
      input: { customer_id: '0a000000-0000-4000-8000-000000000010', reason: 'They went out of business' },
    },
    {
      question: 'Take Vandelay Imports off our customer list',
      as: 'carol.johnson',
      input: { customer_id: '0a000000-0000-4000-8000-000000000008', reason: 'Contract ended' },
    },
    {
      question: 'Delete the customer Globex',
      as: 'carol.johnson',
      input: { customer_id: '0a000000-0000-4000-8000-000000000002' },
      expects: 'CUSTOMER_HAS_OPEN_DEALS',
    },
  ],

  async prepare({ customer_id }, { documents, fail }) {
    const found = (await customerById(documents, customer_id)) ?? fail('CUSTOMER_NOT_FOUND', { customer_id });
    const open_deals = await documents.count('opportunities', documents.where({ customer_id, stage: isOpen }));
    if (open_deals > 0) throw fail('CUSTOMER_HAS_OPEN_DEALS', { open_deals });
    const closed = await documents.count('opportunities', documents.where({ customer_id }));
    return {
      summary: `Delete the customer ${found.name}`,
      subject: { label: `${found.name}: ${found.industry}, ${found.tier}, account of ${found.account_owner_name}`, id: customer_id },
      changes: [
        { field: 'status', from: found.status, to: 'Deleted' },
        { field: 'closed_deals', label: 'Closed deals, which stay', from: closed, to: closed, format: 'number' },
      ],
    };
  },

  async execute({ customer_id, reason }, { documents, me, now, output }) {
    const deleted_at = now.toISOString();
    const gone = await documents.remove(output.omit({ deleted_at: true }), 'customers', documents.where({ _id: customer_id }), {
      deleted_at,
      deleted_by: me.principal,
      deleted_by_name: me.name,
      deletion_reason: reason ?? null,
    });
    return { ...gone, deleted_at };
  },
});
