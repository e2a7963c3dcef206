/** Draws the charts that tools declare. */
import type { ReactNode } from 'react';
import type { Chart } from '../../lib/contract.ts';
import type { Row } from '../../lib/columns.ts';
import { labelForCode, number, shortMoney } from '../../lib/format.ts';
import { elapsedOf } from '../../lib/pace.ts';
import { BarTable, Legend, type Look } from './bar-table.tsx';
import { Frame } from './frame.tsx';
import { amount, type Fields, Waterfall } from './waterfall.tsx';

interface FigureProps {
  readonly chart: Chart;
  readonly data: readonly Row[];
  /** The object that contains the rows. */
  readonly around?: Row | undefined;
  readonly summary?: Fields | undefined;
  readonly note: string;
  readonly complete: boolean;
  readonly table: ReactNode;
  readonly asTable: boolean;
  readonly onSwitch: (asTable: boolean) => void;
}
interface DrawnProps<K extends Chart['kind']> {
  readonly chart: Extract<Chart, { kind: K }>;
  readonly data: readonly Row[];
  readonly around?: Row | undefined;
}

const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10);
const named = (row: Row, label: string) => labelForCode(String((row[label] as string | number | undefined) ?? ''));
/** In the current year, a bar is marked above the elapsed part of the year; in other years above this percentage. */
const ALMOST = 95;

function Parts({ chart, data, around = {} }: DrawnProps<'parts'>) {
  const { part, whole, scale, label, count, pace } = chart;
  const each = scale === 'each';
  const ticks = data.map((row) => (pace && each ? elapsedOf(row[pace.field] ?? around[pace.field]) : undefined));
  const tick = ticks.find((at) => at !== undefined);
  const longest = Math.max(1, ...data.map((row) => amount(row, whole.field)));
  const [parts = 0, wholes = 0] = [part, whole].map(({ field }) => data.reduce((sum, row) => sum + amount(row, field), 0));
  const over = (percent: number, at: number | undefined) => each && percent > (at ?? ALMOST);
  const cellsOf = (figures: { readonly has: number; readonly of: number; readonly counted: number }, used: ReactNode, flagged = false) => [
    ...(each ? [{ text: used, flagged }] : []),
    ...(count ? [{ text: number(figures.counted) }] : []),
    { text: shortMoney(figures.has), isMinor: !each },
    { text: shortMoney(figures.of), isMinor: each },
  ];
  const rows = data.map((row, index) => {
    const [has, of] = [amount(row, part.field), amount(row, whole.field)];
    const percent = share(has, of);
    const length = each ? 100 : (of / longest) * 100;
    const at = ticks[index];
    const isOver = over(percent, at);
    const used = (
      <>
        {percent.toFixed(1)}%{isOver && at !== undefined && <span className="sr"> ahead of time</span>}
      </>
    );
    return {
      key: `${named(row, label)} ${index}`,
      label: named(row, label),
      segments: [
        { look: each ? 'brest' : 'b2', from: 0, size: length } as const,
        { look: isOver ? 'bwarn' : 'b1', from: 0, size: (Math.min(percent, 100) * length) / 100 } as const,
      ],
      tick: at,
      cells: cellsOf({ has, of, counted: amount(row, count?.field ?? '') }, used, isOver),
    };
  });
  const counted = data.reduce((sum, row) => sum + amount(row, count?.field ?? ''), 0);
  return (
    <>
      <Legend
        entries={[
          { look: 'b1', label: part.label },
          { look: each ? 'brest' : 'b2', label: each ? 'Left' : whole.label },
          ...(each ? [{ look: 'bwarn' as const, label: tick === undefined ? 'Almost used up' : 'Ahead of time' }] : []),
          ...(pace && tick !== undefined ? [{ look: 'btick' as const, label: `${pace.label}, ${number(tick)}%` }] : []),
        ]}
      />
      <BarTable
        title={chart.title}
        label={labelForCode(label)}
        columns={[
          ...(each ? [{ label: 'Used' }] : []),
          ...(count ? [{ label: count.label, short: count.label.toLowerCase() }] : []),
          { label: part.label, short: part.label.toLowerCase(), isMinor: !each },
          { label: whole.label, isMinor: each },
        ]}
        rows={rows}
        totals={
          data.length > 1
            ? { label: 'All', cells: cellsOf({ has: parts, of: wholes, counted }, `${share(parts, wholes).toFixed(1)}%`) }
            : undefined
        }
      />
    </>
  );
}

const LOOKS: Readonly<Record<'good' | 'warn' | 'bad', Look>> = { good: 'b1', warn: 'bwarn', bad: 'bbad' };

function Stack({ chart: { title, parts, label }, data }: DrawnProps<'stack'>) {
  const rows = data.map((row, index) => {
    const total = parts.reduce((sum, { field }) => sum + amount(row, field), 0);
    let end = 0;
    const segments = parts.map(({ field, look }) => {
      const from = end;
      const size = total === 0 ? 0 : (amount(row, field) / total) * 100;
      end += size;
      return { look: LOOKS[look], from, size };
    });
    const cells = parts.map(({ field }) => ({ text: number(amount(row, field)) }));
    return { key: `${named(row, label)} ${index}`, label: named(row, label), segments, cells };
  });
  return (
    <>
      <Legend entries={parts.map((part) => ({ look: LOOKS[part.look], label: part.label }))} />
      <BarTable
        title={title}
        label={labelForCode(label)}
        columns={parts.map((part) => ({ label: part.label, short: part.label.toLowerCase() }))}
        rows={rows}
      />
    </>
  );
}

export default function Figure({ chart, data, around, summary, note, complete, table, asTable, onSwitch }: FigureProps) {
  if (chart.kind === 'waterfall' && !summary) return table;
  return (
    <Frame
      title={chart.title}
      note={`${note}${complete ? '' : '. Incomplete: only the loaded rows are drawn.'}`}
      asTable={asTable}
      onSwitch={onSwitch}
    >
      {asTable ? (
        <div className="fig-table">{table}</div>
      ) : chart.kind === 'parts' ? (
        <Parts chart={chart} data={data} around={around} />
      ) : chart.kind === 'stack' ? (
        <Stack chart={chart} data={data} />
      ) : (
        <Waterfall chart={chart} summary={summary ?? {}} />
      )}
    </Frame>
  );
}
