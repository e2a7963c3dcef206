import { z } from 'zod';
import { desc } from '../../../src/declare/order.ts';
import { presentAs } from '../../../src/declare/tool.ts';
import { journey, staff } from '../domain.ts';
import { failure, shortened, words } from '../schemas.ts';

export const queryFailures = journey.list({
  name: 'query_failures',
  title: 'What went wrong',
  description:
    'Failures of this project about a topic, the best match first: what happened, why, and what was learned. ' +
    'Without a topic, all failures.',
  plural: 'failures',
  roles: staff,
  input: z.object({ topic: words('What it is about, in plain words: "database connections", "SQLite"').optional() }),
  item: failure,
  order: desc('_score', 'record_id'),
  present: presentAs(failure, shortened),
  examples: [
    { question: 'What went wrong with row level security in this project?', as: 'sarah.kim', input: { topic: 'row level security' } },
    { question: 'Which failures did we have with database connections?', as: 'nina.patel', input: { topic: 'database connections' } },
    { question: 'Did anything ever break because of SQLite?', as: 'marcus.johnson', input: { topic: 'SQLite' } },
    { question: 'What failed in this project so far?', as: 'frank.davis', input: {} },
    { question: 'Show me the incidents around approvals', as: 'eve.thompson', input: { topic: 'approvals' } },
    {
      question: 'What went wrong with search?',
      as: 'jane.smith@acme.example',
      input: { topic: 'search' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  find: ({ topic }, { search }) => search.from('records', search.where({ kind: 'failure' }), topic),
});
