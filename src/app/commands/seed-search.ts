/** The sample of what is searched, into the data folder or into the search server. */
import type { DocumentLoader } from '../../core/documents.ts';
import { loadDocuments } from '../../sample/documents.ts';
import type { Config } from '../config.ts';
import { openFolder } from '../folder.ts';
import { openSearch } from '../search.ts';
import { grouped } from '../terminal/text.ts';
import type { Console } from './console.ts';
import { mongoAddressOf } from './places.ts';
import type { SeedingDocuments } from './seed-documents.ts';
import { ownOf } from './trail.ts';

export async function seedSearch(config: Config, { employees, force, agreed }: SeedingDocuments, console: Console): Promise<void> {
  for (const domain of ownOf(config, 'search')) {
    const url = config.searchUrl(domain.name);
    const folder = url === undefined ? openFolder(config.dataFolder) : undefined;
    try {
      const opened = await openSearch(config, [domain]);
      const step = console.progress.step('Writing sample for search');
      try {
        const [backend] = opened.backends.values();
        if (backend === undefined) continue;
        if (force && url !== undefined) await agreed(`${backend.product} at ${mongoAddressOf(url)}`, domain.name);
        if (force) await backend.empty();
        const onProgress = (done: number, total: number) =>
          step.at(total === 0 ? 1 : done / total, `${grouped(done)} of ${grouped(total)} rows`);
        await loadDocuments(domain.name, backend.loader as DocumentLoader, { employees, today: new Date(), onProgress });
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
