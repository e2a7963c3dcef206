/** Reads and extends the audit chains in indices of Elasticsearch or OpenSearch. */
import { bodyOf, type ChainWriter, type Filed, findRecords, type Head, markMisfiled, withoutNote } from '../../engine/audit/chain.ts';
import { indexedIn, indexedKeys } from '../../engine/audit/keys.ts';
import { failure } from '../../declare/errors.ts';
import type { AuditChains, AuditRecord, ChainedRecord } from '../../engine/ports.ts';
import type { SearchClient } from './server-client.ts';
import type { Json } from './server-query.ts';

const BATCH = 500;
const ATTEMPTS = 12;
const idOf = (chain: string, n: number) => encodeURIComponent(`${chain}:${n}`);

interface Found {
  readonly _source: ChainedRecord & { readonly at: string; readonly principal: string; readonly keys?: readonly string[] };
}
const recordOf = ({ _source: { chain, n, body, mac } }: Found): ChainedRecord => ({ chain, n, body, mac });
const filedOf = (one: Found): Filed => ({
  record: recordOf(one),
  at: one._source.at,
  principal: one._source.principal,
  keys: one._source.keys ?? null,
});

/** Records of older versions have no keys; findRecords reads their bodies. */
const withKey = (key: string): Json => ({
  bool: { should: [{ term: { keys: key } }, { bool: { must_not: [{ exists: { field: 'keys' } }] } }], minimum_should_match: 1 },
});

export function createServerChains(client: SearchClient, index: string): AuditChains & { last(chain: string): Promise<Head | undefined> } {
  const search = async (body: Json): Promise<Filed[]> => {
    // A search finds new records only after a refresh.
    await client.call('POST', `/${index}/_refresh`);
    const reply = await client.call('POST', `/${index}/_search`, {
      track_total_hits: false,
      _source: ['chain', 'n', 'body', 'mac', 'at', 'principal', 'keys'],
      ...body,
    });
    return (reply.body['hits'] as { hits: Found[] }).hits.map(filedOf);
  };
  const after = (chain: string, n: number) => ({ bool: { filter: [{ term: { chain } }, { range: { n: { gt: n } } }] } });
  return {
    async chains() {
      await client.call('POST', `/${index}/_refresh`);
      const { body } = await client.call('POST', `/${index}/_search`, {
        size: 0,
        aggs: { chains: { terms: { field: 'chain', size: 10_000, order: { _key: 'asc' } } } },
      });
      const { chains } = body['aggregations'] as { chains: { buckets: { key: string; doc_count: number }[] } };
      return chains.buckets.map(({ key, doc_count }) => ({ chain: key, count: doc_count }));
    },
    async *records(chain) {
      for (let n = Number.MIN_SAFE_INTEGER; ; ) {
        const rows = await search({ size: BATCH, query: after(chain, n), sort: [{ n: 'asc' }] });
        yield* rows.map(markMisfiled);
        if (rows.length < BATCH) return;
        n = rows.at(-1)?.record.n ?? n;
      }
    },
    async record(chain, n) {
      const { status, body } = await client.call('GET', `/${index}/_doc/${idOf(chain, n)}`, undefined, [404]);
      return status === 200 ? recordOf(body as unknown as Found) : undefined;
    },
    newest: (query) =>
      findRecords(query, ({ principal, keys, from, to, limit, before }) =>
        search({
          size: limit,
          query: {
            bool: {
              filter: [
                ...(principal === undefined ? [] : [{ term: { principal } }]),
                ...(from === undefined && to === undefined ? [] : [{ range: { at: { gte: from, lt: to } } }]),
                ...indexedIn({ keys }).map(withKey),
              ],
            },
          },
          sort: [{ at: 'desc' }, { chain: 'desc' }, { n: 'desc' }],
          ...(before && { search_after: [before.at, before.chain, before.n] }),
        }),
      ),
    async last(chain) {
      const [row] = await search({ size: 1, query: { bool: { filter: [{ term: { chain } }] } }, sort: [{ n: 'desc' }] });
      return row && { n: row.record.n, mac: row.record.mac };
    },
  };
}

/** True if the chain already contains this record. The answer to an earlier write may have been lost. */
export async function isRecorded(client: SearchClient, index: string, audit: AuditRecord): Promise<boolean> {
  await client.call('POST', `/${index}/_refresh`);
  const { at, principal } = audit;
  const { body } = await client.call('POST', `/${index}/_search`, {
    size: BATCH,
    _source: ['body'],
    query: { bool: { filter: [{ term: { at } }, { term: { principal } }] } },
  });
  const text = bodyOf(audit);
  return (body['hits'] as { hits: Pick<Found, '_source'>[] }).hits.some(({ _source }) => withoutNote(_source.body) === text);
}

interface Appending {
  readonly chain: ChainWriter;
  readonly audit: AuditRecord;
  /** Runs before each attempt, with the numbered record. */
  readonly first?: ((record: ChainedRecord) => Promise<void>) | undefined;
}
/** Appends one record. */
export async function append(client: SearchClient, index: string, { chain, audit, first }: Appending): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    await chain.ready();
    const { record, release } = await chain.next(audit);
    let written = false;
    try {
      await first?.(record);
      const document = { ...record, at: audit.at, principal: audit.principal, keys: indexedKeys(audit) };
      const { status } = await client.call('PUT', `/${index}/_create/${idOf(record.chain, record.n)}`, document, [409]);
      written = status !== 409;
    } finally {
      await release(written);
    }
    if (written) return;
  }
  throw failure('SERVICE_UNAVAILABLE', 'Too many changes at once.');
}
