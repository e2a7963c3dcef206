/** Applies a domain's first-use change, such as accepting an invitation, before a person's call. */
import { LRUCache } from 'lru-cache';
import { Failure } from '../declare/errors.ts';
import type { Person } from '../declare/people.ts';
import { recorder } from './audit/recorder.ts';
import type { ReadyCall } from './runtime.ts';

/** A person can be invited after an earlier call, so each person is checked again after this interval. */
const RECHECK_MS = 60_000;
const MAX_PEOPLE = 10_000;
const checkedAt = new WeakMap<object, LRUCache<string, number>>();

function isDue(store: object, { principal }: Person, now: number): boolean {
  const times = checkedAt.get(store) ?? new LRUCache<string, number>({ max: MAX_PEOPLE });
  checkedAt.set(store, times);
  if (now - (times.get(principal) ?? -RECHECK_MS) < RECHECK_MS) return false;
  times.set(principal, now);
  return true;
}

export async function applyFirstUse(call: ReadyCall): Promise<void> {
  const { tool, session, store, now } = call;
  const { onFirstUse: firstUse } = tool.domain;
  const { person } = session;
  if (firstUse === undefined || !firstUse.appliesTo(person) || !isDue(store, person, now.getTime())) return;
  const as = { ...session, audience: firstUse.audience, shows: [] };
  if (!(await store.read(as, (handles) => firstUse.isPending(person, handles as never)))) return;
  try {
    await store.executeOnce(as, { id: undefined, tool: firstUse.name }, async ({ writing }) => {
      await firstUse.apply(person, now, writing as never);
      return { result: null, audit: recorder.firstUse(call, firstUse.name) };
    });
  } catch (error) {
    // Another process was faster, or the store cannot write now. The call continues without the change, and the next call tries again.
    if (!(error instanceof Failure) || (error.code !== 'CHANGED_SINCE_APPROVAL' && !error.retryable)) throw error;
    checkedAt.get(store)?.delete(person.principal);
  }
}
