/** `tamshai knowledge`: exports and imports the knowledge base with its history, for operators. */
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemPerson } from '../../declare/people.ts';
import type { StoreSession } from '../../engine/store.ts';
import { type Archived, archive, type Counts, Damaged, unarchive } from '../../../domains/knowledge/archive.ts';
import { lastTx } from '../../../domains/knowledge/snapshot.ts';
import { openKeys } from '../../identity/keys.ts';
import type { SqlDatabase } from '../../storage/sql/database.ts';
import { migrate } from '../../storage/sql/migrate.ts';
import { openPglite } from '../../storage/sql/pglite.ts';
import { openPostgres } from '../../storage/sql/postgres.ts';
import { connect, migrateServer } from '../../storage/sql/server.ts';
import { readingAs } from '../../storage/sql/store.ts';
import type { Config } from '../../server/config.ts';
import { openFolder } from '../../server/folder.ts';
import { writeKnowledge } from '../../server/knowledge-rows.ts';
import { passwordFor } from '../../server/stores.ts';
import { count, duration, grouped } from '../terminal/text.ts';
import { openConsole } from './console.ts';
import { keysOf, shownPath } from './person.ts';
import { addressOf } from './server-address.ts';
import { EXIT, Stop } from './stop.ts';
import { ownDomains } from './audit-chains.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';
import { migrationsOf } from '../../server/schemas.ts';

interface Options extends ProjectOptions {
  readonly json?: boolean;
}

/** The staff audience reads all knowledge. */
const SYSTEM: StoreSession = { domain: 'knowledge', audience: 'staff', shows: [], person: systemPerson('employee') };

/** The URL of the server that stores the knowledge base; undefined if it is in the data folder. */
function placeOf(config: Config): string | undefined {
  if (config.remoteUrl('knowledge') !== undefined)
    throw new Stop('KNOWLEDGE_URL is set: knowledge runs on another machine. Run this command there.', EXIT.usage);
  return config.databaseUrl('knowledge');
}

const summaryOf = ({ transactions, entries, triples }: Counts) =>
  `${count(transactions, 'change')} with ${count(entries, 'version')} of entries and ${grouped(triples)} of triples`;

export async function exportKnowledge(file: string | undefined, options: Options): Promise<number> {
  const { json } = options;
  const console = openConsole(json);
  const began = performance.now();
  const step = console.progress.step('Exporting knowledge');
  const counts = await readable(await loadConfig(options), async (database) => {
    const sql = readingAs(database, SYSTEM);
    const asOf = await lastTx(sql);
    const lines = archive(sql, asOf, (tx) => step.at(asOf === 0 ? 1 : tx / asOf, `${grouped(tx)} of ${grouped(asOf)} changes`));
    return file === undefined || file === '-' ? toOutput(lines) : toFile(file, lines);
  }).catch((error: unknown) => {
    step.failed();
    throw error;
  });
  step.done();
  const ms = Math.round(performance.now() - began);
  const whole = `Exported ${summaryOf(counts)} in ${duration(ms)}.`;
  // If the export goes to standard output, the summary goes to standard error.
  if (file === undefined || file === '-') console.err(whole);
  else if (console.json) console.value({ file, ...counts, ms });
  else console.out(whole);
  return EXIT.ok;
}

async function readable<T>(config: Config, body: (database: SqlDatabase) => Promise<T>): Promise<T> {
  const url = placeOf(config);
  if (url !== undefined) {
    const keys = config.masterKey === undefined ? keysOf(config) : openKeys(config.dataFolder, config);
    const database = openPostgres({ url, password: passwordFor(keys), pingAs: 'knowledge_audit', company: config.company, readers: 1 });
    return await body(database).finally(() => database.close());
  }
  keysOf(config);
  const folder = openFolder(config.dataFolder);
  try {
    const there = existsSync(join(folder.path, 'pg', 'PG_VERSION'));
    const database = there ? await openPglite(join(folder.path, 'pg'), config.company) : undefined;
    try {
      const found = await database?.owner.query("select from pg_tables where schemaname = 'knowledge' and tablename = 'head'");
      if (database === undefined || found?.rowCount !== 1)
        throw new Stop(`There is no knowledge in ${shownPath(folder.path)} yet; start Tamshai there once.`);
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

export async function importKnowledge(file: string, options: Options): Promise<number> {
  const { json } = options;
  const console = openConsole(json);
  const began = performance.now();
  const name = file === '-' ? 'Standard input' : shownPath(file);
  const config = await loadConfig(options);
  const reading = unarchive();
  const step = console.progress.step('Importing knowledge');
  try {
    const source = file === '-' ? process.stdin : (await open(file)).createReadStream();
    const lines = linesOf(source);
    // The first line is checked before a database is created.
    reading.take((await lines.next()).value ?? Buffer.alloc(0));
    async function* changes(): AsyncGenerator<Archived> {
      for await (const line of lines) {
        const transaction = reading.take(line);
        if (transaction === undefined) continue;
        yield transaction;
        step.at(transaction.tx_id / reading.asOf, `${grouped(transaction.tx_id)} of ${grouped(reading.asOf)} changes`);
      }
      reading.finish();
    }
    await writable(config, (owner, place) =>
      writeKnowledge(owner, changes(), {
        asOf: () => reading.asOf,
        occupied: (changed) => {
          throw new Stop(`There is knowledge in ${place} already (${count(changed, 'change')}); import needs an empty knowledge base.`);
        },
      }),
    );
  } catch (error) {
    step.failed();
    throw readableError(error, name);
  }
  step.done();
  const counts = reading.finish();
  const ms = Math.round(performance.now() - began);
  if (console.json) console.value({ ...counts, ms });
  else console.out(`Imported ${summaryOf(counts)} in ${duration(ms)}.`);
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
  // SQLSTATE classes 22 and 23: a value that no column accepts.
  return /^2[23]/.test(code)
    ? new Stop(`${name} cannot be imported: it contains a value that cannot be stored. Nothing was changed.`, EXIT.usage)
    : error;
}

type Owner = Parameters<typeof writeKnowledge>[0];

async function writable(config: Config, body: (owner: Owner, place: string) => Promise<void>): Promise<void> {
  const url = placeOf(config);
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

/** Far longer than any line of an export. */
const LONGEST = 1 << 28;

/** Lines as bytes, so that the checksum covers the file exactly. */
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
