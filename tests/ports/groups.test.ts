/** Groups and measures on every store equal what plain code computes from all rows that the caller can list. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Condition, type Filter, filters, is, type Scalar } from '../../src/declare/filter.ts';
import { Order as ListOrder } from '../../src/declare/order.ts';
import type { GroupKey, GroupMeasure, GroupsQuery, StoreSession } from '../../src/engine/store.ts';
import { carol, globex, groupsOf, inOrder, matches, type Order, orders, outside, own, STAGES, TEAMS } from './groups-rows.ts';
import { type GroupsTestStore, suites } from './groups-test-store.ts';

const { where, all, any } = filters;
const REMOVED = ['o0000', 'o0001', 'o0005'];
const ROWS = orders();

const key = (field: string): GroupKey => ({ field, type: field === 'day' ? 'day' : field === 'at' ? 'time' : 'plain' });
const DAYS = ['2025-06-01', '2026-01-01', '2026-04-01', '2026-07-01', '2027-01-01'];
const TIMES = ['2025-12-31T23:00:00.000Z', '2026-01-31T23:00:00.000Z', '2026-02-01T00:00:00.001Z', '2026-02-28T23:00:00.000Z'];
const byDay: GroupKey = { field: 'day', type: 'day', edges: DAYS };
const byTime: GroupKey = { field: 'at', type: 'time', edges: TIMES };

const COUNT: GroupMeasure = { of: 'count' };
const MEASURES: readonly GroupMeasure[] = [
  COUNT,
  { of: 'count', field: 'amount' },
  { of: 'count', field: 'team' },
  { of: 'sum', field: 'amount', decimals: 2 },
  { of: 'sum', field: 'size', decimals: 0 },
  { of: 'sum', field: 'rating', decimals: 4 },
  { of: 'min', field: 'amount' },
  { of: 'max', field: 'size' },
  { of: 'min', field: 'day' },
  { of: 'max', field: 'day' },
  { of: 'min', field: 'at' },
  { of: 'max', field: 'at' },
];
const asked = (query: Partial<GroupsQuery>): GroupsQuery => ({ where: undefined, by: [], measures: [COUNT], most: 1_000, ...query });
const outcome = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => (error instanceof Error ? 'thrown' : error));

describe.each(suites)('groups on $name', ({ open, refuses, hasWords }) => {
  let store: GroupsTestStore;
  beforeAll(async () => void (store = await open({ rows: ROWS, removed: REMOVED })), 120_000);
  afterAll(() => store.close());

  /** Compares the store with plain code over the rows that the store lists. */
  async function compare(query: Partial<GroupsQuery>, who: StoreSession = carol) {
    const whole = asked(query);
    const found = await store.groups(who, whole);
    expect(inOrder(found)).toEqual(inOrder(groupsOf(await store.rows(who), whole)));
    return found;
  }

  test.each(['team', 'stage', 'open', 'size', 'amount', 'rating', 'day', 'at'])('by %s, with every measure', async (field) => {
    const found = await compare({ by: [key(field)], measures: MEASURES });
    expect(found.length).toBeGreaterThan(1);
    if (field !== 'stage') expect(found.some(({ keys }) => keys[0] === null)).toBe(true);
  });

  test('texts form groups exactly as they are stored', async () => {
    const found = await compare({ by: [key('team')] });
    expect(new Set(found.map(({ keys }) => keys[0]))).toEqual(new Set([...TEAMS, null]));
  });

  test.each([[['team', 'stage']], [['open', 'size']], [['day', 'team']], [['team', 'stage', 'open']]])('by %j', async (fields) => {
    await compare({ by: fields.map(key), measures: MEASURES });
  });

  test('without keys there is one group, with counts of zero and no other values if nothing matches', async () => {
    expect(await compare({ measures: MEASURES })).toHaveLength(1);
    const nothing = await compare({ measures: MEASURES, where: where({ stage: 'OTHER' }) });
    expect(nothing).toEqual([{ keys: [], values: MEASURES.map(({ of }) => (of === 'count' ? 0 : null)) }]);
    expect(await compare({ where: any() })).toEqual([{ keys: [], values: [0] }]);
  });

  test('with keys, a query without matching rows has no groups', async () => {
    for (const by of [[key('team')], [byDay], [byTime, key('team')], [byDay, byTime]])
      expect(await compare({ by, where: where({ stage: 'OTHER' }) })).toEqual([]);
  });

  describe('edges', () => {
    test.each([
      ['days', [byDay]],
      ['times', [byTime]],
      ['days and a field', [byDay, key('team')]],
      ['a field and times', [key('stage'), byTime]],
      ['days and times', [byDay, byTime]],
      ['days, times and a field', [byDay, byTime, key('open')]],
    ])('%s', async (_, by) => {
      await compare({ by, measures: MEASURES });
    });

    test('a value on an edge belongs to the group that begins there, and null to none', async () => {
      for (const edges of [
        ['2025-01-01', '2026-03-01', '2028-01-01'],
        ['2025-01-01', ROWS.find(({ day, tenant }) => day !== null && tenant === 'acme')?.day ?? '', '2028-01-01'],
      ]) {
        const found = await compare({ by: [{ field: 'day', type: 'day', edges }] });
        expect(inOrder(found).map(({ keys }) => keys[0])).toEqual([0, 1, null]);
      }
    });

    test('a value outside the edges belongs to the first or the last group', async () => {
      const late: GroupKey = { field: 'day', type: 'day', edges: ['2028-01-01', '2029-01-01', '2030-01-01'] };
      expect(inOrder(await compare({ by: [late] })).map(({ keys }) => keys[0])).toEqual([0, null]);
      const early: GroupKey = {
        field: 'at',
        type: 'time',
        edges: ['2001-01-01T00:00:00.000Z', '2002-01-01T00:00:00.000Z', '2003-01-01T00:00:00.000Z'],
      };
      expect(inOrder(await compare({ by: [early] })).map(({ keys }) => keys[0])).toEqual([1, null]);
    });

    test('two edges form one group, and hundreds of edges hundreds', async () => {
      expect(await compare({ by: [{ field: 'day', type: 'day', edges: ['2026-01-01', '2026-02-01'] }] })).toHaveLength(2);
      const edges = Array.from({ length: 900 }, (_, n) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10));
      expect((await compare({ by: [{ field: 'day', type: 'day', edges }], measures: MEASURES })).length).toBeGreaterThan(150);
    });
  });

  test('amounts add up to the cent', async () => {
    const one = ROWS.map((row) => ({ ...row, amount: row.id < 'o0200' ? 0.1 : 0.2, rating: 0.0001, size: 2_000_000_000 }));
    const exact = await open({ rows: one, removed: [] });
    try {
      const mine = one.filter(({ tenant }) => tenant === 'acme');
      const tenths = mine.reduce((sum, { amount }) => sum + Math.round(amount * 10), 0);
      const measures: GroupMeasure[] = [
        { of: 'sum', field: 'amount', decimals: 2 },
        { of: 'sum', field: 'rating', decimals: 4 },
        { of: 'sum', field: 'size', decimals: 0 },
      ];
      const [all_] = await exact.groups(carol, asked({ measures }));
      expect(all_?.values).toEqual([tenths / 10, mine.length / 10_000, mine.length * 2_000_000_000]);
    } finally {
      await exact.close();
    }
  }, 120_000);

  test.each([0, 1, 3])('at most %i groups and one more are returned', async (most) => {
    for (const by of [[key('team')], [byDay], [byDay, key('team')]]) {
      const found = await store.groups(carol, asked({ by, most }));
      expect(found).toHaveLength(most + 1);
      const whole = groupsOf(await store.rows(carol), asked({ by }));
      for (const group of found) expect(whole).toContainEqual(group);
    }
  });

  const conditions: readonly (readonly [string, Record<string, Scalar | Condition>])[] = [
    ['a text', { team: 'Berlin' }],
    ['a text with other letters', { team: 'BERLIN' }],
    ['a text with NUL', { team: 'Ber\0lin' }],
    ['not a text', { team: is.not('Berlin') }],
    ['not a text with NUL', { team: is.not('\0') }],
    ['null', { team: null }],
    ['not null', { team: is.not(null) }],
    ['there', { amount: is.there }],
    ['true', { open: true }],
    ['not true', { open: is.not(true) }],
    ['a number', { size: 3 }],
    ['a negative number', { size: -1 }],
    ['a large number', { size: is.below(10_000_000_000) }],
    ['a fraction of a whole number', { size: is.above(2.5) }],
    ['an exact amount', { amount: ROWS.find(({ amount, tenant }) => amount !== null && tenant === 'acme')?.amount ?? null }],
    ['a range of amounts', { amount: is.between(100, 2_500.55) ?? null }],
    ['above and below', { rating: is.above(1.5), amount: is.below(3_000) }],
    ['a range of days', { day: is.between('2026-01-01', '2026-06-30') ?? null }],
    ['a day', { day: is.atMost('2025-12-31') }],
    ['a range of times', { at: is.between('2026-01-10T00:00:00.000Z', '2026-01-20T00:00:00.000Z') ?? null }],
    ['a moment', { at: ROWS.find(({ at, tenant }) => at !== null && tenant === 'acme')?.at ?? null }],
    ['texts', { team: is.oneOf(['Berlin', 'Zürich', '\0']) }],
    ['texts and null', { team: is.oneOf(['Berlin', null]) }],
    ['only null', { team: is.oneOf([null]) }],
    ['no value of a list', { team: is.oneOf([]) }],
    ['numbers', { amount: is.oneOf([1, 2.5, ROWS[2]?.amount ?? 0]), size: is.oneOf([0, 1, 2, null]) }],
    ['truth values', { open: is.oneOf([true, null]) }],
    ['days of a list', { day: is.oneOf([ROWS[2]?.day ?? null, ROWS[4]?.day ?? null]) }],
    ['a text in any case', { team: is.text('bERLIN') }],
    ['a whole text with letters beyond ASCII', { team: is.text('ZÜRICH') }],
    ['the beginning of a text', { team: is.prefix('BER') }],
    ['a part of a text', { team: is.part('R') }],
    ['a wildcard as a part', { team: is.part('%') }],
    ['a dollar sign as a beginning', { team: is.prefix('$') }],
    ['a part with NUL', { team: is.part('\0') }],
    ['an empty text', { team: '' }],
  ];
  test.each(conditions)('where a field is %s', async (_, fields) => {
    const condition = where(fields);
    const wanted = (await store.rows(carol)).filter((row) => matches(row, condition));
    expect(await store.rows(carol, condition)).toEqual(wanted);
    await compare({ where: condition, by: [key('stage')], measures: MEASURES });
    expect(await compare({ where: condition })).toEqual([{ keys: [], values: [wanted.length] }]);
  });

  test('pages with conditions continue after the last row, and have no row twice', async () => {
    const condition = where({ stage: is.oneOf(['NEW', 'WON']), day: is.atLeast('2025-09-01') });
    const found: Order[] = [];
    for (let after: string | undefined; ; ) {
      const page = await store.rows(carol, condition, { take: 7, ...(after !== undefined && { after: [after] }) });
      found.push(...page);
      after = page.at(-1)?.id;
      if (page.length < 7) break;
    }
    expect(found.length).toBeGreaterThan(30);
    expect(found).toEqual(await store.rows(carol, condition));
  });

  const sortable = ['team', 'stage', 'size', 'amount', 'rating', 'day', 'at'] as const;
  const orderings = sortable.flatMap((field) => (['asc', 'desc'] as const).map((direction) => [field, direction] as const));
  test.each(orderings)('pages by %s %s, with equal values and null, have every row once', async (field, direction) => {
    const order = new ListOrder<keyof Order>(direction, [field, 'id'], [field]);
    const sign = direction === 'asc' ? 1 : -1;
    // Stores write times with and without fractions of a second.
    const keyOf = (row: Order) => (field === 'at' && row.at !== null ? Date.parse(row.at) : row[field]);
    const compared = (a: string | number | null, b: string | number | null) =>
      a === b ? 0 : a === null || (b !== null && a < b) ? -sign : sign;
    const expected = (await store.rows(carol)).toSorted((a, b) => compared(keyOf(a), keyOf(b)) || compared(a.id, b.id));
    if (field !== 'stage') expect(expected.some((row) => row[field] === null)).toBe(true);
    expect(await store.rows(carol, undefined, { order })).toEqual(expected);
    const found: Order[] = [];
    for (let take = 1, last: Order | undefined; ; take = (take % 31) + 10) {
      const page = await store.rows(carol, undefined, { order, take, ...(last && { after: [last[field], last.id] }) });
      found.push(...page);
      last = page.at(-1);
      if (page.length < take) break;
    }
    expect(found).toEqual(expected);
    const condition = where({ stage: is.oneOf(['NEW', 'WON']) });
    const [, second] = expected.filter((row) => row.stage !== 'LOST');
    const rest = await store.rows(carol, condition, { order, after: [second?.[field] ?? null, second?.id ?? ''] });
    expect(rest).toEqual(expected.filter((row) => row.stage !== 'LOST').slice(2));
  });

  test('filters nest', async () => {
    const condition = all(any(where({ team: 'Berlin' }), where({ stage: 'WON', open: true })), where({ size: is.there }), any(all()));
    expect(await store.rows(carol, condition)).toEqual((await store.rows(carol)).filter((row) => matches(row, condition)));
    await compare({ where: condition, by: [key('team')] });
  });

  describe('rights', () => {
    const count = async (who: StoreSession) => (await store.groups(who, asked({})))[0]?.values[0];
    const visible = (test_: (row: Order) => boolean) => ROWS.filter((row) => !REMOVED.includes(row.id) && test_(row)).length;

    test('everybody counts exactly the rows that they can list', async () => {
      expect(await count(carol)).toBe(visible(({ tenant }) => tenant === 'acme'));
      expect(await count(globex)).toBe(visible(({ tenant }) => tenant === 'globex'));
      expect(await count(own)).toBe(visible(({ tenant, owner }) => tenant === 'acme' && owner === 'carol'));
      expect(await count(outside)).toBe(0);
    });

    test('no condition reaches rows of others, and removed rows are in no group', async () => {
      for (const condition of [
        where({ tenant: is.there }),
        where({ tenant: 'globex' }),
        any(where({ owner: 'dan' }), all()),
        where({ owner: is.not('x') }),
      ])
        for (const who of [own, globex, outside]) await compare({ where: condition, by: [key('tenant'), key('owner')] }, who);
      for (const id of REMOVED) expect(await store.groups(carol, asked({ where: where({ id }) }))).toEqual([{ keys: [], values: [0] }]);
      expect(await store.groups(outside, asked({ by: [key('team')] }))).toEqual([]);
    });

    const uses: readonly (readonly [string, Partial<GroupsQuery>])[] = [
      ['a condition', { where: where({ pay: is.above(1_050) }) }],
      ['a condition in a condition', { where: any(where({ stage: 'WON' }), all(where({ pay: 1_007 }))) }],
      ['a condition for any value', { where: where({ pay: is.there }) }],
      ['a key', { by: [key('pay')] }],
      ['a sum', { measures: [{ of: 'sum', field: 'pay', decimals: 2 }] }],
      ['a count of values', { measures: [COUNT, { of: 'count', field: 'pay' }] }],
      ['a least value', { by: [key('team')], measures: [{ of: 'min', field: 'pay' }] }],
      ['a greatest value', { measures: [{ of: 'max', field: 'pay' }] }],
    ];
    test.each(uses)('%s over a hidden field reveals nothing', async (_, query) => {
      await compare(query);
      const rows = (await store.rows(own)).map((row) => ({ ...row, pay: null }));
      const expected = refuses ? 'thrown' : inOrder(groupsOf(rows, asked(query)));
      const found = await outcome(store.groups(own, asked(query)).then(inOrder));
      expect(found).toEqual(expected);
      if (query.where)
        expect(await outcome(store.rows(own, query.where))).toEqual(
          refuses ? 'thrown' : rows.filter((row) => matches(row, query.where as Filter)),
        );
    });
  });

  test.each(['nothing', 'team.x', 'team; drop table x', '$team', '__proto__', 'a b', 'select'])(
    'the field %j is refused',
    async (field) => {
      for (const query of [{ by: [key(field)] }, { measures: [{ of: 'max', field }] as GroupMeasure[] }]) {
        const found = await outcome(store.groups(carol, asked(query)));
        // A document without the field has no value there.
        if (found !== 'thrown') expect(found).toEqual([expect.objectContaining('by' in query ? { keys: [null] } : { values: [null] })]);
      }
    },
  );

  test('an object that looks like a filter is refused', async () => {
    const lookalike = { how: 'all', parts: [] } as unknown as Filter;
    expect(await outcome(store.groups(carol, asked({ where: lookalike })))).toBe('thrown');
    expect(await outcome(store.rows(carol, lookalike))).toBe('thrown');
  });

  const searches = [
    'invoice',
    'invoce adress',
    'wrong password reset',
    'export times out wrong address webhook delayed',
    '"*"',
    'nothing at all',
  ];
  if (hasWords)
    test.each(searches)('the words %j find the rows that a list without a limit finds', async (words) => {
      const rows = await store.rows(carol, undefined, { words });
      for (const query of [
        asked({}),
        asked({ by: [key('team')], measures: MEASURES }),
        asked({ by: [byDay, key('stage')], where: where({ open: true }) }),
      ])
        expect(inOrder(await store.groups(carol, query, words))).toEqual(inOrder(groupsOf(rows, query)));
    });

  test('random queries', async () => {
    const rowsOf = new Map<StoreSession, Order[]>();
    for (const who of [carol, own, globex]) rowsOf.set(who, await store.rows(who));
    const value = fc.oneof(fc.constantFrom(...TEAMS, ...STAGES), fc.string({ maxLength: 4 }));
    const text = fc.constantFrom('team', 'stage', 'note_').map((name) => (name === 'note_' ? 'owner' : name));
    const condition: fc.Arbitrary<Filter> = fc.oneof(
      fc.tuple(text, fc.constantFrom(is.not, is.text, is.prefix, is.part), value).map(([field, make, of]) => where({ [field]: make(of) })),
      fc.tuple(text, fc.array(fc.option(value), { maxLength: 4 })).map(([field, of]) => where({ [field]: is.oneOf(of) })),
      fc
        .tuple(
          fc.constantFrom('size', 'amount', 'rating'),
          fc.constantFrom(is.above, is.atLeast, is.below, is.atMost),
          fc.integer({ min: -200, max: 500_000 }),
        )
        .map(([field, make, of]) => where({ [field]: make(of / 100) })),
      fc
        .tuple(fc.constantFrom('day', 'at', 'open', 'size'), fc.boolean())
        .map(([field, there]) => where({ [field]: there ? is.there : null })),
      fc.tuple(fc.constantFrom(is.above, is.atMost), fc.constantFrom(...DAYS)).map(([make, of]) => where({ day: make(of) })),
      fc.tuple(fc.constantFrom(is.atLeast, is.below), fc.constantFrom(...TIMES)).map(([make, of]) => where({ at: make(of) })),
      fc.boolean().map((open_) => where({ open: open_ })),
    );
    const condition2 = fc
      .tuple(fc.boolean(), fc.array(condition, { minLength: 1, maxLength: 3 }))
      .map(([every, parts]) => (every ? all : any)(...parts));
    const keys = fc.uniqueArray(fc.constantFrom(...['team', 'stage', 'open', 'size', 'day'].map(key), byDay, byTime), { maxLength: 3 });
    const query = fc.record({
      where: fc.option(condition2, { nil: undefined }),
      by: keys,
      measures: fc.subarray([...MEASURES], { minLength: 1 }),
      most: fc.constant(100_000),
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(carol, own, globex), query, async (who, each) => {
        expect(inOrder(await store.groups(who, each))).toEqual(inOrder(groupsOf(rowsOf.get(who) ?? [], each)));
      }),
      { numRuns: 100, seed: 18 },
    );
  }, 120_000);
});
