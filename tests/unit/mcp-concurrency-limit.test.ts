/** The concurrency limit of MCP subscriptions and streams, which all processes share through the key-value store. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failure } from '../../src/declare/errors.ts';
import type { KeyValue } from '../../src/engine/ports.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { ConcurrencyLimit } from '../../src/engine/limits/concurrency-limit.ts';

let kv: KeyValue;
let now = Date.now();
const made: ConcurrencyLimit[] = [];
const limit = (over = kv, name = 'subscribed') => {
  const one = new ConcurrencyLimit(over, name, 8);
  made.push(one);
  return one;
};
beforeEach(() => {
  now = Date.now();
  kv = openSqliteKeyValue(':memory:', { now: () => new Date(now) });
});
afterEach(async () => {
  for (const each of made.splice(0)) await each.close();
  await kv.close();
});
const pause = () => new Promise((later) => setTimeout(later, 20));

test('slots are counted over all processes, separately for each person and each kind', async () => {
  const [one, two] = [limit(), limit()];
  const release = await one.take('alice', 5);
  expect(await two.take('alice', 3)).toBeDefined();
  expect([await one.take('alice'), await two.take('alice')]).toEqual([undefined, undefined]);
  expect(await two.take('bob', 8)).toBeDefined();
  expect(await limit(kv, 'streams').take('alice', 8)).toBeDefined();
  release?.();
  release?.();
  await pause();
  expect(await two.take('alice', 6)).toBeUndefined();
  expect(await two.take('alice', 5)).toBeDefined();
});

test('of forty concurrent requests for a slot in four processes eight succeed', async () => {
  const all = [limit(), limit(), limit(), limit()];
  const got = await Promise.all(Array.from({ length: 40 }, async (_, n) => all[n % 4]?.take('alice')));
  expect(got.filter((release) => release !== undefined)).toHaveLength(8);
  for (const release of got) release?.();
  await pause();
  expect(await limit().take('alice', 8)).toBeDefined();
});

test('slots of a killed process expire after a while, and those of a stopped process are free at once', async () => {
  const [killed, two, three] = [limit(), limit(), limit()];
  await killed.take('alice', 8);
  expect(await two.take('alice')).toBeUndefined();
  now += 16_000;
  expect(await two.take('alice', 8)).toBeDefined();
  await two.close();
  expect(await three.take('alice', 8)).toBeDefined();
});

test('a holder counts once over all processes, and `fits` predicts the result of a claim', async () => {
  const [one, two] = [limit(), limit()];
  expect(await one.claim('alice', 'session', 2)).toBe(true);
  expect(await two.claim('alice', 'session', 3)).toBe(true);
  expect([await two.fits('alice', 'other', 5), await two.fits('alice', 'other', 6)]).toEqual([true, false]);
  expect([await one.fits('alice', 'session', 8), await one.fits('alice', 'session', 9)]).toEqual([true, false]);
  await two.hold('alice', 'session', 1);
  await one.hold('alice', 'session', 1);
  expect(await limit().claim('alice', 'other', 7)).toBe(true);
  expect(await one.claim('alice', 'session', 2)).toBe(false);
});

test('a slot is released if the answer of the store to its request was lost', async () => {
  let lost = true;
  const losing: KeyValue = {
    ...kv,
    async add(...given) {
      const added = await kv.add(...given);
      if (!lost) return added;
      lost = false;
      throw failure('SERVICE_UNAVAILABLE', 'Away.');
    },
  };
  await expect(limit(losing).take('alice', 8)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await pause();
  expect(await limit().take('alice', 8)).toBeDefined();
});

test('a release that could not be stored is stored together with the next release', async () => {
  let down = false;
  const attempt =
    <A extends unknown[], T>(run: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      if (down) throw failure('SERVICE_UNAVAILABLE', 'Away.');
      return run(...given);
    };
  const flaky: KeyValue = { ...kv, get: attempt(kv.get), set: attempt(kv.set), add: attempt(kv.add), swap: attempt(kv.swap) };
  const one = limit(flaky);
  const [first, second] = [await one.take('alice', 4), await one.take('alice', 4)];
  down = true;
  first?.();
  await pause();
  await expect(one.take('bob')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  down = false;
  expect(await limit().take('alice', 4)).toBeUndefined();
  second?.();
  await pause();
  expect(await limit().take('alice', 8)).toBeDefined();
});
