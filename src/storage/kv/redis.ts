/** The key-value store on Redis, with leases for the concurrency limit. */
import { type ClientContext, Redis, type Result } from 'ioredis';
import { type Failure, failure } from '../../declare/errors.ts';
import type { KeyValue, Logger } from '../../engine/ports.ts';
import { createWriteCoalescer } from '../write-coalescing.ts';

declare module 'ioredis' {
  interface RedisCommander<Context extends ClientContext> {
    swapValue(key: string, expected: string, next: string, ttlMs: number): Result<number, Context>;
    countUp(key: string, windowMs: number): Result<number, Context>;
    acquireLease(key: string, holder: string, most: number, ttlMs: number): Result<number, Context>;
    renewLease(key: string, holder: string, ttlMs: number): Result<number, Context>;
  }
}

const PREFIX = 'tamshai:';
const START_MS = 5_000;
const COMMAND_MS = 1_500;
const LONGEST_PAUSE_MS = 2_000;

const SWAP = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;
const COUNT = `
local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return n`;
/** The clocks of the processes may differ, so Redis supplies the time. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;
const TAKE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;
/** An expired lease is renewed too: its holder may only have lost the connection for a while. */
const KEEP = `${NOW}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

/** A driver message can contain the AUTH command with the password, so only the error code or name is used. */
const reason = (error: unknown): string => {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  return /^[A-Z]{3,}\b/.exec(String(message))?.[0] ?? String(name);
};
const unavailable = (error: unknown, sentence = 'The store for sessions and approvals cannot be reached right now.'): Failure =>
  Object.assign(failure('SERVICE_UNAVAILABLE', sentence), { cause: reason(error) });
const ms = (seconds: number) => Math.max(1, Math.ceil(seconds * 1000));

/** The errors contain neither address nor password. */
export async function openRedisKeyValue(url: string, logger?: Logger): Promise<KeyValue> {
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url)) {
    throw failure('VALIDATION_ERROR', 'REDIS_URL must look like redis://host:6379 or rediss://user:password@host:6379.');
  }
  const redis = new Redis(url, {
    keyPrefix: PREFIX,
    lazyConnect: true,
    connectTimeout: COMMAND_MS,
    commandTimeout: COMMAND_MS,
    // While Redis is down, callers get a 503 at once. The driver must not resend a command: a swap that already succeeded would report
    // failure.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), LONGEST_PAUSE_MS),
    // After a failover the old primary refuses writes. The client reconnects to find the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  redis.defineCommand('swapValue', { lua: SWAP, numberOfKeys: 1 });
  redis.defineCommand('countUp', { lua: COUNT, numberOfKeys: 1 });
  redis.defineCommand('acquireLease', { lua: TAKE, numberOfKeys: 1 });
  redis.defineCommand('renewLease', { lua: KEEP, numberOfKeys: 1 });
  let last: unknown;
  redis.on('error', (error: unknown) => {
    last = error;
  });
  try {
    await connected(redis, () => last);
    await refuseEviction(redis, logger);
  } catch (error) {
    redis.disconnect();
    throw error;
  }
  reportOutages(redis, logger);

  const coalesce = createWriteCoalescer();
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    const { stream } = redis;
    try {
      coalesce(stream);
      return await work();
    } catch (error) {
      disconnectIfLate(stream, error);
      throw unavailable(error);
    }
  };
  return {
    get: (key) => attempt(async () => (await redis.get(key)) ?? undefined),
    set: (key, value, ttlSeconds) =>
      attempt(async () => {
        await redis.set(key, value, 'PX', ms(ttlSeconds));
      }),
    add: (key, value, ttlSeconds) => attempt(async () => (await redis.set(key, value, 'PX', ms(ttlSeconds), 'NX')) === 'OK'),
    swap: (key, expected, next, ttlSeconds) => attempt(async () => (await redis.swapValue(key, expected, next, ms(ttlSeconds))) === 1),
    delete: (key) =>
      attempt(async () => {
        await redis.del(key);
      }),
    count: (key, windowSeconds) => attempt(() => redis.countUp(key, ms(windowSeconds))),
    ping: () =>
      attempt(async () => {
        await redis.ping();
      }),
    close: async () => redis.disconnect(),
    leases: {
      acquire: (key, holder, most, seconds) => attempt(async () => (await redis.acquireLease(key, holder, most, ms(seconds))) === 1),
      renew: (key, holder, seconds) =>
        attempt(async () => {
          await redis.renewLease(key, holder, ms(seconds));
        }),
      release: (key, holder) =>
        attempt(async () => {
          await redis.zrem(key, holder);
        }),
    },
  };
}

/** Redis answers in order, so one late answer delays all others. After a timeout, this closes the connection. */
export function disconnectIfLate(stream: Redis['stream'], error: unknown): void {
  if ((error as Error).message !== 'Command timed out') return;
  const { bytesRead } = stream;
  // If this process was blocked, the answer is already in the buffer. Then the connection stays open.
  setImmediate(() => void (stream.bytesRead === bytesRead && stream.destroy()));
}

/** Retries for five seconds, because the server may still be starting. A refused password fails at once. */
export async function connected(redis: Redis, lastError: () => unknown): Promise<void> {
  const deadline = Date.now() + START_MS;
  // The retry strategy connects again, so this error is ignored.
  redis.connect().catch(() => undefined);
  while (redis.status !== 'ready') {
    const error = lastError();
    if (error !== undefined && /^(WRONGPASS|NOAUTH|NOPERM|ERR invalid password)/.test((error as Error).message)) {
      throw unavailable(error, 'Redis refused the user name or the password in REDIS_URL.');
    }
    if (Date.now() > deadline) throw unavailable(error ?? 'TIMEOUT', 'Redis does not answer at the address in REDIS_URL.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** If Redis evicted keys, revoked tokens and open tickets would be lost. */
async function refuseEviction(redis: Redis, logger: Logger | undefined): Promise<void> {
  const info = await redis.info('memory').catch(() => '');
  const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1];
  if (policy === undefined) {
    logger?.warn({}, 'Redis does not say its maxmemory-policy; make sure that it is noeviction.');
  } else if (policy !== 'noeviction') {
    throw failure(
      'SERVICE_UNAVAILABLE',
      `Redis may throw away waiting approvals: set its maxmemory-policy to noeviction (it is ${policy}).`,
    );
  }
}

function reportOutages(redis: Redis, logger: Logger | undefined): void {
  let down = false;
  redis.on('close', () => {
    if (!down && redis.status !== 'end') logger?.warn({}, 'The connection to Redis is lost; trying to reconnect.');
    down = true;
  });
  redis.on('ready', () => {
    if (down) logger?.info({}, 'Redis is back.');
    down = false;
  });
}
