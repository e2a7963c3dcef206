/** Creates the indices of a domain in Elasticsearch or OpenSearch: one per collection, one for effects, one for audit chains. */
import { failure } from '../../declare/errors.ts';
import type { Row } from '../../declare/rows.ts';
import type { Hit } from './handles.ts';
import type { SearchClient } from './server-client.ts';
import type { Json } from './server-query.ts';
import { printOf, type SearchDomain, type Shape, type Stored } from './shape.ts';

/** The result of an effect, stored in the document that the effect wrote. A repeated execution finds it there. */
export interface EffectEntry {
  readonly id: string;
  readonly at: string;
  readonly result: string;
}
export interface ServerHit extends Hit {
  readonly seqNo: number;
  readonly primaryTerm: number;
  readonly effects: readonly EffectEntry[];
}

export interface Indices {
  of(shape: Shape): string;
  readonly effects: string;
  readonly audit: string;
}

export function indicesOf(prefix: string, domain: SearchDomain): Indices {
  if (!/^[a-z][a-z0-9]{0,30}$/.test(prefix)) throw new Error('not a prefix');
  // Collection names contain no dot, so no collection can have these two names.
  const base = `${prefix}-${domain.name}`;
  return { of: (shape) => `${base}-${shape.name}`, effects: `${base}.effects`, audit: `${base}.audit` };
}

const KEYWORD = { type: 'keyword', ignore_above: 8_000 };
const KEPT = { type: 'keyword', index: false, doc_values: false };
const TYPES = {
  word: KEYWORD,
  // Filters and orders use the ISO text, which sorts by time. Aggregations use the date.
  time: { ...KEYWORD, fields: { at: { type: 'date' } } },
  number: { type: 'double' },
  flag: { type: 'boolean' },
};

/** Turns the name `comments.author` into an object `comments` with a field `author`. */
function nested(entries: Iterable<readonly [string, Json]>): Json {
  const properties: Record<string, { properties?: Record<string, unknown> }> = {};
  for (const [name, type] of entries) {
    let at = properties as Record<string, unknown>;
    const parts = name.split('.');
    for (const part of parts.slice(0, -1)) {
      const object = (at[part] ??= { properties: {} }) as { properties: Record<string, unknown> };
      at = object.properties;
    }
    at[parts.at(-1) ?? ''] = type;
  }
  return { dynamic: 'strict', properties };
}

function mappingOf(shape: Shape, analyzer: string): Json {
  const plain = [...shape.plain.values()];
  return {
    dynamic: 'strict',
    _meta: { print: printOf(shape) },
    properties: {
      version: { type: 'long' },
      row: { type: 'object', enabled: false },
      effects: { type: 'object', enabled: false },
      f: nested(plain.map(({ name, is }) => [name, TYPES[is]])),
      l: nested(plain.filter(({ is }) => is === 'word').map(({ name }) => [name, KEYWORD])),
      w: nested(shape.texts.map(({ name }) => [name, { type: 'text', analyzer, norms: false }])),
    },
  };
}

const EFFECTS: Json = {
  dynamic: 'strict',
  properties: {
    state: { type: 'keyword' },
    chain: { type: 'keyword' },
    at: { type: 'keyword' },
    principal: { type: 'keyword' },
    collection: { type: 'keyword' },
    target: { type: 'keyword' },
    audit: KEPT,
    result: KEPT,
  },
};
const AUDIT: Json = {
  dynamic: 'strict',
  properties: {
    chain: { type: 'keyword' },
    n: { type: 'long' },
    at: { type: 'keyword' },
    principal: { type: 'keyword' },
    keys: { type: 'keyword' },
    body: KEPT,
    mac: KEPT,
  },
};
const SETTINGS: Json = { number_of_shards: 1, auto_expand_replicas: '0-1' };

export const documentOf = ({ row, f, l, w }: Stored, version: number, effects: readonly unknown[]): Json => ({
  version,
  row,
  effects,
  f,
  l,
  w,
});

export async function prepareIndices(client: SearchClient, indices: Indices, shapes: Iterable<Shape>): Promise<void> {
  // Texts are stems with spaces between them. The standard analyzer, which every distribution has, splits them in the same way.
  const { status } = await client.call('POST', '/_analyze', { analyzer: 'whitespace', text: 'one two' }, [400, 404]);
  const analyzer = status === 200 ? 'whitespace' : 'standard';
  await create(client, indices.effects, EFFECTS);
  // An index of an older version has no keys yet.
  if (!(await create(client, indices.audit, AUDIT))) await client.call('PUT', `/${indices.audit}/_mapping`, AUDIT);
  for (const shape of shapes) {
    const index = indices.of(shape);
    const mapping = mappingOf(shape, analyzer);
    if (await create(client, index, mapping)) continue;
    const { body } = await client.call('GET', `/${index}/_mapping`);
    const found = Object.values(body)[0] as { mappings?: { _meta?: { print?: string } } } | undefined;
    if (found?.mappings?._meta?.print === printOf(shape)) continue;
    const { _meta, ...fields } = mapping;
    await client.call('PUT', `/${index}/_mapping`, fields);
    await again(client, index, shape);
    // The fingerprint is written last: if the process stops earlier, the next start indexes again.
    await client.call('PUT', `/${index}/_mapping`, { _meta });
  }
}

async function create(client: SearchClient, index: string, mappings: Json): Promise<boolean> {
  const { status, body } = await client.call('PUT', `/${index}`, { settings: SETTINGS, mappings }, [400]);
  if (status === 200) return true;
  const { type } = (body['error'] ?? {}) as { type?: string };
  if (type !== 'resource_already_exists_exception') throw new Error(`the index ${index} could not be created`);
  return false;
}

interface Kept {
  readonly _id: string;
  readonly _seq_no: number;
  readonly _primary_term: number;
  readonly _source: { row: Row; version: number; effects?: unknown[] };
  readonly sort: unknown[];
}
/** Indexes every row again. A row that changed meanwhile (status 409) is already indexed. */
async function again(client: SearchClient, index: string, shape: Shape): Promise<void> {
  await client.call('POST', `/${index}/_refresh`);
  for (let after: unknown[] | undefined; ; ) {
    const { body } = await client.call('POST', `/${index}/_search`, {
      size: 500,
      sort: [{ [`f.${shape.key}`]: 'asc' }],
      seq_no_primary_term: true,
      track_total_hits: false,
      ...(after && { search_after: after }),
    });
    const rows = (body['hits'] as { hits: Kept[] }).hits;
    if (rows.length === 0) break;
    const done = await client.bulk(
      `/${index}/_bulk`,
      rows.flatMap(({ _id, _seq_no, _primary_term, _source: { row, version, effects } }) => [
        { index: { _id, if_seq_no: _seq_no, if_primary_term: _primary_term } },
        documentOf(shape.stored(row), version, effects ?? []),
      ]),
    );
    const refused = (done.body['items'] as { index: { status: number } }[]).some(({ index: { status } }) => status > 299 && status !== 409);
    // Queries by a new field cannot find the refused rows, so the next start must index again.
    if (refused) throw failure('SERVICE_UNAVAILABLE', 'The search server did not accept all rows.');
    after = rows.at(-1)?.sort;
  }
  await client.call('POST', `/${index}/_refresh`);
}
