import { z } from 'zod';
import { companyText, untrusted } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { journey, staff } from '../domain.ts';
import { pivot, shortened } from '../schemas.ts';
import { byTime } from '../format.ts';

const MOST = 100;
const dated = pivot.extend({ day: z.string(), number: z.int().nullable() });

export const listPivots = journey.read({
  name: 'list_pivots',
  title: 'Changes of direction',
  description:
    'Changes of direction of this project, the newest first: what was assumed before, what is done now and why. ' +
    'by_component groups them by component.',
  roles: staff,
  input: z.object({}),
  output: z.object({
    pivots: z.array(pivot),
    by_component: z.record(untrusted, z.array(companyText)).describe('Component → ids of its pivots'),
    total: z.int().describe(`The number of all pivots; at most ${MOST} are shown`),
  }),
  examples: [
    { question: "What are the project's pivots?", as: 'eve.thompson', input: {} },
    { question: 'Where did we change direction?', as: 'nina.patel', input: {} },
    { question: 'List the strategic changes of this project', as: 'frank.davis', input: {} },
    {
      question: 'How often did the team change its mind?',
      as: 'sara.support@globex.example',
      input: {},
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  async run(_input, { search }) {
    const only = search.where({ kind: 'pivot' });
    const rows = await search.many(dated, 'records', only, { order: desc('day', 'record_id'), limit: MOST });
    const pivots = rows.toSorted(byTime).map(shortened);
    const names = [...new Set(pivots.flatMap(({ components }) => components))].toSorted();
    return {
      pivots,
      by_component: Object.fromEntries(
        names.map((name) => [name, pivots.filter(({ components }) => components.includes(name)).map(({ record_id }) => record_id)]),
      ),
      total: rows.length < MOST ? rows.length : await search.count('records', only),
    };
  },
  summary: ({ pivots, total }) => (pivots.length === total ? `${total} pivots` : `${pivots.length} of ${total} pivots`),
});
