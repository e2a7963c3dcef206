/** Formats values for people and renders rows as a Markdown table. */
import { HIDDEN, labelFor } from '../../declare/display.ts';
import { currencyOf, formatAmount } from '../../declare/money.ts';
import { isId, type Schema, unwrapUnion, typeOf } from './schema.ts';

const DAY = /^\d{4}-\d\d-\d\d/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const groupDigits = (value: number, digits: number): string => {
  const [whole = '', rest] = Math.abs(value).toFixed(digits).split('.');
  return `${value < 0 ? '-' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${rest === undefined ? '' : `.${rest}`}`;
};
const formatDay = (text: string): string =>
  `${Number(text.slice(8, 10))} ${MONTHS[Number(text.slice(5, 7)) - 1] ?? ''} ${text.slice(0, 4)}`;
/** Escapes Markdown, so that untrusted text cannot end a cell or become a heading, a link or an image. */
export const escapeMarkdown = (text: string): string => text.replace(/\s+/g, ' ').replace(/[|\\`*_[\]<>]/g, '\\$&');

export function formatValue(given: unknown, schema: Schema | undefined, key: string): string {
  if (given === null || given === undefined) return '–';
  if (given === HIDDEN) return 'hidden';
  if (typeof given === 'boolean') return given ? 'yes' : 'no';
  if (typeof given === 'number') {
    const currency = currencyOf(unwrapUnion(schema).unit);
    if (currency !== undefined) return formatAmount(given, currency, 2);
    if (/percent|_rate$|compliance/.test(key)) return `${given}%`;
    return /year|number|_id$|^id$/.test(key)
      ? String(given)
      : groupDigits(given, Number.isInteger(given) ? 0 : Math.min(2, (String(given).split('.')[1] ?? '').length));
  }
  if (typeof given === 'string') {
    if (DAY.test(given) && (unwrapUnion(schema).format?.startsWith('date') ?? given.length === 10)) return formatDay(given);
    if (unwrapUnion(schema).enum || /^[A-Z]+(?:_[A-Z]+)+$/.test(given)) return given.toLowerCase().replaceAll('_', ' ');
    return escapeMarkdown(given.length > 160 ? `${given.slice(0, 157)}…` : given);
  }
  if (Array.isArray(given)) return given.every((each) => typeof each !== 'object') ? escapeMarkdown(given.join(', ')) : `${given.length}`;
  return '';
}

/** "pto_balance" becomes "PTO balance". */
export const fieldLabel = (key: string): string =>
  labelFor(key.replace(/^_/, ''))
    .replace(/\b(?:pto|arr|mrr|arpu|ssn|sla|ytd|ein|id)\b/gi, (word) => word.toUpperCase())
    .replace(/^Utilization/, 'Utilization');

const LOW_PRIORITY =
  /^(?:created_at|updated_at|currency|first_name|last_name|active|_score|highlights|row_version|description|content|before|after|customer_email|weighted_value|probability|expected_close_date|tags|mine|tx_id|changed_at|changed_by|actor|via|score|internal_notes)$/;
const NAME_FIELD = /(?:^|_)(?:name|title|subject|topic|period|month|plan_name)$/;

interface ColumnOptions {
  readonly wanted?: readonly string[];
  readonly most?: number;
}

export function selectColumns(
  shape: Schema,
  rows: readonly Readonly<Record<string, unknown>>[],
  { wanted = [], most = 6 }: ColumnOptions,
): string[] {
  const keys = Object.keys(shape.properties ?? rows[0] ?? {});
  const simple = keys.filter((key) => {
    const type = typeOf(unwrapUnion(shape.properties?.[key]));
    return (
      type !== 'object' &&
      type !== 'array' &&
      rows.some((row) => row[key] !== null && row[key] !== undefined) &&
      (!isId(key) || (key === 'id' && rows.every((row) => String(row[key]).length < 8)))
    );
  });
  const score = (key: string, at: number) =>
    (wanted.includes(key) ? 100 : 0) +
    (NAME_FIELD.test(key) ? 40 : 0) +
    (LOW_PRIORITY.test(key) ? -60 : 0) +
    (/(?:_by|_by_name|_at|notes|comments|reason|_last4|_email)$/.test(key) ? -20 : 0) +
    (rows.every((row) => row[key] === HIDDEN) ? -30 : 0) -
    at * 0.5;
  const names = simple.includes('first_name') && !simple.includes('name') ? ['first_name', 'last_name'] : [];
  const best = [...simple]
    .filter((key) => !names.includes(key))
    .sort((a, b) => score(b, keys.indexOf(b)) - score(a, keys.indexOf(a)))
    .filter((key) => score(key, keys.indexOf(key)) > -15)
    .slice(0, most - Math.min(1, names.length));
  return [...names, ...simple.filter((key) => best.includes(key))];
}

export function renderTable(shape: Schema, rows: readonly Readonly<Record<string, unknown>>[], options: ColumnOptions): string {
  const keys = selectColumns(shape, rows, options);
  if (keys.length === 0 || rows.length === 0) return '';
  const whole = keys[0] === 'first_name' && keys[1] === 'last_name';
  const shown = whole ? ['name', ...keys.slice(2)] : keys;
  const right = (key: string) => ['number', 'integer'].includes(typeOf(unwrapUnion(shape.properties?.[key])));
  const text = (row: Readonly<Record<string, unknown>>, key: string) =>
    whole && key === 'name'
      ? escapeMarkdown(`${String(row['first_name'])} ${String(row['last_name'])}`)
      : formatValue(row[key], shape.properties?.[key], key);
  return [
    `| ${shown.map(fieldLabel).join(' | ')} |`,
    `|${shown.map((key) => (right(key) ? '---:' : '---')).join('|')}|`,
    ...rows.map((row) => `| ${shown.map((key) => text(row, key)).join(' | ')} |`),
  ].join('\n');
}
