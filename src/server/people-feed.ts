/** Syncs other domains' copies of people with hr's change feed, in the background. No call waits for it. */
import { z } from 'zod';
import { Failure } from '../declare/errors.ts';
import type { Clock, Logger, PeopleCopy, PeopleFeed } from '../engine/ports.ts';
import type { UpstreamClient } from '../gateway/upstream-client.ts';
import type { SigningKey } from '../identity/keys.ts';
import { createServerRequest } from './server-request.ts';

const EVERY_MS = 2000;
/** The upper limit of the exponential backoff after failures. */
const LONGEST_MS = 16_000;
/** A start waits at most this long for the first sync. */
const START_MS = 5000;

export interface PeopleSyncOptions {
  readonly feed: PeopleFeed;
  readonly copies: readonly PeopleCopy[];
  readonly log: Logger;
  readonly everyMs?: number;
}

export interface PeopleSync {
  close(): Promise<void>;
}

/** Resolves when every copy is up to date, has failed once, or START_MS have passed. Never throws. */
export async function syncPeople({ feed, copies, log, everyMs = EVERY_MS }: PeopleSyncOptions): Promise<PeopleSync> {
  const stopping = new AbortController();
  const subscriptions = copies.map((copy) => follow(feed, copy, log, everyMs, stopping.signal));
  let late: NodeJS.Timeout | undefined;
  await Promise.race([
    Promise.all(subscriptions.map(({ begun }) => begun)),
    new Promise((resolve) => (late = setTimeout(resolve, START_MS))),
  ]);
  clearTimeout(late);
  return {
    async close() {
      stopping.abort();
      await Promise.all(subscriptions.map(({ ended }) => ended));
    },
  };
}

function follow(
  feed: PeopleFeed,
  copy: PeopleCopy,
  log: Logger,
  everyMs: number,
  signal: AbortSignal,
): { begun: Promise<void>; ended: Promise<void> } {
  const server = copy.domain;
  let at: number | undefined;
  let failures = 0;
  const attempt = async () => {
    try {
      at = await catchUp(feed, copy, at, signal);
      if (failures > 0) log.info({ server }, 'people are up to date again');
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      at = undefined;
      // One log line per outage, without the driver's message.
      if (failures++ === 0)
        log.warn({ server, code: error instanceof Failure ? error.code : 'INTERNAL_ERROR' }, 'people cannot be updated at the moment');
    }
  };
  const begun = attempt();
  const goOn = async () => {
    await begun;
    while (!signal.aborted) {
      await pause(Math.min(everyMs * 2 ** Math.min(failures, 10), Math.max(everyMs, LONGEST_MS)), signal);
      if (!signal.aborted) await attempt();
    }
  };
  return { begun, ended: goOn() };
}

/** Applies the feed page by page, each in its own transaction. Returns the new position. */
async function catchUp(feed: PeopleFeed, copy: PeopleCopy, known: number | undefined, signal: AbortSignal): Promise<number> {
  let at = known ?? (await copy.position());
  while (!signal.aborted) {
    const { last, people } = await feed.after(at, signal);
    // hr was restored to an earlier state: the copy starts again from the beginning.
    const to = last < at ? 0 : (people.at(-1)?.n ?? at);
    if (to === at) return at;
    at = await copy.take(last < at ? [] : people, at, to);
  }
  return at;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    // unref: the timer must not keep the process alive.
    const timer = setTimeout(done, ms).unref();
    signal.addEventListener('abort', done);
  });

const page = z.object({
  last: z.int().min(0),
  people: z.array(
    z.object({
      n: z.int().min(1),
      employeeId: z.uuid(),
      name: z.string().nullable(),
      department: z.string().nullable(),
      managerId: z.uuid().nullable(),
      active: z.boolean(),
    }),
  ),
});

/** The feed of a remote hr server. A process without the gateway signs with the people-feed key, because it has no gateway key. */
export function createRemotePeopleFeed(hr: UpstreamClient | undefined, key: SigningKey, clock: Clock): PeopleFeed {
  const ask = createServerRequest(hr, { server: 'hr', title: 'People', key, clock });
  return { after: (after, signal) => ask('/people-changes', { after }, 'people-feed', page, signal) };
}
