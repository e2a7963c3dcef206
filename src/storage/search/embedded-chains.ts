/** The chain of approved changes in a file of our own. */
import type { AuditChains, ChainedRecord } from '../../core/ports.ts';
import type { Sqlite } from '../sqlite-file.ts';

const BATCH = 500;
type Raw = [string, number, string, string];
const recordOf = ([chain, n, body, mac]: Raw): ChainedRecord => ({ chain, n: Number(n), body, mac });

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
      for (let after = -1; ; ) {
        const rows = all(`SELECT chain, n, body, mac FROM ${table} WHERE chain = ? AND n > ? ORDER BY n LIMIT ${BATCH}`, chain, after);
        for (const row of rows) yield recordOf(row);
        const last = rows.at(-1);
        if (rows.length < BATCH || last === undefined) return;
        after = Number(last[1]);
      }
    },
    async record(chain, n) {
      const [row] = all(`SELECT chain, n, body, mac FROM ${table} WHERE chain = ? AND n = ?`, chain, n);
      return row && recordOf(row);
    },
    async newest({ principal, limit, before }) {
      const where = ['1', ...(principal === undefined ? [] : ['principal = ?']), ...(before ? ['(at, chain, n) < (?, ?, ?)'] : [])].join(
        ' AND ',
      );
      const values = [...(principal === undefined ? [] : [principal]), ...(before ? [before.at, before.chain, before.n] : []), limit];
      return all(`SELECT chain, n, body, mac FROM ${table} WHERE ${where} ORDER BY at DESC, chain DESC, n DESC LIMIT ?`, ...values).map(
        recordOf,
      );
    },
  };
}
