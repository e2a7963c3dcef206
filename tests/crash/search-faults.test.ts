/** Faults of every search store: closed, locked by another program, or overloaded. Callers get our error, and nothing is half-written. */
import { randomUUID } from 'node:crypto';
import Database from 'libsql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Failure } from '../../src/declare/errors.ts';
import { EVERY, filters } from '../../src/declare/filter.ts';
import type { Store } from '../../src/engine/store.ts';
import {
  dan,
  hasTransactions,
  openAt,
  openSearchTestStore,
  recordFor,
  type SearchTestStore,
  searchStores,
  storeOn,
} from '../ports/search-test-store.ts';

const WORDS = /mongo|sqlite|topology|elastic|opensearch|socket|locked|ECONN|127\.0\.0\.1/i;
const failed = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Failure);
  const { code, retryable, message } = error as Failure;
  expect(message).not.toMatch(WORDS);
  return { code, retryable };
};
const row = z.object({ status: z.string(), comments: z.array(z.unknown()).optional() });
const at = (ticket_id: string) => filters.where({ ticket_id });

describe.each(searchStores)('faults of search on %s', (_name, url) => {
  let testRuntime: SearchTestStore;
  beforeAll(async () => {
    testRuntime = await openSearchTestStore(url, 30);
  }, 60_000);
  afterAll(() => testRuntime.close());
  const count = (on: Store<'search'>) => on.read(dan, ({ search }) => search.count('tickets', EVERY));
  const set = (on: Store<'search'>, ticket: string, status: string, id: string = randomUUID()) =>
    on.executeOnce(dan, { id, tool: 'test' }, async ({ writing }) => {
      const changed = await writing.search.change(row, 'tickets', at(ticket), { status });
      return { result: changed.status, audit: recordFor(dan, 'test', id) };
    });

  test('a closed store is unavailable for every request', async () => {
    const backend = await openAt(testRuntime.place);
    const store = storeOn(backend, 'desk-closed');
    expect(await count(store)).toBe(30);
    await backend.close();
    for (const work of [count(store), store.ping(), set(store, 't-0001', 'shut'), store.findResult(dan, randomUUID())])
      expect(await failed(work)).toEqual({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    expect(await count(testRuntime.store)).toBe(30);
  });

  test('many concurrent changes of one row: each succeeds exactly once, or is refused as retryable', async () => {
    const before = await testRuntime.store.read(dan, ({ search }) =>
      search.one(z.object({ row_version: z.int() }), 'tickets', at('t-0002')),
    );
    // A search server has no transactions, so the audit log records each change that loses the race.
    const many = Array.from({ length: hasTransactions(url) ? 300 : 40 }, (_, n) => set(testRuntime.store, 't-0002', `s${n}`));
    const codes = await Promise.all(
      many.map((work) =>
        work.then(
          () => 'done',
          (error: unknown) => (error instanceof Failure && error.retryable ? error.code : `thrown: ${String(error)}`),
        ),
      ),
    );
    const done = codes.filter((each) => each === 'done').length;
    expect(done).toBeGreaterThan(0);
    for (const each of codes) expect(['done', 'SERVICE_UNAVAILABLE', 'TIMEOUT']).toContain(each);
    const after = await testRuntime.store.read(dan, ({ search }) =>
      search.one(z.object({ row_version: z.int() }), 'tickets', at('t-0002')),
    );
    expect(after.row_version - before.row_version).toBe(done);
    expect(await count(testRuntime.store)).toBe(30);
  }, 60_000);

  if (url !== '') return;

  test('while another program locks the file, reads succeed, and changes are refused in time and write nothing', async () => {
    const file = 'file' in testRuntime.place ? testRuntime.place.file : '';
    const holder = new Database(file);
    holder.exec('BEGIN IMMEDIATE');
    const began = performance.now();
    const ids = Array.from({ length: 20 }, () => randomUUID());
    const refused = ids.map((id) => failed(set(testRuntime.store, 't-0003', 'held', id)));
    expect(await count(testRuntime.store)).toBe(30);
    for (const each of await Promise.all(refused)) expect(each).toEqual({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    // Each change waited only its own time limit, not the limits of the changes before it too.
    expect(performance.now() - began).toBeLessThan(9_500);
    holder.exec('ROLLBACK');
    holder.close();
    const found = await testRuntime.store.read(dan, ({ search }) => search.one(row, 'tickets', at('t-0003')));
    expect(found.status).not.toBe('held');
    expect(await testRuntime.store.findResult(dan, ids[0] ?? '')).toBeUndefined();
    expect(await set(testRuntime.store, 't-0003', 'held', ids[0])).toBe('held');
  }, 60_000);
});
