/** Property test: after any sequence of changes, the current and every earlier state equal a replay of the history. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SqlReader } from '../../src/declare/sql.ts';
import type { Store } from '../../src/engine/store.ts';
import * as knowledge from '../../domains/knowledge/index.ts';
import { entryState, tripleState } from '../../domains/knowledge/schemas.ts';
import { entriesAt, lastTx, transactionsAt, triplesAt } from '../../domains/knowledge/snapshot.ts';
import { type Data, databases, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';

const people = ['nina.patel', 'marcus.johnson', 'sarah.kim'] as const;
const words = ['tide', 'Tide!', 'ebb & flow', 'Größe', '"quoted"', 'a\\b', '日本', "it's", '%_'] as const;
const who = fc.constantFrom(...people);
const text = fc.constantFrom(...words);
const day = fc.constantFrom('2026-01-01', '2026-11-16');
const op = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      tool: fc.constant('store' as const),
      who,
      topic: text,
      content: text,
      tags: fc.array(text, { maxLength: 2 }),
      confidence: fc.constantFrom(0, 0.5, 1),
      pick: fc.nat(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      tool: fc.constant('update' as const),
      who,
      content: text,
      source: text,
      valid_from: fc.option(day, { nil: undefined }),
      clear: fc.constantFrom([], ['actor', 'valid_to'], ['valid_from']),
      pick: fc.nat(30),
    }),
  },
  { weight: 2, arbitrary: fc.record({ tool: fc.constant('delete' as const), who, pick: fc.nat(30) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      tool: fc.constant('relate' as const),
      who,
      subject: text,
      object: text,
      about: fc.boolean(),
      predicate: fc.constantFrom('owned_by', 'touches'),
      resolution: fc.constantFrom('replace', 'keep_both', 'reject'),
      pick: fc.nat(30),
    }),
  },
  { weight: 4, arbitrary: fc.record({ tool: fc.constant('undo' as const), who, pick: fc.nat(8) }) },
);
type Op = typeof op extends fc.Arbitrary<infer T> ? T : never;
type State = Record<string, unknown>;

describe.each(databases)('any sequence of changes on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(knowledge) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  const reading = <T>(body: (sql: SqlReader) => Promise<T>) => {
    const store = testRuntime.runtime.stores['knowledge'] as Store<'sql'>;
    return store.read({ domain: 'knowledge', audience: 'staff', person: person('frank.davis'), shows: [] }, ({ sql }) => body(sql));
  };
  const MOST = 100_000;
  async function stateAt(asOf: number): Promise<State> {
    const entries = (await reading((sql) => entriesAt(sql, { asOf, limit: MOST }))).items.map((item) => [item.id, entryState.parse(item)]);
    const triples = (await reading((sql) => triplesAt(sql, { asOf, limit: MOST }))).items.map((item) => [item.id, tripleState.parse(item)]);
    return Object.fromEntries([...entries, ...triples]);
  }
  const now = async () => stateAt(await reading(lastTx));

  /** Calls a tool and approves its card, if any. Returns the data of a success, or undefined for an expected refusal. */
  async function done(by: string, tool: string, input: object): Promise<Data | undefined> {
    const asked = await testRuntime.call(by, 'knowledge', tool, input);
    const answer = asked.status === 'pending_confirmation' ? await testRuntime.approve(by, asked.confirmationId) : asked;
    if (answer.status === 'success') return answer.data as Data;
    const code = answer.status === 'error' ? answer.code : answer.status;
    expect(['CHANGED_LATER', 'NOTHING_TO_CHANGE', 'TRIPLE_CONFLICT', 'VALIDATION_ERROR', 'ENTRY_NOT_FOUND']).toContain(code);
    return undefined;
  }

  async function run(given: Op): Promise<void> {
    const ids = Object.keys(await now()).toReversed();
    const picked = (kind: string) => ids.filter((id) => id.startsWith(kind)).at(given.pick) ?? `${kind}-1`;
    const { tool, who: by, pick: _, ...input } = given;
    if (given.tool === 'store') await done(by, tool, input);
    else if (given.tool === 'update') await done(by, tool, { ...input, id: picked('e') });
    else if (given.tool === 'delete') await done(by, tool, { id: picked(given.pick % 2 === 0 ? 'e' : 't') });
    else if (given.tool === 'relate') {
      const { about, ...triple } = input as Omit<Extract<Op, { tool: 'relate' }>, 'tool' | 'who' | 'pick'>;
      await done(by, tool, about ? { ...triple, subject: picked('e') } : triple);
    } else await undoTwice(by, given.pick);
  }

  async function undoTwice(by: string, back: number): Promise<void> {
    const last = await reading(lastTx);
    const before = await now();
    const undone = await done(by, 'undo', { tx_id: Math.max(1, last - back) });
    if (!undone) {
      expect(await now()).toEqual(before);
      return;
    }
    const after = await now();
    expect(after).not.toEqual(before);
    const again = await done(by, 'undo', { tx_id: undone['tx_id'] });
    expect(again).toBeDefined();
    expect(await now()).toEqual(before);
    // In some cases a third undo follows, so that the sequence continues from the undone state.
    if (back % 2 === 0) {
      expect(await done(by, 'undo', { tx_id: again?.['tx_id'] })).toBeDefined();
      expect(await now()).toEqual(after);
    }
  }

  async function replayed(moments: readonly number[]): Promise<void> {
    const last = await reading(lastTx);
    const { items } = await reading((sql) => transactionsAt(sql, { asOf: last, limit: MOST }));
    const state: State = {};
    for (const { tx_id, changes } of items.toReversed()) {
      for (const { id, before, after } of changes) {
        expect([tx_id, id, state[id] ?? null]).toEqual([tx_id, id, before]);
        if (after === null) delete state[id];
        else state[id] = after;
      }
      if (tx_id === last || moments.includes(tx_id)) expect(await stateAt(tx_id)).toEqual(state);
    }
    expect(items.length).toBe(last);
  }

  test('leaves the state that a replay of the history gives', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 3, maxLength: 12 }), async (ops) => {
        const first = await reading(lastTx);
        for (const each of ops) await run(each);
        await replayed([first, first + 3]);
      }),
      { numRuns: 20, endOnFailure: true, seed: 20261116 },
    );
  }, 240_000);
});
