/** The sample documents, into the data folder or into MongoDB. */
import { loadDocuments } from '../../sample/documents.ts';
import type { Config } from '../config.ts';
import { collectionsOf, openDocuments } from '../documents.ts';
import { openFolder } from '../folder.ts';
import { grouped } from '../terminal/text.ts';
import type { Console } from './console.ts';
import { mongoAddressOf } from './places.ts';
import { ownOf } from './trail.ts';

export interface SeedingDocuments {
  readonly employees: number;
  readonly force: boolean;
  /** Throws where nobody says that a server's data may be replaced. */
  agreed(place: string, name: string): Promise<void>;
}

export async function seedDocuments(config: Config, { employees, force, agreed }: SeedingDocuments, console: Console): Promise<void> {
  for (const domain of ownOf(config, 'documents')) {
    const url = config.mongodbUrl(domain.name);
    const folder = url === undefined ? openFolder(config.dataFolder) : undefined;
    try {
      const opened = await openDocuments(config, [domain]);
      const step = console.progress.step('Writing sample documents');
      try {
        const [database] = opened.databases.values();
        if (database === undefined) continue;
        if (force && url !== undefined) await agreed(`MongoDB at ${mongoAddressOf(url)}`, database.name);
        if (force) await database.empty(Object.keys(collectionsOf(domain)));
        const onProgress = (done: number, total: number) =>
          step.at(total === 0 ? 1 : done / total, `${grouped(done)} of ${grouped(total)} documents`);
        await loadDocuments(domain.name, database, { employees, today: new Date(), onProgress });
        step.done();
      } catch (error) {
        step.failed();
        throw error;
      } finally {
        await opened.close();
      }
    } finally {
      folder?.close();
    }
  }
}
