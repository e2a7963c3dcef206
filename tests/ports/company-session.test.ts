/** The company's time zone and currency in SQL sessions: days and defaults are the company's, published times are in UTC. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { giveLogins, migrate } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { connect } from '../../src/storage/sql/server.ts';
import type { SqlDatabase } from '../../src/storage/sql/database.ts';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';
import { storesFor } from '../stores.ts';

const url = process.env['TAMSHAI_TEST_DATABASE_URL'];
const company = { name: 'Northwind GmbH', timeZone: 'Europe/Berlin', currency: 'EUR', fiscalYearStart: 4 };
const DOMAINS = ['finance', 'knowledge'];
type Opened = { database: SqlDatabase; owner: pg.ClientBase; close(): Promise<void> };

async function open(kind: string): Promise<Opened> {
  if (kind === 'pglite') {
    const database = await openPglite(undefined, company);
    await migrate(database.owner, migrationsOf(builtIn, DOMAINS));
    return { database, owner: database.owner, close: () => database.close() };
  }
  const name = `tamshai_company_${process.pid}`;
  const root = new pg.Client({ connectionString: url });
  await root.connect();
  await root.query('select pg_advisory_lock(42)');
  await root.query(`create database ${name}`);
  const own = new URL(url ?? '');
  own.pathname = `/${name}`;
  const owner = await connect(own.href, company);
  await migrate(owner, migrationsOf(builtIn, DOMAINS));
  await giveLogins(owner, DOMAINS, () => 'only-for-tests');
  await root.query('select pg_advisory_unlock(42)');
  const database = openPostgres({ url: own.href, password: () => 'only-for-tests', pingAs: 'finance_audit', company });
  return {
    database,
    owner,
    async close() {
      await database.close();
      await owner.end();
      await root.query(`drop database ${name} with (force)`);
      await root.end();
    },
  };
}

describe.each(storesFor('pglite', ...(url === undefined ? [] : ['postgres'])))('on %s', (kind) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(kind);
  }, 180_000);
  afterAll(() => opened?.close());
  const QUERY = `select current_setting('timezone') as zone, current_setting('app.currency') as currency,
    ('2026-03-29T22:30:00Z'::timestamptz)::date::text as day, '2026-03-29T22:30:00.123456Z'::timestamptz as at,
    '1880-01-01T00:00:00Z'::timestamptz as old`;
  const EXPECTED = {
    zone: 'Europe/Berlin',
    currency: 'EUR',
    day: '2026-03-30',
    at: '2026-03-29T22:30:00.123456Z',
    old: '1880-01-01T00:00:00Z',
  };

  test('reads and transactions run in the time zone of the company, and publish times in UTC', async () => {
    const statement = { text: QUERY, values: [] };
    expect(await opened.database.read('finance_audit', statement)).toEqual([EXPECTED]);
    const rows = await opened.database.transaction('finance_audit', { text: 'select 1', values: [] }, (session) => session.query(QUERY));
    expect(rows).toEqual([EXPECTED]);
  });

  test('an invoice is in the currency of the company by default', async () => {
    const { rows } = await opened.owner.query<{ column_default: string; value: string }>(
      `select column_default, coalesce(nullif(current_setting('app.currency', true), ''), 'USD') as value
       from information_schema.columns where table_schema = 'finance' and table_name = 'invoices' and column_name = 'currency'`,
    );
    expect(rows[0]?.column_default).toContain("current_setting('app.currency'");
    expect(rows[0]?.value).toBe('EUR');
  });

  test('times inside JSON are in UTC, too', async () => {
    const { rows } = await opened.owner.query<{ iso: string }>("select knowledge.iso('2026-03-29T22:30:00.5Z'::timestamptz) as iso");
    expect(rows[0]?.iso).toBe('2026-03-29T22:30:00.5Z');
  });
});
