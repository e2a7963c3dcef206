/** Checks of the databases: reachability, migrations, row-level security and the audit log. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyDomain } from '../../declare/tool.ts';
import { parseMasterKey } from '../../identity/keys.ts';
import { type Inspection, inspect, inspectServer } from '../../storage/sql/inspect.ts';
import { openPglite } from '../../storage/sql/pglite.ts';
import type { Config } from '../../server/config.ts';
import { openDocuments } from '../../server/documents.ts';
import { openFolder } from '../../server/folder.ts';
import { folderSetting } from '../../declare/folder.ts';
import { openSearch } from '../../server/search.ts';
import { checkFolder, type FolderDomain, folderOf, readFolder } from '../../server/source-folder.ts';
import { passwordFor } from '../../server/stores.ts';
import { count, duration } from '../terminal/text.ts';
import { verifyLocalAudit } from './audit.ts';
import type { Console } from './console.ts';
import type { Check } from './doctor-checks.ts';
import { keysOf, shownPath } from './person.ts';
import { addressOf, mongoAddressOf } from './server-address.ts';
import { Stop } from './stop.ts';
import { ownDatabases, ownOf } from './audit-chains.ts';
import { migrationsOf } from '../../server/schemas.ts';

const CLOCKS_DIFFER_MS = 2_000;

export async function databaseChecks(config: Config, running: boolean): Promise<Check[]> {
  const { embedded, engineEmbedded, servers } = ownDatabases(config);
  const checks: Check[] = [];
  const folder = join(config.dataFolder, 'pg');
  if ((embedded.length > 0 || engineEmbedded) && existsSync(join(folder, 'PG_VERSION'))) {
    if (running)
      checks.push({ state: 'ok', message: 'Embedded database: in use by the running Tamshai; stop it to check its row security' });
    else checks.push(...(await embeddedChecks(config, folder, embedded)));
  }
  const { masterKey } = config;
  const password = (role: string) => passwordFor(masterKey === undefined ? keysOf(config) : parseMasterKey(masterKey))(role);
  for (const [url, domains] of servers) {
    const place = `PostgreSQL at ${addressOf(url)}`;
    try {
      const seen = await inspectServer({ url, domains, files: migrationsOf(config.registry, domains), password });
      checks.push(...findings(place, seen, { state: 'fail', fix: "run tamshai migrate with the owner's login; start does not do it" }));
    } catch (error) {
      const known = (error as Error).name === 'DatabaseProblem' || error instanceof Stop;
      checks.push({
        state: 'fail',
        message: known ? (error as Error).message : `${place} could not be checked.`,
        fix: 'start it or correct DATABASE_URL; unset it to use the embedded database',
      });
    }
  }
  for (const domain of ownOf(config, 'documents')) {
    const url = config.mongodbUrl(domain.name);
    if (url !== undefined) checks.push(await mongoCheck(config, domain, `MongoDB at ${mongoAddressOf(url)}`));
  }
  for (const domain of ownOf(config, 'search')) {
    const url = config.searchUrl(domain.name);
    if (url !== undefined) checks.push(await searchCheck(config, domain));
  }
  return checks;
}

/** The files that the next start would index, and those that it would skip. */
export async function folderChecks(config: Config): Promise<Check[]> {
  const folders = ownOf(config, 'search').flatMap((domain) => folderOf(domain, config) ?? []);
  return (await Promise.all(folders.map(folderCheck))).flat();
}

async function folderCheck(folder: FolderDomain): Promise<Check[]> {
  const { name, source, path } = folder;
  const fix = `set ${folderSetting(name)} to a folder with Markdown files, or unset it to index ${source.standard} of the package`;
  try {
    checkFolder(folder);
  } catch (error) {
    return [{ state: 'fail', message: (error as Error).message, fix }];
  }
  const left: string[] = [];
  const files = await readFolder(folder, (file, why) => left.push(`${file}: ${why}`));
  const message = `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${count(files.length, 'Markdown file')} in ${shownPath(path)}`;
  if (files.length === 0) return [{ state: 'warn', message, fix }];
  if (left.length === 0) return [{ state: 'ok', message }];
  return [
    {
      state: 'warn',
      message: `${message}; ${count(left.length, 'other')} skipped (${left[0]})`,
      fix: 'repair or remove it; the log of the next start lists all of them',
    },
  ];
}

async function searchCheck(config: Config, domain: AnyDomain): Promise<Check> {
  try {
    const opened = await openSearch(config, [domain]);
    const product = opened.backends.get(domain)?.product ?? '';
    await opened.close();
    return { state: 'ok', message: `${product} answers, for ${domain.name}` };
  } catch (error) {
    const known = (error as Error).name === 'DatabaseProblem';
    const message = known ? (error as Error).message : `The search server of ${domain.name} could not be checked.`;
    return { state: 'fail', message, fix: 'start it or correct ELASTICSEARCH_URL; unset it to use the embedded store' };
  }
}

async function mongoCheck(config: Config, domain: AnyDomain, place: string): Promise<Check> {
  try {
    await (await openDocuments(config, [domain])).close();
    return { state: 'ok', message: `${place} answers and is a replica set, for ${domain.name}` };
  } catch (error) {
    const known = (error as Error).name === 'DatabaseProblem';
    const message = known ? (error as Error).message : `${place} could not be checked.`;
    return { state: 'fail', message, fix: 'start it or correct MONGODB_URL; unset it to use the embedded database' };
  }
}

async function embeddedChecks(config: Config, folder: string, domains: readonly string[]): Promise<Check[]> {
  const lock = openFolder(config.dataFolder);
  try {
    const database = await openPglite(folder);
    try {
      const seen = await inspect(database.owner, domains, migrationsOf(config.registry, domains));
      return findings('Embedded database', seen, { state: 'warn', fix: 'start Tamshai, or run tamshai migrate' });
    } finally {
      await database.close();
    }
  } finally {
    lock.close();
  }
}

/** `unapplied` is the state and the fix that are reported if migrations are missing. */
function findings(place: string, inspection: Inspection, unapplied: Pick<Check, 'state' | 'fix'>): Check[] {
  const { version, tables, missing, holes, aheadMs, login } = inspection;
  const checks: Check[] = [{ state: 'ok', message: `${place}, version ${version}` }];
  if (missing.length > 0)
    checks.push({ ...unapplied, message: `${place}: ${count(missing.length, 'schema file')} not applied yet (${missing[0]})` });
  if (login !== undefined) checks.push({ state: 'fail', message: login, fix: 'keep this login for tamshai migrate' });
  checks.push(
    ...holes.map(
      (message) =>
        ({ state: 'fail', message, fix: "undo this change with the owner's login; sql/rights.md lists the rights of each role" }) as const,
    ),
  );
  if (holes.length === 0 && tables > 0)
    checks.push({ state: 'ok', message: `Row security: forced on ${count(tables, 'table')}; no login can bypass it` });
  if (Math.abs(aheadMs) > CLOCKS_DIFFER_MS) {
    const message = `The clock of ${place} is ${duration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's`;
    checks.push({ state: 'warn', message, fix: 'synchronise both clocks with NTP' });
  }
  return checks;
}

export async function auditCheck(config: Config, console: Console): Promise<Check[]> {
  if (!existsSync(join(config.dataFolder, 'audit.db'))) return [];
  const began = performance.now();
  const { chains, unseen, silent, asked } = await verifyLocalAudit(config, keysOf(config), console);
  const [broken] = chains.flatMap((chain) => (chain.broken === undefined ? [] : [{ chain: chain.chain, ...chain.broken }]));
  if (broken !== undefined)
    return [
      {
        state: 'fail',
        message: `Audit: ${broken.chain} is broken at record #${broken.n}. ${broken.problem}`,
        fix: 'find out who could write there; tamshai audit verify shows details',
      },
    ];
  const total = chains.reduce((sum, { count: n }) => sum + n, 0);
  const by = asked ? ', by the running gateway' : '';
  const message = `Audit: ${count(chains.length, 'chain')}, ${count(total, 'record')} verified in ${duration(performance.now() - began)}${by}`;
  const rest: Check[] = [
    ...(unseen.length === 0 ? [] : [`${unseen.join(', ')} could not be verified while another process uses the database`]),
    ...(silent.length === 0 ? [] : [`the parts of the log on processes that did not answer could not be verified: ${silent.join(', ')}`]),
  ].map((why) => ({ state: 'warn', message: `Audit: ${why}` }));
  return [{ state: 'ok', message }, ...rest];
}
