/**
 * The embedded database as the first start leaves it, made once and copied for every site: a fresh one takes seconds of work for
 * each test file. What a first start does is tested where it is about that.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageFolder } from '../src/app/package.ts';
import { sqlFolder } from '../src/app/stores.ts';
import { loadSample } from '../src/sample/load.ts';
import { migrate, migrations } from '../src/storage/sql/migrate.ts';
import { openPglite } from '../src/storage/sql/pglite.ts';
import { inTables } from './fresh-database.ts';

const PREFIX = 'tamshai-template-';

/** Changes with everything that decides what is in it, the day included: sample data is told relative to today. */
function digest(domains: readonly string[], today: Date): string {
  const hash = createHash('sha256').update(JSON.stringify([domains, today.toISOString().slice(0, 10), process.version]));
  const files = ['sql', 'src/sample', 'src/storage/sql'].flatMap((folder) =>
    readdirSync(join(packageFolder, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  for (const file of [...files.toSorted(), join(packageFolder, 'package-lock.json')]) hash.update(file).update(readFileSync(file));
  return hash.digest('hex').slice(0, 20);
}

async function make(folder: string, domains: readonly string[], today: Date): Promise<void> {
  const database = await openPglite(folder);
  await migrate(database.owner, migrations(sqlFolder, domains));
  await loadSample(database.owner, { domains, employees: 500, today, onProgress: () => {} });
  await database.close();
}

/** What older sources made is nobody's. */
async function tidy(): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((each) => each.startsWith(PREFIX))) {
    const path = join(tmpdir(), name);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
    if (age > 7_200_000) await rm(path, { recursive: true, force: true });
  }
}

/** Puts the database of a fresh install into a data folder. */
export async function fillFolder(folder: string, all: readonly string[]): Promise<void> {
  const domains = inTables(all);
  const today = new Date();
  const template = join(tmpdir(), PREFIX + digest(domains, today));
  if (!(await stat(template).catch(() => undefined))) {
    await tidy();
    const making = await mkdtemp(join(tmpdir(), `${PREFIX}making-`));
    await make(making, domains, today);
    // Of two that make it at once, the second finds it there.
    await rename(making, template).catch(() => rm(making, { recursive: true, force: true }));
  }
  await cp(template, join(folder, 'pg'), { recursive: true });
}
