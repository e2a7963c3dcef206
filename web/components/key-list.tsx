/** The dialog that lists the keyboard shortcuts. */
import { Dialog } from '@base-ui/react/dialog';
import { useState } from 'react';
import { keysAreOn, switchKeys } from '../lib/keyboard.ts';

const STAFF: readonly (readonly [string, string])[] = [
  ['New question', 'N'],
  ['Search', 'Ctrl K'],
  ['Approvals', 'G A'],
  ['Tools', 'G T'],
  ['Audit log', 'G U'],
  ['Move in a list', 'J  K'],
  ['Open', 'Enter'],
  ['Stop or close', 'Esc'],
  ['Run a tool', 'Ctrl Enter'],
];
const ALL: readonly (readonly [string, string])[] = [
  ['Switch light and dark', 'Shift D'],
  ['Show this list', '?'],
];

export function KeyList({ onClose, customer }: { readonly onClose: () => void; readonly customer: boolean }) {
  const [on, setOn] = useState(keysAreOn);
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim scrim--page" />
        <Dialog.Popup className="dialog dialog--middle">
          <Dialog.Title>Keyboard shortcuts</Dialog.Title>
          <Dialog.Description>Approve and Deny have no shortcut.</Dialog.Description>
          <dl className="keys">
            {[...(customer ? [] : STAFF), ...ALL].map(([what, keys]) => (
              <div key={what} className="contents">
                <dt>{what}</dt>
                <dd>
                  {keys
                    .split(' ')
                    .filter(Boolean)
                    .map((key) => (
                      <span key={key} className="kbd">
                        {key}
                      </span>
                    ))}
                </dd>
              </div>
            ))}
          </dl>
          <label className="row mid mt-6">
            <input
              type="checkbox"
              checked={on}
              onChange={({ target }) => {
                switchKeys(target.checked);
                setOn(target.checked);
              }}
            />
            Use single-letter shortcuts
          </label>
          <div className="acts-end">
            <Dialog.Close className="btn">Close</Dialog.Close>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
