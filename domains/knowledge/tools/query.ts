import { z } from 'zod';
import { line, untrusted } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { knowledge } from '../domain.ts';
import { foundSome } from '../items.ts';
import { asOf, entry, minConfidence, tags, validOn } from '../schemas.ts';
import { RESOURCES } from '../snapshot.ts';
import { found } from '../search.ts';
import { dayOf, holding, validAsOf } from '../as-of.ts';

export const query = knowledge.list({
  name: 'query',
  title: 'Search what we know',
  description:
    'Entries of knowledge that answer a question, the best match first. It also finds mistyped words and entries that a triple ' +
    'connects to a match. Without a question, the newest entries.',
  plural: 'entries',
  resource: RESOURCES.entries,
  lastResort: true,
  roles: ['employee'],
  input: z.object({
    query: line(400).optional().describe('Words or a question'),
    topic: line(120).optional().describe('Part of the topic'),
    tags: tags.optional().describe('Only entries that have all of these'),
    min_confidence: minConfidence,
    as_of: asOf,
    valid_on: validOn,
  }),
  item: entry.extend({
    score: z.number().describe('How well it matches; only the order has a meaning'),
    via: untrusted.nullable().describe('The triple that led to the entry, if its own words did not match'),
  }),
  order: desc('score', 'recorded_at', 'id'),
  examples: [
    { question: 'What do we know about deployment?', as: 'marcus.johnson', input: { query: 'deployment' } },
    { question: 'Find the entry on vpn access', as: 'frank.davis', input: { topic: 'vpn access' } },
    { question: 'how do I set up the printer', as: 'tom.becker', input: { query: 'set up the printer' } },
    {
      question: 'What did we know about onboarding last summer?',
      as: 'alice.chen',
      input: (today) => ({ query: 'onboarding', as_of: `${Number(today.slice(0, 4)) - 1}-07-31` }),
    },
    {
      question: 'Knowledge tagged security that is at least 90 percent sure',
      as: 'dan.williams',
      input: { tags: ['security'], min_confidence: 0.9 },
    },
  ],

  summary: (rows, { topic, query: question }) => foundSome(rows.length, 'entry', { several: 'entries', words: question ?? topic }),
  find({ query: question, topic, tags: wanted, min_confidence, as_of, valid_on }, { sql, today, company }) {
    const on = valid_on ?? (as_of === undefined ? today : dayOf(as_of, company));
    const shown = sql`${validAsOf(sql, as_of)} and ${holding(sql, on)}
      ${sql.when(
        topic,
        () => sql`knowledge.plain(${topic}::text) <> '' and position(knowledge.plain(${topic}::text) in
        knowledge.plain(topic)) > 0`,
      )}
      ${sql.when(wanted, () => sql`tag_list @> ${wanted}::text[]`)}
      ${sql.when(min_confidence, () => sql`confidence >= ${min_confidence}::numeric`)}`;
    if (question === undefined || question.trim() === '') {
      // An exact match of the topic comes first.
      const fits =
        topic === undefined
          ? sql`0::numeric`
          : sql`case when knowledge.plain(topic) = knowledge.plain(${topic}::text) then 1 else 0.8 end::numeric`;
      return sql`select *, ${fits} as score, null::text as via from knowledge.entry_versions where ${shown}`;
    }
    return sql`select v.*, f.score, f.via from (${found(sql, question, { asOf: as_of, on })}) f
      join knowledge.entry_versions v using (entry_no, tx_from) where f.score >= 0.1 and ${shown}`;
  },
});
