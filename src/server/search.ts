/** Opens the search backends: a search server or MongoDB if a URL is set, otherwise a file in the data folder. */
import { join } from 'node:path';
import type { DocumentLoader } from '../declare/documents.ts';
import type { Logger } from '../engine/ports.ts';
import type { AnyDomain } from '../declare/tool.ts';
import { sampleOptions } from './sample.ts';
import { loadDocuments } from './sample-documents.ts';
import type { SearchBackend } from '../storage/search/backend.ts';
import { openEmbeddedSearch } from '../storage/search/embedded.ts';
import type { SearchDomain } from '../storage/search/shape.ts';
import { type Config, ConfigProblem } from './config.ts';

/** Names of other files in the data folder. */
const TAKEN: readonly string[] = ['audit', 'documents', 'gateway', 'search'];

/** A domain with a folder has its own file, because a damaged file is deleted and built again. */
export function searchFile({ dataFolder }: Pick<Config, 'dataFolder'>, { name, folder }: Pick<AnyDomain, 'name' | 'folder'>): string {
  if (folder === undefined) return join(dataFolder, 'search.db');
  if (TAKEN.includes(name)) throw new ConfigProblem(`A domain with a folder cannot be called ${name}; choose another name.`);
  return join(dataFolder, `${name}.db`);
}

const searchDomain = ({ name, collections = {} }: AnyDomain): SearchDomain => ({
  name,
  collections: collections as SearchDomain['collections'],
});

export interface OpenedSearch {
  readonly backends: ReadonlyMap<AnyDomain, SearchBackend>;
  close(): Promise<void>;
}

export async function openSearch(config: Config, domains: readonly AnyDomain[], log?: Logger): Promise<OpenedSearch> {
  const backends = new Map<AnyDomain, SearchBackend>();
  const close = async () => {
    for (const backend of backends.values()) await backend.close();
  };
  try {
    for (const domain of domains) backends.set(domain, await openOne(config, domain, log));
    return { backends, close };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

/** Loads a driver only if its server is configured. */
async function openOne(config: Config, declared: AnyDomain, log: Logger | undefined): Promise<SearchBackend> {
  const url = config.searchUrl(declared.name);
  const domain = searchDomain(declared);
  if (url === undefined) return openEmbeddedSearch(searchFile(config, declared), domain);
  if (url.startsWith('mongodb')) {
    const { openSearchMongo } = await import('../storage/search/mongodb.ts');
    return openSearchMongo({ url, domain });
  }
  const { openSearchServer } = await import('../storage/search/server.ts');
  return openSearchServer({ url, prefix: config.indexPrefix, domain, log });
}

/** Fills only embedded stores. `tamshai seed` fills a server. */
export async function loadEmbeddedSearch(config: Config, { backends }: OpenedSearch, progress: (part: number) => void): Promise<void> {
  for (const [{ name }, { loader }] of backends) {
    if (config.searchUrl(name) !== undefined) continue;
    const onProgress = (done: number, total: number) => progress(total === 0 ? 1 : done / total);
    await loadDocuments(name, loader as DocumentLoader, { ...sampleOptions(config), onProgress });
  }
}
