/** The index tables of the call log: records by time, by person and by index key. */
import { type Sqlite, storedText } from '../sqlite-file.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS by_person (
    principal TEXT NOT NULL, at TEXT NOT NULL, chain TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (principal, at, chain, n)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS by_time (at TEXT NOT NULL, chain TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (at, chain, n)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS by_key (
    key TEXT NOT NULL, at TEXT NOT NULL, chain TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (key, at, chain, n)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ordered_until (chain TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID;
  DROP INDEX IF EXISTS records_by_time;
`;
const STEP = 500;

/** SQL for a field of the record's body. It is NULL for a damaged record, which gets no index entry. */
export const bodyField = (field: 'at' | 'principal' | 'requestId' | 'username' | 'tool' | 'server' | 'decision'): string =>
  `CASE WHEN json_valid(body) AND json_type(body, '$.${field}') = 'text' THEN json_extract(body, '$.${field}') END`;

/** SQL for the index keys of a record as a JSON array, the same as `indexedKeys`. Keys that the record does not have are NULL. */
const KEYS = `json_array(
  'request:' || ${bodyField('requestId')}, 'person:' || ${bodyField('username')},
  'tool:' || ${bodyField('tool')}, 'server:' || ${bodyField('server')},
  CASE WHEN ${bodyField('decision')} <> 'allowed' THEN 'decision:' || ${bodyField('decision')} END)`;
const RECORDS = `CASE WHEN json_valid(body) AND json_type(body, '$.records') = 'array' THEN json_extract(body, '$.records') ELSE '[]' END`;
/** SQL for one row for each index key of the records in \`from\`. */
export const keysFrom = (from: string, columns: string): string =>
  `SELECT k.value AS key, ${columns} FROM ${from} AS r, json_each(${KEYS}) AS k WHERE k.type = 'text'
   UNION ALL SELECT 'record:' || k.value AS key, ${columns} FROM ${from} AS r, json_each(${RECORDS}) AS k WHERE k.type = 'text'`;

/** SQL for the names of all chains. It uses the primary key: a full scan takes longer each day. */
export const CHAINS = `WITH RECURSIVE chains (chain) AS (
    SELECT min(chain) FROM records
    UNION ALL SELECT (SELECT min(chain) FROM records WHERE chain > chains.chain) FROM chains WHERE chain IS NOT NULL
  )`;

/** SQL: true if an indexed record is missing in one of the index tables. */
export const misfiled = `r.n <= (SELECT u.n FROM ordered_until AS u WHERE u.chain = r.chain) AND NOT (
  EXISTS (SELECT 1 FROM by_time AS t WHERE t.at = ${bodyField('at')} AND t.chain = r.chain AND t.n = r.n)
  AND EXISTS (SELECT 1 FROM by_person AS p WHERE p.principal = ${bodyField('principal')} AND p.at = ${bodyField('at')} AND p.chain = r.chain AND p.n = r.n)
  AND NOT EXISTS (SELECT 1 FROM (${keysFrom('(SELECT r.body)', '1')}) AS w WHERE NOT EXISTS (
    SELECT 1 FROM by_key AS b WHERE b.key = w.key AND b.at = ${bodyField('at')} AND b.chain = r.chain AND b.n = r.n)))`;

const WITHOUT_KEYS = `SELECT 1 FROM sqlite_master WHERE name = 'by_time'
  AND NOT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'by_key')`;

/** Fills the index tables in batches after the append. Indexes on `records` itself would cost more than the append. */
export function createAuditIndexes(db: Sqlite): { catchUp(): Promise<void> } {
  const isOlder = db.prepare(WITHOUT_KEYS).get() !== undefined;
  db.exec(SCHEMA);
  // A file of an older version has no index by key, so all its records are indexed again.
  if (isOlder) db.exec('DELETE FROM ordered_until');
  const behind = db
    .prepare(
      `${CHAINS}, ends AS (
         SELECT chain, coalesce((SELECT n FROM ordered_until AS u WHERE u.chain = chains.chain), 0) AS until,
           (SELECT max(n) FROM records AS r WHERE r.chain = chains.chain) AS n
         FROM chains WHERE chain IS NOT NULL
       )
       SELECT CAST(chain AS BLOB), until, n FROM ends WHERE n > until`,
    )
    .raw();
  const from = 'FROM records WHERE chain = ?1 AND n > ?2 AND n <= ?3';
  const fillPeople = db.prepare(
    `INSERT OR IGNORE INTO by_person SELECT ${bodyField('principal')} AS principal, ${bodyField('at')}, chain, n ${from} ORDER BY ` +
      'principal',
  );
  const fillTimes = db.prepare(`INSERT OR IGNORE INTO by_time SELECT ${bodyField('at')}, chain, n ${from}`);
  const fillKeys = db.prepare(
    `INSERT OR IGNORE INTO by_key SELECT * FROM (${keysFrom(`(SELECT * ${from})`, `${bodyField('at')}, chain, n`)}) ORDER BY key`,
  );
  // A forged record number can be arbitrarily large, so each step ends at an existing record.
  const stop = db
    .prepare(`SELECT max(n) FROM (SELECT n FROM records WHERE chain = ?1 AND n > ?2 AND n <= ?3 ORDER BY n LIMIT ${STEP})`)
    .raw();
  const note = db.prepare('INSERT INTO ordered_until VALUES (?1, ?2) ON CONFLICT (chain) DO UPDATE SET n = excluded.n');
  const step = db.transaction((chain: string, after: number, to: number) => {
    fillPeople.run(chain, after, to);
    fillTimes.run(chain, after, to);
    fillKeys.run(chain, after, to);
    note.run(chain, to);
  });

  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const run = async () => {
    for (const [name, until, last] of behind.all() as [Buffer, number, number][]) {
      const chain = storedText(name);
      for (let after = until; after < last && db.open; ) {
        const [to] = stop.get(chain, after, last) as [number | null];
        if (to === null) break;
        step.immediate(chain, after, to);
        after = to;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
  const begin = () => {
    running = run().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    catchUp() {
      if (running === undefined) return begin();
      // The running update may miss new records, so this caller gets the next update.
      next ??= running
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          return begin();
        });
      return next;
    },
  };
}
