/** Translates filters and search words to queries of Elasticsearch and OpenSearch. Words are terms, never query text. */
import { type FieldFilter, Filter, type Test } from '../../declare/filter.ts';
import type { Order } from '../../declare/order.ts';
import type { Figure } from '../../declare/search.ts';
import type { Asked } from './handles.ts';
import type { RowsQuery, Shape } from './shape.ts';
import { EXACT, NEAR, PAIR, type Seeking, type Sought } from './words.ts';

export type Json = Readonly<Record<string, unknown>>;
const NOTHING: Json = { match_none: {} };
const EVERYTHING: Json = { match_all: {} };
const not = (query: Json): Json => ({ bool: { must_not: [query] } });
const any = (queries: readonly Json[]): Json => (queries.length === 0 ? NOTHING : { bool: { should: queries, minimum_should_match: 1 } });

export function filterQuery(filter: Filter): Json {
  const parts = filter.parts.map((part) => (part instanceof Filter ? filterQuery(part) : fieldQuery(part)));
  if (filter.how === 'any') return any(parts);
  return parts.length === 0 ? EVERYTHING : { bool: { filter: parts } };
}

const RANGES = { above: 'gt', atLeast: 'gte', below: 'lt', atMost: 'lte' } as const;

const fieldQuery = ({ field, tests }: FieldFilter): Json => ({ bool: { filter: tests.map((test) => testQuery(field, test)) } });

function testQuery(field: string, test: Test): Json {
  const [value, lowered] = [`f.${field}`, `l.${field}`];
  const there: Json = { exists: { field: value } };
  switch (test.op) {
    case 'is':
      return test.value === null ? not(there) : { term: { [value]: { value: test.value } } };
    case 'not':
      return test.value === null ? there : not({ term: { [value]: { value: test.value } } });
    case 'there':
      return there;
    case 'text':
      return { term: { [lowered]: { value: test.value } } };
    case 'prefix':
      return test.value === '' ? there : { prefix: { [lowered]: { value: test.value } } };
    case 'part':
      return { wildcard: { [lowered]: { value: `*${test.value.replace(/[\\*?]/g, '\\$&')}*` } } };
    case 'oneOf': {
      const values = test.value.filter((each) => each !== null);
      return any([
        ...(values.length > 0 ? [{ terms: { [value]: values } }] : []),
        ...(values.length < test.value.length ? [not(there)] : []),
      ]);
    }
    case 'above':
    case 'atLeast':
    case 'below':
    case 'atMost':
      return { range: { [value]: { [RANGES[test.op]]: test.value } } };
  }
}

const points = (filter: Json, boost: number): Json => ({ constant_score: { filter, boost } });

function near(field: string, { stem, typos, begins }: Sought): Json {
  const ways: Json[] = [{ term: { [field]: { value: stem } } }];
  // `constant_score` gives every similar word the same points. Otherwise hidden rows would influence the result.
  if (typos > 0)
    ways.push({ fuzzy: { [field]: { value: stem, fuzziness: typos, prefix_length: 1, transpositions: true, rewrite: 'constant_score' } } });
  if (begins) ways.push({ prefix: { [field]: { value: stem } } });
  return any(ways);
}

/** Computes the same scores as the other search stores. */
function wordsQuery({ words, pairs, needed }: Seeking, texts: Asked['texts'], filter: Json): Json {
  const groups = words.map((word) =>
    any(
      texts.flatMap(({ name, weight }) => [
        points(near(`w.${name}`, word), NEAR * weight * word.weight),
        points({ term: { [`w.${name}`]: { value: word.stem } } }, EXACT * weight * word.weight),
      ]),
    ),
  );
  const together = texts.flatMap(({ name, weight }) =>
    pairs.map((pair) => points({ match_phrase: { [`w.${name}`]: { query: pair.join(' ') } } }, PAIR * weight)),
  );
  return { bool: { filter: [filter], must: [{ bool: { should: groups, minimum_should_match: needed } }], should: together } };
}

/** The query for the rows. Scope and filter do not change the score. */
export const rowsQuery = ({ filter, seek, texts }: RowsQuery): Json =>
  seek ? wordsQuery(seek, texts, filterQuery(filter)) : { bool: { filter: [filterQuery(filter)] } };

/** A row without a value counts as the lowest. */
const sortBy = ({ direction, nullable }: Order<string>, key: string): Json => ({
  order: direction,
  ...(nullable.includes(key) && { missing: direction === 'asc' ? '_first' : '_last' }),
});

export function searchBody(asked: Asked, source: readonly string[]): Json {
  const { seek, order, after, take } = asked;
  const keys = order.keys.map((key, i) => ({ key, value: after?.[i] })).filter(({ key }) => seek !== undefined || key !== '_score');
  return {
    size: take,
    query: rowsQuery(asked),
    sort: keys.map(({ key }) => (key === '_score' ? { _score: { order: order.direction } } : { [`f.${key}`]: sortBy(order, key) })),
    ...(after && { search_after: keys.map(({ value }) => value) }),
    track_scores: seek !== undefined,
    track_total_hits: false,
    seq_no_primary_term: true,
    _source: source,
  };
}

const METRICS = { sum: 'sum', average: 'avg', least: 'min', most: 'max' } as const;

/** A figure can have its own condition, so each one gets its own filter. */
export const figureAggregation = (shape: Shape, figure: Figure): Json => ({
  filter: figure.where === undefined ? EVERYTHING : filterQuery(figure.where),
  ...(figure.of !== 'count' && {
    aggs: {
      value: {
        [METRICS[figure.of]]: { field: shape.plain.get(figure.field)?.is === 'time' ? `f.${figure.field}.at` : `f.${figure.field}` },
      },
    },
  }),
});

interface Bucket {
  readonly doc_count: number;
  readonly value?: { readonly value: number | null };
}
export function figureOf(shape: Shape, figure: Figure, bucket: unknown): unknown {
  const { doc_count: count, value } = bucket as Bucket;
  if (figure.of === 'count') return count;
  const found = value?.value ?? null;
  if (figure.of === 'sum') return Math.round((found ?? 0) * 1e6) / 1e6;
  if (found === null || count === 0) return null;
  return shape.plain.get(figure.field)?.is === 'time' ? new Date(found).toISOString() : Math.round(found * 1e6) / 1e6;
}
