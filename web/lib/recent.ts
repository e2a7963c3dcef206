/** The user's recent conversations, newest first. */
import { useEffect, useSyncExternalStore } from 'react';
import { get } from './api.ts';
import type { ConversationSummary } from './contract.ts';

export type Recent = ConversationSummary;

let known: readonly Recent[] = [];
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export async function refreshRecent(): Promise<void> {
  try {
    known = await get<readonly Recent[]>('/api/conversations');
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}

export function useRecent(): readonly Recent[] {
  useEffect(() => void refreshRecent(), []);
  return useSyncExternalStore(subscribe, () => known);
}
