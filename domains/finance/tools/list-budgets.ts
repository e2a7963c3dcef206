import { z } from 'zod';
import { amount } from '../../../src/declare/fields.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { finance } from '../domain.ts';
import { budgetsIn, type Reader } from '../budgets.ts';
import { daysOf, fourthQuarter, lastYear, period } from '../periods.ts';
import { inDepartment } from '../rules.ts';
import { budget, budgetFilter, departmentName, fiscalYear } from '../schemas.ts';

const filters = z.object({
  period: period.optional().describe('2026-11, 2026-Q4, Q4 2026 or 2026: the budgets of its year, with the amounts of the period'),
  fiscal_year: fiscalYear.optional(),
  department: departmentName.optional(),
  status: budgetFilter
    .optional()
    .describe('PENDING_APPROVAL waits for a decision; APPROVED is approved for a year to come, ACTIVE since the first day of its year'),
});

function matching(context: Reader, { period: asked, fiscal_year, department, status }: z.output<typeof filters>) {
  const { sql, company } = context;
  return sql`
    ${budgetsIn(context, daysOf(asked, company))} where true ${sql.given({ fiscal_year, status })}
    ${sql.when(department, () => inDepartment(sql, department ?? ''))}`;
}

export const listBudgets = finance.list({
  name: 'list_budgets',
  title: 'Budgets',
  description:
    'Budgets compared with what was spent, by default by year and department: of whole fiscal years, or of a quarter or month. ' +
    'metadata.summary has the totals of all matching budgets. Managers see their own department only, and its payroll by whole quarters.',
  plural: 'budgets',
  roles: ['manager', 'finance-read', 'executive'],
  input: filters,
  inputAliases: { year: 'fiscal_year' },
  item: budget,
  order: {
    year: asc('fiscal_year', 'department', 'budget_id'),
    largest: desc('allocated_amount', 'budget_id'),
    most_spent: desc('spent_amount', 'budget_id'),
    most_used: desc('utilization_percent', 'budget_id'),
  },
  totals: z.object({ allocated: amount, spent: amount, remaining: amount }),
  examples: [
    {
      question: "What's our Q4 budget vs actual spend?",
      as: 'eve.thompson',
      input: (today, company) => ({ period: fourthQuarter(today, company) }),
    },
    { question: 'Which budgets are waiting for approval?', as: 'bob.martinez', input: { status: 'PENDING_APPROVAL' } },
    { question: 'Show me the budgets of my department', as: 'nina.patel', input: {} },
    {
      question: 'What did all departments spend last year?',
      as: 'eve.thompson',
      input: (today, company) => ({ period: lastYear(today, company) }),
    },
    { question: 'Is there a draft budget for HR?', as: 'bob.martinez', input: { department: 'HR', status: 'DRAFT' } },
    { question: 'List all budgets', as: 'marcus.johnson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],
  chart: {
    kind: 'parts',
    title: 'Budget against actual',
    label: 'department',
    part: { field: 'spent_amount', label: 'Spent' },
    whole: { field: 'allocated_amount', label: 'Allocated' },
    scale: 'each',
    pace: { field: 'period', label: 'Time elapsed' },
  },

  find: (input, context) => context.sql`select * from ${matching(context, input)}`,
  computeTotals: (input, context) =>
    context.sql.one(
      z.object({ allocated: amount, spent: amount, remaining: amount }),
      context.sql`
        select coalesce(sum(allocated_amount), 0) as allocated, coalesce(sum(spent_amount), 0) as spent,
        coalesce(sum(remaining_amount), 0) as remaining
        from ${matching(context, input)}`,
    ),
});
