/**
 * The change feed of a domain, for resource subscriptions. Notices come from the domain's numbered log; a wake-up only starts a lookup. A
 * lost wake-up or connection delays notices, but loses none.
 */
import { randomUUID } from 'node:crypto';
import { audienceFor, createCallContext, sessionFor } from './access.ts';
import type { Caller } from './caller.ts';
import { failure } from '../declare/errors.ts';
import type { Person } from '../declare/people.ts';
import type { Clock } from './ports.ts';
import type { Feed, Notice } from '../declare/resources.ts';
import type { Store } from './store.ts';
import type { StoreKind } from '../declare/store-kinds.ts';

export interface Subscription {
  readonly caller: Caller;
  /** The last transaction whose notices the subscriber has received. */
  readonly after: number;
}
/** Waits for the changes after a transaction. Returns none after a timeout. Throws if the feed is not available or not allowed. */
export type NextChanges = (subscription: Subscription) => Promise<readonly Notice[]>;

const MAX_TRANSACTIONS = 100;
/** The interval of lookups without a wake-up, because a wake-up can get lost. */
const LOOKUP_INTERVAL_MS = 2_000;
export const LONG_POLL_MS = 8_000;

/** Subscribers with the same view and position share one lookup. Throws if the person may not read the feed. */
function viewOf(feed: Feed, person: Person): string {
  const audience = audienceFor(feed.access, person.roles);
  if (audience === undefined)
    throw failure('INSUFFICIENT_PERMISSIONS', `You do not have permission to subscribe to ${feed.domain.name}.`, {
      requiredRoles: feed.access.roles,
    });
  return feed.alike ? audience : `${audience} ${person.principal}`;
}

export function shareLookups(feed: Feed, next: NextChanges): NextChanges {
  const lookups = new Map<string, Promise<readonly Notice[]>>();
  return async (subscription) => {
    const key = `${subscription.after} ${viewOf(feed, subscription.caller.person)}`;
    let lookup = lookups.get(key);
    if (lookup === undefined) {
      lookup = next(subscription).finally(() => lookups.delete(key));
      lookups.set(key, lookup);
    }
    return lookup;
  };
}

export interface LocalChangeFeed {
  readonly next: NextChanges;
  close(): void;
}

export function createLocalChangeFeed(feed: Feed, store: Store<StoreKind>, clock: Clock): LocalChangeFeed {
  let wakeUps = 0;
  let closed = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    wakeUps++;
    for (const proceed of waiting) proceed();
    waiting.clear();
  };
  let stop: (() => void) | undefined;

  const waitForWakeUp = (ms: number) =>
    new Promise<void>((resolve) => {
      const proceed = () => {
        clearTimeout(timer);
        waiting.delete(proceed);
        resolve();
      };
      const timer = setTimeout(proceed, ms);
      waiting.add(proceed);
    });
  const lookUp = ({ caller: { person }, after }: Subscription) => {
    const who = sessionFor(feed.access, person, randomUUID());
    return store.read(who, (handles) => feed.after(after, MAX_TRANSACTIONS, createCallContext(who, clock.now(), handles)));
  };

  return {
    next: shareLookups(feed, async (subscription) => {
      stop ??= store.listen?.(wake);
      const until = performance.now() + LONG_POLL_MS;
      for (;;) {
        const seen = wakeUps;
        const notices = await lookUp(subscription);
        const left = until - performance.now();
        if (notices.length > 0 || left <= 0 || closed) return notices;
        // A wake-up during the lookup may announce a change that the lookup missed.
        if (wakeUps === seen) await waitForWakeUp(Math.min(left, LOOKUP_INTERVAL_MS));
      }
    }),
    close() {
      closed = true;
      stop?.();
      wake();
    },
  };
}
