import { z } from 'zod';
import { prose } from '../../../src/declare/fields.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { finance } from '../domain.ts';
import { budgetById, budgetsIn } from '../budgets.ts';
import { byCategory, linesOf, sharedLines } from '../lines.ts';
import { inDepartment, describe, labels } from '../rules.ts';
import { budget, budgetId, budgetNotFound, departmentName, fiscalYear, spendingCategory, sum } from '../schemas.ts';

export const approveBudget = finance.write({
  name: 'approve_budget',
  title: 'Approve a budget',
  description:
    'Approve a submitted budget, by budget_id or by department and fiscal year: PENDING_APPROVAL becomes APPROVED. If ' +
    'approved_amount is given, the categories and months share it in proportion. The person who submitted it cannot approve it.',
  roles: ['finance-write', 'executive'],
  effect: 'changes',
  input: z
    .object({
      budget_id: budgetId.optional(),
      department: departmentName.optional(),
      fiscal_year: fiscalYear.optional().describe('Fiscal year; needed only if several budgets of the department wait'),
      approved_amount: sum.optional().describe('In {currency}; by default the requested amount'),
      approver_notes: prose(1000).optional().describe('For the person who submitted it'),
    })
    .refine((given) => given.budget_id !== undefined || given.department !== undefined, 'Give budget_id, or department (and fiscal_year)'),
  inputAliases: { amount: 'approved_amount', notes: 'approver_notes', year: 'fiscal_year' },
  output: budget,
  errors: {
    BUDGET_NOT_FOUND: budgetNotFound,
    BUDGET_NOT_PENDING: {
      message: 'The budget does not wait for approval.',
      hint: 'Only PENDING_APPROVAL budgets can be approved; find them with list_budgets. Submit a draft first with submit_budget.',
    },
    BUDGET_AMBIGUOUS: {
      message: 'Several budgets of the department wait for approval.',
      hint: 'Give fiscal_year or budget_id; details lists the years.',
    },
  },
  examples: [
    { question: 'Approve the Legal budget at 450,000', as: 'bob.martinez', input: { department: 'Legal', approved_amount: 450_000 } },
    { question: 'Approve the Marketing budget', as: 'eve.thompson', input: { budget_id: '0fb00000-0000-4000-8000-000000000006' } },
    {
      question: "Sign off next year's Operations budget as submitted",
      as: 'bob.martinez',
      input: (today, company) => ({
        department: 'Operations',
        fiscal_year: fiscalYearOf(today, company) + 1,
        approver_notes: 'As submitted',
      }),
    },
    { question: 'Approve the Engineering budget', as: 'eve.thompson', input: { department: 'Engineering' }, expects: 'BUDGET_NOT_PENDING' },
    { question: 'Approve our own budget', as: 'nina.patel', input: { department: 'Engineering' }, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  async prepare({ budget_id, department, fiscal_year, approved_amount, approver_notes }, context) {
    const { sql, me, fail, company } = context;
    const meant = sql`
      ${budgetsIn(context)} where true
      ${sql.given({ budget_id, fiscal_year })} ${sql.when(department, () => inDepartment(sql, department ?? ''))}`;
    const [found, ...others] = await sql.many(budget, sql`select * from ${meant} and status = 'PENDING_APPROVAL' order by fiscal_year`);
    if (!found) {
      const [other] = await sql.many(budget, sql`select * from ${meant} order by fiscal_year desc`);
      if (!other) throw fail('BUDGET_NOT_FOUND', { budget_id, department, fiscal_year });
      throw fail('BUDGET_NOT_PENDING', { budget_id: other.budget_id, fiscal_year: other.fiscal_year, status: other.status });
    }
    if (others.length > 0) throw fail('BUDGET_AMBIGUOUS', { fiscal_years: [found, ...others].map((each) => each.fiscal_year) });
    if (found.submitted_by === me.employeeId)
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot approve a budget that you submitted.' });
    const asked = found.allocated_amount;
    const amount = approved_amount ?? asked;
    const lines = await linesOf(sql, found.budget_id);
    const shares = sharedLines(lines, amount);
    const before = byCategory(lines);
    const after = byCategory(shares);
    return {
      summary: `Approve ${describe.budget(found)} at ${formatMoney(amount, company)}${amount === asked ? '' : `; ${formatMoney(asked, company)} was requested`}`,
      subject: { label: labels.budget(found, company), id: found.budget_id },
      changes: [
        { field: 'status', from: found.status, to: 'APPROVED' },
        { field: 'allocated_amount', from: asked, to: amount, format: 'money' },
        ...before.flatMap(({ category, amount: from }, which) => {
          const to = after[which]?.amount ?? 0;
          const name = category.toLowerCase();
          return to === from ? [] : [{ field: name, label: `For ${name}`, from, to, format: 'money' as const }];
        }),
        { field: 'submitted_by_name', label: 'Submitted by', from: found.submitted_by_name, to: found.submitted_by_name },
      ],
      reason: approver_notes,
      id: found.budget_id,
      changed: shares.filter((each, which) => each.allocated_amount !== lines[which]?.allocated_amount),
    };
  },

  async execute({ approver_notes }, context) {
    const { sql, me, plan, output, fail } = context;
    // The lines change first: a policy forbids changes of lines after the approval.
    if (plan.changed.length > 0)
      await sql.changeMany(
        z.object({ category: spendingCategory }),
        sql`
          update finance.budget_lines l set allocated_amount = new.allocated_amount
          from json_to_recordset(${JSON.stringify(plan.changed)}::json) as new(category text, fiscal_month int, allocated_amount numeric)
          where l.budget_id = ${plan.id} and l.category = new.category and l.fiscal_month = new.fiscal_month returning l.category`,
      );
    await sql.change(
      output.pick({ budget_id: true }),
      sql`
        update finance.budgets
        set status = 'APPROVED', approved_by = ${me.employeeId}, approved_by_name = ${me.name}, approved_at = clock_timestamp(),
        approver_notes = ${approver_notes}
        where budget_id = ${plan.id} and status = 'PENDING_APPROVAL' returning budget_id`,
    );
    return (await budgetById(context, plan.id)) ?? fail('BUDGET_NOT_FOUND', { budget_id: plan.id });
  },
});
