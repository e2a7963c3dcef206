/** Stacked columns or lines over time. Each position is a button; an arrow key moves to the next one. */
import { type KeyboardEvent, useRef, useState } from 'react';
import type { Look } from './bar-table.tsx';

export interface PlotPosition {
  readonly key: string;
  readonly label: string;
  /** One value for each series. */
  readonly values: readonly (number | undefined)[];
  /** The value with which the position is compared. */
  readonly previous?: number | undefined;
  /** All figures of the position as text. */
  readonly text: string;
}
export interface PlotProps {
  readonly kind: 'columns' | 'lines';
  /** Says what the plot shows, for people who do not see it. */
  readonly alternative: string;
  readonly positions: readonly PlotPosition[];
  readonly ticks: readonly number[];
  readonly looks: readonly Look[];
  tickText(value: number): string;
  /** Opens the rows of a position; undefined if no position has rows to open. */
  readonly onOpen?: ((at: number) => void) | undefined;
  readonly opened?: number | undefined;
}

/** The number of labels on a wide and on a narrow page. */
const LABELS = { wide: 9, narrow: 4 };
/** The share of a slot that a column fills. */
const FILL = 0.68;

interface Scale {
  x(at: number): number;
  y(value: number): number;
  readonly slot: number;
}
function scaleOf({ positions, ticks }: Pick<PlotProps, 'positions' | 'ticks'>): Scale {
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const slot = 100 / Math.max(1, positions.length);
  return { slot, x: (at) => slot * (at + 0.5), y: (value) => 100 - ((value - low) / (high - low || 1)) * 100 };
}

const Columns = ({ positions, looks, scale }: Pick<PlotProps, 'positions' | 'looks'> & { readonly scale: Scale }) =>
  positions.map(({ key, values }, at) => {
    let level = 0;
    return values.map((value, nth) => {
      if (!value) return null;
      const [from, to] = [level, level + value];
      level = to;
      const size = scale.slot * FILL;
      return (
        <rect
          key={`${key} ${nth}`}
          className={looks[nth]}
          x={scale.x(at) - size / 2}
          width={size}
          y={scale.y(Math.max(from, to))}
          height={Math.abs(scale.y(to) - scale.y(from))}
        />
      );
    });
  });

/** Breaks at positions without a value. */
function pathOf(values: readonly (number | undefined)[], { x, y }: Scale): string {
  let isDrawing = false;
  return values
    .map((value, at) => {
      if (value === undefined) {
        isDrawing = false;
        return '';
      }
      const command = isDrawing ? 'L' : 'M';
      isDrawing = true;
      return `${command}${x(at)} ${y(value)}`;
    })
    .join('');
}
/** Lines without length and with round ends: they stay round although the drawing is stretched. */
const dotsOf = (values: readonly (number | undefined)[], { x, y }: Scale): string =>
  values.map((value, at) => (value === undefined ? '' : `M${x(at)} ${y(value)}h0`)).join('');

const Lines = ({ positions, looks, scale }: Pick<PlotProps, 'positions' | 'looks'> & { readonly scale: Scale }) =>
  looks.map((look, nth) => {
    const values = positions.map((position) => position.values[nth]);
    return (
      <g key={look} className={`line ${look}`}>
        <path d={pathOf(values, scale)} vectorEffect="non-scaling-stroke" />
        <path className="dots" d={dotsOf(values, scale)} vectorEffect="non-scaling-stroke" />
      </g>
    );
  });

export function Plot({ kind, alternative, positions, ticks, looks, tickText, onOpen, opened }: PlotProps) {
  const [pointed, setPointed] = useState<number>();
  const [current, setCurrent] = useState(0);
  const slots = useRef<HTMLDivElement>(null);
  const scale = scaleOf({ positions, ticks });
  const step = Math.ceil(positions.length / LABELS.wide);
  // A multiple, so that the labels of a narrow page are some of those of a wide one.
  const narrow = step * Math.ceil(positions.length / LABELS.narrow / step);
  const previous = positions.map((position) => position.previous);
  const move = (event: KeyboardEvent) => {
    const last = positions.length - 1;
    const to = { ArrowLeft: Math.max(0, current - 1), ArrowRight: Math.min(last, current + 1), Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setCurrent(to);
    slots.current?.querySelectorAll('button')[to]?.focus();
  };
  const shown = positions[pointed ?? opened ?? -1];
  return (
    <div className="plot">
      <p className="plot-said" aria-hidden="true">
        {shown ? shown.text : ' '}
      </p>
      <div className="plot-y" aria-hidden="true">
        {ticks.map((tick) => (
          <span key={tick} style={{ top: `${scale.y(tick)}%` }}>
            {tickText(tick)}
          </span>
        ))}
      </div>
      <div className="plot-area">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={alternative}>
          {ticks.map((tick) => (
            <line
              key={tick}
              className={tick === 0 ? 'base' : 'grid'}
              x1="0"
              x2="100"
              y1={scale.y(tick)}
              y2={scale.y(tick)}
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {kind === 'columns' ? (
            <Columns positions={positions} looks={looks} scale={scale} />
          ) : (
            <Lines positions={positions} looks={looks} scale={scale} />
          )}
          {previous.some((value) => value !== undefined) && (
            <path className="bdash" d={pathOf(previous, scale)} vectorEffect="non-scaling-stroke" />
          )}
        </svg>
        <div ref={slots} className="plot-slots" role="group" aria-label="Figures by period" onKeyDown={move}>
          {positions.map(({ key, text }, at) => (
            <button
              key={key}
              type="button"
              tabIndex={at === Math.min(current, positions.length - 1) ? 0 : -1}
              aria-label={onOpen ? `${text}. Show these rows` : text}
              aria-pressed={onOpen ? opened === at : undefined}
              onFocus={() => {
                setCurrent(at);
                setPointed(at);
              }}
              onBlur={() => setPointed(undefined)}
              onPointerEnter={() => setPointed(at)}
              onPointerLeave={() => setPointed(undefined)}
              onClick={() => onOpen?.(at)}
            />
          ))}
        </div>
      </div>
      <div className="plot-x" aria-hidden="true">
        {positions.map(({ key, label }, at) => (
          <span key={key} className={at % narrow === 0 ? undefined : 'plot-wide'}>
            {at % step === 0 ? label : ''}
          </span>
        ))}
      </div>
    </div>
  );
}
