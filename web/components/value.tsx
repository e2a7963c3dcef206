/** Renders one value as text, never as markup. */
import { lazy, Suspense, useRef, useState } from 'react';
import { type Column, valueText, isHidden, lookOf } from '../lib/columns.ts';
import type { MaskInfo } from '../lib/tools.ts';
import { labelFor, joined, moment } from '../lib/format.ts';
import { Icon } from './icon.tsx';

const MaskPopover = lazy(() => import('./mask-popover.tsx'));

export function Masked({ label, mask }: { readonly label: string; readonly mask: MaskInfo | undefined }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const who = mask
    ? `Visible to ${joined(mask.shownTo)}${mask.andOwner ? ', and to the person it is about' : ''}.`
    : 'Your roles may not see it.';
  return (
    <>
      <button ref={button} className="mask" type="button" aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="lock" />
        Hidden
      </button>
      {open && (
        <Suspense fallback={null}>
          <MaskPopover anchor={button} title={`${label} is hidden from you`} onClose={() => setOpen(false)}>
            {who}
          </MaskPopover>
        </Suspense>
      )}
    </>
  );
}

export function Value({
  column,
  value,
  words = {},
}: {
  readonly column: Pick<Column, 'kind' | 'label' | 'mask'>;
  readonly value: unknown;
  readonly words?: Readonly<Record<string, string>>;
}) {
  if (isHidden(value)) return <Masked label={column.label} mask={column.mask} />;
  const text = valueText(value, column.kind);
  if (text === undefined) return <span className="faint">–</span>;
  if (column.kind === 'status')
    return <span className={`badge badge--${lookOf(String(value as string))}`}>{words[String(value as string)] ?? text}</span>;
  if (column.kind === 'id') return <code className="small">{text}</code>;
  if (column.kind === 'ago' && typeof value === 'string')
    return (
      <time dateTime={value} title={moment(value)}>
        {text}
      </time>
    );
  if ((column.kind === 'date' || column.kind === 'time') && typeof value === 'string') return <time dateTime={value}>{text}</time>;
  if (column.kind === 'code') return <bdi>{words[String(value as string)] ?? text}</bdi>;
  return <bdi>{text}</bdi>;
}

/** Shows untrusted text and marks it as such. */
export const DataText = ({ from, children }: { readonly from: string; readonly children: string }) => (
  <figure className="datatext">
    <figcaption>
      <Icon name="quote" className="i-14" />
      {labelFor(from)}, text from the data, not from the assistant
    </figcaption>
    <p className="pre">
      <bdi>{children}</bdi>
    </p>
  </figure>
);
