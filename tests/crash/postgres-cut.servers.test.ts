/** Lost connections to PostgreSQL: the running transaction fails, and everything else continues. */
import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createChainWriter } from '../../src/engine/audit/chain.ts';
import type { AuditRecord } from '../../src/engine/ports.ts';
import type { StoreSession } from '../../src/engine/store.ts';
import { lastLink, createSqlChains } from '../../src/storage/sql/chains.ts';
import type { SqlDatabase } from '../../src/storage/sql/database.ts';
import { openPostgres } from '../../src/storage/sql/postgres.ts';
import { createSqlStore } from '../../src/storage/sql/store.ts';
import { type FaultyConnection, openFaultyConnection } from '../faulty-connection.ts';

const url = process.env['TAMSHAI_TEST_DATABASE_URL'];
describe.each(url === undefined ? [] : [url])('PostgreSQL behind a faulty connection', (server) => {
  const role = `cut_${randomBytes(4).toString('hex')}`;
  const one = { text: 'select 1 as n', values: [] };
  let root: pg.Client;
  let link: FaultyConnection;
  let database: SqlDatabase;
  beforeAll(async () => {
    root = new pg.Client({ connectionString: server });
    await root.connect();
    await root.query(`create role ${role} login password 'only-for-tests'`);
    const { hostname, port } = new URL(server);
    link = await openFaultyConnection({ host: hostname, port: Number(port) });
    const through = Object.assign(new URL(server), { port: String(link.port) });
    database = openPostgres({ url: through.href, password: () => 'only-for-tests', pingAs: role, stillThereMs: 300 });
  });
  afterAll(async () => {
    await database.close();
    await link.close();
    await root.query(`drop role ${role}`);
    await root.end();
  });

  test('a connection lost between two statements fails its transaction, and the next transaction succeeds', async () => {
    const cut = database.transaction(role, one, async (session) => {
      link.set('cut');
      await new Promise((resolve) => setTimeout(resolve, 100));
      return session.query('select 2 as n');
    });
    await expect(cut).rejects.toThrow();
    link.set('pass');
    await expect.poll(() => database.transaction(role, one, async (session) => session.query('select 2 as n'))).toEqual([{ n: 2 }]);
    await expect.poll(() => database.read(role, one).catch(() => [])).toEqual([{ n: 1 }]);
  });

  test('a view that a newer version changes stays readable on connections that had prepared it', async () => {
    await root.query(`create view public.${role} as select 1 as a`);
    try {
      await root.query(`grant select on public.${role} to ${role}`);
      const all = { text: `select * from public.${role}`, values: [] };
      const read = () => Promise.all(Array.from({ length: 6 }, () => database.read(role, all)));
      expect((await read()).flat()).toEqual(Array(6).fill({ a: 1 }));
      await root.query(`create or replace view public.${role} as select 1 as a, 2 as b`);
      expect((await read()).flat()).toEqual(Array(6).fill({ a: 1, b: 2 }));
    } finally {
      await root.query(`drop view public.${role}`);
    }
  });

  test('statements that the server forgot are prepared again', async () => {
    const read = () => Promise.all(Array.from({ length: 6 }, () => database.read(role, one)));
    await read();
    await database.read(role, { text: 'deallocate all', values: [] });
    expect((await read()).flat()).toEqual(Array(6).fill({ n: 1 }));
  });

  test('when a query is cancelled while it prepares a statement, other callers of the statement are answered', async () => {
    await root.query(`create table public.${role} (a int)`);
    const locking = new pg.Client({ connectionString: server });
    await locking.connect();
    try {
      await root.query(`grant select on public.${role} to ${role}`);
      await locking.query(`begin; lock table public.${role}`);
      // The pool has two connections. The first caller on each prepares the statement for the callers that wait behind it.
      const reads = Array.from({ length: 6 }, () => database.read(role, { text: `select count(*) as n from public.${role}`, values: [] }));
      const settled = Promise.allSettled(reads);
      const waiting = async () =>
        (await root.query<{ pid: number }>("select pid from pg_stat_activity where usename = $1 and wait_event_type = 'Lock'", [role]))
          .rows;
      await expect.poll(waiting).toHaveLength(2);
      for (const { pid } of await waiting()) await root.query('select pg_cancel_backend($1)', [pid]);
      await locking.query('commit');
      expect((await settled).map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as { code: string }).code))).toEqual([
        '57014',
        '57014',
        ...Array(4).fill([{ n: 0 }]),
      ]);
    } finally {
      await locking.end();
      await root.query(`drop table public.${role}`);
    }
  });

  describe('a connection lost before the confirmation of a commit', () => {
    const roles = [`${role}_self`, `${role}_self_write`, `${role}_audit`];
    const who = { domain: role, audience: 'self', shows: [], person: { principal: 'staff:a' } } as unknown as StoreSession;
    const record = { at: '2026-11-16T09:00:00Z', principal: 'staff:a' } as AuditRecord;
    beforeAll(async () => {
      await root.query(`create schema ${role};
        create table ${role}.effects (confirmation_id uuid primary key, tool text, principal text, result json);
        create table ${role}.audit (chain text, n bigint, body text, mac text, at timestamptz, principal text,
        constraint audit_pkey primary key (chain, n));
        create table ${role}.notes (words text)`);
      for (const each of roles)
        await root.query(`create role ${each} login password 'only-for-tests'; grant usage on schema ${role} to ${each};
          grant select, insert, update on all tables in schema ${role} to ${each}`);
      // Within a transaction, the write role also reads with the rights of the read role.
      await root.query(`grant ${role}_self to ${role}_self_write`);
    });
    afterAll(async () => {
      await root.query(`drop schema ${role} cascade`);
      for (const each of roles) await root.query(`drop owned by ${each}; drop role ${each}`);
    });

    const chain = createChainWriter({
      chain: 'c',
      key: Buffer.alloc(32),
      last: () => lastLink(database, role, 'c'),
      checkpoint: async () => {},
    });
    const noting = (words: string, id?: string, trouble = false) => {
      const chains = createSqlChains(database, role);
      const audit = trouble ? { ...chains, record: async () => Promise.reject(new Error('gone')) } : chains;
      return createSqlStore(database, role, { chain, audit }).executeOnce(who, { id, tool: 'note' }, async ({ writing }) => {
        const { sql } = writing;
        await sql.change(z.object({ words: z.string() }), sql`insert into ${sql.ref(role)}.notes values (${words}) returning words`);
        return { result: words, audit: record };
      });
    };
    const times = async (words: string) => (await root.query(`select 1 from ${role}.notes where words = $1`, [words])).rowCount;

    test('if the effect can be looked up, the call succeeds', async () => {
      expect(await noting('well')).toBe('well');
      link.set({ deafTo: 'commit', then: 'pass' });
      expect(await noting('seen')).toBe('seen');
      expect(await times('seen')).toBe(1);
    });

    test('if the effect cannot be looked up, the error is not retryable', async () => {
      link.set({ deafTo: 'commit', then: 'pass' });
      await expect(noting('unseen', undefined, true)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: false });
      expect(await times('unseen')).toBe(1);
    });

    test('for an approved change the error is retryable, and the retry has no second effect', async () => {
      const id = randomUUID();
      link.set({ deafTo: 'commit', then: 'pass' });
      await expect(noting('approved', id, true)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
      expect(await noting('approved', id)).toBe('approved');
      expect(await times('approved')).toBe(1);
    });

    test('the audit chain continues', async () => {
      expect(await noting('after')).toBe('after');
      const { rows } = await root.query<{ n: string }>(`select n from ${role}.audit order by n`);
      expect(rows.map(({ n }) => Number(n))).toEqual([1, 2, 3, 4, 5]);
    });
  });

  test('after the loss of a connection without an error, LISTEN is renewed', async () => {
    let woken = 0;
    const stop = database.listen?.(role, 'there', () => void woken++) ?? expect.fail('it cannot listen');
    await expect.poll(() => woken).toBe(1);
    link.set('lost');
    await expect.poll(() => woken).toBeGreaterThanOrEqual(2);
    const before = woken;
    await root.query('notify there');
    await expect.poll(() => woken).toBeGreaterThan(before);
    stop();
  });
});
