/** Writes the sample data of document and search domains to the data folder or to their servers. */
import type { DocumentLoader } from '../../declare/documents.ts';
import type { AnyDomain } from '../../declare/tool.ts';
import { sampleOptions } from '../../server/sample.ts';
import { loadDocuments } from '../../server/sample-documents.ts';
import type { Config } from '../../server/config.ts';
import { collectionsOf, openDocuments } from '../../server/documents.ts';
import { openFolder } from '../../server/folder.ts';
import { openSearch } from '../../server/search.ts';
import { grouped } from '../terminal/text.ts';
import type { Console } from './console.ts';
import { mongoAddressOf } from './server-address.ts';
import { ownOf } from './audit-chains.ts';

export interface Seeding {
  readonly employees: number;
  readonly force: boolean;
  /** Throws unless the user confirms that the server's data may be replaced. */
  agreed(place: string, name: string): Promise<void>;
}

interface Fillable {
  readonly product: string;
  /** The name that the user must type to confirm: the MongoDB database, or the domain of a search store. */
  readonly name: string;
  readonly loader: DocumentLoader;
  empty(): Promise<void>;
  close(): Promise<void>;
}
interface Kind {
  readonly doing: string;
  readonly rows: string;
  url(domain: string): string | undefined;
  open(domain: AnyDomain): Promise<Fillable>;
}

const kinds = (config: Config) =>
  ({
    documents: {
      doing: 'Writing sample documents',
      rows: 'documents',
      url: config.mongodbUrl,
      async open(domain) {
        const { databases, close } = await openDocuments(config, [domain]);
        const database = databases.get(domain);
        if (database === undefined) throw new Error(`${domain.name} has no documents`);
        return {
          product: 'MongoDB',
          name: database.name,
          loader: database,
          empty: () => database.empty(Object.keys(collectionsOf(domain))),
          close,
        };
      },
    },
    search: {
      doing: 'Writing search sample',
      rows: 'rows',
      url: config.searchUrl,
      async open(domain) {
        const { backends, close } = await openSearch(config, [domain]);
        const backend = backends.get(domain);
        if (backend === undefined) throw new Error(`${domain.name} has no search store`);
        return {
          product: backend.product,
          name: domain.name,
          loader: backend.loader as DocumentLoader,
          empty: () => backend.empty(),
          close,
        };
      },
    },
  }) satisfies Record<string, Kind>;

export async function seedDocuments(config: Config, seeding: Seeding, console: Console): Promise<void> {
  for (const [kind, how] of Object.entries(kinds(config)) as ['documents' | 'search', Kind][])
    for (const domain of ownOf(config, kind).filter(({ name }) => config.registry.samples.has(name)))
      await seedOne(config, domain, { kind: how, seeding, console });
}

async function seedOne(
  config: Config,
  domain: AnyDomain,
  { kind, seeding, console }: { readonly kind: Kind; readonly seeding: Seeding; readonly console: Console },
): Promise<void> {
  const { doing, rows, url: urlOf, open } = kind;
  const { employees, force, agreed } = seeding;
  const url = urlOf(domain.name);
  const folder = url === undefined ? openFolder(config.dataFolder) : undefined;
  try {
    const { product, name, loader, empty, close } = await open(domain);
    const step = console.progress.step(doing);
    try {
      if (force && url !== undefined) await agreed(`${product} at ${mongoAddressOf(url)}`, name);
      if (force) await empty();
      const onProgress = (done: number, total: number) =>
        step.at(total === 0 ? 1 : done / total, `${grouped(done)} of ${grouped(total)} ${rows}`);
      await loadDocuments(domain.name, loader, { ...sampleOptions(config), employees, onProgress });
      step.done();
    } catch (error) {
      step.failed();
      throw error;
    } finally {
      await close();
    }
  } finally {
    folder?.close();
  }
}
