/** Imports a file into the tables of an SQL domain as the migration role of the domain, in one transaction. */
import type pg from 'pg';
import { type SqlText, sql } from '../declare/sql.ts';
import type { Counts, OnProgress, OwnerSql, Transfer } from '../declare/transfer.ts';
import { withoutRowSecurity } from '../storage/sql/bulk.ts';
import { ownerOf } from '../storage/sql/domain-rules.ts';

function ownerSql(owner: pg.ClientBase): OwnerSql {
  const run = async (statement: SqlText) => {
    const values: unknown[] = [];
    const text = statement.compile(values);
    return (await owner.query<Record<string, unknown>>(text, values)).rows;
  };
  return {
    run,
    async insert(table, columns, rows) {
      if (rows.length === 0) return;
      const [into, names] = [sql.ref(table), sql.list(columns.map((column) => sql.ref(column)))];
      const json = JSON.stringify(rows);
      await run(sql`insert into ${into} (${names}) select ${names} from json_populate_recordset(null::${into}, ${json}::json)`);
    },
  };
}

export interface ImportOptions {
  /** The lines after the first one, without line feeds. */
  readonly lines: AsyncIterable<Uint8Array>;
  readonly onProgress: OnProgress;
  /** Called if the store is not empty; it must throw. */
  readonly occupied: (content: string) => never;
}

export async function importInto(
  owner: pg.ClientBase,
  {
    domain,
    transfer,
    importing,
  }: { readonly domain: string; readonly transfer: Transfer; readonly importing: ReturnType<Transfer['import']> },
  { lines, onProgress, occupied }: ImportOptions,
): Promise<Counts> {
  const handle = ownerSql(owner);
  let counts: Counts = {};
  // Triggers of the domain run with the rights of this role, too.
  await owner.query(`begin; set local role ${ownerOf(domain)}`);
  try {
    await withoutRowSecurity(owner, transfer.tables, async () => {
      const content = await transfer.content(handle);
      if (content !== undefined) occupied(content);
      counts = await importing.write(handle, lines, onProgress);
      await owner.query('set constraints all immediate');
    });
    await owner.query('commit');
  } catch (error) {
    // A broken connection is rolled back by the server. The first error is the one to report.
    await owner.query('rollback').catch(() => {});
    throw error;
  }
  for (const table of transfer.tables) await owner.query(`analyze ${sql.ref(table).strings[0]}`);
  return counts;
}
