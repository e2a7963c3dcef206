/** The popover that says who may see a hidden value. */
import { Popover } from '@base-ui/react/popover';
import type { ReactNode, RefObject } from 'react';
import { Icon } from './icon.tsx';

export default function MaskPopover({
  anchor,
  title,
  onClose,
  children,
}: {
  readonly anchor: RefObject<HTMLElement | null>;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Popover.Root
      open
      onOpenChange={(open, { event }) => !open && !(event.target instanceof Node && anchor.current?.contains(event.target)) && onClose()}
    >
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} sideOffset={6} className="pop-place">
          <Popover.Popup className="pop" finalFocus={anchor}>
            <Popover.Title className="pop-title">
              <Icon name="lock" />
              {title}
            </Popover.Title>
            <Popover.Description>{children}</Popover.Description>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
