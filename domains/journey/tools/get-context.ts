import { z } from 'zod';
import { companyText, untrusted } from '../../../src/declare/fields.ts';
import { EVERY } from '../../../src/declare/filter.ts';
import { desc } from '../../../src/declare/order.ts';
import { figure } from '../../../src/declare/search.ts';
import { journey, staff } from '../domain.ts';
import { kinds } from '../record.ts';
import { record, words } from '../schemas.ts';
import { byTime, counted, topicsOf } from '../format.ts';

const LOOKED_AT = 100;
const SHOWN = 30;

const dated = record.extend({ day: companyText, number: z.int().nullable() });

export const getContext = journey.read({
  name: 'get_context',
  title: 'Where the project stands',
  description:
    'A short history of the project, as a whole or about a topic: the latest records, the newest first, their topics, and a summary.',
  roles: staff,
  input: z.object({ topic: words('The topic, in plain words').optional() }),
  output: z.object({
    timeline: z.array(record).describe(`The newest records, or the best matches; at most ${SHOWN}`),
    related_topics: z.array(untrusted).describe('The topics of these records, the most frequent first'),
    summary: untrusted,
  }),
  examples: [
    { question: "Give me the project's context", as: 'eve.thompson', input: {} },
    { question: 'Where does this project stand, and how did it get here?', as: 'frank.davis', input: {} },
    { question: 'What is the background on approvals in this project?', as: 'marcus.johnson', input: { topic: 'approvals' } },
    { question: 'Bring me up to speed on how we test', as: 'sarah.kim', input: { topic: 'tests' } },
    { question: "What is the project's context?", as: 'mike.manager@globex.example', input: {}, expects: 'INSUFFICIENT_PERMISSIONS' },
  ],

  async run({ topic }, { search }) {
    const about = topic?.trim() ?? '';
    const order = about === '' ? desc('day', 'record_id') : desc('_score', 'day', 'record_id');
    const rows = await search.many(dated, 'records', EVERY, { words: about, order, limit: LOOKED_AT });
    const timeline = rows.slice(0, SHOWN).toSorted(byTime);
    const groups = await search.groups(z.object({ kind: z.enum(kinds), count: z.int() }), 'records', EVERY, {
      by: ['kind'],
      figures: { count: figure.count() },
    });
    const found = about === '' ? groups : kinds.map((kind) => ({ kind, count: rows.filter((row) => row.kind === kind).length }));
    const all = found.reduce((sum, { count }) => sum + count, 0);
    const [latest] = timeline;
    return {
      timeline,
      related_topics: topicsOf(rows, about),
      summary: [
        about === ''
          ? `The project has ${counted(found)}.`
          : all === 0
            ? `Nothing is recorded about “${about}”.`
            : `About “${about}”: ${counted(found)}.`,
        ...(latest === undefined ? [] : [`The latest shown: ${latest.title}${latest.when === null ? '' : ` (${latest.when})`}.`]),
        ...(all > timeline.length
          ? [
              `Shown are ${timeline.length} of ${all}${about !== '' && rows.length === LOOKED_AT ? ' or more' : ''}; ` +
                'search_journey finds the others.',
            ]
          : []),
      ].join(' '),
    };
  },
  summary: ({ summary }) => summary,
});
