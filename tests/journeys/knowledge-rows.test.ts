/** Row policies of the knowledge tables, tested without the tools, and snapshots that stay the same while others write. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Failure } from '../../src/declare/errors.ts';
import type { AuditRecord } from '../../src/engine/ports.ts';
import type { SqlReader, SqlText, SqlWriter } from '../../src/declare/sql.ts';
import type { Store } from '../../src/engine/store.ts';
import * as knowledge from '../../domains/knowledge/index.ts';
import { entriesAt, lastTx, noticesAfter, type Part, type Reading, transactionsAt, triplesAt } from '../../domains/knowledge/snapshot.ts';
import { type Data, databases, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const [nina, marcus] = ['nina.patel', 'marcus.johnson'] as const;

describe.each(databases)('the rows of knowledge on %s', (name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(knowledge), replicas: name === 'PGlite' ? 1 : 3 });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const data = (who: string, tool: string, input: unknown = {}): Promise<Data> => testRuntime.data(who, 'knowledge', tool, input);
  const store = () => testRuntime.runtime.stores['knowledge'] as Store<'sql'>;
  const session = (username: string) => ({ domain: 'knowledge', audience: 'staff', person: person(username), shows: [] });
  const reading = <T>(username: string, body: (sql: SqlReader) => Promise<T>) => store().read(session(username), ({ sql }) => body(sql));
  const audit: AuditRecord = {
    at: '2026-11-16T09:00:00Z',
    principal: person(nina).principal,
    username: nina,
    surface: 'internal',
    origin: 'test',
    server: 'knowledge',
    tool: 'test',
    decision: 'allowed',
    code: null,
    ms: 0,
    rows: 1,
    requestId: 'test',
    input: '{}',
  };
  /** Runs statements as the write role with Nina's identity, in a transaction that begins like any change. Returns 'done' or the code. */
  async function trying(statements: (sql: SqlWriter, tx: number) => readonly SqlText[], id?: string): Promise<string> {
    try {
      await store().executeOnce(session(nina), { id, tool: 'test' }, async ({ writing: { sql } }) => {
        const { last_tx: tx } = await sql.change(
          z.object({ last_tx: z.int() }),
          sql`update knowledge.head set last_tx = last_tx returning last_tx`,
        );
        await sql.change(
          z.object({}),
          sql`insert into knowledge.transactions (tx_id, action, principal, by_name)
            values (${tx}, 'update', ${person(nina).principal}, 'Nina') returning tx_id`,
        );
        for (const statement of statements(sql, tx)) await sql.change(z.object({}), statement);
        return { result: { status: 'success', data: null }, audit };
      });
      return 'done';
    } catch (error) {
      return error instanceof Failure ? error.code : 'other';
    }
  }
  const state = () => testRuntime.owner('select * from knowledge.entries order by entry_no, tx_from');

  test('every table has row security and policies, and every view runs as its caller', async () => {
    const tables = await testRuntime.owner(`select relname::text as name, relrowsecurity and relforcerowsecurity as forced, exists (select
        from pg_policy where polrelid = c.oid) as policy
      from pg_class c where relnamespace = 'knowledge'::regnamespace and relkind = 'r'`);
    expect(tables.length).toBe(11);
    expect(tables.filter(({ forced, policy }) => !forced || !policy)).toEqual([]);
    expect(
      await testRuntime.owner(
        "select relname from pg_class where relnamespace = 'knowledge'::regnamespace and relkind = 'v' " +
          "and not coalesce('security_invoker=true' = any (reloptions), false)",
      ),
    ).toEqual([]);
    expect(await testRuntime.owner("select proname from pg_proc where pronamespace = 'knowledge'::regnamespace and prosecdef")).toEqual([]);
  });

  test('without an identity no row is visible', async () => {
    const nobody = { ...session(nina), person: { ...person(nina), principal: '', employeeId: undefined } };
    for (const table of [
      'head',
      'transactions',
      'entry_versions',
      'triple_versions',
      'changes',
      'history',
      'words',
      'pairs',
      'terms',
      'names',
      'ends',
    ])
      expect([
        table,
        await store().read(nobody, ({ sql }) => sql.many(z.object({}), sql`select 1 as one from ${sql.ref(`knowledge.${table}`)} limit 1`)),
      ]).toEqual([table, []]);
  });

  test('a caller can end (tx_to) their own version at once, and a colleague’s only while an approved change is executed', async () => {
    const foreign = Number(String((await data(marcus, 'store', { topic: 'his', content: 'His.' }))['id']).slice(2));
    const own = Number(String((await data(nina, 'store', { topic: 'hers', content: 'Hers.' }))['id']).slice(2));
    const before = await state();
    const close = (no: number) => (sql: SqlWriter, tx: number) => [
      sql`update knowledge.entries set tx_to = ${tx} where entry_no = ${no} and tx_to is null returning entry_no`,
    ];
    expect(await trying(close(foreign))).toBe('CHANGED_SINCE_APPROVAL');
    expect(await state()).toEqual(before);
    expect(await trying(close(own))).toBe('done');
    expect(await trying(close(foreign), '0b000000-0000-4000-8000-00000000000a')).toBe('done');
    // The approval of the earlier change does not allow another one.
    const other = Number(String((await data(marcus, 'store', { topic: 'his', content: 'His.' }))['id']).slice(2));
    expect(await trying(close(other))).toBe('CHANGED_SINCE_APPROVAL');
  });

  test('no version can be rewritten, deleted, backdated or recorded in another person’s name', async () => {
    const own = Number(String((await data(nina, 'store', { topic: 'hers', content: 'Hers.' }))['id']).slice(2));
    const before = await state();
    const insert = (sql: SqlWriter, no: number, from: number, owner: string) =>
      sql`insert into knowledge.entries (entry_no, tx_from, topic, content, owner, recorded_by, recorded_at)
        values (${no}, ${from}, 'x', 'x', ${owner}, 'x', now()) returning entry_no`;
    const me = person(nina).principal;
    const attempts: Record<string, (sql: SqlWriter, tx: number) => readonly SqlText[]> = {
      rewritten: (sql) => [sql`update knowledge.entries set content = 'x' where entry_no = ${own} returning entry_no`],
      owner: (sql) => [sql`update knowledge.entries set owner = ${me} where entry_no = 1 returning entry_no`],
      deleted: (sql) => [sql`delete from knowledge.entries where entry_no = ${own} returning entry_no`],
      history: (sql) => [sql`delete from knowledge.transactions where tx_id = 1 returning tx_id`],
      action: (sql) => [sql`update knowledge.transactions set action = 'undo' where tx_id = 1 returning tx_id`],
      'closed in the past': (sql, tx) => [
        sql`update knowledge.entries set tx_to = ${tx - 1} where entry_no = ${own} and tx_to is null returning entry_no`,
      ],
      'opened again': (sql) => [sql`update knowledge.entries set tx_to = null where entry_no = 2 and tx_to is not null returning entry_no`],
      'in another’s name': (sql, tx) => [insert(sql, tx, tx, person(marcus).principal)],
      'dated back': (sql, tx) => [insert(sql, tx, tx - 1, me)],
      'text of other people': (sql, tx) => [
        sql`insert into knowledge.terms (stem, entry_no, tx_from, weight) values ('x', 1, ${tx - 1}, 1) returning stem`,
      ],
      'an approval of one’s own making': (sql) => [sql`update knowledge.effects set principal = ${me} returning principal`],
    };
    for (const [what, statements] of Object.entries(attempts))
      expect([what, await trying(statements)]).toEqual([
        what,
        expect.stringMatching(/^(INSUFFICIENT_PERMISSIONS|CHANGED_SINCE_APPROVAL)$/),
      ]);
    expect(await state()).toEqual(before);
  });

  test('transaction numbers have no gaps and follow the commit order, even with concurrent writers', async () => {
    const first = await reading(nina, lastTx);
    const people = [nina, marcus, 'sarah.kim', 'frank.davis', 'alice.chen'];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        testRuntime.call(people[n % people.length] ?? nina, 'knowledge', 'store', { topic: `rush ${n}`, content: 'At once.' }, n),
      ),
    );
    const done = answers.filter(({ status }) => status === 'success').length;
    expect(answers.filter((answer) => answer.status === 'error' && !answer.retryable)).toEqual([]);
    expect(done).toBe(20);
    expect(await reading(nina, lastTx)).toBe(first + done);
    expect(
      await testRuntime.owner(
        'select tx_id from knowledge.transactions except select generate_series(1, (select last_tx from knowledge.head))',
      ),
    ).toEqual([]);
    expect(
      await testRuntime.owner(
        'select 1 from knowledge.transactions a join knowledge.transactions b on b.tx_id = a.tx_id + 1 where b.at < a.at',
      ),
    ).toEqual([]);
  });

  describe('a snapshot', () => {
    const all = async <T>(
      read: (sql: SqlReader, at: Reading) => Promise<Part<T>>,
      asOf: number,
      limit: number,
      between: () => Promise<unknown> = async () => {},
    ) => {
      const items: T[] = [];
      for (let after: number | undefined, more = true; more; ) {
        const { items: page, next } = await reading('frank.davis', (sql) => read(sql, { asOf, after, limit }));
        items.push(...page);
        more = next !== null;
        after = next ?? undefined;
        await between();
      }
      return items;
    };

    test('stays the same from page to page while rows change', async () => {
      const { id } = await data(nina, 'store', { topic: 'ebb', content: 'First.' });
      const asOf = await reading(nina, lastTx);
      const before = [await all(entriesAt, asOf, 1000), await all(triplesAt, asOf, 1000), await all(transactionsAt, asOf, 1000)];
      expect(before.map(({ length }) => length > 20)).toEqual([true, true, true]);
      let n = 0;
      const churn = async () => {
        n++;
        await data(nina, 'update', { id, content: `Version ${n}.` });
        if (n % 3 === 0) await data(nina, 'undo');
        const { id: made } = await data(marcus, 'store', { topic: 'flood', content: `Number ${n}.` });
        if (n % 2 === 0) await data(marcus, 'delete', { id: made });
        await data(marcus, 'relate', { subject: `drop ${n}`, predicate: 'falls_into', object: 'sea' });
      };
      expect([
        await all(entriesAt, asOf, 13, churn),
        await all(triplesAt, asOf, 7, churn),
        await all(transactionsAt, asOf, 29, churn),
      ]).toEqual(before);
      expect((await all(entriesAt, await reading(nina, lastTx), 1000)).length).not.toBe(before[0]?.length);
      const sizes = await Promise.all([1, 7, 1000].map(async (limit) => (await all(triplesAt, asOf, limit)).length));
      expect(new Set(sizes)).toEqual(new Set([before[1]?.length]));
    });

    test('lists the newest change first, and shows an undo only from its own transaction on', async () => {
      const { tx_id } = await data(nina, 'store', { topic: 'jetty', content: 'Old.' });
      const asOf = await reading(nina, lastTx);
      await data(nina, 'undo', { tx_id });
      expect((await reading(nina, (sql) => transactionsAt(sql, { asOf, limit: 1 }))).items[0]).toMatchObject({ tx_id, undone_by: null });
      expect((await reading(nina, (sql) => transactionsAt(sql, { asOf: asOf + 1, limit: 2 }))).items).toMatchObject([
        { tx_id: asOf + 1, undoes: tx_id },
        { tx_id, undone_by: asOf + 1 },
      ]);
    });

    test('is followed by one notification for each later transaction and resource, in order', async () => {
      const since = await reading(nina, lastTx);
      const { id } = await data(nina, 'store', { topic: 'buoy', content: 'Red.' });
      const { triple } = await data(nina, 'relate', { subject: id, predicate: 'floats_on', object: 'sea' });
      await data(nina, 'delete', { id });
      const notices = await reading('frank.davis', (sql) => noticesAfter(sql, since, 100));
      const [entries, triples, transactions] = ['knowledge://entries', 'knowledge://graph/triples', 'knowledge://history/transactions'];
      const related = (triple as Data)['id'];
      expect(notices).toEqual([
        { resource_uri: entries, tx_id: since + 1, change_type: 'upsert', changed_ids: [id] },
        { resource_uri: transactions, tx_id: since + 1, change_type: 'upsert', changed_ids: [String(since + 1)] },
        { resource_uri: triples, tx_id: since + 2, change_type: 'upsert', changed_ids: [related] },
        { resource_uri: transactions, tx_id: since + 2, change_type: 'upsert', changed_ids: [String(since + 2)] },
        { resource_uri: entries, tx_id: since + 3, change_type: 'delete', changed_ids: [id] },
        { resource_uri: triples, tx_id: since + 3, change_type: 'delete', changed_ids: [related] },
        { resource_uri: transactions, tx_id: since + 3, change_type: 'upsert', changed_ids: [String(since + 3)] },
      ]);
      expect(await reading('frank.davis', (sql) => noticesAfter(sql, since, 1))).toEqual(notices.slice(0, 2));
      expect(await reading('frank.davis', (sql) => noticesAfter(sql, since + 3, 10))).toEqual([]);
    });
  });
});
