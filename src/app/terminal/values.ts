/** Single values, as a reader of tables sees them. What a field holds is read off the tool's own schema. */
import type { CardChange } from '../../core/answer.ts';
import { HIDDEN } from '../../core/fields.ts';
import { formatValue } from '../../gateway/pages/format.ts';
import type { Style } from './style.ts';
import { safe } from './text.ts';

export type Schema = Readonly<Record<string, unknown>>;
export type Kind = CardChange['format'] | 'identifier';

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const alternatives = (schema: Schema): Schema[] =>
  [schema, ...['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as unknown[]) : []))].filter(
    isSchema,
  );

/** A masked or nullable field is a choice of several: whichever of them has the part. */
function part(schema: Schema | undefined, key: string): Schema | undefined {
  const found = schema && alternatives(schema).find((each) => isSchema(each[key]));
  return found?.[key] as Schema | undefined;
}
export const fieldSchema = (schema: Schema | undefined, field: string): Schema | undefined => {
  const found = part(schema, 'properties')?.[field];
  return isSchema(found) ? found : undefined;
};
export const itemSchema = (schema: Schema | undefined): Schema | undefined => part(schema, 'items');

export function kindOf(schema: Schema | undefined, field: string, value: unknown): Kind {
  const all = schema === undefined ? [] : alternatives(schema);
  if (all.some(({ unit }) => unit === 'USD')) return 'money';
  if (all.some(({ format }) => format === 'date' || format === 'date-time')) return 'date';
  // 2,026 is no year, and 1,204 no number of a ticket.
  if (/(?:^|_)(?:year|id|number)$/.test(field)) return 'identifier';
  return typeof value === 'number' ? 'number' : 'text';
}

/** Money and counts stand under each other by their decimals. */
export const decimalsOf = (value: unknown): number => (typeof value === 'number' ? (String(value).split('.')[1]?.length ?? 0) : 0);

function number(value: number, kind: Kind, decimals: number): string {
  if (kind === 'identifier') return String(value);
  const digits = kind === 'money' && decimals > 0 ? 2 : decimals;
  const text = Math.abs(value).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: 20 });
  return `${value < 0 ? '-' : ''}${kind === 'money' ? '$' : ''}${text}`;
}

/** One line for a cell of a table. */
export function cell(value: unknown, kind: Kind, style: Style, decimals = decimalsOf(value)): string {
  if (value === HIDDEN) return style.dim('hidden');
  if (typeof value === 'number' && Number.isFinite(value)) return number(value, kind, decimals);
  if (kind === 'date' && typeof value === 'string') return safe(formatValue(value, 'date') ?? '').replace(/^(\d+ \p{L}{3})\p{L}+ /u, '$1 ');
  const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : formatValue(value, 'text');
  return text === undefined ? style.dim('none') : safe(text);
}

export const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null));

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** Decoded last: text of a row that reads like markup was encoded, and stays text. */
export const highlighted = (html: string, style: Style): string =>
  html
    .split(/<em>(.*?)<\/em>/)
    .map((part, n) => {
      const text = safe(part.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity));
      return n % 2 === 1 ? style.bold(text) : text;
    })
    .join('');
