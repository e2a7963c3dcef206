/** Opens the databases of this process, and creates the store of each domain on one of them. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createChainWriter, type Head } from '../engine/audit/chain.ts';
import type { EngineStore } from '../engine/engine-store.ts';
import type { AuditChains, ChangeCopy, Clock, KeyValue, Logger, PoolLoad } from '../engine/ports.ts';
import type { Store } from '../engine/store.ts';
import type { StoreKind } from '../declare/store-kinds.ts';
import { dayIn } from '../declare/company.ts';
import type { AnyDomain } from '../declare/tool.ts';
import type { Follower } from '../declare/provisions.ts';
import { derive, derivePrevious, type Keys, type MasterKeys } from '../identity/keys.ts';
import { loadSample, sampleOptions } from './sample.ts';
import type { Checkpoints } from '../storage/audit/checkpoints.ts';
import { createSeal } from '../storage/seal.ts';
import { createDocumentStore } from '../storage/documents/store.ts';
import { openRedisKeyValue } from '../storage/kv/redis.ts';
import { openSqliteKeyValue } from '../storage/kv/sqlite.ts';
import { lastLink, createSqlChains } from '../storage/sql/chains.ts';
import { createSqlEngineStore } from '../storage/sql/engine-store.ts';
import { migrate } from '../storage/sql/migrate.ts';
import { createSqlCopy } from '../storage/sql/change-copy.ts';
import { type EmbeddedDatabase, openPglite } from '../storage/sql/pglite.ts';
import { openServer } from '../storage/sql/server.ts';
import { createSqlStore } from '../storage/sql/store.ts';
import type { SqlDatabase } from '../storage/sql/database.ts';
import type { Config } from './config.ts';
import { checkSeparateDatabases, collectionsOf, loadEmbeddedDocuments, openDocuments } from './documents.ts';
import { loadEmbeddedSearch, openSearch, searchFile } from './search.ts';
import { type Module, openModule, type Use } from './module.ts';
import { migrationsOf } from './schemas.ts';
import { checkFolder, folderOf, indexFolder, repairIndex } from './source-folder.ts';

export interface Stores extends Module {
  readonly byDomain: Readonly<Record<string, Store<StoreKind>>>;
  readonly chains: readonly AuditChains[];
  /** The copies that SQL domains have of other installed domains' rows. */
  readonly copies: readonly ChangeCopy[];
  /** The engine's own store; undefined without a gateway. */
  readonly engine: EngineStore | undefined;
  /** Undefined if this process does not use the embedded database. */
  readonly embedded: EmbeddedDatabase | undefined;
  pools(): readonly PoolLoad[];
}

/** Derives the password of each database login from the master key, so that nobody must store it. */
export const passwordFor = (keys: MasterKeys) => (role: string) => derive(keys, `postgres/${role}`).toString('base64url');

export function openKeyValue(config: Config, log?: Logger): Promise<KeyValue> | KeyValue {
  return config.redisUrl === undefined
    ? openSqliteKeyValue(join(config.dataFolder, 'gateway.db'))
    : openRedisKeyValue(config.redisUrl, log);
}

/** Reports the progress of long steps of a first start. `part` is from 0 to 1. */
export type ReportProgress = (doing: string, part: number) => void;

export interface StoresOptions {
  readonly config: Config;
  readonly keys: Keys;
  readonly domains: readonly AnyDomain[];
  readonly withGateway: boolean;
  readonly clock: Clock;
  readonly checkpoints: Checkpoints;
  readonly progress: ReportProgress;
  readonly log?: Logger;
}

export const openStores = (options: StoresOptions): Promise<Stores> => openModule((use) => openAll(options, use));

async function openAll(options: StoresOptions, use: Use): Promise<Omit<Stores, 'close'>> {
  const { config, keys, domains, withGateway, clock, checkpoints, progress, log } = options;
  checkSeparateDatabases(config, domains);
  for (const domain of domains) {
    const folder = folderOf(domain, config);
    if (folder !== undefined) checkFolder(folder);
  }
  const of = (kind: StoreKind) => domains.filter(({ store }) => store === kind);
  const writerOf = (domain: string, last: (chain: string) => Promise<Head | undefined>) => {
    const chain = `${domain}-${config.instance}`;
    return createChainWriter({ ...checkpoints, chain, key: derive(keys, 'audit'), last: () => last(chain) });
  };
  const groups = new Map<string, string[]>();
  for (const { name } of of('sql')) {
    const url = config.databaseUrl(name) ?? '';
    groups.set(url, [...(groups.get(url) ?? []), name]);
  }
  const engineUrl = withGateway ? (config.engineDatabaseUrl ?? '') : undefined;
  if (engineUrl !== undefined && !groups.has(engineUrl)) groups.set(engineUrl, []);
  const databases: SqlDatabase[] = [];
  const byDomain: Record<string, Store<StoreKind>> = {};
  const chains: AuditChains[] = [];
  const copies: ChangeCopy[] = [];
  let engine: EngineStore | undefined;
  let embedded: EmbeddedDatabase | undefined;
  for (const [url, group] of groups) {
    if (url === '') embedded = await openEmbedded(config, group, progress);
    const database =
      url === '' && embedded
        ? embedded
        : await openServer({
            url,
            domains: group,
            files: migrationsOf(config.registry, group),
            password: passwordFor(keys),
            company: config.company,
          });
    databases.push(use(database));
    if (url === engineUrl)
      engine = createSqlEngineStore(database, { clock, seal: createSeal(derive(keys, 'kv'), derivePrevious(keys, 'kv')) });
    for (const domain of group) {
      const audit = createSqlChains(database, domain);
      byDomain[domain] = createSqlStore(database, domain, {
        chain: writerOf(domain, (chain) => lastLink(database, domain, chain)),
        audit,
        today: () => dayIn(config.company.timeZone, clock.now()),
      });
      chains.push(audit);
      const sourceOf = (each: Follower) => config.registry.provisionOf(each.contract)?.domain.name;
      const followers = config.registry.followers.filter((each) => each.domain.name === domain);
      for (const follower of followers) {
        const source = sourceOf(follower);
        if (source === undefined) continue;
        // Each feed has its own position, also if one domain provides several.
        const several = followers.filter((each) => sourceOf(each) === source).length > 1;
        copies.push(createSqlCopy(database, follower, several ? `${source} ${follower.contract.id}` : source));
      }
    }
  }
  const documents = use(await openDocuments(config, of('documents')));
  await loadEmbeddedDocuments(config, documents, (part) => progress('Writing sample data', part));
  for (const [domain, database] of documents.databases)
    byDomain[domain.name] = createDocumentStore(database, collectionsOf(domain), writerOf(domain.name, database.lastLink));
  // One file can contain the chains of several domains.
  chains.push(...new Set([...documents.databases.values()].map((database) => database.chains)));
  for (const domain of of('search')) if (domain.folder !== undefined) repairIndex(domain, searchFile(config, domain), log);
  const search = use(await openSearch(config, of('search'), log));
  await loadEmbeddedSearch(config, search, (part) => progress('Writing sample data', part));
  for (const [domain, backend] of search.backends) {
    const { name } = domain;
    const folder = folderOf(domain, config);
    if (folder !== undefined) await indexFolder(folder, backend, log);
    const writer = writerOf(name, (chain) => backend.last(chain));
    byDomain[name] = backend.store(writer);
    chains.push(backend.audit);
    await backend.settle(writer, `${name}-${config.instance}`);
  }
  return {
    byDomain,
    chains,
    copies,
    engine,
    embedded,
    pools: () => databases.flatMap((database) => database.load?.() ?? []),
  };
}

/** SQL domains without a database URL and the engine's own store share one embedded database. Each has its own roles. */
async function openEmbedded(config: Config, domains: readonly string[], progress: ReportProgress): Promise<EmbeddedDatabase> {
  const folder = join(config.dataFolder, 'pg');
  await mkdir(folder, { recursive: true });
  // Every user can read the files of PGlite, so the folder must be private.
  await chmod(folder, 0o700);
  progress('Preparing databases', 0);
  const database = await openPglite(folder, config.company);
  progress('Preparing databases', 0.6);
  await migrate(database.owner, migrationsOf(config.registry, domains));
  progress('Preparing databases', 1);
  await loadSample(database.owner, {
    ...sampleOptions(config),
    domains,
    onProgress: (done, total) => progress('Writing sample data', total === 0 ? 1 : done / total),
  });
  await database.surrender();
  return database;
}
