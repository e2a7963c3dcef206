/** Writes the sample documents of a domain, collection by collection, where there are none yet. */
import type { Document, DocumentLoader } from '../core/documents.ts';
import { type SampleCollection, salesSample } from './sales.ts';
import { supportSample } from './support.ts';

export interface DocumentLoadOptions {
  /** How many people the company has. */
  readonly employees: number;
  readonly today: Date;
  /** How much is done of how much. */
  readonly onProgress: (done: number, total: number) => void;
}

/** What each domain that lives in documents or in a search store brings. */
const samples: Readonly<Record<string, (options: DocumentLoadOptions) => readonly SampleCollection[]>> = {
  sales: salesSample,
  support: supportSample,
};

export const sampleCollections = (domain: string, options: DocumentLoadOptions): readonly SampleCollection[] =>
  samples[domain]?.(options) ?? [];

/** The journey has none: it is made from its folder at each start. */
export const hasSample = (domain: string): boolean => domain in samples;

/** Does nothing, and says false, where every collection has its rows already. */
export async function loadDocuments(domain: string, loader: DocumentLoader, options: DocumentLoadOptions): Promise<boolean> {
  const missing: SampleCollection[] = [];
  for (const each of sampleCollections(domain, options)) if (await loader.isEmpty(each.name)) missing.push(each);
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
