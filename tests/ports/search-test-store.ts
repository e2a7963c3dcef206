/** The sample tickets on each available search store, with the audit chains of their changes. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChainWriter, type Checkpoint, createChainWriter, signCheckpoint } from '../../src/engine/audit/chain.ts';
import type { Person, Role } from '../../src/declare/people.ts';
import type { AuditRecord } from '../../src/engine/ports.ts';
import type { Store, StoreSession } from '../../src/engine/store.ts';
import type { SearchBackend } from '../../src/storage/search/backend.ts';
import { openEmbeddedSearch } from '../../src/storage/search/embedded.ts';
import { openSearchMongo } from '../../src/storage/search/mongodb.ts';
import { openSearchServer } from '../../src/storage/search/server.ts';
import type { SearchDomain } from '../../src/storage/search/shape.ts';
import { articleRows, harness, ORGANISATIONS, ticketRows } from './search-rows.ts';
import { storesFor } from '../stores.ts';

const {
  TAMSHAI_TEST_OPENSEARCH_URL: opensearch,
  TAMSHAI_TEST_ELASTICSEARCH_URL: elasticsearch,
  TAMSHAI_TEST_MONGODB_URL: mongodb,
} = process.env;
export const searchServers: readonly (readonly [string, string])[] = [
  ...(opensearch ? ([['OpenSearch', opensearch]] as const) : []),
  ...(elasticsearch ? ([['Elasticsearch', elasticsearch]] as const) : []),
];
export const searchStores = storesFor<readonly [string, string]>(
  ['SQLite', ''],
  ...searchServers,
  ...(mongodb ? ([['MongoDB', mongodb]] as const) : []),
);
/** Whether the store writes an effect and its audit record in one transaction. */
export const hasTransactions = (url: string): boolean => !url.startsWith('http');

export const KEY = Buffer.alloc(32, 7);

/** The location of a store: a file, or a server with a prefix for its indices. */
export type Place = { readonly file: string } | { readonly url: string; readonly prefix: string };
export async function openAt(place: Place, failpoint?: (name: string) => void, domain: SearchDomain = harness): Promise<SearchBackend> {
  if ('file' in place) return openEmbeddedSearch(place.file, domain);
  if (hasTransactions(place.url)) return openSearchMongo({ url: place.url.replace(/\/(?=\?|$)/, `/${place.prefix}`), domain });
  return openSearchServer({ ...place, domain, ...(failpoint && { failpoint }) });
}

/** The signed checkpoints of all chains, one for every fifty records. */
export const checkpoints: Checkpoint[] = [];
export function chainOn(backend: SearchBackend, chain: string): ChainWriter {
  const checkpoint = async (name: string, count: number, mac: string) => {
    if (count % 50 === 0) checkpoints.push(signCheckpoint(KEY, { chain: name, count, mac, at: new Date().toISOString() }));
  };
  return createChainWriter({ chain, key: KEY, last: () => backend.last(chain), checkpoint });
}
export const storeOn = (backend: SearchBackend, chain: string): Store<'search'> => backend.store(chainOn(backend, chain));

export interface SearchTestStore {
  readonly place: Place;
  readonly backend: SearchBackend;
  readonly store: Store<'search'>;
  /** Opens the same store as another process does, with its own audit chain. */
  another(): Promise<Store<'search'>>;
  close(): Promise<void>;
}

export async function openSearchTestStore(url: string, tickets = 120): Promise<SearchTestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-search-'));
  const place: Place = url === '' ? { file: join(folder, 'search.db') } : { url, prefix: `t${randomBytes(5).toString('hex')}` };
  const opened: SearchBackend[] = [];
  checkpoints.length = 0;
  const open = async () => {
    const backend = await openAt(place);
    opened.push(backend);
    return backend;
  };
  const backend = await open();
  const fill = (name: string, rows: readonly object[]) => backend.loader.fill(name, rows as Record<string, unknown>[], () => {});
  await fill('tickets', ticketRows(tickets));
  await fill('articles', articleRows());
  await fill('organisations', ORGANISATIONS);
  return {
    place,
    backend,
    store: storeOn(backend, 'desk-0'),
    another: async () => storeOn(await open(), `desk-${opened.length}`),
    async close() {
      await backend.drop?.();
      for (const each of opened) await each.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function someone(sub: string, audience: 'staff' | 'customer' | 'nobody' = 'staff', organizationId?: string): StoreSession {
  const person: Person = {
    principal: `https://people.example|${sub}`,
    sub,
    realm: audience === 'customer' ? 'customer' : 'staff',
    username: sub,
    name: sub,
    email: `${sub}@example.com`,
    employeeId: undefined,
    organizationId,
    roles: new Set<Role>(),
  };
  return { domain: 'desk', audience, person, shows: [] };
}
export const dan = someone('dan');
export const jane = someone('jane', 'customer', 'acme');
export const bob = someone('bob', 'customer', 'acme');
export const mike = someone('mike', 'customer', 'globex');

export const recordFor = (who: StoreSession, tool: string, confirmationId?: string): AuditRecord => ({
  at: new Date().toISOString(),
  principal: who.person.principal,
  username: who.person.username,
  surface: 'internal',
  origin: 'test',
  server: 'desk',
  tool,
  decision: confirmationId === undefined ? 'allowed' : 'approved',
  code: null,
  ms: 1,
  rows: 1,
  requestId: randomUUID(),
  input: '{}',
  ...(confirmationId !== undefined && { confirmationId }),
});
