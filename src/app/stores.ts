/** Opens the databases that this process needs, and puts each domain's store on one of them. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chainWriter } from '../core/chain-writer.ts';
import type { AuditChains, KeyValue, People, PeopleCopy, PeopleFeed } from '../core/ports.ts';
import type { Store } from '../core/store.ts';
import type { StoreKind } from '../core/tool.ts';
import { derive, type Keys } from '../identity/keys.ts';
import { loadSample } from '../sample/load.ts';
import type { Checkpoints } from '../storage/audit/checkpoints.ts';
import { openRedisKeyValue } from '../storage/kv/redis.ts';
import { openSqliteKeyValue } from '../storage/kv/sqlite.ts';
import { lastLink, sqlChains } from '../storage/sql/chains.ts';
import type { SqlDatabase } from '../storage/sql/database.ts';
import { migrate, migrations } from '../storage/sql/migrate.ts';
import { sqlPeople } from '../storage/sql/people.ts';
import { sqlPeopleCopy, sqlPeopleFeed } from '../storage/sql/people-feed.ts';
import { type EmbeddedDatabase, openPglite } from '../storage/sql/pglite.ts';
import { openServer } from '../storage/sql/server.ts';
import { sqlStore } from '../storage/sql/store.ts';
import type { Config } from './config.ts';
import { packageFolder } from './package.ts';

export interface Stores {
  readonly byDomain: Readonly<Record<string, Store<StoreKind>>>;
  readonly chains: readonly AuditChains[];
  /** Only where hr runs in this process. */
  readonly people: People | undefined;
  /** The same: what it tells of people to those who keep copies. */
  readonly feed: PeopleFeed | undefined;
  readonly copies: readonly PeopleCopy[];
  /** The embedded database, where there is one. */
  readonly embedded: EmbeddedDatabase | undefined;
  close(): Promise<void>;
}

export const sqlFolder = join(packageFolder, 'sql');
/** A password for each database login, so that none of them is anyone's to know or to set. */
export const passwordFor = (keys: Keys) => (role: string) => derive(keys, `postgres/${role}`).toString('base64url');

export function openKeyValue(config: Config): Promise<KeyValue> | KeyValue {
  return config.redisUrl === undefined ? openSqliteKeyValue(join(config.dataFolder, 'gateway.db')) : openRedisKeyValue(config.redisUrl);
}

/** What takes long at the first start, and how much of it is done, 0 to 1. */
export type Telling = (doing: string, part: number) => void;

export interface OpeningStores {
  readonly config: Config;
  readonly keys: Keys;
  readonly domains: readonly string[];
  readonly checkpoints: Checkpoints;
  readonly progress: Telling;
}

export async function openStores({ config, keys, domains, checkpoints, progress }: OpeningStores): Promise<Stores> {
  const groups = new Map<string, string[]>();
  for (const domain of domains) {
    const url = config.databaseUrl(domain) ?? '';
    groups.set(url, [...(groups.get(url) ?? []), domain]);
  }
  const databases: SqlDatabase[] = [];
  const byDomain: Record<string, Store<StoreKind>> = {};
  const chains: AuditChains[] = [];
  let people: People | undefined;
  let feed: PeopleFeed | undefined;
  const copies: PeopleCopy[] = [];
  let embedded: EmbeddedDatabase | undefined;
  for (const [url, group] of groups) {
    if (url === '') embedded = await openEmbedded(config, group, progress);
    const database = url === '' && embedded ? embedded : (await openServer({ url, domains: group, files: migrations(sqlFolder, group), password: passwordFor(keys) })).database;
    databases.push(database);
    for (const domain of group) {
      const chain = `${domain}-${config.instance}`;
      const audit = sqlChains(database, domain);
      const writer = chainWriter({ chain, key: derive(keys, 'audit'), last: () => lastLink(database, domain, chain), checkpoint: (name, count, mac) => checkpoints.checkpoint(name, count, mac) });
      byDomain[domain] = sqlStore(database, domain, writer, audit);
      chains.push(audit);
      if (domain === 'hr') [people, feed] = [sqlPeople(database), sqlPeopleFeed(database)];
      copies.push(...[sqlPeopleCopy(database, domain)].flatMap((copy) => copy ?? []));
    }
  }
  return { byDomain, chains, people, feed, copies, embedded, close: async () => void (await Promise.all(databases.map((database) => database.close()))) };
}

/** All domains share one embedded database: it is one process, and each has its own schema and roles. */
async function openEmbedded(config: Config, domains: readonly string[], progress: Telling): Promise<EmbeddedDatabase> {
  const folder = join(config.dataFolder, 'pg');
  await mkdir(folder, { recursive: true });
  // The embedded database makes its files for everyone to read and write: the folder has to keep the other users of this machine out.
  await chmod(folder, 0o700);
  progress('Preparing databases', 0);
  const database = await openPglite(folder);
  progress('Preparing databases', 0.6);
  await migrate(database.owner, migrations(sqlFolder, domains));
  progress('Preparing databases', 1);
  await loadSample(database.owner, { domains, employees: config.sampleEmployees, today: new Date(), onProgress: (done, total) => progress('Writing sample data', total === 0 ? 1 : done / total) });
  await database.surrender();
  return database;
}
