import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { companyText, line, prose, storedDay, storedId, untrusted } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { reviewDueOn, reviewOf } from '../example-days.ts';
import { activeManager, fullName } from '../moves.ts';
import { employeeId, employeeNotFound, reviewStatus } from '../schemas.ts';

const review = z.object({
  rating: z.number().nullable(),
  goals_met_percent: z.int().nullable(),
  strengths: untrusted.nullable(),
  improvements: untrusted.nullable(),
  status: reviewStatus,
});
export const writePerformanceReview = hr.write({
  name: 'write_performance_review',
  title: 'Write a performance review',
  description:
    'Write the review of somebody who reports to you for one half year. It goes to the employee, or stays a draft with submit: false. ' +
    'A submitted review cannot be changed.',
  roles: ['manager'],
  effect: 'changes',
  input: z.object({
    employee_id: employeeId,
    period: line(7)
      .regex(/^\d{4}-H[12]$/, 'Give a half year as 2026-H2')
      .describe('The half year, such as 2026-H2'),
    rating: z.number().min(1).max(5).multipleOf(0.5).describe('1 to 5, in halves'),
    goals_met_percent: z.int().min(0).max(100).optional().describe('Share of the goals that were met'),
    strengths: prose(2000).optional().describe('What went well'),
    improvements: prose(2000).optional().describe('What to improve'),
    submit: z.boolean().default(true).describe('false keeps a draft'),
  }),
  output: z.object({
    review_id: storedId,
    employee_id: storedId,
    employee_name: companyText,
    period: companyText,
    due_date: storedDay,
    ...review.shape,
  }),
  errors: {
    EMPLOYEE_NOT_FOUND: employeeNotFound,
    ALREADY_SUBMITTED: {
      message: 'The review of this half year is already submitted.',
      hint: 'Read it with get_performance_reviews, or write the review of another half year.',
    },
    PERIOD_NOT_BEGUN: { message: 'This half year has not begun.', hint: 'Give the present half year or an earlier one.' },
  },
  examples: [
    {
      question: 'Write the review of Marcus Johnson for this half year: 4 out of 5, he explains hard things simply',
      as: 'nina.patel',
      input: (today) => reviewOf(today, { rating: 4, strengths: 'He explains hard things simply' }),
    },
    {
      question: 'Draft a performance review for Sarah Kim with a rating of 3.5',
      as: 'nina.patel',
      input: (today) => ({ ...reviewOf(today, { rating: 3.5, submit: false }), employee_id: '0e000000-0000-4000-8000-000000000008' }),
    },
    {
      question: 'Rate Alice Chen 1 out of 5',
      as: 'nina.patel',
      input: (today) => ({ ...reviewOf(today, { rating: 1 }), employee_id: '0e000000-0000-4000-8000-000000000002' }),
      expects: 'EMPLOYEE_NOT_FOUND',
    },
    {
      question: 'Write a review of Marcus Johnson, five stars',
      as: 'sarah.kim',
      input: (today) => reviewOf(today, { rating: 5 }),
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ employee_id, period, submit, ...given }, { sql, me, today, fail }) {
    const person = employee_id === me.employeeId ? null : await activeManager(sql, employee_id);
    if (person === null) throw fail('EMPLOYEE_NOT_FOUND', { employee_id });
    if (`${period.slice(0, 4)}-${period.endsWith('H1') ? '01' : '07'}-01` > today) throw fail('PERIOD_NOT_BEGUN');
    const before = await sql.maybeOne(review, sql`select * from hr.reviews where employee_id = ${employee_id} and period = ${period}`);
    if (before !== null && before.status !== 'due' && before.status !== 'draft') throw fail('ALREADY_SUBMITTED', { status: before.status });
    const { rating, goals_met_percent = null, strengths = null, improvements = null } = given;
    const kept = before ?? { rating: null, goals_met_percent: null, strengths: null, improvements: null, status: null };
    const next = {
      rating,
      goals_met_percent: goals_met_percent ?? kept.goals_met_percent,
      strengths: strengths ?? kept.strengths,
      improvements: improvements ?? kept.improvements,
      status: submit ? ('submitted' as const) : ('draft' as const),
    };
    const name = fullName(person);
    return {
      summary: `${submit ? 'Submit' : 'Save a draft of'} the review of ${name} for ${period}`,
      subject: { label: `${name}, ${period}`, id: employee_id },
      changes: changed<object>(kept, next),
      next,
      isNew: before === null,
    };
  },

  async execute({ employee_id, period }, { sql, me, plan, output }) {
    const { rating, goals_met_percent, strengths, improvements, status } = plan.next;
    await sql.change(
      output.pick({ employee_id: true }),
      plan.isNew
        ? sql`
            insert into hr.performance_reviews (employee_id, period, reviewer_id, due_date, rating, goals_met_percent, strengths, improvements, status)
            values (${employee_id}, ${period}, ${me.employeeId}, ${reviewDueOn(period)}, ${rating}, ${goals_met_percent}, ${strengths},
              ${improvements}, ${status}) returning employee_id`
        : sql`
            update hr.performance_reviews set reviewer_id = ${me.employeeId}, rating = ${rating}, goals_met_percent = ${goals_met_percent},
              strengths = ${strengths}, improvements = ${improvements}, status = ${status}
            where employee_id = ${employee_id} and period = ${period} and status in ('due', 'draft') returning employee_id`,
    );
    return sql.one(output, sql`select * from hr.reviews where employee_id = ${employee_id} and period = ${period}`);
  },
});
