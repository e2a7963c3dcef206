/** The router. It handles clicks on links to own paths and changes the page without a reload. */
import { useSyncExternalStore } from 'react';

const OURS = /^\/(?:$|c\/|approvals|tools|audit|settings|portal)/;
const changed = 'tamshai:moved';

export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (to === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  dispatchEvent(new Event(changed));
  if (!replace) scrollTo(0, 0);
}

const subscribe = (listener: () => void): (() => void) => {
  addEventListener(changed, listener);
  addEventListener('popstate', listener);
  return () => {
    removeEventListener(changed, listener);
    removeEventListener('popstate', listener);
  };
};
const read = (): string => location.pathname + location.search;
export const useAddress = (): URL => new URL(useSyncExternalStore(subscribe, read), location.origin);

/** The path parameters by name; undefined if the path does not match. */
export function match(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const [want, have] = [pattern.split('/'), path.replace(/(.)\/$/, '$1').split('/')];
  if (want.length !== have.length) return undefined;
  const found: Record<string, string> = {};
  for (const [index, part] of want.entries()) {
    const given = have[index] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = decode(given);
    else if (part !== given) return undefined;
  }
  return found;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link || link.target || link.hasAttribute('download')) return;
  const url = new URL(link.href, location.href);
  if (url.origin !== location.origin || !OURS.test(url.pathname) || (url.hash && url.pathname === location.pathname)) return;
  event.preventDefault();
  go(url.pathname + url.search);
});
