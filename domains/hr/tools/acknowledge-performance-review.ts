import { z } from 'zod';
import { companyText, line, storedDay, storedId, storedTime, untrusted } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { reviewStatus } from '../schemas.ts';

const review = z.object({
  review_id: storedId,
  period: companyText,
  status: reviewStatus,
  due_date: storedDay,
  rating: z.number().nullable(),
  goals_met_percent: z.int().nullable(),
  strengths: untrusted.nullable(),
  improvements: untrusted.nullable(),
  acknowledged_at: storedTime.nullable(),
});
const columns = Object.keys(review.shape);

export const acknowledgePerformanceReview = hr.act({
  name: 'acknowledge_performance_review',
  title: 'Acknowledge my performance review',
  description: 'Acknowledge that you read the review that your manager submitted, and get its text. By default your latest review.',
  roles: ['employee'],
  audience: 'self',
  effect: 'changes',
  input: z.object({
    period: line(7)
      .regex(/^\d{4}-H[12]$/, 'Give a half year as 2026-H2')
      .optional()
      .describe('The half year, such as 2026-H2; by default that of your latest review'),
  }),
  output: review,
  errors: {
    REVIEW_NOT_FOUND: {
      message: 'You have no submitted review of that time.',
      hint: 'Ask your manager whether the review is submitted.',
    },
  },
  examples: [
    { question: 'Acknowledge my performance review', as: 'tom.becker', input: {} },
    {
      question: 'I have read my review for the first half of 2001',
      as: 'frank.davis',
      input: { period: '2001-H1' },
      expects: 'REVIEW_NOT_FOUND',
    },
    {
      question: 'I accept my performance review of the second half of 2001',
      as: 'sarah.kim',
      input: { period: '2001-H2' },
      expects: 'REVIEW_NOT_FOUND',
    },
  ],
  summary: ({ period }) => `Review of ${period} acknowledged`,

  async execute({ period }, { sql, me, output, fail }) {
    const shown = sql.list(columns.map((column) => sql.ref(column)));
    // Drafts stay invisible: the policy of this audience shows only submitted and acknowledged reviews.
    const [found] = await sql.many(
      output,
      sql`
        select ${shown} from hr.performance_reviews
        where employee_id = ${me.employeeId} ${sql.given({ period })}
        order by due_date desc, review_id limit 1`,
    );
    if (found === undefined) throw fail('REVIEW_NOT_FOUND');
    if (found.status === 'acknowledged') return found;
    return sql.change(
      output,
      sql`
        update hr.performance_reviews set status = 'acknowledged', acknowledged_at = clock_timestamp()
        where review_id = ${found.review_id} and status = 'submitted' returning ${shown}`,
    );
  },
});
