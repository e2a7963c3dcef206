/** Changes on every document database: exactly once, atomic, only to the approved version, and with an audit record. */
import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyChains } from '../../src/engine/audit/verify.ts';
import { filters } from '../../src/declare/filter.ts';
import type { Effected } from '../../src/engine/store.ts';
import { startChild } from '../services/child.ts';
import {
  carol,
  code,
  type DocumentTestStore,
  databases,
  deal,
  effected,
  KEY,
  openDocumentTestStore,
  someone,
  storeOn,
} from './documents-test-store.ts';

const { where, all } = filters;

describe.each(databases)('changes of documents on %s', (kind) => {
  let testRuntime: DocumentTestStore;
  beforeEach(async () => void (testRuntime = await openDocumentTestStore(kind)));
  afterEach(() => testRuntime.close());

  describe('changes', () => {
    test('raise the version, and fail if no row or several rows match', async () => {
      const versions = (filter = where({ _id: 'd0000' })) =>
        testRuntime.store.read(carol, async ({ documents }, read) => (await documents.many(deal, 'deals', filter), [...read]));
      expect(await versions()).toEqual(['d0000:1']);
      expect(await testRuntime.write(carol, { stage: 'WON' }, where({ _id: 'd0000', stage: 'NEW' }))).toMatchObject({
        _id: 'd0000',
        stage: 'WON',
      });
      expect(await versions()).toEqual(['d0000:2']);
      expect(await code(testRuntime.write(carol, { stage: 'LOST' }, where({ _id: 'd0000', stage: 'NEW' })))).toBe('CHANGED_SINCE_APPROVAL');
      expect(await testRuntime.stageOf('d0000')).toBe('WON');
      expect(await code(testRuntime.write(carol, { stage: 'X' }, where({ stage: 'LOST' })))).toMatch(/^thrown/);
      expect((await testRuntime.ids(carol, where({ stage: 'X' }))).length).toBe(0);
    });
    test.each([
      [{ _id: 'x' }],
      [{ row_version: 9 }],
      [{ removed: true }],
      [{ $set: 1 }],
      [{ 'a.b': 1 }],
      [{ a: { $b: 1 } }],
      [{ a: new Date() }],
      [{ a: () => 1 }],
      [JSON.parse('{"__proto__": 1}') as object],
      [{ a: Number.NaN }],
    ])('the patch %o is refused', async (patch) => {
      expect(await code(testRuntime.write(carol, patch as Record<string, unknown>))).toMatch(/^thrown/);
      expect(await testRuntime.stageOf('d0000')).toBe('NEW');
    });
    test('a removed document stays in the database and is visible to nobody', async () => {
      const removed = await testRuntime.store.executeOnce(carol, { id: randomUUID(), tool: 'test' }, async ({ writing: { documents } }) =>
        effected(await documents.remove(deal, 'deals', where({ _id: 'd0003' }), { removed_reason: 'twice' })),
      );
      expect(removed).toMatchObject({ _id: 'd0003' });
      expect(await testRuntime.ids(carol, where({ _id: 'd0003' }))).toEqual([]);
      expect(await testRuntime.store.read(carol, ({ documents }) => documents.count('deals', all()))).toBe(119);
      expect(await code(testRuntime.write(carol, { stage: 'X' }, where({ _id: 'd0003' })))).toBe('CHANGED_SINCE_APPROVAL');
      const [kept] = await testRuntime.database.find('deals', { _id: 'd0003' }, { sort: { _id: 1 }, limit: 1, hide: [] });
      expect(kept).toMatchObject({ removed: true, removed_reason: 'twice', row_version: 2 });
    });
    test('only the transaction itself sees its changes, and a failure rolls all of them back', async () => {
      let outside: string | undefined;
      const work = testRuntime.store.executeOnce(carol, { id: randomUUID(), tool: 'test' }, async ({ reading, writing: { documents } }) => {
        await documents.change(deal, 'deals', where({ _id: 'd0000' }), { stage: 'WON' });
        await documents.insert(deal, 'deals', { _id: 'half', title: 'x', stage: 'NEW', owner: 'dan', value: 1, close_date: '2026-01-01' });
        expect((await reading.documents.one(deal, 'deals', where({ _id: 'd0000' }))).stage).toBe('WON');
        outside = await testRuntime.stageOf('d0000');
        throw new Error('in the middle');
      });
      expect(await code(work)).toBe('thrown: Error: in the middle');
      expect([outside, await testRuntime.stageOf('d0000'), await testRuntime.ids(carol, where({ _id: 'half' }))]).toEqual([
        'NEW',
        'NEW',
        [],
      ]);
      expect(await testRuntime.database.chains.chains()).toEqual([]);
    });
    test("two transactions that read each other's row do not both write", async () => {
      const another = await testRuntime.another('two');
      const swap = (store: DocumentTestStore['store'], from: string, to: string) =>
        store.executeOnce(carol, { id: randomUUID(), tool: 'test' }, async ({ reading, writing: { documents } }) => {
          const other = await reading.documents.one(deal, 'deals', where({ _id: from }));
          await new Promise((resolve) => setTimeout(resolve, 30));
          await documents.change(deal, 'deals', where({ _id: to }), { stage: `${other.stage}-seen` });
          return effected('done');
        });
      await Promise.all([swap(testRuntime.store, 'd0000', 'd0001'), swap(another, 'd0001', 'd0000')]);
      // They ran one after the other: the later one has read what the earlier one wrote.
      expect([await testRuntime.stageOf('d0000'), await testRuntime.stageOf('d0001')]).toEqual(
        expect.arrayContaining([expect.stringMatching(/-seen-seen$/)]),
      );
    });
  });

  describe('exactly once', () => {
    test('twenty concurrent executions of one approval in two processes have one effect and one result', async () => {
      const another = await testRuntime.another('two');
      const id = randomUUID();
      let ran = 0;
      const body = async ({
        writing: { documents },
      }: {
        writing: Parameters<Parameters<DocumentTestStore['store']['executeOnce']>[2]>[0]['writing'];
      }): Promise<Effected> => {
        const before = await documents.one(deal, 'deals', where({ _id: 'd0000' }));
        await documents.change(deal, 'deals', where({ _id: 'd0000' }), { value: before.value + 1 });
        return effected({ run: ++ran, value: before.value + 1 });
      };
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? testRuntime.store : another).executeOnce(carol, { id, tool: 'test' }, body)),
      );
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect((await testRuntime.find(carol, where({ _id: 'd0000' })))[0]?.value).toBe(1001);
      const chains = await testRuntime.database.chains.chains();
      expect(chains.reduce((sum, { count }) => sum + count, 0)).toBe(1);
      expect(await testRuntime.store.findResult(carol, id)).toEqual(answers[0]);
      expect(await another.executeOnce(carol, { id, tool: 'test' }, body)).toEqual(answers[0]);
      expect(await testRuntime.store.findResult(someone('dan'), id)).toBeUndefined();
      expect(await code(testRuntime.store.executeOnce(someone('dan'), { id, tool: 'test' }, body))).toBe('CONFIRMATION_NOT_FOUND');
      expect(await testRuntime.store.findResult(carol, randomUUID())).toBeUndefined();
    });
    test('thirty concurrent changes of different documents all succeed, each with its audit record', async () => {
      await Promise.all(
        Array.from({ length: 30 }, (_, n) => testRuntime.write(carol, { stage: 'DONE' }, where({ _id: `d${String(n).padStart(4, '0')}` }))),
      );
      expect((await testRuntime.ids(carol, where({ stage: 'DONE' }))).length).toBe(30);
      expect(await testRuntime.database.chains.chains()).toEqual([{ chain: 'sales-main', count: 30 }]);
    });
    test('a process that is killed during a change leaves nothing behind, and the same approval can be executed afterwards', async () => {
      const id = randomUUID();
      const child = startChild(new URL('./documents-child.ts', import.meta.url), testRuntime.place, id);
      expect(await child.line()).toBe('changed');
      await child.ended;
      expect(await testRuntime.stageOf('d0000')).toBe('NEW');
      expect(await testRuntime.store.findResult(carol, id)).toBeUndefined();
      let result: string;
      // MongoDB holds the locks of the killed process until it aborts the transaction.
      for (
        let tries = 0;
        (result = await code(testRuntime.write(carol, { stage: 'WON' }, where({ _id: 'd0000' }), id))) === 'SERVICE_UNAVAILABLE' &&
        tries < 40;
        tries++
      )
        await new Promise((resolve) => setTimeout(resolve, 300));
      expect(result).toBe('none');
      expect(await testRuntime.stageOf('d0000')).toBe('WON');
      expect(await testRuntime.database.chains.chains()).toEqual([{ chain: 'sales-main', count: 1 }]);
    });
  });

  describe('the audit log', () => {
    const keys = { chain: [KEY], checkpoint: [KEY] };
    test('verifies after changes by several processes, and continues after a restart', async () => {
      const another = await testRuntime.another('two');
      for (let n = 0; n < 3; n++) await testRuntime.write(carol, { stage: `S${n}` });
      await another.executeOnce(carol, { id: undefined, tool: 'test' }, async () => effected('done'));
      await storeOn(testRuntime.database, 'sales-main').executeOnce(carol, { id: undefined, tool: 'test' }, async () => effected('done'));
      expect(await verifyChains([testRuntime.database.chains], [], { keys, own: () => false })).toMatchObject({
        ok: true,
        chains: [
          { chain: 'sales-main', count: 4 },
          { chain: 'sales-two', count: 1 },
        ],
      });
      const [newest] = await testRuntime.database.chains.newest({ limit: 1, principal: 'staff:carol' });
      expect(newest).toMatchObject({ chain: 'sales-main', n: 4 });
      const rest = await testRuntime.database.chains.newest({
        limit: 10,
        before: { ...(JSON.parse(newest?.body ?? '{}') as { at: string }), chain: 'sales-main', n: 4 },
      });
      expect(rest.length).toBe(4);
      expect(await testRuntime.database.chains.newest({ limit: 10, principal: 'staff:dan' })).toEqual([]);
      expect(await testRuntime.database.chains.record('sales-main', 2)).toMatchObject({ n: 2 });
      expect(await testRuntime.database.chains.record('sales-main', 9)).toBeUndefined();
    });
  });
});

describe.each(databases.filter((kind) => kind === 'MongoDB'))('the audit log on %s', (kind) => {
  let testRuntime: DocumentTestStore;
  beforeEach(async () => void (testRuntime = await openDocumentTestStore(kind)));
  afterEach(() => testRuntime.close());
  const keys = { chain: [KEY], checkpoint: [KEY] };

  test('a record that differs from the fields it is indexed by is hidden, and verification detects it', async () => {
    for (let n = 0; n < 3; n++) await testRuntime.write(carol, { stage: `S${n}` });
    const client = await MongoClient.connect(process.env['TAMSHAI_TEST_MONGODB_URL'] ?? '');
    const audit = client.db(testRuntime.database.name).collection<{ n: number; at: string }>('audit');
    const kept = (await audit.findOne({ n: 2 })) ?? expect.fail('no record');
    try {
      for (const change of [{ principal: 'staff:dan' }, { at: '1970-01-01T00:00:00.000Z' }, { body: 'no JSON' }]) {
        await audit.updateOne({ n: 2 }, { $set: change });
        expect([change, await verifyChains([testRuntime.database.chains], [], { keys, own: () => false })]).toMatchObject([
          change,
          { ok: false, n: 2 },
        ]);
        expect((await testRuntime.database.chains.newest({ limit: 2 })).map(({ n }) => n)).toEqual([3, 1]);
        await audit.replaceOne({ n: 2 }, kept);
      }
      expect(await verifyChains([testRuntime.database.chains], [], { keys, own: () => false })).toMatchObject({ ok: true });
    } finally {
      await client.close();
    }
  });
});
