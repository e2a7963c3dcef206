import { z } from 'zod';
import { prose } from '../../../src/declare/fields.ts';
import { finance } from '../domain.ts';
import { budgetById } from '../budgets.ts';
import { describe, labels } from '../rules.ts';
import { budget, budgetId, budgetNotFound } from '../schemas.ts';

export const submitBudget = finance.write({
  name: 'submit_budget',
  title: 'Submit a budget',
  description:
    'Submit a draft or rejected budget for approval: DRAFT or REJECTED becomes PENDING_APPROVAL. Managers submit the budget of ' +
    'their own department. The person who submits it cannot approve it.',
  roles: ['manager', 'finance-write', 'executive'],
  effect: 'changes',
  input: z.object({ budget_id: budgetId, comments: prose(1000).optional().describe('For the approver') }),
  output: budget,
  errors: {
    BUDGET_NOT_FOUND: budgetNotFound,
    BUDGET_NOT_SUBMITTABLE: {
      message: 'The budget is already submitted or approved.',
      hint: 'Only DRAFT and REJECTED budgets can be submitted; find them with list_budgets.',
    },
  },
  examples: [
    {
      question: 'Submit the Engineering budget for approval',
      as: 'nina.patel',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000001' },
    },
    {
      question: "Hand in next year's Sales budget, it covers two trade fairs",
      as: 'carol.johnson',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000004', comments: 'It covers two trade fairs' },
    },
    { question: 'Resubmit the rejected Support budget', as: 'dan.williams', input: { budget_id: '0fb00000-0000-4000-8000-000000000005' } },
    { question: 'Send the HR budget draft to approval', as: 'bob.martinez', input: { budget_id: '0fb00000-0000-4000-8000-000000000002' } },
    {
      question: 'Submit the Legal budget again',
      as: 'eve.thompson',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000008' },
      expects: 'BUDGET_NOT_SUBMITTABLE',
    },
    {
      question: 'Submit the Sales budget',
      as: 'nina.patel',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000004' },
      expects: 'BUDGET_NOT_FOUND',
    },
  ],

  async prepare({ budget_id, comments }, context) {
    const { me, fail, company } = context;
    const found = (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
    if (found.status !== 'DRAFT' && found.status !== 'REJECTED') throw fail('BUDGET_NOT_SUBMITTABLE', { status: found.status });
    return {
      summary: `Submit ${describe.budget(found)} for approval`,
      subject: { label: labels.budget(found, company), id: budget_id },
      changes: [
        { field: 'status', from: found.status, to: 'PENDING_APPROVAL' },
        { field: 'submitted_by_name', label: 'Submitted by', from: found.submitted_by_name, to: me.name },
        ...(found.rejection_reason === null ? [] : [{ field: 'rejection_reason', from: found.rejection_reason, to: null }]),
      ],
      reason: comments,
      // This throws for a caller without an employee id. Separation of duties compares employee ids, so it could not apply to that caller.
      by: me.employeeId,
    };
  },

  async execute({ budget_id, comments }, context) {
    const { sql, me, plan, output, fail } = context;
    await sql.change(
      output.pick({ budget_id: true }),
      sql`
        update finance.budgets
        set status = 'PENDING_APPROVAL', submitted_by = ${plan.by}, submitted_by_name = ${me.name}, submitted_at = clock_timestamp(),
        comments = ${comments},
          rejected_by = null, rejected_by_name = null, rejected_at = null, rejection_reason = null
        where budget_id = ${budget_id} and status in ('DRAFT', 'REJECTED') returning budget_id`,
    );
    return (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
  },
});
