/**
 * Who follows what changes. A domain's numbered log says what happened; a wake-up only says when to look. So a lost wake-up, a lost
 * connection or a restart costs time, and never a notice: whoever follows goes on after the last transaction they were told of.
 */
import { randomUUID } from 'node:crypto';
import { audienceFor, sessionFor } from './access.ts';
import type { Caller } from './caller.ts';
import { failure } from './errors.ts';
import type { Person } from './people.ts';
import type { Clock } from './ports.ts';
import type { Feed, Notice } from './resources.ts';
import { createCallContext } from './runtime.ts';
import type { Store } from './store.ts';
import type { StoreKind } from './store-kinds.ts';

export interface Subscription {
  readonly caller: Caller;
  /** The last transaction that one was told of. */
  readonly after: number;
}
/** What the next transactions changed. Waits for one; nothing after a while, to be asked again. Throws when there is nobody to ask, or no right to. */
export type NextChanges = (subscription: Subscription) => Promise<readonly Notice[]>;

const MOST_TRANSACTIONS = 100;
/** Without a wake-up one looks again after so long: one may have been lost. */
const LOOK_AGAIN_MS = 2_000;
export const LONG_POLL_MS = 8_000;

/** With whose eyes it is looked: followers who see the same, and are as far, share one look. Throws for whoever may not hear of it. */
function eyesOf(feed: Feed, person: Person): string {
  const audience = audienceFor(feed.tool, person.roles);
  if (audience === undefined)
    throw failure('INSUFFICIENT_PERMISSIONS', `You do not have permission to follow ${feed.domain.name}.`, {
      requiredRoles: feed.tool.roles,
    });
  return feed.alike ? audience : `${audience} ${person.principal}`;
}

export function shareLookups(feed: Feed, next: NextChanges): NextChanges {
  const looking = new Map<string, Promise<readonly Notice[]>>();
  return async (subscription) => {
    const key = `${subscription.after} ${eyesOf(feed, subscription.caller.person)}`;
    let look = looking.get(key);
    if (look === undefined) {
      look = next(subscription).finally(() => looking.delete(key));
      looking.set(key, look);
    }
    return look;
  };
}

export interface LocalChangeFeed {
  readonly next: NextChanges;
  close(): void;
}

export function createLocalChangeFeed(feed: Feed, store: Store<StoreKind>, clock: Clock): LocalChangeFeed {
  let happened = 0;
  let closed = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    happened++;
    for (const go of waiting) go();
    waiting.clear();
  };
  let stop: (() => void) | undefined;

  const quiet = (ms: number) =>
    new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer);
        waiting.delete(go);
        resolve();
      };
      const timer = setTimeout(go, ms);
      waiting.add(go);
    });
  const look = ({ caller: { person }, after }: Subscription) => {
    const who = sessionFor(feed.tool, person, randomUUID());
    return store.read(who, (handles) => feed.after(after, MOST_TRANSACTIONS, createCallContext(who, clock.now(), handles)));
  };

  return {
    next: shareLookups(feed, async (subscription) => {
      stop ??= store.listen?.(wake);
      const until = performance.now() + LONG_POLL_MS;
      for (;;) {
        const seen = happened;
        const notices = await look(subscription);
        const left = until - performance.now();
        if (notices.length > 0 || left <= 0 || closed) return notices;
        // What happened while one looked may not have been seen.
        if (happened === seen) await quiet(Math.min(left, LOOK_AGAIN_MS));
      }
    }),
    close() {
      closed = true;
      stop?.();
      wake();
    },
  };
}
