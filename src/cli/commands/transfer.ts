/** `tamshai <domain> export` and `tamshai <domain> import`: operator commands of the domains that declare a transfer. */
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemPerson } from '../../declare/people.ts';
import { type Counts, Damaged, type Transfer } from '../../declare/transfer.ts';
import { openKeys } from '../../identity/keys.ts';
import type { SqlDatabase } from '../../storage/sql/database.ts';
import { migrate } from '../../storage/sql/migrate.ts';
import { openPglite } from '../../storage/sql/pglite.ts';
import { openPostgres } from '../../storage/sql/postgres.ts';
import { connect, migrateServer } from '../../storage/sql/server.ts';
import { readingAs } from '../../storage/sql/store.ts';
import type { Config } from '../../server/config.ts';
import { openFolder } from '../../server/folder.ts';
import { passwordFor } from '../../server/stores.ts';
import { duration, grouped } from '../terminal/text.ts';
import { openConsole } from './console.ts';
import { keysOf, shownPath } from './person.ts';
import { addressOf } from './server-address.ts';
import { EXIT, Stop } from './stop.ts';
import { ownDomains } from './audit-chains.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';
import { migrationsOf } from '../../server/schemas.ts';
import { importInto } from '../../server/transfer.ts';

interface Options extends ProjectOptions {
  readonly json?: boolean;
}

interface Target {
  readonly config: Config;
  readonly domain: string;
  readonly transfer: Transfer;
}

async function targetOf(domain: string, options: ProjectOptions): Promise<Target> {
  const config = await loadConfig(options);
  const transfer = config.registry.transfers.get(domain);
  if (transfer === undefined) throw new Stop(`${domain} has no export and no import.`, EXIT.usage);
  return { config, domain, transfer };
}

/** The URL of the server that stores the rows, or undefined for the data folder. */
function placeOf({ config, domain }: Target): string | undefined {
  if (config.remoteUrl(domain) !== undefined)
    throw new Stop(`${domain.toUpperCase()}_URL is set: ${domain} runs on another machine. Run this command there.`, EXIT.usage);
  return config.databaseUrl(domain);
}

export async function exportRows(domain: string, file: string | undefined, options: Options): Promise<number> {
  const console = openConsole(options.json);
  const target = await targetOf(domain, options);
  const { transfer } = target;
  const { audience, words } = transfer;
  const began = performance.now();
  const step = console.progress.step(`Exporting ${words.rows}`);
  const person = systemPerson(...(target.config.registry.domains.find(({ name }) => name === domain)?.audiences[audience]?.roles ?? []));
  const counts = await readable(target, async (database) => {
    const sql = readingAs(database, { domain, audience, shows: [], person });
    const lines = transfer.export(sql, (done, total) =>
      step.at(total === 0 ? 1 : done / total, `${grouped(done)} of ${grouped(total)} ${words.steps}`),
    );
    return file === undefined || file === '-' ? toOutput(lines) : toFile(file, lines);
  }).catch((error: unknown) => {
    step.failed();
    throw error;
  });
  step.done();
  const ms = Math.round(performance.now() - began);
  const whole = `Exported ${transfer.summary(counts)} in ${duration(ms)}.`;
  if (file === undefined || file === '-') console.err(whole);
  else if (console.json) console.value({ file, ...counts, ms });
  else console.out(whole);
  return EXIT.ok;
}

async function readable<T>(target: Target, body: (database: SqlDatabase) => Promise<T>): Promise<T> {
  const { config, domain, transfer } = target;
  const url = placeOf(target);
  if (url !== undefined) {
    const keys = config.masterKey === undefined ? keysOf(config) : openKeys(config.dataFolder, config);
    const database = openPostgres({ url, password: passwordFor(keys), pingAs: `${domain}_audit`, company: config.company, readers: 1 });
    return await body(database).finally(() => database.close());
  }
  keysOf(config);
  const folder = openFolder(config.dataFolder);
  try {
    const there = existsSync(join(folder.path, 'pg', 'PG_VERSION'));
    const database = there ? await openPglite(join(folder.path, 'pg'), config.company) : undefined;
    try {
      const found = await database?.owner.query("select from pg_tables where schemaname || '.' || tablename = $1", [transfer.tables[0]]);
      if (database === undefined || found?.rowCount !== 1)
        throw new Stop(`There is no ${transfer.words.rows} in ${shownPath(folder.path)} yet; start Tamshai there once.`);
      await database.surrender();
      return await body(database);
    } finally {
      await database?.close();
    }
  } finally {
    folder.close();
  }
}

async function toOutput(lines: AsyncGenerator<string, Counts>): Promise<Counts> {
  for (;;) {
    const { done, value } = await lines.next();
    if (done === true) return value;
    if (!process.stdout.write(value)) await once(process.stdout, 'drain');
  }
}

async function toFile(file: string, lines: AsyncGenerator<string, Counts>): Promise<Counts> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'exists already and is not overwritten' : 'cannot be written';
    throw new Stop(`${shownPath(file)} ${why}.`);
  });
  try {
    for (;;) {
      const { done, value } = await lines.next();
      if (done === true) return value;
      await handle.appendFile(value);
    }
  } catch (error) {
    // A partial export must not look complete.
    await rm(file, { force: true });
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new Stop(`The disk is full; ${shownPath(file)} was not written.`) : error;
  } finally {
    await handle.close();
  }
}

export async function importRows(domain: string, file: string, options: Options): Promise<number> {
  const console = openConsole(options.json);
  const target = await targetOf(domain, options);
  const { transfer } = target;
  const { words } = transfer;
  const began = performance.now();
  const name = file === '-' ? 'Standard input' : shownPath(file);
  const importing = transfer.import();
  const step = console.progress.step(`Importing ${words.rows}`);
  let counts: Counts = {};
  try {
    const source = file === '-' ? process.stdin : (await open(file)).createReadStream();
    const lines = linesOf(source);
    // A file with an invalid first line must not create a database.
    importing.begin((await lines.next()).value ?? Buffer.alloc(0));
    const onProgress = (done: number, total: number) =>
      step.at(total === 0 ? 1 : done / total, `${grouped(done)} of ${grouped(total)} ${words.steps}`);
    await writable(target, async (owner, place) => {
      const occupied = (content: string): never => {
        throw new Stop(`There is ${words.rows} in ${place} already (${content}); import needs an empty ${words.store}.`);
      };
      counts = await importInto(owner, { domain, transfer, importing }, { lines, onProgress, occupied });
    });
  } catch (error) {
    step.failed();
    throw readableError(error, name);
  }
  step.done();
  const ms = Math.round(performance.now() - began);
  if (console.json) console.value({ ...counts, ms });
  else console.out(`Imported ${transfer.summary(counts)} in ${duration(ms)}.`);
  return EXIT.ok;
}

function readableError(error: unknown, name: string): unknown {
  if (error instanceof Damaged) return new Stop(`${name} cannot be imported: ${error.message}. Nothing was changed.`, EXIT.usage);
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'open' || syscall === 'read') {
    const why = code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : 'cannot be read';
    return new Stop(`${name} ${why}; nothing was changed.`, EXIT.usage);
  }
  if (code === '42501')
    return new Stop('An import bypasses row policies, so DATABASE_URL needs the login of the database owner. Nothing was changed.');
  // SQLSTATE classes 22 and 23 report an invalid value.
  return /^2[23]/.test(code)
    ? new Stop(`${name} cannot be imported: it contains a value that cannot be stored. Nothing was changed.`, EXIT.usage)
    : error;
}

type Owner = Parameters<typeof importInto>[0];

async function writable(target: Target, body: (owner: Owner, place: string) => Promise<void>): Promise<void> {
  const { config } = target;
  const url = placeOf(target);
  const { embedded, servers } = ownDomains(config);
  const folder = url === undefined ? openFolder(config.dataFolder) : undefined;
  try {
    const keys = openKeys(config.dataFolder, config);
    if (url !== undefined) {
      const domains = servers.get(url) ?? [];
      await migrateServer({
        url,
        domains,
        files: migrationsOf(config.registry, domains),
        password: passwordFor(keys),
        company: config.company,
      });
      const owner = await connect(url, config.company);
      return await body(owner, addressOf(url)).finally(() => owner.end());
    }
    const path = join(config.dataFolder, 'pg');
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const database = await openPglite(path, config.company);
    try {
      await migrate(database.owner, migrationsOf(config.registry, embedded));
      await body(database.owner, shownPath(config.dataFolder));
    } finally {
      await database.close();
    }
  } finally {
    folder?.close();
  }
}

const LONGEST = 1 << 28;

/** Yields bytes instead of text, because the checksum covers the exact file. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, undefined> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, to)]);
      parts = [];
      size = 0;
      from = to + 1;
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > LONGEST) throw new Damaged('one of its lines is too long');
  }
  if (size > 0) yield Buffer.concat(parts);
  return undefined;
}
