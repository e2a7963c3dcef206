/** The embedded search store in one SQLite file. One connection reads and one writes. */
import type { ChainWriter } from '../../engine/audit/chain.ts';
import { indexedKeys } from '../../engine/audit/keys.ts';
import { Failure, failure } from '../../declare/errors.ts';
import { answerParser, type Row } from '../../declare/rows.ts';
import type { Store, StoreSession } from '../../engine/store.ts';
import { nextTurn } from '../../engine/turns.ts';
import { ownResult } from '../own-result.ts';
import { DatabaseProblem } from '../problem.ts';
import { openSqlite, type Sqlite, storedText } from '../sqlite-file.ts';
import type { Followed, SearchBackend } from './backend.ts';
import { createFileChains } from './embedded-chains.ts';
import { auditOf, effectsOf, prepareFile, tableOf, tablesIn } from './embedded-file.ts';
import { groupOf, groupsStatement } from './embedded-groups.ts';
import { condition, finding, grouping, reachable, type Scores, scoringParts, Statement, type Variants } from './embedded-sql.ts';
import { Asking, type Engine, type Hit, readerOver, writerOver } from './handles.ts';
import { type RowsQuery, type SearchDomain, type Shape, shapesOf } from './shape.ts';
import { nearest, type Sought } from './words.ts';

const BUSY_MS = 5_000;
/** How long a write at start-up waits for the file. Our own writers finish sooner. */
const HELD_MS = 30_000;
const ATTEMPTS = 12;
/** Queries with more words than this return to the event loop after each word. One word takes a few milliseconds. */
const WORDS_AT_ONCE = 4;
const SCORING_TRIES = 3;
const LOAD_AT_ONCE = 500;
/** The longest queue of changes. Further ones would time out in it, so they are refused. */
const MOST_WAITING = 200;

const codeOf = (error: unknown): string => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '');
const isBusy = (error: unknown) => codeOf(error).startsWith('SQLITE_BUSY') || codeOf(error).startsWith('SQLITE_LOCKED');
/** True if another process appended to the chain first. */
const isConflict = (error: unknown) =>
  codeOf(error).startsWith('SQLITE_CONSTRAINT_PRIMARYKEY') && error instanceof Error && error.message.includes('__audit.');

function toFailure(error: unknown): Error {
  if (error instanceof Failure) return error;
  if (isBusy(error) || isConflict(error)) return tooMany();
  if (codeOf(error).startsWith('SQLITE_'))
    return Object.assign(failure('SERVICE_UNAVAILABLE', 'The search store cannot be used right now.'), { cause: error });
  return error instanceof Error ? error : new Error('unknown');
}

const tooMany = () => failure('SERVICE_UNAVAILABLE', 'Too many changes at once.');
const heldByAnother = (file: string) =>
  new DatabaseProblem(`Another program is writing to ${file} and does not stop. Close it, and start again.`);

function openWriter(file: string, prepare: (db: Sqlite) => void): Sqlite {
  let db: Sqlite | undefined;
  try {
    db = openSqlite(file);
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    throw isBusy(error) ? heldByAnother(file) : error;
  }
}

const round = (value: unknown): unknown => (typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value);

function engineOn(db: Sqlite, domain: SearchDomain, wordsAtOnce: number): Engine<Hit> {
  const all = (statement: Statement): unknown[][] => {
    // In this driver, prepared statements still run after `close`.
    if (!db.open) throw failure('SERVICE_UNAVAILABLE', 'The search store is closed.');
    try {
      return db
        .prepare(statement.text)
        .raw()
        .all(...statement.values) as unknown[][];
    } catch (error) {
      throw toFailure(error);
    }
  };
  /** The stems of the collection that are similar to the word. */
  const near = (shape: Shape, sought: Sought): string[] => {
    const wide = sought.typos > 0 ? String.fromCodePoint(sought.stem.codePointAt(0) ?? 0) : sought.stem;
    const upTo = sought.typos > 0 || sought.begins ? `${wide}\u{10ffff}` : `${wide}\0`;
    const known = all(new Statement().add(`SELECT stem FROM ${tableOf(domain, shape)}_stems WHERE stem >= ? AND stem < ?`, wide, upTo));
    return nearest(
      sought,
      known.map(([stem]) => String(stem)),
    );
  };
  const version = db.prepare('PRAGMA data_version').raw();
  const changes = () => String(version.get());
  /** Scores the rows with enough words, one word per event loop turn. */
  async function scoresOf(asked: RowsQuery, variants: readonly Variants[]): Promise<Scores> {
    const rows = new Map<number, { words: number; score: number }>();
    for (const { isWord, statement } of scoringParts(tableOf(domain, asked.shape), asked, variants)) {
      for (const [doc, score] of all(statement) as [number, number][]) {
        const row = rows.get(doc) ?? { words: 0, score: 0 };
        rows.set(doc, row);
        row.score += score;
        if (isWord) row.words++;
      }
      await nextTurn();
    }
    const enough = [...rows].filter(([, { words }]) => words >= (asked.seek?.needed ?? 1));
    return new Map(enough.map(([doc, { score }]) => [doc, score]));
  }
  /**
   * Scores again if rows changed meanwhile, at most three times. Old scores disclose nothing: the filter applies when the rows are read.
   */
  async function settledScores(asked: RowsQuery, variants: readonly Variants[]): Promise<Scores> {
    for (let left = SCORING_TRIES; ; left--) {
      const before = changes();
      const scores = await scoresOf(asked, variants);
      if (left === 1 || changes() === before) return scores;
    }
  }
  async function wanted(asked: RowsQuery): Promise<readonly Variants[] | Scores> {
    const words = asked.seek?.words ?? [];
    const inTurns = words.length > wordsAtOnce;
    const variants: Variants[] = [];
    for (const sought of words) {
      variants.push({ sought, near: near(asked.shape, sought) });
      if (inTurns) await nextTurn();
    }
    return inTurns ? settledScores(asked, variants) : variants;
  }
  return {
    async find(asked) {
      const by = await wanted(asked);
      const rows = all(finding(tableOf(domain, asked.shape), asked, by instanceof Map ? reachable(asked, by as Scores) : by));
      return rows.map(([body, version, score]) => ({
        row: JSON.parse(String(body)) as Row,
        version: Number(version),
        score: Number(score),
      }));
    },
    async count(shape, filter) {
      const statement = new Statement().add(`SELECT count(*) FROM ${tableOf(domain, shape)} d WHERE `);
      condition(statement, shape, filter);
      return Number(all(statement)[0]?.[0] ?? 0);
    },
    async measure(asked) {
      return all(groupsStatement(tableOf(domain, asked.shape), asked, await wanted(asked))).map(groupOf(asked));
    },
    async groups(shape, filter, figures) {
      const names = [...(figures.by ?? []), ...Object.keys(figures.figures)];
      const flags = new Set((figures.by ?? []).filter((name) => shape.plain.get(name)?.is === 'flag'));
      return all(grouping(tableOf(domain, shape), shape, filter, figures)).map((values) =>
        Object.fromEntries(
          names.map((name, i) => {
            const value = values[i] ?? null;
            if (flags.has(name)) return [name, value === null ? null : value === 1];
            return [name, value === null && figures.figures[name]?.of === 'sum' ? 0 : round(value)];
          }),
        ),
      );
    },
  };
}

/** Runs the transactions on each file one at a time. Several stores of this process may share a file. */
const turns = new Map<string, Promise<unknown>>();
function inTurn<T>(file: string, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(file) ?? Promise.resolve()).then(work, work);
  turns.set(
    file,
    mine.catch(() => undefined),
  );
  return mine;
}

interface Executing {
  readonly effect: Parameters<Store<'search'>['executeOnce']>[1];
  readonly body: Parameters<Store<'search'>['executeOnce']>[2];
  /** The deadline, including the time in the queue. */
  readonly until: number;
}

export interface EmbeddedSearchOptions {
  /** How long a write at start-up waits for another program that writes to the file. */
  readonly heldMs?: number;
  /** Queries with at most this many words run in one event loop turn. */
  readonly wordsAtOnce?: number;
}

export function openEmbeddedSearch(
  file: string,
  domain: SearchDomain,
  { heldMs = HELD_MS, wordsAtOnce = WORDS_AT_ONCE }: EmbeddedSearchOptions = {},
): SearchBackend {
  if (file === ':memory:') throw new Error('readers and the writer need a file that they share');
  const shapes = shapesOf(domain);
  const [auditTable, effectsTable] = [auditOf(domain), effectsOf(domain)];
  const writer = openWriter(file, (db) => prepareFile(db, domain, shapes));
  const reader = openSqlite(file);
  reader.pragma('query_only = ON');
  // The driver would block the whole process while it waits, so `begin` waits instead.
  writer.pragma('busy_timeout = 0');
  const tables = tablesIn(writer, domain, shapes);
  const [reading, writing] = [engineOn(reader, domain, wordsAtOnce), engineOn(writer, domain, wordsAtOnce)];
  const kept = (db: Sqlite, id: string) =>
    db.prepare(`SELECT principal, result FROM ${effectsTable} WHERE id = ?`).get(id) as { principal: string; result: string } | undefined;

  async function begin(until: number, late: () => Error): Promise<void> {
    for (;;) {
      if (!writer.open) throw failure('SERVICE_UNAVAILABLE', 'The search store is closed.');
      if (Date.now() > until) throw late();
      try {
        writer.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
      }
      await new Promise((again) => setTimeout(again, 2 + Math.random() * 8));
    }
  }
  /** `until` is a deadline that includes the time in the queue. Without it, the transaction waits `heldMs` for the file. */
  const transaction = <T>(body: () => Promise<T>, until?: number): Promise<T> =>
    inTurn(file, async () => {
      if (until === undefined) await begin(Date.now() + heldMs, () => heldByAnother(file));
      else await begin(until, tooMany);
      try {
        const result = await body();
        writer.exec('COMMIT');
        return result;
      } catch (error) {
        if (writer.open && writer.inTransaction) writer.exec('ROLLBACK');
        throw error;
      }
    });

  let waiting = 0;
  const declared = (collection: string): Shape => {
    const shape = shapes.get(collection);
    if (shape === undefined) throw new Error(`${domain.name} declares no collection ${collection}`);
    return shape;
  };
  const audit = createFileChains(reader, auditTable);
  const close = async () => {
    await inTurn(file, async () => {
      for (const db of [reader, writer]) if (db.open) db.close();
    });
  };
  return {
    product: `SQLite ${(reader.prepare('SELECT sqlite_version() AS v').get() as { v: string }).v}`,
    audit,
    // Effect and audit record are one transaction, so nothing can be left open.
    settle: async () => 0,
    last: async (chain) => {
      const row = reader
        .prepare(`SELECT n, CAST(mac AS BLOB) FROM ${auditTable} WHERE chain = ? ORDER BY n DESC LIMIT 1`)
        .raw()
        .get(chain) as [number, Buffer] | undefined;
      return row && { n: Number(row[0]), mac: storedText(row[1]) };
    },
    async empty() {
      await transaction(async () => {
        for (const shape of shapes.values()) {
          const table = tableOf(domain, shape);
          writer.exec(
            `DELETE FROM ${table}; DELETE FROM ${table}_stems; INSERT INTO ${table}_words (${table}_words) VALUES ('delete-all')`,
          );
        }
      });
    },
    loader: {
      async isEmpty(collection) {
        const shape = declared(collection);
        return reader.prepare(`SELECT 1 FROM ${tableOf(domain, shape)} LIMIT 1`).get() === undefined;
      },
      async fill(collection, rows, written) {
        const shape = declared(collection);
        await transaction(async () => {
          const seen = new Set<string>();
          let waiting = 0;
          for (const row of rows) {
            tables.insert(shape, shape.stored({ ...row }), 1, seen);
            if (++waiting < LOAD_AT_ONCE) continue;
            written(waiting);
            waiting = 0;
            await new Promise((next) => setImmediate(next));
          }
          written(waiting);
        });
      },
    },
    follow: ({ collection, print, wanted, row }) =>
      transaction(async (): Promise<Followed> => {
        const shape = declared(collection);
        const there = tables.valuesOf(shape, print);
        const [seen, gone] = [new Set<string>(), new Set([...there.keys()].filter((id) => !wanted.has(id)))];
        let written = 0;
        for (const [id, wantedPrint] of wanted) {
          if (there.get(id) === wantedPrint) continue;
          const made = row(id);
          if (made === undefined) {
            if (there.has(id)) gone.add(id);
            continue;
          }
          // No approval refers to these rows, so a changed row starts again at version 1.
          tables.remove(shape, id);
          tables.insert(shape, shape.stored({ ...made, [shape.key]: id, [print]: wantedPrint }), 1, seen);
          if (++written % LOAD_AT_ONCE === 0) await new Promise((next) => setImmediate(next));
        }
        for (const id of gone) tables.remove(shape, id);
        return { written, removed: gone.size };
      }),
    store: (chain) => ({
      kind: 'search',
      read: (who, body) => {
        const versions: string[] = [];
        return body({ search: readerOver(new Asking(reading, shapes, who), versions) }, versions);
      },
      async page(who, query, window, item) {
        return (await new Asking(reading, shapes, who).find(query, window)).rows.map(answerParser(item));
      },
      groups: (who, query, asked) => new Asking(reading, shapes, who).measure(query, asked),
      async executeOnce(who, effect, body) {
        if (waiting >= MOST_WAITING) throw failure('SERVICE_UNAVAILABLE', 'Too many changes are waiting.');
        waiting++;
        const until = Date.now() + BUSY_MS;
        try {
          for (let attempt = 1; ; attempt++) {
            try {
              return await tryToExecute(chain, who, { effect, body, until });
            } catch (error) {
              if (!writer.open) throw failure('SERVICE_UNAVAILABLE', 'The search store is closed.');
              if (!isConflict(error) || attempt === ATTEMPTS) throw toFailure(error);
            }
          }
        } finally {
          waiting--;
        }
      },
      async findResult(who, id) {
        if (!reader.open) throw failure('SERVICE_UNAVAILABLE', 'The search store is closed.');
        const found = kept(reader, id);
        return found?.principal === who.person.principal ? (JSON.parse(found.result) as unknown) : undefined;
      },
      audit,
      async ping() {
        if (!reader.open) throw failure('SERVICE_UNAVAILABLE', 'The search store is closed.');
        reader.prepare('SELECT 1').get();
      },
      close,
    }),
    close,
  };

  async function tryToExecute(chain: ChainWriter, who: StoreSession, { effect: { id, tool }, body, until }: Executing): Promise<unknown> {
    let release: (committed: boolean) => Promise<void> = async () => {};
    let committed = false;
    try {
      await chain.ready();
      const result = await transaction(async () => {
        if (id !== undefined) {
          const before = kept(writer, id);
          if (before !== undefined) return ownResult(before, who.person.principal);
        }
        const versions: string[] = [];
        const asking = new Asking(writing, shapes, who);
        const { handle, written } = writerOver(asking, who, id);
        const effected = await body({ reading: { search: readerOver(asking, versions) }, writing: { search: handle } }, versions);
        const write = written();
        if (write === undefined && id !== undefined) throw new Error(`${tool} was approved and writes nothing`);
        if (write) (write.before === undefined ? tables.insert : tables.update)(write.shape, write.stored, write.version);
        if (id !== undefined) {
          writer
            .prepare(`INSERT INTO ${effectsTable} VALUES (?, ?, ?, ?, ?)`)
            .run(id, tool, who.person.principal, JSON.stringify(effected.result), effected.audit.at);
        }
        const next = await chain.next(effected.audit);
        release = next.release;
        const { record } = next;
        writer
          .prepare(`INSERT INTO ${auditTable} VALUES (?, ?, ?, ?, ?, ?)`)
          .run(record.chain, record.n, record.body, record.mac, effected.audit.at, effected.audit.principal);
        for (const key of indexedKeys(effected.audit))
          writer.prepare(`INSERT INTO ${auditTable}_keys VALUES (?, ?, ?, ?)`).run(key, effected.audit.at, record.chain, record.n);
        return effected.result;
      }, until);
      committed = true;
      return result;
    } finally {
      await release(committed);
    }
  }
}
