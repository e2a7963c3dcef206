import { z } from 'zod';
import { desc } from '../../../src/declare/order.ts';
import { hr } from '../domain.ts';
import { requestStatus, timeOffRequest } from '../schemas.ts';

export const listTeamTimeOffRequests = hr.list({
  name: 'list_team_time_off_requests',
  title: "The team's time-off requests",
  description:
    "Time-off requests of others, the latest first: of everyone for HR and executives, of the people below for a manager. One's own are in list_time_off_requests.",
  plural: 'time-off requests',
  roles: ['manager', 'hr-read', 'executive'],
  input: z.object({ status: requestStatus.optional().describe('Only requests in this state; pending ones wait for approval') }),
  item: timeOffRequest,
  order: desc('start_date', 'request_id'),
  examples: [
    {
      question: 'Any time off requests from my team waiting for me?',
      phrases: [
        'Pending leave',
        'Who is off next week?',
        'Is anyone from my team on holiday in December?',
        'Leave requests not yet approved',
        'Leave requests that I have to approve',
        'Pending vacation requests of my people',
        'Who in my team asked for time off?',
        'Who wants to go on holiday?',
        'What leave do I need to decide on?',
        'Any PTO for me to sign off?',
        'Outstanding absence requests',
        'Vacation approvals in my queue',
        'Has anybody on my team put in for leave?',
        'Which holiday requests are awaiting my decision?',
        'Is there leave I should sign off?',
      ],
      as: 'nina.patel',
      input: { status: 'pending' },
    },
    {
      question: 'Which vacations in my team are approved?',
      phrases: ['Approved absences of my team', 'Confirmed leave in my team', 'Whose vacation has been granted?'],
      as: 'carol.johnson',
      input: { status: 'approved' },
    },
    {
      question: 'Show all leave requests in the company',
      phrases: [
        'Who is on vacation?',
        'All time off requests',
        'Absences across the company',
        "Who's out of office?",
        'Who is absent?',
        "Everyone's leave",
        'Staff absence overview',
        'Who is away?',
        'Which staff are away on holiday?',
      ],
      as: 'alice.chen',
      input: {},
    },
    {
      question: 'How many holiday requests did we turn down?',
      phrases: ['Which absences were denied?', 'Leave we refused', 'Declined vacation requests of my people'],
      as: 'eve.thompson',
      input: { status: 'rejected' },
    },
  ],

  find: ({ status }, { sql }) =>
    sql`select * from hr.team_time_off where employee_id is distinct from (select tamshai.me()) ${sql.given({ status })}`,
});
