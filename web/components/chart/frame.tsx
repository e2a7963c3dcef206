/** The frame of every chart: title, note, the switch between chart and table, and actions. */
import type { ReactNode } from 'react';

interface FrameProps {
  readonly title: string;
  readonly note?: ReactNode;
  readonly asTable: boolean;
  readonly onSwitch: (asTable: boolean) => void;
  readonly children: ReactNode;
  readonly foot?: ReactNode;
  /** A single figure has no table. */
  readonly isSingle?: boolean;
}

export const Frame = ({ title, note, asTable, onSwitch, children, foot, isSingle = false }: FrameProps) => (
  <figure className="fig">
    <div className="fig-head">
      <figcaption>
        <h3>{title}</h3>
        {note && <p>{note}</p>}
      </figcaption>
      {!isSingle && (
        <div className="seg" role="group" aria-label="Show as">
          <button type="button" aria-pressed={!asTable} onClick={() => onSwitch(false)}>
            Chart
          </button>
          <button type="button" aria-pressed={asTable} onClick={() => onSwitch(true)}>
            Table
          </button>
        </div>
      )}
    </div>
    {children}
    {foot && <div className="fig-foot">{foot}</div>}
  </figure>
);
