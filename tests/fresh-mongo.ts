/** Creates a MongoDB database with the sample documents on the server of this run, and drops it at the end. */
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { collectionsOf } from '../src/server/documents.ts';
import type { AnyDomain } from '../src/declare/tool.ts';
import { loadDocuments } from '../src/server/sample-documents.ts';
import { builtIn } from './registry.ts';
import { openMongo } from '../src/storage/documents/mongodb.ts';

export interface FreshMongo {
  readonly url: string;
  drop(): Promise<void>;
}

export async function freshMongo(url: string, domains: readonly AnyDomain[]): Promise<FreshMongo> {
  const name = `tamshai_site_${randomBytes(6).toString('hex')}`;
  const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  for (const domain of domains) {
    const { database } = await openMongo(own, domain.name, collectionsOf(domain));
    await loadDocuments(domain.name, database, { registry: builtIn, employees: 500, today: new Date(), onProgress: () => {} });
    await database.close();
  }
  return {
    url: own,
    async drop() {
      const root = await new MongoClient(url).connect();
      await root.db(name).dropDatabase();
      await root.close();
    },
  };
}
