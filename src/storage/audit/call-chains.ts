/** Reads the audit chains in a SQLite file: single records, pages for people, and all records for verification. */
import { failure } from '../../declare/errors.ts';
import type { AuditChains, ChainedRecord } from '../../engine/ports.ts';
import { openSqlite, type Sqlite, storedText } from '../sqlite-file.ts';
import { misfiled, CHAINS, createAuditIndexes, bodyField } from './order.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS records (
    chain TEXT NOT NULL, n INTEGER NOT NULL, body TEXT NOT NULL, mac TEXT NOT NULL, PRIMARY KEY (chain, n)
  ) WITHOUT ROWID;
`;
const BATCH = 500;
const COUNTED_AT_ONCE = 2_000;
const othersFirst = () => new Promise((resolve) => setImmediate(resolve));

/** The driver truncates text at NUL and crashes on invalid UTF-8, so these columns are read as bytes. */
const COLUMNS = 'CAST(chain AS BLOB), n, CAST(body AS BLOB), CAST(mac AS BLOB)';
type Row = [chain: Buffer, n: number, body: Buffer, mac: Buffer, misfiled?: number];
const recordOf = ([chain, n, body, mac, misfiled]: Row): ChainedRecord => ({
  chain: storedText(chain),
  n,
  body: storedText(body),
  mac: storedText(mac),
  ...(misfiled === 1 && { misfiled: true }),
});

export interface CallChains extends AuditChains {
  /** Adds new records to the index tables. */
  catchUp(): Promise<void>;
}

export function chainsIn(db: Sqlite): CallChains {
  db.exec(SCHEMA);
  const order = createAuditIndexes(db);
  const names = db.prepare(`${CHAINS} SELECT CAST(chain AS BLOB) FROM chains WHERE chain IS NOT NULL`).raw();
  const count = db
    .prepare(`SELECT count(*), max(n) FROM (SELECT n FROM records WHERE chain = ?1 AND n > ?2 ORDER BY n LIMIT ${COUNTED_AT_ONCE})`)
    .raw();
  const after = db.prepare(`SELECT ${COLUMNS}, ${misfiled} FROM records AS r WHERE chain = ?1 AND n > ?2 ORDER BY n LIMIT ${BATCH}`).raw();
  const one = db.prepare(`SELECT ${COLUMNS} FROM records WHERE chain = ?1 AND n = ?2`).raw();
  // A changed index table must not change a result: time and person come from the record itself.
  const ofAll = db
    .prepare(
      `SELECT ${COLUMNS} FROM by_time AS t CROSS JOIN records AS r USING (chain, n)
       WHERE (t.at, t.chain, t.n) < (?1, ?2, ?3) AND ${bodyField('at')} = t.at AND ${bodyField('principal')} IS NOT NULL
       ORDER BY t.at DESC, t.chain DESC, t.n DESC LIMIT ?4`,
    )
    .raw();
  const ofOne = db
    .prepare(
      `SELECT ${COLUMNS} FROM by_person AS p CROSS JOIN records AS r USING (chain, n)
       WHERE p.principal = ?5 AND (p.at, p.chain, p.n) < (?1, ?2, ?3) AND ${bodyField('principal')} = ?5 AND ${bodyField('at')} = p.at
       ORDER BY p.at DESC, p.chain DESC, p.n DESC LIMIT ?4`,
    )
    .raw();
  /** Counts in batches: one count over all records would block the event loop. */
  async function countOf(chain: string): Promise<number> {
    let all = 0;
    for (let after = Number.NEGATIVE_INFINITY; ; ) {
      const from = after;
      const [some, last] = await attempt(() => count.get(chain, from) as [number, number]);
      all += some;
      if (some < COUNTED_AT_ONCE) return all;
      after = last;
      await othersFirst();
    }
  }
  /** A position after every record. */
  const end = { at: '~', chain: '', n: 0 };
  return {
    async chains() {
      const found: { chain: string; count: number }[] = [];
      for (const [name] of await attempt(() => names.all() as [Buffer][])) {
        const chain = storedText(name);
        // SQL cannot find a chain whose name is invalid text. Such a chain counts as 1, not 0.
        found.push({ chain, count: Math.max(1, await countOf(chain)) });
      }
      return found;
    },
    async *records(chain) {
      let rows: Row[];
      for (let n = Number.NEGATIVE_INFINITY; ; n = rows.at(-1)?.[1] ?? n) {
        const from = n;
        rows = await attempt(() => after.all(chain, from) as Row[]);
        yield* rows.map(recordOf);
        if (rows.length < BATCH) return;
        await othersFirst();
      }
    },
    record: (chain, n) =>
      attempt(() => {
        const row = one.get(chain, n) as Row | undefined;
        return row && recordOf(row);
      }),
    async newest({ principal, limit, before = end }) {
      await attempt(() => order.catchUp());
      const page = [before.at, before.chain, before.n, limit];
      const rows = await attempt(() => (principal === undefined ? ofAll.all(...page) : ofOne.all(...page, principal)) as Row[]);
      return rows.map(recordOf);
    },
    catchUp: order.catchUp,
  };
}

async function attempt<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw Object.assign(failure('SERVICE_UNAVAILABLE', 'The audit log cannot be read right now.'), { cause });
  }
}

/** Opens a call log file that another process may be writing. */
export function openCallChains(file: string): AuditChains & { close(): Promise<void> } {
  const db = openSqlite(file);
  return {
    ...chainsIn(db),
    async close() {
      db.close();
    },
  };
}
