/** The chain of approved changes in a file of our own. */
import { type Filed, found, walked } from '../../core/audit.ts';
import type { AuditChains, ChainedRecord } from '../../core/ports.ts';
import type { Sqlite } from '../sqlite-file.ts';

const BATCH = 500;
/** As bytes: this driver ends a text at its first NUL, and what follows must not be overlooked. */
const COLUMNS = 'chain, n, CAST(body AS BLOB), mac, at, principal';
type Raw = [chain: string, n: number, body: Buffer, mac: string, at: unknown, principal: unknown];
const recordOf = ([chain, n, body, mac]: Raw): ChainedRecord => ({ chain, n: Number(n), body: body.toString(), mac });
const filedOf = (row: Raw): Filed => ({ record: recordOf(row), at: String(row[4]), principal: row[5] });

export function fileChains(db: Sqlite, table: string): AuditChains {
  const all = (text: string, ...values: (string | number)[]) =>
    db
      .prepare(text)
      .raw()
      .all(...values) as Raw[];
  return {
    chains: async () =>
      (
        db.prepare(`SELECT chain, count(*) AS count FROM ${table} GROUP BY chain ORDER BY chain`).all() as {
          chain: string;
          count: number;
        }[]
      ).map(({ chain, count }) => ({ chain, count: Number(count) })),
    async *records(chain) {
      for (let after = Number.MIN_SAFE_INTEGER; ; ) {
        const rows = all(`SELECT ${COLUMNS} FROM ${table} WHERE chain = ? AND n > ? ORDER BY n LIMIT ${BATCH}`, chain, after);
        for (const row of rows) yield walked(filedOf(row));
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
      found(query, async ({ principal, limit, before }) => {
        const where = ['1', ...(principal === undefined ? [] : ['principal = ?']), ...(before ? ['(at, chain, n) < (?, ?, ?)'] : [])].join(
          ' AND ',
        );
        const values = [...(principal === undefined ? [] : [principal]), ...(before ? [before.at, before.chain, before.n] : []), limit];
        return all(`SELECT ${COLUMNS} FROM ${table} WHERE ${where} ORDER BY at DESC, chain DESC, n DESC LIMIT ?`, ...values).map(filedOf);
      }),
  };
}
