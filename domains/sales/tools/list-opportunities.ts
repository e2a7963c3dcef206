import { z } from 'zod';
import { total } from '../../../src/declare/documents.ts';
import { amount, day, line } from '../../../src/declare/fields.ts';
import { EVERY, type Filter, type FilterWords, is } from '../../../src/declare/filter.ts';
import { asc, desc } from '../../../src/declare/order.ts';
import { sales } from '../domain.ts';
import { monthFrom, monthTo } from '../periods.ts';
import { called, isOpen, ownedBy } from '../rules.ts';
import { closedStages, opportunity, ownerName, stageFilter, sum } from '../schemas.ts';

const filters = z
  .object({
    stage: stageFilter.optional().describe('OPEN means any open stage, CLOSED means won or lost; by default deals of every stage'),
    name: line(100).min(1).optional().describe("Any part of the deal's or the customer's name"),
    owner: ownerName.optional(),
    min_value: sum.optional().describe('Only deals of this value or more, in {currency}'),
    max_value: sum.optional().describe('Only deals of this value or less, in {currency}'),
    closing_from: day.optional().describe('Only deals that close, or were closed, on this day or later'),
    closing_to: day.optional().describe('Only deals that close, or were closed, on this day or earlier'),
  })
  .refine(({ min_value, max_value }) => (min_value ?? 0) <= (max_value ?? Infinity), 'max_value must not be less than min_value')
  .refine(
    ({ closing_from, closing_to }) => !closing_from || !closing_to || closing_from <= closing_to,
    'closing_to must not be before closing_from',
  );

const stageIs = (stage: z.output<typeof stageFilter>) => (stage === 'OPEN' ? isOpen : stage === 'CLOSED' ? is.oneOf(closedStages) : stage);

function matching(words: FilterWords, input: z.output<typeof filters>): Filter {
  const { stage, name, owner, min_value, max_value, closing_from, closing_to } = input;
  return words.all(
    words.given({
      stage: stage && stageIs(stage),
      value: is.between(min_value, max_value),
      close_date: is.between(closing_from, closing_to),
    }),
    name === undefined ? EVERY : called(words, 'search', name),
    owner === undefined ? EVERY : ownedBy(words, owner),
  );
}
const totals = z.object({ count: z.int(), value: amount, weighted_value: amount });

export const listOpportunities = sales.list({
  name: 'list_opportunities',
  title: 'Deals',
  description:
    'Deals (opportunities) with customer, value, stage, owner and closing day, by default the most valuable first. ' +
    'metadata.summary has the number and the total value of all matching deals.',
  plural: 'deals',
  roles: ['sales-read', 'executive'],
  aliases: ['list_deals'],
  input: filters,
  item: opportunity,
  order: { value: desc('value', '_id'), close_date: asc('close_date', '_id'), newest: desc('created_at', '_id') },
  totals: totals,
  examples: [
    {
      question: 'Show me top 5 deals closing this month',
      as: 'carol.johnson',
      input: (today) => ({ stage: 'OPEN', closing_from: monthFrom(today), closing_to: monthTo(today), sort: 'value', limit: 5 }),
    },
    { question: 'Deals in negotiation above 100k', as: 'carol.johnson', input: { stage: 'NEGOTIATION', min_value: 100_000 } },
    { question: "Which open deals does Liam O'Brien have?", as: 'eve.thompson', input: { owner: "Liam O'Brien", stage: 'OPEN' } },
    { question: 'What are we selling to Globex at the moment?', as: 'carol.johnson', input: { name: 'Globex', stage: 'OPEN' } },
    {
      question: 'Which deals did we win this year, the newest first?',
      as: 'eve.thompson',
      input: (today) => ({ stage: 'CLOSED_WON', closing_from: `${today.slice(0, 4)}-01-01`, closing_to: today, sort: 'newest' }),
    },
    { question: 'Show me our biggest deals', as: 'marcus.johnson', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: (input, { documents }) => documents.from('opportunities', matching(documents, input)),
  async computeTotals(input, { documents }) {
    const [all] = await documents.groups(totals, 'opportunities', matching(documents, input), {
      totals: { count: total.count, value: total.sum('value'), weighted_value: total.sum('weighted_value') },
    });
    return all ?? { count: 0, value: 0, weighted_value: 0 };
  },
});
