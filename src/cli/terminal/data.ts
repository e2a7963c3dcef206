/** Formats the data of any tool: as a table if the rows fit the terminal, or else record by record. */
import { labelFor } from '../../declare/fields.ts';
import type { Style } from './style.ts';
import { type Column, pairs, table, widthOfTable } from './table.ts';
import { indent, safe, safeLines, wrap } from './text.ts';
import { cell, decimalsOf, fieldSchema, highlighted, isScalar, itemSchema, kindOf, type Schema } from './values.ts';

export interface Look {
  readonly style: Style;
  /** Infinity without a terminal, because programs read one row per line. */
  readonly width: number;
}

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const MARGIN = 2;
/** Also splits camelCase, which the details of errors use. */
const labelOf = (field: string) =>
  labelFor(safe(field).replace(/([a-z])([A-Z])/g, (_, end: string, begin: string) => `${end}_${begin.toLowerCase()}`));

export function dataLines(data: unknown, schema: Schema | undefined, look: Look): string[] {
  const inner = { ...look, width: look.width - MARGIN };
  if (Array.isArray(data)) return indent(list(data, itemSchema(schema), inner), MARGIN);
  return indent(isRecord(data) ? record(data, schema, inner) : [cell(data, kindOf(schema, '', data), look)], MARGIN);
}

function list(items: readonly unknown[], schema: Schema | undefined, look: Look): string[] {
  if (items.length === 0) return [look.style.dim('none')];
  const rows = items.filter(isRecord);
  if (rows.length < items.length) return items.flatMap((item) => (isRecord(item) ? record(item, schema, look) : [safe(String(item))]));
  const flat = rows.every((row) => Object.values(row).every(isScalar));
  const whole = flat ? rowsAsTable(rows, schema, look.style) : undefined;
  if (whole !== undefined && widthOfTable(whole.columns, whole.cells) <= look.width) return table(whole.columns, whole.cells, look.style);
  return rows.flatMap((row, i) => [...(i > 0 ? [''] : []), ...record(row, schema, look)]);
}

function rowsAsTable(rows: readonly Fields[], schema: Schema | undefined, style: Style): { columns: Column[]; cells: string[][] } {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const facts = fields.map((field) => {
    const values = rows.map((row) => row[field]);
    const kind = kindOf(fieldSchema(schema, field), field, values.find((value) => typeof value === 'number') ?? values[0]);
    return { field, kind, decimals: Math.max(...values.map(decimalsOf)), right: values.some((value) => typeof value === 'number') };
  });
  return {
    columns: facts.map(({ field, right }) => ({ heading: labelOf(field), right })),
    cells: rows.map((row) => facts.map(({ field, kind, decimals }) => cell(row[field], kind, { style, decimals }))),
  };
}

/** Scalar fields first, then nested values. */
function record(fields: Fields, schema: Schema | undefined, look: Look): string[] {
  const entries = Object.entries(fields);
  const scalars = entries.filter(([, value]) => isScalar(value));
  const names = scalars.map(([field]) => labelOf(field));
  const nameWidth = Math.max(0, ...names.map((name) => name.length));
  const lines = pairs(
    scalars.flatMap(([field, value], i) => {
      const valueLines = longText({ field, value, schema, nameWidth }, look);
      return valueLines.map((line, j) => [j === 0 ? (names[i] ?? '') : '', line] as const);
    }),
    look.style,
  );
  const nested = entries.filter(([, value]) => !isScalar(value));
  for (const [field, value] of nested) {
    lines.push(...(lines.length > 0 ? [''] : []), look.style.bold(labelOf(field)));
    lines.push(
      ...(field === 'highlights' && isRecord(value) ? highlightLines(value, look) : dataLines(value, fieldSchema(schema, field), look)),
    );
  }
  return lines;
}

/** Search highlights are HTML: matches are in <em>, and all other markup is encoded. */
function highlightLines(pieces: Fields, { style }: Look): string[] {
  const rows = Object.entries(pieces).flatMap(([field, texts]) =>
    [texts].flat().map((text, n) => [n === 0 ? labelOf(field) : '', highlighted(String(text), style)] as const),
  );
  return indent(pairs(rows, style), MARGIN);
}

interface FieldValue {
  readonly field: string;
  readonly value: unknown;
  readonly schema: Schema | undefined;
  readonly nameWidth: number;
}

function longText({ field, value, schema, nameWidth }: FieldValue, { style, width }: Look): string[] {
  const kind = kindOf(fieldSchema(schema, field), field, value);
  if (typeof value !== 'string' || kind === 'date') return [cell(value, kind, { style })];
  if (value.includes('\n')) return safeLines(value).flatMap((line) => wrap(line, width - nameWidth - 3));
  return wrap(cell(value, kind, { style }), width - nameWidth - 3);
}
