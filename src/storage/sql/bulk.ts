/** Loads many rows with COPY or with one JSON parameter per batch. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Cell, SampleRow, SampleTable } from '../../declare/sample.ts';

const BATCH = 500;
const CHUNK = 1 << 16;

/**
 * Runs `work` without row-level security for the owner, also on the tables that these tables refer to: a new foreign key is checked as the
 * owner. Call it inside a transaction: a rollback then restores the security. The lock of `alter table` keeps other sessions away.
 */
export async function withoutRowSecurity(owner: pg.ClientBase, tables: readonly string[], work: () => Promise<void>): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    `with named as (select name::regclass as oid, n from unnest($1::text[]) with ordinality t (name, n)),
       referenced as (select confrelid from pg_constraint where contype = 'f' and conrelid in (select oid from named)
         and confrelid not in (select oid from named))
     select c.oid::regclass::text as name from (select oid, n from named union select confrelid, null from referenced) t
       join pg_class c using (oid) where c.relforcerowsecurity order by n, c.oid`,
    [tables],
  );
  for (const { name } of rows) await owner.query(`alter table ${name} no force row level security`);
  await work();
  for (const { name } of rows) await owner.query(`alter table ${name} force row level security`);
}

/**
 * Drops indexes, keys and foreign keys of a table, except keys that other tables reference. Returns the statements that create them again.
 */
export async function withoutIndexes(owner: pg.ClientBase, table: string): Promise<string[]> {
  const { rows } = await owner.query<{ drop: string; make: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
      format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as make, contype = 'f' as last
    from pg_constraint c where conrelid = $1::regclass
      and (contype = 'f' or contype in ('p', 'u') and not exists (select from pg_constraint f where f.contype = 'f'
      and f.conindid = c.conindid))
    union all
    select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid), false
    from pg_index where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)
    order by last, make`,
    [table],
  );
  for (const { drop } of rows) await owner.query(drop);
  return rows.map(({ make }) => make);
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const field = (cell: Cell): string => {
  if (cell === null) return '\\N';
  const text = typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
  return text.replace(/[\\\t\n\r]/g, (letter) => escapes[letter] ?? letter);
};

function* chunksOf(table: SampleTable, count: (rows: number) => void): Iterable<Buffer> {
  let text = '';
  let rows = 0;
  for (const row of table.rows()) {
    text += `${row.map(field).join('\t')}\n`;
    rows++;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    count(rows);
    text = '';
    rows = 0;
  }
  if (rows > 0) yield Buffer.from(text);
  count(rows);
}

export async function copyRows(owner: pg.ClientBase, table: SampleTable, count: (rows: number) => void): Promise<void> {
  const into = owner.query(copyFrom(`copy ${table.name} (${table.columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(chunksOf(table, count)), into);
}

export async function insertRows(owner: pg.ClientBase, table: SampleTable, count: (rows: number) => void): Promise<void> {
  const columns = table.columns.join(', ');
  // PostgreSQL converts the values in the JSON parameter to the types of the columns.
  const text = `insert into ${table.name} (${columns}) select ${columns} from json_populate_recordset(null::${table.name}, $1::json)`;
  const flush = async (batch: readonly SampleRow[]) => {
    const records = batch.map((row) => Object.fromEntries(table.columns.map((column, which) => [column, row[which]])));
    await owner.query(text, [JSON.stringify(records)]);
    count(batch.length);
  };
  let batch: SampleRow[] = [];
  for (const row of table.rows()) {
    batch.push(row);
    if (batch.length === BATCH) {
      await flush(batch);
      batch = [];
    }
  }
  if (batch.length > 0) await flush(batch);
}
