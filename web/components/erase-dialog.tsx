/** Asks before a conversation is erased, because it cannot be restored. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useRef } from 'react';

export default function EraseDialog({ onErase, onClose }: { readonly onErase: () => void; readonly onClose: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim scrim--page" />
        <AlertDialog.Popup className="dialog dialog--middle" initialFocus={keep}>
          <AlertDialog.Title>Erase this conversation?</AlertDialog.Title>
          <AlertDialog.Description>Its questions and answers cannot be restored. Changes that you approved stay.</AlertDialog.Description>
          <div className="acts-end">
            <button ref={keep} className="btn" type="button" onClick={onClose}>
              Keep
            </button>
            <button className="btn btn--danger" type="button" onClick={onErase}>
              Erase for good
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
