/** Queries on every document database: filters, visibility, order and totals. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createChainWriter } from '../../src/engine/audit/chain.ts';
import { total } from '../../src/declare/documents.ts';
import { masked } from '../../src/declare/fields.ts';
import { type Condition, filters, is, type Scalar } from '../../src/declare/filter.ts';
import { asc, desc, type Order } from '../../src/declare/order.ts';
import type { StoreSession } from '../../src/engine/store.ts';
import { createDocumentStore } from '../../src/storage/documents/store.ts';
import {
  carol,
  code,
  type Deal,
  type DocumentTestStore,
  databases,
  deal,
  deals,
  effected,
  KEY,
  openDocumentTestStore,
  someone,
} from './documents-test-store.ts';

const { where, given, all, any } = filters;
const own = someone('carol', 'own');
const mine = deals().filter(({ owner }) => owner === 'carol').length;

describe.each(databases)('documents on %s', (kind) => {
  let testRuntime: DocumentTestStore;
  /** Suites that only read share one store; the others create one for each test. */
  const open = (before: (work: () => Promise<void>) => void, after: (work: () => Promise<void>) => void) => {
    before(async () => void (testRuntime = await openDocumentTestStore(kind)));
    after(() => testRuntime.close());
  };
  const shared = () => open(beforeAll, afterAll);
  const fresh = () => open(beforeEach, afterEach);

  describe('filters', () => {
    shared();
    const cases: readonly (readonly [string, Record<string, Scalar | Condition>, (row: Record<string, unknown> & Deal) => boolean])[] = [
      ['a value', { stage: 'WON' }, (row) => row.stage === 'WON'],
      ['two values', { stage: 'WON', owner: 'dan' }, (row) => row.stage === 'WON' && row.owner === 'dan'],
      ['another value', { stage: is.not('WON') }, (row) => row.stage !== 'WON'],
      ['an absent field', { lost_reason: null }, (row) => row['lost_reason'] === undefined],
      ['a present field', { lost_reason: is.there }, (row) => row['lost_reason'] !== undefined],
      ['not a value, which includes an absent field', { lost_reason: is.not('price') }, (row) => row['lost_reason'] === undefined],
      ['above a number', { value: is.above(1000.5) }, (row) => row.value > 1000.5],
      ['below a number', { value: is.below(1000.5) }, (row) => row.value < 1000.5],
      [
        'between days',
        { close_date: is.between('2026-03-15', '2026-05-01') ?? null },
        (row) => row.close_date >= '2026-03-15' && row.close_date <= '2026-05-01',
      ],
      ['one of several values', { stage: is.oneOf(['WON', 'LOST']) }, (row) => ['WON', 'LOST'].includes(row.stage)],
      ['one of no values', { stage: is.oneOf([]) }, () => false],
      ['a part of a text, in any case', { title: is.part('NUMBER 7') }, (row) => row.title.includes('number 7')],
      ['the beginning of a text', { title: is.prefix('deal number 11') }, (row) => row.title.startsWith('Deal number 11')],
      ['a whole text', { title: is.text('DEAL NUMBER 7') }, (row) => row.title === 'Deal number 7'],
      ['a nested field', { 'customer.name': 'Customer 3' }, (row) => (row['customer'] as { name: string }).name === 'Customer 3'],
      ['an element of a list', { tags: 't1' }, (row) => (row['tags'] as string[]).includes('t1')],
      ['a number is not its text', { value: '1000' }, () => false],
    ];
    test.each(cases)('a filter by %s returns exactly the matching rows', async (_, fields, holds) => {
      const wanted = deals()
        .filter((row) => holds(row as never))
        .map(({ _id }) => _id);
      expect(await testRuntime.ids(carol, where(fields))).toEqual(wanted);
      expect(await testRuntime.store.read(carol, ({ documents }) => documents.count('deals', where(fields)))).toBe(wanted.length);
    });

    test('all() and any() combine filters', async () => {
      const found = await testRuntime.ids(carol, all(any(where({ stage: 'WON' }), where({ stage: 'LOST' })), where({ owner: 'dan' })));
      expect(found).toEqual(
        deals()
          .filter(({ stage, owner }) => (stage === 'WON' || stage === 'LOST') && owner === 'dan')
          .map(({ _id }) => _id),
      );
      expect(await testRuntime.ids(carol, any())).toEqual([]);
      expect((await testRuntime.ids(carol, given({ stage: undefined, value: is.between(undefined, undefined) }))).length).toBe(120);
    });

    test.each(['.*', '^Deal', 'Deal number 1$', '[', '(', '\\', 'a|b', 'Deal.number', '\0', '$where', '{"$gt":""}', '\ud800'])(
      'the text %j is matched literally',
      async (text) => {
        for (const condition of [is.part(text), is.prefix(text), is.text(text)])
          expect(await testRuntime.ids(carol, where({ title: condition }))).toEqual([]);
      },
    );
    test('punctuation is matched literally, and letters match both cases', async () => {
      const names = (condition: Condition) =>
        testRuntime.store.read(carol, ({ documents }) =>
          documents.many(z.object({ name: z.string() }), 'customers', where({ name: condition })),
        );
      expect(await names(is.text('A+B (C) [D] $E ^F'))).toEqual([{ name: 'a+b (c) [d] $e ^f' }]);
      expect(await names(is.part('ünique'))).toEqual([{ name: 'Ünique Ltd.' }]);
      expect(await names(is.text('Ünique Ltd'))).toEqual([]);
    });

    const hostile: readonly unknown[] = [
      { $gt: '' },
      { $ne: null },
      { $where: 'true' },
      ['WON'],
      { op: 'there' },
      { tests: [{ op: 'there' }] },
      () => true,
      /./,
      new Date(),
      Number.NaN,
      Infinity,
      1n,
      Symbol('x'),
      undefined,
    ];
    test.each(hostile)('%o is refused as a value', (value) => {
      expect(() => where({ stage: value as string })).toThrow();
      expect(() => is.oneOf([value as string])).toThrow();
      for (const make of [is.above, is.atLeast, is.part, is.text] as ((given: string) => unknown)[])
        if (value !== undefined) expect(() => make(value as string)).toThrow();
    });
    test.each(['$where', '$or', 'a.$b', 'a..b', '', '__proto__', 'a.__proto__', 'a b', 'a\0', 'a.$[]'])(
      '%j is refused as a field',
      (name) => {
        expect(() => where({ [name]: 'x', ...(name === '__proto__' && JSON.parse('{"__proto__": "x"}')) })).toThrow();
        expect(() => total.sum(name)).toThrow();
      },
    );
    test('an object that looks like a filter is refused', async () => {
      const lookalike = { how: 'all', parts: [] } as never;
      expect(() => all(lookalike)).toThrow();
      expect(await code(testRuntime.ids(carol, lookalike))).toMatch(/^thrown/);
      expect(
        await code(
          testRuntime.store.page(carol, { collection: 'deals', filter: lookalike }, { order: asc('_id'), after: undefined, take: 5 }, deal),
        ),
      ).toMatch(/^thrown/);
    });
  });

  describe('scope', () => {
    fresh();
    test('is added to every query', async () => {
      for (const filter of [
        all(),
        where({ owner: is.there }),
        any(where({ owner: 'dan' }), where({ owner: 'carol' })),
        where({ _id: is.not('x') }),
      ]) {
        expect(new Set((await testRuntime.find(own, filter)).map(({ owner }) => owner))).toEqual(new Set(['carol']));
        expect((await testRuntime.find(own, filter)).length).toBe(mine);
      }
      expect(await testRuntime.ids(own, where({ owner: 'dan' }))).toEqual([]);
      const { count, sums, page } = await testRuntime.store.read(own, async ({ documents }) => ({
        count: await documents.count('deals', all()),
        sums: await documents.groups(z.object({ owner: z.string(), n: z.number() }), 'deals', all(), {
          by: ['owner'],
          totals: { n: total.count },
        }),
        page: await testRuntime.store.page(own, documents.from('deals'), { order: asc('_id'), after: undefined, take: 200 }, deal),
      }));
      expect([count, sums, page.length]).toEqual([mine, [{ owner: 'carol', n: mine }], mine]);
    });
    test.each([
      ['an audience that sees nothing', someone('carol', 'outside')],
      ['an unknown audience', someone('carol', 'nobody')],
      ['an audience named like a method', someone('carol', 'constructor')],
      ['a person without a principal', { ...carol, person: { ...carol.person, principal: '' } }],
    ] as const)('%s sees no row', async (_, who) => {
      expect(await testRuntime.ids(who)).toEqual([]);
      expect(await testRuntime.store.read(who, ({ documents }) => documents.count('deals', all()))).toBe(0);
      expect(await code(testRuntime.write(who, { stage: 'X' }))).toBe('INSUFFICIENT_PERMISSIONS');
    });
    test('only declared collections can be used', async () => {
      for (const name of ['effects', 'audit', 'nothing', 'constructor', 'records'])
        expect(await code(testRuntime.store.read(carol, ({ documents }) => documents.count(name as never, all())))).toMatch(/^thrown/);
    });
    test('a caller can neither change a row of another person nor make another person the owner of a row', async () => {
      expect(await code(testRuntime.write(own, { stage: 'X' }, where({ _id: 'd0001' })))).toBe('CHANGED_SINCE_APPROVAL');
      expect(await code(testRuntime.write(own, { owner: 'dan' }))).toBe('INSUFFICIENT_PERMISSIONS');
      expect((await testRuntime.find(carol, where({ _id: 'd0000' })))[0]?.owner).toBe('carol');
      const insert = (owner: string) =>
        testRuntime.store.executeOnce(own, { id: randomUUID(), tool: 'test' }, async ({ writing: { documents } }) =>
          effected(
            await documents.insert(deal, 'deals', {
              _id: `new-${owner}`,
              title: 'New',
              stage: 'NEW',
              owner,
              value: 1,
              close_date: '2026-01-01',
            }),
          ),
        );
      expect(await code(insert('dan'))).toBe('INSUFFICIENT_PERMISSIONS');
      expect(await code(insert('carol'))).toBe('none');
      expect(await testRuntime.ids(carol, where({ _id: is.prefix('new-') }))).toEqual(['new-carol']);
      expect(await code(insert('carol'))).toBe('CHANGED_SINCE_APPROVAL');
      const other = testRuntime.store.executeOnce(own, { id: randomUUID(), tool: 'test' }, async ({ writing: { documents } }) =>
        effected(await documents.change(z.object({}), 'customers', where({ _id: 'c1' }), { name: 'x' })),
      );
      expect(await code(other)).toBe('INSUFFICIENT_PERMISSIONS');
    });
    test('a mask of a nested field is refused when the store is created', () => {
      const parts = { deals: { rows: { everyone: 'all' as const }, masks: { pay: ['terms.commission'] } } };
      const chain = createChainWriter({ chain: 'sales-part', key: KEY, last: async () => undefined, checkpoint: async () => {} });
      expect(() => createDocumentStore(testRuntime.database, parts, chain)).toThrow(/whole field/);
    });
    test('a masked value is not returned, and cannot be guessed by a filter', async () => {
      const row = z.object({ _id: z.string(), commission: masked('pay', z.number()) });
      const read = (who: StoreSession, filter = where({ _id: 'd0007' })) =>
        testRuntime.store.read(who, ({ documents }) => documents.many(row, 'deals', filter));
      expect(await read(carol)).toEqual([{ _id: 'd0007', commission: '*** (Hidden)' }]);
      expect(await read(someone('carol', 'everyone', ['pay']))).toEqual([{ _id: 'd0007', commission: 7 }]);
      expect(await read(carol, where({ commission: 7 }))).toEqual([]);
      expect(await read(carol, where({ commission: is.atLeast(0) }))).toEqual([]);
      for (const grouping of [{ totals: { x: total.sum('commission') } }, { by: ['commission'], totals: {} }])
        expect(
          await code(testRuntime.store.read(carol, ({ documents }) => documents.groups(z.object({}), 'deals', all(), grouping))),
        ).toMatch(/^thrown/);
      expect(
        await code(
          testRuntime.store.page(carol, filtersFrom('deals'), { order: desc('commission', '_id'), after: undefined, take: 5 }, row),
        ),
      ).toMatch(/^thrown/);
      const changed = testRuntime.store.executeOnce(carol, { id: randomUUID(), tool: 'test' }, async ({ writing: { documents } }) =>
        effected(await documents.change(row, 'deals', where({ _id: 'd0007' }), { stage: 'WON' })),
      );
      expect(await changed).toEqual({ _id: 'd0007', commission: '*** (Hidden)' });
    });
  });

  const filtersFrom = (collection: string) => ({ collection, filter: all() });

  describe('pages', () => {
    fresh();
    const orders: readonly Order<string>[] = [
      asc('_id'),
      desc('value', '_id'),
      asc('value', 'close_date', '_id'),
      desc('stage', 'owner', '_id'),
      asc('title', '_id'),
    ];
    const walk = async (order: Order<string>, filter = all(), between: (page: number) => Promise<unknown> = async () => {}) => {
      const seen: Deal[] = [];
      for (let after: (string | number)[] | undefined, page = 0; ; page++) {
        const rows = (await testRuntime.store.page(carol, { collection: 'deals', filter }, { order, after, take: 7 }, deal)) as Deal[];
        seen.push(...rows);
        const last = rows.at(-1);
        if (rows.length < 7 || last === undefined) return seen;
        after = order.keys.map((key) => last[key as keyof Deal]);
        await between(page);
      }
    };
    test.each(orders.map((order) => [`${order.direction} ${order.keys.join(', ')}`, order] as const))(
      'by %s contain every row once, in order',
      async (_, order) => {
        const seen = await walk(order);
        const by = (a: Deal, b: Deal) => {
          for (const key of order.keys as (keyof Deal)[])
            if (a[key] !== b[key]) return (a[key] < b[key] ? -1 : 1) * (order.direction === 'asc' ? 1 : -1);
          return 0;
        };
        expect(seen.map(({ _id }) => _id)).toEqual((deals() as unknown as Deal[]).toSorted(by).map(({ _id }) => _id));
        const some = await walk(order, where({ stage: 'WON' }));
        expect(some.length).toBe(30);
      },
    );
    test('contain each remaining row once while other rows are added and removed', async () => {
      const gone = new Set<string>();
      const seen = await walk(desc('value', '_id'), all(), async (page) => {
        const victim = `d${String(page * 5).padStart(4, '0')}`;
        gone.add(victim);
        await testRuntime.store.executeOnce(carol, { id: undefined, tool: 'test' }, async ({ writing: { documents } }) => {
          await documents.remove(deal, 'deals', where({ _id: victim }), { removed_reason: 'test' });
          await documents.insert(deal, 'deals', {
            _id: `n${page}`,
            title: 'New',
            stage: 'NEW',
            owner: 'dan',
            value: 1000.45,
            close_date: '2026-01-01',
          });
          return effected('done');
        });
      });
      const found = seen.map(({ _id }) => _id);
      expect(new Set(found).size).toBe(found.length);
      expect(deals().filter(({ _id }) => !gone.has(_id) && !found.includes(_id))).toEqual([]);
    });
    test('a cursor position that is incomplete or not scalar is refused', async () => {
      const page = (after: unknown[]) =>
        testRuntime.store.page(carol, filtersFrom('deals'), { order: desc('value', '_id'), after: after as string[], take: 5 }, deal);
      for (const after of [[{ $gt: 0 }, 'x'], [1000], [null, 'x'], [['a'], 'x']]) expect(await code(page(after))).toMatch(/^thrown/);
    });
  });

  describe('totals', () => {
    fresh();
    const read = <S extends z.ZodObject>(
      schema: S,
      grouping: Parameters<Parameters<Parameters<DocumentTestStore['store']['read']>[1]>[0]['documents']['groups']>[3],
      filter = all(),
    ) => testRuntime.store.read(carol, ({ documents }) => documents.groups(schema, 'deals', filter, grouping));
    const cents = (rows: readonly Record<string, unknown>[]) =>
      rows.reduce((sum, { value }) => sum + Math.round(Number(value) * 100), 0) / 100;

    test('amounts add up to the cent', async () => {
      const [sum] = await read(z.object({ value: z.number() }), { totals: { value: total.sum('value') } });
      expect(sum).toEqual({ value: cents(deals()) });
      await testRuntime.database.empty(['deals']);
      const amounts = [0.1, 0.2, 0.3, 1.1, 2.2, 1_234_567.89, 999_999_999.99, 0.29, 0.57, 4.35, 1.005, 8.7, 33.33, 0.07];
      const rows = Array.from({ length: 5_000 }, (_, n) => ({
        _id: `m${n}`,
        value: amounts[n % 13 === 10 ? 0 : n % 13] ?? 0,
        probability: [10, 33, 50][n % 3] ?? 0,
      }));
      await testRuntime.database.fill('deals', rows, () => {});
      const exact = rows.reduce((sum, { value }) => sum + BigInt(Math.round(value * 100)), 0n);
      const weighted = rows.reduce((sum, { value, probability }) => sum + BigInt(Math.round(value * 100)) * BigInt(probability), 0n);
      const [many] = await read(z.object({ value: z.number(), weighted: z.number() }), {
        totals: { value: total.sum('value'), weighted: total.weighted('value', 'probability') },
      });
      expect(many).toEqual({ value: Number(exact) / 100, weighted: Math.round(Number(weighted) / 100) / 100 });
    });
    test('groups have counts, sums, averages, minimum and maximum, and can be ordered and limited', async () => {
      const row = z.object({
        stage: z.string(),
        owner: z.string(),
        n: z.number(),
        value: z.number(),
        first: z.string(),
        last: z.string(),
        average: z.number(),
      });
      const totals = {
        n: total.count,
        value: total.sum('value'),
        first: total.least('close_date'),
        last: total.most('close_date'),
        average: total.average('probability'),
      };
      const found = await read(row, { by: ['stage', 'owner'], totals });
      const expected = [...new Set(deals().map(({ stage, owner }) => `${String(stage)}/${String(owner)}`))].toSorted();
      expect(found.map(({ stage, owner }) => `${stage}/${owner}`)).toEqual(expected);
      for (const { stage, owner, n, value, first, last, average } of found) {
        const rows = deals().filter((each) => each['stage'] === stage && each['owner'] === owner);
        const dates = rows.map(({ close_date }) => String(close_date)).toSorted();
        expect({ n, value, first, last }).toEqual({ n: rows.length, value: cents(rows), first: dates[0], last: dates.at(-1) });
        expect(average).toBeCloseTo(rows.reduce((sum, { probability }) => sum + Number(probability), 0) / rows.length, 9);
      }
      const top = await read(
        z.object({ owner: z.string(), value: z.number() }),
        { by: ['owner'], totals: { value: total.sum('value') }, order: desc('value'), limit: 2 },
        where({ stage: 'WON' }),
      );
      expect(top.length).toBe(2);
      expect(top[0]?.value).toBeGreaterThanOrEqual(top[1]?.value ?? 0);
      const nulls = await read(z.object({ lost_reason: z.string().nullable(), n: z.number() }), {
        by: ['lost_reason'],
        totals: { n: total.count },
        order: desc('n'),
      });
      expect(nulls).toEqual([
        { lost_reason: null, n: 100 },
        { lost_reason: 'price', n: 20 },
      ]);
    });
    test('totals of no rows are 0 or null, and there are no groups', async () => {
      const totals = {
        n: total.count,
        value: total.sum('value'),
        weighted: total.weighted('value', 'probability'),
        most: total.most('value'),
        average: total.average('value'),
      };
      const row = z.object({ n: z.number(), value: z.number(), weighted: z.number(), most: z.null(), average: z.null() });
      expect(await read(row, { totals }, where({ stage: 'NOT' }))).toEqual([{ n: 0, value: 0, weighted: 0, most: null, average: null }]);
      expect(await read(z.object({}), { by: ['stage'], totals }, where({ stage: 'NOT' }))).toEqual([]);
    });
  });
});
