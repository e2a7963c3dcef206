/** Loads the sample data into an empty database, in one transaction. */
import { Socket } from 'node:net';
import type pg from 'pg';
import { copyRows, insertRows, withoutRowSecurity, withoutIndexes } from '../storage/sql/bulk.ts';
import { financeSample } from '../../domains/finance/sample/index.ts';
import { hrSample } from '../../domains/hr/sample/index.ts';
import { knowledgeSample } from '../../domains/knowledge/sample/index.ts';
import { payrollSample } from '../../domains/payroll/sample/index.ts';
import type { SampleTable } from '../declare/sample.ts';
import { tasksSample } from '../../domains/tasks/sample/index.ts';
import { taxSample } from '../../domains/tax/sample/index.ts';

export interface LoadOptions {
  readonly domains: readonly string[];
  /** How many people the company has. */
  readonly employees: number;
  readonly today: Date;
  /** Progress: done of total, in units of estimated time. */
  readonly onProgress: (done: number, total: number) => void;
  /** Whether the connection supports COPY; detected by default. */
  readonly copy?: boolean;
}

/** The key of the advisory lock under which one process loads at a time. */
const LOCK = 7_261_535;
/** Above this number of employees, indexes are built after loading, which takes a third of the time. */
const LARGE = 50_000;
/** In a smaller company, only the indexes of tables with more rows than this are built after loading. */
const LONG = 20_000;
/** The estimated time of building indexes, relative to loading rows. */
const AFTERWARDS = 0.4;

/** PGlite has the same driver interface, but does not support COPY streams. */
const streams = (client: pg.ClientBase): boolean =>
  (client as unknown as { connection?: { stream?: unknown } }).connection?.stream instanceof Socket;

type Sample = (options: LoadOptions) => readonly SampleTable[];
/** The sample data of each domain, in order. Tasks need the people of hr. A domain counts as loaded if its first table has rows. */
const samples: Readonly<Record<string, Sample>> = {
  hr: (options) => [...hrSample(options), ...(options.domains.includes('tasks') ? tasksSample(options) : [])],
  finance: financeSample,
  tax: taxSample,
  payroll: payrollSample,
  knowledge: knowledgeSample,
};

/** Needs the owner of the tables or a superuser. Returns false without a change if every domain already has rows. */
export async function loadSample(owner: pg.ClientBase, options: LoadOptions): Promise<boolean> {
  const wanted = Object.entries(samples).flatMap(([domain, sample]) => (options.domains.includes(domain) ? [sample(options)] : []));
  if ((await missingOf(owner, wanted)).length === 0) return false;
  const names = wanted.flat().map(({ name }) => name);
  let tables: readonly SampleTable[] = [];
  await owner.query('begin');
  try {
    await owner.query(`select pg_advisory_xact_lock(${LOCK})`);
    await withoutRowSecurity(owner, names, async () => {
      tables = (await missingOf(owner, wanted)).flat();
      if (tables.length > 0) await write(owner, tables, options);
    });
    await owner.query(tables.length > 0 ? 'commit' : 'rollback');
    if (tables.length === 0) return false;
  } catch (error) {
    // If the connection broke, the server rolls back; the first error is the one to report.
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
  // Loading takes time in proportion to rows and columns.
  const share = ({ columns, estimate }: SampleTable) => columns.length * estimate;
  const total = Math.round(tables.reduce((sum, table) => sum + share(table), 0) * (large ? 1 + AFTERWARDS : 1));
  let done = 0;
  const advance = (by: number) => {
    done += by;
    onProgress(Math.min(Math.round(done), total), total);
  };
  // The sample data includes what the triggers compute (chains, manager names, the change feed), so they are disabled: in a large company
  // they would take hours.
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
