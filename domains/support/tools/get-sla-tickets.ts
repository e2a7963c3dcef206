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
    'Tickets that wait for a solution and are about to breach their service level (at_risk: less than two hours left) or have breached it, the most urgent first, with the minutes that are left; below zero is how late it is.',
  plural: 'tickets',
  roles: ['support-read', 'executive'],
  input: z.object({
    status: anyCase(['at_risk', 'breached']).optional().describe('at_risk: about to breach; breached: past the deadline; both by default'),
  }),
  item: ticket.extend({ minutes_remaining: z.int(), sla_status: z.enum(['within', 'at_risk', 'breached']) }),
  present: presentAs(ticket, (row, { now }) => ({ ...row, ...sla.of(row.sla_deadline, now) })),
  order: asc('sla_deadline', 'ticket_id'),
  examples: [
    {
      question: 'Which tickets are about to breach?',
      phrases: [
        'Which tickets will miss their SLA?',
        'Tickets at risk',
        'What is close to breaching its SLA?',
        'Which tickets are running out of time?',
        'Tickets with little time left',
        'Which cases will be late soon?',
        'Tickets in danger of breaching',
        'Which deadlines are we about to miss?',
      ],
      as: 'dan.williams',
      input: { status: 'at_risk' },
    },
    {
      question: 'Show the tickets that have breached their SLA',
      phrases: [
        'Which tickets have blown their SLA?',
        'What is past its deadline in support?',
        'Which tickets missed their deadline?',
        'SLA breaches',
        'Which cases are past their SLA?',
        'Tickets out of SLA',
        'Which tickets took too long?',
        'Where did we break our service level?',
        'Tickets that violated their SLA',
        'Which customers have been waiting too long?',
      ],
      as: 'eve.thompson',
      input: { status: 'breached' },
    },
    {
      question: 'What has to be solved first?',
      phrases: [
        'What needs attention first because of SLAs?',
        'Most urgent tickets by SLA',
        'Which ticket should I work on next?',
        'What should support tackle first?',
        'Which tickets are the most pressing?',
        'Ticket queue by time left',
        'Which deadlines are coming up in support?',
        'Which tickets must I hurry with?',
      ],
      as: 'dan.williams',
      input: {},
    },
    { question: 'Which tickets are overdue?', as: 'marcus.johnson', input: { status: 'breached' }, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find({ status }, { search, now }) {
    const late = sla.breached(search, now);
    const soon = sla.atRisk(search, now);
    const which = status === 'breached' ? late : status === 'at_risk' ? soon : search.any(late, soon);
    return search.from('tickets', search.all(sla.waiting(search), which));
  },
});
