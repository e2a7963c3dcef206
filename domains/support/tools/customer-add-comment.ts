import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { readable } from '../../../src/declare/fields.ts';
import { is } from '../../../src/declare/filter.ts';
import { customers, support } from '../domain.ts';
import { customerTicket, customerTicketNotFound, sentComment, storedCustomerTicket, ticketId } from '../schemas.ts';

/** The largest number of comments on one ticket. */
const MOST = 200;

export const customerAddComment = support.act({
  name: 'customer_add_comment',
  title: 'Answer on a ticket',
  description:
    'Add a comment to a ticket of your organisation that you can see. Support and everyone who sees the ticket can read it ' +
    'immediately. A pending ticket becomes open again.',
  roles: customers,
  effect: 'adds',
  input: z.object({
    ticket_id: ticketId,
    comment: readable(z.string().trim().min(1, 'Write something').max(2000)).describe('What you want to say'),
  }),
  inputAliases: { body: 'comment', message: 'comment', content: 'comment' },
  output: customerTicket.pick({ ticket_id: true, subject: true, status: true, visibility: true }).extend({ comment: sentComment }),
  errors: {
    TICKET_NOT_FOUND: customerTicketNotFound,
    TICKET_CLOSED: {
      message: 'The ticket is closed.',
      hint: 'A closed ticket accepts no comments. Open a new ticket with customer_submit_ticket.',
    },
    TOO_MANY_COMMENTS: { message: 'The ticket has too many comments.', hint: 'Open a new ticket with customer_submit_ticket.' },
  },
  examples: [
    {
      question: 'Add a comment to the SSO certificate ticket: we uploaded the new certificate, please check',
      as: 'sara.support@globex.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000003', comment: 'We uploaded the new certificate, please check' },
    },
    {
      question: 'Tell support on the export ticket that monthly files work',
      as: 'bob.developer@acme.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000001', comment: 'Monthly files work.' },
    },
    {
      question: 'Answer on the webhook ticket: it is still slow',
      as: 'peter.principal@initech.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000006', comment: 'It is still slow.' },
    },
    {
      question: 'Comment on the certificate ticket of Globex',
      as: 'tim.tech@initech.example',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000003', comment: 'Hello' },
      expects: 'TICKET_NOT_FOUND',
    },
  ],

  summary: () => 'The answer is on the ticket',

  async prepare({ ticket_id, comment }, { search, fail }) {
    const found = (await search.get(storedCustomerTicket, 'tickets', ticket_id)) ?? fail('TICKET_NOT_FOUND', { ticket_id });
    return {
      summary: `Answer on the ticket “${found.subject}”`,
      subject: { label: found.subject, id: ticket_id },
      changes: [{ field: 'comment', label: 'Your answer', from: null, to: comment }],
    };
  },
  async execute({ ticket_id, comment }, { search, me, now, fail }) {
    const found = (await search.get(storedCustomerTicket, 'tickets', ticket_id)) ?? fail('TICKET_NOT_FOUND', { ticket_id });
    if (found.status === 'closed') throw fail('TICKET_CLOSED', { ticket_id });
    if (found.comments.length >= MOST) throw fail('TOO_MANY_COMMENTS', { ticket_id });
    const at = now.toISOString();
    const added = { comment_id: randomUUID(), author_name: me.name, author_kind: 'customer' as const, body: comment, created_at: at };
    const { subject, status, visibility } = await search.change(
      storedCustomerTicket,
      'tickets',
      search.where({ ticket_id, status: is.not('closed') }),
      (row) => ({
        comments: [...row.comments, added],
        updated_at: at,
        ...(row.status === 'pending' && { status: 'open' }),
      }),
    );
    return { ticket_id, subject, status, visibility, comment: added };
  },
});
