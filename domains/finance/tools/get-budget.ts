import { z } from 'zod';
import { formatMoney } from '../../../src/declare/money.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { finance } from '../domain.ts';
import { inDepartment } from '../rules.ts';
import { budget, budgetCategory, budgetNotFound, departmentName, fiscalYear } from '../schemas.ts';

export const getBudget = finance.read({
  name: 'get_budget',
  title: 'Budget of a department',
  description:
    'The budget of one department in one fiscal year: what is allocated, spent and left, in total and by category. Managers see ' +
    'their own department only. Budgets do not include pay.',
  roles: ['manager', 'finance-read', 'executive'],
  input: z.object({ department: departmentName, year: fiscalYear.optional().describe('Fiscal year; by default this year') }),
  inputAliases: { fiscal_year: 'year' },
  output: budget.extend({ by_category: z.array(budgetCategory) }),
  errors: { BUDGET_NOT_FOUND: budgetNotFound },
  examples: [
    { question: 'How much of the Marketing budget is left?', as: 'bob.martinez', input: { department: 'Marketing' } },
    { question: 'What have we spent of our Engineering budget so far?', as: 'nina.patel', input: { department: 'Engineering' } },
    {
      question: 'Show me the Sales budget of last year by category',
      as: 'eve.thompson',
      input: (today, company) => ({ department: 'Sales', year: fiscalYearOf(today, company) - 1 }),
    },
    { question: 'How much money does Support still have?', as: 'dan.williams', input: { department: 'support' } },
    { question: "What is Legal's budget?", as: 'nina.patel', input: { department: 'Legal' }, expects: 'BUDGET_NOT_FOUND' },
    {
      question: 'Show me the Engineering budget',
      as: 'frank.davis',
      input: { department: 'Engineering' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],
  chart: {
    kind: 'parts',
    title: 'Budget against actual',
    rows: 'by_category',
    label: 'category',
    part: { field: 'spent_amount', label: 'Spent' },
    whole: { field: 'allocated_amount', label: 'Allocated' },
    scale: 'each',
    pace: { field: 'fiscal_year', label: 'Year elapsed' },
  },
  summary: ({ department, fiscal_year, allocated_amount, spent_amount, remaining_amount }, company) =>
    `${department} ${fiscal_year}: ${formatMoney(spent_amount, company)} of ${formatMoney(allocated_amount, company)} spent, ${formatMoney(remaining_amount, company)} left`,

  async run({ department, year }, { sql, today, company, fail }) {
    const fiscal_year = year ?? fiscalYearOf(today, company);
    const found =
      (await sql.maybeOne(
        budget,
        sql`select * from finance.budget_list where fiscal_year = ${fiscal_year}::int and ${inDepartment(sql, department)}`,
      )) ?? fail('BUDGET_NOT_FOUND', { department, fiscal_year });
    const by_category = await sql.many(
      budgetCategory,
      sql`select * from finance.budget_categories where budget_id = ${found.budget_id} order by allocated_amount desc, category`,
    );
    return { ...found, by_category };
  },
});
