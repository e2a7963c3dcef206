/** Groups with their measures on Elasticsearch and OpenSearch. Every number is exact: no aggregation here estimates. */
import { failure } from '../../declare/errors.ts';
import type { Row } from '../../declare/rows.ts';
import type { Group, GroupKey, GroupMeasure } from '../../engine/store.ts';
import { type GroupsAsked, innerEdges, type KeyValue, type MeasureValue } from './groups.ts';
import { type Json, rowsQuery } from './server-query.ts';
import type { Shape } from './shape.ts';

/** Sends one search without hits and returns its body. */
export type Aggregate = (body: Json) => Promise<Row>;

const PAGE = 1_000;
const AT_ONCE = 6;
/** The deadline of all searches together. Each search has its own. */
const ALL_MS = 5_000;

/** The server has no least and greatest word. It can list the first word of an order. */
const firstWord = (field: string, order: 'asc' | 'desc'): Json => ({ terms: { field: `f.${field}`, size: 1, order: { _key: order } } });

function aggregation(shape: Shape, measure: GroupMeasure): Json | undefined {
  if (measure.field === undefined) return undefined;
  const field = { field: `f.${measure.field}` };
  if (measure.of === 'count') return { value_count: field };
  if (measure.of === 'sum') return { stats: field };
  if (shape.plain.get(measure.field)?.is === 'number') return { [measure.of]: field };
  return firstWord(measure.field, measure.of === 'min' ? 'asc' : 'desc');
}

interface Found {
  readonly value?: number | null;
  readonly count?: number;
  readonly sum?: number;
  readonly buckets?: readonly { readonly key: string }[];
}

function valueOf(measure: GroupMeasure, rows: number, found: unknown): MeasureValue {
  if (measure.field === undefined) return rows;
  const { value = null, count = 0, sum = 0, buckets } = found as Found;
  if (measure.of !== 'sum') return buckets === undefined ? value : (buckets[0]?.key ?? null);
  // The server adds fractions with an error far below the last decimal place.
  return count === 0 ? null : Math.round(sum * 10 ** measure.decimals) / 10 ** measure.decimals;
}

const bucketQuery = ({ field }: GroupKey, edges: readonly string[], i: number): Json => ({
  range: { [`f.${field}`]: { ...(i > 0 && { gte: edges[i - 1] }), ...(i < edges.length && { lt: edges[i] }) } },
});

export async function serverGroups(search: Aggregate, asked: GroupsAsked): Promise<Group[]> {
  const { shape, by, measures, most } = asked;
  const until = Date.now() + ALL_MS;
  const aggregate: Aggregate = (body) => {
    if (Date.now() > until) throw failure('TIMEOUT', 'The search server took too long.');
    return search(body);
  };
  const aggs = Object.fromEntries(
    measures.flatMap((measure, i) => {
      const made = aggregation(shape, measure);
      return made === undefined ? [] : [[`m${i}`, made] as const];
    }),
  );
  const valuesIn = (bucket: Row, rows: unknown) => measures.map((measure, i) => valueOf(measure, Number(rows), bucket[`m${i}`]));
  const edged = by.flatMap((key, i) => (key.edges === undefined ? [] : [i]));
  const plain = by.flatMap((key, i) => (key.edges === undefined ? [i] : []));
  const groups: Group[] = [];
  const keep = (keys: ReadonlyMap<number, KeyValue>, values: MeasureValue[]) =>
    void groups.push({ keys: by.map((_, i) => keys.get(i) ?? null), values });
  const isFull = () => by.length > 0 && groups.length > most;

  async function whole(query: Json): Promise<void> {
    const body = await aggregate({ query, track_total_hits: true, aggs });
    const { value } = (body['hits'] as { total: { value: number } }).total;
    keep(new Map(), valuesIn((body['aggregations'] ?? {}) as Row, value));
  }

  /** A composite aggregation returns all groups, page by page. */
  async function byPlain(query: Json, known: ReadonlyMap<number, KeyValue>): Promise<void> {
    const sources = plain.map((i) => ({ [`k${i}`]: { terms: { field: `f.${by[i]?.field}`, missing_bucket: true } } }));
    for (let after: unknown; !isFull(); ) {
      const composite = { size: Math.min(PAGE, most + 1), sources, ...(after !== undefined && { after }) };
      const body = await aggregate({ query, track_total_hits: false, aggs: { groups: { composite, aggs } } });
      const found = (body['aggregations'] as { groups: { after_key?: unknown; buckets: (Row & { key: Row })[] } }).groups;
      for (const bucket of found.buckets) {
        const keys = plain.map((i) => [i, bucket.key[`k${i}`] as KeyValue] as const);
        keep(new Map([...known, ...keys]), valuesIn(bucket, bucket['doc_count']));
      }
      if (found.after_key === undefined || found.buckets.length < composite.size) return;
      after = found.after_key;
    }
  }

  /** A composite aggregation knows no edges, so each range is a query of its own. Ranges without rows are left out first. */
  async function byEdges(query: Json, [i, ...others]: readonly number[], known: ReadonlyMap<number, KeyValue>): Promise<void> {
    const key = i === undefined ? undefined : by[i];
    if (i === undefined || key === undefined) return byPlain(query, known);
    const edges = innerEdges(key);
    const ranges = Array.from({ length: edges.length + 1 }, (_, n) => bucketQuery(key, edges, n));
    const filters = [...ranges, { bool: { must_not: [{ exists: { field: `f.${key.field}` } }] } }];
    const isLast = others.length === 0 && plain.length === 0;
    const body = await aggregate({ query, track_total_hits: false, aggs: { groups: { filters: { filters }, ...(isLast && { aggs }) } } });
    const { buckets } = (body['aggregations'] as { groups: { buckets: (Row & { doc_count: number })[] } }).groups;
    const found = buckets.flatMap((bucket, n) =>
      bucket.doc_count === 0 ? [] : [{ bucket, filter: filters[n], keys: new Map([...known, [i, n < ranges.length ? n : null]]) }],
    );
    for (let at = 0; at < found.length && !isFull(); at += AT_ONCE) {
      await Promise.all(
        found.slice(at, at + AT_ONCE).map(async ({ bucket, filter, keys }) => {
          if (isLast) keep(keys, valuesIn(bucket, bucket.doc_count));
          else await byEdges({ bool: { filter: [query, filter] } }, others, keys);
        }),
      );
    }
  }

  const query = rowsQuery(asked);
  await (by.length === 0 ? whole(query) : byEdges(query, edged, new Map()));
  return groups.slice(0, Math.max(1, most + 1));
}
