/** Writes the sample documents of a domain into empty collections. */
import type { Document, DocumentLoader } from '../declare/documents.ts';
import { type SampleCollection, salesSample } from '../../domains/sales/sample/index.ts';
import { supportSample } from '../../domains/support/sample/index.ts';

export interface DocumentLoadOptions {
  /** How many people the company has. */
  readonly employees: number;
  readonly today: Date;
  /** Progress: done of total. */
  readonly onProgress: (done: number, total: number) => void;
}

/** The sample data of each document and search domain. */
const samples: Readonly<Record<string, (options: DocumentLoadOptions) => readonly SampleCollection[]>> = {
  sales: salesSample,
  support: supportSample,
};

export const sampleCollections = (domain: string, options: DocumentLoadOptions): readonly SampleCollection[] =>
  samples[domain]?.(options) ?? [];

/** The journey has none: every start indexes its folder. */
export const hasSample = (domain: string): boolean => domain in samples;

/** Returns false without a change if every collection already has rows. */
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
