import { Redis } from 'ioredis';
import { failure } from '../../core/errors.ts';
import type { PubSub } from '../../core/ports.ts';
import { connected, leaveIfLate } from './redis.ts';

const COMMAND_MS = 1_500;
const STILL_THERE_MS = 10_000;

/** Channels know no numbered databases: the name has to keep those apart who share a server and nothing else. */
const channelOf = (url: string, name: string) => `tamshai:${new URL(url).pathname.replace(/^\/?$/, '/0')}:${name}`;

/** On connections of its own: who listens on one can say nothing else there. What is rung while the connection is lost is not heard. */
export async function openRedisPubSub(
  url: string,
  name: string,
  heard: (text: string) => void,
  stillThereMs = STILL_THERE_MS,
): Promise<PubSub> {
  const channel = channelOf(url, name);
  const options = {
    lazyConnect: true,
    connectTimeout: COMMAND_MS,
    commandTimeout: COMMAND_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // The driver's own way listens to no failure: a connection lost just then would end the process, or leave it deaf.
    autoResubscribe: false,
  } as const;
  const [ears, voice] = [new Redis(url, options), new Redis(url, options)];
  const unavailable = () => failure('SERVICE_UNAVAILABLE', 'Other processes cannot be asked right now.');
  // Each call hears of its own trouble; a connection that is lost is made again.
  for (const each of [ears, voice]) each.on('error', () => undefined);
  ears.on('message', (_channel: string, text: string) => heard(text));
  // Who only listens does not notice that there is nobody any more.
  const asking = setInterval(() => {
    const { stream } = ears;
    ears.ping().catch((error: unknown) => leaveIfLate(stream, error));
  }, stillThereMs).unref();
  const close = async () => {
    clearInterval(asking);
    ears.disconnect();
    voice.disconnect();
  };
  try {
    await Promise.all([ears, voice].map((each) => connected(each, () => undefined)));
    await ears.subscribe(channel);
    ears.on('ready', () => {
      const { stream } = ears;
      ears.subscribe(channel).catch(() => stream.destroy());
    });
  } catch {
    await close();
    throw unavailable();
  }
  return {
    publish: (text) => {
      const { stream } = voice;
      return voice.publish(channel, text).catch((error: unknown) => {
        leaveIfLate(stream, error);
        throw unavailable();
      });
    },
    close,
  };
}
