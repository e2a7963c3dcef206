import { z } from 'zod';
import { prose } from '../../../src/declare/fields.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { budgetById } from '../budgets.ts';
import { finance } from '../domain.ts';
import { insertedLines, lineChanges, linesFrom, linesOf, newLines, totalOf } from '../lines.ts';
import { describe, labels } from '../rules.ts';
import { budget, budgetId, budgetNotFound, monthOutsideYear } from '../schemas.ts';

export const updateBudget = finance.write({
  name: 'update_budget',
  title: 'Change a budget',
  description:
    'Change lines of a budget that is a DRAFT or REJECTED, by category, for the whole year or by month. Categories that are not named ' +
    'keep their lines; an amount of 0 removes a line. Managers change the budget of their own department.',
  roles: ['manager', 'finance-write', 'executive'],
  effect: 'changes',
  input: z.object({
    budget_id: budgetId,
    lines: newLines.describe('The new amounts of the categories that change'),
    comments: prose(1000).optional().describe('For the approver'),
  }),
  output: budget,
  errors: {
    BUDGET_NOT_FOUND: budgetNotFound,
    BUDGET_NOT_CHANGEABLE: {
      message: 'The budget is submitted, approved or closed.',
      hint: 'Only DRAFT and REJECTED budgets can be changed. Another person can reject a submitted one with reject_budget.',
    },
    NOTHING_TO_CHANGE: { message: 'The budget has these lines already.', hint: 'Give at least one line that differs.' },
    MONTH_OUTSIDE_YEAR: monthOutsideYear,
  },
  examples: [
    {
      question: "Change the travel line of next year's Engineering budget to 150,000",
      as: 'nina.patel',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000001', lines: [{ category: 'TRAVEL', amount: 150_000 }] },
    },
    {
      question: 'Lower the equipment in the rejected Support budget to 60,000',
      as: 'dan.williams',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000005', lines: [{ category: 'EQUIPMENT', amount: 60_000 }] },
    },
    {
      question: 'Set training in the HR draft to 70,000',
      as: 'bob.martinez',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000002', lines: [{ category: 'TRAINING', amount: 70_000 }] },
    },
    {
      question: 'Raise travel in the submitted Operations budget to 200,000',
      as: 'bob.martinez',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000007', lines: [{ category: 'TRAVEL', amount: 200_000 }] },
      expects: 'BUDGET_NOT_CHANGEABLE',
    },
    {
      question: 'Change the travel line of the Sales budget to 1,000',
      as: 'nina.patel',
      input: { budget_id: '0fb00000-0000-4000-8000-000000000004', lines: [{ category: 'TRAVEL', amount: 1000 }] },
      expects: 'BUDGET_NOT_FOUND',
    },
  ],

  async prepare({ budget_id, lines: given, comments }, context) {
    const { sql, me, fail, company } = context;
    const found = (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
    const { fiscal_year, status } = found;
    if (status !== 'DRAFT' && status !== 'REJECTED') throw fail('BUDGET_NOT_CHANGEABLE', { status });
    const { lines: named, outside } = linesFrom(given, fiscal_year, company);
    if (outside !== undefined) throw fail('MONTH_OUTSIDE_YEAR', { month: outside, fiscal_year });
    const before = await linesOf(sql, budget_id);
    // A category for the whole year replaces all its months; a month replaces only itself.
    const replaced = (each: (typeof before)[number]) =>
      named.some(({ category, fiscal_month }) => category === each.category && fiscal_month === each.fiscal_month);
    const after = [...before.filter((each) => !replaced(each)), ...named.filter(({ allocated_amount }) => allocated_amount > 0)];
    const changes = lineChanges(before, after, { year: fiscal_year, company });
    if (changes.length === 0) throw fail('NOTHING_TO_CHANGE', { budget_id });
    const [from, to] = [totalOf(before), totalOf(after)];
    return {
      summary: `Change ${describe.budget(found)} from ${formatMoney(from, company)} to ${formatMoney(to, company)}`,
      subject: { label: labels.budget(found, company), id: budget_id },
      changes: [{ field: 'allocated_amount', from, to, format: 'money' }, ...changes],
      reason: comments,
      by: me.employeeId,
      before,
      after,
    };
  },

  async execute({ budget_id, comments }, context) {
    const { sql, me, plan, output, fail } = context;
    const id = output.pick({ budget_id: true });
    if (plan.before.length > 0)
      await sql.changeMany(id, sql`delete from finance.budget_lines where budget_id = ${budget_id} returning budget_id`);
    if (plan.after.length > 0) await sql.changeMany(id, insertedLines(sql, budget_id, plan.after));
    // The new row version makes open tickets about this budget invalid.
    await sql.change(
      id,
      sql`
        update finance.budgets
        set updated_by = ${plan.by}::uuid, updated_by_name = ${me.name}, updated_at = clock_timestamp(),
          comments = coalesce(${comments}, comments)
        where budget_id = ${budget_id} and status in ('DRAFT', 'REJECTED') returning budget_id`,
    );
    return (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
  },
});
