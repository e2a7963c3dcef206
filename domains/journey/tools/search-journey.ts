import { z } from 'zod';
import { desc } from '../../../src/declare/order.ts';
import { journey, staff } from '../domain.ts';
import { foundRecord, kind, words } from '../schemas.ts';

export const searchJourney = journey.list({
  name: 'search_journey',
  title: 'Search the project’s history',
  description:
    'Records of the history of this project that match the words, the best match first: decisions, failures, ' +
    'pivots, lessons and recovery ' +
    'notes. Without words, all records. lookup_adr returns the full text of a decision.',
  plural: 'records',
  roles: staff,
  input: z.object({ query: words('Plain words to look for, typos allowed').optional(), kind: kind.optional() }),
  item: foundRecord,
  order: desc('_score', 'record_id'),
  examples: [
    { question: 'Search the project history for PGlite', as: 'marcus.johnson', input: { query: 'PGlite' } },
    { question: 'What does our history say about cursors?', as: 'nina.patel', input: { query: 'cursors' } },
    { question: 'Why do we score search words ourselves?', as: 'sarah.kim', input: { query: 'score search words' } },
    { question: 'Which decisions are there on storage?', as: 'eve.thompson', input: { query: 'storage', kind: 'decision' } },
    { question: 'Search our lessons for performance', as: 'tom.becker', input: { query: 'performance', kind: 'lesson' } },
    {
      question: 'Search the project history for keys',
      as: 'tim.tech@initech.example',
      input: { query: 'keys' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  find: ({ query, kind: only }, { search }) => search.from('records', search.given({ kind: only }), query),
});
