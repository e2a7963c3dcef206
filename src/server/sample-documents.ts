/** Writes the sample documents of a domain into empty collections. */
import type { Document, DocumentLoader } from '../declare/documents.ts';
import type { SampleCollection } from '../declare/sample.ts';
import { sampleCollections, type SampleOptions } from './sample.ts';

export interface DocumentLoadOptions extends SampleOptions {
  /** The progress: `done` of `total`. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Returns false and writes nothing if every collection already has rows. */
export async function loadDocuments(domain: string, loader: DocumentLoader, options: DocumentLoadOptions): Promise<boolean> {
  const missing: SampleCollection[] = [];
  for (const each of await sampleCollections(domain, options)) if (await loader.isEmpty(each.name)) missing.push(each);
  const total = missing.reduce((sum, { estimate }) => sum + estimate, 0);
  let done = 0;
  for (const { name, documents } of missing) {
    await loader.fill(name, documents() as Iterable<Document>, (rows) => {
      done += rows;
      options.onProgress(Math.min(done, total), total);
    });
  }
  return missing.length > 0;
}
