/** Bars as a table, so that screen readers and keyboards read them row by row. */
import type { ReactNode } from 'react';

/** The colours of charts: `b1` to `b6` for series, and those with a meaning. */
export type Look = 'b1' | 'b2' | 'b3' | 'b4' | 'b5' | 'b6' | 'brest' | 'bok' | 'bwarn' | 'bbad';
export const SERIES: readonly Look[] = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6'];

export interface LegendEntry {
  readonly look: Look | 'btick' | 'bdash';
  readonly label: string;
}
export const Legend = ({ entries }: { readonly entries: readonly LegendEntry[] }) => (
  <div className="legend" aria-hidden="true">
    {entries.map(({ look, label }) => (
      <span key={label}>
        <i className={look} />
        {label}
      </span>
    ))}
  </div>
);

/** A part of a bar, in percent of its width. */
export interface Segment {
  readonly look: Look;
  readonly from: number;
  readonly size: number;
}
export interface Cell {
  readonly text: ReactNode;
  /** Hides the cell on narrow pages. */
  readonly isMinor?: boolean;
  readonly flagged?: boolean;
}
export interface BarRow {
  readonly key: string;
  readonly label: ReactNode;
  readonly segments: readonly Segment[];
  /** A mark across the bar, in percent of its width. */
  readonly tick?: number | undefined;
  readonly cells: readonly Cell[];
  readonly isOpen?: boolean;
}
export interface BarTableProps {
  readonly title: string;
  readonly label: string;
  /** Further columns. `short` follows the figure on narrow pages, where there is no header. */
  readonly columns: readonly { readonly label: string; readonly short?: string | undefined; readonly isMinor?: boolean }[];
  readonly rows: readonly BarRow[];
  readonly totals?: { readonly label: string; readonly cells: readonly Cell[] } | undefined;
}

export const width = (percent: number): string => `${Math.max(0, Math.min(100, percent))}%`;
/** Shorter, so that two segments do not touch. */
const GAP = 0.4;

const Bar = ({ segments, tick }: Pick<BarRow, 'segments' | 'tick'>) => (
  <svg aria-hidden="true">
    {segments.map(({ look, from, size }, at) => (
      <rect
        key={`${look} ${at}`}
        className={look}
        x={width(from)}
        width={width(at < segments.length - 1 ? Math.max(0, size - GAP) : size)}
        height="10"
        y="3"
        rx="1"
      />
    ))}
    {tick !== undefined && <rect className="btick" x={width(tick)} width="2" height="16" />}
  </svg>
);

export const BarTable = ({ title, label, columns, rows, totals }: BarTableProps) => {
  const cellsOf = (cells: readonly Cell[]) =>
    cells.map(({ text, isMinor = false, flagged = false }, at) => (
      <td
        key={columns[at]?.label ?? at}
        className={`num${isMinor ? ' hide-n' : ''}${flagged ? ' flag' : ''}`}
        data-l={isMinor ? undefined : columns[at]?.short}
      >
        {text}
      </td>
    ));
  return (
    <div className="fig-body">
      <table className="bars">
        <caption className="sr">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{label}</th>
            <td />
            {columns.map((column) => (
              <th key={column.label} scope="col" className="num">
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label: name, segments, tick, cells, isOpen = false }) => (
            <tr key={key} className={isOpen ? 'open' : undefined}>
              <th scope="row">{name}</th>
              <td className="bar">
                <Bar segments={segments} tick={tick} />
              </td>
              {cellsOf(cells)}
            </tr>
          ))}
        </tbody>
        {totals && (
          <tfoot>
            <tr>
              <th scope="row">{totals.label}</th>
              <td />
              {cellsOf(totals.cells)}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
};
