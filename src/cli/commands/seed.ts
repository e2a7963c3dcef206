/** `tamshai seed`: writes sample data to the data folder or to the configured servers. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openKeys } from '../../identity/keys.ts';
import { loadSample, sampleOptions, wantedTables } from '../../server/sample.ts';
import { ownerOf } from '../../storage/sql/domain-rules.ts';
import { type Migration, migrate } from '../../storage/sql/migrate.ts';
import { openPglite } from '../../storage/sql/pglite.ts';
import { connect, migrateServer } from '../../storage/sql/server.ts';
import type { Config } from '../../server/config.ts';
import { openFolder } from '../../server/folder.ts';
import { passwordFor } from '../../server/stores.ts';
import { openTerminal } from '../terminal/prompt.ts';
import { duration, grouped } from '../terminal/text.ts';
import { type Console, openConsole } from './console.ts';
import { shownPath } from './person.ts';
import { addressOf } from './server-address.ts';
import { seedDocuments } from './seed-documents.ts';
import { EXIT, Stop } from './stop.ts';
import { ownDomains } from './audit-chains.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';
import { migrationsOf } from '../../server/schemas.ts';

export interface SeedOptions extends ProjectOptions {
  readonly employees?: string;
  readonly force?: boolean;
  readonly database?: string;
  readonly json?: boolean;
}

type Owner = Parameters<typeof loadSample>[0];
interface Place {
  readonly owner: Owner;
  readonly name: string;
  readonly domains: readonly string[];
  readonly files: readonly Migration[];
}

interface Filling {
  readonly config: Config;
  readonly employees: number;
  readonly force: boolean;
  readonly resized: boolean;
}

const FEWEST = 100;
const MOST = 1_000_000;
const ASKED_FOR_MS = 120_000;

export async function seed(options: SeedOptions): Promise<number> {
  const { employees: given, force = false, database, json } = options;
  const console = openConsole(json);
  const config = await loadConfig(options);
  if (config.issuers.staff !== undefined)
    throw new Stop('Sample data belongs to the people of the built-in identity provider; it cannot be used with OIDC_ISSUER.');
  const { sample } = config.registry;
  if (sample === undefined) throw new Stop('This configuration has no sample company, so there is no sample data to write.');
  const employees = given === undefined ? config.sampleEmployees : Number(given);
  if (!Number.isInteger(employees) || employees < FEWEST || employees > MOST)
    throw new Stop(`--employees must be a whole number from ${FEWEST} to ${grouped(MOST)}.`, EXIT.usage);
  const { embedded, servers } = ownDomains(config);
  const began = performance.now();
  const load = (place: Place) => fill(place, { config, employees, force, resized: given !== undefined }, console);
  if (embedded.length > 0) await inFolder(config, embedded, load);
  for (const [url, domains] of servers) {
    if (force) await agreed(addressOf(url), decodeURIComponent(new URL(url).pathname.slice(1)), database);
    await onServer(config, url, { domains, load });
  }
  await seedDocuments(config, { employees, force, agreed: (place, name) => agreed(place, name, database) }, console);
  const ms = Math.round(performance.now() - began);
  const { size } = sample.directory({ size: employees, today: new Date() });
  if (console.json) console.value({ employees: size, ms });
  else console.out(`The sample company has ${grouped(size)} employees now. It took ${duration(ms)}.`);
  return EXIT.ok;
}

async function inFolder(config: Config, domains: readonly string[], load: (place: Place) => Promise<void>): Promise<void> {
  const folder = openFolder(config.dataFolder);
  try {
    openKeys(config.dataFolder, { masterKey: config.masterKey, gatewayKey: config.gatewayKey });
    mkdirSync(join(folder.path, 'pg'), { recursive: true });
    const opened = await openPglite(join(folder.path, 'pg'), config.company);
    try {
      const files = migrationsOf(config.registry, domains);
      await migrate(opened.owner, files);
      await load({ owner: opened.owner, name: shownPath(folder.path), domains, files });
    } finally {
      await opened.close();
    }
  } finally {
    folder.close();
  }
}

async function onServer(
  config: Config,
  url: string,
  { domains, load }: { readonly domains: readonly string[]; readonly load: (place: Place) => Promise<void> },
): Promise<void> {
  const keys = openKeys(config.dataFolder, { masterKey: config.masterKey, gatewayKey: config.gatewayKey });
  const files = migrationsOf(config.registry, domains);
  await migrateServer({ url, domains, files, password: passwordFor(keys), company: config.company });
  const owner = await connect(url, config.company);
  try {
    await load({ owner, name: addressOf(url), domains, files });
  } finally {
    await owner.end();
  }
}

/** A server's database may have other users, so the user must type its name to confirm. */
async function agreed(place: string, name: string, given: string | undefined): Promise<void> {
  const terminal = given === undefined ? openTerminal() : undefined;
  let typed = given;
  if (terminal !== undefined) {
    try {
      terminal.say(`This replaces all data of Tamshai in ${place}.\n`);
      typed = (await terminal.ask('Type the name of the database to go on: ', ASKED_FOR_MS))?.trim();
    } finally {
      terminal.close();
    }
  }
  if (typed === undefined)
    throw new Stop(`This replaces data in ${place}; confirm it with --database and the name of that database.`, EXIT.waits);
  // With several servers, --database takes a comma-separated list of names.
  if (!typed.split(',').includes(name)) throw new Stop('That is not the name of the database; it was not changed.', EXIT.usage);
}

async function fill(
  { owner, name, domains, files }: Place,
  { config, employees, force, resized }: Filling,
  console: Console,
): Promise<void> {
  const options = { ...sampleOptions(config), domains, employees };
  const present = (await wantedTables({ ...options, onProgress: () => {} })).map(([first]) => first?.name ?? '');
  const filled: string[] = [];
  for (const table of present) {
    const { rows } = await owner.query<{ count: string }>(`select count(*) as count from (select from ${table} limit 1000000) t`);
    if (Number(rows[0]?.count) > 0) filled.push(`${grouped(Number(rows[0]?.count))} rows in ${table}`);
  }
  // An empty domain can be filled later, but sample data for companies of different sizes does not fit together.
  const [found] = filled;
  if (found !== undefined && !force && (resized || filled.length === present.length))
    throw new Stop(`${name} has data already (${found}); --force replaces all rows of ${domains.join(', ')}.`);
  if (found !== undefined && force) await empty(owner, domains, files);
  const step = console.progress.step('Writing sample data');
  try {
    const onProgress = (done: number, total: number) =>
      step.at(total === 0 ? 1 : done / total, `${grouped(done)} of ${grouped(total)} rows`);
    await loadSample(owner, { ...options, onProgress });
    step.done();
  } catch (error) {
    step.failed();
    throw error;
  }
}

/** Keeps the rows that migrations insert, the audit log and the results of approvals. */
async function empty(owner: Owner, domains: readonly string[], files: readonly Migration[]): Promise<void> {
  const brought = files.flatMap(({ text }) => [...text.matchAll(/^insert into (\w+\.\w+)/gim)].map(([, table]) => table ?? ''));
  const kept = [...brought, ...domains.flatMap((domain) => [`${domain}.audit`, `${domain}.effects`])];
  // Triggers of a domain run with the rights of its migration role.
  const { rows } = await owner.query<{ domain: string; names: string }>(
    `select schemaname as domain, string_agg(format('%I.%I', schemaname, tablename), ', ') as names from pg_tables
      where schemaname = any ($1) and schemaname || '.' || tablename <> all ($2) group by schemaname`,
    [domains, kept],
  );
  const texts = rows.map(({ domain, names }) => `set local role ${ownerOf(domain)}; truncate ${names} restart identity;`);
  await owner.query(`begin; ${texts.join(' ')} commit`);
}
