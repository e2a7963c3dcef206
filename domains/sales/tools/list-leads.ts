import { z } from 'zod';
import { line } from '../../../src/declare/fields.ts';
import { EVERY, type Filter, type FilterWords, is } from '../../../src/declare/filter.ts';
import { desc } from '../../../src/declare/order.ts';
import { sales } from '../domain.ts';
import { called, ownedBy } from '../rules.ts';
import { lead, leadFilter, ownerName, sourceFilter } from '../schemas.ts';

const filters = z.object({
  status: leadFilter.optional().describe('State of the contact with the lead'),
  source: sourceFilter.optional().describe('Where the lead came from; WEB is our own site'),
  min_score: z.int().min(0).max(100).optional().describe('Only leads with this score or more'),
  owner: ownerName.optional(),
  name: line(100).min(1).optional().describe("Any part of the person's or the company's name"),
});

function matching(words: FilterWords, { status, source, min_score, owner, name }: z.output<typeof filters>): Filter {
  return words.all(
    words.given({ status, source, score: is.atLeast(min_score) }),
    owner === undefined ? EVERY : ownedBy(words, owner),
    name === undefined ? EVERY : called(words, 'search', name),
  );
}

export const listLeads = sales.list({
  name: 'list_leads',
  title: 'Leads',
  description:
    'People who may become customers, by default the most promising first. metadata.summary has the number of all matching leads.',
  plural: 'leads',
  roles: ['sales-read', 'executive'],
  input: filters,
  item: lead,
  order: { score: desc('score', '_id'), newest: desc('created_at', '_id') },
  totals: z.object({ count: z.int() }),
  examples: [
    { question: 'Hot leads with a score above 80', as: 'carol.johnson', input: { min_score: 80 } },
    { question: 'Which new leads came from the web?', as: 'carol.johnson', input: { status: 'NEW', source: 'WEB' } },
    { question: "Show me Liam O'Brien's qualified leads", as: 'eve.thompson', input: { owner: "Liam O'Brien", status: 'QUALIFIED' } },
    { question: 'How many referrals do we have?', as: 'carol.johnson', input: { source: 'REFERRAL' } },
    { question: 'List all leads', as: 'dan.williams', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  find: (input, { documents }) => documents.from('leads', matching(documents, input)),
  computeTotals: async (input, { documents }) => ({ count: await documents.count('leads', matching(documents, input)) }),
});
