/** Somebody who was expected comes: an invitation is accepted by using what one was invited to. */
import { Failure } from './errors.ts';
import type { Person } from './people.ts';
import type { AuditRecord } from './ports.ts';
import type { Store, StoreSession } from './store.ts';
import type { AnyDomain, StoreKind } from './tool.ts';

/** Somebody may be invited who has been here before, so each is looked at again after a while. */
const AGAIN_MS = 60_000;
const MOST = 10_000;
const seen = new WeakMap<object, Map<string, number>>();

function isDue(store: object, { principal }: Person, now: number): boolean {
  const known = seen.get(store) ?? new Map<string, number>();
  seen.set(store, known);
  if (now - (known.get(principal) ?? -AGAIN_MS) < AGAIN_MS) return false;
  if (known.size >= MOST) known.clear();
  known.set(principal, now);
  return true;
}

export async function arrive(
  domain: AnyDomain,
  who: StoreSession,
  store: Store<StoreKind>,
  now: Date,
  recorded: (tool: string) => AuditRecord,
): Promise<void> {
  const { arrives } = domain;
  const { person } = who;
  if (arrives === undefined || !arrives.concerns(person) || !isDue(store, person, now.getTime())) return;
  const as = { ...who, audience: arrives.as, shows: [] };
  if (!(await store.read(as, (handles) => arrives.expected(person, handles as never)))) return;
  try {
    await store.once(as, { id: undefined, tool: arrives.name }, async ({ writing }) => {
      await arrives.welcome(person, now, writing as never);
      return { result: null, audit: recorded(arrives.name) };
    });
  } catch (error) {
    // Another process was faster, somebody changed the same row, or it cannot be written now: the next call looks again, and this one
    // goes on. What was asked for does not depend on it.
    if (!(error instanceof Failure) || (error.code !== 'CHANGED_SINCE_APPROVAL' && !error.retryable)) throw error;
    seen.get(store)?.delete(person.principal);
  }
}
