/** Writes the sample company into an empty database, all of it or nothing. */
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { hrSample } from './hr.ts';
import type { Cell, SampleRow, SampleTable } from './tables.ts';
import { tasksSample } from './tasks.ts';

export interface LoadOptions {
  readonly domains: readonly string[];
  /** How many people the company has. */
  readonly employees: number;
  readonly today: Date;
  /** Rows written so far, of about so many. */
  readonly onProgress: (done: number, total: number) => void;
  /** Whether the connection can stream. Found out unless told. */
  readonly copy?: boolean;
}

const BATCH = 500;
const CHUNK = 1 << 16;
const LOCK = 7_261_535; // any fixed number: two processes that start together must not both load
/** Above this, indexes are made after the rows: it takes a third of the time. */
const LARGE = 50_000;

/** The embedded database stands behind the same driver, but takes no streams. */
const streams = (client: pg.ClientBase): boolean =>
  (client as unknown as { connection?: { stream?: unknown } }).connection?.stream instanceof Socket;

/**
 * Needs the owner of the tables or a superuser. Does nothing, and says false, where there are employees already.
 * The rules that hold for owners too are suspended inside the one transaction only: a failure brings them back with everything else.
 */
export async function loadSample(owner: pg.ClientBase, options: LoadOptions): Promise<boolean> {
  if (!options.domains.includes('hr')) return false;
  const tables = [...hrSample(options), ...(options.domains.includes('tasks') ? tasksSample(options) : [])];
  if (await hasEmployees(owner)) return false;
  const names = tables.map(({ name }) => name);
  await owner.query('begin');
  try {
    await owner.query(`select pg_advisory_xact_lock(${LOCK})`);
    const forced = await forcedAmong(owner, names);
    for (const name of forced) await owner.query(`alter table ${name} no force row level security`);
    if (await hasEmployees(owner)) {
      await owner.query('rollback');
      return false;
    }
    await write(owner, tables, options);
    for (const name of forced) await owner.query(`alter table ${name} force row level security`);
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
  for (const name of names) await owner.query(`${options.employees > LARGE ? 'vacuum analyze' : 'analyze'} ${name}`);
  return true;
}

async function hasEmployees(owner: pg.ClientBase): Promise<boolean> {
  const { rows } = await owner.query<{ there: boolean }>('select exists (select from hr.employees) as there');
  return rows[0]?.there === true;
}

async function forcedAmong(owner: pg.ClientBase, names: readonly string[]): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    'select name from unnest($1::text[]) name join pg_class on oid = name::regclass where relforcerowsecurity',
    [names],
  );
  return rows.map(({ name }) => name);
}

async function write(
  owner: pg.ClientBase,
  tables: readonly SampleTable[],
  { employees, onProgress, copy = streams(owner) }: LoadOptions,
): Promise<void> {
  // About as many rows as there will be: the depth of the tree grows slowly with its size.
  const total = Math.round(employees * (4 + Math.log10(employees)) + Math.min(employees, 20_000) * 22);
  let done = 0;
  const count = (rows: number) => {
    done += rows;
    onProgress(Math.min(done, total), total);
  };
  // The sample brings hr.chain and the managers' names along; keeping them row by row would take hours.
  await owner.query('alter table hr.employees disable trigger user');
  for (const table of tables) {
    const restore = copy && employees > LARGE ? await withoutIndexes(owner, table.name) : [];
    await (copy ? copyRows : insertRows)(owner, table, count);
    for (const statement of restore) await owner.query(statement);
  }
  await owner.query('alter table hr.employees enable trigger user');
  onProgress(total, total);
}

/** Drops what only slows writing down, and says how to make it again. */
async function withoutIndexes(owner: pg.ClientBase, table: string): Promise<string[]> {
  const { rows } = await owner.query<{ drop: string; make: string }>(
    `select case when c.oid is null then format('drop index %s', i.indexrelid::regclass) else format('alter table %s drop constraint %I', i.indrelid::regclass, c.conname) end as drop,
      case when c.oid is null then pg_get_indexdef(i.indexrelid) else format('alter table %s add constraint %I %s', i.indrelid::regclass, c.conname, pg_get_constraintdef(c.oid)) end as make
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x')
    where i.indrelid = $1::regclass and not exists (select from pg_constraint f where f.contype = 'f' and f.conindid = i.indexrelid)`,
    [table],
  );
  if (rows.length > 0) await owner.query("set local maintenance_work_mem = '256MB'");
  for (const { drop } of rows) await owner.query(drop);
  return rows.map(({ make }) => make);
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
const field = (cell: Cell): string =>
  cell === null ? '\\N' : typeof cell === 'string' ? cell.replace(/[\\\t\n\r]/g, (letter) => escapes[letter] ?? letter) : String(cell);

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

async function copyRows(owner: pg.ClientBase, table: SampleTable, count: (rows: number) => void): Promise<void> {
  const into = owner.query(copyFrom(`copy ${table.name} (${table.columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(chunksOf(table, count)), into);
}

async function insertRows(owner: pg.ClientBase, table: SampleTable, count: (rows: number) => void): Promise<void> {
  const columns = table.columns.join(', ');
  // One parameter however many rows and columns; the table's own types say how to read it.
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
