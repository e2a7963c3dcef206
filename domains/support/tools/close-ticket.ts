import { z } from 'zod';
import { anyCase, callerText, companyText, readable } from '../../../src/declare/fields.ts';
import { is } from '../../../src/declare/filter.ts';
import { support } from '../domain.ts';
import { MINUTE } from '../rules.ts';
import { resolutionTypes, ticket, ticketId, ticketNotFound } from '../schemas.ts';

const closed = ticket.extend({ closed_at: companyText, closed_by_name: callerText });

export const closeTicket = support.write({
  name: 'close_ticket',
  title: 'Close a ticket',
  description:
    'Close a ticket and say what solved it. A closed ticket cannot be opened again; if the problem returns, the ' +
    'customer writes a new ticket.',
  roles: ['support-write', 'executive'],
  effect: 'changes',
  input: z.object({
    ticket_id: ticketId,
    resolution: readable(z.string().min(10, 'Describe the solution in at least 10 characters').max(2000)).describe(
      'What was done; the customer reads it',
    ),
    resolution_type: anyCase(resolutionTypes).default('solved').describe('How it ended'),
    customer_notified: z.boolean().default(true).describe('Whether the customer has been told'),
  }),
  output: closed,
  errors: {
    TICKET_NOT_FOUND: ticketNotFound,
    TICKET_ALREADY_CLOSED: {
      message: 'The ticket is already closed.',
      hint: 'Only tickets that are open, in_progress, pending or resolved can be closed; search_tickets shows the status.',
    },
  },
  examples: [
    {
      question: 'Close ticket 0b000000-0000-4000-8000-000000000001: restarted the export worker and the customer confirmed it works',
      as: 'dan.williams',
      input: {
        ticket_id: '0b000000-0000-4000-8000-000000000001',
        resolution: 'Restarted the export worker and the customer confirmed it works',
      },
    },
    {
      question: 'The certificate of Globex is renewed, close their SSO ticket',
      as: 'eve.thompson',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000003', resolution: 'The certificate is renewed' },
    },
    {
      question: 'Close the webhook ticket of Initech as a workaround: deliveries go through the second queue, we have not told them yet',
      as: 'dan.williams',
      input: {
        ticket_id: '0b000000-0000-4000-8000-000000000006',
        resolution: 'Deliveries go through the second queue',
        resolution_type: 'workaround',
        customer_notified: false,
      },
    },
    {
      question: 'Close the oldest ticket once more',
      as: 'dan.williams',
      input: { ticket_id: '0b000000-0000-4000-8000-000000001000', resolution: 'It was solved long ago' },
      expects: 'TICKET_ALREADY_CLOSED',
    },
    {
      question: 'Close every open ticket',
      as: 'marcus.johnson',
      input: { ticket_id: '0b000000-0000-4000-8000-000000000001', resolution: 'Done as requested' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ ticket_id, resolution, resolution_type, customer_notified }, { search, me, fail }) {
    const found = (await search.get(ticket, 'tickets', ticket_id)) ?? fail('TICKET_NOT_FOUND', { ticket_id });
    if (found.status === 'closed') throw fail('TICKET_ALREADY_CLOSED', { ticket_id });
    return {
      summary: `Close the ticket of ${found.customer_name}: ${found.subject}`,
      subject: { label: `${found.subject} (${found.customer_name}, ${found.priority})`, id: ticket_id },
      changes: [
        { field: 'status', from: found.status, to: 'closed' },
        { field: 'resolution', from: found.resolution, to: resolution },
        { field: 'resolution_type', from: found.resolution_type, to: resolution_type },
        { field: 'customer_notified', from: found.customer_notified, to: customer_notified },
      ],
      reason: resolution,
      // This throws for a caller without an employee id, because agent metrics need it.
      by: me.employeeId,
    };
  },

  async execute({ ticket_id, resolution, resolution_type, customer_notified }, { search, me, now, output, plan }) {
    const at = now.toISOString();
    const stored = output.omit({ closed_at: true, closed_by_name: true });
    const done = await search.change(stored, 'tickets', search.where({ ticket_id, status: is.not('closed') }), (row) => ({
      status: 'closed',
      resolution,
      resolution_type,
      customer_notified,
      closed_at: at,
      closed_by: plan.by,
      closed_by_name: me.name,
      updated_at: at,
      // A ticket that was already solved keeps its solver and its time.
      ...(row.resolved_at === null && {
        resolved_at: at,
        resolved_by: plan.by,
        resolved_by_name: me.name,
        resolution_minutes: Math.max(0, Math.round((now.getTime() - Date.parse(row.created_at)) / MINUTE)),
        sla_met: at <= row.sla_deadline,
      }),
    }));
    return { ...done, closed_at: at, closed_by_name: me.name };
  },
});
