import { z } from 'zod';
import { storedDay, storedId, written } from '../../../core/fields.ts';
import { asc } from '../../../core/order.ts';
import { hr } from '../domain.ts';
import { employeeId, reviewStatus } from '../schemas.ts';

export const getPerformanceReviews = hr.list({
  name: 'get_performance_reviews',
  title: 'Performance reviews',
  description:
    'Performance reviews by due date: of everyone for HR and executives, of the people below for a manager. Without employee_id it answers who has reviews due.',
  plural: 'performance reviews',
  roles: ['manager', 'hr-write', 'executive'],
  input: z.object({
    employee_id: employeeId.optional().describe('Only the reviews of this employee'),
    status: reviewStatus
      .optional()
      .describe('due: not begun, also when overdue; draft: being written; submitted: waits for the employee; acknowledged: done'),
  }),
  item: z.object({
    review_id: storedId,
    employee_id: storedId,
    employee_name: z.string(),
    period: z.string(),
    reviewer_id: storedId.nullable(),
    status: reviewStatus,
    due_date: storedDay,
    rating: z.number().nullable().describe('1 to 5; null until it is given'),
    goals_met_percent: z.int().nullable(),
    strengths: written.nullable(),
    improvements: written.nullable(),
  }),
  order: asc('due_date', 'review_id'),
  examples: [
    {
      ask: 'Who on my team has performance reviews due?',
      also: [
        'Who still needs a review in my team?',
        'Which of my people have an appraisal coming up?',
        'Whose appraisal is due?',
        'Which reviews do I still have to write?',
        'Overdue performance reviews',
      ],
      as: 'nina.patel',
      input: { status: 'due' },
    },
    { ask: 'Which reviews are still drafts?', as: 'alice.chen', input: { status: 'draft' } },
    {
      ask: "Show me Marcus Johnson's performance reviews",
      also: ['How was Marcus Johnson rated?', "Marcus Johnson's last appraisal"],
      as: 'nina.patel',
      input: { employee_id: '0e000000-0000-4000-8000-000000000007' },
    },
    { ask: 'List the submitted reviews that nobody has acknowledged yet', as: 'eve.thompson', input: { status: 'submitted' } },
    { ask: 'Show me my own performance review', as: 'frank.davis', input: {}, gives: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: ({ employee_id, status }, { sql }) => sql`select * from hr.reviews where true ${sql.given({ employee_id, status })}`,
});
