import { z } from 'zod';
import { amount } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { entriesIn, type Reader } from '../budgets.ts';
import { finance } from '../domain.ts';
import { daysOf, lastQuarter, period, thisYear } from '../periods.ts';
import { inDepartment } from '../rules.ts';
import { departmentName, ledgerEntry, sourceFilter, spendingFilter } from '../schemas.ts';

const filters = z.object({
  period: period.optional().describe('Only entries of this period: 2026-11, 2026-Q4, Q4 2026 or 2026'),
  department: departmentName.optional(),
  category: spendingFilter.optional().describe('Only entries of this budget category'),
  source: sourceFilter.optional().describe('Only paid invoices, reimbursed expense reports or pay runs'),
});

function matching(context: Reader, { period: asked, department, category, source }: z.output<typeof filters>) {
  const { sql, company } = context;
  return sql`
    ${entriesIn(context, daysOf(asked, company))} entries where true ${sql.given({ category, source })}
    ${sql.when(department, () => inDepartment(sql, department ?? ''))}`;
}

export const listSpending = finance.list({
  name: 'list_spending',
  title: 'Ledger of spending',
  description:
    'What was spent, entry by entry, by default the latest first: day, department, budget category, amount and source, which is a paid ' +
    'invoice, a reimbursed expense report or a pay run. metadata.summary has the number and the total of all matching entries. Managers ' +
    'see their own department only, and its payroll as one entry for each quarter that has ended.',
  plural: 'entries',
  roles: ['manager', 'finance-read', 'executive'],
  input: filters,
  item: ledgerEntry,
  order: { date: desc('entry_date', 'entry_id'), largest: desc('amount', 'entry_id') },
  totals: z.object({ count: z.int(), amount }),
  examples: [
    { question: 'Show me the ledger of spending', as: 'bob.martinez', input: {} },
    {
      question: 'Which entries make up the Marketing spending this year?',
      as: 'eve.thompson',
      input: (today, company) => ({ department: 'Marketing', period: thisYear(today, company) }),
    },
    {
      question: "List Engineering's ledger entries of last quarter",
      as: 'nina.patel',
      input: (today, company) => ({ department: 'Engineering', period: lastQuarter(today, company) }),
    },
    { question: 'Show the ledger entries for travel', as: 'bob.martinez', input: { category: 'TRAVEL' } },
    { question: 'Which ledger entries come from expense reports?', as: 'bob.martinez', input: { source: 'EXPENSE_REPORT' } },
    { question: 'Show me the ledger', as: 'marcus.johnson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: (input, context) => context.sql`select * from ${matching(context, input)}`,
  computeTotals: (input, context) =>
    context.sql.one(
      z.object({ count: z.int(), amount }),
      context.sql`select count(*) as count, coalesce(sum(amount), 0) as amount from ${matching(context, input)}`,
    ),
});
