import { z } from 'zod';
import { prose } from '../../../src/declare/fields.ts';
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { formatMoney } from '../../../src/declare/money.ts';
import { budgetById } from '../budgets.ts';
import { finance } from '../domain.ts';
import { insertedLines, lineChanges, linesFrom, newLines, totalOf } from '../lines.ts';
import { departmentNamed, describe, personOf } from '../rules.ts';
import { budget, budgetNotFound, departmentName, departmentNotFound, fiscalYear, monthOutsideYear } from '../schemas.ts';

export const createBudget = finance.write({
  name: 'create_budget',
  title: 'Draft a budget',
  description:
    'Draft the budget of a department for a fiscal year, with lines by category, for the whole year or by month. It is a DRAFT until ' +
    'submit_budget hands it in. Managers draft the budget of their own department.',
  roles: ['manager', 'finance-write', 'executive'],
  effect: 'adds',
  input: z.object({
    department: departmentName.describe('Department, such as Engineering; case does not matter'),
    fiscal_year: fiscalYear,
    lines: newLines.describe('Amounts by category, and by month if they differ'),
    comments: prose(1000).optional().describe('For the approver'),
  }),
  inputAliases: { year: 'fiscal_year' },
  output: budget,
  errors: {
    BUDGET_NOT_FOUND: budgetNotFound,
    DEPARTMENT_NOT_FOUND: departmentNotFound,
    BUDGET_EXISTS: {
      message: 'The department already has a budget for this year.',
      hint: 'A department has one budget a year. Change a draft or rejected one with update_budget; details has its budget_id.',
    },
    MONTH_OUTSIDE_YEAR: monthOutsideYear,
  },
  examples: [
    {
      question: 'Draft an Engineering budget for the year after next: 1.5 million for software and 200,000 for travel',
      as: 'nina.patel',
      input: (today, company) => ({
        department: 'Engineering',
        fiscal_year: fiscalYearOf(today, company) + 2,
        lines: [
          { category: 'SOFTWARE', amount: 1_500_000 },
          { category: 'TRAVEL', amount: 200_000 },
        ],
      }),
    },
    {
      question: 'Create a Legal budget for the year after next with 300,000 for services',
      as: 'bob.martinez',
      input: (today, company) => ({
        department: 'legal',
        fiscal_year: fiscalYearOf(today, company) + 2,
        lines: [{ category: 'SERVICES', amount: 300_000 }],
      }),
    },
    {
      question: 'Draft a Sales budget for this year with 50,000 for training',
      as: 'carol.johnson',
      input: (today, company) => ({
        department: 'Sales',
        fiscal_year: fiscalYearOf(today, company),
        lines: [{ category: 'TRAINING', amount: 50_000 }],
      }),
      expects: 'BUDGET_EXISTS',
    },
    {
      question: 'Make a budget of 5,000 for my own travel',
      as: 'marcus.johnson',
      input: (today, company) => ({
        department: 'Engineering',
        fiscal_year: fiscalYearOf(today, company) + 1,
        lines: [{ category: 'TRAVEL', amount: 5000 }],
      }),
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async prepare({ department: named, fiscal_year, lines: given, comments }, { sql, me, audience, fail, company }) {
    // A manager reads only the own row of finance.people, so no other department can be found.
    const department = (await departmentNamed(sql, named)) ?? fail('DEPARTMENT_NOT_FOUND', { department: named });
    if (audience === 'team' && (await personOf(sql, me.employeeId))?.department !== department)
      throw fail('DEPARTMENT_NOT_FOUND', { department: named });
    const existing = await sql.maybeOne(
      budget.pick({ budget_id: true }),
      sql`select budget_id from finance.budget_list where department = ${department} and fiscal_year = ${fiscal_year}::int`,
    );
    if (existing) throw fail('BUDGET_EXISTS', existing);
    const { lines, outside } = linesFrom(given, fiscal_year, company);
    if (outside !== undefined) throw fail('MONTH_OUTSIDE_YEAR', { month: outside, fiscal_year });
    const total = totalOf(lines);
    return {
      summary: `Draft ${describe.budget({ department, fiscal_year })} with ${formatMoney(total, company)}`,
      subject: { label: `${department}, ${fiscal_year}`, id: me.employeeId },
      changes: [
        { field: 'allocated_amount', from: null, to: total, format: 'money' },
        ...lineChanges([], lines, { year: fiscal_year, company }),
      ],
      reason: comments,
      by: me.employeeId,
      department,
      lines,
    };
  },

  async execute({ fiscal_year, comments }, context) {
    const { sql, me, plan, output, fail } = context;
    const { budget_id } = await sql.change(
      output.pick({ budget_id: true }),
      sql`
        insert into finance.budgets (department, fiscal_year, created_by, created_by_name, comments)
        values (${plan.department}, ${fiscal_year}::int, ${plan.by}::uuid, ${me.name}, ${comments}) returning budget_id`,
    );
    await sql.changeMany(output.pick({ budget_id: true }), insertedLines(sql, budget_id, plan.lines));
    return (await budgetById(context, budget_id)) ?? fail('BUDGET_NOT_FOUND', { budget_id });
  },
});
