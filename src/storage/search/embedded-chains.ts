/** Reads the audit chains in the SQLite file of the embedded search store. */
import { type Filed, findRecords, markMisfiled } from '../../engine/audit/chain.ts';
import { indexedIn } from '../../engine/audit/keys.ts';
import type { AuditChains, ChainedRecord } from '../../engine/ports.ts';
import { type Sqlite, storedText } from '../sqlite-file.ts';

const BATCH = 500;
/** A text after every time. */
const END = '~';
/** The driver truncates text at NUL and crashes on invalid UTF-8, so these columns are read as bytes. */
const columnsOf = (table: string): string =>
  [
    ...['chain', 'n', 'body', 'mac', 'at', 'principal'].map((name) => (name === 'n' ? 'a.n' : `CAST(a.${name} AS BLOB)`)),
    `(SELECT json_group_array(key) FROM ${table}_keys AS o WHERE o.chain = a.chain AND o.n = a.n AND o.at = a.at)`,
  ].join(', ');
type Raw = [chain: Buffer, n: number, body: Buffer, mac: Buffer, at: Buffer, principal: Buffer, keys: string];
const recordOf = ([chain, n, body, mac]: Raw): ChainedRecord => ({
  chain: storedText(chain),
  n: Number(n),
  body: storedText(body),
  mac: storedText(mac),
});
const filedOf = (row: Raw): Filed => ({
  record: recordOf(row),
  at: storedText(row[4]),
  principal: storedText(row[5]),
  keys: JSON.parse(row[6]),
});

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
        const rows = all(
          `SELECT ${columnsOf(table)} FROM ${table} AS a WHERE a.chain = ? AND a.n > ? ORDER BY a.n LIMIT ${BATCH}`,
          chain,
          after,
        );
        for (const row of rows) yield markMisfiled(filedOf(row));
        const last = rows.at(-1);
        if (rows.length < BATCH || last === undefined) return;
        after = Number(last[1]);
      }
    },
    async record(chain, n) {
      const [row] = all(`SELECT ${columnsOf(table)} FROM ${table} AS a WHERE a.chain = ? AND a.n = ?`, chain, n);
      return row && recordOf(row);
    },
    newest: (query) =>
      findRecords(query, async ({ principal, keys, from = '', to = END, limit, before = { at: END, chain: '', n: 0 } }) => {
        const [key] = principal === undefined ? indexedIn({ keys }) : [];
        const source = key === undefined ? `${table} AS a` : `${table}_keys AS k CROSS JOIN ${table} AS a USING (chain, n)`;
        const i = key === undefined ? 'a' : 'k';
        const where = [
          ...(principal === undefined ? [] : ['a.principal = ?']),
          ...(key === undefined ? [] : ['k.key = ?']),
          `${i}.at >= ? AND ${i}.at < ? AND (${i}.at, ${i}.chain, ${i}.n) < (?, ?, ?)`,
        ].join(' AND ');
        const order = `${i}.at DESC, ${i}.chain DESC, ${i}.n DESC`;
        const given = [principal, key].filter((value) => value !== undefined);
        return all(
          `SELECT ${columnsOf(table)} FROM ${source} WHERE ${where} ORDER BY ${order} LIMIT ?`,
          ...given,
          from,
          to,
          before.at,
          before.chain,
          before.n,
          limit,
        ).map(filedOf);
      }),
  };
}
