/**
 * The embedded document database: a SQLite file, cached in memory, with MongoDB queries by mingo. A transaction writes its changes at its
 * end, if no other process has changed the file since its beginning.
 */
import { aggregate, find } from 'mingo';
import type { Document } from '../../declare/documents.ts';
import { Failure, failure } from '../../declare/errors.ts';
import type { ChainedRecord } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';
import { nextTurn } from '../../engine/turns.ts';
import { chainsIn } from '../audit/call-chains.ts';
import { openSqlite, storedText } from '../sqlite-file.ts';
import {
  Conflict,
  type DocumentDatabase,
  type DocumentSession,
  type DocumentSource,
  type Finding,
  type KeptEffect,
  type Query,
} from './database.ts';
import { groupsIn } from './embedded-groups.ts';
import { plainDocument } from './plain.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS documents (collection TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (collection,
  id)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS effects (id TEXT PRIMARY KEY, tool TEXT NOT NULL, principal TEXT NOT NULL, result TEXT NOT NULL,
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP) WITHOUT ROWID;
`;
/** The longest queue of transactions. Further ones are refused. */
const MOST_WAITING = 200;
const OPTIONS = { scriptEnabled: false, useStrictMode: true } as const;

type Documents = ReadonlyMap<string, Document>;

interface Pending {
  readonly documents: Map<string, Map<string, Document>>;
  readonly effects: Map<string, KeptEffect>;
  readonly links: ChainedRecord[];
}

/** The sort order of MongoDB: missing values, then numbers, then texts. */
const rank = (value: unknown): number => (value === null || value === undefined ? 0 : typeof value === 'number' ? 1 : 2);
const compared = (a: unknown, b: unknown): number => rank(a) - rank(b) || (a === b ? 0 : (a as string) < (b as string) ? -1 : 1);

/** The sort of mingo takes twice the time. */
function inOrder(rows: Row[], sort: Finding['sort']): Row[] {
  const keys = Object.entries(sort);
  return rows.sort((a, b) => {
    for (const [key, way] of keys) {
      const difference = compared(a[key], b[key]);
      if (difference !== 0) return difference * way;
    }
    return 0;
  });
}

/** The ids in the query's conditions on `_id`; undefined if it has none. No other document can match. */
function idsNamed(query: Query): readonly string[] | undefined {
  const { $eq: only, $in: among } = (query['_id'] ?? {}) as Query;
  if (typeof only === 'string') return [only];
  if (Array.isArray(among)) return among as string[];
  return (query['$and'] as readonly Query[] | undefined)?.map(idsNamed).find((ids) => ids !== undefined);
}
/**
 * The documents that can match; the caller still runs the query on them. A full scan starts in a new event loop turn, because one call can
 * need two scans.
 */
async function candidates(documents: () => Documents, query: Query): Promise<Iterable<Document>> {
  const ids = idsNamed(query);
  if (ids === undefined) {
    await nextTurn();
    return documents().values();
  }
  const known = documents();
  return [...new Set(ids)].flatMap((id) => known.get(id) ?? []);
}

function sourceOver(documents: (collection: string) => Documents): DocumentSource {
  return {
    async find(collection, query, { sort, limit, hide }) {
      const among = await candidates(() => documents(collection), query);
      const rows = inOrder(find<Row>(among, query, {}, OPTIONS).all(), sort).slice(0, limit);
      return rows.map((row) => {
        const copy = structuredClone(row);
        for (const field of hide) delete copy[field];
        return copy;
      });
    },
    async aggregate(collection, pipeline) {
      await nextTurn();
      const stages = pipeline.map((stage) => ({ ...stage }));
      return structuredClone(aggregate(documents(collection).values(), stages, OPTIONS));
    },
    async group(collection, query, asked) {
      const among = await candidates(() => documents(collection), query);
      return groupsIn(find<Row>(among, query, {}, OPTIONS).all(), asked);
    },
  };
}

export interface EmbeddedDocuments {
  of(domain: string): DocumentDatabase;
  close(): Promise<void>;
}

export function openEmbeddedDocuments(file: string): EmbeddedDocuments {
  const db = openSqlite(file);
  db.exec(SCHEMA);
  const { catchUp: _, ...chains } = chainsIn(db);
  const load = db.prepare('SELECT body FROM documents WHERE collection = ?1').raw();
  const some = db.prepare('SELECT 1 FROM documents WHERE collection = ?1 LIMIT 1').raw();
  const put = db.prepare('INSERT INTO documents VALUES (?1, ?2, ?3) ON CONFLICT (collection, id) DO UPDATE SET body = excluded.body');
  const clear = db.prepare('DELETE FROM documents WHERE collection = ?1');
  const kept = db.prepare('SELECT tool, principal, result FROM effects WHERE id = ?1').raw();
  const keep = db.prepare('INSERT INTO effects (id, tool, principal, result) VALUES (?1, ?2, ?3, ?4)');
  const append = db.prepare('INSERT INTO records (chain, n, body, mac) VALUES (?1, ?2, ?3, ?4)');
  const last = db.prepare('SELECT n, CAST(mac AS BLOB) FROM records WHERE chain = ?1 ORDER BY n DESC LIMIT 1').raw();
  const version = db.prepare('PRAGMA data_version').raw();

  const attempt = <T>(work: () => T): T => {
    try {
      // In this driver, prepared statements still run after `close`.
      if (!db.open) throw new Error('closed');
      return work();
    } catch (error) {
      if (error instanceof Failure || error instanceof Conflict) throw error;
      const code = String((error as { code?: unknown }).code);
      if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_CONSTRAINT')) throw new Conflict();
      throw Object.assign(failure('SERVICE_UNAVAILABLE', 'The documents cannot be used right now.'), { cause: error });
    }
  };

  const held = new Map<string, Documents>();
  let heldAt: unknown;
  /** Reads committed documents from the cache. A changed data_version means that another process committed. */
  const committed = (collection: string): Documents =>
    attempt(() => {
      const [now] = version.get() as [number];
      if (now !== heldAt) held.clear();
      heldAt = now;
      let documents = held.get(collection);
      if (documents === undefined) {
        documents = new Map(
          (load.all(collection) as [string][]).map(([body]) => JSON.parse(body) as Document).map((document) => [document._id, document]),
        );
        held.set(collection, documents);
      }
      return documents;
    });
  const effectOf = (id: string): KeptEffect | undefined =>
    attempt(() => {
      const row = kept.get(id) as [string, string, string] | undefined;
      return row && { tool: row[0], principal: row[1], result: row[2] };
    });

  const commit = db.transaction(({ documents, effects, links }: Pending, since: unknown) => {
    if ((version.get() as [number])[0] !== since) throw new Conflict();
    for (const [collection, changes] of documents) for (const [id, document] of changes) put.run(collection, id, JSON.stringify(document));
    for (const [id, { tool, principal, result }] of effects) keep.run(id, tool, principal, result);
    for (const { chain, n, body, mac } of links) append.run(chain, n, body, mac);
  });

  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  /** Runs transactions one at a time; reads do not wait. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= MOST_WAITING) throw failure('SERVICE_UNAVAILABLE', 'Too many changes are waiting.');
    waiting++;
    const mine = turn.then(work).finally(() => void waiting--);
    turn = mine.catch(() => {});
    return mine;
  };

  const databaseOf = (domain: string): DocumentDatabase => {
    const named = (collection: string) => `${domain}.${collection}`;
    const session = (pending: Pending): DocumentSession => {
      const mine = (collection: string) => pending.documents.get(named(collection));
      const now = (collection: string): Documents => {
        const changes = mine(collection);
        return changes === undefined ? committed(named(collection)) : new Map([...committed(named(collection)), ...changes]);
      };
      const set = (collection: string, document: Document) => {
        const changes = mine(collection) ?? new Map<string, Document>();
        pending.documents.set(named(collection), changes.set(document._id, document));
      };
      return {
        ...sourceOver(now),
        // No lock is needed: transactions run one at a time, and `commit` detects writes of other processes.
        hold: async () => {},
        async update(collection, ids, values) {
          const documents = now(collection);
          for (const id of ids) {
            const document = documents.get(id);
            if (document === undefined) throw new Conflict();
            set(collection, { ...document, ...values, row_version: Number(document['row_version']) + 1 });
          }
        },
        async insert(collection, document) {
          if (now(collection).has(document._id))
            throw failure('CHANGED_SINCE_APPROVAL', 'Nothing was written: there is such a row already.');
          set(collection, document);
        },
        effect: async (id) => effectOf(id),
        keep: async (id, effect) => void pending.effects.set(id, effect),
        record: async (link) => void pending.links.push(link),
      };
    };
    return {
      ...sourceOver((collection) => committed(named(collection))),
      name: domain,
      transaction: (body) =>
        inTurn(async () => {
          const pending: Pending = { documents: new Map(), effects: new Map(), links: [] };
          const [since] = attempt(() => version.get() as [number]);
          const result = await body(session(pending));
          attempt(() => commit.immediate(pending, since));
          for (const [collection, changes] of pending.documents) held.set(collection, new Map([...committed(collection), ...changes]));
          return result;
        }),
      effect: async (id) => effectOf(id),
      chains,
      lastLink: async (chain) =>
        attempt(() => {
          const row = last.get(chain) as [number, Buffer] | undefined;
          return row && { n: row[0], mac: storedText(row[1]) };
        }),
      isEmpty: async (collection) => attempt(() => some.get(named(collection)) === undefined),
      fill: async (collection, documents, written) =>
        attempt(() => {
          held.delete(named(collection));
          db.transaction(() => {
            for (const document of documents) {
              put.run(named(collection), document._id, JSON.stringify(plainDocument(document)));
              written(1);
            }
          }).immediate();
        }),
      empty: async (collections) =>
        attempt(() => {
          for (const collection of collections) {
            clear.run(named(collection));
            held.delete(named(collection));
          }
        }),
      ping: async () => attempt(() => void some.get('')),
      close: async () => {
        if (db.open) db.close();
      },
    };
  };
  return {
    of: databaseOf,
    async close() {
      if (db.open) db.close();
    },
  };
}
