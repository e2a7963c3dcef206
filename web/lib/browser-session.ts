/** Stores drafts, sends messages between tabs, and signs the user out. */
import { csrf } from './api.ts';

type TabMessage = { readonly is: 'decided' } | { readonly is: 'left' } | { readonly is: 'here'; readonly username: string };

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('tamshai') : undefined;
export const postToOtherTabs = (message: TabMessage): void => channel?.postMessage(message);
export const onTabMessage = (listener: (message: TabMessage) => void): (() => void) => {
  const hear = ({ data }: MessageEvent<TabMessage>) => listener(data);
  channel?.addEventListener('message', hear);
  return () => channel?.removeEventListener('message', hear);
};

/** Each user has own drafts. They survive the end of a session; signing out deletes them. */
const PREFIX = 'tamshai:';
export function saveDraft(person: string, name: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(`${PREFIX}${person}:${name}`);
    else localStorage.setItem(`${PREFIX}${person}:${name}`, text);
  } catch {
    /* storage may be disabled in private windows; then nothing is stored */
  }
}
export function loadDraft(person: string, name: string): string {
  try {
    return localStorage.getItem(`${PREFIX}${person}:${name}`) ?? '';
  } catch {
    return '';
  }
}

const running = new Set<AbortController>();
/** Returns an abort controller for a stream. Sign-out aborts the stream. */
export function stream(): AbortController {
  const controller = new AbortController();
  running.add(controller);
  controller.signal.addEventListener('abort', () => running.delete(controller));
  return controller;
}

export function clearBrowserData(): void {
  for (const controller of running) controller.abort();
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
    sessionStorage.clear();
  } catch {
    /* nothing was stored */
  }
}

export async function signOut(): Promise<void> {
  clearBrowserData();
  await fetch('/signout', { method: 'POST', body: new URLSearchParams({ csrf }), redirect: 'manual' }).catch(() => undefined);
  // The session must be closed first: a tab that reloads earlier would still be signed in.
  postToOtherTabs({ is: 'left' });
  location.assign('/');
}

export const signInAgain = (): void => location.assign(`/signin?${new URLSearchParams({ to: location.pathname + location.search })}`);

let leaving = false;
addEventListener('beforeunload', () => {
  leaving = true;
  // The page stays if a download started.
  setTimeout(() => {
    leaving = false;
  }, 2000);
});
/** The browser leaves the page, so it aborts all requests. */
export const isLeaving = (): boolean => leaving;
