/** The document store for MongoDB and the embedded database: row scopes, masks, pages and effects that run once. */
import type { z } from 'zod';
import type { ChainWriter } from '../../engine/audit/chain.ts';
import { type CollectionSpec, type DocumentReader, type DocumentWriter, documentWords, type Patch } from '../../declare/documents.ts';
import { failure } from '../../declare/errors.ts';
import { EVERY, type Filter, NONE } from '../../declare/filter.ts';
import { asc, type Order } from '../../declare/order.ts';
import { answerParser, type Row, rowParser } from '../../declare/rows.ts';
import type { Store, StoreSession, Versions } from '../../engine/store.ts';
import { ownResult } from '../own-result.ts';
import { type DocumentDatabase, type DocumentSession, type DocumentSource, hadCommitted, type Query } from './database.ts';
import { fieldsOf, namedFields } from './groups.ts';
import { plainDocument, plainPatch } from './plain.ts';
import { both, grouped, isHidden, matching, past, sorting } from './translate.ts';

export type Collections = Readonly<Record<string, CollectionSpec<string>>>;
type Seen = (collection: string) => { readonly scope: Query; readonly hide: readonly string[]; readonly writes: boolean };

const ATTEMPTS = 12;
/** The largest number of rows in one change, or in one read without a limit. */
const MOST = 10_000;
const BY_ID: Order<string> = asc('_id');
const PRESENT: Query = { removed: { $ne: true } };

/** The rows and fields that the caller may use. A caller without a principal or a declared audience sees no rows. */
const seenBy =
  (collections: Collections, { audience, person, shows }: StoreSession): Seen =>
  (collection) => {
    const spec = Object.hasOwn(collections, collection) ? collections[collection] : undefined;
    if (spec === undefined) throw new Error(`no such collection: ${collection}`);
    const rows = person.principal === '' || !Object.hasOwn(spec.rows, audience) ? 'none' : (spec.rows[audience] ?? 'none');
    const scope = rows === 'all' ? EVERY : rows === 'none' ? NONE : rows(person);
    const hide = Object.entries(spec.masks ?? {}).flatMap(([mask, fields]) => (shows.includes(mask) ? [] : fields));
    return { scope: both(PRESENT, matching(scope)), hide, writes: rows !== 'none' && (spec.writers?.includes(audience) ?? false) };
  };

const visibleRow = (row: Row, hide: readonly string[]): Row => {
  for (const field of hide) row[field] = null;
  return row;
};

/** The engine refuses conditions on hidden fields earlier, so one here is a programming error. */
function conditionOf(where: Filter | undefined, hide: readonly string[]): Query {
  if (where === undefined) return {};
  if (fieldsOf(where).some((field) => isHidden(field, hide))) throw new Error('a condition on a hidden field');
  return matching(where);
}

function readerOver(
  source: DocumentSource,
  seen: Seen,
  onRead: (collection: string, rows: readonly Row[]) => Promise<void> | void,
): DocumentReader {
  const fetch = async (
    collection: string,
    filter: Filter,
    { limit, order = BY_ID }: { limit: number; order?: Order<string> | undefined },
  ) => {
    const { scope, hide } = seen(collection);
    if (order.keys.some((key) => isHidden(key, hide))) throw new Error('ordered by a hidden field');
    const rows = await source.find(collection, both(scope, matching(filter, hide)), { sort: sorting(order), limit, hide });
    await onRead(collection, rows);
    return rows.map((row) => visibleRow(row, hide));
  };
  const maybeOne = async <S extends z.ZodObject>(schema: S, collection: string, filter: Filter) => {
    const [row, more] = await fetch(collection, filter, { limit: 2 });
    if (more !== undefined) throw new Error('more than one row');
    return row === undefined ? null : rowParser(schema)(row);
  };
  const groups: DocumentReader['groups'] = async (schema, collection, filter, grouping) => {
    const { scope, hide } = seen(collection);
    const named = [
      ...(grouping.by ?? []),
      ...Object.values(grouping.totals).flatMap((total) =>
        'percent' in total ? [total.field, total.percent] : 'field' in total ? [total.field] : [],
      ),
    ];
    if (named.some((field) => isHidden(field, hide))) throw new Error('a total over a hidden field');
    const { stages, rowsOf } = grouped(both(scope, matching(filter, hide)), grouping);
    return rowsOf(await source.aggregate(collection, stages)).map(rowParser(schema));
  };
  return {
    ...documentWords,
    maybeOne,
    async one(schema, collection, filter) {
      const row = await maybeOne(schema, collection, filter);
      if (row === null) throw new Error('no row');
      return row;
    },
    async many(schema, collection, filter, { order, limit } = {}) {
      const rows = await fetch(collection, filter, { limit: limit ?? MOST + 1, order });
      if (rows.length > MOST) throw new Error('too many rows');
      return rows.map(rowParser(schema));
    },
    async count(collection, filter) {
      const { scope, hide } = seen(collection);
      const [row] = await source.aggregate(collection, [
        { $match: both(scope, matching(filter, hide)) },
        { $group: { _id: null, n: { $sum: 1 } } },
      ]);
      return Number(row?.['n'] ?? 0);
    },
    groups,
  };
}

const versionOf = (row: Row): string => `${String(row['_id'])}:${String(row['row_version'])}`;
const changed = (why: string) => failure('CHANGED_SINCE_APPROVAL', `Nothing was written: ${why}`);
const notYours = () => failure('INSUFFICIENT_PERMISSIONS', 'This is not yours to change.');

function writerIn(session: DocumentSession, seen: Seen): DocumentWriter {
  /** Reads written rows back. Throws if the caller may not see all of them. */
  const again = async <S extends z.ZodObject>(schema: S, collection: string, ids: readonly string[]) => {
    const { scope, hide } = seen(collection);
    const rows = await session.find(collection, both(scope, { _id: { $in: ids } }), { sort: sorting(BY_ID), limit: ids.length, hide });
    if (rows.length < ids.length) throw notYours();
    return rows.map((row) => rowParser(schema)(visibleRow(row, hide)));
  };
  const found = async (collection: string, filter: Filter, most: number): Promise<Row[]> => {
    const { scope, hide, writes } = seen(collection);
    if (!writes) throw notYours();
    const rows = await session.find(collection, both(scope, matching(filter, hide)), { sort: sorting(BY_ID), limit: most + 1, hide: [] });
    if (rows.length === 0) throw changed('the row is no longer as it was shown, or not yours to change.');
    if (rows.length > most) throw new Error('more rows than were to be changed');
    return rows;
  };
  const write = async <S extends z.ZodObject>(
    schema: S,
    collection: string,
    { filter, patch, most }: { readonly filter: Filter; readonly patch: Patch; readonly most: number },
  ) => {
    const ids = (await found(collection, filter, most)).map((row) => String(row['_id']));
    await session.update(collection, ids, plainPatch(patch));
    return again(schema, collection, ids);
  };
  const only = <T>([row]: readonly T[]): T => {
    if (row === undefined) throw new Error('no row');
    return row;
  };
  return {
    ...readerOver(session, seen, () => {}),
    changeMany: (schema, collection, filter, patch) => write(schema, collection, { filter, patch, most: MOST }),
    change: async (schema, collection, filter, patch) => only(await write(schema, collection, { filter, patch, most: 1 })),
    async insert(schema, collection, document) {
      if (!seen(collection).writes) throw notYours();
      const whole = plainDocument(document);
      await session.insert(collection, whole);
      return only(await again(schema, collection, [whole._id]));
    },
    async remove(schema, collection, filter, remember) {
      const row = only(await found(collection, filter, 1));
      const values = plainPatch(remember);
      await session.update(collection, [String(row['_id'])], { ...values, removed: true });
      return rowParser(schema)(visibleRow({ ...row, ...values }, seen(collection).hide));
    },
  };
}

/** Refuses masks of nested fields: MongoDB and mingo treat them differently, which could disclose values. */
function checkMasks(collections: Collections): void {
  for (const [name, { masks = {} }] of Object.entries(collections))
    for (const field of Object.values(masks).flat())
      if (field.includes('.')) throw new Error(`${name}: a mask must cover a whole field, and ${field} is only a part of one`);
}

export function createDocumentStore(database: DocumentDatabase, collections: Collections, chain: ChainWriter): Store<'documents'> {
  checkMasks(collections);
  return {
    kind: 'documents',
    read: (who, body) => {
      const versions: Versions = [];
      return body(
        { documents: readerOver(database, seenBy(collections, who), (_, rows) => void versions.push(...rows.map(versionOf))) },
        versions,
      );
    },
    async page(who, query, window, item) {
      const { scope, hide } = seenBy(collections, who)(query.collection);
      if (window.order.keys.some((key) => isHidden(key, hide))) throw new Error('ordered by a hidden field');
      const where = conditionOf(window.where, hide);
      const rows = await database.find(query.collection, both(scope, matching(query.filter, hide), where, past(window)), {
        sort: sorting(window.order),
        limit: window.take,
        hide,
      });
      const parse = answerParser(item);
      return rows.map((row) => parse(visibleRow(row, hide)));
    },
    async groups(who, query, asked) {
      const { scope, hide } = seenBy(collections, who)(query.collection);
      if (namedFields(asked).some((field) => isHidden(field, hide))) throw new Error('figures of a hidden field');
      return database.group(query.collection, both(scope, matching(query.filter, hide), conditionOf(asked.where, hide)), asked);
    },
    async executeOnce(who, { id, tool }, body) {
      const seen = seenBy(collections, who);
      const { principal } = who.person;
      for (let attempt = 1; ; attempt++) {
        let release: (committed: boolean) => Promise<void> = async () => {};
        let committed = false;
        let link: { chain: string; n: number; mac: string } | undefined;
        let result: unknown;
        try {
          await chain.ready();
          result = await database.transaction(async (session) => {
            const kept = id === undefined ? undefined : await session.effect(id);
            if (kept !== undefined) return ownResult(kept, principal);
            const versions: Versions = [];
            const reading = readerOver(session, seen, async (collection, rows) => {
              versions.push(...rows.map(versionOf));
              // Locks every row that was read: the data on the card must not change before the commit.
              await session.hold(
                collection,
                rows.map((row) => String(row['_id'])),
              );
            });
            const effected = await body({ reading: { documents: reading }, writing: { documents: writerIn(session, seen) } }, versions);
            if (id !== undefined) await session.keep(id, { tool, principal, result: JSON.stringify(effected.result) });
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
          if (attempt === ATTEMPTS) throw failure('SERVICE_UNAVAILABLE', 'Too many changes to the same rows at once.');
        } finally {
          await release(committed);
        }
        await new Promise((later) => setTimeout(later, Math.random() * 8 * attempt));
      }
    },
    async findResult(who, id) {
      const kept = await database.effect(id);
      return kept?.principal === who.person.principal ? (JSON.parse(kept.result) as unknown) : undefined;
    },
    audit: database.chains,
    ping: () => database.ping(),
    close: () => database.close(),
  };
}
