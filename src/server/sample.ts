/** Loads the sample data into an empty database, in one transaction. */
import { Socket } from 'node:net';
import type pg from 'pg';
import { copyRows, insertRows, withoutRowSecurity, withoutIndexes } from '../storage/sql/bulk.ts';
import { ownerOf } from '../storage/sql/domain-rules.ts';
import { type SampleCollection, sampleContext, type SampleTable } from '../declare/sample.ts';
import type { Company } from '../declare/company.ts';
import type { Registry } from '../engine/registry.ts';
import { type Config, ConfigProblem } from './config.ts';

export interface SampleOptions {
  readonly registry: Pick<Registry, 'domains' | 'sample' | 'samples'>;
  /** The number of people in the company. */
  readonly employees: number;
  readonly today: Date;
  /** The company of the rows. The default is `DEFAULT_COMPANY`. */
  readonly settings?: Company;
}

export interface LoadOptions extends SampleOptions {
  readonly domains: readonly string[];
  /** The progress: `done` of `total`, in units of estimated time. */
  readonly onProgress: (done: number, total: number) => void;
  /** True if the connection supports COPY. By default it is detected. */
  readonly copy?: boolean;
}

/** The key of the advisory lock: only one process loads at a time. */
const LOCK = 7_261_535;
/** Above this number of employees, indexes are built after loading, which is three times as fast. */
const LARGE = 50_000;
/** In a smaller company, only tables with more rows than this get their indexes after loading. */
const LONG = 20_000;
/** The estimated time for the indexes, relative to the rows. */
const AFTERWARDS = 0.4;

/** PGlite has the same interface as the driver, but no COPY. */
const streams = (client: pg.ClientBase): boolean =>
  (client as unknown as { connection?: { stream?: unknown } }).connection?.stream instanceof Socket;

export const sampleOptions = ({ registry, sampleEmployees }: Pick<Config, 'registry' | 'sampleEmployees'>): SampleOptions => ({
  registry,
  employees: sampleEmployees,
  today: new Date(),
  settings: registry.company,
});

/** The sample data of a domain for the configured company; empty if there is none. */
async function sampleOf(domain: string, options: SampleOptions): Promise<readonly (SampleTable | SampleCollection)[]> {
  const { sample: company, samples } = options.registry;
  const sample = samples.get(domain);
  if (company === undefined || sample === undefined) return [];
  if (sample.onlyFor !== undefined && sample.onlyFor !== company) return [];
  return sample.rows(sampleContext(company, options));
}

/** Table and column names become part of SQL text, so only plain names are allowed. */
const isIdentifier = (name: string) => /^[a-z_][a-z0-9_]*$/.test(name);
export async function sampleTables(domain: string, options: SampleOptions): Promise<readonly SampleTable[]> {
  return (await sampleOf(domain, options)).map((each) => {
    if (!('rows' in each)) throw new ConfigProblem(`The sample of ${domain} must return tables; ${each.name} is a collection.`);
    const [schema, table = '', ...more] = each.name.split('.');
    if (schema !== domain || more.length > 0 || ![table, ...each.columns].every(isIdentifier))
      throw new ConfigProblem(
        `The sample of ${domain} cannot fill ${each.name} (${each.columns.join(', ')}); name a table as ${domain}.<table>, and its columns.`,
      );
    return each;
  });
}

export async function sampleCollections(domain: string, options: SampleOptions): Promise<readonly SampleCollection[]> {
  const { collections = {} } = options.registry.domains.find(({ name }) => name === domain) ?? {};
  return (await sampleOf(domain, options)).map((each) => {
    if (!('documents' in each)) throw new ConfigProblem(`The sample of ${domain} must return collections; ${each.name} is a table.`);
    if (!Object.hasOwn(collections, each.name))
      throw new ConfigProblem(`The sample of ${domain} names ${each.name}, which is not a collection of the domain.`);
    return each;
  });
}

/** The tables of all domains that have a sample. */
export const wantedTables = async (options: LoadOptions): Promise<(readonly SampleTable[])[]> =>
  (await Promise.all(options.domains.map((domain) => sampleTables(domain, options)))).filter((tables) => tables.length > 0);

/** The login must be the owner of the tables or a superuser. Returns false and writes nothing if every domain already has rows. */
export async function loadSample(owner: pg.ClientBase, options: LoadOptions): Promise<boolean> {
  const wanted = await wantedTables(options);
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
    // A broken connection is rolled back by the server. The first error is the one to report.
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
  // The loading time is proportional to rows and columns.
  const share = ({ columns, estimate }: SampleTable) => columns.length * estimate;
  const total = Math.round(tables.reduce((sum, table) => sum + share(table), 0) * (large ? 1 + AFTERWARDS : 1));
  let done = 0;
  const advance = (by: number) => {
    done += by;
    onProgress(Math.min(Math.round(done), total), total);
  };
  // Triggers of a domain run with the rights of its role, also deferred ones: they run before the role changes.
  let current = 'none';
  const become = async (role: string) => {
    if (role === current) return;
    current = role;
    await owner.query(`set constraints all immediate; set local role ${role}; set constraints all deferred`);
  };
  const untriggered = tables.filter(({ withoutTriggers }) => withoutTriggers).map(({ name }) => name);
  for (const name of untriggered) await owner.query(`alter table ${name} disable trigger user`);
  if (large) await owner.query("set local maintenance_work_mem = '256MB'");
  for (const table of tables) {
    await become(ownerOf(table.name.split('.')[0] ?? ''));
    const restore = large || table.estimate > LONG ? await withoutIndexes(owner, table.name) : [];
    await (copy ? copyRows : insertRows)(owner, table, (rows) => advance(rows * table.columns.length));
    for (const statement of restore) {
      await owner.query(statement);
      advance((share(table) * AFTERWARDS) / restore.length);
    }
  }
  await become('none');
  for (const name of untriggered) await owner.query(`alter table ${name} enable trigger user`);
  onProgress(total, total);
}
