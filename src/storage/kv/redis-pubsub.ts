/** Sends and receives messages between processes with Redis pub/sub. */
import { Redis } from 'ioredis';
import { failure } from '../../declare/errors.ts';
import type { PubSub } from '../../engine/ports.ts';
import { connected, disconnectIfLate } from './redis.ts';

const COMMAND_MS = 1_500;
const PING_INTERVAL_MS = 10_000;

/** Redis channels ignore the database number, so the name of the channel contains it. */
const channelOf = (url: string, name: string) => `tamshai:${new URL(url).pathname.replace(/^\/?$/, '/0')}:${name}`;

/** A subscribed connection accepts no other commands, so there are two. Messages are lost while a connection is down. */
export async function openRedisPubSub(
  url: string,
  name: string,
  { onMessage, stillThereMs = PING_INTERVAL_MS }: { onMessage: (text: string) => void; stillThereMs?: number },
): Promise<PubSub> {
  const channel = channelOf(url, name);
  const options = {
    lazyConnect: true,
    connectTimeout: COMMAND_MS,
    commandTimeout: COMMAND_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    // After a lost connection, the driver's own resubscription could crash the process or leave it unsubscribed.
    autoResubscribe: false,
  } as const;
  const [subscriber, publisher] = [new Redis(url, options), new Redis(url, options)];
  const unavailable = () => failure('SERVICE_UNAVAILABLE', 'Other processes cannot be reached right now.');
  // Each call reports its own error. Without a listener, the driver would also print every error.
  for (const each of [subscriber, publisher]) each.on('error', () => undefined);
  subscriber.on('message', (_channel: string, text: string) => onMessage(text));
  // Only a ping finds out that the server of an idle connection is gone.
  const pinging = setInterval(() => {
    const { stream } = subscriber;
    subscriber.ping().catch((error: unknown) => disconnectIfLate(stream, error));
  }, stillThereMs).unref();
  const close = async () => {
    clearInterval(pinging);
    subscriber.disconnect();
    publisher.disconnect();
  };
  try {
    await Promise.all([subscriber, publisher].map((each) => connected(each, () => undefined)));
    await subscriber.subscribe(channel);
    subscriber.on('ready', () => {
      const { stream } = subscriber;
      subscriber.subscribe(channel).catch(() => stream.destroy());
    });
  } catch {
    await close();
    throw unavailable();
  }
  return {
    publish: (text) => {
      const { stream } = publisher;
      return publisher.publish(channel, text).catch((error: unknown) => {
        disconnectIfLate(stream, error);
        throw unavailable();
      });
    },
    close,
  };
}
