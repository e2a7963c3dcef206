/** Key-value stores on SQLite and Redis: expiry, atomic swaps, counters, encryption and outages. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Failure } from '../../src/declare/errors.ts';
import type { KeyValue } from '../../src/engine/ports.ts';
import { openRedisPubSub } from '../../src/storage/kv/redis-pubsub.ts';
import { openRedisKeyValue } from '../../src/storage/kv/redis.ts';
import { createSealedKeyValue } from '../../src/storage/kv/sealed.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { openFaultyConnection } from '../faulty-connection.ts';
import { startChild } from '../services/child.ts';
import { startRedis } from '../services/redis.ts';
import { freePort } from '../services/server-process.ts';
import { storesFor } from '../stores.ts';

const folder = mkdtempSync(join(tmpdir(), 'tamshai kv '));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const redisUrl = process.env.TAMSHAI_TEST_REDIS_URL;

type Adapters = Record<string, () => KeyValue | Promise<KeyValue>>;
const embedded: Adapters = {
  'SQLite in memory': () => openSqliteKeyValue(':memory:'),
  'SQLite in a file': () => openSqliteKeyValue(join(folder, 'one.db')),
  'SQLite, sealed': () => createSealedKeyValue(openSqliteKeyValue(join(folder, 'sealed.db')), randomBytes(32)),
};
const server = (url: string): Adapters => ({
  Redis: () => openRedisKeyValue(url),
  'Redis, sealed': async () => createSealedKeyValue(await openRedisKeyValue(url), randomBytes(32)),
});
const adapters = storesFor(embedded, ...(redisUrl ? [server(redisUrl)] : [])).flatMap((each) => Object.entries(each));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const refused = async (work: Promise<unknown>): Promise<Failure> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Failure);
  return error as Failure;
};

describe.each(adapters)('key-value store: %s', (_name, open) => {
  let kv: KeyValue;
  beforeAll(async () => {
    kv = await open();
  });
  afterAll(() => kv.close());
  const fresh = () => `test:${randomUUID()}`;

  test('returns what was set, and nothing once it is deleted', async () => {
    const key = fresh();
    expect(await kv.get(key)).toBeUndefined();
    await kv.set(key, 'one', 60);
    await kv.set(key, 'two', 60);
    expect(await kv.get(key)).toBe('two');
    await kv.delete(key);
    expect(await kv.get(key)).toBeUndefined();
    await kv.delete(key);
  });

  test.each([
    ['empty', ''],
    ['NUL', 'a\0b\0'],
    ['emoji', '👩‍👩‍👧‍👦 été \u{10ffff}'],
    ['decomposed letters', 'e\u0301'],
    ['a number', '42'],
    ['1 MB', 'x\0é'.repeat(262_144)],
  ])('returns a value byte for byte: %s', async (_what, value) => {
    const key = fresh();
    await kv.set(key, value, 60);
    expect((await kv.get(key)) === value).toBe(true);
    expect(await kv.swap(key, `${value}.`, 'no', 60)).toBe(false);
    expect(await kv.swap(key, value, `${value}.`, 60)).toBe(true);
    expect((await kv.get(key)) === `${value}.`).toBe(true);
  });

  test('distinguishes keys with any characters', async () => {
    const base = fresh();
    const keys = [base, `${base}\0`, `${base}\0a`, `${base}%`, `${base}*`, `${base.toUpperCase()}`, `${base} `];
    for (const key of keys) expect(await kv.add(key, key, 60)).toBe(true);
    for (const key of keys) expect(await kv.get(key)).toBe(key);
  });

  test('expires a value exactly at its time', async () => {
    const [short, long, added] = [fresh(), fresh(), fresh()];
    await kv.set(short, 'x', 0.15);
    await kv.set(long, 'x', 60);
    await kv.add(added, 'x', 0.15);
    expect(await kv.get(short)).toBe('x');
    expect(await kv.add(added, 'y', 60)).toBe(false);
    await pause(170);
    expect(await kv.get(short)).toBeUndefined();
    expect(await kv.swap(short, 'x', 'y', 60)).toBe(false);
    expect(await kv.get(short)).toBeUndefined();
    expect(await kv.add(added, 'y', 60)).toBe(true);
    expect(await kv.get(added)).toBe('y');
    expect(await kv.get(long)).toBe('x');
  });

  test('a swap sets a new expiry', async () => {
    const key = fresh();
    await kv.set(key, 'a', 0.1);
    expect(await kv.swap(key, 'a', 'b', 60)).toBe(true);
    expect(await kv.swap(key, 'b', 'b', 60)).toBe(true);
    await pause(130);
    expect(await kv.get(key)).toBe('b');
  });

  test('adds only where no value exists: of 200 concurrent calls one succeeds', async () => {
    const key = fresh();
    const tries = await Promise.all(Array.from({ length: 200 }, (_, i) => kv.add(key, String(i), 60)));
    expect(tries.filter(Boolean)).toHaveLength(1);
    expect(await kv.get(key)).toBe(String(tries.indexOf(true)));
  });

  test('swaps only the expected value: of 200 concurrent calls one succeeds', async () => {
    const key = fresh();
    expect(await kv.swap(key, '', 'x', 60)).toBe(false);
    await kv.set(key, 'waiting', 60);
    const tries = await Promise.all(Array.from({ length: 200 }, (_, i) => kv.swap(key, 'waiting', String(i), 60)));
    expect(tries.filter(Boolean)).toHaveLength(1);
    expect(await kv.get(key)).toBe(String(tries.indexOf(true)));
  });

  test('counts in fixed windows', async () => {
    const key = fresh();
    const counts = await Promise.all(Array.from({ length: 200 }, () => kv.count(key, 0.6)));
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
    await pause(620);
    expect(await kv.count(key, 60)).toBe(1);
    expect(await kv.count(key, 60)).toBe(2);
  });

  test('answers a ping', () => kv.ping());
});

test('a closed store throws SERVICE_UNAVAILABLE', async () => {
  const stores = [openSqliteKeyValue(join(folder, 'closed.db')), ...(redisUrl ? [await openRedisKeyValue(redisUrl)] : [])];
  for (const kv of stores) {
    await kv.set('a', 'x', 60);
    await kv.close();
    await kv.close();
    expect((await refused(kv.get('a'))).code).toBe('SERVICE_UNAVAILABLE');
  }
});

describe('SQLite', () => {
  test('two processes on one file lose no count, and each swap succeeds in one of them', async () => {
    const file = join(folder, 'shared.db');
    const kv = openSqliteKeyValue(file);
    const rounds = 400;
    for (let i = 0; i < rounds; i++) await kv.set(`prize:${i}`, 'free', 60);
    const children = ['a', 'b'].map((name) => startChild(new URL('./kv-child.ts', import.meta.url), file, name, String(rounds)));
    for (const child of children) expect(await child.line()).toBe('ready');
    await kv.set('go', '1', 60);
    const won = await Promise.all(children.map(async (child) => Number(await child.line())));
    expect((await Promise.all(children.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0]);
    expect(won.reduce((a, b) => a + b)).toBe(rounds);
    expect(await kv.count('all', 60)).toBe(2 * rounds + 1);
    await kv.close();
  });

  test('values survive a restart, and expired ones are removed', async () => {
    const file = join(folder, 'again.db');
    let now = Date.parse('2026-01-01T00:00:00Z');
    const clock = { now: () => new Date(now) };
    const first = openSqliteKeyValue(file, clock);
    await first.set('stays', 'x', 3600);
    for (let i = 0; i < 50; i++) await first.set(`goes:${i}`, 'y'.repeat(1000), 1);
    await first.close();
    const second = openSqliteKeyValue(file, clock);
    expect(await second.get('stays')).toBe('x');
    now += 31_000;
    await second.set('other', 'z', 60);
    // With the clock set back, a value that was not removed would show again.
    now -= 31_000;
    expect(await second.get('goes:1')).toBeUndefined();
    expect(await second.get('stays')).toBe('x');
    await second.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('encrypted values', () => {
  const key = randomBytes(32);
  const inner = openSqliteKeyValue(':memory:');
  const kv = createSealedKeyValue(inner, key);

  test('are unreadable in the store, and differ each time', async () => {
    await kv.set('a', 'salary 123456', 60);
    const first = await inner.get('a');
    await kv.set('a', 'salary 123456', 60);
    expect(first).not.toContain('123456');
    expect(Buffer.from(first ?? '', 'base64url').toString('latin1')).not.toContain('salary');
    expect(await inner.get('a')).not.toBe(first);
  });

  test('count as absent if they are damaged, moved to another key or encrypted with another secret, and can then be replaced', async () => {
    await kv.set('b', 'secret', 60);
    const good = (await inner.get('b')) ?? '';
    const bytes = Buffer.from(good, 'base64url');
    bytes.writeUInt8(bytes.readUInt8(14) ^ 1, 14);
    for (const bad of [bytes.toString('base64url'), '', 'x', 'plain text', '7', good.slice(0, -4)]) {
      await inner.set('b', bad, 60);
      expect(await kv.get('b')).toBeUndefined();
      expect(await kv.swap('b', 'secret', 'other', 60)).toBe(false);
    }
    await inner.set('c', good, 60);
    expect(await kv.get('c')).toBeUndefined();
    expect(await kv.add('c', 'mine', 60)).toBe(true);
    expect(await kv.get('c')).toBe('mine');
    expect(await createSealedKeyValue(inner, randomBytes(32)).get('c')).toBeUndefined();
    const renewed = createSealedKeyValue(inner, randomBytes(32), key);
    expect(await renewed.get('c')).toBe('mine');
    expect(await renewed.swap('c', 'mine', 'renewed', 60)).toBe(true);
    expect(await kv.get('c')).toBeUndefined();
  });

  test('a swap succeeds even if another caller stores the same text again in between', async () => {
    await kv.set('d', 'same', 60);
    let first = true;
    const meddling: KeyValue = {
      ...inner,
      async swap(...args) {
        if (first) await kv.set('d', 'same', 60);
        first = false;
        return inner.swap(...args);
      },
    };
    expect(await createSealedKeyValue(meddling, key).swap('d', 'same', 'next', 60)).toBe(true);
    expect(await kv.get('d')).toBe('next');
  });
});

describe.concurrent('an unreachable Redis', () => {
  const password = 'canary-5f1e';
  const open = new Set<Server>();
  afterAll(() => {
    for (const server of open) server.close();
  });
  const listen = async (reply: (text: string) => string | undefined): Promise<string> => {
    const server = createServer((socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (data) => {
          const answer = reply(data.toString());
          if (answer !== undefined) socket.write(answer);
        });
    });
    open.add(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return `redis://:${password}@127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  };
  const silent = (failure: Failure) => {
    const all = `${failure.message} ${JSON.stringify(failure.answer())} ${String(failure.cause)} ${failure.stack}`;
    expect(all).not.toMatch(/canary|127\.0\.0\.1|ECONN.*:\d|ioredis|Command timed out/);
    expect(failure.message).toMatch(/^[^\n]+\.$/);
  };

  test('makes the start fail with one sentence, without the address and the password', async () => {
    const failure = await refused(openRedisKeyValue(`redis://:${password}@127.0.0.1:${await freePort()}`));
    expect(failure.message).toBe('Redis does not answer at the address in REDIS_URL.');
    silent(failure);
  });

  test('makes the start fail when the server accepts connections and never answers', async () => {
    const started = Date.now();
    const failure = await refused(openRedisKeyValue(await listen(() => undefined)));
    expect(failure.code).toBe('SERVICE_UNAVAILABLE');
    expect(Date.now() - started).toBeLessThan(15_000);
    silent(failure);
  });

  test('makes the start fail when the address is malformed', async () => {
    for (const url of ['localhost:6379', '/etc/passwd', 'http://localhost:1', 'redis://[', `canary-5f1e`]) {
      const failure = await refused(openRedisKeyValue(url));
      expect(failure.message).toContain('REDIS_URL must look like');
      silent(failure);
    }
  });
});

// Most of these tests start a Redis server of their own, which they stop, freeze or restart.
function ownRedis(url: string): void {
  test('keeps everything under one prefix', async () => {
    const kv = await openRedisKeyValue(url);
    const plain = new Redis(url);
    const name = randomUUID();
    await kv.set(name, 'x', 60);
    await kv.count(`${name}:n`, 60);
    expect((await plain.keys(`*${name}*`)).toSorted()).toEqual([`tamshai:${name}`, `tamshai:${name}:n`]);
    expect(await plain.pttl(`tamshai:${name}:n`)).toBeGreaterThan(50_000);
    plain.disconnect();
    await kv.close();
  });

  test('every method fails with SERVICE_UNAVAILABLE in time while the server is down, and works again when it is back', async () => {
    const password = 'canary-77aa';
    const server = await startRedis({ password });
    const said: string[] = [];
    const say = (_fields: unknown, message: string) => void said.push(message);
    const kv = await openRedisKeyValue(server.url, { info: say, warn: say, error: say });
    await kv.set('a', 'x', 60);
    await server.stop();
    const calls = () => [
      kv.get('a'),
      kv.set('a', 'y', 60),
      kv.add('a', 'y', 60),
      kv.swap('a', 'x', 'y', 60),
      kv.delete('a'),
      kv.count('n', 60),
      kv.ping(),
    ];
    for (let round = 0; round < 3; round++) {
      const started = Date.now();
      for (const failure of await Promise.all(calls().map(refused))) {
        expect(failure.code).toBe('SERVICE_UNAVAILABLE');
        expect(`${failure.message} ${JSON.stringify(failure)} ${failure.stack} ${String(failure.cause)}`).not.toMatch(
          /canary|127\.0\.0\.1|writeable/,
        );
      }
      expect(Date.now() - started).toBeLessThan(8_000);
      await pause(100);
    }
    const back = await startRedis({ password, port: server.port });
    await expect
      .poll(
        () =>
          kv.ping().then(
            () => 'up',
            () => 'down',
          ),
        { timeout: 5_000 },
      )
      .toBe('up');
    expect(await kv.get('a')).toBeUndefined();
    expect(await kv.add('a', 'z', 60)).toBe(true);
    expect(await kv.swap('a', 'z', 'y', 60)).toBe(true);
    expect(said).toEqual(['The connection to Redis is lost; trying to reconnect.', 'Redis is back.']);
    await kv.close();
    await back.stop();
  });

  test('methods fail with SERVICE_UNAVAILABLE in time while the server is frozen', async () => {
    const server = await startRedis();
    const kv = await openRedisKeyValue(server.url);
    process.kill(server.pid, 'SIGSTOP');
    const started = Date.now();
    const failures = await Promise.all([kv.get('a'), kv.swap('a', 'x', 'y', 60), kv.count('n', 60)].map(refused));
    expect(failures.map(({ code }) => code)).toEqual(Array(3).fill('SERVICE_UNAVAILABLE'));
    expect(Date.now() - started).toBeLessThan(8_000);
    process.kill(server.pid, 'SIGCONT');
    await expect
      .poll(
        () =>
          kv.ping().then(
            () => 'up',
            () => 'down',
          ),
        { timeout: 5_000 },
      )
      .toBe('up');
    await kv.close();
    await server.stop();
  });

  test('callers and subscribers reconnect to a server that vanished silently', async () => {
    const link = await openFaultyConnection({ host: new URL(url).hostname, port: Number(new URL(url).port) });
    const through = Object.assign(new URL(url), { port: String(link.port) }).href;
    const [kv, heard] = [await openRedisKeyValue(through), [] as string[]];
    const [near, far] = [
      await openRedisPubSub(url, 'there', { onMessage: () => {} }),
      await openRedisPubSub(through, 'there', { onMessage: (text) => void heard.push(text), stillThereMs: 200 }),
    ];
    link.set('lost');
    const state = (work: Promise<unknown>) =>
      work.then(
        () => 'up',
        () => 'down',
      );
    const all = async () => [await state(kv.ping()), await state(far.publish('from there')), await near.publish('from here'), heard.at(-1)];
    await expect.poll(all, { timeout: 15_000, interval: 200 }).toEqual(['up', 'up', 2, 'from there']);
    for (const each of [kv, near, far, link]) await each.close();
  });

  test('a subscriber whose connection ends during a resubscription subscribes again', async () => {
    const open = new Set<Socket>();
    let ending = 0;
    const proxy = createServer((near) => {
      const far = connect(Number(new URL(url).port), new URL(url).hostname);
      open.add(near.on('error', () => undefined).on('close', () => void far.destroy()));
      far.on('error', () => undefined).on('close', () => void near.destroy());
      far.on('data', (chunk) => near.write(chunk));
      near.on('data', (chunk) => (ending > 0 && /subscribe/i.test(chunk.toString()) && ending-- > 0 ? near.destroy() : far.write(chunk)));
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const through = Object.assign(new URL(url), { port: String((proxy.address() as AddressInfo).port) }).href;
    const heard: string[] = [];
    const [near, far] = [
      await openRedisPubSub(url, 'anew', { onMessage: () => {} }),
      await openRedisPubSub(through, 'anew', { onMessage: (text) => void heard.push(text) }),
    ];
    ending = 2;
    for (const socket of open) socket.destroy();
    await expect.poll(async () => [await near.publish('again'), ending, heard.at(-1)], { timeout: 15_000 }).toEqual([2, 0, 'again']);
    await near.close();
    await far.close();
    proxy.close();
  });

  test('counters and swaps still work after the server was emptied of values and scripts', async () => {
    const server = await startRedis();
    const kv = await openRedisKeyValue(server.url);
    const plain = new Redis(server.url);
    await kv.set('a', 'x', 60);
    expect(await kv.count('n', 60)).toBe(1);
    await plain.flushall();
    await plain.script('FLUSH');
    expect(await kv.get('a')).toBeUndefined();
    expect(await kv.count('n', 60)).toBe(1);
    expect(await kv.swap('a', 'x', 'y', 60)).toBe(false);
    plain.disconnect();
    await kv.close();
    await server.stop();
  });

  test.each([
    [
      'a wrong password',
      { password: 'right' },
      (url: string) => url.replace('right', 'canary-wrong'),
      /^Redis refused the user name or the password/,
    ],
    ['no password', { password: 'right' }, (url: string) => url.replace(':right@', ''), /^Redis refused the user name or the password/],
    [
      'a server that evicts keys',
      { maxmemoryPolicy: 'allkeys-lru' },
      (url: string) => url,
      /set its maxmemory-policy to noeviction \(it is allkeys-lru\)\.$/,
    ],
  ])('a start is refused with %s', async (_what, options, change, sentence) => {
    const server = await startRedis(options);
    const failure = await refused(openRedisKeyValue(change(server.url)));
    expect(failure.message).toMatch(sentence);
    expect(`${failure.message} ${String(failure.cause)}`).not.toMatch(/canary|127\.0\.0\.1/);
    await server.stop();
  });
}
if (redisUrl) describe('Redis', () => ownRedis(redisUrl));
