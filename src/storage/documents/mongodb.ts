/** The document database on MongoDB. It uses transactions, so the server must be a replica set or a sharded cluster. */
import { type ClientSession, type Collection, type Db, MongoClient } from 'mongodb';
import { type Filed, findRecords, markMisfiled } from '../../engine/audit/chain.ts';
import { indexedIn, indexedKeys } from '../../engine/audit/keys.ts';
import type { CollectionSpec, Document as Stored } from '../../declare/documents.ts';
import { type Failure, failure } from '../../declare/errors.ts';
import type { AuditChains, ChainedRecord } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';
import { DatabaseProblem } from '../problem.ts';
import type { DocumentDatabase, DocumentSession, DocumentSource, KeptEffect, Query } from './database.ts';
import { Conflict } from './database.ts';
import { groupStages } from './groups.ts';
import { mongoAddressOf } from './mongodb-address.ts';
import { toFailure, isUnknownEnd } from './mongodb-errors.ts';
import { plainDocument } from './plain.ts';
import type { Collections } from './store.ts';

const CONNECT_MS = 2_000;
/** The deadline of one operation. The socket times out 200 ms earlier, so its connection is not used again. */
const OPERATION_MS = 5_000;
const BATCH = 1_000;
const AUDIT_BATCH = 500;

interface Kept extends KeptEffect {
  readonly _id: string;
  readonly at: Date;
}
interface Link extends ChainedRecord {
  readonly _id: string;
  readonly at: string;
  readonly principal: string;
  /** Missing in records of older versions. */
  readonly keys?: readonly string[];
}

const late = (): Failure => failure('TIMEOUT', 'The database took too long.');

async function timed<T>(work: Promise<T>, ms = OPERATION_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await Promise.race([work, new Promise<never>((_, reject) => void (timer = setTimeout(() => reject(late()), ms)))]);
  } catch (error) {
    throw toFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Connects at once: a client whose first connection fails never recovers. */
async function connect(url: string): Promise<MongoClient> {
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(url, {
      appName: 'tamshai',
      serverSelectionTimeoutMS: CONNECT_MS,
      connectTimeoutMS: CONNECT_MS,
      waitQueueTimeoutMS: CONNECT_MS,
      socketTimeoutMS: OPERATION_MS - 200,
      maxPoolSize: 20,
      maxConnecting: 4,
      readPreference: 'primary',
      readConcernLevel: 'majority',
      writeConcern: { w: 'majority' },
    });
    client.on('error', () => {});
    await client.connect();
    const hello = await client.db('admin').command({ hello: 1 });
    if (hello['setName'] === undefined && hello['msg'] !== 'isdbgrid')
      throw new DatabaseProblem(`MongoDB at ${mongoAddressOf(url)} is not a replica set, and changes need transactions.`);
    return client;
  } catch (error) {
    await client?.close().catch(() => {});
    if (error instanceof DatabaseProblem) throw error;
    const { code } = error as { code?: unknown };
    const why =
      code === 18 || code === 13
        ? 'does not accept the login'
        : error instanceof Error && error.name === 'MongoParseError'
          ? 'is not a valid address'
          : 'does not answer';
    throw new DatabaseProblem(`MongoDB at ${mongoAddressOf(url)} ${why}.`);
  }
}

function sourceOver(db: Db, session?: ClientSession): DocumentSource {
  const options = { maxTimeMS: OPERATION_MS, ...(session && { session }) };
  const aggregate = (collection: string, pipeline: readonly Query[]) =>
    timed(
      db
        .collection(collection)
        .aggregate<Row>([...pipeline], options)
        .toArray(),
    );
  return {
    find: (collection, query, { sort, limit, hide }) => {
      const projection = Object.fromEntries(hide.map((field) => [field, 0]));
      return timed(
        db
          .collection<Row>(collection)
          .find(query, { ...options, projection })
          .sort({ ...sort })
          .limit(limit)
          .toArray(),
      );
    },
    aggregate,
    async group(collection, query, asked) {
      const { stages, groupsOf } = groupStages(asked, (field) => field);
      return groupsOf(await aggregate(collection, [{ $match: query }, ...stages]));
    },
  };
}

const byId = (id: string) => ({ _id: id });
const effectIn = async (db: Db, id: string, session?: ClientSession): Promise<KeptEffect | undefined> =>
  (await timed(db.collection<Kept>('effects').findOne(byId(id), { maxTimeMS: OPERATION_MS, ...(session && { session }) }))) ?? undefined;

function sessionOver(db: Db, session: ClientSession): DocumentSession {
  const documents = (collection: string) => db.collection<Stored>(collection);
  return {
    ...sourceOver(db, session),
    // MongoDB detects conflicts only between writes, so this writes to the rows that the transaction read.
    hold: async (collection, ids) =>
      void (
        ids.length > 0 &&
        (await timed(documents(collection).updateMany({ _id: { $in: [...ids] } }, { $inc: { held: 1 } } as object, { session })))
      ),
    update: async (collection, ids, values) =>
      void (await timed(
        documents(collection).updateMany({ _id: { $in: [...ids] } }, { $set: values, $inc: { row_version: 1 } } as object, { session }),
      )),
    insert: async (collection, document) => void (await timed(documents(collection).insertOne(document, { session }))),
    effect: (id) => effectIn(db, id, session),
    keep: async (id, effect) =>
      void (await timed(db.collection<Kept>('effects').insertOne({ _id: id, ...effect, at: new Date() }, { session })).catch(again)),
    record: async (link, record) =>
      void (await timed(
        db
          .collection<Link>('audit')
          .insertOne(
            { _id: `${link.chain}/${link.n}`, ...link, at: record.at, principal: record.principal, keys: indexedKeys(record) },
            { session },
          ),
      ).catch(again)),
  };
}

/** Another transaction wrote this effect or audit record first, so the caller runs the transaction again. */
function again(error: unknown): never {
  throw error instanceof Error && 'code' in error && error.code === 'CHANGED_SINCE_APPROVAL' ? new Conflict() : error;
}

async function transaction<T>(client: MongoClient, db: Db, body: (session: DocumentSession) => Promise<T>): Promise<T> {
  const session = client.startSession();
  try {
    session.startTransaction({
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority' },
      readPreference: 'primary',
      maxCommitTimeMS: OPERATION_MS,
    });
    const result = await body(sessionOver(db, session));
    await timed(commit(session)).catch(unseen);
    return result;
  } finally {
    // If the abort fails, the server ends the transaction.
    if (session.inTransaction()) await timed(session.abortTransaction(), CONNECT_MS).catch(() => {});
    await session.endSession().catch(() => {});
  }
}

async function commit(session: ClientSession): Promise<void> {
  try {
    await session.commitTransaction();
  } catch (error) {
    throw isUnknownEnd(error) ? new Conflict(true) : error;
  }
}

/** After a timeout, nobody knows whether the server committed. */
function unseen(error: unknown): never {
  throw error instanceof Error && 'code' in error && error.code === 'TIMEOUT' ? new Conflict(true) : error;
}

function chainsIn(db: Db): AuditChains {
  const audit = () => db.collection<Link>('audit');
  const recordOf = ({ chain, n, body, mac }: Link): ChainedRecord => ({ chain, n, body, mac });
  const filedOf = (link: Link): Filed => ({
    record: recordOf(link),
    at: link.at,
    principal: link.principal,
    keys: link.keys ?? null,
  });
  const limits = { maxTimeMS: OPERATION_MS };
  return {
    async chains() {
      const rows = await timed(
        audit()
          .aggregate<{ _id: string; count: number }>([{ $group: { _id: '$chain', count: { $sum: 1 } } }, { $sort: { _id: 1 } }], limits)
          .toArray(),
      );
      return rows.map(({ _id, count }) => ({ chain: _id, count }));
    },
    async *records(chain) {
      let rows: Link[];
      for (let n = Number.MIN_SAFE_INTEGER; ; n = rows.at(-1)?.n ?? n) {
        rows = await timed(
          audit()
            .find({ chain, n: { $gt: n } }, limits)
            .sort({ n: 1 })
            .limit(AUDIT_BATCH)
            .toArray(),
        );
        yield* rows.map((row) => markMisfiled(filedOf(row)));
        if (rows.length < AUDIT_BATCH) return;
      }
    },
    async record(chain, n) {
      const row = await timed(audit().findOne({ chain, n }, limits));
      return row ? recordOf(row) : undefined;
    },
    newest: (query) =>
      findRecords(query, async ({ principal, keys, from, to, limit, before }) => {
        const indexed = indexedIn({ keys });
        const earlier = before && {
          $or: [
            { at: { $lt: before.at } },
            { at: before.at, chain: { $lt: before.chain } },
            { at: before.at, chain: before.chain, n: { $lt: before.n } },
          ],
        };
        const rows = await timed(
          audit()
            .find(
              {
                at: { $type: 'string', ...(from !== undefined && { $gte: from }), ...(to !== undefined && { $lt: to }) },
                ...(principal !== undefined && { principal }),
                // Records of older versions have no keys; findRecords reads their bodies.
                ...(indexed.length > 0 && { $and: [{ $or: [{ keys: { $all: indexed } }, { keys: { $exists: false } }] }] }),
                ...earlier,
              },
              limits,
            )
            .sort({ at: -1, chain: -1, n: -1 })
            .limit(limit)
            .toArray(),
        );
        return rows.map(filedOf);
      }),
  };
}

function databaseIn(client: MongoClient, db: Db, collections: Collections): DocumentDatabase {
  const chains = chainsIn(db);
  return {
    ...sourceOver(db),
    name: db.databaseName,
    transaction: (body) => transaction(client, db, body),
    effect: (id) => effectIn(db, id),
    chains,
    async lastLink(chain) {
      const row = await timed(db.collection<Link>('audit').find({ chain }, { maxTimeMS: OPERATION_MS }).sort({ n: -1 }).limit(1).next());
      return row ? { n: row.n, mac: row.mac } : undefined;
    },
    isEmpty: async (collection) => (await timed(db.collection(collection).findOne({}, { projection: { _id: 1 } }))) === null,
    /** Loads into a temporary collection and renames it: an interrupted start must not leave half of the documents. */
    async fill(collection, documents, written) {
      const loading = db.collection<Stored>(`${collection}_loading_${process.pid}`);
      let batch: Stored[] = [];
      const flush = async () => {
        if (batch.length > 0) await loading.insertMany(batch, { ordered: false, writeConcern: { w: 1 } });
        written(batch.length);
        batch = [];
      };
      try {
        for (const document of documents) if (batch.push(plainDocument(document)) === BATCH) await flush();
        await flush();
        await index(loading, collections[collection]);
        await loading.rename(collection, { dropTarget: true });
      } catch (error) {
        await loading.drop().catch(() => {});
        throw toFailure(error);
      }
    },
    async empty(collections) {
      for (const collection of collections) await timed(db.collection(collection).deleteMany({}), 60_000);
    },
    ping: async () => void (await timed(db.command({ ping: 1 }))),
    close: () => client.close(),
  };
}

/** Runs at every start; existing indexes stay as they are. */
async function prepare(db: Db, collections: Collections): Promise<void> {
  const newest = { at: -1, chain: -1, n: -1 } as const;
  await db
    .collection('audit')
    .createIndexes([
      { key: { chain: 1, n: 1 }, unique: true },
      { key: newest },
      { key: { principal: 1, ...newest } },
      { key: { keys: 1, ...newest } },
    ]);
  if ((await db.listCollections({ name: 'effects' }).toArray()).length === 0) await db.createCollection('effects').catch(() => {});
  for (const [name, spec] of Object.entries(collections)) await index(db.collection(name), spec);
}

async function index(
  collection: Pick<Collection, 'createIndexes'>,
  { indexes = [] }: Pick<CollectionSpec<string>, 'indexes'> = {},
): Promise<void> {
  const keys = indexes.map((fields) => ({
    key: Object.fromEntries([...fields, ...(fields.at(-1) === '_id' ? [] : ['_id'])].map((field) => [field, 1] as const)),
  }));
  if (keys.length > 0) await collection.createIndexes(keys);
}

export interface MongoDocuments {
  readonly database: DocumentDatabase;
  prepare(): Promise<void>;
}

/** Opens the database that the URL names; without a name, `tamshai_<domain>`. */
export async function openMongo(url: string, domain: string, collections: Collections): Promise<MongoDocuments> {
  const client = await connect(url);
  const named = client.options.dbName;
  const db = client.db(named === 'test' && !/\/test(\?|$)/.test(url) ? `tamshai_${domain}` : named);
  return {
    database: databaseIn(client, db, collections),
    prepare: () => prepare(db, collections).catch((error: unknown) => Promise.reject(toFailure(error))),
  };
}
