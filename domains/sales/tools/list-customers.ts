import { z } from 'zod';
import { line, money } from '../../../src/declare/fields.ts';
import { EVERY, type Filter, type FilterWords, is } from '../../../src/declare/filter.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { sales } from '../domain.ts';
import { called } from '../rules.ts';
import { customer, customerFilter } from '../schemas.ts';

const revenue = money.max(1_000_000_000_000, 'That is more than 1,000,000,000,000 {currency}');
const filters = z
  .object({
    name: line(100).min(1).optional().describe("Any part of the customer's name"),
    industry: line(100).min(1).optional().describe('Any part of the industry, such as health'),
    status: customerFilter.optional().describe('PROSPECT has bought nothing yet, CHURNED is no longer a customer'),
    min_revenue: revenue.optional().describe('Only customers whose own yearly revenue is this much or more, in {currency}'),
    max_revenue: revenue.optional().describe('Only customers whose own yearly revenue is this much or less, in {currency}'),
  })
  .refine(
    ({ min_revenue, max_revenue }) => (min_revenue ?? 0) <= (max_revenue ?? Infinity),
    'max_revenue must not be less than min_revenue',
  );

function matching(words: FilterWords, { name, industry, status, min_revenue, max_revenue }: z.output<typeof filters>): Filter {
  return words.all(
    words.given({ status, industry: is.part(industry), annual_revenue: is.between(min_revenue, max_revenue) }),
    name === undefined ? EVERY : called(words, 'name_search', name),
  );
}

export const listCustomers = sales.list({
  name: 'list_customers',
  title: 'Customers',
  description:
    'Customers and prospects, by default by name, with contact, industry, tier and account owner. metadata.summary has the number of all ' +
    'matching customers. Use it to find the customer_id for a name.',
  plural: 'customers',
  roles: ['sales-read', 'executive'],
  input: filters,
  item: customer,
  order: { name: asc('name', '_id'), highest_revenue: desc('annual_revenue', '_id'), newest: desc('created_at', '_id') },
  totals: z.object({ count: z.int() }),
  examples: [
    { question: 'Which of our customers are in healthcare?', as: 'carol.johnson', input: { industry: 'healthcare' } },
    { question: 'Find the customer Umbrella Health', as: 'carol.johnson', input: { name: 'Umbrella Health' } },
    { question: 'Customers with more than 50 million in revenue', as: 'eve.thompson', input: { min_revenue: 50_000_000 } },
    { question: 'Which customers have left us?', as: 'carol.johnson', input: { status: 'CHURNED' } },
    { question: 'List all prospects in manufacturing', as: 'eve.thompson', input: { status: 'PROSPECT', industry: 'manufacturing' } },
    { question: 'Our 3 customers with the highest revenue', as: 'carol.johnson', input: { sort: 'highest_revenue', limit: 3 } },
    { question: 'List our customers', as: 'nina.patel', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: (input, { documents }) => documents.from('customers', matching(documents, input)),
  computeTotals: async (input, { documents }) => ({ count: await documents.count('customers', matching(documents, input)) }),
});
