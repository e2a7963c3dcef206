/** The sample orders on each available store, with one audience per right. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { createChainWriter } from '../../src/engine/audit/chain-writer.ts';
import type { Filter } from '../../src/declare/filter.ts';
import { asc } from '../../src/declare/order.ts';
import { sql } from '../../src/declare/sql.ts';
import type { Group, GroupsQuery, Store, StoreSession } from '../../src/engine/store.ts';
import { platformFolder } from '../../src/server/schemas.ts';
import type { SqlDatabase } from '../../src/storage/sql/database.ts';
import { giveLogins, migrate, migrations } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { storesFor } from '../stores.ts';
import type { Order } from './groups-rows.ts';

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

export interface GroupsTestStore {
  /** All rows that the caller can list, or those that match the conditions. */
  rows(who: StoreSession, where?: Filter, words?: string): Promise<Order[]>;
  groups(who: StoreSession, asked: GroupsQuery, words?: string): Promise<Group[]>;
  close(): Promise<void>;
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
  size int, amount numeric(12,2), rating double precision, day date, at timestamptz, pay numeric(12,2), note text not null, removed boolean not null default false);
create view ledger.list with (security_invoker = true) as
  select id, tenant, owner, team, stage, open, size, amount, rating, day, at, case when (select tamshai.shows('pay')) then pay end as pay, note
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
  const store: Store<'sql'> = createSqlStore(database, 'ledger', idle, undefined as never);
  const list = sql`select * from ledger.list`;
  return {
    rows: (who, where) =>
      store.page(who, list, { order: asc('id'), after: undefined, take: 10_000, where }, order) as Promise<unknown> as Promise<Order[]>,
    groups: async (who, asked) => (await store.groups?.(who, list, asked)) ?? [],
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

const { TAMSHAI_TEST_DATABASE_URL: postgres } = process.env;
const SQL = { refuses: false, hasWords: false };
export const suites: readonly GroupsSuite[] = [
  ...storesFor<GroupsSuite>(
    { ...SQL, name: 'PGlite', open: openOnPglite },
    ...(postgres ? [{ ...SQL, name: 'PostgreSQL', open: (opened: Opened) => openOnPostgres(postgres, opened) }] : []),
  ),
];
