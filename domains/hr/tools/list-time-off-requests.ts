import { z } from 'zod';
import { day } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { hr } from '../domain.ts';
import { inDecember } from '../example-days.ts';
import { requestStatus, timeOffRequest } from '../schemas.ts';

export const listTimeOffRequests = hr.list({
  name: 'list_time_off_requests',
  title: 'My time-off requests',
  description: 'Your own requests for time off, the latest first, with their status and the notes of the approver.',
  plural: 'time-off requests',
  roles: ['employee'],
  input: z.object({
    status: requestStatus.optional().describe('Only requests in this state'),
    start_date_from: day.optional().describe('Only requests that start on this day or later'),
    start_date_to: day.optional().describe('Only requests that start on this day or earlier'),
  }),
  item: timeOffRequest,
  order: desc('start_date', 'request_id'),
  examples: [
    { question: 'What time off have I asked for?', as: 'marcus.johnson', input: {} },
    {
      question: 'Have my December holidays been approved yet?',
      as: 'sarah.kim',
      input: (today) => ({ start_date_from: inDecember(today, 1), start_date_to: inDecember(today, 31) }),
    },
    { question: 'Which of my leave requests are still pending?', as: 'marcus.johnson', input: { status: 'pending' } },
    { question: 'Was any of my time off rejected?', as: 'eve.thompson', input: { status: 'rejected' } },
  ],

  find: ({ status, start_date_from, start_date_to }, { sql }) => sql`
    select * from hr.time_off where true ${sql.given({ status })}
    ${sql.when(start_date_from, () => sql`start_date >= ${start_date_from}::date`)}
    ${sql.when(start_date_to, () => sql`start_date <= ${start_date_to}::date`)}`,
});
