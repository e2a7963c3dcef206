import { z } from 'zod';
import { desc } from '../../../src/declare/order.ts';
import { journey, staff } from '../domain.ts';
import { foundRecord, kind, words } from '../schemas.ts';

export const searchJourney = journey.list({
  name: 'search_journey',
  title: 'Search the project’s history',
  description:
    'Records of this project’s own history that fit the words, the best first: decisions, failures, pivots, lessons and recovery notes. Without words, all of them. lookup_adr gives a decision whole.',
  plural: 'records',
  roles: staff,
  input: z.object({ query: words('Plain words to look for, typos allowed').optional(), kind: kind.optional() }),
  item: foundRecord,
  order: desc('_score', 'record_id'),
  examples: [
    {
      question: 'Search the project history for PGlite',
      phrases: [
        'Find PGlite in the project records',
        'What did the project write about PGlite?',
        'Look through the journey for PGlite',
        'Where does PGlite come up in the journey?',
        'Records that mention PGlite',
        'Does the project history mention PGlite?',
      ],
      as: 'marcus.johnson',
      input: { query: 'PGlite' },
    },
    { question: 'What does our history say about cursors?', as: 'nina.patel', input: { query: 'cursors' } },
    {
      question: 'Why do we score search words ourselves?',
      phrases: [
        'Why did we choose to score search words ourselves?',
        'What made us score search words ourselves?',
        'Why was it decided to score search words ourselves?',
        "What's the reason that we score search words ourselves?",
        'How come we score search words ourselves?',
        'What is the rationale to score search words ourselves?',
      ],
      as: 'sarah.kim',
      input: { query: 'score search words' },
    },
    {
      question: 'Which decisions are there on storage?',
      phrases: [
        'What did we decide about storage?',
        'Decisions about storage',
        'What decisions were taken on storage?',
        'Architecture decisions concerning storage',
        'Was anything decided on storage?',
      ],
      as: 'eve.thompson',
      input: { query: 'storage', kind: 'decision' },
    },
    {
      question: 'Search our lessons for performance',
      phrases: [
        'What lessons did we learn about performance?',
        'Lessons on performance',
        'What have we learned about performance?',
        'Takeaways on performance',
        'Any lessons regarding performance?',
        'What did performance teach us?',
      ],
      as: 'tom.becker',
      input: { query: 'performance', kind: 'lesson' },
    },
    {
      question: 'Search the project history for keys',
      as: 'tim.tech@initech.example',
      input: { query: 'keys' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  find: ({ query, kind: only }, { search }) => search.from('records', search.given({ kind: only }), query),
});
