/** Creates search indices with the sample rows on the OpenSearch of this run, and drops them at the end. */
import { randomBytes } from 'node:crypto';
import { openSearch } from '../src/server/search.ts';
import type { DocumentLoader } from '../src/declare/documents.ts';
import type { AnyDomain } from '../src/declare/tool.ts';
import { loadDocuments } from '../src/server/sample-documents.ts';
import { builtIn, readConfig } from './registry.ts';

export interface FreshSearch {
  readonly settings: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

export async function freshSearch(url: string, domains: readonly AnyDomain[]): Promise<FreshSearch> {
  const settings = { ELASTICSEARCH_URL: url, TAMSHAI_INDEX_PREFIX: `site${randomBytes(6).toString('hex')}` };
  const config = readConfig(settings);
  const opened = await openSearch(
    config,
    domains.filter(({ name }) => config.searchUrl(name) !== undefined),
  );
  for (const [{ name }, { loader }] of opened.backends)
    await loadDocuments(name, loader as DocumentLoader, { registry: builtIn, employees: 500, today: new Date(), onProgress: () => {} });
  return {
    settings,
    async drop() {
      for (const { drop } of opened.backends.values()) await drop?.();
      await opened.close();
    },
  };
}
