/** Prints an analysis: its figures as a table with bars, or a single figure with its change. */
import { formatValue } from '../../gateway/pages/format.ts';
import type { Look } from './data.ts';
import { type Column, pairs, table, widthOfTable } from './table.ts';
import { indent, safe, wrap } from './text.ts';
import { cell, decimalsOf, type Kind } from './values.ts';

type Value = string | number | boolean | null;
type Row = Readonly<Record<string, Value>>;
export interface AnalysisColumn {
  readonly name: string;
  readonly role: 'group' | 'measure' | 'change';
  readonly label: string;
  readonly type: string;
  /** The field of a measure. */
  readonly of?: string;
  /** The measure whose previous value or change the column has. */
  readonly measure?: string;
}
export interface Analysis {
  readonly of: string;
  readonly title: string;
  readonly columns: readonly AnalysisColumn[];
  readonly rows: readonly Row[];
  readonly totals?: Row;
  readonly group_count: number;
  readonly compared?: { readonly previous_from: string; readonly previous_to: string };
}
/** The kind of a column's values: money has its currency, which only the schema of the list knows. */
export type KindOf = (column: AnalysisColumn) => Kind;

export const isAnalysis = (data: unknown): data is Analysis =>
  typeof data === 'object' && data !== null && 'columns' in data && 'rows' in data && 'group_count' in data;

const MARGIN = 2;
const LONGEST_BAR = 24;
const SHORTEST_BAR = 6;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** `size` characters wide, in steps of an eighth. */
export function bar(part: number, size: number): string {
  const eighths = Math.round(Math.max(0, Math.min(1, part)) * size * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

/** A previous share is a share and no change. */
const isChange = ({ role, name }: AnalysisColumn): boolean => role === 'change' && name.startsWith('change_');

const percent = (value: number): string =>
  `${Math.abs(value * 100).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })}%`;
const signOf = (value: number, isSigned: boolean): string => (value < 0 ? '-' : isSigned && value > 0 ? '+' : '');

interface Printed {
  readonly column: AnalysisColumn;
  textOf(row: Row): string;
}
function printed({ columns, rows, totals }: Analysis, kindOf: KindOf, { style }: Look): Printed[] {
  return columns.map((column) => {
    const { name, type } = column;
    const kind = kindOf(column);
    const decimals = Math.max(0, ...[...rows, ...(totals ? [totals] : [])].map((row) => decimalsOf(row[name])));
    return {
      column,
      textOf(row) {
        const value = row[name] ?? null;
        if (typeof value === 'number' && type === 'share') return signOf(value, isChange(column)) + percent(value);
        if (value === null && row === totals) return '';
        return cell(value, kind, { style, decimals: typeof value === 'number' ? decimals : 0 });
      },
    };
  });
}

/** The bars of the first measure, as wide as the terminal allows; undefined if there is no room, or for amounts below zero. */
function barsOf({ columns, rows }: Analysis, room: number): string[] | undefined {
  const measure = columns.find(({ role, type }) => role === 'measure' && type !== 'day');
  const values = rows.map((row) => (measure && typeof row[measure.name] === 'number' ? Number(row[measure.name]) : 0));
  const most = Math.max(...values);
  const size = Math.min(LONGEST_BAR, room);
  if (most <= 0 || size < SHORTEST_BAR || values.some((value) => value < 0)) return undefined;
  return values.map((value) => bar(value / most, size));
}

function singleFigure({ columns, rows: [row = {}] }: Analysis, all: readonly Printed[], look: Look): string[] {
  const textOf = (name: string) => all.find(({ column }) => column.name === name)?.textOf(row);
  const measures = columns.filter(({ role }) => role === 'measure');
  const lines = measures.map(({ name, label }) => {
    const [before, change] = [`previous_${name}`, `change_${name}`].map((each) =>
      each in row && row[each] !== null ? textOf(each) : undefined,
    );
    const compared = before === undefined ? '' : `   ${change === undefined ? '' : `${change} `}from ${before}`;
    return [safe(label), `${textOf(name) ?? ''}${compared}`] as const;
  });
  return pairs(lines, look.style);
}

export function analysisLines(analysis: Analysis, kindOf: KindOf, look: Look): string[] {
  const { title, columns, rows, totals, group_count: groups, compared } = analysis;
  const all = printed(analysis, kindOf, look);
  const isSingle = columns.every(({ role }) => role !== 'group');
  const width = look.width - MARGIN;
  const body = rows.length === 0 ? [look.style.dim('none')] : isSingle ? singleFigure(analysis, all, look) : figures();
  const notes = [
    ...(rows.length < groups ? [`The first ${rows.length} of ${groups} groups.`] : []),
    ...(compared
      ? [
          `Compared with ${[compared.previous_from, compared.previous_to].map((day) => formatValue(day, { format: 'date' }) ?? '').join(' to ')}.`,
        ]
      : []),
  ];
  return [
    ...wrap(safe(title), look.width).map(look.style.bold),
    ...indent(body, MARGIN),
    ...notes.flatMap((note) => wrap(note, look.width)).map(look.style.dim),
  ];

  function figures(): string[] {
    const isText = ({ column: { role, type } }: Printed) => role === 'group' && type !== 'whole';
    const headings = all.map((each): Column => ({ heading: safe(each.column.label), right: !isText(each) }));
    const lines = rows.map((row) => all.map(({ textOf }) => textOf(row)));
    const last = totals && all.map(({ column, textOf }, at) => (column.role === 'group' ? (at === 0 ? 'All' : '') : textOf(totals)));
    const cells = last ? [...lines, last] : lines;
    const used = widthOfTable(headings, cells);
    if (used > width) return records(headings, cells);
    // Programs that read the output get no bars.
    const bars = Number.isFinite(width) ? barsOf(analysis, width - used - BAR_GAP) : undefined;
    if (bars === undefined) return table(headings, cells, look.style);
    const at = all.filter(({ column }) => column.role === 'group').length;
    const withBars = <T>(line: readonly T[], added: T): T[] => [...line.slice(0, at), added, ...line.slice(at)];
    return table(
      withBars(headings, { heading: '' }),
      cells.map((line, row) => withBars(line, look.style.cyan(bars[row] ?? ''))),
      look.style,
    );
  }

  function records(headings: readonly Column[], cells: readonly (readonly string[])[]): string[] {
    return cells.flatMap((line, at) => [
      ...(at > 0 ? [''] : []),
      ...pairs(
        headings.map(({ heading }, column) => [heading, line[column] ?? ''] as const),
        look.style,
      ),
    ]);
  }
}
/** The gap of the column with the bars. */
const BAR_GAP = 3;
