import { z } from 'zod';
import { desc } from '../../../src/declare/order.ts';
import { presentAs } from '../../../src/declare/tool.ts';
import { customers, support } from '../domain.ts';
import { customerTicket, foundFields, priority, status, storedCustomerTicket, words } from '../schemas.ts';

const stored = storedCustomerTicket
  .omit({ description: true, comments: true, resolution: true, resolution_type: true })
  .extend(foundFields.shape);

export const customerListTickets = support.list({
  name: 'customer_list_tickets',
  title: 'Our tickets',
  description:
    'Support tickets of your organisation, the newest first; with words, the best match first. The lead contact sees ' +
    'all tickets, everyone else their own and the tickets that are shared with the organisation.',
  plural: 'tickets',
  roles: customers,
  input: z.object({ query: words.optional(), status: status.optional(), priority: priority.optional() }),
  item: customerTicket.extend(foundFields.shape),
  present: presentAs(stored, ({ contact_name, assigned_to_name, ...rest }) => ({
    ...rest,
    opened_by: contact_name,
    agent: assigned_to_name,
  })),
  order: desc('_score', 'created_at', 'ticket_id'),
  examples: [
    { question: 'Show our open tickets', as: 'jane.smith@acme.example', input: { status: 'open' } },
    { question: 'Which tickets did I open?', as: 'tim.tech@initech.example', input: {} },
    { question: 'Do we have a ticket about the SSO certificate?', as: 'mike.manager@globex.example', input: { query: 'SSO certificate' } },
    { question: 'What became of our export problem?', as: 'bob.developer@acme.example', input: { query: 'export' } },
    { question: 'Show the tickets of all customers', as: 'eve.thompson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: ({ query, status, priority }, { search }) => search.from('tickets', search.given({ status, priority }), query),
});
