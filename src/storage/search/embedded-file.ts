/** The SQLite tables of the embedded search store: rows as JSON, their stems in an FTS5 index, and a list of all stems. */
import { fieldName } from '../../declare/filter.ts';
import type { Row } from '../../declare/rows.ts';
import { keysFrom } from '../audit/order.ts';
import type { Sqlite } from '../sqlite-file.ts';
import { printOf, type SearchDomain, type Shape, type Stored } from './shape.ts';

export const tableOf = (domain: SearchDomain, shape: Shape): string => `${domain.name}_${shape.name}`;

/** A collection name begins with a letter, so no collection can have these table names. */
export const auditOf = ({ name }: SearchDomain): string => `${name}__audit`;
export const effectsOf = ({ name }: SearchDomain): string => `${name}__effects`;

const platform = (audit: string, effects: string) => `
  CREATE TABLE IF NOT EXISTS shapes (name TEXT PRIMARY KEY, print TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ${effects} (id TEXT PRIMARY KEY, tool TEXT NOT NULL, principal TEXT NOT NULL, result TEXT NOT NULL,
  at TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ${audit} (chain TEXT, n INTEGER, body TEXT NOT NULL, mac TEXT NOT NULL, at TEXT NOT NULL,
  principal TEXT NOT NULL, PRIMARY KEY (chain, n)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ${audit}_by_time ON ${audit} (at, chain, n);
  CREATE INDEX IF NOT EXISTS ${audit}_by_person ON ${audit} (principal, at, chain, n);
  CREATE TABLE IF NOT EXISTS ${audit}_keys (key TEXT NOT NULL, at TEXT NOT NULL, chain TEXT NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (key, at, chain, n)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS ${audit}_keys_of ON ${audit}_keys (chain, n);
`;

const OLDER = 'SELECT 1 FROM sqlite_master WHERE name = ?1 AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = ?2)';

export interface Tables {
  insert(shape: Shape, stored: Stored, version: number, seen?: Set<string>): void;
  update(shape: Shape, stored: Stored, version: number): void;
  remove(shape: Shape, id: string): void;
  /** The value of one field in every row, by row key. */
  valuesOf(shape: Shape, field: string): Map<string, string>;
}

export function prepareFile(db: Sqlite, domain: SearchDomain, shapes: ReadonlyMap<string, Shape>): void {
  const audit = auditOf(domain);
  const isOlder = db.prepare(OLDER).get(audit, `${audit}_keys`) !== undefined;
  db.exec(platform(audit, effectsOf(domain)));
  // The audit records of an older version have no keys.
  if (isOlder) db.exec(`INSERT OR IGNORE INTO ${audit}_keys ${keysFrom(audit, 'at, chain, n')}`);
  for (const shape of shapes.values()) {
    const table = tableOf(domain, shape);
    const known = (db.prepare('SELECT print FROM shapes WHERE name = ?').get(table) as { print: string } | undefined)?.print;
    if (known === printOf(shape)) continue;
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(
        `CREATE TABLE IF NOT EXISTS ${table} (doc INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL,
          body TEXT NOT NULL, f TEXT NOT NULL, l TEXT NOT NULL)`,
      );
      db.exec(`DROP TABLE IF EXISTS ${table}_words; DROP TABLE IF EXISTS ${table}_stems`);
      const columns = shape.texts.length > 0 ? shape.texts.map((_, i) => `c${i}`) : ['c0'];
      db.exec(
        `CREATE VIRTUAL TABLE ${table}_words USING fts5 (${columns.join(', ')}, content='', contentless_delete=1,
          tokenize="unicode61 remove_diacritics 0")`,
      );
      db.exec(`CREATE TABLE ${table}_stems (stem TEXT PRIMARY KEY) WITHOUT ROWID`);
      (shape.spec.indexes ?? []).forEach((names, i) => {
        const keys = names.map((name) => (name === shape.key ? 'id' : `json_extract(f, '$."${name}"')`));
        db.exec(
          `DROP INDEX IF EXISTS
            ${table}_${i}; CREATE INDEX ${table}_${i} ON ${table} (${[...keys, ...(names.includes(shape.key) ? [] : ['id'])].join(', ')})`,
        );
      });
      again(db, domain, shape);
      db.prepare('INSERT INTO shapes VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET print = excluded.print').run(table, printOf(shape));
      db.exec('COMMIT');
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Indexes every row again from its stored body. */
function again(db: Sqlite, domain: SearchDomain, shape: Shape): void {
  const table = tableOf(domain, shape);
  const index = indexing(db, table, shape);
  const seen = new Set<string>();
  const write = db.prepare(`UPDATE ${table} SET f = ?, l = ? WHERE doc = ?`);
  const next = db.prepare(`SELECT doc, body FROM ${table} WHERE doc > ? ORDER BY doc LIMIT 500`);
  for (let after = 0; ; ) {
    const rows = next.all(after) as { doc: number; body: string }[];
    for (const { doc, body } of rows) {
      const stored = shape.stored(JSON.parse(body) as Row);
      write.run(JSON.stringify(stored.f), JSON.stringify(stored.l), doc);
      index(doc, stored, seen);
      after = doc;
    }
    if (rows.length === 0) return;
  }
}

/** `seen` contains the stems that this transaction has already written. */
function indexing(db: Sqlite, table: string, shape: Shape): (doc: number, stored: Stored, seen?: Set<string>) => void {
  const columns = Math.max(1, shape.texts.length);
  const words = db.prepare(
    `INSERT INTO ${table}_words (rowid,
      ${Array.from({ length: columns }, (_, i) => `c${i}`).join(', ')}) VALUES (?${', ?'.repeat(columns)})`,
  );
  const stem = db.prepare(`INSERT OR IGNORE INTO ${table}_stems SELECT value FROM json_each(?)`);
  return (doc, { w }, seen = new Set()) => {
    const texts = shape.texts.map(({ name }) => w[name] ?? '');
    words.run(doc, ...(texts.length > 0 ? texts : ['']));
    const all: string[] = [];
    for (const text of texts) {
      for (const word of text.split(' ')) {
        if (word === '' || seen.has(word)) continue;
        seen.add(word);
        all.push(word);
      }
    }
    // Stems of deleted rows stay. They cost a lookup without results.
    if (all.length > 0) stem.run(JSON.stringify(all));
  };
}

export function tablesIn(db: Sqlite, domain: SearchDomain, shapes: ReadonlyMap<string, Shape>): Tables {
  const statements = new Map(
    [...shapes.values()].map((shape) => {
      const table = tableOf(domain, shape);
      return [
        shape.name,
        {
          index: indexing(db, table, shape),
          insert: db.prepare(`INSERT INTO ${table} (id, version, body, f, l) VALUES (?, ?, ?, ?, ?)`),
          update: db.prepare(`UPDATE ${table} SET version = ?, body = ?, f = ?, l = ? WHERE id = ? AND version = ?`),
          doc: db.prepare(`SELECT doc FROM ${table} WHERE id = ?`).raw(),
          forget: db.prepare(`DELETE FROM ${table}_words WHERE rowid = ?`),
          remove: db.prepare(`DELETE FROM ${table} WHERE doc = ?`),
          values: db.prepare(`SELECT id, json_extract(f, ?) FROM ${table}`).raw(),
        },
      ];
    }),
  );
  const of = (shape: Shape) => {
    const found = statements.get(shape.name);
    if (found === undefined) throw new Error(`no collection ${shape.name}`);
    return found;
  };
  return {
    insert(shape, stored, version, seen) {
      const { insert, index } = of(shape);
      const { lastInsertRowid } = insert.run(
        stored.id,
        version,
        JSON.stringify(stored.row),
        JSON.stringify(stored.f),
        JSON.stringify(stored.l),
      );
      index(Number(lastInsertRowid), stored, seen);
    },
    update(shape, stored, version) {
      const { update, doc, forget, index } = of(shape);
      const { changes } = update.run(
        version,
        JSON.stringify(stored.row),
        JSON.stringify(stored.f),
        JSON.stringify(stored.l),
        stored.id,
        version - 1,
      );
      if (changes !== 1) throw new Error('the row was changed in its own transaction');
      const [at] = doc.get(stored.id) as [number];
      forget.run(at);
      index(at, stored);
    },
    remove(shape, id) {
      const { remove, doc, forget } = of(shape);
      const [at] = (doc.get(id) as [number] | undefined) ?? [];
      if (at === undefined) return;
      forget.run(at);
      remove.run(at);
    },
    valuesOf: (shape, field) =>
      new Map((of(shape).values.all(`$."${fieldName(field)}"`) as [string, unknown][]).map(([id, value]) => [id, String(value)])),
  };
}
