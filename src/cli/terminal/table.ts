/** Tables in the terminal, as narrow as their content. */
import type { Style } from './style.ts';
import { padEnd, padStart, widthOf } from './text.ts';

export interface Column {
  readonly heading: string;
  readonly right?: boolean;
}

const GAP = 3;

export const widthOfTable = (columns: readonly Column[], rows: readonly (readonly string[])[]): number =>
  widths(columns, rows).reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, columns.length - 1);

function widths(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return columns.map(({ heading }, i) => Math.max(widthOf(heading), ...rows.map((row) => widthOf(row[i] ?? ''))));
}

export function table(columns: readonly Column[], rows: readonly (readonly string[])[], style: Style): string[] {
  const sizes = widths(columns, rows);
  const line = (cells: readonly string[]) =>
    columns
      .map(({ right }, i) => (right ? padStart : padEnd)(cells[i] ?? '', sizes[i] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [style.dim(line(columns.map(({ heading }) => heading.toUpperCase()))), ...rows.map(line)];
}

export function pairs(rows: readonly (readonly [name: string, value: string])[], style: Style): string[] {
  const width = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  return rows.map(([name, value]) => `${style.dim(padEnd(name, width))}${' '.repeat(GAP)}${value}`.trimEnd());
}
