/** The rate limit and the concurrency limit of one person are the same with one process and with three processes on one store. */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { type CallLimiter, createCallLimiter } from '../../src/engine/limits/call-limiter.ts';
import { Failure } from '../../src/declare/errors.ts';
import { openRedisKeyValue } from '../../src/storage/kv/redis.ts';
import { openFaultyConnection } from '../faulty-connection.ts';

const url = process.env.TAMSHAI_TEST_REDIS_URL;
const LIMITS = { perMinute: 30, atOnce: 8 };
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});
/** A stopped clock, so that all calls fall into one minute. */
const clock = { now: () => new Date('2026-05-05T10:00:20Z') };

async function replica(store: string, leaseSeconds?: number): Promise<CallLimiter> {
  const kv = await openRedisKeyValue(store);
  closing.push(() => kv.close());
  if (kv.leases === undefined) throw new Error('a shared store has leases');
  return createCallLimiter(LIMITS, { clock, shared: { count: kv.count, leases: kv.leases, leaseSeconds } });
}
const outcome = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'in';
  } catch (error) {
    return error instanceof Failure ? `${error.message} ${String(error.details?.['retryAfterSeconds'])}` : String(error);
  }
};
const counted = (all: readonly string[]) =>
  Object.fromEntries([...new Set(all)].map((each) => [each, all.filter((one) => one === each).length]));
/** Retries, because a slot is released in the store a moment after the call. */
const soon = async (work: () => unknown) => {
  await expect.poll(() => outcome(work), { timeout: 5_000 }).toBe('in');
};

describe.each([
  ['one process', async () => [createCallLimiter(LIMITS, { clock })]],
  ...(url ? [['three processes', async () => [await replica(url), await replica(url), await replica(url)]] as const] : []),
] as const)('%s', (_name, open) => {
  it('allows eight concurrent calls of one person, and one more for each call that ends', async () => {
    const all = await open();
    const [alice, bob] = [randomUUID(), randomUUID()];
    const at = (n: number) => all[n % all.length] as CallLimiter;
    const leaving: (() => void)[] = [];
    const enter = async (n: number, who: string) => void leaving.push(await at(n).enter(who));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => outcome(() => enter(n, alice))));
    expect(counted(answers)).toEqual({ in: 8, 'More than 8 calls at once. 1': 12 });
    expect(await outcome(() => enter(1, bob))).toBe('in');
    leaving[0]?.();
    await soon(() => enter(2, alice));
    expect(await outcome(() => enter(0, alice))).toBe('More than 8 calls at once. 1');
  });

  it('allows thirty calls of one person in a minute, and a refused call holds no slot', async () => {
    const all = await open();
    const carol = randomUUID();
    const at = (n: number) => all[n % all.length] as CallLimiter;
    for (let n = 0; n < 30; n++) await soon(async () => (n % 2 === 0 ? at(n).count(carol) : (await at(n).enter(carol))()));
    const refused = await Promise.all(
      Array.from({ length: 12 }, (_, n) => outcome(() => (n % 2 === 0 ? at(n).count(carol) : at(n).enter(carol)))),
    );
    expect(counted(refused)).toEqual({ 'More than 30 calls in a minute. 40': 12 });
    expect(await outcome(() => at(1).count(randomUUID()))).toBe('in');
  });
});

it('reports every refused call once, also one that exceeds both limits', async () => {
  const kv = url === undefined ? undefined : await openRedisKeyValue(url);
  if (kv !== undefined) closing.push(() => kv.close());
  for (const shared of [undefined, ...(kv?.leases === undefined ? [] : [{ count: kv.count, leases: kv.leases }])]) {
    const [erin, refusals] = [randomUUID(), { count: 0 }];
    const one = createCallLimiter({ perMinute: 3, atOnce: 1 }, { clock, shared, onRefused: () => void refusals.count++ });
    const leave = await one.enter(erin);
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await outcome(() => one.enter(erin)));
    expect(answers).toEqual([
      'More than 1 calls at once. 1',
      'More than 1 calls at once. 1',
      'More than 3 calls in a minute. 40',
      'More than 3 calls in a minute. 40',
    ]);
    expect(refusals.count).toBe(4);
    leave();
  }
});

describe.each(url ? [url] : [])('concurrency slots on a shared store', (store) => {
  it('are renewed while a call runs longer than the lease, and are free after the call', async () => {
    const [one, other] = [await replica(store, 4), await replica(store, 4)];
    const dora = randomUUID();
    const leaving = await Promise.all(Array.from({ length: LIMITS.atOnce }, async () => one.enter(dora)));
    for (let n = 0; n < 6; n++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect([n, await outcome(() => other.enter(dora))]).toEqual([n, 'More than 8 calls at once. 1']);
    }
    leaving[0]?.();
    await soon(() => other.enter(dora));
    expect(await outcome(() => other.enter(dora))).toBe('More than 8 calls at once. 1');
    for (const leave of leaving) leave();
  });

  it('of calls that end during an outage are released when the store is reachable again', async () => {
    const link = await openFaultyConnection({ host: new URL(store).hostname, port: Number(new URL(store).port) });
    closing.push(() => link.close());
    const [near, far] = [await replica(store), await replica(Object.assign(new URL(store), { port: String(link.port) }).href)];
    const dora = randomUUID();
    const leaving = await Promise.all(Array.from({ length: 8 }, async () => far.enter(dora)));
    link.set('cut');
    for (const leave of leaving) leave();
    expect(await outcome(() => near.enter(dora))).toBe('More than 8 calls at once. 1');
    link.set('pass');
    for (let n = 0; n < 8; n++) await expect.poll(() => outcome(() => near.enter(dora)), { timeout: 8_000, interval: 1_000 }).toBe('in');
  }, 30_000);

  it('of a killed process expire, and the key is deleted when nobody holds a slot', async () => {
    const kv = await openRedisKeyValue(store);
    const redis = new Redis(store);
    closing.push(
      () => kv.close(),
      async () => redis.disconnect(),
    );
    const key = `running:${randomUUID()}`;
    expect(await kv.leases?.acquire(key, 'killed', 1, 0.3)).toBe(true);
    expect(await kv.leases?.acquire(key, 'next', 1, 60)).toBe(false);
    await expect.poll(() => kv.leases?.acquire(key, 'next', 1, 0.3), { timeout: 5_000 }).toBe(true);
    await expect.poll(() => redis.exists(`tamshai:${key}`), { timeout: 5_000 }).toBe(0);
  });
});
