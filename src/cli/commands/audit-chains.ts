/** Opens and verifies the audit chains that this machine can read, without the gateway. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditKeys, Checkpoint } from '../../engine/audit/chain.ts';
import { verifyChains } from '../../engine/audit/verify.ts';
import type { AuditChains, KeyValue } from '../../engine/ports.ts';
import type { StoreKind } from '../../declare/store-kinds.ts';
import type { AnyDomain } from '../../declare/tool.ts';
import { deriveAll, type Keys } from '../../identity/keys.ts';
import { openCallChains } from '../../storage/audit/call-chains.ts';
import { readCheckpoints } from '../../storage/audit/checkpoints.ts';
import { createSqlChains } from '../../storage/sql/chains.ts';
import type { SqlDatabase } from '../../storage/sql/database.ts';
import { ENGINE_LOGIN } from '../../storage/sql/migrate.ts';
import { openPostgres } from '../../storage/sql/postgres.ts';
import { checkpointedHere, keptHere } from '../../server/chains.ts';
import type { Config } from '../../server/config.ts';
import { documentsFile, openDocuments } from '../../server/documents.ts';
import { openSearch, searchFile } from '../../server/search.ts';
import { openKeyValue, passwordFor } from '../../server/stores.ts';

export interface CheckedChain {
  readonly chain: string;
  readonly count: number;
  readonly checkpointed: number;
  readonly broken?: { readonly n: number; readonly problem: string };
}

export const auditKeysOf = (keys: Keys): AuditKeys => ({ chain: deriveAll(keys, 'audit'), checkpoint: deriveAll(keys, 'checkpoint') });

const STORE_URL = { sql: 'databaseUrl', documents: 'mongodbUrl', search: 'searchUrl' } as const;

/** The domains with this kind of store whose data this machine can read: local domains, and remote ones with a store URL. */
export const ownOf = (config: Config, kind: StoreKind): readonly AnyDomain[] =>
  config.registry.domains.filter(
    ({ name, store }) => store === kind && (config.remoteUrl(name) === undefined || config[STORE_URL[kind]](name) !== undefined),
  );

/** The SQL domains of this installation, grouped by database. */
export function ownDomains(config: Config): {
  readonly embedded: readonly string[];
  readonly servers: ReadonlyMap<string, readonly string[]>;
} {
  const own = ownOf(config, 'sql').map(({ name }) => name);
  const servers = new Map<string, string[]>();
  for (const name of own) {
    const url = config.databaseUrl(name);
    if (url !== undefined) servers.set(url, [...(servers.get(url) ?? []), name]);
  }
  return { embedded: own.filter((name) => config.databaseUrl(name) === undefined), servers };
}

/** The databases of the SQL domains, and the database of the engine's own store. */
export function ownDatabases(config: Config): {
  readonly embedded: readonly string[];
  readonly engineEmbedded: boolean;
  readonly servers: ReadonlyMap<string, readonly string[]>;
} {
  const { embedded, servers } = ownDomains(config);
  const { engineDatabaseUrl } = config;
  if (engineDatabaseUrl === undefined || servers.has(engineDatabaseUrl))
    return { embedded, engineEmbedded: engineDatabaseUrl === undefined, servers };
  return { embedded, engineEmbedded: false, servers: new Map([...servers, [engineDatabaseUrl, []]]) };
}

export interface LocalAudit {
  readonly sources: readonly AuditChains[];
  readonly checkpoints: readonly Checkpoint[];
  again(): Promise<readonly Checkpoint[]>;
  /** True if this process must see every checkpoint of the chain. */
  own(chain: string): boolean;
  close(): Promise<void>;
}

/** `embedded` is the open database of the data folder, if any. */
export async function openLocalAudit(config: Config, keys: Keys | undefined, embedded: SqlDatabase | undefined): Promise<LocalAudit> {
  const sources: AuditChains[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  const calls = join(config.dataFolder, 'audit.db');
  if (existsSync(calls)) {
    const chains = openCallChains(calls);
    sources.push(chains);
    closing.push(() => chains.close());
  }
  const { embedded: inFolder, servers } = ownDomains(config);
  if (embedded !== undefined) for (const name of inFolder) if (await isThere(embedded, name)) sources.push(createSqlChains(embedded, name));
  if (keys !== undefined) {
    for (const [url, names] of servers) {
      const database = openPostgres({ url, password: passwordFor(keys), pingAs: ENGINE_LOGIN, readers: 1 });
      closing.push(() => database.close());
      sources.push(...names.map((name) => createSqlChains(database, name)));
    }
  }
  const inDocuments = ownOf(config, 'documents').filter(
    ({ name }) => config.mongodbUrl(name) !== undefined || existsSync(documentsFile(config)),
  );
  const documents = await openDocuments(config, inDocuments);
  closing.push(() => documents.close());
  sources.push(...new Set([...documents.databases.values()].map((database) => database.chains)));
  const inSearch = ownOf(config, 'search').filter(
    (domain) => config.searchUrl(domain.name) !== undefined || existsSync(searchFile(config, domain)),
  );
  const search = await openSearch(config, inSearch);
  closing.push(() => search.close());
  sources.push(...[...search.backends.values()].map(({ audit }) => audit));
  const kv =
    config.redisUrl === undefined && !existsSync(join(config.dataFolder, 'gateway.db')) ? emptyKeyValue : await openKeyValue(config);
  closing.push(() => kv.close());
  const here = keptHere(config, [
    ...inFolder,
    ...[...servers.values()].flat(),
    ...[...ownOf(config, 'documents'), ...ownOf(config, 'search')].map(({ name }) => name),
  ]);
  const again = () => readCheckpoints(join(config.dataFolder, 'checkpoints.jsonl'), kv, here);
  const checkpoints = await again();
  const close = async () => void (await Promise.all(closing.map((each) => each())));
  return { sources, checkpoints, again, own: checkpointedHere(config), close };
}

const emptyKeyValue: Pick<KeyValue, 'get' | 'close'> & KeyValue = {
  get: async () => undefined,
  set: async () => {},
  add: async () => false,
  swap: async () => false,
  delete: async () => {},
  count: async () => 0,
  ping: async () => {},
  close: async () => {},
};

/** The data folder of an older version may lack the domain. */
async function isThere(database: SqlDatabase, domain: string): Promise<boolean> {
  const [row] = await database.read('tamshai_app', { text: 'select to_regnamespace($1) is not null as there', values: [domain] });
  return row?.['there'] === true;
}

/** Verifies each chain separately, so that a broken one does not hide the others. */
export async function checkLocalAudit(
  { sources, checkpoints, again, own }: LocalAudit,
  keys: AuditKeys,
  onChain: (chain: string) => void = () => {},
): Promise<CheckedChain[]> {
  const checked: CheckedChain[] = [];
  const where = new Map<string, AuditChains[]>();
  for (const source of sources) for (const { chain } of await source.chains()) where.set(chain, [...(where.get(chain) ?? []), source]);
  for (const { chain, count } of checkpoints) if (count > 0 && !where.has(chain)) where.set(chain, []);
  for (const [chain, holders] of where) {
    onChain(chain);
    const only = holders.map((source) => ({
      ...source,
      chains: async () => (await source.chains()).filter((each) => each.chain === chain),
    }));
    const verdict = await verifyChains(
      only,
      checkpoints.filter((each) => each.chain === chain),
      { keys, own, again },
    );
    const [found] = verdict.ok ? verdict.chains : [];
    checked.push(
      verdict.ok
        ? { chain, count: found?.count ?? 0, checkpointed: found?.checkpointed ?? 0 }
        : { chain, count: Math.max(0, verdict.n - 1), checkpointed: 0, broken: verdict },
    );
  }
  return checked;
}
