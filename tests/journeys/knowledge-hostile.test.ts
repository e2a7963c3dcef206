/** The knowledge tools with extreme data: very many relations, cycles, repeated undo and invalid ids. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SqlReader } from '../../src/declare/sql.ts';
import type { Store } from '../../src/engine/store.ts';
import * as knowledge from '../../domains/knowledge/index.ts';
import { MOST_IDS, noticesAfter, RESOURCES } from '../../domains/knowledge/snapshot.ts';
import { code, type Data, databases, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const [nina, marcus, frank] = ['nina.patel', 'marcus.johnson', 'frank.davis'] as const;
const MANY = MOST_IDS + 20;

describe.each(databases)('knowledge on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(knowledge) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const call = (who: string, tool: string, input: unknown = {}) => testRuntime.call(who, 'knowledge', tool, input);
  const data = (who: string, tool: string, input: unknown = {}): Promise<Data> => testRuntime.data(who, 'knowledge', tool, input);
  const reading = <T>(body: (sql: SqlReader) => Promise<T>) => {
    const store = testRuntime.runtime.stores['knowledge'] as Store<'sql'>;
    return store.read({ domain: 'knowledge', audience: 'staff', person: person(frank), shows: [] }, ({ sql }) => body(sql));
  };
  const noticesOf = (tx: unknown) => reading((sql) => noticesAfter(sql, Number(tx) - 1, 1));
  const related = async (who: string, subject: string, predicate: string, object: string) =>
    (await data(who, 'relate', { subject, predicate, object })) as unknown as { tx_id: number; triple: { id: string } };

  test('very many relations of one entry are deleted and restored with it, and a notification names a bounded number of them', async () => {
    const { id } = (await data(nina, 'store', { topic: 'hub', content: 'All meets here.' })) as unknown as { id: string };
    const triples: string[] = [];
    for (let n = 0; n < MANY; n++) triples.push((await related(nina, `spoke ${n}`, 'leads_to', id)).triple.id);
    const all = async () => {
      const rows: unknown[] = [];
      for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
        const answer = await call(frank, 'query_graph', { object: id, ...(cursor !== undefined && { cursor }) });
        if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
        rows.push(...(answer.data as unknown[]));
        cursor = answer.metadata?.nextCursor;
      }
      return rows;
    };
    const before = await all();
    expect(before).toHaveLength(MANY);
    // The card of a colleague shows every relation.
    const card = await testRuntime.ask(marcus, 'knowledge', 'delete', { id });
    expect(card.confirmationData.changes.length).toBe(2 + MANY);

    const gone = (await data(nina, 'delete', { id })) as unknown as { also_deleted: string[]; tx_id: number };
    expect(gone.also_deleted).toEqual(triples);
    expect(await all()).toEqual([]);
    expect(await noticesOf(gone.tx_id)).toEqual([
      { resource_uri: RESOURCES.entries, tx_id: gone.tx_id, change_type: 'delete', changed_ids: [id] },
      { resource_uri: RESOURCES.triples, tx_id: gone.tx_id, change_type: 'delete', changed_ids: triples.slice(0, MOST_IDS) },
      { resource_uri: RESOURCES.transactions, tx_id: gone.tx_id, change_type: 'upsert', changed_ids: [String(gone.tx_id)] },
    ]);
    const back = (await data(nina, 'undo', { tx_id: gone.tx_id })) as unknown as { tx_id: number };
    expect(await all()).toEqual(before.map((row) => ({ ...(row as object), tx_id: back.tx_id, changed_at: expect.any(String) })));
    expect((await noticesOf(back.tx_id)).map(({ change_type, changed_ids }) => [change_type, changed_ids.length])).toEqual([
      ['upsert', 1],
      ['upsert', MOST_IDS],
      ['upsert', 1],
    ]);
  }, 240_000);

  test('a query follows cyclic relations only one step', async () => {
    const ring = ['ouroboros', 'serpent', 'circlet'];
    for (const topic of ring) await data(nina, 'store', { topic, content: `About the ${topic}.` });
    for (const [n, subject] of ring.entries()) await related(nina, subject, 'bites', ring[(n + 1) % ring.length] ?? '');
    await related(nina, 'ouroboros', 'bites_itself', 'ouroboros');
    const rows = await data(frank, 'query', { query: 'ouroboros' });
    expect(new Set(rows.map(({ topic }) => topic))).toEqual(new Set(ring));
    expect(rows).toHaveLength(ring.length);
    expect(rows[0]).toMatchObject({ topic: 'ouroboros', via: null });
    expect((await data(frank, 'query_graph', { subject: 'ouroboros' })).map(({ object }) => object)).toEqual(['serpent', 'ouroboros']);
  });

  test('the relation of an entry to itself is deleted and restored once', async () => {
    const { id } = (await data(nina, 'store', { topic: 'mirror', content: 'Shows itself.' })) as unknown as { id: string };
    const { triple } = await related(nina, id, 'mirrors', id.toUpperCase());
    const gone = (await data(nina, 'delete', { id })) as unknown as { also_deleted: string[]; tx_id: number };
    expect(gone.also_deleted).toEqual([triple.id]);
    await data(nina, 'undo', { tx_id: gone.tx_id });
    expect(await data(frank, 'query_graph', { subject: id })).toMatchObject([{ id: triple.id, object: id.toUpperCase() }]);
  });

  test('repeated undo by two people restores and deletes a relation in turn', async () => {
    const { triple } = await related(nina, 'sluice', 'drains', 'marsh');
    const stands = async () => (await data(frank, 'query_graph', { subject: 'sluice' })).map(({ id, recorded_by }) => [id, recorded_by]);
    let { tx_id } = (await data(nina, 'delete', { id: triple.id })) as unknown as { tx_id: number };
    for (const there of [true, false, true, false, true]) {
      const by = there ? nina : marcus;
      const asked = await call(by, 'undo', { tx_id });
      const answer = asked.status === 'pending_confirmation' ? await testRuntime.approve(by, asked.confirmationId) : asked;
      ({ tx_id } = (answer as unknown as { data: { tx_id: number } }).data);
      expect(await stands()).toEqual(there ? [[triple.id, 'Nina Patel']] : []);
    }
    expect(await data(frank, 'history', { id: triple.id })).toHaveLength(7);
  });

  test.each(['e-999999999999999', `e-${'9'.repeat(22)}`, 't-999999999999999', 'e--1', 'e-1.5', 'e-1e3', 'E-1 ; --', 'e-¹', 'e-٣'])(
    '%s is not the id of anything',
    async (id) => {
      expect(code(await call(nina, 'delete', { id }))).toBe('ENTRY_NOT_FOUND');
      expect(await data(nina, 'history', { id })).toEqual([]);
      if (id.startsWith('e-9'))
        expect(code(await call(nina, 'relate', { subject: id, predicate: 'p', object: 'o' }))).toBe('ENTRY_NOT_FOUND');
    },
  );
  test.each([
    [2_147_483_647, 'TRANSACTION_NOT_FOUND'],
    [2_147_483_648, 'VALIDATION_ERROR'],
    [1e21, 'VALIDATION_ERROR'],
    [-0, 'VALIDATION_ERROR'],
  ])('undo of the transaction %d answers %s', async (tx_id, expected) => expect(code(await call(nina, 'undo', { tx_id }))).toBe(expected));

  test('a megabyte of text is refused in every field, with a short answer', async () => {
    const huge = 'long '.repeat(200_000);
    const entry = { topic: 'x', content: 'x' };
    for (const input of [
      { ...entry, content: huge },
      { ...entry, topic: huge },
      { ...entry, source: huge },
      { ...entry, tags: [huge] },
    ]) {
      const answer = await call(nina, 'store', input);
      expect(code(answer)).toBe('VALIDATION_ERROR');
      expect(JSON.stringify(answer).length).toBeLessThan(2_000);
    }
    for (const [tool, input] of [
      ['query', { query: huge }],
      ['query_graph', { subject: huge }],
      ['undo', { reason: huge }],
    ] as const)
      expect(code(await call(nina, tool, input))).toBe('VALIDATION_ERROR');
  });
});
