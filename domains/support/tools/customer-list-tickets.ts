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
    'Support tickets of your organisation, the newest first, or those that fit the words, the best first. The lead contact sees all of them, everyone else their own and those shared with the organisation.',
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
    {
      question: 'Show our open tickets',
      phrases: [
        'Any updates on our tickets?',
        'What are you still working on for us?',
        'Our unresolved tickets',
        'Which of our tickets are still open?',
        'Do we have any open tickets?',
        'What issues do we have open?',
        'Is anything of ours unsolved?',
        'What problems are you looking into for us?',
        'How many open requests do we have?',
        'Are there any open cases for us?',
        'Outstanding issues of ours',
      ],
      as: 'jane.smith@acme.example',
      input: { status: 'open' },
    },
    {
      question: 'Which tickets did I open?',
      phrases: [
        'My tickets',
        'Show my support requests',
        'What tickets do we have?',
        'What have I reported?',
        'List of our cases',
        'Everything we ever reported',
        'Our ticket history',
        'Which issues did we raise?',
        'All the problems we reported',
        'How many tickets have we submitted?',
      ],
      as: 'tim.tech@initech.example',
      input: {},
    },
    {
      question: 'Do we have a ticket about the SSO certificate?',
      phrases: [
        'Did we report the SSO certificate?',
        'Is there a case of ours on the SSO certificate?',
        'Has anyone of us raised the SSO certificate?',
      ],
      as: 'mike.manager@globex.example',
      input: { query: 'SSO certificate' },
    },
    {
      question: 'What became of our export problem?',
      phrases: ['Find our ticket on export', 'Which tickets of ours mention export?'],
      as: 'bob.developer@acme.example',
      input: { query: 'export' },
    },
    { question: 'Show the tickets of all customers', as: 'eve.thompson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: ({ query, status, priority }, { search }) => search.from('tickets', search.given({ status, priority }), query),
});
