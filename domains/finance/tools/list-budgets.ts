import { z } from 'zod';
import { amount } from '../../../src/declare/fields.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import type { SqlTag } from '../../../src/declare/sql.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { finance } from '../domain.ts';
import { inDepartment } from '../rules.ts';
import { budget, budgetFilter, departmentName, fiscalYear } from '../schemas.ts';

const filters = z.object({
  fiscal_year: fiscalYear.optional(),
  department: departmentName.optional(),
  status: budgetFilter
    .optional()
    .describe('PENDING_APPROVAL waits for a decision; ACTIVE means approved for this year, CLOSED approved for an earlier year'),
});

function matching(sql: SqlTag, { fiscal_year, department, status }: z.output<typeof filters>, year: number) {
  const inState = {
    ACTIVE: sql`status = 'APPROVED' and fiscal_year = ${year}::int`,
    CLOSED: sql`status = 'APPROVED' and fiscal_year < ${year}::int`,
  };
  return sql`
    finance.budget_list where true ${sql.given({ fiscal_year })}
    ${sql.when(department, () => inDepartment(sql, department ?? ''))}
    ${sql.when(status, () => (status === 'ACTIVE' || status === 'CLOSED' ? inState[status] : sql`status = ${status}`))}`;
}

export const listBudgets = finance.list({
  name: 'list_budgets',
  title: 'Budgets',
  description:
    'Yearly budgets compared with what was spent, by default by year and department. metadata.summary has the totals of all matching ' +
    'budgets. Managers see their own department only. An approved budget has the status APPROVED; the filters ACTIVE and CLOSED select ' +
    'approved budgets of this year and of earlier years.',
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
      input: (today, company) => ({ fiscal_year: fiscalYearOf(today, company) }),
    },
    { question: 'Which budgets are waiting for approval?', as: 'bob.martinez', input: { status: 'PENDING_APPROVAL' } },
    { question: 'Show me the budgets of my department', as: 'nina.patel', input: {} },
    {
      question: 'What did all departments spend last year?',
      as: 'eve.thompson',
      input: (today, company) => ({ fiscal_year: fiscalYearOf(today, company) - 1 }),
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
    pace: { field: 'fiscal_year', label: 'Year elapsed' },
  },

  find: (input, { sql, today, company }) => sql`select * from ${matching(sql, input, fiscalYearOf(today, company))}`,
  computeTotals: (input, { sql, today, company }) =>
    sql.one(
      z.object({ allocated: amount, spent: amount, remaining: amount }),
      sql`
        select coalesce(sum(allocated_amount), 0) as allocated, coalesce(sum(spent_amount), 0) as spent,
        coalesce(sum(remaining_amount), 0) as remaining
        from ${matching(sql, input, fiscalYearOf(today, company))}`,
    ),
});
