/** Writes the sample company into an empty database, all of it or nothing. */
import { Socket } from 'node:net';
import type pg from 'pg';
import { copyRows, insertRows, pastRules, withoutIndexes } from './bulk.ts';
import { financeSample } from './finance.ts';
import { hrSample } from './hr.ts';
import { knowledgeSample } from './knowledge.ts';
import { payrollSample } from './payroll.ts';
import type { SampleTable } from './tables.ts';
import { tasksSample } from './tasks.ts';
import { taxSample } from './tax.ts';

export interface LoadOptions {
  readonly domains: readonly string[];
  /** How many people the company has. */
  readonly employees: number;
  readonly today: Date;
  /** How much is done of how much; neither is a number of rows. */
  readonly onProgress: (done: number, total: number) => void;
  /** Whether the connection can stream. Found out unless told. */
  readonly copy?: boolean;
}

const LOCK = 7_261_535; // any fixed number: two processes that start together must not both load
/** Above this, indexes are made after the rows: it takes a third of the time. */
const LARGE = 50_000;
/** The same for one table of so many rows in any company. */
const LONG = 20_000;
/** What they then take, against the rows. */
const AFTERWARDS = 0.4;

/** The embedded database stands behind the same driver, but takes no streams. */
const streams = (client: pg.ClientBase): boolean =>
  (client as unknown as { connection?: { stream?: unknown } }).connection?.stream instanceof Socket;

type Sample = (options: LoadOptions) => readonly SampleTable[];
/** What each server brings, in the order of writing; tasks belong to the people that hr brings. The first table tells whether it is there. */
const samples: Readonly<Record<string, Sample>> = {
  hr: (options) => [...hrSample(options), ...(options.domains.includes('tasks') ? tasksSample(options) : [])],
  finance: financeSample,
  tax: taxSample,
  payroll: payrollSample,
  knowledge: knowledgeSample,
};

/**
 * Needs the owner of the tables or a superuser. Does nothing, and says false, where every server has its rows already.
 */
export async function loadSample(owner: pg.ClientBase, options: LoadOptions): Promise<boolean> {
  const wanted = Object.entries(samples).flatMap(([domain, sample]) => (options.domains.includes(domain) ? [sample(options)] : []));
  if ((await missingOf(owner, wanted)).length === 0) return false;
  const names = wanted.flat().map(({ name }) => name);
  let tables: readonly SampleTable[] = [];
  await owner.query('begin');
  try {
    await owner.query(`select pg_advisory_xact_lock(${LOCK})`);
    await pastRules(owner, names, async () => {
      tables = (await missingOf(owner, wanted)).flat();
      if (tables.length > 0) await write(owner, tables, options);
    });
    await owner.query(tables.length > 0 ? 'commit' : 'rollback');
    if (tables.length === 0) return false;
  } catch (error) {
    // Where the connection itself broke, the server rolls back and the first error is the one to tell.
    await owner.query('rollback').catch(() => {});
    throw error;
  }
  for (const { name } of tables) await owner.query(`${options.employees > LARGE ? 'vacuum analyze' : 'analyze'} ${name}`);
  return true;
}

async function missingOf(owner: pg.ClientBase, wanted: readonly (readonly SampleTable[])[]): Promise<(readonly SampleTable[])[]> {
  const missing: (readonly SampleTable[])[] = [];
  for (const tables of wanted) {
    const { rows } = await owner.query<{ there: boolean }>(`select exists (select from ${tables[0]?.name}) as there`);
    if (rows[0]?.there === false) missing.push(tables);
  }
  return missing;
}

async function write(
  owner: pg.ClientBase,
  tables: readonly SampleTable[],
  { employees, onProgress, copy = streams(owner) }: LoadOptions,
): Promise<void> {
  const large = copy && employees > LARGE;
  // Wide rows take longer, and so do the indexes that are made after them.
  const share = ({ columns, estimate }: SampleTable) => columns.length * estimate;
  const total = Math.round(tables.reduce((sum, table) => sum + share(table), 0) * (large ? 1 + AFTERWARDS : 1));
  let done = 0;
  const advance = (by: number) => {
    done += by;
    onProgress(Math.min(Math.round(done), total), total);
  };
  // The sample brings along what triggers make of people: chains, managers' names, the log. Keeping them row by row would take hours.
  const people = tables.map(({ name }) => name).filter((name) => name === 'hr.employees' || name === 'finance.people');
  for (const name of people) await owner.query(`alter table ${name} disable trigger user`);
  if (large) await owner.query("set local maintenance_work_mem = '256MB'");
  for (const table of tables) {
    const restore = large || table.estimate > LONG ? await withoutIndexes(owner, table.name) : [];
    await (copy ? copyRows : insertRows)(owner, table, (rows) => advance(rows * table.columns.length));
    for (const statement of restore) {
      await owner.query(statement);
      advance((share(table) * AFTERWARDS) / restore.length);
    }
  }
  for (const name of people) await owner.query(`alter table ${name} enable trigger user`);
  onProgress(total, total);
}
