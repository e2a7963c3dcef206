/** The sample orders on each available store, with one audience per right. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { createChainWriter } from '../../src/engine/audit/chain.ts';
import { documentWords } from '../../src/declare/documents.ts';
import { FieldFilter, Filter, filters } from '../../src/declare/filter.ts';
import { Order as ListOrder } from '../../src/declare/order.ts';
import { field, searchWords } from '../../src/declare/search.ts';
import { sql } from '../../src/declare/sql.ts';
import type { KeyPart } from '../../src/engine/lists/cursor.ts';
import { withoutNulls } from '../../src/engine/lists/keyset.ts';
import type { Group, GroupsQuery, Store, StoreSession, Window } from '../../src/engine/store.ts';
import { platformFolder } from '../../src/server/schemas.ts';
import type { DocumentDatabase } from '../../src/storage/documents/database.ts';
import { openEmbeddedDocuments } from '../../src/storage/documents/embedded.ts';
import { openMongo } from '../../src/storage/documents/mongodb.ts';
import { type Collections, createDocumentStore } from '../../src/storage/documents/store.ts';
import type { SearchDomain } from '../../src/storage/search/shape.ts';
import type { SqlDatabase } from '../../src/storage/sql/database.ts';
import { giveLogins, migrate, migrations } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { storesFor } from '../stores.ts';
import { effected } from './documents-test-store.ts';
import { type Order, someone } from './groups-rows.ts';
import { openAt, searchStores } from './search-test-store.ts';

export const order = z.object({
  id: z.string(),
  tenant: z.string(),
  owner: z.string(),
  team: z.string().nullable(),
  stage: z.string(),
  open: z.boolean().nullable(),
  size: z.number().nullable(),
  amount: z.number().nullable(),
  rating: z.number().nullable(),
  day: z.string().nullable(),
  at: z.string().nullable(),
  pay: z.number().nullable(),
  note: z.string(),
});

export interface Part {
  readonly words?: string;
  /** By default ascending by id. */
  readonly order?: ListOrder<keyof Order>;
  /** Rows after the row with these keys. */
  readonly after?: readonly KeyPart[];
  readonly take?: number;
}
export interface GroupsTestStore {
  /** All rows that the caller can list, or those that match the conditions. */
  rows(who: StoreSession, where?: Filter, part?: Part): Promise<Order[]>;
  groups(who: StoreSession, asked: GroupsQuery, words?: string): Promise<Group[]>;
  close(): Promise<void>;
}
const BY_ID = new ListOrder<keyof Order>('asc', ['id']);
/** As the engine asks for a page. */
function windowOf(where: Filter | undefined, { order: by = BY_ID, after, take = 10_000 }: Part = {}, key = 'id'): Window {
  const keys = by.keys.map((name) => (name === 'id' ? key : name));
  return withoutNulls({ order: new ListOrder<string>(by.direction, keys, by.nullable), after, take, where });
}
export interface Opened {
  /** The orders of `removed` are deleted after they were stored. */
  readonly rows: readonly Order[];
  readonly removed: readonly string[];
}
export interface GroupsSuite {
  readonly name: string;
  /** Whether the store refuses hidden fields. SQL reads them as null. */
  readonly refuses: boolean;
  readonly hasWords: boolean;
  open(opened: Opened): Promise<GroupsTestStore>;
}

const TABLES = `create table ledger.orders (
  id text collate "C" primary key, tenant text not null, owner text not null, team text collate "C", stage text not null, open boolean,
  size int, amount numeric(12,2), rating double precision, day date, at timestamptz, pay numeric(12,2), note text not null,
  removed boolean not null default false);
create view ledger.list with (security_invoker = true) as
  select id, tenant, owner, team, stage, open, size, amount, rating, day, at,
  case when (select tamshai.shows('pay')) then pay end as pay, note
  from ledger.orders where not removed;`;
const RULES = `call tamshai.ensure_role('ledger_everyone');
call tamshai.ensure_role('ledger_own');
call tamshai.ensure_role('ledger_outside');
call tamshai.begin_rules('ledger');
grant usage on schema ledger to ledger_everyone, ledger_own, ledger_outside;
grant select on ledger.orders, ledger.list to ledger_everyone, ledger_own, ledger_outside;
create policy everyone on ledger.orders for select to ledger_everyone using (tenant = (select split_part(tamshai.principal(), ':', 1)));
create policy own on ledger.orders for select to ledger_own
  using (tenant = (select split_part(tamshai.principal(), ':', 1)) and owner = (select split_part(tamshai.principal(), ':', 2)));`;

async function prepare(owner: pg.ClientBase, { rows, removed }: Opened): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tamshai-groups-'));
  mkdirSync(join(folder, 'ledger'));
  writeFileSync(join(folder, 'ledger', '001_tables.sql'), TABLES);
  writeFileSync(join(folder, 'ledger', 'policies.sql'), RULES);
  await migrate(owner, migrations(platformFolder, [{ name: 'ledger', folder: join(folder, 'ledger') }]));
  await owner.query('insert into ledger.orders select * from json_populate_recordset(null::ledger.orders, $1)', [
    JSON.stringify(rows.map((row) => ({ ...row, removed: removed.includes(row.id) }))),
  ]);
  rmSync(folder, { recursive: true });
}

const idle = createChainWriter({ chain: 'c', key: Buffer.alloc(32), last: async () => undefined, checkpoint: async () => {} });

function onSql(database: SqlDatabase, close: () => Promise<void>): GroupsTestStore {
  const store: Store<'sql'> = createSqlStore(database, 'ledger', { chain: idle, audit: undefined as never });
  const list = sql`select * from ledger.list`;
  return {
    rows: (who, where, part) => store.page(who, list, windowOf(where, part), order) as Promise<unknown> as Promise<Order[]>,
    groups: (who, asked) => store.groups(who, list, asked),
    close,
  };
}

async function openOnPglite(opened: Opened): Promise<GroupsTestStore> {
  const database = await openPglite();
  await prepare(database.owner, opened);
  await database.surrender();
  return onSql(database, () => database.close());
}

async function openOnPostgres(url: string, opened: Opened): Promise<GroupsTestStore> {
  const name = `tamshai_groups_${randomBytes(4).toString('hex')}`;
  const root = new pg.Client({ connectionString: url });
  await root.connect();
  // Roles belong to the whole server, and other suites create them too.
  await root.query('select pg_advisory_lock(42)');
  await root.query(`create database ${name}`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  const owner = new pg.Client({ connectionString: address.href });
  await owner.connect();
  await prepare(owner, opened);
  await giveLogins(owner, ['ledger'], () => 'only-for-tests');
  await root.query('select pg_advisory_unlock(42)');
  await owner.end();
  const database = openPostgres({ url: address.href, password: () => 'only-for-tests', pingAs: 'ledger_audit' });
  return onSql(database, async () => {
    await database.close();
    await root.query(`drop database ${name} with (force)`);
    await root.end();
  });
}

const collections: Collections = {
  orders: {
    rows: {
      everyone: ({ organizationId }) => filters.where({ tenant: organizationId ?? '' }),
      own: ({ organizationId, username }) => filters.where({ tenant: organizationId ?? '', owner: username }),
      outside: 'none',
    },
    writers: ['everyone'],
    masks: { pay: ['pay'] },
    indexes: [['stage', 'day']],
  },
};
const document = z.object({ ...order.omit({ id: true }).shape, _id: z.string() });

async function onDocuments(database: DocumentDatabase, { rows, removed }: Opened, close: () => Promise<void>): Promise<GroupsTestStore> {
  await database.fill(
    'orders',
    // Null and absent mean the same.
    rows.map(({ id, team, ...row }) => ({ ...row, ...(team !== null && { team }), _id: id })),
    () => {},
  );
  const chain = createChainWriter({ chain: 'c', key: Buffer.alloc(32), last: () => database.lastLink('c'), checkpoint: async () => {} });
  const store = createDocumentStore(database, collections, chain);
  for (const id of removed) {
    const tenant = rows.find((row) => row.id === id)?.tenant;
    await store.executeOnce(someone('system', 'everyone', ['pay'], tenant), { id: undefined, tool: 'test' }, async ({ writing }) =>
      effected(await writing.documents.remove(document.pick({ _id: true }), 'orders', filters.where({ _id: id }), {})),
    );
  }
  const named = (filter: Filter | undefined) => filter && renamed(filter);
  return {
    async rows(who, where, part) {
      const window = windowOf(named(where), part, '_id');
      const found = await store.page(who, documentWords.from('orders'), window, document.extend({ team: z.string().nullish() }));
      return found.map(({ _id, ...row }) => order.parse({ ...row, id: _id, team: row['team'] ?? null }));
    },
    groups: (who, asked) => store.groups(who, documentWords.from('orders'), { ...asked, where: named(asked.where) }),
    close,
  };
}

/** A document has its id under another name. */
function renamed(filter: Filter): Filter {
  if (!(filter instanceof Filter)) return filter;
  const parts = filter.parts.map((part) =>
    part instanceof Filter ? renamed(part) : new FieldFilter(part.field === 'id' ? '_id' : part.field, part.tests),
  );
  return new Filter(filter.how, parts);
}

async function openEmbedded(opened: Opened): Promise<GroupsTestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'tamshai-groups-'));
  const database = openEmbeddedDocuments(join(folder, 'documents.db')).of('ledger');
  return onDocuments(database, opened, async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });
}

async function openOnMongo(url: string, opened: Opened): Promise<GroupsTestStore> {
  const place = url.replace('/?', `/tamshai_groups_${randomBytes(4).toString('hex')}?`);
  const { database, prepare: prepareMongo } = await openMongo(place, 'ledger', collections);
  await prepareMongo();
  return onDocuments(database, opened, async () => {
    await database.empty(['orders']);
    await database.close();
  });
}

const searchDomain: SearchDomain = {
  name: 'ledger',
  collections: {
    orders: {
      key: 'id',
      fields: {
        tenant: field.word,
        owner: field.word,
        team: field.word,
        stage: field.word,
        open: field.flag,
        size: field.number,
        amount: field.number,
        rating: field.number,
        day: field.word,
        at: field.time,
        pay: field.number,
        note: field.text(),
        tags: field.words,
      },
      rows: {
        everyone: ({ organizationId }) => filters.where({ tenant: organizationId ?? '' }),
        own: ({ organizationId, username }) => filters.where({ tenant: organizationId ?? '', owner: username }),
        outside: 'none',
      },
      hides: { own: ['pay'] },
      indexes: [['stage', 'day']],
    },
  },
};

async function openOnSearch(url: string, { rows, removed }: Opened): Promise<GroupsTestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'tamshai-groups-'));
  const place = url === '' ? { file: join(folder, 'search.db') } : { url, prefix: `t${randomBytes(5).toString('hex')}` };
  const backend = await openAt(place, undefined, searchDomain);
  // Search collections only lose rows as a whole, so a removed order is one that is not stored.
  await backend.loader.fill('orders', rows.filter(({ id }) => !removed.includes(id)) as unknown as Record<string, unknown>[], () => {});
  const store = backend.store(idle);
  return {
    rows: (who, where, part) =>
      store.page(who, searchWords.from('orders', undefined, part?.words), windowOf(where, part), order) as Promise<unknown> as Promise<
        Order[]
      >,
    groups: (who, asked, words) => store.groups(who, searchWords.from('orders', undefined, words), asked),
    async close() {
      await backend.drop?.();
      await backend.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const { TAMSHAI_TEST_DATABASE_URL: postgres, TAMSHAI_TEST_MONGODB_URL: mongodb } = process.env;
const SEARCH = { refuses: true, hasWords: true };
const DOCUMENTS = { refuses: true, hasWords: false };
const SQL = { refuses: false, hasWords: false };
export const suites: readonly GroupsSuite[] = [
  ...storesFor<GroupsSuite>(
    { ...SQL, name: 'PGlite', open: openOnPglite },
    ...(postgres ? [{ ...SQL, name: 'PostgreSQL', open: (opened: Opened) => openOnPostgres(postgres, opened) }] : []),
  ),
  ...storesFor<GroupsSuite>(
    { ...DOCUMENTS, name: 'embedded documents', open: openEmbedded },
    ...(mongodb ? [{ ...DOCUMENTS, name: 'documents on MongoDB', open: (opened: Opened) => openOnMongo(mongodb, opened) }] : []),
  ),
  ...searchStores.map(([name, url]) => ({ ...SEARCH, name: `search on ${name}`, open: (opened: Opened) => openOnSearch(url, opened) })),
];
