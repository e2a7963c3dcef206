/** Creates filled stores for tests: fills a template once, and copies the template for every test. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { loadEmbeddedDocuments, openDocuments } from '../src/server/documents.ts';
import { packageFolder } from '../src/server/package.ts';
import { loadEmbeddedSearch, openSearch } from '../src/server/search.ts';
import { loadSample } from '../src/server/sample.ts';
import { migrate } from '../src/storage/sql/migrate.ts';
import { openPglite } from '../src/storage/sql/pglite.ts';
import { builtIn, readConfig } from './registry.ts';
import { migrationsOf } from '../src/server/schemas.ts';

const PREFIX = 'tamshai-template-';

export interface Filling {
  readonly domains: readonly string[];
  readonly today: Date;
  readonly employees?: number;
}

/** The domains with tables. The other domains create their store when they start. */
export const SQL_DOMAINS: readonly string[] = builtIn.domains.filter(({ store }) => store === 'sql').map(({ name }) => name);
export const inTables = (domains: readonly string[]): string[] => domains.filter((domain) => SQL_DOMAINS.includes(domain));

/** A digest of everything that decides what is in a template. */
let sources: string | undefined;
function sourcesDigest(): string {
  if (sources !== undefined) return sources;
  const hash = createHash('sha256').update(process.version);
  const files = ['sql', 'domains', 'src/server', 'src/storage'].flatMap((folder) =>
    readdirSync(join(packageFolder, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...files.toSorted(), join(packageFolder, 'package-lock.json')]) hash.update(file).update(readFileSync(file));
  return (sources = hash.digest('hex'));
}
/** Includes the date, because sample data depends on it. */
const digest = ({ domains, today, employees = 500 }: Filling): string =>
  createHash('sha256')
    .update(JSON.stringify([sourcesDigest(), domains, today.toISOString().slice(0, 10), employees]))
    .digest('hex')
    .slice(0, 20);

export async function fill(owner: pg.ClientBase, { domains, today, employees = 500 }: Filling): Promise<void> {
  await migrate(owner, migrationsOf(builtIn, domains));
  await loadSample(owner, { registry: builtIn, domains, employees, today, onProgress: () => {} });
}

/** Deletes templates that were not used for two hours. */
async function tidy(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((each) => each.startsWith(PREFIX))) {
    const path = join(tmpdir(), name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > 7_200_000) await rm(path, { recursive: true, force: true });
  }
}

const exists = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;

/** An older lock was left by an interrupted run. */
const ABANDONED_MS = 120_000;
/** Makes a template. If several workers need it at the same time, one makes it and the others wait for it. */
async function makeTemplate(template: string, make: (making: string) => Promise<void>): Promise<void> {
  const lock = `${template}.lock`;
  while (
    !(await mkdir(lock).then(
      () => true,
      () => false,
    ))
  ) {
    const { mtimeMs = Date.now() } = (await stat(lock).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(lock, { recursive: true, force: true });
    await sleep(50);
    if (await exists(template)) return;
  }
  try {
    if (await exists(template)) return;
    await tidy();
    const making = await mkdtemp(join(tmpdir(), `${PREFIX}making-`));
    await make(making);
    await rename(making, template);
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Copies a template into a folder that does not exist yet. `make` fills the template if there is none of this name. */
async function copyTemplate(name: string, folder: string, make: (making: string) => Promise<void>): Promise<void> {
  const template = join(tmpdir(), PREFIX + name);
  if (!(await exists(template))) await makeTemplate(template, make);
  // Updates its time, so the cleanup of another run keeps it.
  await utimes(template, new Date(), new Date()).catch(() => undefined);
  await mkdir(join(folder, '..'), { recursive: true });
  // For a thousand files, the cp command is much faster than Node.
  await promisify(execFile)('cp', ['-R', template, folder]);
}

/** Copies an embedded database with empty tables, which is faster than creating one. */
const copyEmpty = (folder: string, domains: readonly string[]): Promise<void> =>
  copyTemplate(`empty-${digest({ domains, today: new Date(0) })}`, folder, async (making) => {
    const database = await openPglite(making);
    await migrate(database.owner, migrationsOf(builtIn, domains));
    await database.close();
  });

/** Copies a filled embedded database into a folder that does not exist yet. */
export const copyFolder = (folder: string, filling: Filling): Promise<void> =>
  copyTemplate(digest(filling), folder, async (making) => {
    await rm(making, { recursive: true });
    await copyEmpty(making, filling.domains);
    const database = await openPglite(making);
    await fill(database.owner, filling);
    await database.close();
  });

/** Puts the tables of a fresh install into a data folder. */
export const fillTables = (folder: string, all: readonly string[]): Promise<void> =>
  copyFolder(join(folder, 'pg'), { domains: inTables(all), today: new Date() });

/** Puts all stores of a fresh install into a data folder: tables, documents and the search index. */
export async function fillFolder(folder: string, all: readonly string[]): Promise<void> {
  await fillTables(folder, all);
  const today = new Date();
  const files = join(folder, 'files');
  await copyTemplate(`files-${digest({ domains: [], today })}`, files, async (making) => {
    const { domains } = builtIn;
    const of = (kind: 'documents' | 'search') => domains.filter(({ name, store }) => store === kind && builtIn.samples.has(name));
    const config = readConfig({ TAMSHAI_DATA: making });
    const documents = await openDocuments(config, of('documents'));
    await loadEmbeddedDocuments(config, documents, () => {});
    await documents.close();
    const search = await openSearch(config, of('search'));
    await loadEmbeddedSearch(config, search, () => {});
    await search.close();
  });
  for (const name of await readdir(files)) await rename(join(files, name), join(folder, name));
  await rm(files, { recursive: true });
}

/**
 * Creates a filled database of this name on a server. Roles belong to the whole server, and other suites create them too, so the caller
 * must hold the lock that serialises this work.
 */
export async function copyDatabase(root: pg.Client, url: string, name: string, filling: Filling): Promise<void> {
  const template = `tamshai_template_${digest(filling)}`;
  const there = await root.query('select from pg_database where datname = $1', [template]);
  if (there.rowCount === 0) {
    const making = `${template}_making`;
    // An interrupted run may have left it.
    await root.query(`drop database if exists ${making}`);
    await root.query(`create database ${making}`);
    const owner = new pg.Client({ connectionString: Object.assign(new URL(url), { pathname: `/${making}` }).href });
    await owner.connect();
    await fill(owner, filling).finally(() => owner.end());
    await root.query(`alter database ${making} rename to ${template}`);
  }
  await root.query(`create database ${name} template ${template}`);
  // `create database … template` copies everything except the grants on the database itself.
  await root.query('update pg_database set datacl = (select datacl from pg_database where datname = $2) where datname = $1', [
    name,
    template,
  ]);
}
