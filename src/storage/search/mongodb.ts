/** The search store on MongoDB. It finds the same rows as the other search stores. */
import type { ChainWriter } from '../../engine/audit/chain.ts';
import type { Document } from '../../declare/documents.ts';
import { failure } from '../../declare/errors.ts';
import type { Filter } from '../../declare/filter.ts';
import { answerParser, type Row } from '../../declare/rows.ts';
import type { Figure } from '../../declare/search.ts';
import type { Store, StoreSession } from '../../engine/store.ts';
import { Conflict, type DocumentDatabase, type DocumentSession, type DocumentSource, hadCommitted } from '../documents/database.ts';
import { groupStages } from '../documents/groups.ts';
import { openMongo } from '../documents/mongodb.ts';
import type { Collections } from '../documents/store.ts';
import { ownResult } from '../own-result.ts';
import type { SearchBackend } from './backend.ts';
import { Asking, type Engine, type Hit, readerOver, type Write, writerOver } from './handles.ts';
import { figurePipeline, finding, matching, rowsStages, stemsOf, type Variants, valuesOf } from './mongodb-query.ts';
import { printOf, type RowsQuery, type SearchDomain, type Shape, shapesOf } from './shape.ts';
import { nearest, type Sought } from './words.ts';

/** How long conflicts are retried. A call may take ten seconds. A process that crashed in a transaction blocks its rows for a while. */
const TRIED_FOR_MS = 8_000;
const LONGEST_PAUSE_MS = 200;
/** The collection of fingerprints. No declared collection can have this name. */
const SHAPES = 'search_shapes';
const RENEWED_AT_ONCE = 100;
const MOST_STEMS = 100_000;
const stemsIn = (shape: Shape) => `${shape.name}_stems`;
/** An id must be ASCII, and a stem can have letters of any script. */
const stemDocument = (stem: string): Document => ({ _id: encodeURIComponent(stem), stem });

type Found = (shape: Shape, rows: readonly Row[]) => Promise<void>;

function engineOn(source: DocumentSource, found: Found = async () => {}): Engine<Hit> {
  const near = async (shape: Shape, sought: Sought): Promise<string[]> => {
    if (sought.typos === 0 && !sought.begins) return [sought.stem];
    const wide = sought.typos > 0 ? String.fromCodePoint(sought.stem.codePointAt(0) ?? 0) : sought.stem;
    const known = await source.find(
      stemsIn(shape),
      { stem: { $gte: wide, $lt: `${wide}\u{10ffff}` } },
      { sort: { stem: 1 }, limit: MOST_STEMS, hide: [] },
    );
    return nearest(
      sought,
      known.map(({ stem }) => String(stem)),
    );
  };
  const totals = async (shape: Shape, filter: Filter, { by, figure }: { readonly by: readonly string[]; readonly figure: Figure }) => {
    const rows = await source.aggregate(shape.name, figurePipeline(filter, by, figure));
    return rows.map(({ _id, value }) => ({
      keys: by.map((_, i) => (_id as Row)[`k${i}`] ?? null),
      value: typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
    }));
  };
  const variantsOf = async ({ shape, seek }: RowsQuery): Promise<Variants[]> => {
    const variants: Variants[] = [];
    for (const sought of seek?.words ?? []) variants.push({ sought, near: await near(shape, sought) });
    return variants;
  };
  return {
    async find(asked) {
      const rows = await source.aggregate(asked.shape.name, finding(asked, await variantsOf(asked)));
      await found(asked.shape, rows);
      return rows.map(({ row, row_version, score }) => ({ row: row as Row, version: Number(row_version), score: Number(score ?? 0) }));
    },
    async count(shape, filter) {
      const [row] = await source.aggregate(shape.name, [{ $match: matching(filter) }, { $count: 'n' }]);
      return Number(row?.['n'] ?? 0);
    },
    async measure(asked) {
      const { stages, groupsOf } = groupStages(asked, (field) => `f.${field}`);
      return groupsOf(await source.aggregate(asked.shape.name, [...rowsStages(asked, await variantsOf(asked)), ...stages]));
    },
    async groups(shape, filter, { by = [], figures }) {
      const all = await totals(shape, filter, { by, figure: { of: 'count' } });
      const groups = new Map((by.length === 0 ? [{ keys: [] }] : all).map(({ keys }) => [JSON.stringify(keys), keys as unknown[]]));
      const results = new Map<string, Map<string, unknown>>();
      for (const [name, figure] of Object.entries(figures)) {
        results.set(name, new Map((await totals(shape, filter, { by, figure })).map(({ keys, value }) => [JSON.stringify(keys), value])));
      }
      const sorted = [...groups].toSorted(([, a], [, b]) => compare(a, b));
      return sorted.map(([key, keys]) => ({
        ...Object.fromEntries(by.map((name, i) => [name, keys[i]])),
        ...Object.fromEntries(
          Object.entries(figures).map(([name, { of }]) => [
            name,
            results.get(name)?.get(key) ?? (of === 'count' || of === 'sum' ? 0 : null),
          ]),
        ),
      }));
    },
  };
}

/** Orders like the other search stores: null first, then by value. */
function compare(a: readonly unknown[], b: readonly unknown[]): number {
  for (let i = 0; i < a.length; i++) {
    const [one, two] = [a[i], b[i]] as (string | number | boolean | null)[];
    if (one === two) continue;
    if (one == null) return -1;
    if (two == null) return 1;
    return one < two ? -1 : 1;
  }
  return 0;
}

async function put(session: DocumentSession, { shape, stored, before }: Write<Hit>): Promise<void> {
  const values = valuesOf(stored, shape.texts);
  if (before === undefined) await session.insert(shape.name, { _id: stored.id, ...values, row_version: 1 });
  else await session.update(shape.name, [stored.id], values);
  const stems = stemsOf(stored);
  const known = await session.find(stemsIn(shape), { stem: { $in: stems } }, { sort: { stem: 1 }, limit: stems.length + 1, hide: [] });
  const there = new Set(known.map(({ stem }) => String(stem)));
  for (const stem of stems) if (!there.has(stem)) await session.insert(stemsIn(shape), stemDocument(stem));
}

export async function openSearchMongo({ url, domain }: { readonly url: string; readonly domain: SearchDomain }): Promise<SearchBackend> {
  const shapes = shapesOf(domain);
  const fieldOf = (shape: Shape, name: string) => (name === shape.key ? '_id' : `f.${name}`);
  const collections: Collections = Object.fromEntries(
    [...shapes.values()].flatMap((shape) => [
      [
        shape.name,
        {
          rows: {},
          indexes: [...(shape.spec.indexes ?? []).map((names) => names.map((name) => fieldOf(shape, name))), ['s'], [`f.${shape.key}`]],
        },
      ],
      [stemsIn(shape), { rows: {}, indexes: [['stem']] }],
    ]),
  );
  const { database, prepare } = await openMongo(url, domain.name, collections);
  try {
    await prepare();
    // Two transactions cannot create the same collection, so all collections exist before the first transaction.
    for (const name of Object.keys(collections)) await database.isEmpty(name);
    for (const shape of shapes.values()) await renew(database, shape);
  } catch (error) {
    await database.close();
    throw error;
  }
  return backendOn(database, shapes);
}

/** Indexes the rows again if the declaration of the collection has changed. */
async function renew(database: DocumentDatabase, shape: Shape): Promise<void> {
  const print = printOf(shape);
  const known = async (source: DocumentSource) =>
    (await source.find(SHAPES, { _id: shape.name }, { sort: { _id: 1 }, limit: 1, hide: [] }))[0]?.['print'];
  if ((await known(database)) === print) return;
  for (let after = ''; ; ) {
    const rows = await database.find(shape.name, { _id: { $gt: after } }, { sort: { _id: 1 }, limit: RENEWED_AT_ONCE, hide: [] });
    const ids = rows.map((row) => String(row['_id']));
    if (ids.length === 0) break;
    await insisted(database, async (session) => {
      for (const { row, row_version } of await session.find(
        shape.name,
        { _id: { $in: ids } },
        { sort: { _id: 1 }, limit: ids.length, hide: [] },
      )) {
        const version = Number(row_version);
        await put(session, { shape, stored: shape.stored(row as Row), version, before: { row: row as Row, version, score: 0 } });
      }
    });
    after = ids.at(-1) ?? after;
  }
  await insisted(database, async (session) => {
    if ((await known(session)) === undefined) await session.insert(SHAPES, { _id: shape.name, print });
    else await session.update(SHAPES, [shape.name], { print });
  });
}

/** Runs a transaction again after a conflict: another process that starts may index the same rows. */
async function insisted(database: DocumentDatabase, body: (session: DocumentSession) => Promise<void>): Promise<void> {
  for (const until = Date.now() + TRIED_FOR_MS; ; ) {
    try {
      return await database.transaction(body);
    } catch (error) {
      if (!(error instanceof Conflict) || Date.now() > until) throw error;
    }
    await new Promise((later) => setTimeout(later, Math.random() * LONGEST_PAUSE_MS));
  }
}

function backendOn(database: DocumentDatabase, shapes: ReadonlyMap<string, Shape>): SearchBackend {
  const reading = engineOn(database);
  const shapeOf = (collection: string): Shape => {
    const shape = shapes.get(collection);
    if (shape === undefined) throw new Error(`there is no collection ${collection}`);
    return shape;
  };
  const close = () => database.close();
  return {
    product: 'MongoDB',
    audit: database.chains,
    last: (chain) => database.lastLink(chain),
    // Effect and audit record are one transaction, so nothing can be left open.
    settle: async () => 0,
    empty: () => database.empty([...shapes.values()].flatMap((shape) => [shape.name, stemsIn(shape)])),
    loader: {
      isEmpty: (collection) => database.isEmpty(shapeOf(collection).name),
      async fill(collection, rows, written) {
        const shape = shapeOf(collection);
        const stems = new Set<string>();
        function* documents(): Generator<Document> {
          for (const row of rows) {
            const stored = shape.stored({ ...row });
            for (const stem of stemsOf(stored)) stems.add(stem);
            yield { _id: stored.id, ...valuesOf(stored, shape.texts) };
          }
        }
        await database.fill(collection, documents(), written);
        if (stems.size > 0) await database.fill(stemsIn(shape), [...stems].map(stemDocument), () => {});
      },
    },
    store: (chain): Store<'search'> => ({
      kind: 'search',
      read: (who, body) => {
        const versions: string[] = [];
        return body({ search: readerOver(new Asking(reading, shapes, who), versions) }, versions);
      },
      async page(who, query, window, item) {
        return (await new Asking(reading, shapes, who).find(query, window)).rows.map(answerParser(item));
      },
      groups: (who, query, asked) => new Asking(reading, shapes, who).measure(query, asked),
      executeOnce: (who, effect, body) => executeOnce(who, { database, shapes, chain, effect, body }),
      async findResult(who, id) {
        const kept = await database.effect(id);
        return kept?.principal === who.person.principal ? (JSON.parse(kept.result) as unknown) : undefined;
      },
      audit: database.chains,
      ping: () => database.ping(),
      close,
    }),
    close,
  };
}

type ExecuteOnce = Parameters<Store<'search'>['executeOnce']>;
interface Executing {
  readonly database: DocumentDatabase;
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly chain: ChainWriter;
  readonly effect: ExecuteOnce[1];
  readonly body: ExecuteOnce[2];
}

async function executeOnce(who: StoreSession, { database, shapes, chain, effect: { id, tool }, body }: Executing): Promise<unknown> {
  const givenUp = Date.now() + TRIED_FOR_MS;
  for (let attempt = 1; ; attempt++) {
    let release: (committed: boolean) => Promise<void> = async () => {};
    let committed = false;
    let link: { chain: string; n: number; mac: string } | undefined;
    let result: unknown;
    try {
      await chain.ready();
      result = await database.transaction(async (session) => {
        const kept = id === undefined ? undefined : await session.effect(id);
        if (kept !== undefined) return ownResult(kept, who.person.principal);
        const versions: string[] = [];
        // Locks every row that was read. The data on the card must not change before the commit.
        const held = engineOn(session, (shape, rows) =>
          session.hold(
            shape.name,
            rows.map((row) => String(row['_id'])),
          ),
        );
        const asking = new Asking(held, shapes, who);
        const { handle, written } = writerOver(asking, who, id);
        const effected = await body({ reading: { search: readerOver(asking, versions) }, writing: { search: handle } }, versions);
        const write = written();
        if (write === undefined && id !== undefined) throw new Error(`${tool} was approved and writes nothing`);
        if (write) await put(session, write);
        if (id !== undefined) await session.keep(id, { tool, principal: who.person.principal, result: JSON.stringify(effected.result) });
        const next = await chain.next(effected.audit);
        ({ release, record: link } = next);
        await session.record(next.record, effected.audit);
        return (result = effected.result);
      });
      committed = true;
      return result;
    } catch (error) {
      committed = await hadCommitted(error, database, { link, repeatable: id !== undefined });
      if (committed) return result;
      if (Date.now() > givenUp) throw failure('SERVICE_UNAVAILABLE', 'Too many changes to the same rows at once.');
    } finally {
      await release(committed);
    }
    await new Promise((later) => setTimeout(later, Math.random() * Math.min(LONGEST_PAUSE_MS, 8 * 2 ** attempt)));
  }
}
