/** Formats single values for tables, by the JSON schema of the tool. */
import type { CardChange } from '../../declare/answer.ts';
import { decimalsOf as decimalsOfCurrency } from '../../declare/company.ts';
import { HIDDEN } from '../../declare/fields.ts';
import { formatValue, PLAIN } from '../../gateway/pages/format.ts';
import { alignedAmount, currencyOf } from '../../declare/money.ts';
import type { Style } from './style.ts';
import { safe } from './text.ts';

export type Schema = Readonly<Record<string, unknown>>;
/** Money has its currency in the kind: `money EUR`. */
export type Kind = Exclude<CardChange['format'], 'money'> | 'identifier' | `money ${string}`;

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const alternatives = (schema: Schema): Schema[] =>
  [schema, ...['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as unknown[]) : []))].filter(
    isSchema,
  );

/** The first alternative of a masked or nullable field that has this key. */
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
  const currency = all.map(({ unit }) => currencyOf(unit)).find((each) => each !== undefined);
  if (currency !== undefined) return `money ${currency}`;
  if (all.some(({ format }) => format === 'date' || format === 'date-time')) return 'date';
  // Years, ids and record numbers get no thousands separator.
  if (/(?:^|_)(?:year|id|number)$/.test(field)) return 'identifier';
  return typeof value === 'number' ? 'number' : 'text';
}

/** Numbers in a column are aligned by their decimals. */
export const decimalsOf = (value: unknown): number => (typeof value === 'number' ? (String(value).split('.')[1]?.length ?? 0) : 0);

function number(value: number, kind: Kind, decimals: number): string {
  if (kind === 'identifier') return String(value);
  const [, currency] = kind.split(' ');
  if (currency !== undefined) return alignedAmount(value, currency, decimals > 0 ? decimalsOfCurrency(currency) : 0);
  const text = Math.abs(value).toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: 20 });
  return `${value < 0 ? '-' : ''}${text}`;
}

interface CellLook {
  readonly style: Style;
  /** Decimals of the other values in the column. */
  readonly decimals?: number | undefined;
}
export function cell(value: unknown, kind: Kind, { style, decimals = decimalsOf(value) }: CellLook): string {
  if (value === HIDDEN) return style.dim('hidden');
  if (typeof value === 'number' && Number.isFinite(value)) return number(value, kind, decimals);
  if (kind === 'date' && typeof value === 'string')
    return safe(formatValue(value, { format: 'date' }) ?? '').replace(/^(\d+ \p{L}{3})\p{L}+ /u, '$1 ');
  const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : formatValue(value, PLAIN);
  return text === undefined ? style.dim('none') : safe(text);
}

export const isScalar = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null));

const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** Splits at <em> before decoding entities, so that encoded markup stays text. */
export const highlighted = (html: string, style: Style): string =>
  html
    .split(/<em>(.*?)<\/em>/)
    .map((part, n) => {
      const text = safe(part.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity));
      return n % 2 === 1 ? style.bold(text) : text;
    })
    .join('');
