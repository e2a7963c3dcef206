import { z } from 'zod';
import { companyText, storedDay } from '../../../src/declare/fields.ts';
import { payroll } from '../domain.ts';
import { payeeOf } from '../rules.ts';
import { employeeNotFound, ownByDefault, pay } from '../schemas.ts';

const benefit = z.object({
  type: z.enum(['MEDICAL', 'DENTAL', 'VISION', 'HSA', 'RETIREMENT', 'LIFE']),
  plan_name: companyText,
  employee_amount: pay().describe("Deducted from the employee's pay"),
  employer_amount: pay().describe('Paid by the company in addition'),
  frequency: z.enum(['PER_PAY_PERIOD', 'MONTHLY', 'ANNUAL']),
  pre_tax: z.boolean(),
  effective_from: storedDay,
  effective_to: storedDay.nullable(),
  status: z.enum(['active', 'upcoming', 'ended']),
});

export const getBenefits = payroll.read({
  name: 'get_benefits',
  title: 'Benefits',
  description:
    'The benefit plans of a person (medical, dental, vision, health savings, retirement, life), and what the person and the ' +
    'company pay for each. By default your own, without plans that have ended.',
  roles: ['employee', 'payroll-read', 'hr-read', 'executive'],
  input: z.object({
    employee_id: ownByDefault,
    include_ended: z.boolean().default(false).describe('Also plans that have ended'),
  }),
  output: z.array(benefit),
  errors: { EMPLOYEE_NOT_FOUND: employeeNotFound },
  examples: [
    { question: 'What benefits am I enrolled in?', as: 'sarah.kim', input: {} },
    { question: 'How much do I pay into my 401(k)?', as: 'marcus.johnson', input: {} },
    { question: 'Show me all my benefit plans, old ones too', as: 'dan.williams', input: { include_ended: true } },
    { question: 'Which plans is Frank Davis in?', as: 'alice.chen', input: { employee_id: '0e000000-0000-4000-8000-000000000009' } },
    { question: "What are Tom Becker's benefits?", as: 'paula.reyes', input: { employee_id: '0e000000-0000-4000-8000-000000000011' } },
    {
      question: "Show me Sarah Kim's health plan",
      as: 'nina.patel',
      input: { employee_id: '0e000000-0000-4000-8000-000000000008' },
      expects: 'EMPLOYEE_NOT_FOUND',
    },
  ],
  summary: (benefits) => `${benefits.length} benefit plans`,

  async run({ employee_id, include_ended }, { sql, me, today, fail }) {
    const whose = employee_id ?? me.employeeId;
    if (!(await payeeOf(sql, whose))) throw fail('EMPLOYEE_NOT_FOUND', { employee_id: whose });
    return sql.many(
      benefit,
      sql`select b.*, case when b.effective_from > ${today}::date then 'upcoming' when b.effective_to < ${today}::date then 'ended'
        else 'active' end as status
        from payroll.benefits b
        where b.employee_id = ${whose} and (${include_ended} or coalesce(b.effective_to >= ${today}::date, true))
        order by coalesce(b.effective_to < ${today}::date, false), b.type, b.effective_from, b.enrolment_id`,
    );
  },
});
