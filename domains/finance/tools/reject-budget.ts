import { z } from 'zod';
import { finance } from '../domain.ts';
import { budgetById } from '../budgets.ts';
import { describe, labels } from '../rules.ts';
import { budget, budgetId, budgetNotFound, rejectionReason } from '../schemas.ts';

export const rejectBudget = finance.write({
  name: 'reject_budget',
  title: 'Reject a budget',
  description:
    'Reject a submitted budget with a reason: PENDING_APPROVAL becomes REJECTED, and it can be submitted again. The person who ' +
    'submitted it cannot reject it.',
  roles: ['finance-write', 'executive'],
  effect: 'changes',
  input: z.object({ budget_id: budgetId, rejection_reason: rejectionReason }),
  inputAliases: { reason: 'rejection_reason' },
  output: budget,
  errors: {
    BUDGET_NOT_FOUND: budgetNotFound,
    BUDGET_NOT_PENDING: {
      message: 'The budget does not wait for approval.',
      hint: 'Only PENDING_APPROVAL budgets can be rejected; find them with list_budgets.',
    },
  },
  examples: [
    {
      question: 'Reject the Operations budget, travel costs are far too high',
      as: 'bob.martinez',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000007', rejection_reason: 'Travel costs are far too high' },
    },
    {
      question: "Send Marketing's budget back because the agency fees are missing",
      as: 'eve.thompson',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000006', rejection_reason: 'The agency fees are missing' },
    },
    {
      question: 'Turn down the Legal budget: outside counsel is not broken down',
      as: 'bob.martinez',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000008', rejection_reason: 'Outside counsel is not broken down' },
    },
    {
      question: 'Reject the draft of Engineering, it is too early',
      as: 'bob.martinez',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000001', rejection_reason: 'It is too early for this' },
      expects: 'BUDGET_NOT_PENDING',
    },
  ],

  async prepare({ budget_id, rejection_reason }, context) {
    const { me, fail, company } = context;
    const found = (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
    if (found.status !== 'PENDING_APPROVAL') throw fail('BUDGET_NOT_PENDING', { status: found.status });
    if (found.submitted_by === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot reject a budget that you submitted.' });
    return {
      summary: `Reject ${describe.budget(found)}`,
      subject: { label: labels.budget(found, company), id: budget_id },
      changes: [
        { field: 'status', from: found.status, to: 'REJECTED' },
        { field: 'submitted_by_name', label: 'Submitted by', from: found.submitted_by_name, to: found.submitted_by_name },
      ],
      reason: rejection_reason,
    };
  },

  async execute({ budget_id, rejection_reason }, context) {
    const { sql, me, output, fail } = context;
    await sql.change(
      output.pick({ budget_id: true }),
      sql`
        update finance.budgets
        set status = 'REJECTED', rejected_by = ${me.employeeId}, rejected_by_name = ${me.name}, rejected_at = clock_timestamp(),
        rejection_reason = ${rejection_reason}
        where budget_id = ${budget_id} and status = 'PENDING_APPROVAL' returning budget_id`,
    );
    return (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
  },
});
