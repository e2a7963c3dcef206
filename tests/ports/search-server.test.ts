/** A search server that fails, hangs or loses answers: calls fail in time with our error message, and no effect is duplicated. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Failure } from '../../src/declare/errors.ts';
import { EVERY, filters } from '../../src/declare/filter.ts';
import type { AuditRecord } from '../../src/engine/ports.ts';
import type { Store } from '../../src/engine/store.ts';
import { openSearchServer } from '../../src/storage/search/server.ts';
import { type FaultyConnection, openFaultyConnection } from '../faulty-connection.ts';
import { harness } from './search-rows.ts';
import { dan, openAt, openSearchTestStore, recordFor, type SearchTestStore, searchServers, storeOn } from './search-test-store.ts';

const failureOf = (work: Promise<unknown>): Promise<Failure> =>
  work.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => (error instanceof Failure ? error : Promise.reject(error as Error)),
  );
const SECRET = 'swordfish';

test('an address where nothing listens is reported in one sentence without the password', async () => {
  const error = await openSearchServer({ url: `http://someone:${SECRET}@127.0.0.1:9`, domain: harness }).catch(
    (reason: unknown) => reason as Error,
  );
  expect(error).toMatchObject({
    name: 'DatabaseProblem',
    message: 'The search server at 127.0.0.1:9 cannot be used: The search server does not answer.',
  });
});

test('an error status of the server becomes our error message, without the text of the server', async () => {
  for (const [status, message] of [
    [401, 'does not accept our login'],
    [503, 'cannot answer now'],
    [429, 'cannot answer now'],
  ] as const) {
    const server = createServer(
      (_request, reply) =>
        void reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { type: 'x', reason: SECRET } })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const error = await openSearchServer({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, domain: harness }).catch(
      (reason: unknown) => reason as Error,
    );
    server.close();
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain(SECRET);
  }
});

describe.each(searchServers)('%s, which has no transactions', (_name, url) => {
  let testRuntime: SearchTestStore;
  beforeAll(async () => {
    testRuntime = await openSearchTestStore(url, 5);
  }, 60_000);
  afterAll(() => testRuntime.close());
  const row = z.object({ status: z.string(), row_version: z.int() });
  const at = filters.where({ ticket_id: 't-0001' });
  const shut = (on: Store<'search'>, id: string, meanwhile = async () => {}) =>
    on.executeOnce(dan, { id, tool: 'close_ticket' }, async ({ reading, writing }, versions) => {
      const before = await reading.search.one(row, 'tickets', at);
      await meanwhile();
      const after = await writing.search.change(row, 'tickets', at, { status: 'shut' });
      return { result: { before, after, versions: [...versions] }, audit: recordFor(dan, 'close_ticket', id) };
    });

  test('if a row changes between read and write, the change is executed again with the new row', async () => {
    const other = await testRuntime.another();
    let runs = 0;
    const result = await shut(testRuntime.store, randomUUID(), async () => void (runs++ === 0 && (await shut(other, randomUUID()))));
    expect(runs).toBe(2);
    expect(result).toMatchObject({ before: { row_version: 2 }, after: { row_version: 3 }, versions: ['2'] });
  });

  test('a write that completes after its timeout still counts', async () => {
    const id = randomUUID();
    const first = await shut(testRuntime.store, id);
    const prefix = 'prefix' in testRuntime.place ? testRuntime.place.prefix : '';
    const given = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ doc: { state: 'undone' } }) };
    expect((await fetch(`${url}/${prefix}-desk.effects/_update/${id}`, given)).status).toBe(200);
    expect(await testRuntime.store.findResult(dan, id)).toEqual(first);
    expect(await shut(testRuntime.store, id)).toEqual(first);
  });
});

describe.each(searchServers)('%s behind a faulty connection', (_name, url) => {
  let testRuntime: SearchTestStore;
  let link: FaultyConnection;
  let store: Store<'search'>;
  const { hostname, port } = new URL(url);
  beforeAll(async () => {
    testRuntime = await openSearchTestStore(url, 30);
    link = await openFaultyConnection({ host: hostname, port: Number(port) });
    const prefix = 'prefix' in testRuntime.place ? testRuntime.place.prefix : '';
    store = storeOn(await openAt({ url: `http://127.0.0.1:${link.port}`, prefix }), 'desk-behind');
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await link.close();
    await testRuntime.close();
  });
  const count = () => store.read(dan, ({ search }) => search.count('tickets', EVERY));
  const close = (on: Store<'search'>, id: string | undefined) =>
    on.executeOnce(dan, { id, tool: 'close_ticket' }, async ({ writing }) => {
      const row = await writing.search.change(
        z.object({ status: z.string(), row_version: z.int() }),
        'tickets',
        filters.where({ ticket_id: 't-0001' }),
        { status: 'shut' },
      );
      return { result: row, audit: recordFor(dan, 'close_ticket', id ?? randomUUID()) };
    });

  const recorded = () => testRuntime.backend.audit.newest({ limit: 500 });
  const outcomesOf = async (id: string) =>
    (await recorded()).filter(({ body }) => {
      const { confirmationId, decision } = JSON.parse(body) as AuditRecord;
      return confirmationId === id && decision === 'approved';
    }).length;

  test('that is cut: calls fail at once, and succeed again afterwards', async () => {
    expect(await count()).toBe(30);
    link.set('cut');
    const started = performance.now();
    expect(await failureOf(count())).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    expect(await failureOf(store.ping())).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await failureOf(close(store, randomUUID()))).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(performance.now() - started).toBeLessThan(2_000);
    link.set('pass');
    expect(await count()).toBe(30);
  });

  test('that is silent: calls time out within their deadline, and a retry has one effect', async () => {
    const id = randomUUID();
    link.set('silent');
    const started = performance.now();
    expect(await failureOf(count())).toMatchObject({ code: 'TIMEOUT', retryable: true });
    expect(performance.now() - started).toBeLessThan(7_000);
    expect(await failureOf(close(store, id))).toMatchObject({ retryable: true });
    link.set('cut');
    link.set('pass');
    const first = await close(store, id);
    expect(first).toEqual({ status: 'shut', row_version: 2 });
    expect(await close(testRuntime.store, id)).toEqual(first);
    expect(await testRuntime.store.findResult(dan, id)).toEqual(first);
  }, 60_000);

  test('that loses the answer to a write: the effect is looked up, or the error is retryable only for a change with an id', async () => {
    link.set({ deafTo: 'if_seq_no', then: 'pass' });
    expect(await close(store, undefined)).toEqual({ status: 'shut', row_version: 3 });
    link.set({ deafTo: 'if_seq_no', then: 'cut' });
    expect(await failureOf(close(store, undefined))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: false });
    link.set('pass');
    // The change with the lost answer was written once: the version is 5 after the next change.
    expect(await close(store, undefined)).toEqual({ status: 'shut', row_version: 5 });
    // A change with an id can be retried safely.
    const id = randomUUID();
    link.set({ deafTo: 'if_seq_no', then: 'cut' });
    expect(await failureOf(close(store, id))).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
    link.set('pass');
    expect(await close(store, id)).toEqual({ status: 'shut', row_version: 6 });
    expect(await outcomesOf(id)).toBe(1);
  }, 60_000);

  /** Matches the request that writes the record of the outcome; the record of the intent comes before it. */
  const outcome = async () => {
    const own = (await recorded()).filter(({ chain }) => chain === 'desk-behind');
    return `_create/desk-behind%3A${Math.max(...own.map(({ n }) => n)) + 2} `;
  };
  test.each<[string, () => Promise<string>]>([
    ['the write of the document', async () => 'if_seq_no'],
    ['the write of the audit record', outcome],
  ])(
    'that loses only the answer to %s: the change succeeds, and the audit log records it once',
    async (_what, deafTo) => {
      const id = randomUUID();
      link.set({ deafTo: await deafTo(), then: 'pass' });
      expect(await close(store, id)).toMatchObject({ status: 'shut' });
      expect(await outcomesOf(id)).toBe(1);
      expect(await close(testRuntime.store, id)).toMatchObject({ status: 'shut' });
      expect(await outcomesOf(id)).toBe(1);
    },
    60_000,
  );

  test('requests beyond the queue limit are refused at once', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 400 }, count));
    const refused = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => (reason as Failure).code);
    expect(new Set(refused)).toEqual(new Set(['SERVICE_UNAVAILABLE']));
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(256);
    expect(await count()).toBe(30);
  }, 60_000);
});
