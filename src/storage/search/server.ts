/** The search store on Elasticsearch or OpenSearch. */
import type { ChainWriter } from '../../engine/audit/chain.ts';
import { Failure } from '../../declare/errors.ts';
import type { Logger } from '../../engine/ports.ts';
import { answerParser, type Row } from '../../declare/rows.ts';
import type { Store } from '../../engine/store.ts';
import { DatabaseProblem } from '../problem.ts';
import type { SearchBackend } from './backend.ts';
import { Asking, type Engine, readerOver } from './handles.ts';
import { createServerChains } from './server-chains.ts';
import { productOf, type SearchClient, createSearchClient } from './server-client.ts';
import { createServerEffects } from './server-effects.ts';
import { serverGroups } from './server-groups.ts';
import { documentOf, type EffectEntry, type Indices, indicesOf, prepareIndices, type ServerHit } from './server-indices.ts';
import { figureAggregation, figureOf, filterQuery, searchBody } from './server-query.ts';
import { type SearchDomain, type Shape, shapesOf } from './shape.ts';

export interface SearchServerOptions {
  readonly url: string;
  /** The prefix of all index names. It lets several installations share a server. */
  readonly prefix?: string;
  readonly domain: SearchDomain;
  readonly log?: Logger | undefined;
  /** Called at named steps. Tests stop the process there. */
  readonly failpoint?: (name: string) => void;
}

interface Found {
  readonly _score: number | null;
  readonly _seq_no: number;
  readonly _primary_term: number;
  readonly _source: { readonly row: Row; readonly version: number; readonly effects?: readonly EffectEntry[] };
}
const MOST_GROUPS = 1_000;
/** Rows per bulk request, and the number of requests that run at one time. */
const LOAD_AT_ONCE = 1_000;
const LOADS_UNDER_WAY = 2;

function engineOn(client: SearchClient, indices: Indices, source: readonly string[]): Engine<ServerHit> {
  return {
    async find(asked) {
      const { body } = await client.call('POST', `/${indices.of(asked.shape)}/_search`, searchBody(asked, source));
      return (body['hits'] as { hits: Found[] }).hits.map(({ _score, _seq_no, _primary_term, _source: { row, version, effects } }) => ({
        row,
        version,
        score: _score ?? 0,
        seqNo: _seq_no,
        primaryTerm: _primary_term,
        effects: effects ?? [],
      }));
    },
    async count(shape, filter) {
      const { body } = await client.call('POST', `/${indices.of(shape)}/_count`, { query: filterQuery(filter) });
      return Number(body['count']);
    },
    measure(asked) {
      const path = `/${indices.of(asked.shape)}/_search`;
      return serverGroups(async (body) => (await client.call('POST', path, { size: 0, ...body })).body, asked);
    },
    async groups(shape, filter, { by = [], figures }) {
      const names = Object.entries(figures);
      // Generated names: the server could interpret a declared name.
      const aggs = Object.fromEntries(names.map(([, figure], i) => [`f${i}`, figureAggregation(shape, figure)]));
      const rowOf = (bucket: Row): Row =>
        Object.fromEntries(names.map(([name, figure], i) => [name, figureOf(shape, figure, bucket[`f${i}`])]));
      const path = `/${indices.of(shape)}/_search`;
      const query = filterQuery(filter);
      if (by.length === 0) {
        const { body } = await client.call('POST', path, { size: 0, query, aggs });
        return [rowOf(body['aggregations'] as Row)];
      }
      const sources = by.map((name, i) => ({ [`k${i}`]: { terms: { field: `f.${name}`, missing_bucket: true } } }));
      const rows: Row[] = [];
      for (let after: unknown; ; ) {
        const { body } = await client.call('POST', path, {
          size: 0,
          query,
          aggs: { groups: { composite: { size: MOST_GROUPS, sources, ...(after !== undefined && { after }) }, aggs } },
        });
        const { groups } = body['aggregations'] as { groups: { after_key?: unknown; buckets: (Row & { key: Row })[] } };
        rows.push(
          ...groups.buckets.map((bucket) => ({
            ...Object.fromEntries(by.map((name, i) => [name, bucket.key[`k${i}`]])),
            ...rowOf(bucket),
          })),
        );
        if (groups.buckets.length < MOST_GROUPS || groups.after_key === undefined) return rows;
        after = groups.after_key;
      }
    },
  };
}

export async function openSearchServer({
  url,
  prefix = 'tamshai',
  domain,
  log,
  failpoint = () => {},
}: SearchServerOptions): Promise<SearchBackend> {
  const client = createSearchClient(url);
  const patient = client.patient();
  const shapes = shapesOf(domain);
  const indices = indicesOf(prefix, domain);
  let product: string;
  try {
    product = await productOf(patient);
    await prepareIndices(patient, indices, shapes.values());
  } catch (error) {
    await client.close();
    const { host } = new URL(url);
    if (error instanceof Failure) throw new DatabaseProblem(`The search server at ${host} cannot be used: ${error.message}`);
    throw error;
  }
  const reading = engineOn(client, indices, ['row', 'version']);
  const writing = engineOn(client, indices, ['row', 'version', 'effects']);
  const { last, ...audit } = createServerChains(client, indices.audit);
  const effects = createServerEffects({ client, indices, shapes, engine: writing, log, failpoint });
  const shapeOf = (collection: string): Shape => {
    const shape = shapes.get(collection);
    if (shape === undefined) throw new Error(`${domain.name} declares no collection ${collection}`);
    return shape;
  };
  const marker = (collection: string) => `/${indices.effects}/_doc/filling:${collection}`;
  const close = () => client.close();

  return {
    product,
    audit,
    last,
    close,
    settle: (chain, name) => effects.settle(chain, name),
    loader: {
      async isEmpty(collection) {
        const index = indices.of(shapeOf(collection));
        // The marker exists if a process stopped while it loaded the rows. Then all rows are loaded again.
        const { status } = await patient.call('GET', marker(collection), undefined, [404]);
        if (status === 200) return true;
        await patient.call('POST', `/${index}/_refresh`);
        return Number((await patient.call('POST', `/${index}/_count`, {})).body['count']) === 0;
      },
      async fill(collection, rows, written) {
        const shape = shapeOf(collection);
        const index = indices.of(shape);
        await patient.call('PUT', marker(collection), { state: 'filling' });
        const send = async (lines: readonly unknown[]) => {
          const { body } = await patient.bulk(`/${index}/_bulk?filter_path=errors`, lines);
          if (body['errors'] === true) throw new Error(`rows of ${collection} were refused`);
          written(lines.length / 2);
        };
        const underWay: Promise<void>[] = [];
        let lines: unknown[] = [];
        const flush = async () => {
          const sending = send(lines);
          // Prevents an unhandled rejection. Awaiting `sending` later throws the error.
          sending.catch(() => {});
          underWay.push(sending);
          lines = [];
          if (underWay.length >= LOADS_UNDER_WAY) await underWay.shift();
        };
        for (const row of rows) {
          const stored = shape.stored({ ...row });
          lines.push({ index: { _id: stored.id } }, documentOf(stored, 1, []));
          if (lines.length >= LOAD_AT_ONCE * 2) await flush();
        }
        if (lines.length > 0) await flush();
        await Promise.all(underWay);
        await patient.call('POST', `/${index}/_refresh`);
        await patient.call('DELETE', marker(collection), undefined, [404]);
      },
    },
    store: (chain: ChainWriter): Store<'search'> => ({
      kind: 'search',
      read: (who, body) => {
        const versions: string[] = [];
        return body({ search: readerOver(new Asking(reading, shapes, who), versions) }, versions);
      },
      async page(who, query, window, item) {
        return (await new Asking(reading, shapes, who).find(query, window)).rows.map(answerParser(item));
      },
      groups: (who, query, asked) => new Asking(reading, shapes, who).measure(query, asked),
      executeOnce: (who, effect, body) => effects.executeOnce(chain, who, effect, body),
      findResult: (who, id) => effects.findResult(who, id),
      audit,
      ping: async () => void (await client.call('GET', `/${indices.audit}/_count`)),
      close,
    }),
    async empty() {
      for (const shape of shapes.values()) await patient.call('DELETE', `/${indices.of(shape)}`, undefined, [404]);
      await prepareIndices(patient, indices, shapes.values());
    },
    async drop() {
      for (const index of [...[...shapes.values()].map(indices.of), indices.effects, indices.audit])
        await patient.call('DELETE', `/${index}`, undefined, [404]);
    },
  };
}
