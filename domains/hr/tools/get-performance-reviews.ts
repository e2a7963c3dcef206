import { z } from 'zod';
import { companyText, storedDay, storedId, untrusted } from '../../../src/declare/fields.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { hr } from '../domain.ts';
import { employeeId, reviewStatus } from '../schemas.ts';

export const getPerformanceReviews = hr.list({
  name: 'get_performance_reviews',
  title: 'Performance reviews',
  description:
    'Performance reviews, by default by due date. HR and executives see all, a manager sees the people who report to them. Without ' +
    'employee_id it shows who has reviews due.',
  plural: 'performance reviews',
  roles: ['manager', 'hr-write', 'executive'],
  input: z.object({
    employee_id: employeeId.optional().describe('Only the reviews of this employee'),
    status: reviewStatus
      .optional()
      .describe('due: not started, also if overdue; draft: being written; submitted: waits for the employee; acknowledged: done'),
  }),
  item: z.object({
    review_id: storedId,
    employee_id: storedId,
    employee_name: companyText,
    period: companyText,
    reviewer_id: storedId.nullable(),
    status: reviewStatus,
    due_date: storedDay,
    rating: z.number().nullable().describe('1 to 5; null if there is none yet'),
    goals_met_percent: z.int().nullable(),
    strengths: untrusted.nullable(),
    improvements: untrusted.nullable(),
  }),
  order: { due_date: asc('due_date', 'review_id'), highest_rating: desc('rating', 'review_id') },
  examples: [
    { question: 'Who on my team has performance reviews due?', as: 'nina.patel', input: { status: 'due' } },
    { question: 'Which reviews are still drafts?', as: 'alice.chen', input: { status: 'draft' } },
    {
      question: "Show me Marcus Johnson's performance reviews",
      as: 'nina.patel',
      input: { employee_id: '0e000000-0000-4000-8000-000000000007' },
    },
    { question: 'List the submitted reviews that nobody has acknowledged yet', as: 'eve.thompson', input: { status: 'submitted' } },
    { question: 'Which reviews have the highest rating?', as: 'alice.chen', input: { sort: 'highest_rating' } },
    { question: 'Show me my own performance review', as: 'frank.davis', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: ({ employee_id, status }, { sql }) => sql`select * from hr.reviews where true ${sql.given({ employee_id, status })}`,
});
