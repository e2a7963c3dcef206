/** Reads the audit chains in the SQLite file of the embedded search store. */
import { type Filed, findRecords, markMisfiled } from '../../engine/audit/chain.ts';
import type { AuditChains, ChainedRecord } from '../../engine/ports.ts';
import { type Sqlite, storedText } from '../sqlite-file.ts';

const BATCH = 500;
/** The driver truncates text at NUL and crashes on invalid UTF-8, so these columns are read as bytes. */
const COLUMNS = ['chain', 'n', 'body', 'mac', 'at', 'principal'].map((name) => (name === 'n' ? name : `CAST(${name} AS BLOB)`)).join(', ');
type Raw = [chain: Buffer, n: number, body: Buffer, mac: Buffer, at: Buffer, principal: Buffer];
const recordOf = ([chain, n, body, mac]: Raw): ChainedRecord => ({
  chain: storedText(chain),
  n: Number(n),
  body: storedText(body),
  mac: storedText(mac),
});
const filedOf = (row: Raw): Filed => ({ record: recordOf(row), at: storedText(row[4]), principal: storedText(row[5]) });

export function createFileChains(db: Sqlite, table: string): AuditChains {
  const all = (text: string, ...values: (string | number)[]) =>
    db
      .prepare(text)
      .raw()
      .all(...values) as Raw[];
  return {
    chains: async () =>
      (
        db.prepare(`SELECT CAST(chain AS BLOB), count(*) FROM ${table} GROUP BY chain ORDER BY chain`).raw().all() as [Buffer, number][]
      ).map(([chain, count]) => ({ chain: storedText(chain), count: Number(count) })),
    async *records(chain) {
      for (let after = Number.MIN_SAFE_INTEGER; ; ) {
        const rows = all(`SELECT ${COLUMNS} FROM ${table} WHERE chain = ? AND n > ? ORDER BY n LIMIT ${BATCH}`, chain, after);
        for (const row of rows) yield markMisfiled(filedOf(row));
        const last = rows.at(-1);
        if (rows.length < BATCH || last === undefined) return;
        after = Number(last[1]);
      }
    },
    async record(chain, n) {
      const [row] = all(`SELECT ${COLUMNS} FROM ${table} WHERE chain = ? AND n = ?`, chain, n);
      return row && recordOf(row);
    },
    newest: (query) =>
      findRecords(query, async ({ principal, limit, before }) => {
        const where = ['1', ...(principal === undefined ? [] : ['principal = ?']), ...(before ? ['(at, chain, n) < (?, ?, ?)'] : [])].join(
          ' AND ',
        );
        const values = [...(principal === undefined ? [] : [principal]), ...(before ? [before.at, before.chain, before.n] : []), limit];
        return all(`SELECT ${COLUMNS} FROM ${table} WHERE ${where} ORDER BY at DESC, chain DESC, n DESC LIMIT ?`, ...values).map(filedOf);
      }),
  };
}
