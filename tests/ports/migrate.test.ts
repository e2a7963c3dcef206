/** Schema migrations only go forward, and the previous version of the product can run and start beside the new one. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Migration, migrate, missing } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { databases } from './sql-test-store.ts';

const TABLE: Migration = {
  name: 'shop/001.sql',
  text: 'create schema shop; create table shop.things (id int primary key, price int)',
  once: true,
};
const COLUMN: Migration = {
  name: 'shop/002.sql',
  text: "alter table shop.things add column colour text not null default 'red'",
  once: true,
};
const rules = (price: number, after: string): Migration => ({
  name: 'shop/policies.sql',
  once: false,
  after,
  text: `alter table shop.things enable row level security; drop policy if exists cheap on shop.things; create policy cheap on
    shop.things using (price < ${price})`,
});
const OLD = [TABLE, rules(10, '001')];
const NEW = [TABLE, COLUMN, rules(20, '001,002')];

describe.each(databases)('migrations on %s', (kind) => {
  let owner: pg.ClientBase;
  let close: () => Promise<unknown>;
  let address = '';
  beforeAll(async () => {
    if (kind === 'PGlite') {
      const database = await openPglite(undefined);
      [owner, close] = [database.owner, () => database.close()];
      return;
    }
    const root = new pg.Client({ connectionString: process.env['TAMSHAI_TEST_DATABASE_URL'] ?? '' });
    await root.connect();
    const name = `tamshai_migrate_${randomBytes(6).toString('hex')}`;
    await root.query(`create database ${name}`);
    const own = new URL(process.env['TAMSHAI_TEST_DATABASE_URL'] ?? '');
    own.pathname = `/${name}`;
    address = own.href;
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    owner = client;
    close = async () => {
      await client.end();
      await root.query(`drop database ${name} with (force)`);
      await root.end();
    };
  });
  afterAll(() => close());
  const rule = async () => (await owner.query<{ qual: string }>("select qual from pg_policies where policyname = 'cheap'")).rows[0]?.qual;

  test('each numbered file is applied once, and the policies whenever they change', async () => {
    expect(await missing(owner, OLD)).toEqual(['shop/001.sql', 'shop/policies.sql']);
    expect(await migrate(owner, OLD)).toEqual(['shop/001.sql', 'shop/policies.sql']);
    expect(await migrate(owner, OLD)).toEqual([]);
    expect(await missing(owner, NEW)).toEqual(['shop/002.sql', 'shop/policies.sql']);
    expect(await migrate(owner, NEW)).toEqual(['shop/002.sql', 'shop/policies.sql']);
    expect(await rule()).toBe('(price < 20)');
  });

  test('the previous version starts after the migration, finds no file missing, and does not restore its own policies', async () => {
    expect(await missing(owner, OLD)).toEqual([]);
    expect(await migrate(owner, OLD)).toEqual([]);
    expect(await rule()).toBe('(price < 20)');
  });

  test('earlier policies can be restored together with a new numbered file', async () => {
    const back = [...NEW.slice(0, 2), { name: 'shop/003.sql', text: 'select 1', once: true }, rules(10, '001,002,003')];
    expect(await migrate(owner, back)).toEqual(['shop/003.sql', 'shop/policies.sql']);
    expect(await rule()).toBe('(price < 10)');
    expect(await migrate(owner, NEW)).toEqual([]);
    expect(await rule()).toBe('(price < 10)');
  });

  test('a numbered file that was changed afterwards is refused', async () => {
    await expect(migrate(owner, [{ ...TABLE, text: 'select 2' }])).rejects.toThrow('shop/001.sql was changed after it had been applied');
  });

  test('a failing file changes nothing, and the next run applies it again', async () => {
    const broken = { name: 'shop/004.sql', text: 'create table shop.more (id int); select 1 / 0', once: true };
    await expect(migrate(owner, [broken])).rejects.toThrow();
    expect(await missing(owner, [broken])).toEqual(['shop/004.sql']);
    expect(await migrate(owner, [{ ...broken, text: 'create table shop.more (id int)' }])).toEqual(['shop/004.sql']);
  });

  // The embedded database has one session, so no other session can hold a lock.
  if (kind === 'PostgreSQL')
    test('a migration that waits for a table lock does not block readers, and succeeds', async () => {
      const [holder, reader] = [new pg.Client({ connectionString: address }), new pg.Client({ connectionString: address })];
      await Promise.all([holder.connect(), reader.connect()]);
      try {
        await holder.query('begin; select count(*) from shop.things');
        let done = false;
        const migrated = migrate(owner, [
          { name: 'shop/005.sql', text: 'alter table shop.things add column size int', once: true },
        ]).finally(() => {
          done = true;
        });
        for (let i = 0; i < 3; i++) {
          // Reads succeed while the migration waits for its lock.
          await reader.query('select count(*) from shop.things');
          await new Promise((later) => setTimeout(later, 1_000));
        }
        expect(done).toBe(false);
        await holder.query('commit');
        expect(await migrated).toEqual(['shop/005.sql']);
      } finally {
        await Promise.all([holder.end(), reader.end()]);
      }
    });
});
