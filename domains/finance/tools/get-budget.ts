import { z } from 'zod';
import { companyText } from '../../../src/declare/fields.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { fiscalYearOf, yearOf } from '../../../src/declare/fiscal.ts';
import { finance } from '../domain.ts';
import { budgetsIn, categoriesOf, monthsOfBudget, PAYROLL_BY_QUARTER } from '../budgets.ts';
import { daysOf, fourthQuarter, lastYear, period } from '../periods.ts';
import { inDepartment } from '../rules.ts';
import { budget, budgetCategory, budgetMonth, budgetNotFound, departmentName, fiscalYear } from '../schemas.ts';

export const getBudget = finance.read({
  name: 'get_budget',
  title: 'Budget of a department',
  description:
    'The budget of one department in a fiscal year, a quarter or a month: what is allocated, spent and left, in total, by category ' +
    'and by month. Managers see their own department only, and its payroll by whole quarters that have ended.',
  roles: ['manager', 'finance-read', 'executive'],
  input: z
    .object({
      department: departmentName,
      period: period.optional().describe('2026-11, 2026-Q4, Q4 2026 or 2026; by default this fiscal year'),
      year: fiscalYear.optional().describe('Fiscal year, if no period is given'),
    })
    .refine((given) => given.period === undefined || given.year === undefined, 'Give period or year, not both'),
  inputAliases: { fiscal_year: 'year' },
  output: budget.extend({
    by_category: z.array(budgetCategory),
    by_month: z.array(budgetMonth),
    note: companyText.nullable().describe('What the amounts leave out; null if they are complete'),
  }),
  errors: { BUDGET_NOT_FOUND: budgetNotFound },
  examples: [
    { question: 'How much of the Marketing budget is left?', as: 'bob.martinez', input: { department: 'Marketing' } },
    { question: 'What have we spent of our Engineering budget so far?', as: 'nina.patel', input: { department: 'Engineering' } },
    {
      question: 'Show me the Sales budget of last year by category',
      as: 'eve.thompson',
      input: (today, company) => ({ department: 'Sales', period: lastYear(today, company) }),
    },
    {
      question: 'Q4 budget vs actual of Engineering',
      as: 'bob.martinez',
      input: (today, company) => ({ department: 'Engineering', period: fourthQuarter(today, company) }),
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
    pace: { field: 'period', label: 'Time elapsed' },
  },
  summary: ({ department, period: when, allocated_amount, spent_amount, remaining_amount }, company) =>
    `${department} ${when}: ${formatMoney(spent_amount, company)} of ${formatMoney(allocated_amount, company)} spent, ${formatMoney(remaining_amount, company)} left`,

  async run({ department, year, period: asked }, context) {
    const { sql, company, today, audience, fail } = context;
    const period = daysOf(asked, company) ?? yearOf(year ?? fiscalYearOf(today, company), company);
    const found =
      (await sql.maybeOne(budget, sql`select * from ${budgetsIn(context, period)} where ${inDepartment(sql, department)}`)) ??
      fail('BUDGET_NOT_FOUND', { department, period: period.label });
    const part = { budget_id: found.budget_id, department: found.department, period };
    return {
      ...found,
      by_category: await categoriesOf(context, part),
      by_month: await monthsOfBudget(context, part),
      note: audience === 'team' ? PAYROLL_BY_QUARTER : null,
    };
  },
});
