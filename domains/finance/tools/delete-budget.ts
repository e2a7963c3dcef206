import { z } from 'zod';
import { companyText, prose, storedId, storedTime } from '../../../src/declare/fields.ts';
import { finance } from '../domain.ts';
import { budgetById } from '../budgets.ts';
import { describe, labels } from '../rules.ts';
import { budgetId, budgetNotFound } from '../schemas.ts';

export const deleteBudget = finance.write({
  name: 'delete_budget',
  title: 'Delete a budget',
  description:
    'Delete a budget that is still a DRAFT. No tool shows it any more, and the database keeps it for the audit. You ' +
    'cannot delete your own draft.',
  roles: ['finance-write', 'executive'],
  effect: 'removes',
  input: z.object({ budget_id: budgetId, reason: prose(500).optional().describe('Shown on the approval card and stored with the record') }),
  output: z.object({ budget_id: storedId, department: companyText, fiscal_year: z.int(), deleted_at: storedTime }),
  errors: {
    BUDGET_NOT_FOUND: budgetNotFound,
    BUDGET_NOT_DRAFT: {
      message: 'The budget is no longer a draft.',
      hint: 'Only DRAFT budgets can be deleted; find them with list_budgets. Reject a submitted budget with reject_budget.',
    },
  },
  examples: [
    { question: 'Delete the draft HR budget', as: 'eve.thompson', input: { budget_id: '0fb00000-0000-4000-8000-000000000002' } },
    {
      question: "Remove next year's Engineering budget draft, we start over",
      as: 'bob.martinez',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000001', reason: 'We start over' },
    },
    { question: 'Throw the Sales draft away', as: 'eve.thompson', input: { budget_id: '0fb00000-0000-4000-8000-000000000004' } },
    {
      question: "Delete this year's Support budget",
      as: 'bob.martinez',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000015' },
      expects: 'BUDGET_NOT_DRAFT',
    },
  ],

  async prepare({ budget_id }, context) {
    const { me, fail, company } = context;
    const found = (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
    if (found.status !== 'DRAFT') throw fail('BUDGET_NOT_DRAFT', { status: found.status });
    if (found.created_by === me.employeeId) throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot delete a budget that you drafted.' });
    return {
      summary: `Delete the draft of ${describe.budget(found)}`,
      subject: { label: labels.budget(found, company), id: budget_id },
      changes: [{ field: 'status', from: found.status, to: 'Deleted' }],
    };
  },

  execute: ({ budget_id, reason }, { sql, me, output }) =>
    sql.change(
      output,
      sql`
        update finance.budgets set deleted_by = ${me.employeeId}, deleted_at = clock_timestamp(), deletion_reason = ${reason}
        where budget_id = ${budget_id} and status = 'DRAFT' and deleted_at is null
        returning budget_id, department, fiscal_year, deleted_at`,
    ),
});
