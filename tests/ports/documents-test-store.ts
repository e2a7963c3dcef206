/** A test database with deals and customers, and a document store on it for any number of processes. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createChainWriter } from '../../src/engine/audit/chain.ts';
import type { Document } from '../../src/declare/documents.ts';
import { Failure } from '../../src/declare/errors.ts';
import { type Filter, filters } from '../../src/declare/filter.ts';
import type { Person } from '../../src/declare/people.ts';
import type { AuditRecord } from '../../src/engine/ports.ts';
import type { Effected, Store, StoreSession } from '../../src/engine/store.ts';
import type { DocumentDatabase } from '../../src/storage/documents/database.ts';
import { openEmbeddedDocuments } from '../../src/storage/documents/embedded.ts';
import { openMongo } from '../../src/storage/documents/mongodb.ts';
import { type Collections, createDocumentStore } from '../../src/storage/documents/store.ts';
import { storesFor } from '../stores.ts';

const url = process.env['TAMSHAI_TEST_MONGODB_URL'];
export const databases = storesFor('the embedded database', ...(url === undefined ? [] : ['MongoDB']));

export const collections: Collections = {
  deals: {
    rows: { everyone: 'all', own: (person) => filters.where({ owner: person.username }), outside: 'none' },
    writers: ['everyone', 'own'],
    masks: { pay: ['commission'] },
    indexes: [['stage', 'value'], ['value'], ['close_date']],
  },
  customers: { rows: { everyone: 'all', own: 'none', outside: 'none' }, writers: ['everyone'] },
};

export const deal = z.object({
  _id: z.string(),
  title: z.string(),
  stage: z.string(),
  owner: z.string(),
  value: z.number(),
  close_date: z.string(),
});
export type Deal = z.infer<typeof deal>;

export const KEY = Buffer.alloc(32, 7);
export const STAGES = ['NEW', 'PROPOSAL', 'WON', 'LOST'];
export const OWNERS = ['carol', 'dan', 'erin'];
const id = (n: number) => `d${String(n).padStart(4, '0')}`;

/** 120 deals. Values repeat, so that an order by value needs a tiebreaker. */
export const deals = (): Document[] =>
  Array.from({ length: 120 }, (_, n) => ({
    _id: id(n),
    title: `Deal number ${n}`,
    stage: STAGES[n % 4],
    owner: OWNERS[n % 3],
    value: 1000 + (n % 10) * 0.1,
    probability: (n % 5) * 25,
    close_date: `2026-${String(1 + (n % 12)).padStart(2, '0')}-15`,
    commission: n,
    tags: ['new', `t${n % 2}`],
    customer: { name: `Customer ${n % 7}` },
    ...(n % 6 === 0 && { lost_reason: 'price' }),
  }));
const customers = (): Document[] => [
  { _id: 'c1', name: 'Ünique Ltd.', industry: 'Software' },
  { _id: 'c2', name: 'a+b (c) [d] $e ^f', industry: 'Retail' },
];

export function someone(username: string, audience = 'everyone', shows: readonly string[] = []): StoreSession {
  const person: Person = {
    principal: `staff:${username}`,
    sub: username,
    realm: 'staff',
    username,
    name: username,
    email: '',
    employeeId: undefined,
    organizationId: undefined,
    roles: new Set(),
  };
  return { domain: 'sales', audience, person, shows };
}
export const carol = someone('carol');

/** The time of the last record; each record is one second later. */
let moment = Date.parse('2026-11-16T09:00:00Z');
export const recordOf = (tool: string, principal = 'staff:carol'): AuditRecord => ({
  at: new Date((moment += 1000)).toISOString(),
  principal,
  username: 'carol',
  surface: 'rest',
  origin: 'web',
  server: 'sales',
  tool,
  decision: 'approved',
  code: null,
  ms: 1,
  rows: 1,
  requestId: randomUUID(),
  input: '{}',
});
export const effected = (result: unknown): Effected => ({ result, audit: recordOf('test') });

/** The error code of the work: 'none' after a success, and 'thrown: …' for an error that is not a Failure. */
export const code = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof Failure ? error.code : `thrown: ${String(error)}`),
  );

export interface DocumentTestStore {
  find(who: StoreSession, filter?: Filter): Promise<Deal[]>;
  ids(who: StoreSession, filter?: Filter): Promise<string[]>;
  stageOf(id: string): Promise<string | undefined>;
  /** Changes one deal: by default the first one, with a new confirmation id. */
  write(who: StoreSession, patch: Record<string, unknown>, filter?: Filter, id?: string): Promise<unknown>;
  readonly database: DocumentDatabase;
  readonly store: Store<'documents'>;
  /** Opens the same database as another process does, with its own audit chain. */
  another(name: string): Promise<Store<'documents'>>;
  /** The file or the address of the database. */
  readonly place: string;
  close(): Promise<void>;
}

export const storeOn = (database: DocumentDatabase, chain: string): Store<'documents'> =>
  createDocumentStore(
    database,
    collections,
    createChainWriter({ chain, key: KEY, last: () => database.lastLink(chain), checkpoint: async () => {} }),
  );

export async function openPlace(place: string): Promise<DocumentDatabase> {
  if (!place.startsWith('mongodb')) return openEmbeddedDocuments(place).of('sales');
  const { database, prepare } = await openMongo(place, 'sales', collections);
  await prepare();
  return database;
}

export async function openDocumentTestStore(kind: string): Promise<DocumentTestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'tamshai-documents-'));
  const place =
    kind === 'MongoDB' ? (url ?? '').replace('/?', `/tamshai_docs_${randomBytes(4).toString('hex')}?`) : join(folder, 'documents.db');
  const database = await openPlace(place);
  await database.fill('deals', deals(), () => {});
  await database.fill('customers', customers(), () => {});
  const others: DocumentDatabase[] = [];
  const store = storeOn(database, 'sales-main');
  const find = (who: StoreSession, filter = filters.all()) => store.read(who, ({ documents }) => documents.many(deal, 'deals', filter));
  return {
    find,
    ids: async (who, filter) => (await find(who, filter)).map(({ _id }) => _id),
    stageOf: async (which) => (await find(carol, filters.where({ _id: which })))[0]?.stage,
    write: (who, patch, filter = filters.where({ _id: 'd0000' }), confirmation = randomUUID()) =>
      store.executeOnce(who, { id: confirmation, tool: 'test' }, async ({ writing: { documents } }) =>
        effected(await documents.change(deal, 'deals', filter, patch)),
      ),
    database,
    place,
    store,
    async another(name) {
      const opened = await openPlace(place);
      others.push(opened);
      return storeOn(opened, `sales-${name}`);
    },
    async close() {
      for (const each of others) await each.close();
      await database.empty(['deals', 'customers']);
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
