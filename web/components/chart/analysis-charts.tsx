/** The charts of an analysis: a single figure with its change, bars, stacked bars, and columns or lines over time. */
import { useState } from 'react';
import {
  type Analysis,
  axisText,
  columnOf,
  decimalsFor,
  type FigureColumn,
  type FigureRow,
  figureText,
  groupText,
  isAdditive,
  type Opener,
  plotted,
  type Plotted,
  ticksOf,
  valueOf,
} from '../../lib/analysis.ts';
import { number } from '../../lib/format.ts';
import { BarTable, Legend, type Look, type Segment, SERIES } from './bar-table.tsx';
import { FigureTable, GroupName } from './figure-table.tsx';
import { Plot } from './plot.tsx';

/** A figure whose rows are shown. */
export interface Opened {
  readonly key: string;
  readonly label: string;
  readonly opens: Opener;
}
interface ChartProps {
  readonly data: Analysis;
  /** The filters of the question. */
  readonly where: Readonly<Record<string, unknown>>;
  readonly opened: Opened | undefined;
  readonly onOpen: (opened: Opened) => void;
}
interface MeasuredProps extends ChartProps {
  /** The measure that is drawn. */
  readonly measure: FigureColumn;
}

export type Way = 'figure' | 'bars' | 'stacked' | 'columns' | 'lines';
/** Below this many positions, a plot over time says less than bars. */
const FEWEST = 2;

/** How the analysis is drawn. Only parts of a whole are stacked, and only complete series are drawn over time. */
export function wayOf(data: Analysis, input: Readonly<Record<string, unknown>>, measure: string): Way {
  const { chart, rows } = data;
  if (chart.kind === 'figure') return 'figure';
  const x = columnOf(data, chart.x);
  const sort = input['sort'] as { readonly by?: string } | undefined;
  const isInOrder = sort?.by === undefined || sort.by === chart.x;
  const isStackable = isAdditive(measure) && rows.every((row) => (valueOf(row, measure) ?? 0) >= 0);
  const periods = new Set(rows.map((row) => row[x?.name ?? ''] ?? null)).size;
  if (x?.by !== undefined && isInOrder && periods >= FEWEST) return chart.kind === 'stacked' && isStackable ? 'columns' : 'lines';
  return chart.kind === 'stacked' && isStackable ? 'stacked' : 'bars';
}

const groupsOf = ({ columns }: Analysis) => columns.filter(({ role }) => role === 'group');

export interface FlatRow {
  readonly key: string;
  readonly label: string;
  readonly row: FigureRow;
  readonly opens: Opener | null;
}
/** The rows with their keys and names, such as "Engineering, Q4 2026". */
export function flatRows(data: Analysis): FlatRow[] {
  const groups = groupsOf(data);
  return data.rows.map((row, at) => ({
    key: JSON.stringify(groups.map(({ name }) => row[name] ?? null)),
    label: groups.map((group) => groupText(row[group.name], group)).join(', ') || data.title,
    row,
    opens: data.opens[at] ?? null,
  }));
}

const changeColumns = ({ columns }: Analysis, measure: string) => {
  const own = columns.filter((column) => column.role === 'change' && column.measure === measure);
  return { previous: own.find(({ name }) => name.startsWith('previous_')), change: own.find(({ name }) => name.startsWith('change_')) };
};

export function BigFigures({ data, onOpen }: ChartProps) {
  const [flat] = flatRows(data);
  const { columns, rows, title } = data;
  return (
    <dl className="figures-big">
      {columns
        .filter(({ role }) => role === 'measure')
        .map((column) => {
          const { previous, change } = changeColumns(data, column.name);
          const textOf = (each: FigureColumn | undefined) => each && figureText(rows[0]?.[each.name], each, decimalsFor(each, rows));
          const [moved, before] = [textOf(change), textOf(previous)];
          return (
            <div key={column.name}>
              <dt>{column.label}</dt>
              <dd>
                <GroupName onOpen={flat?.opens ? () => onOpen({ key: flat.key, label: title, opens: flat.opens as Opener }) : undefined}>
                  {textOf(column) ?? 'None'}
                </GroupName>
                {before !== undefined && (
                  <span className="figures-change">
                    {moved !== undefined && <b>{moved}</b>} from {before}
                  </span>
                )}
              </dd>
            </div>
          );
        })}
    </dl>
  );
}

/** The number of bars before "Show all". */
const FIRST = 25;

/** The columns beside the bars: the drawn measure is the last one. */
function columnsBeside({ columns }: Analysis, measure: string): FigureColumn[] {
  const figures = columns.filter(({ role }) => role !== 'group');
  const isOwn = (column: FigureColumn) => column.name === measure || column.measure === measure;
  return [
    ...figures.filter((column) => !isOwn(column)),
    ...figures.filter((column) => isOwn(column) && column.name !== measure),
    ...figures.filter(({ name }) => name === measure),
  ];
}

export function Bars({ data, measure, opened, onOpen }: MeasuredProps) {
  const [all, setAll] = useState(false);
  const { title, rows, totals } = data;
  const { previous } = changeColumns(data, measure.name);
  const beside = columnsBeside(data, measure.name);
  const values = rows.flatMap((row) => [valueOf(row, measure.name) ?? 0, valueOf(row, previous?.name ?? '') ?? 0]);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const place = (value: number) => ((value - low) / (high - low || 1)) * 100;
  const segmentsOf = (value: number): Segment[] => [
    { look: value < 0 ? 'bbad' : 'b1', from: place(Math.min(0, value)), size: place(Math.max(0, value)) - place(Math.min(0, value)) },
  ];
  const cellsOf = (row: FigureRow) =>
    beside.map((column) => ({
      text: figureText(row[column.name], column, decimalsFor(column, rows)) ?? <span className="faint">–</span>,
      isMinor: column === previous,
    }));
  const flat = flatRows(data);
  return (
    <>
      {previous && (
        <Legend
          entries={[
            { look: 'b1', label: measure.label },
            { look: 'btick', label: previous.label },
          ]}
        />
      )}
      <BarTable
        title={title}
        label={groupsOf(data)
          .map(({ label }) => label)
          .join(', ')}
        columns={beside.map((column) => ({
          label: column.label,
          short: column === measure ? undefined : column.label.replace(/^Number of /, '').toLowerCase(),
          isMinor: column === previous,
        }))}
        rows={(all ? flat : flat.slice(0, FIRST)).map(({ key, label, row, opens }) => {
          const [value, before] = [valueOf(row, measure.name), valueOf(row, previous?.name ?? '')];
          const isOpen = opened?.key === key;
          return {
            key,
            label: (
              <GroupName isOpen={isOpen} onOpen={opens ? () => onOpen({ key, label, opens }) : undefined}>
                {label}
              </GroupName>
            ),
            isOpen,
            segments: value === undefined ? [] : segmentsOf(value),
            tick: before === undefined ? undefined : place(before),
            cells: cellsOf(row),
          };
        })}
        totals={totals && { label: 'All', cells: cellsOf(totals) }}
      />
      {!all && flat.length > FIRST && (
        <p className="fig-more">
          <button className="btn btn--sm" type="button" onClick={() => setAll(true)}>
            Show all {number(flat.length)}
          </button>
        </p>
      )}
    </>
  );
}

interface Shown {
  readonly looks: readonly Look[];
  readonly labels: readonly string[];
  /** The values of a position in the order of the looks. */
  valuesOf(values: readonly (number | undefined)[]): (number | undefined)[];
}
/** With more series than colours, the smallest are drawn as one, or left out if they may not be added. */
function shownSeries({ series }: Plotted, canAdd: boolean): Shown {
  const labels = series.map(({ label }) => label);
  if (series.length <= SERIES.length) return { looks: SERIES.slice(0, series.length), labels, valuesOf: (values) => [...values] };
  const most = SERIES.length - 1;
  if (!canAdd) return { looks: SERIES.slice(0, most), labels: labels.slice(0, most), valuesOf: (values) => values.slice(0, most) };
  return {
    looks: [...SERIES.slice(0, most), 'brest'],
    labels: [...labels.slice(0, most), `${series.length - most} others`],
    valuesOf: (values) => [...values.slice(0, most), sumOf(values.slice(most))],
  };
}
const sumOf = (values: readonly (number | undefined)[]): number => values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

export function Stacked({ data, measure, where, opened, onOpen, isSorted }: MeasuredProps & { readonly isSorted: boolean }) {
  const found = plotted(data, measure.name, where);
  if (!found) return null;
  const { looks, labels, valuesOf } = shownSeries(found, true);
  const decimals = decimalsFor(measure, data.rows);
  const textOf = (value: number | undefined) => figureText(value, measure, decimals);
  const unsorted = found.positions.map(({ key, label, rows, opens }) => {
    const values = valuesOf(rows.map((placed) => valueOf(placed?.row, measure.name)));
    return { key: JSON.stringify(key), label, opens, values, total: sumOf(values) };
  });
  const lines = isSorted ? unsorted : unsorted.toSorted((a, b) => b.total - a.total);
  const longest = Math.max(...lines.map(({ total }) => total), 0) || 1;
  return (
    <>
      <Legend entries={looks.map((look, at) => ({ look, label: labels[at] ?? '' }))} />
      <BarTable
        title={data.title}
        label={found.x.label}
        columns={[...labels.map((label) => ({ label, isMinor: true })), { label: 'All' }]}
        rows={lines.map(({ key, label, opens, values, total }) => {
          let end = 0;
          const isOpen = opened?.key === key;
          return {
            key,
            label: (
              <GroupName isOpen={isOpen} onOpen={opens ? () => onOpen({ key, label, opens }) : undefined}>
                {label}
              </GroupName>
            ),
            isOpen,
            segments: values.map((value, at) => {
              const from = end;
              const size = ((value ?? 0) / longest) * 100;
              end += size;
              return { look: looks[at] ?? 'brest', from, size };
            }),
            cells: [...values.map((value) => ({ text: textOf(value) ?? '', isMinor: true })), { text: textOf(total) ?? '' }],
          };
        })}
      />
    </>
  );
}

/** An axis may start above zero if the values differ little. */
const CUT = 0.6;

export function OverTime({ data, measure, where, opened, onOpen, kind }: MeasuredProps & { readonly kind: 'columns' | 'lines' }) {
  const found = plotted(data, measure.name, where);
  if (!found) return null;
  const { positions, series, absent, x } = found;
  const additive = isAdditive(measure.name);
  const { looks, labels, valuesOf } = shownSeries(found, additive && kind === 'columns');
  const hasSeries = data.chart.series !== undefined;
  const decimals = decimalsFor(measure, data.rows);
  const textOf = (value: number | undefined) => figureText(value, measure, decimals);
  const { previous, change } = changeColumns(data, measure.name);
  const lines = positions.map(({ key, label, rows, opens }) => {
    // A period without rows has none of them; its average is unknown.
    const all = rows.map((placed) => valueOf(placed?.row, measure.name) ?? (additive ? 0 : undefined));
    const values = valuesOf(all);
    const before = previous && rows.some(Boolean) ? rows.map((placed) => valueOf(placed?.row, previous.name)) : [];
    const parts = hasSeries ? labels.flatMap((name, at) => (values[at] ? [`${name} ${textOf(values[at]) ?? ''}`] : [])) : [];
    const whole = hasSeries && !additive ? undefined : sumOf(all);
    const total = hasSeries && !additive ? undefined : hasSeries ? textOf(whole) : textOf(all[0]);
    const compared = before.length > 0 && !hasSeries ? textOf(before[0]) : undefined;
    return {
      key: String(key),
      label,
      opens,
      values,
      rows,
      total,
      whole,
      previous: before.length > 0 && (additive || !hasSeries) ? sumOf(before) : undefined,
      text: `${label}: ${[total ?? (parts.length === 0 ? 'none' : undefined), ...parts, compared && `before ${compared}`].filter(Boolean).join(', ')}`,
    };
  });
  const points = lines
    .flatMap(({ values, previous: before, whole }) => [...(kind === 'columns' ? [whole] : values), before])
    .filter((value) => value !== undefined);
  const [least, most] = [Math.min(...points), Math.max(...points)];
  const low = kind === 'lines' && least > most * CUT ? least : Math.min(0, least);
  const ticks = ticksOf(low, Math.max(most, low));
  const drawn = lines.filter(({ whole, values }) => (whole ?? values[0]) !== undefined);
  const highest = drawn.toSorted((a, b) => (b.whole ?? b.values[0] ?? 0) - (a.whole ?? a.values[0] ?? 0))[0];
  const alternative = `${data.title}: from ${lines[0]?.label ?? ''} to ${lines.at(-1)?.label ?? ''}. Highest: ${highest?.text ?? 'none'}. The table has all figures.`;
  const canOpen = lines.some(({ opens }) => opens !== null);
  const open = (at: number) => {
    const line = lines[at];
    if (line?.opens) onOpen({ key: line.key, label: line.label, opens: line.opens });
  };
  const at = lines.findIndex(({ key }) => key === opened?.key);
  const missing = absent && { ...absent, value: absent.rows.map((placed) => valueOf(placed?.row, measure.name)) };
  return (
    <>
      {(hasSeries || previous) && (
        <Legend
          entries={[
            ...looks.map((look, nth) => ({ look, label: hasSeries ? (labels[nth] ?? '') : measure.label })),
            ...(previous && lines.some((line) => line.previous !== undefined) ? [{ look: 'bdash' as const, label: previous.label }] : []),
          ]}
        />
      )}
      <div className="fig-body">
        <Plot
          kind={kind}
          alternative={alternative}
          positions={lines}
          ticks={ticks}
          looks={looks}
          tickText={(value) => axisText(value, measure)}
          onOpen={canOpen ? open : undefined}
          opened={at < 0 ? undefined : at}
        />
        {(ticks[0] ?? 0) > 0 && <p className="small faint">The axis starts at {axisText(ticks[0] ?? 0, measure)}.</p>}
        {kind === 'lines' && labels.length < series.length && (
          <p className="small faint">
            {labels.length} of {series.length} lines are drawn. The table has all figures.
          </p>
        )}
        {missing && (
          <p className="small muted">
            Not drawn: {textOf(additive ? sumOf(missing.value) : missing.value[0]) ?? 'rows'} without {x.label.toLowerCase()}.{' '}
            {missing.opens && (
              <button
                className="fig-open accent"
                type="button"
                onClick={() => onOpen({ key: 'none', label: `Without ${x.label.toLowerCase()}`, opens: missing.opens as Opener })}
              >
                Show them
              </button>
            )}
          </p>
        )}
      </div>
      <FigureTable
        title={data.title}
        columns={[
          { label: x.label, isFigure: false },
          ...(hasSeries ? series.map(({ label }) => ({ label, isFigure: true })) : []),
          ...(hasSeries && !additive ? [] : [{ label: hasSeries ? 'All' : measure.label, isFigure: true }]),
          ...(hasSeries ? [] : [previous, change].flatMap((column) => (column ? [{ label: column.label, isFigure: true }] : []))),
        ]}
        rows={lines.map(({ key, label, rows, total, previous: before, opens }) => ({
          key,
          isOpen: opened?.key === key,
          onOpen: opens ? () => onOpen({ key, label, opens }) : undefined,
          cells: [
            { text: label, isFigure: false },
            ...(hasSeries ? rows.map((placed) => ({ text: textOf(valueOf(placed?.row, measure.name)), isFigure: true })) : []),
            ...(hasSeries && !additive ? [] : [{ text: total, isFigure: true }]),
            ...(previous && !hasSeries ? [{ text: textOf(before), isFigure: true }] : []),
            ...(change && !hasSeries ? [{ text: figureText(rows[0]?.row[change.name], change), isFigure: true }] : []),
          ],
        }))}
      />
    </>
  );
}
