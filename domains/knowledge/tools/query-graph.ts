import { z } from 'zod';
import { line } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';
import { anywhere } from '../../../src/declare/sql.ts';
import { knowledge } from '../domain.ts';
import { foundSome } from '../items.ts';
import { asOf, minConfidence, predicate, triple, validOn } from '../schemas.ts';
import { RESOURCES } from '../snapshot.ts';
import { dayOf, holding, validAsOf } from '../as-of.ts';

export const queryGraph = knowledge.list({
  name: 'query_graph',
  title: 'How things are related',
  description: 'Triples (subject, predicate, object), found by any of the three: what depends on something, who owns it, what it uses.',
  plural: 'triples',
  resource: RESOURCES.triples,
  roles: ['employee'],
  input: z.object({
    subject: line(200).optional().describe('Name of the subject, or some consecutive words of the name'),
    predicate: predicate.optional().describe('Such as depends_on or owned_by'),
    object: line(200).optional().describe('Name of the object, or some consecutive words of the name'),
    min_confidence: minConfidence,
    as_of: asOf,
    valid_on: validOn,
  }),
  item: triple,
  order: asc('subject', 'predicate', 'object', 'id'),
  examples: [
    { question: 'what depends on payments-db?', as: 'nina.patel', input: { object: 'payments-db', predicate: 'depends_on' } },
    {
      question: 'What does the billing-service depend on?',
      as: 'tom.becker',
      input: { subject: 'billing-service', predicate: 'depends_on' },
    },
    { question: 'Who owns the search-service?', as: 'frank.davis', input: { subject: 'search-service', predicate: 'owned_by' } },
    { question: 'Show everything related to the billing-service', as: 'marcus.johnson', input: { subject: 'billing-service' } },
  ],

  summary: (rows) => foundSome(rows.length, 'triple', { several: 'triples' }),
  find({ subject, predicate: by, object, min_confidence, as_of, valid_on }, { sql, today, company }) {
    const named = (column: 'subject_name' | 'object_name', name: string | undefined) =>
      sql.when(
        name,
        () =>
          sql`knowledge.plain(${name}::text) <> '' and position(' ' ||
            knowledge.plain(${name}::text) || ' ' in ' ' || ${sql.ref(column)} || ' ') > 0`,
      );
    return sql`select * from knowledge.triple_versions where
      ${validAsOf(sql, as_of)} and ${holding(sql, valid_on ?? (as_of === undefined ? today : dayOf(as_of, company)))}
      ${named('subject_name', subject)} ${named('object_name', object)}
      ${sql.when(
        by,
        () => sql`predicate like
        ${anywhere(by ?? '')}`,
      )} ${sql.when(min_confidence, () => sql`confidence >= ${min_confidence}::numeric`)}`;
  },
});
