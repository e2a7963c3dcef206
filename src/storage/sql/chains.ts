/** Reads the audit chains in a domain's own database, as the audit role of that domain. */
import { type Filed, findRecords, markMisfiled } from '../../engine/audit/chain.ts';
import type { AuditChains, ChainedRecord } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';
import { type SqlText, sql } from '../../declare/sql.ts';
import type { SqlDatabase } from './database.ts';
import { toFailure } from './errors.ts';

const BATCH = 500;
const recordOf = (row: Row): ChainedRecord => ({
  chain: String(row['chain']),
  n: Number(row['n']),
  body: String(row['body']),
  mac: String(row['mac']),
});
/** The time stays text: a forged value may not be a valid timestamp. */
const filedOf = (row: Row): Filed => ({ record: recordOf(row), at: String(row['filed']), principal: row['principal'] });
const FILED = sql`chain, n, body, mac, principal, at::text as filed`;

export function createSqlChains(database: SqlDatabase, domain: string): AuditChains {
  const table = sql.ref(`${domain}.audit`);
  const fetch = async (query: SqlText) => {
    const values: unknown[] = [];
    const text = query.compile(values);
    try {
      return await database.read(`${domain}_audit`, { text, values });
    } catch (error) {
      throw toFailure(error);
    }
  };
  return {
    chains: async () =>
      (await fetch(sql`select chain, count(*)::int as count from ${table} group by chain order by chain`)).map((row) => ({
        chain: String(row['chain']),
        count: Number(row['count']),
      })),
    async *records(chain) {
      for (let after = -1; ; ) {
        const rows = await fetch(
          sql`select ${FILED} from ${table} where chain = ${chain} and n > ${after}::bigint order by n limit ${BATCH}::int`,
        );
        for (const row of rows) yield markMisfiled(filedOf(row));
        const last = rows.at(-1);
        if (rows.length < BATCH || last === undefined) return;
        after = Number(last['n']);
      }
    },
    async record(chain, n) {
      const [row] = await fetch(sql`select chain, n, body, mac from ${table} where chain = ${chain} and n = ${n}::bigint`);
      return row && recordOf(row);
    },
    newest: (query) =>
      findRecords(query, async ({ principal, keys = [], from, to, limit, before }) => {
        const rows = await fetch(sql`
          select ${FILED} from ${table}
          where true
          ${sql.given({ principal })} ${sql.when(keys[0], () => sql`tamshai.audit_keys(body) @> ${keys}::text[]`)}
          ${sql.when(from, () => sql`at >= ${from}::timestamptz`)} ${sql.when(to, () => sql`at < ${to}::timestamptz`)}
          ${sql.when(before, () => sql`(at, chain, n) < (${before?.at}::timestamptz, ${before?.chain}::text, ${before?.n}::bigint)`)}
          order by at desc, chain desc, n desc limit ${limit}::int`);
        return rows.map(filedOf);
      }),
  };
}

export async function lastLink(database: SqlDatabase, domain: string, chain: string): Promise<{ n: number; mac: string } | undefined> {
  const values: unknown[] = [];
  const text = sql`select n, mac from ${sql.ref(`${domain}.audit`)} where chain = ${chain} order by n desc limit 1`.compile(values);
  const [row] = await database.read(`${domain}_audit`, { text, values });
  return row && { n: Number(row['n']), mac: String(row['mac']) };
}
