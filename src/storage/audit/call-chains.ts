/** Reads the audit chains in a SQLite file: single records, pages for people, and all records for verification. */
import { type Filed, findRecords } from '../../engine/audit/chain.ts';
import { indexedIn } from '../../engine/audit/keys.ts';
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

type Paged = [chain: Buffer, n: number, body: Buffer, mac: Buffer, at: string, principal: Buffer];
const filedOf = ([chain, n, body, mac, at, principal]: Paged): Filed => ({
  record: recordOf([chain, n, body, mac]),
  at,
  principal: storedText(principal),
});
/** A text after every time. */
const END = '~';

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
  // A changed index table must not change a result: time, person and keys come from the record itself.
  const within = 'AND i.at >= ?5 AND i.at < ?6';
  const isFiled = `${bodyField('principal')} IS NOT NULL AND ${bodyField('at')} = i.at`;
  const newestIn = (table: string, condition: string) =>
    db
      .prepare(
        `SELECT ${COLUMNS}, i.at, CAST(${bodyField('principal')} AS BLOB) FROM ${table} AS i CROSS JOIN records AS r USING (chain, n)
         WHERE ${condition} (i.at, i.chain, i.n) < (?1, ?2, ?3) ${within} AND ${isFiled}
         ORDER BY i.at DESC, i.chain DESC, i.n DESC LIMIT ?4`,
      )
      .raw();
  const ofAll = newestIn('by_time', '');
  const ofOne = newestIn('by_person', `i.principal = ?7 AND ${bodyField('principal')} = ?7 AND`);
  const ofKey = newestIn('by_key', 'i.key = ?7 AND');
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
  const end = { at: END, chain: '', n: 0 };
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
    async newest(query) {
      await attempt(() => order.catchUp());
      return findRecords(query, async ({ principal, keys, from = '', to = END, limit, before = end }) => {
        const page = [before.at, before.chain, before.n, limit, from, to];
        const [key] = indexedIn({ keys });
        // Only the person's own records are read, so that the time of an answer tells nothing of other people's.
        const rows = await attempt(() => {
          if (principal !== undefined) return ofOne.all(...page, principal) as Paged[];
          return (key === undefined ? ofAll.all(...page) : ofKey.all(...page, key)) as Paged[];
        });
        return rows.map(filedOf);
      });
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
