/** Reads the answer of a tool `analyze`: labels of groups and periods, text of figures, and the series of a chart. */
import { decimalsOf } from '../../src/declare/company.ts';
import { alignedAmount } from '../../src/declare/money.ts';
import { company } from './company.ts';
import { labelsBetween, type Unit } from './periods.ts';
import { day, labelForCode, number, shortMoney } from './format.ts';
import { isRecord } from './schema.ts';

export type Figure = string | number | boolean | null;
export type FigureRow = Readonly<Record<string, Figure>>;
export interface FigureColumn {
  readonly name: string;
  readonly role: 'group' | 'measure' | 'change';
  readonly label: string;
  readonly type: 'text' | 'choice' | 'flag' | 'day' | 'whole' | 'number' | 'money' | 'share';
  readonly by?: Unit;
  /** The measure whose previous value or change the column has. */
  readonly measure?: string;
}
/** The call of a list that shows the rows of a figure. */
export interface Opener {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}
export interface Analysis {
  readonly of: string;
  readonly title: string;
  readonly columns: readonly FigureColumn[];
  readonly rows: readonly FigureRow[];
  readonly totals?: FigureRow;
  readonly group_count: number;
  readonly chart: {
    readonly kind: 'figure' | 'bars' | 'line' | 'stacked';
    readonly x?: string;
    readonly series?: string;
    readonly measures: readonly string[];
  };
  readonly opens: readonly (Opener | null)[];
  readonly compared?: { readonly from: string; readonly to: string; readonly previous_from: string; readonly previous_to: string };
}

export const isAnalysis = (data: unknown): data is Analysis =>
  isRecord(data) && isRecord(data['chart']) && [data['columns'], data['rows'], data['opens']].every(Array.isArray);

export const NONE = 'None';
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const CALENDAR_YEAR = 1;

/** "Dec 2026", "Q4 2026", "Week 46, 2026" or, if years begin later than January, "FY 2027". */
export function periodText(label: string, by: Unit): string {
  const [year = '', part = ''] = label.split('-');
  const isFiscal = company().fiscalYearStart !== CALENDAR_YEAR;
  if (by === 'year') return isFiscal ? `FY ${year}` : year;
  if (by === 'quarter') return `${part} ${isFiscal ? 'FY ' : ''}${year}`;
  if (by === 'week') return `Week ${Number(part.slice(1))}, ${year}`;
  return by === 'month' ? MONTH.format(new Date(`${label}-01T00:00:00Z`)) : day(label);
}

export function groupText(value: Figure | undefined, { type, by }: FigureColumn): string {
  if (value === null || value === undefined) return NONE;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return number(value);
  if (by !== undefined) return periodText(value, by);
  return type === 'choice' ? labelForCode(value) : value;
}

/** A previous share is a share and no change. */
const isChange = ({ role, name }: FigureColumn): boolean => role === 'change' && name.startsWith('change_');

const percent = (part: number) =>
  `${(Math.abs(part) * 100).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })}%`;
/** "+8.3%" or "−2.1%". */
export const changeText = (part: number): string => (part === 0 ? '0.0%' : `${part > 0 ? '+' : '−'}${percent(part)}`);

/** Amounts of a column have cents if one of them has. */
export const decimalsFor = (column: FigureColumn, rows: readonly FigureRow[]): number =>
  column.type === 'money' && rows.some((row) => !Number.isInteger(row[column.name] ?? 0)) ? decimalsOf(company().currency) : 0;

/** The text of a figure; undefined if there is none, such as the average of no values. */
export function figureText(value: Figure | undefined, column: FigureColumn, decimals = 0): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'number') return groupText(value, column);
  const { type } = column;
  if (type === 'money') return alignedAmount(value, company().currency, decimals);
  if (type !== 'share') return number(value);
  return isChange(column) ? changeText(value) : `${value < 0 ? '−' : ''}${percent(value)}`;
}

const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
/** The text at an axis. */
export function axisText(value: number, { type }: FigureColumn): string {
  if (type === 'money')
    return value === 0
      ? '0'
      : shortMoney(value)
          .replace(/(\.\d*?)0+(?=[Mk]$)/, '$1')
          .replace(/\.(?=[Mk]$)/, '');
  return type === 'share' ? `${Math.round(value * 1000) / 10}%` : COMPACT.format(value);
}

export const columnOf = ({ columns }: Analysis, name: string | undefined): FigureColumn | undefined =>
  columns.find((column) => column.name === name);
export const valueOf = (row: FigureRow | undefined, name: string): number | undefined => {
  const value = row?.[name];
  return typeof value === 'number' ? value : undefined;
};

/** Only parts of a whole may be stacked; averages and extremes may not. */
export const isAdditive = (name: string): boolean => /^(count$|sum_|share_)/.test(name);

/** Steps of 1, 2 or 5 times a power of ten from zero, or from below the smallest value, to above the largest. */
export function ticksOf(low: number, high: number, most = 4): number[] {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((each) => each >= rough) ?? 10 * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: Math.max(1, last - first) + 1 }, (_, at) => (first + at) * step);
}

interface Placed {
  readonly row: FigureRow;
  readonly opens: Opener | null;
}
export interface Position {
  readonly key: Figure;
  readonly label: string;
  /** The row of each series; undefined for a period without rows. */
  readonly rows: readonly (Placed | undefined)[];
  /** The rows of the whole position. */
  readonly opens: Opener | null;
}
export interface Series {
  readonly key: Figure;
  readonly label: string;
  readonly total: number;
}
export interface Plotted {
  readonly x: FigureColumn;
  readonly series: readonly Series[];
  readonly positions: readonly Position[];
  /** The rows without a value for `x`, such as deals without a close date. */
  readonly absent: Position | undefined;
}

/** The rows of an analysis with one or two groups, arranged as positions and series. `where` are the filters of the question. */
export function plotted(analysis: Analysis, measure: string, where: Readonly<Record<string, unknown>>): Plotted | undefined {
  const { chart, rows, opens } = analysis;
  const x = columnOf(analysis, chart.x);
  if (x === undefined) return undefined;
  const by = chart.series;
  const seriesColumn = columnOf(analysis, by);
  const placed = rows.map((row, at): Placed => ({ row, opens: opens[at] ?? null }));
  const absent = x.by === undefined ? [] : placed.filter(({ row }) => row[x.name] === null);
  const present = placed.filter((each) => !absent.includes(each));
  const seriesKeys = by === undefined ? [null] : [...new Set(present.map(({ row }) => row[by] ?? null))];
  const series = seriesKeys
    .map((key): Series => {
      const own = by === undefined ? present : present.filter(({ row }) => (row[by] ?? null) === key);
      const total = own.reduce((sum, { row }) => sum + Math.abs(valueOf(row, measure) ?? 0), 0);
      return { key, total, label: seriesColumn === undefined ? '' : groupText(key, seriesColumn) };
    })
    .toSorted((a, b) => b.total - a.total);
  const positionOf = (own: readonly Placed[], key: Figure): Position => {
    const bySeries = series.map((each) => own.find(({ row }) => by === undefined || (row[by] ?? null) === each.key));
    return { key, label: groupText(key, x), rows: bySeries, opens: openerOf(own[0]?.opens, { by, where }) };
  };
  return {
    x,
    series,
    positions: keysOf(present, analysis, x).map((key) =>
      positionOf(
        present.filter(({ row }) => (row[x.name] ?? null) === key),
        key,
      ),
    ),
    absent: absent.length === 0 ? undefined : positionOf(absent, null),
  };
}

/** The keys of the positions. Periods are in order and, if the answer has all of them, without gaps. */
function keysOf(present: readonly Placed[], { rows, group_count: count }: Analysis, { name, by }: FigureColumn): Figure[] {
  const keys = [...new Set(present.map(({ row }) => row[name] ?? null))];
  if (by === undefined) return keys;
  const labels = keys.map(String).toSorted();
  const [first, last] = [labels[0], labels.at(-1)];
  if (first === undefined || last === undefined || rows.length < count) return labels;
  return labelsBetween(first, last, by) ?? labels;
}

/** Removes the condition on the series from the call for one part of a position. */
function openerOf(
  part: Opener | null | undefined,
  { by, where }: { readonly by: string | undefined; readonly where: Readonly<Record<string, unknown>> },
): Opener | null {
  if (!part || by === undefined) return part ?? null;
  const { [by]: _, ...others } = part.input;
  return { tool: part.tool, input: { ...others, ...(Object.hasOwn(where, by) && { [by]: where[by] }) } };
}
