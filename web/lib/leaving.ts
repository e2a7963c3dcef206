/** Browser storage, messages between tabs, and sign-out, which ends both. */
import { csrf } from './api.ts';

type News = { readonly is: 'decided' } | { readonly is: 'left' } | { readonly is: 'here'; readonly username: string };

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('tamshai') : undefined;
export const tellOtherTabs = (news: News): void => channel?.postMessage(news);
export const onOtherTabs = (listener: (news: News) => void): (() => void) => {
  const hear = ({ data }: MessageEvent<News>) => listener(data);
  channel?.addEventListener('message', hear);
  return () => channel?.removeEventListener('message', hear);
};

/** Drafts survive a new sign-in of the same user. */
const PREFIX = 'tamshai:';
export function keep(person: string, name: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(`${PREFIX}${person}:${name}`);
    else localStorage.setItem(`${PREFIX}${person}:${name}`, text);
  } catch {
    /* storage may be disabled in private windows; then nothing is stored */
  }
}
export function kept(person: string, name: string): string {
  try {
    return localStorage.getItem(`${PREFIX}${person}:${name}`) ?? '';
  } catch {
    return '';
  }
}

const running = new Set<AbortController>();
/** A stream that is aborted at sign-out. */
export function stream(): AbortController {
  const controller = new AbortController();
  running.add(controller);
  controller.signal.addEventListener('abort', () => running.delete(controller));
  return controller;
}

export function forget(): void {
  for (const controller of running) controller.abort();
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
    sessionStorage.clear();
  } catch {
    /* nothing was stored */
  }
}

export async function signOut(): Promise<void> {
  forget();
  await fetch('/signout', { method: 'POST', body: new URLSearchParams({ csrf }), redirect: 'manual' }).catch(() => undefined);
  // Other tabs reload only after the session is closed; before, they would still be signed in.
  tellOtherTabs({ is: 'left' });
  location.assign('/');
}

export const signInAgain = (): void => location.assign(`/signin?${new URLSearchParams({ to: location.pathname + location.search })}`);
