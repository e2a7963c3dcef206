import { z } from 'zod';
import { anyCase } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';
import { presentAs } from '../../../src/declare/tool.ts';
import { support } from '../domain.ts';
import { sla } from '../rules.ts';
import { ticket } from '../schemas.ts';

export const getSlaTickets = support.list({
  name: 'get_sla_tickets',
  title: 'Tickets near or past their deadline',
  description:
    'Unsolved tickets that are about to breach their service level (at_risk: less than two hours left) or have ' +
    'breached it, the most urgent first, with the minutes that are left. A number below zero means that the ticket is late.',
  plural: 'tickets',
  roles: ['support-read', 'executive'],
  input: z.object({
    status: anyCase(['at_risk', 'breached']).optional().describe('at_risk: about to breach; breached: past the deadline; both by default'),
  }),
  item: ticket.extend({ minutes_remaining: z.int(), sla_status: z.enum(['within', 'at_risk', 'breached']) }),
  present: presentAs(ticket, (row, { now }) => ({ ...row, ...sla.of(row.sla_deadline, now) })),
  order: asc('sla_deadline', 'ticket_id'),
  examples: [
    { question: 'Which tickets are about to breach?', as: 'dan.williams', input: { status: 'at_risk' } },
    { question: 'Show the tickets that have breached their SLA', as: 'eve.thompson', input: { status: 'breached' } },
    { question: 'What has to be solved first?', as: 'dan.williams', input: {} },
    { question: 'Which tickets are overdue?', as: 'marcus.johnson', input: { status: 'breached' }, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find({ status }, { search, now }) {
    const late = sla.breached(search, now);
    const soon = sla.atRisk(search, now);
    const which = status === 'breached' ? late : status === 'at_risk' ? soon : search.any(late, soon);
    return search.from('tickets', search.all(sla.waiting(search), which));
  },
});
