/** Shows the navigation as a drawer on narrow screens. */
import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

export default function Drawer({ onClose, children }: { readonly onClose: () => void; readonly children: ReactNode }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim scrim--page" />
        <Dialog.Popup
          className="side open"
          aria-label="Menu"
          onClick={({ target }) => target instanceof Element && target.closest('a') && onClose()}
        >
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
