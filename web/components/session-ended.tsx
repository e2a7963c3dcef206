/** The dialog after the session has ended. It hides the page: the next person at this screen may be someone else. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useRef } from 'react';
import { signInAgain, signOut } from '../lib/browser-session.ts';

export default function SessionEnded({ name }: { readonly name: string }) {
  const again = useRef<HTMLButtonElement>(null);
  return (
    <AlertDialog.Root open>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim scrim--page scrim--blind" />
        <AlertDialog.Popup className="dialog dialog--middle" initialFocus={again}>
          <AlertDialog.Title>Your session has ended</AlertDialog.Title>
          <AlertDialog.Description>
            Sign in again as {name} to continue. Your question is stored. Pending approvals still expire after five minutes.
          </AlertDialog.Description>
          <div className="acts-end">
            <button className="btn btn--quiet" type="button" onClick={() => void signOut()}>
              Sign out
            </button>
            <button ref={again} className="btn btn--primary" type="button" onClick={signInAgain}>
              Sign in again
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
