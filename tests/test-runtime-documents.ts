/** Opens the document databases of a test runtime, embedded or on a MongoDB server, and loads the sample data of the domains. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type ChainWriterOptions, createChainWriter } from '../src/engine/audit/chain.ts';
import type { Runtime } from '../src/engine/runtime.ts';
import type { AnyDomain } from '../src/declare/tool.ts';
import { loadDocuments } from '../src/server/sample-documents.ts';
import type { DocumentDatabase } from '../src/storage/documents/database.ts';
import { openEmbeddedDocuments } from '../src/storage/documents/embedded.ts';
import { openMongo } from '../src/storage/documents/mongodb.ts';
import { type Collections, createDocumentStore } from '../src/storage/documents/store.ts';
import { storesFor } from './stores.ts';
import { builtIn } from './registry.ts';

const serverUrl = process.env.TAMSHAI_TEST_MONGODB_URL;
export const documentDatabases = storesFor<readonly [string, string]>(
  ['the embedded database', 'embedded'],
  ...(serverUrl ? ([['MongoDB', serverUrl]] as const) : []),
);

const collectionsOf = ({ collections = {} }: AnyDomain): Collections => collections as unknown as Collections;

export interface TestDocuments {
  /** The database of a domain as one replica opens it. */
  of(domain: string, replica: number): DocumentDatabase;
  /** The stores of a replica, by domain. */
  stores(replica: number, chain: Pick<ChainWriterOptions, 'key' | 'checkpoint'>): [string, Runtime['stores'][string]][];
  close(): Promise<void>;
}
interface Wanted {
  readonly where: string;
  readonly domains: readonly AnyDomain[];
  readonly replicas: number;
  readonly employees: number;
  readonly today: Date;
  readonly folder: string;
}

export async function openDocuments({ where, domains, replicas, employees, today, folder }: Wanted): Promise<TestDocuments> {
  const open = where === 'embedded' ? embedded(join(folder, 'documents.db'), replicas) : onServer(where, domains, replicas);
  const opened = await open;
  for (const { name } of domains)
    await loadDocuments(name, opened.of(name, 0), { registry: builtIn, employees, today, onProgress: () => {} });
  await opened.filled();
  const storeOf = (domain: AnyDomain, replica: number, options: Pick<ChainWriterOptions, 'key' | 'checkpoint'>) => {
    const chain = `${domain.name}-${replica}`;
    const its = opened.of(domain.name, replica);
    return createDocumentStore(its, collectionsOf(domain), createChainWriter({ ...options, chain, last: () => its.lastLink(chain) }));
  };
  return { ...opened, stores: (replica, options) => domains.map((domain) => [domain.name, storeOf(domain, replica, options)]) };
}

interface Opened extends Omit<TestDocuments, 'stores'> {
  filled(): Promise<void>;
}

async function embedded(file: string, replicas: number): Promise<Opened> {
  const files = Array.from({ length: replicas }, () => openEmbeddedDocuments(file));
  return {
    of: (domain, replica) => at(files, replica).of(domain),
    filled: async () => {},
    close: async () => void (await Promise.all(files.map((each) => each.close()))),
  };
}

async function onServer(url: string, domains: readonly AnyDomain[], replicas: number): Promise<Opened> {
  const mark = `tamshai_world_${randomBytes(6).toString('hex')}`;
  const addressOf = (domain: string) => Object.assign(new URL(url), { pathname: `/${mark}_${domain}` }).href;
  const opened = new Map<string, Awaited<ReturnType<typeof openMongo>>[]>();
  for (const domain of domains) {
    const clients: Awaited<ReturnType<typeof openMongo>>[] = [];
    for (let n = 0; n < replicas; n++) clients.push(await openMongo(addressOf(domain.name), domain.name, collectionsOf(domain)));
    opened.set(domain.name, clients);
  }
  return {
    of: (domain, replica) => at(opened.get(domain) ?? [], replica).database,
    filled: async () => void (await Promise.all([...opened.values()].map((clients) => at(clients, 0).prepare()))),
    async close() {
      for (const clients of opened.values()) await Promise.all(clients.map(({ database }) => database.close()));
      const root = await new MongoClient(url).connect();
      for (const domain of opened.keys()) await root.db(`${mark}_${domain}`).dropDatabase();
      await root.close();
    },
  };
}

function at<T>(from: readonly T[], index: number): T {
  const found = from[index];
  if (found === undefined) throw new Error(`there is no replica ${index}`);
  return found;
}
