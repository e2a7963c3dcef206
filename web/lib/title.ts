/** The title of the browser tab. */
import { useEffect } from 'react';

/** Undefined if another component of the page sets the title. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title === '' ? 'Tamshai' : `${title} · Tamshai`;
  }, [title]);
}
