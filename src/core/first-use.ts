/** Somebody who was expected comes: an invitation is accepted by using what one was invited to. */
import { Failure } from './errors.ts';
import type { Person } from './people.ts';
import type { AuditRecord } from './ports.ts';
import type { AuthorisedCall } from './runtime.ts';

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

export async function applyFirstUse(
  { tool, session, store, now }: Pick<AuthorisedCall, 'tool' | 'session' | 'store' | 'now'>,
  recorded: (tool: string) => AuditRecord,
): Promise<void> {
  const { onFirstUse: firstUse } = tool.domain;
  const { person } = session;
  if (firstUse === undefined || !firstUse.appliesTo(person) || !isDue(store, person, now.getTime())) return;
  const as = { ...session, audience: firstUse.audience, shows: [] };
  if (!(await store.read(as, (handles) => firstUse.isPending(person, handles as never)))) return;
  try {
    await store.executeOnce(as, { id: undefined, tool: firstUse.name }, async ({ writing }) => {
      await firstUse.apply(person, now, writing as never);
      return { result: null, audit: recorded(firstUse.name) };
    });
  } catch (error) {
    // Another process was faster, somebody changed the same row, or it cannot be written now: the next call looks again, and this one
    // goes on. What was asked for does not depend on it.
    if (!(error instanceof Failure) || (error.code !== 'CHANGED_SINCE_APPROVAL' && !error.retryable)) throw error;
    seen.get(store)?.delete(person.principal);
  }
}
