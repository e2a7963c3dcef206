import { z } from 'zod';
import { customers, support } from '../domain.ts';
import { forCustomer } from '../rules.ts';
import { customerTicketNotFound, fullCustomerTicket, storedCustomerTicket, ticketId } from '../schemas.ts';

export const customerGetTicket = support.read({
  name: 'customer_get_ticket',
  title: 'One of our tickets',
  description: 'A ticket with its description, comments and solution.',
  roles: customers,
  input: z.object({ ticket_id: ticketId }),
  output: fullCustomerTicket,
  errors: { TICKET_NOT_FOUND: customerTicketNotFound },
  examples: [
    {
      question: "What's happening with my ticket about the csv export?",
      as: 'bob.developer@acme.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000001' },
    },
    {
      question: 'What is the status of our ticket about the wrong billing address?',
      as: 'peter.principal@initech.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000005' },
    },
    {
      question: 'Has anyone answered on the SSO ticket?',
      as: 'mike.manager@globex.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000003' },
    },
    {
      question: 'Open our ticket about late webhooks',
      as: 'peter.principal@initech.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000006' },
    },
    {
      question: 'Show me the certificate ticket of Globex',
      as: 'jane.smith@acme.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000003' },
      expects: 'TICKET_NOT_FOUND',
    },
  ],

  async run({ ticket_id }, { search, fail }) {
    return forCustomer((await search.get(storedCustomerTicket, 'tickets', ticket_id)) ?? fail('TICKET_NOT_FOUND', { ticket_id }));
  },
  summary: ({ subject, status }) => `${subject}: ${status}`,
});
