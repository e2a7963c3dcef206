/** Every search store: the same words find the same rows, scopes hide other rows, and one approval has one effect. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { verifyChains } from '../../src/engine/audit/verify.ts';
import type { KeyPart } from '../../src/engine/lists/cursor.ts';
import { Failure } from '../../src/declare/errors.ts';
import { EVERY, type Filter, filters, is } from '../../src/declare/filter.ts';
import { asc, desc } from '../../src/declare/order.ts';
import { figure, searchWords } from '../../src/declare/search.ts';
import type { Store, StoreSession } from '../../src/engine/store.ts';
import { startChild } from '../services/child.ts';
import { harness, ORGANISATIONS, SEARCHES, ticketRows } from './search-rows.ts';
import {
  bob,
  chainOn,
  checkpoints,
  dan,
  hasTransactions,
  jane,
  KEY,
  mike,
  openAt,
  openSearchTestStore,
  recordFor,
  type SearchTestStore,
  searchStores,
  someone,
  storeOn,
} from './search-test-store.ts';

const { where, given, all, any } = filters;
const highlights = z.record(z.string(), z.array(z.string()));
const ticket = z.object({
  ticket_id: z.string(),
  subject: z.string(),
  status: z.string(),
  created_at: z.string(),
  organization_id: z.string(),
  requester: z.string(),
  internal_notes: z.string().nullable(),
  comments: z.array(z.object({ author: z.string(), body: z.string() })),
  _score: z.number(),
  highlights,
  row_version: z.int(),
});
const article = z.object({ article_id: z.string(), title: z.string(), updated_at: z.string(), _score: z.number(), highlights });
const BEST = desc('_score', 'created_at', 'ticket_id');
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'success',
    (error: unknown) => (error instanceof Failure ? error.code : `threw ${(error as Error).message}`),
  );

/** Hostile or odd input: each is treated as plain words. */
const HOSTILE = [
  '"',
  '"unclosed',
  "'",
  '*',
  '*:*',
  'NEAR(',
  'NEAR(a b, 5)',
  'AND',
  'OR OR',
  'NOT',
  '-subject',
  'subject:secret',
  '_exists_:internal_notes',
  'internal_notes:zebra',
  '/(.*a){20}/',
  '(((((',
  ')))',
  '{}[]^~',
  'a AND (b',
  '\\',
  '\u0000',
  '\ud800',
  'x\udfffy',
  '%',
  '_',
  '$where',
  '{"$gt": ""}',
  "'; DROP TABLE desk_tickets; --",
  '<script>alert(1)</script>',
  '\u202e',
  '🦓',
  ' ',
  '\n\t',
  'zebra '.repeat(500),
  'a'.repeat(10_240),
  Array.from({ length: 600 }, (_, i) => `word${i}`).join(' '),
  '"'.repeat(10_240),
  '^1000',
  'fuzzy~2',
  'te?t',
  'c0 : zebra',
  '{c2} : zebra',
];

describe.each(searchStores)('search on %s', (_name, url) => {
  let testRuntime: SearchTestStore;
  let store: Store<'search'>;
  beforeAll(async () => {
    testRuntime = await openSearchTestStore(url);
    ({ store } = testRuntime);
  }, 60_000);
  afterAll(() => testRuntime.close());

  const find = (who: StoreSession, words: string, filter: Filter = EVERY, take = 50, after?: readonly KeyPart[]) =>
    store.page(who, searchWords.from('tickets', filter, words), { order: BEST, after, take }, ticket) as Promise<z.output<typeof ticket>[]>;
  const read = <T>(who: StoreSession, body: (search: Parameters<Parameters<Store<'search'>['read']>[1]>[0]['search']) => Promise<T>) =>
    store.read(who, ({ search }) => body(search));
  const idsOf = (who: StoreSession, filter: Filter) =>
    read(who, (search) => search.many(ticket, 'tickets', filter)).then((rows) => rows.map(({ ticket_id }) => ticket_id));
  const rows = ticketRows();
  const which = (test_: (row: (typeof rows)[number], i: number) => boolean) =>
    rows
      .filter(test_)
      .map(({ ticket_id }) => ticket_id)
      .toSorted();

  describe('words', () => {
    test.each(SEARCHES)('in %s, the first result for %j is: %s', async (collection, words, first) => {
      if (collection === 'tickets') expect((await find(dan, words))[0]?.subject).toBe(first);
      else {
        const [best] = await store.page(
          dan,
          searchWords.from('articles', EVERY, words),
          { order: desc('_score', 'updated_at', 'article_id'), after: undefined, take: 5 },
          article,
        );
        expect(best?.['title']).toBe(first);
      }
    });

    test('a score depends on the row and the words alone, and is the same number on every store', async () => {
      const scores = async (words: string) => (await find(dan, words)).slice(0, 3).map(({ ticket_id, _score }) => [ticket_id, _score]);
      expect(await scores('dashboard export')).toEqual([['t-0000', 370]]);
      expect((await scores('wrong invoice'))[0]).toEqual(['t-0003', 270]);
      expect((await find(dan, '')).every(({ _score }) => _score === 0)).toBe(true);
    });

    test('no words, or punctuation alone, returns every row, newest first', async () => {
      const newest = rows
        .toSorted((a, b) => (a.created_at === b.created_at ? (a.ticket_id < b.ticket_id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1))
        .slice(0, 50);
      for (const words of ['', '   ', '"*:*"', '🦓'])
        expect((await find(dan, words)).map(({ ticket_id }) => ticket_id)).toEqual(newest.map(({ ticket_id }) => ticket_id));
    });

    test('a word with too many typos, another first letter or a wrong digit finds nothing', async () => {
      expect(await find(dan, 'wabhuuk')).toEqual([]);
      expect(await find(dan, 'zebhook')).toEqual([]);
      expect((await find(dan, '428')).map(({ subject }) => subject)).toEqual([]);
    });

    test('words are also found in the elements of a list', async () => {
      const found = await find(dan, 'marmalade');
      expect(found).toHaveLength(12);
      expect(found[0]?.highlights).toEqual({ 'comments.body': ['We are looking into the <em>marmalade</em>.'] });
    });

    test.each(HOSTILE.map((words) => [JSON.stringify(words).slice(0, 40), words]))(
      '%s is treated as plain words',
      async (_shown, words) => {
        const found = await find(dan, words, where({ organization_id: 'acme' }));
        expect(found.every(({ organization_id }) => organization_id === 'acme')).toBe(true);
        // No input reaches a field that is hidden from the customer.
        const theirs = await find(jane, words);
        expect(
          theirs.every(
            (row) => row.organization_id === 'acme' && row.internal_notes === null && row.highlights['internal_notes'] === undefined,
          ),
        ).toBe(true);
      },
    );

    test('hidden fields cannot be searched', async () => {
      expect((await find(dan, 'zebra')).length).toBeGreaterThan(0);
      expect(await find(jane, 'zebra')).toEqual([]);
      expect(await find(jane, 'escalate zebra squad')).toEqual([]);
      expect(await codeOf(read(jane, (search) => search.count('tickets', where({ internal_notes: 'x' }))))).toMatch(
        /threw tickets cannot be queried by internal_notes/,
      );
    });
  });

  describe('highlights', () => {
    test('mark matches, including typos and endings', async () => {
      const [first] = await find(dan, 'exprot dashboards');
      expect(first?.highlights).toEqual({
        subject: ['<em>Dashboard</em> <em>export</em> to CSV times out'],
        description: ['<em>Exporting</em> the sales <em>dashboard</em> as CSV ends with a gateway timeout after two minutes.'],
      });
      expect((await find(dan, ''))[0]?.highlights).toEqual({});
    });

    test('never contain markup of a row or of the query', async () => {
      const hostile = '<img src=x onerror=alert(1)> "quoted" & <em>faked</em> </em><script>quokka</script>';
      await store.executeOnce(dan, { id: undefined, tool: 'submit' }, async ({ writing }) => {
        const { ticket_id: _own, ...row } = { ...rows[40], ticket_id: '', created_at: '2020-01-01T00:00:00Z', subject: hostile };
        await writing.search.insert(ticket, 'tickets', { ...row, description: 'quokka' });
        return { result: {}, audit: recordFor(dan, 'submit') };
      });
      const [found] = await find(dan, 'quokka <script> faked');
      const text = Object.values(found?.highlights ?? {})
        .flat()
        .join(' ');
      expect(text).toContain('<em>quokka</em>');
      expect(text.replaceAll(/<\/?em>/g, '')).not.toMatch(/[<>"]/);
      expect(text).toContain('&lt;em&gt;<em>faked</em>&lt;/em&gt;');
    });
  });

  describe('filters', () => {
    test.each([
      ['a value', where({ status: 'open' }), (row) => row['status'] === 'open'],
      ['two values', where({ status: 'open', escalated: true }), (row) => row['status'] === 'open' && row['escalated'] === true],
      ['not a value', where({ status: is.not('open') }), (row) => row['status'] !== 'open'],
      [
        'one of several values',
        where({ status: is.oneOf(['open', 'closed']) }),
        (row) => row['status'] === 'open' || row['status'] === 'closed',
      ],
      ['one of no values', where({ status: is.oneOf([]) }), () => false],
      [
        'a time in another time zone',
        where({ created_at: is.atLeast('2026-11-16T08:00:00+01:00') }),
        (row) => row.created_at >= '2026-11-16T07',
      ],
      [
        'a range of times',
        where({ sla_deadline: is.between('2026-11-16T02:00:00Z', '2026-11-16T03:00:00Z') ?? null }),
        (row) => String(row['sla_deadline']) >= '2026-11-16T02:00' && String(row['sla_deadline']) <= '2026-11-16T03:00:00.000Z',
      ],
      ['a number', where({ resolution_minutes: is.above(140) }), (row) => Number(row['resolution_minutes']) > 140],
      ['an absent field', where({ resolution_minutes: null }), (row) => row['resolution_minutes'] === undefined],
      ['a present field', where({ resolution_minutes: is.there }), (row) => row['resolution_minutes'] !== undefined],
      ['an element of a list', where({ tags: 'vip' }), (row) => (row['tags'] as string[]).includes('vip')],
      ['an element of a list, in any case', where({ tags: is.text('RENEWAL') }), (row) => (row['tags'] as string[]).includes('Renewal')],
      ['a missing element of a list', where({ tags: is.not('vip') }), (row) => !(row['tags'] as string[]).includes('vip')],
      ['an empty list', where({ tags: null }), (row) => (row['tags'] as string[]).length === 0],
      ['a field of the elements of a list', where({ 'comments.author': 'dan' }), (row) => (row['comments'] as unknown[]).length > 0],
      ['the beginning of a text', where({ agent: is.prefix('AGENT-1') }), (row) => row['agent'] === 'agent-1'],
      ['a part of a text', where({ agent: is.part('NT-2') }), (row) => row['agent'] === 'agent-2'],
      ['a part that is a wildcard', where({ agent: is.part('*') }), () => false],
      ['a part that looks like a pattern', where({ agent: is.part('agent-?') }), () => false],
      [
        'any of two filters',
        any(where({ agent: 'agent-1' }), where({ escalated: true })),
        (row) => row['agent'] === 'agent-1' || row['escalated'] === true,
      ],
      [
        'all of two filters',
        all(where({ agent: 'agent-1' }), given({ escalated: true, status: undefined })),
        (row) => row['agent'] === 'agent-1' && row['escalated'] === true,
      ],
      ['any of no filters', any(), () => false],
    ] as [string, Filter, (row: (typeof rows)[number]) => boolean][])(
      'by %s return exactly the matching rows',
      async (_what, filter, wanted) => {
        const planted = all(filter, where({ ticket_id: is.prefix('t-0') }));
        expect(await idsOf(dan, planted)).toEqual(which(wanted));
        expect(await read(dan, (search) => search.count('tickets', planted))).toBe(which(wanted).length);
      },
    );

    test('a row is found by its whole id only', async () => {
      expect(await read(dan, (search) => search.get(ticket, 'tickets', 't-0007'))).toMatchObject({ ticket_id: 't-0007', row_version: 1 });
      for (const id of ['t-000', 'T-0007', '*', '', 't-0007 ', '\ud800'])
        expect(await read(dan, (search) => search.get(ticket, 'tickets', id))).toBeNull();
    });

    test('by undeclared fields or of undeclared collections are refused', async () => {
      for (const filter of [where({ secret: 'x' }), where({ subject: 'x' }), where({ 'f.status': 'open' })])
        expect(await codeOf(read(dan, (search) => search.count('tickets', filter)))).toMatch(/^threw/);
      expect(await codeOf(read(dan, (search) => search.count('effects', EVERY)))).toMatch(/^threw/);
      expect(await codeOf(read(dan, (search) => search.many(ticket, 'tickets', EVERY, { order: asc('subject', 'ticket_id') })))).toMatch(
        /^threw/,
      );
    });
  });

  describe('scopes', () => {
    test('a lead sees the tickets of the organisation, a customer their own and shared ones, and other audiences none', async () => {
      const planted = where({ ticket_id: is.prefix('t-0') });
      expect(await idsOf(jane, planted)).toEqual(which((row) => row['organization_id'] === 'acme'));
      expect(await idsOf(bob, planted)).toEqual(
        which((row) => row['organization_id'] === 'acme' && (row['requester'] === 'bob' || row['visibility'] === 'organization')),
      );
      expect(await idsOf(someone('x', 'nobody'), EVERY)).toEqual([]);
      expect(await idsOf(someone('x', 'customer'), EVERY)).toEqual([]);
      expect(await idsOf({ ...dan, audience: 'unheard-of' }, EVERY)).toEqual([]);
    });

    test('no filter, query or figure reaches rows outside the scope', async () => {
      for (const filter of [
        where({ organization_id: 'globex' }),
        any(where({ organization_id: 'globex' }), EVERY),
        any(EVERY, where({ organization_id: is.there })),
        where({ organization_id: is.oneOf(['acme', 'globex']) }),
      ]) {
        expect((await find(jane, '', filter)).every(({ organization_id }) => organization_id === 'acme')).toBe(true);
        expect(await read(jane, (search) => search.count('tickets', all(filter, where({ organization_id: 'globex' }))))).toBe(0);
      }
      const groups = await read(jane, (search) =>
        search.groups(z.object({ organization_id: z.string(), n: z.number() }), 'tickets', EVERY, {
          by: ['organization_id'],
          figures: { n: figure.count() },
        }),
      );
      expect(groups.map(({ organization_id }) => organization_id)).toEqual(['acme']);
      expect(await read(jane, (search) => search.get(ticket, 'tickets', 't-0001'))).toBeNull();
    });

    test('a write outside the scope, or by an audience that does not write, is refused', async () => {
      const insert = (who: StoreSession, collection: string, row: Record<string, unknown>) =>
        codeOf(
          store.executeOnce(who, { id: undefined, tool: 'submit' }, async ({ writing }) => ({
            result: await writing.search.insert(z.object({}), collection, row),
            audit: recordFor(who, 'submit'),
          })),
        );
      const row = {
        subject: 'x',
        status: 'open',
        created_at: '2020-01-01T00:00:00Z',
        organization_id: 'globex',
        requester: 'jane',
        visibility: 'private',
      };
      expect(await insert(jane, 'tickets', row)).toBe('INSUFFICIENT_PERMISSIONS');
      expect(await insert(jane, 'articles', { title: 'x', content: 'y', public: true })).toBe('INSUFFICIENT_PERMISSIONS');
      const move = store.executeOnce(jane, { id: undefined, tool: 'move' }, async ({ writing }) => ({
        result: await writing.search.change(z.object({}), 'tickets', where({ ticket_id: 't-0000' }), { organization_id: 'globex' }),
        audit: recordFor(jane, 'move'),
      }));
      expect(await codeOf(move)).toBe('INSUFFICIENT_PERMISSIONS');
      const foreign = store.executeOnce(mike, { id: undefined, tool: 'change' }, async ({ writing }) => ({
        result: await writing.search.change(z.object({}), 'tickets', where({ ticket_id: 't-0000' }), { status: 'x' }),
        audit: recordFor(mike, 'change'),
      }));
      expect(await codeOf(foreign)).toBe('CHANGED_SINCE_APPROVAL');
    });
  });

  describe('figures', () => {
    const planted = where({ ticket_id: is.prefix('t-0') });
    const sla = z.object({
      priority: z.string(),
      total: z.int(),
      late: z.int(),
      average: z.number().nullable(),
      sum: z.number(),
      first: z.string().nullable(),
      last: z.string().nullable(),
    });
    const NOW = '2026-11-16T08:00:00.000Z';

    test('by one key have counts, sums, averages, minimum and maximum, each over the rows of its own filter', async () => {
      const found = await read(dan, (search) =>
        search.groups(sla, 'tickets', planted, {
          by: ['priority'],
          figures: {
            total: figure.count(),
            late: figure.count(where({ sla_deadline: is.below(NOW) })),
            average: figure.average('resolution_minutes'),
            sum: figure.sum('resolution_minutes', where({ escalated: true })),
            first: figure.least('created_at'),
            last: figure.most('sla_deadline', where({ status: 'open' })),
          },
        }),
      );
      const expected = ['critical', 'high', 'low', 'medium'].map((priority) => {
        const mine = rows.filter((row) => row['priority'] === priority);
        const minutes = mine.flatMap((row) => (row['resolution_minutes'] === undefined ? [] : [Number(row['resolution_minutes'])]));
        return {
          priority,
          total: mine.length,
          late: mine.filter((row) => String(row['sla_deadline']) < NOW).length,
          average: minutes.length === 0 ? null : minutes.reduce((a, b) => a + b) / minutes.length,
          sum: mine.filter((row) => row['escalated'] === true).reduce((sum, row) => sum + Number(row['resolution_minutes'] ?? 0), 0),
          first: mine.map(({ created_at }) => created_at).toSorted()[0] ?? null,
          last:
            mine
              .filter((row) => row['status'] === 'open')
              .map((row) => String(row['sla_deadline']))
              .toSorted()
              .at(-1) ?? null,
        };
      });
      expect(found).toEqual(expected);
    });

    test('over all rows, over no rows and by two keys are correct', async () => {
      const all_ = z.object({ n: z.int(), average: z.number().nullable(), sum: z.number() });
      const figures = { n: figure.count(), average: figure.average('resolution_minutes'), sum: figure.sum('resolution_minutes') };
      expect(await read(dan, (search) => search.groups(all_, 'tickets', any(), { figures }))).toEqual([{ n: 0, average: null, sum: 0 }]);
      expect((await read(dan, (search) => search.groups(all_, 'tickets', planted, { figures })))[0]?.n).toBe(120);
      const pairs = await read(dan, (search) =>
        search.groups(z.object({ escalated: z.boolean().nullable(), agent: z.string(), n: z.int() }), 'tickets', planted, {
          by: ['escalated', 'agent'],
          figures: { n: figure.count() },
        }),
      );
      expect(pairs.map(({ escalated, agent }) => `${escalated} ${agent}`)).toEqual([
        'false agent-0',
        'false agent-1',
        'false agent-2',
        'true agent-0',
        'true agent-1',
        'true agent-2',
      ]);
      expect(pairs.reduce((sum, { n }) => sum + n, 0)).toBe(120);
    });
  });

  describe('pages', () => {
    test.each(['', 'routine check number'])(
      'of %j contain each earlier row once while rows are added',
      async (words) => {
        const filter = where({ agent: is.oneOf(['agent-0', 'agent-1', 'agent-2', 'pager']) });
        const before = new Set((await collect(words, filter, 50)).map(({ ticket_id }) => ticket_id));
        const added = new Set<string>();
        let n = 0;
        const seen = await collect(words, filter, 7, async (page) => {
          const [row] = page;
          // Rows before and after the current position, and rows with the same timestamp.
          for (const created_at of ['2030-01-01T00:00:00Z', row?.created_at, '2001-01-01T00:00:00Z']) {
            added.add(await submit({ subject: `Routine check number ${n++}`, description: words, created_at, agent: 'pager' }));
          }
        });
        const ids = seen.map(({ ticket_id }) => ticket_id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.filter((id) => !added.has(id)).toSorted()).toEqual([...before].toSorted());
      },
      60_000,
    );

    test.each(['routine check number', 'check zebra dashboard', 'chek'])(
      'of %j give the same rows in the same order with any page size',
      async (words) => {
        for (const filter of [all(), where({ status: 'open' })]) {
          const whole = (await find(dan, words, filter, 900)).map(({ ticket_id }) => ticket_id);
          expect(whole.length).toBeGreaterThan(20);
          for (const take of [3, 8, 21]) {
            const pages = await collect(words, filter, take, undefined, 400);
            expect(pages.map(({ ticket_id }) => ticket_id)).toEqual(whole);
          }
        }
      },
      60_000,
    );

    async function collect(
      words: string,
      filter: Filter,
      take: number,
      meanwhile?: (page: z.output<typeof ticket>[]) => Promise<void>,
      most = 60,
    ) {
      const seen: z.output<typeof ticket>[] = [];
      for (let after: KeyPart[] | undefined, pages = 0; pages < most; pages++) {
        const page = await find(dan, words, filter, take, after);
        seen.push(...page);
        const last = page.at(-1);
        if (page.length < take || last === undefined) return seen;
        after = [last._score, last.created_at, last.ticket_id];
        if (pages < 4) await meanwhile?.(page);
      }
      return seen;
    }
    async function submit(row: Record<string, unknown>): Promise<string> {
      return store.executeOnce(dan, { id: undefined, tool: 'submit' }, async ({ writing }) => {
        const { ticket_id } = await writing.search.insert(z.object({ ticket_id: z.string() }), 'tickets', {
          status: 'open',
          organization_id: 'acme',
          requester: 'jane',
          visibility: 'private',
          comments: [],
          internal_notes: null,
          ...row,
        });
        return { result: ticket_id, audit: recordFor(dan, 'submit') };
      }) as Promise<string>;
    }
  });

  describe('effects', () => {
    const close = (on: Store<'search'>, id: string | undefined, ticketId: string, status: string, who = dan) =>
      on.executeOnce(who, { id, tool: 'close_ticket' }, async ({ reading, writing }, versions) => {
        const before = await reading.search.one(ticket, 'tickets', where({ ticket_id: ticketId }));
        const after = await writing.search.change(ticket, 'tickets', where({ ticket_id: ticketId }), { status, resolution: randomUUID() });
        return {
          result: { from: before.status, to: after.status, version: after.row_version, versions: [...versions] },
          audit: recordFor(who, 'close_ticket', id),
        };
      });

    test('twenty concurrent executions of one approval in two processes have one effect, one result and one audit record', async () => {
      const id = randomUUID();
      const other = await testRuntime.another();
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => close(i % 2 ? other : store, id, 't-0010', 'closed')));
      expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
      expect(results[0]).toMatchObject({ version: 2, versions: ['1'] });
      expect((await read(dan, (search) => search.get(ticket, 'tickets', 't-0010')))?.row_version).toBe(2);
      expect(await store.findResult(dan, id)).toEqual(results[0]);
      expect(await store.findResult(mike, id)).toBeUndefined();
      expect(await store.findResult(dan, randomUUID())).toBeUndefined();
      expect((await recordsOf(id)).filter((decision) => decision === 'approved')).toHaveLength(1);
      // Another person who knows the id gets the answer for an unknown id.
      expect(await codeOf(close(other, id, 't-0010', 'closed', someone('eve')))).toBe('CONFIRMATION_NOT_FOUND');
      // The result stays the same after another change of the row.
      await close(store, randomUUID(), 't-0010', 'open');
      expect(await close(other, id, 't-0010', 'closed')).toEqual(results[0]);
    }, 60_000);

    test('an approval that is executed twenty times concurrently adds one row', async () => {
      const id = randomUUID();
      const other = await testRuntime.another();
      const add = (on: Store<'search'>) =>
        on.executeOnce(dan, { id, tool: 'open_ticket' }, async ({ writing }) => {
          const row = {
            subject: `Ocelot ${randomUUID()}`,
            description: '',
            status: 'open',
            created_at: new Date().toISOString(),
            organization_id: 'acme',
            requester: 'jane',
            visibility: 'private',
            comments: [],
            internal_notes: null,
          };
          return { result: await writing.search.insert(ticket, 'tickets', row), audit: recordFor(dan, 'open_ticket', id) };
        });
      const results = await Promise.all(Array.from({ length: 20 }, (_, i) => add(i % 2 ? other : store)));
      expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
      expect(await find(dan, 'ocelot')).toHaveLength(1);
      expect((await recordsOf(id)).filter((decision) => decision === 'approved')).toHaveLength(1);
    }, 60_000);

    test('of twenty concurrent comments none is lost', async () => {
      const other = await testRuntime.another();
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? other : store).executeOnce(jane, { id: undefined, tool: 'comment' }, async ({ writing }) => {
            const row = await writing.search.change(ticket, 'tickets', where({ ticket_id: 't-0012' }), ({ comments }) => ({
              comments: [...comments, { author: 'jane', body: `platypus ${i}` }],
            }));
            return { result: row.comments.length, audit: recordFor(jane, 'comment') };
          }),
        ),
      );
      const after = await read(dan, (search) => search.get(ticket, 'tickets', 't-0012'));
      expect(after?.comments.map(({ body }) => body).toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `platypus ${i}`).toSorted());
      expect(await read(dan, (search) => search.count('tickets', where({ 'comments.author': 'jane' })))).toBe(1);
    }, 60_000);

    test('after two concurrent transfers there is exactly one lead', async () => {
      const organisation = z.object({
        organization_id: z.string(),
        contacts: z.array(z.object({ sub: z.string(), email: z.string(), lead: z.boolean() })),
      });
      const other = await testRuntime.another();
      const transfer = (on: Store<'search'>, to: string) =>
        on.executeOnce(jane, { id: randomUUID(), tool: 'transfer' }, async ({ writing }) => {
          const row = await writing.search.change(
            organisation,
            'organisations',
            where({ organization_id: 'acme', 'contacts.sub': to }),
            ({ contacts }) => ({ contacts: contacts.map((each) => ({ ...each, lead: each.sub === to })) }),
          );
          return { result: row, audit: recordFor(jane, 'transfer') };
        });
      await Promise.all([transfer(store, 'bob'), transfer(other, 'jane')]);
      const now = await read(dan, (search) => search.get(organisation, 'organisations', 'acme'));
      expect(now?.contacts.filter(({ lead }) => lead)).toHaveLength(1);
      await transfer(store, 'jane');
      expect((await read(jane, (search) => search.get(organisation, 'organisations', 'acme')))?.contacts).toEqual(
        ORGANISATIONS[0]?.contacts,
      );
    });

    test('a change that fails, matches no row or several, or writes twice or never, has no effect', async () => {
      const before = await read(dan, (search) => search.get(ticket, 'tickets', 't-0015'));
      const fails = (
        work: (search: Parameters<Parameters<Store<'search'>['executeOnce']>[2]>[0]['writing']['search']) => Promise<unknown>,
      ) =>
        codeOf(
          store.executeOnce(dan, { id: randomUUID(), tool: 'close_ticket' }, async ({ writing }) => ({
            result: await work(writing.search),
            audit: recordFor(dan, 'close_ticket'),
          })),
        );
      const status = { status: 'wrong' };
      expect(
        await fails(async (search) => {
          await search.change(ticket, 'tickets', where({ ticket_id: 't-0015' }), status);
          throw new Error('stop');
        }),
      ).toBe('threw stop');
      expect(await fails((search) => search.change(ticket, 'tickets', where({ ticket_id: 'none' }), status))).toBe(
        'CHANGED_SINCE_APPROVAL',
      );
      expect(await fails((search) => search.change(ticket, 'tickets', EVERY, status))).toBe('CHANGED_SINCE_APPROVAL');
      expect(
        await fails(async (search) => {
          await search.change(ticket, 'tickets', where({ ticket_id: 't-0015' }), status);
          return search.insert(ticket, 'tickets', status);
        }),
      ).toMatch(/^threw/);
      expect(await fails((search) => search.change(ticket, 'tickets', where({ ticket_id: 't-0015' }), { ticket_id: 'other' }))).toMatch(
        /^threw/,
      );
      expect(await fails(async () => ({}))).toMatch(/^threw/);
      expect(await read(dan, (search) => search.get(ticket, 'tickets', 't-0015'))).toEqual(before);
    });

    test.each(['in-body', 'after-intent', 'after-write'])(
      'a process that is killed at the point "%s" leaves one effect or none, and the audit log agrees',
      async (moment) => {
        const id = randomUUID();
        const before = await read(dan, (search) => search.get(ticket, 'tickets', 't-0003'));
        const child = startChild(new URL('./search-child.ts', import.meta.url), JSON.stringify(testRuntime.place), id, moment);
        const { out } = await child.ended;
        const happened = hasTransactions(url) ? out === 'done' : moment === 'after-write';
        expect(await store.findResult(dan, id)).toEqual(happened ? { status: 'success', data: { status: 'archived' } } : undefined);
        const chain = chainOn(testRuntime.backend, 'desk-child');
        expect(await testRuntime.backend.settle(chain, 'desk-child')).toBe(hasTransactions(url) || moment === 'in-body' ? 0 : 1);
        expect(await testRuntime.backend.settle(chain, 'desk-child')).toBe(0);
        expect(await recordsOf(id)).toEqual(happened ? ['approved'] : hasTransactions(url) || moment === 'in-body' ? [] : ['failed']);
        // A retry executes the change if it was not executed, and otherwise returns its result.
        const result = await close(store, id, 't-0003', 'archived');
        if (happened) expect(result).toEqual({ status: 'success', data: { status: 'archived' } });
        expect((await read(dan, (search) => search.get(ticket, 'tickets', 't-0003')))?.row_version).toBe((before?.row_version ?? 0) + 1);
      },
      60_000,
    );

    test('the audit chains of all writers are valid', async () => {
      const verdict = await verifyChains([store.audit], checkpoints, { keys: { chain: [KEY], checkpoint: [KEY] }, own: () => false });
      expect(verdict).toMatchObject({ ok: true });
      const chains = await store.audit.chains();
      expect(chains.find(({ chain }) => chain === 'desk-0')?.count).toBeGreaterThan(5);
      const [newest] = await store.audit.newest({ limit: 1 });
      expect(newest && (await store.audit.record(newest.chain, newest.n))).toEqual(newest);
      const mine = await store.audit.newest({ principal: jane.person.principal, limit: 500 });
      expect(mine.every(({ body }) => (JSON.parse(body) as { username: string }).username === 'jane')).toBe(true);
      const [first, second] = await store.audit.newest({ limit: 2 });
      const at = first && (JSON.parse(first.body) as { at: string }).at;
      expect(first && at && (await store.audit.newest({ limit: 1, before: { at, chain: first.chain, n: first.n } }))).toEqual([second]);
    });

    /** The recorded decisions about one confirmation, without its intents. */
    async function recordsOf(confirmationId: string): Promise<string[]> {
      const found: string[] = [];
      for (const { chain } of await store.audit.chains()) {
        for await (const { body } of store.audit.records(chain)) {
          const record = JSON.parse(body) as { confirmationId?: string; decision: string };
          if (record.confirmationId === confirmationId && record.decision !== 'pending') found.push(record.decision);
        }
      }
      return found;
    }
  });

  test('rows that were stored before a field was declared are found by that field', async () => {
    const { tickets, ...others } = harness.collections;
    const { description: _text, agent: _word, ...fewer } = tickets.fields;
    const place =
      'file' in testRuntime.place
        ? { file: `${testRuntime.place.file}.older` }
        : { ...testRuntime.place, prefix: `${testRuntime.place.prefix}older` };
    const older = await openAt(place, undefined, { name: 'desk', collections: { ...others, tickets: { ...tickets, fields: fewer } } });
    await older.loader.fill('tickets', ticketRows(30), () => {});
    const old = storeOn(older, 'desk-older');
    expect(await codeOf(old.read(dan, ({ search }) => search.count('tickets', where({ agent: 'agent-1' }))))).toMatch(/^threw/);
    expect(await old.read(dan, ({ search }) => search.many(ticket, 'tickets', EVERY, { words: 'okta' }))).toEqual([]);
    await older.close();
    const newer = await openAt(place);
    const now = storeOn(newer, 'desk-newer');
    expect(await now.read(dan, ({ search }) => search.count('tickets', where({ agent: 'agent-1' })))).toBe(10);
    const found = await now.read(dan, ({ search }) => search.many(ticket, 'tickets', EVERY, { words: 'okta' }));
    expect(found.map(({ ticket_id }) => ticket_id)).toEqual(['t-0001']);
    await newer.drop?.();
    await newer.close();
  }, 60_000);

  test('a second process finds the same data', async () => {
    const other = await testRuntime.another();
    expect(await other.read(dan, ({ search }) => search.count('tickets', where({ ticket_id: is.prefix('t-0') })))).toBe(120);
    await other.ping();
    expect(await testRuntime.backend.loader.isEmpty('tickets')).toBe(false);
  });
});
