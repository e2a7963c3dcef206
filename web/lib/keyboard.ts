/** Keyboard shortcuts. No shortcut approves or denies a change. */
import { useEffect } from 'react';

export type Keys = Readonly<Record<string, () => void>>;
const OFF = 'tamshai-keys';

export const keysAreOn = (): boolean => {
  try {
    return localStorage.getItem(OFF) !== 'off';
  } catch {
    return true;
  }
};
export const switchKeys = (on: boolean): void => {
  try {
    if (on) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, 'off');
  } catch {
    /* storage may be disabled */
  }
};

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Key names: `n`, `g a` (a sequence), `?`, `mod+k`, `Escape`. Single letters do nothing while a field has the focus. */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    let before = '';
    let since = 0;
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return;
      const mod = event.metaKey || event.ctrlKey;
      const key = event.key.length === 1 && !event.shiftKey ? event.key.toLowerCase() : event.key;
      const named = mod ? `mod+${key.toLowerCase()}` : key;
      const pair = performance.now() - since < 1200 ? `${before} ${named}` : '';
      const single = !mod && key.length === 1;
      if (single && (typing(event.target) || !keysAreOn())) return;
      if (typing(event.target) && key === 'Enter' && !mod) return;
      const work = (pair && keys[pair]) || keys[named];
      [before, since] = [named, performance.now()];
      if (!work) return;
      event.preventDefault();
      work();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [keys]);
}
