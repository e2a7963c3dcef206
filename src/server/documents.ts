/** Opens the document databases: MongoDB if a URL is set, otherwise a file in the data folder. */
import { join } from 'node:path';
import type { AnyDomain } from '../declare/tool.ts';
import { sampleOptions } from './sample.ts';
import { loadDocuments } from './sample-documents.ts';
import type { DocumentDatabase } from '../storage/documents/database.ts';
import { type EmbeddedDocuments, openEmbeddedDocuments } from '../storage/documents/embedded.ts';
import type { Collections } from '../storage/documents/store.ts';
import { type Config, ConfigProblem } from './config.ts';

export const documentsFile = ({ dataFolder }: Pick<Config, 'dataFolder'>): string => join(dataFolder, 'documents.db');

export const collectionsOf = ({ collections = {} }: AnyDomain): Collections => collections as Collections;

/** Two domains must not share a MongoDB database, because their collections and audit chains can have the same names. */
export function checkSeparateDatabases(
  config: Pick<Config, 'mongodbUrl' | 'searchUrl'>,
  domains: readonly Pick<AnyDomain, 'name' | 'store'>[],
): void {
  const owners = new Map<string, string>();
  for (const { name, store } of domains) {
    const url = store === 'documents' ? config.mongodbUrl(name) : store === 'search' ? config.searchUrl(name) : undefined;
    // Without a database in the URL, each domain uses its own.
    const [, servers, database] = /^mongodb(?:\+srv)?:\/\/(?:.*@)?([^/?]+)\/([^/?]+)/.exec(url ?? '') ?? [];
    if (database === undefined) continue;
    const target = `${servers}/${database}`;
    const owner = owners.get(target);
    if (owner !== undefined)
      throw new ConfigProblem(
        `${owner} and ${name} cannot share the MongoDB database ${database}: ` +
          `set ${name.toUpperCase()}_MONGODB_URL to a URL with another database name, or without one.`,
      );
    owners.set(target, name);
  }
}

export interface OpenedDocuments {
  readonly databases: ReadonlyMap<AnyDomain, DocumentDatabase>;
  close(): Promise<void>;
}

/** A domain with a MongoDB URL has its own database there. All other domains share one file. */
export async function openDocuments(config: Config, domains: readonly AnyDomain[]): Promise<OpenedDocuments> {
  const databases = new Map<AnyDomain, DocumentDatabase>();
  let file: EmbeddedDocuments | undefined;
  const close = async () => {
    for (const database of databases.values()) await database.close();
    await file?.close();
  };
  try {
    for (const domain of domains) {
      const url = config.mongodbUrl(domain.name);
      if (url === undefined) {
        file ??= openEmbeddedDocuments(documentsFile(config));
        databases.set(domain, file.of(domain.name));
        continue;
      }
      // Loaded only if a server is configured.
      const { openMongo } = await import('../storage/documents/mongodb.ts');
      const { database, prepare } = await openMongo(url, domain.name, collectionsOf(domain));
      databases.set(domain, database);
      await prepare();
    }
    return { databases, close };
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }
}

/** Fills only embedded stores. `tamshai seed` fills a server. */
export async function loadEmbeddedDocuments(
  config: Config,
  { databases }: OpenedDocuments,
  progress: (part: number) => void,
): Promise<void> {
  for (const [{ name }, database] of databases) {
    if (config.mongodbUrl(name) !== undefined) continue;
    const onProgress = (done: number, total: number) => progress(total === 0 ? 1 : done / total);
    await loadDocuments(name, database, { ...sampleOptions(config), onProgress });
  }
}
