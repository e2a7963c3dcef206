import { z } from 'zod';
import { prose } from '../../../src/declare/fields.ts';
import { budgetById } from '../budgets.ts';
import { finance } from '../domain.ts';
import { describe, labels } from '../rules.ts';
import { budget, budgetId, budgetNotFound } from '../schemas.ts';

export const closeBudget = finance.write({
  name: 'close_budget',
  title: 'Close a budget',
  description:
    'Close the budget of a fiscal year: ACTIVE becomes CLOSED, and stays so. An approved budget is ACTIVE from the first day of its ' +
    'year. Late payments of that year still count as spent.',
  roles: ['finance-write', 'executive'],
  effect: 'changes',
  input: z.object({ budget_id: budgetId, closing_notes: prose(1000).optional().describe('Stored with the budget') }),
  inputAliases: { notes: 'closing_notes' },
  output: budget,
  errors: {
    BUDGET_NOT_FOUND: budgetNotFound,
    BUDGET_NOT_ACTIVE: {
      message: 'The budget is not active.',
      hint: 'Only ACTIVE budgets can be closed; find them with list_budgets.',
    },
  },
  examples: [
    { question: "Close this year's Marketing budget", as: 'bob.martinez', input: { budget_id: '0fb00000-0000-4000-8000-000000000016' } },
    {
      question: "Close this year's Legal budget, nothing more will be spent",
      as: 'eve.thompson',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000018', closing_notes: 'Nothing more will be spent' },
    },
    {
      question: "Close next year's Finance budget",
      as: 'bob.martinez',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000003' },
      expects: 'BUDGET_NOT_ACTIVE',
    },
    {
      question: "Close my department's budget",
      as: 'nina.patel',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000011' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ budget_id, closing_notes }, context) {
    const { me, fail, company } = context;
    const found = (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
    if (found.status !== 'ACTIVE') throw fail('BUDGET_NOT_ACTIVE', { status: found.status });
    return {
      summary: `Close ${describe.budget(found)}`,
      subject: { label: labels.budget(found, company), id: budget_id },
      changes: [
        { field: 'status', from: 'ACTIVE', to: 'CLOSED' },
        { field: 'allocated_amount', from: found.allocated_amount, to: found.allocated_amount, format: 'money' },
      ],
      reason: closing_notes,
      by: me.employeeId,
    };
  },

  async execute({ budget_id, closing_notes }, context) {
    const { sql, me, plan, output, fail } = context;
    await sql.change(
      output.pick({ budget_id: true }),
      sql`
        update finance.budgets
        set status = 'CLOSED', closed_by = ${plan.by}::uuid, closed_by_name = ${me.name}, closed_at = clock_timestamp(),
        closing_notes = ${closing_notes}
        where budget_id = ${budget_id} and status = 'APPROVED' returning budget_id`,
    );
    return (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
  },
});
