/** Opens the search stores of a test runtime, embedded or on a search server, and loads the sample data of the domains. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type ChainWriterOptions, createChainWriter } from '../src/engine/audit/chain.ts';
import type { Runtime } from '../src/engine/runtime.ts';
import { folderOf, indexFolder } from '../src/server/source-folder.ts';
import type { AnyDomain } from '../src/declare/tool.ts';
import { sampleCollections } from '../src/server/sample.ts';
import type { SearchBackend } from '../src/storage/search/backend.ts';
import { openEmbeddedSearch } from '../src/storage/search/embedded.ts';
import { openSearchMongo } from '../src/storage/search/mongodb.ts';
import { openSearchServer } from '../src/storage/search/server.ts';
import type { SearchDomain } from '../src/storage/search/shape.ts';
import { builtIn } from './registry.ts';
import { storesFor } from './stores.ts';

const {
  TAMSHAI_TEST_OPENSEARCH_URL: opensearch,
  TAMSHAI_TEST_ELASTICSEARCH_URL: elasticsearch,
  TAMSHAI_TEST_MONGODB_URL: mongodb,
} = process.env;
export const searchStores = storesFor<readonly [string, string]>(
  ['the embedded store', 'embedded'],
  ...(opensearch ? ([['OpenSearch', opensearch]] as const) : []),
  ...(elasticsearch ? ([['Elasticsearch', elasticsearch]] as const) : []),
  ...(mongodb ? ([['MongoDB', mongodb]] as const) : []),
);

export interface TestSearch {
  /** The store of a domain as one replica opens it, without row rules. */
  of(domain: string, replica: number): SearchBackend;
  stores(replica: number, chain: Pick<ChainWriterOptions, 'key' | 'checkpoint'>): [string, Runtime['stores'][string]][];
  close(): Promise<void>;
}
interface Wanted {
  readonly where: string;
  readonly domains: readonly AnyDomain[];
  readonly replicas: number;
  readonly employees: number;
  readonly today: Date;
  readonly folder: string;
  /** The folder of the journey; docs/journey/ by default. */
  readonly journeyFolder?: string | undefined;
}

export async function openSearch({ where, domains, replicas, employees, today, folder, journeyFolder }: Wanted): Promise<TestSearch> {
  const prefix = `t${randomBytes(5).toString('hex')}`;
  const open = async (domain: SearchDomain): Promise<SearchBackend> => {
    // The journey always has its own file.
    if (domain.name === 'journey') return openEmbeddedSearch(join(folder, 'journey.db'), domain);
    if (where === 'embedded') return openEmbeddedSearch(join(folder, 'search.db'), domain);
    // In MongoDB the path of the URL names the database, so each test runtime gets its own.
    if (where.startsWith('mongodb')) return openSearchMongo({ url: where.replace(/\/(?=\?|$)/, `/${prefix}`), domain });
    return openSearchServer({ url: where, prefix, domain });
  };
  const opened = new Map<string, SearchBackend[]>();
  for (const domain of domains) {
    const { name, collections } = domain;
    const backends: SearchBackend[] = [];
    for (let n = 0; n < replicas; n++) backends.push(await open({ name, collections } as unknown as SearchDomain));
    opened.set(name, backends);
    const source = folderOf(domain, { sourceFolder: () => journeyFolder });
    if (source && backends[0]) await indexFolder(source, backends[0]);
    for (const each of await sampleCollections(name, { registry: builtIn, employees, today }))
      await backends[0]?.loader.fill(each.name, each.documents(), () => {});
  }
  const of = (domain: string, replica: number) => {
    const found = opened.get(domain)?.[replica];
    if (!found) throw new Error(`there is no replica ${replica} of ${domain}`);
    return found;
  };
  return {
    of,
    stores: (replica, options) =>
      domains.map(({ name }) => {
        const chain = `${name}-${replica}`;
        const backend = of(name, replica);
        return [name, backend.store(createChainWriter({ ...options, chain, last: () => backend.last(chain) }))];
      }),
    async close() {
      for (const backends of opened.values()) {
        await backends[0]?.drop?.();
        for (const each of backends) await each.close();
      }
    },
  };
}
