import { z } from 'zod';
import { asc, desc } from '../../../src/declare/order.ts';
import { hr } from '../domain.ts';
import { requestStatus, timeOffRequest } from '../schemas.ts';

export const listTeamTimeOffRequests = hr.list({
  name: 'list_team_time_off_requests',
  title: "The team's time-off requests",
  description:
    'Time-off requests of other people, the latest first. HR and executives see all, a manager sees the people who report to them. ' +
    'list_time_off_requests shows your own requests.',
  plural: 'time-off requests',
  roles: ['manager', 'hr-read', 'executive'],
  input: z.object({ status: requestStatus.optional().describe('Only requests in this state; pending ones wait for approval') }),
  item: timeOffRequest,
  order: { start_date: desc('start_date', 'request_id'), earliest: asc('start_date', 'request_id'), longest: desc('days', 'request_id') },
  examples: [
    { question: 'Any time off requests from my team waiting for me?', as: 'nina.patel', input: { status: 'pending' } },
    { question: 'Which vacations in my team are approved?', as: 'carol.johnson', input: { status: 'approved' } },
    { question: 'Show all leave requests in the company', as: 'alice.chen', input: {} },
    { question: 'How many holiday requests did we turn down?', as: 'eve.thompson', input: { status: 'rejected' } },
  ],

  find: ({ status }, { sql }) =>
    sql`select * from hr.team_time_off where employee_id is distinct from (select tamshai.me()) ${sql.given({ status })}`,
});
