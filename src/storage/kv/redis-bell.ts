import { Redis } from 'ioredis';
import { failure } from '../../core/errors.ts';
import type { Bell } from '../../core/ports.ts';
import { connected } from './redis.ts';

const COMMAND_MS = 1_500;

/** Channels know no numbered databases: the name has to keep those apart who share a server and nothing else. */
const channelOf = (url: string, name: string) => `tamshai:${new URL(url).pathname.replace(/^\/?$/, '/0')}:${name}`;

/** On connections of its own: who listens on one can say nothing else there. What is rung while the connection is lost is not heard. */
export async function openRedisBell(url: string, name: string, heard: (text: string) => void): Promise<Bell> {
  const channel = channelOf(url, name);
  const options = { lazyConnect: true, connectTimeout: COMMAND_MS, maxRetriesPerRequest: 0, enableOfflineQueue: false } as const;
  const [ears, voice] = [new Redis(url, options), new Redis(url, { ...options, commandTimeout: COMMAND_MS })];
  const unavailable = () => failure('SERVICE_UNAVAILABLE', 'Other processes cannot be asked right now.');
  // Each call hears of its own trouble; a connection that is lost is made again.
  for (const each of [ears, voice]) each.on('error', () => undefined);
  ears.on('message', (_channel: string, text: string) => heard(text));
  const close = async () => {
    ears.disconnect();
    voice.disconnect();
  };
  try {
    await Promise.all([ears, voice].map((each) => connected(each, () => undefined)));
    await ears.subscribe(channel);
  } catch {
    await close();
    throw unavailable();
  }
  return {
    ring: (text) =>
      voice.publish(channel, text).catch(() => {
        throw unavailable();
      }),
    close,
  };
}
