/** Faults of the document database: each caller gets our error within the deadline, and nothing is half-written. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { filters } from '../../src/declare/filter.ts';
import type { Store } from '../../src/engine/store.ts';
import { openMongo } from '../../src/storage/documents/mongodb.ts';
import { type FaultyConnection, openFaultyConnection } from '../faulty-connection.ts';
import {
  carol,
  code,
  collections,
  type DocumentTestStore,
  databases,
  deal,
  effected,
  openDocumentTestStore,
  openPlace,
  storeOn,
} from '../ports/documents-test-store.ts';

const { where, all } = filters;
const DRIVER = /mongo|sqlite|topology|client|closed|socket|ECONN|127\.0\.0\.1|secret/i;

describe.each(databases)('faults of %s', (kind) => {
  let testRuntime: DocumentTestStore;
  beforeAll(async () => void (testRuntime = await openDocumentTestStore(kind)));
  afterAll(() => testRuntime.close());

  test('a closed database is unavailable, with our error message', async () => {
    const database = await openPlace(testRuntime.place);
    const store = storeOn(database, 'sales-closed');
    await store.ping();
    await database.close();
    const failed = await store.read(carol, ({ documents }) => documents.count('deals', all())).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    expect(String((failed as Error).message)).not.toMatch(/mongo|sqlite|topology|client|closed/i);
    expect(await code(store.ping())).toBe('SERVICE_UNAVAILABLE');
    expect(await code(store.executeOnce(carol, { id: randomUUID(), tool: 'test' }, async () => effected('x')))).toBe('SERVICE_UNAVAILABLE');
  });

  test('many concurrent changes of one row: each succeeds exactly once, or is refused', async () => {
    const store = await testRuntime.another('sales-queue');
    const counted = z.object({ row_version: z.int() });
    const version = () => store.read(carol, ({ documents }) => documents.one(counted, 'deals', where({ _id: 'd0007' })));
    const { row_version: before } = await version();
    const many = Array.from({ length: 300 }, (_, n) =>
      store.executeOnce(carol, { id: randomUUID(), tool: 'test' }, async ({ writing: { documents } }) => {
        const row = await documents.change(counted, 'deals', where({ _id: 'd0007' }), { stage: `S${n}` });
        return effected(row.row_version);
      }),
    );
    const codes = await Promise.all(many.map(code));
    const done = codes.filter((each) => each === 'none').length;
    expect(done).toBeGreaterThan(0);
    for (const each of codes) expect(['none', 'SERVICE_UNAVAILABLE', 'TIMEOUT']).toContain(each);
    expect((await version()).row_version - before).toBe(done);
    expect(await store.read(carol, ({ documents }) => documents.count('deals', all()))).toBe(120);
  }, 60_000);

  if (kind !== 'MongoDB') return;

  describe('behind a faulty connection', () => {
    let link: FaultyConnection;
    let store: Store<'documents'>;
    beforeAll(async () => {
      const { hostname, port, pathname } = new URL(testRuntime.place);
      link = await openFaultyConnection({ host: hostname, port: Number(port) });
      const { database } = await openMongo(`mongodb://127.0.0.1:${link.port}${pathname}?directConnection=true`, 'sales', collections);
      store = storeOn(database, 'sales-linked');
    });
    afterAll(async () => {
      link.set('cut');
      await store.close();
      await link.close();
    });

    const failed = async (work: Promise<unknown>) => {
      const began = performance.now();
      const error = await work.then(
        () => ({ code: 'none', message: '', retryable: false }),
        (thrown: { code: string; message: string; retryable: boolean }) => thrown,
      );
      expect(error.message).not.toMatch(DRIVER);
      return { code: error.code, retryable: error.retryable, ms: performance.now() - began };
    };
    const count = () => store.read(carol, ({ documents }) => documents.count('deals', all()));
    const until = async (work: () => Promise<unknown>) => {
      for (let tries = 0; tries < 40; tries++) {
        if ((await code(work())) === 'none') return;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
    };
    const set = (stage: string, id: string, before: () => void = () => {}) =>
      store.executeOnce(carol, { id, tool: 'test' }, async ({ writing: { documents } }) => {
        const row = await documents.change(deal, 'deals', where({ _id: 'd0005' }), { stage });
        before();
        return effected(row.stage);
      });

    test('a server that is down is unavailable within seconds, and is used again when it is back', async () => {
      expect(await count()).toBe(120);
      link.set('cut');
      const works = [count(), store.ping(), set('X', randomUUID()), store.findResult(carol, randomUUID())];
      for (const { code: said, retryable, ms } of await Promise.all(works.map(failed))) {
        expect([said, retryable]).toEqual(['SERVICE_UNAVAILABLE', true]);
        expect(ms).toBeLessThan(6_000);
      }
      link.set('pass');
      await until(count);
      expect(await count()).toBe(120);
    });

    test('a silent server is a timeout within the deadline, and nothing is half-written', async () => {
      await until(count);
      link.set('silent');
      const { code: said, retryable, ms } = await failed(count());
      expect([said, retryable]).toEqual(['TIMEOUT', true]);
      expect(ms).toBeLessThan(6_000);
      link.set('pass');
      await until(count);
      expect(await count()).toBe(120);
    });

    test('with a silent server and 200 callers, each caller gets a retryable error in time', async () => {
      await until(count);
      link.set('silent');
      for (const { code: said, retryable, ms } of await Promise.all(Array.from({ length: 200 }, () => failed(count())))) {
        expect(['TIMEOUT', 'SERVICE_UNAVAILABLE']).toContain(said);
        expect(retryable).toBe(true);
        expect(ms).toBeLessThan(9_000);
      }
      link.set('pass');
      await until(count);
      expect(await count()).toBe(120);
    }, 60_000);

    test('a commit whose confirmation is lost can be retried, and takes effect once', async () => {
      await until(count);
      const id = randomUUID();
      const { code: said, ms } = await failed(set('ONCE', id, () => link.set('silent')));
      expect(['TIMEOUT', 'SERVICE_UNAVAILABLE']).toContain(said);
      expect(ms).toBeLessThan(12_000);
      link.set('pass');
      await until(() => set('ONCE', id));
      expect(await store.findResult(carol, id)).toBe('ONCE');
      expect(await testRuntime.stageOf('d0005')).toBe('ONCE');
      const chains = await testRuntime.database.chains.chains();
      expect(chains.find(({ chain }) => chain === 'sales-linked')).toEqual({ chain: 'sales-linked', count: 1 });
    });
  });

  test('an unreachable server makes the start fail in time, without the password in the message', async () => {
    const began = performance.now();
    const error = await openMongo('mongodb://someone:secret@127.0.0.1:9/sales?directConnection=true', 'sales', collections).catch(
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject({ name: 'DatabaseProblem', message: 'MongoDB at 127.0.0.1:9 does not answer.' });
    expect(performance.now() - began).toBeLessThan(6_000);
  });
});
